/// One observation whose values go to several subscribers.
///
/// It runs while there are subscribers, or as long as it is kept running. A subscriber that is busy with a value gets the newest one
/// when it is done; the observation fetches again as soon as one subscriber is done with the last value.
final class ValueBroadcast<Value: Sendable>: Sendable {
    /// Receives a value, and then calls `done`, at once or later.
    typealias Receive = @Sendable (_ value: Value, _ done: @escaping @Sendable () -> Void) -> Void

    private struct Subscriber {
        let receive: Receive
        let fail: @Sendable (any Error) -> Void
        var isBusy = false
        /// The newest value, which came while the subscriber was busy.
        var pending: Value?
    }

    private struct State {
        var subscribers: [Int: Subscriber] = [:]
        var count = 0
        /// The number of observations that were started.
        var run = 0
        var isRunning = false
        var isKeptRunning: Bool
        var observation: AnyDatabaseCancellable?
        var last: Value?
        /// Lets the observation fetch again.
        var next: (@Sendable () -> Void)?

        mutating func stopIfUnused() -> AnyDatabaseCancellable? {
            guard isRunning, subscribers.isEmpty, !isKeptRunning else { return nil }
            defer { stop() }
            return observation
        }

        mutating func stop() {
            isRunning = false
            observation = nil
            last = nil
            next = nil
        }

        /// Returns the closure that lets the observation fetch again, if no subscriber is left that is busy with its value.
        mutating func takeNextIfIdle() -> (@Sendable () -> Void)? {
            guard !subscribers.values.contains(where: \.isBusy) else { return nil }
            defer { next = nil }
            return next
        }
    }

    private let state: Guarded<State>
    private let start: @Sendable (_ sink: ValueSink<Value>, _ isImmediate: Bool) -> AnyDatabaseCancellable

    /// Creates a broadcast, which starts its observation with the first subscriber.
    ///
    /// - Parameter isKeptRunning: whether the observation goes on without subscribers, until ``letStop()``.
    init(isKeptRunning: Bool, start: @escaping @Sendable (_ sink: ValueSink<Value>, _ isImmediate: Bool) -> AnyDatabaseCancellable) {
        state = Guarded(State(isKeptRunning: isKeptRunning))
        self.start = start
    }

    // MARK: - Subscribers

    /// Adds a subscriber, which receives the last value, if there is one, and all later ones.
    ///
    /// - Parameter isImmediate: whether an observation that starts now delivers its first value before this method returns.
    func subscribe(_ receive: @escaping Receive, fail: @escaping @Sendable (any Error) -> Void, isImmediate: Bool) -> AnyDatabaseCancellable
    {
        let (id, last, startedRun) = state.withLock { state in
            state.count += 1
            state.subscribers[state.count] = Subscriber(receive: receive, fail: fail, isBusy: state.last != nil)
            let starts = !state.isRunning
            if starts {
                state.isRunning = true
                state.run += 1
            }
            return (state.count, state.last, starts ? state.run : nil)
        }
        if let last { deliver(last, to: id, receive) }
        if let run = startedRun { startObservation(run, isImmediate: isImmediate) }
        return AnyDatabaseCancellable { [self] in unsubscribe(id) }
    }

    private func unsubscribe(_ id: Int) {
        let (stopped, next) = state.withLock { state -> (AnyDatabaseCancellable?, (@Sendable () -> Void)?) in
            guard state.subscribers.removeValue(forKey: id) != nil else { return (nil, nil) }
            if let stopped = state.stopIfUnused() { return (stopped, nil) }
            return (nil, state.takeNextIfIdle())
        }
        stopped?.cancel()
        next?()
    }

    /// Lets the observation end without subscribers.
    func letStop() {
        let stopped = state.withLock { state in
            state.isKeptRunning = false
            return state.stopIfUnused()
        }
        stopped?.cancel()
    }

    private func deliver(_ value: Value, to id: Int, _ receive: Receive) {
        receive(value) { [self] in didDeliver(to: id) }
    }

    private func didDeliver(to id: Int) {
        let (pending, next) = state.withLock { state -> ((Value, Receive)?, (@Sendable () -> Void)?) in
            guard let subscriber = state.subscribers[id] else { return (nil, nil) }
            if let pending = subscriber.pending {
                state.subscribers[id]?.pending = nil
                return ((pending, subscriber.receive), nil)
            }
            state.subscribers[id]?.isBusy = false
            defer { state.next = nil }
            return (nil, state.next)
        }
        next?()
        if let (value, receive) = pending { deliver(value, to: id, receive) }
    }

    // MARK: - The observation

    private func startObservation(_ run: Int, isImmediate: Bool) {
        let sink = ValueSink<Value>(
            schedule: { $0() },
            onError: { [self] error in didFail(run, error) },
            onChange: { [self] value, next in didChange(run, value, next) })
        let observation = start(sink, isImmediate)
        let isOver = state.withLock { state in
            guard state.isRunning, state.run == run else { return true }
            state.observation = observation
            return false
        }
        if isOver { observation.cancel() }
    }

    private func didChange(_ run: Int, _ value: Value, _ next: @escaping @Sendable () -> Void) {
        let (receivers, goesOn) = state.withLock { state -> ([(Int, Receive)], Bool) in
            guard state.isRunning, state.run == run else { return ([], false) }
            state.last = value
            var receivers: [(Int, Receive)] = []
            for (id, subscriber) in state.subscribers {
                if subscriber.isBusy {
                    state.subscribers[id]?.pending = value
                } else {
                    state.subscribers[id]?.isBusy = true
                    receivers.append((id, subscriber.receive))
                }
            }
            if state.subscribers.isEmpty { return ([], true) }
            state.next = next
            return (receivers.sorted { $0.0 < $1.0 }, false)
        }
        for (id, receive) in receivers { deliver(value, to: id, receive) }
        if goesOn { next() }
    }

    private func didFail(_ run: Int, _ error: any Error) {
        let subscribers = state.withLock { state -> [Subscriber] in
            guard state.isRunning, state.run == run else { return [] }
            defer {
                state.subscribers = [:]
                state.stop()
            }
            return state.subscribers.sorted { $0.key < $1.key }.map(\.value)
        }
        for subscriber in subscribers { subscriber.fail(error) }
    }
}
