import Foundation
import Testing

/// Collects values from any thread, and lets tests wait for them.
///
/// `@unchecked Sendable`: the lock guards the properties.
final class Collector<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var values: [Value] = []
    private var waits: [Int: Wait] = [:]
    private var waitCount = 0

    private struct Wait {
        let isEnough: ([Value]) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    /// The values collected until now.
    var all: [Value] { lock.withLock { values } }

    func append(_ value: Value) {
        let ended = lock.withLock {
            values.append(value)
            let ended = waits.filter { $0.value.isEnough(values) }
            for number in ended.keys { waits[number] = nil }
            return ended
        }
        for wait in ended.values { wait.continuation.resume() }
    }

    /// Waits until there are enough values. A wait that reaches `waitLimit` fails the test.
    ///
    /// - Parameter event: the event that the test waits for, for the message of the failure.
    @discardableResult
    func wait(
        for event: String = "enough values", sourceLocation: SourceLocation = #_sourceLocation,
        until isEnough: @escaping @Sendable ([Value]) -> Bool
    ) async -> [Value] {
        let number = lock.withLock {
            waitCount += 1
            return waitCount
        }
        let limit = DispatchWorkItem { self.endWait(number) }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(waitLimit), execute: limit)
        defer { limit.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = lock.withLock {
                    if Task.isCancelled || isEnough(values) { return true }
                    waits[number] = Wait(isEnough: isEnough, continuation: continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            endWait(number)
        }
        let collected = all
        if !isEnough(collected), !Task.isCancelled {
            recordMissing("\(event), after the values \(collected)", sourceLocation)
        }
        return collected
    }

    /// Waits until a number of values have come.
    @discardableResult
    func wait(count: Int, sourceLocation: SourceLocation = #_sourceLocation) async -> [Value] {
        await wait(for: "\(count) values", sourceLocation: sourceLocation) { $0.count >= count }
    }

    private func endWait(_ number: Int) {
        lock.withLock { waits.removeValue(forKey: number) }?.continuation.resume()
    }
}

extension Collector where Value: Equatable {
    /// Waits until the last value is a given one.
    @discardableResult
    func wait(last value: Value, sourceLocation: SourceLocation = #_sourceLocation) async -> [Value] {
        await wait(for: "the last value \(value)", sourceLocation: sourceLocation) { $0.last == value }
    }
}
