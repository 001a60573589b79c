import Foundation

/// Collects values from any thread, and lets tests wait for them.
///
/// `@unchecked Sendable`: the lock guards the properties.
final class Collector<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var values: [Value] = []
    private var waits: [(isEnough: ([Value]) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []

    /// The values that were collected until now.
    var all: [Value] { lock.withLock { values } }

    func append(_ value: Value) {
        let ended = lock.withLock {
            values.append(value)
            let ended = waits.filter { $0.isEnough(values) }
            waits.removeAll { $0.isEnough(values) }
            return ended
        }
        for wait in ended { wait.continuation.resume() }
    }

    /// Waits until there are enough values, or until the time limit of the test ends it.
    @discardableResult
    func wait(until isEnough: @escaping @Sendable ([Value]) -> Bool) async -> [Value] {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = lock.withLock {
                    if Task.isCancelled || isEnough(values) { return true }
                    waits.append((isEnough, continuation))
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            endWaits()
        }
        return all
    }

    /// Waits until a number of values has come.
    @discardableResult
    func wait(count: Int) async -> [Value] { await wait { $0.count >= count } }

    /// Ends all waits.
    private func endWaits() {
        let ended = lock.withLock {
            defer { waits = [] }
            return waits
        }
        for wait in ended { wait.continuation.resume() }
    }
}

extension Collector where Value: Equatable {
    /// Waits until the last value is a given one.
    @discardableResult
    func wait(last value: Value) async -> [Value] { await wait { $0.last == value } }

    /// Waits until the last value is a given one, with a limit, so that a test can report the missing value.
    func wait(last value: Value, seconds: Int) async -> [Value] {
        let isOver = DispatchWorkItem { self.endWaits() }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds), execute: isOver)
        defer { isOver.cancel() }
        return await wait(last: value)
    }
}
