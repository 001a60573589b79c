/// The values of an observation, as an asynchronous sequence: see ``ValueObservation/values(in:scheduling:bufferingPolicy:)``.
///
/// Several tasks can iterate over a sequence at the same time: each iteration is a separate observation.
public struct AsyncValueObservation<Element: Sendable>: AsyncSequence, Sendable {
    /// The policy for values that come while the loop is busy.
    public enum BufferingPolicy: Sendable {
        /// No value is fetched until the loop requests it. Changes in the meantime lead to one fetch. This is the default.
        case onDemand

        /// All values are kept until the loop takes them.
        case unbounded

        /// The oldest values are kept, up to a number. Later values are lost, so the last value may not be the last state.
        case bufferingOldest(Int)

        /// The newest values are kept, up to a number.
        case bufferingNewest(Int)
    }

    typealias Start =
        @Sendable (
            _ onError: @escaping @Sendable (any Error) -> Void,
            _ onChange: @escaping @Sendable (Element, _ next: @escaping @Sendable () -> Void) -> Void
        ) -> AnyDatabaseCancellable

    let bufferingPolicy: BufferingPolicy
    let start: Start

    /// Starts an observation, and returns an iterator over its values.
    public func makeAsyncIterator() -> Iterator {
        let buffer = ValueBuffer<Element>(bufferingPolicy)
        let cancellable = start({ buffer.fail($0) }, { buffer.append($0, next: $1) })
        buffer.onEnd { cancellable.cancel() }
        return Iterator(buffer: buffer, lifetime: AnyDatabaseCancellable { buffer.end() })
    }

    /// An iterator over the values of an observation. The observation ends when the iterator is released.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let buffer: ValueBuffer<Element>
        /// Ends the observation with its iterator.
        fileprivate let lifetime: AnyDatabaseCancellable

        /// Returns the next value, or nil after the task was cancelled.
        ///
        /// - Throws: the error that has ended the observation.
        public mutating func next() async throws -> Element? {
            let buffer = buffer
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { buffer.take($0) }
            } onCancel: {
                buffer.end()
            }
        }
    }
}

/// The values that an iteration has not taken yet.
private final class ValueBuffer<Element: Sendable>: Sendable {
    private struct State {
        var values: [Element] = []
        /// Called when the iteration can take another value.
        var next: (@Sendable () -> Void)?
        var waiting: [CheckedContinuation<Element?, any Error>] = []
        var error: (any Error)?
        var isEnded = false
        var onEnd: (@Sendable () -> Void)?
    }

    private let policy: AsyncValueObservation<Element>.BufferingPolicy
    private let state = Guarded(State())

    init(_ policy: AsyncValueObservation<Element>.BufferingPolicy) {
        self.policy = policy
    }

    /// Adds a value.
    ///
    /// - Parameter next: called when the buffer can take another value.
    func append(_ value: Element, next: @escaping @Sendable () -> Void) {
        var takesMore = true
        let continuation: CheckedContinuation<Element?, any Error>? = state.withLock { state in
            if state.isEnded {
                takesMore = false
                return nil
            }
            // Copies of an iterator may wait in several tasks.
            let continuation = state.waiting.isEmpty ? nil : state.waiting.removeFirst()
            if case .onDemand = policy, state.waiting.isEmpty {
                state.next = next
                takesMore = false
            }
            if let continuation { return continuation }
            switch policy {
            case .onDemand, .unbounded: state.values.append(value)
            case .bufferingOldest(let count): if state.values.count < count { state.values.append(value) }
            case .bufferingNewest(let count):
                state.values.append(value)
                if state.values.count > count { state.values.removeFirst() }
            }
            return nil
        }
        continuation?.resume(returning: value)
        if takesMore { next() }
    }

    /// Passes the next value to a continuation, now or later.
    func take(_ continuation: CheckedContinuation<Element?, any Error>) {
        var next: (@Sendable () -> Void)?
        let result: Result<Element?, any Error>? = state.withLock { state in
            if !state.values.isEmpty { return .success(state.values.removeFirst()) }
            if let error = state.error.take() { return .failure(error) }
            if state.isEnded { return .success(nil) }
            state.waiting.append(continuation)
            next = state.next.take()
            return nil
        }
        if let result { continuation.resume(with: result) }
        next?()
    }

    /// Ends the values with an error, which follows the values that were not taken yet.
    func fail(_ error: any Error) {
        let waiting: [CheckedContinuation<Element?, any Error>] = state.withLock { state in
            if state.isEnded { return [] }
            state.isEnded = true
            state.onEnd = nil
            state.next = nil
            if state.waiting.isEmpty { state.error = error }
            defer { state.waiting = [] }
            return state.waiting
        }
        for (index, continuation) in waiting.enumerated() {
            if index == 0 { continuation.resume(throwing: error) } else { continuation.resume(returning: nil) }
        }
    }

    /// Ends the values, because nobody takes them any longer.
    func end() {
        var onEnd: (@Sendable () -> Void)?
        let waiting: [CheckedContinuation<Element?, any Error>] = state.withLock { state in
            onEnd = state.onEnd
            let waiting = state.waiting
            state = State(isEnded: true)
            return waiting
        }
        for continuation in waiting { continuation.resume(returning: nil) }
        onEnd?()
    }

    /// Sets the action that ends the observation, and calls it immediately if nobody takes values any longer.
    func onEnd(_ action: @escaping @Sendable () -> Void) {
        let isEnded = state.withLock { state in
            if !state.isEnded { state.onEnd = action }
            return state.isEnded
        }
        if isEnded { action() }
    }
}
