/// One observation whose values go to several subscribers.
///
/// It runs while there are subscribers, or as long as it is kept running. A subscriber that is busy gets the newest value when it is ready;
/// the observation fetches again as soon as one subscriber is ready for the next value.
///
/// The first value of a subscriber contains everything that was committed before it subscribed: the last value if it is still current, or a
/// newly fetched value.
final class ValueBroadcast<Value: Sendable>: Sendable {
    /// Receives a value, which contains all commits up to a number, and then calls `done`, immediately or later.
    typealias Receive = @Sendable (_ value: Value, _ commit: Int, _ done: @escaping @Sendable () -> Void) -> Void

    typealias Start = @Sendable (_ sink: ValueSink<Value>, _ isImmediate: Bool) -> StartedObservation

    /// A value, and the number of the last commit that it contains.
    private struct Last {
        let value: Value
        var commit: Int
    }

    private struct Subscriber {
        let receive: Receive
        let fail: @Sendable (any Error) -> Void
        /// The number of a commit that the next value must contain, unless the value is current; nil for any value.
        var required: Int?
        var isBusy = false
        /// The newest value, which came while the subscriber was busy.
        var pending: Last?
    }

    /// A value, and a subscriber that was free to receive it.
    private typealias Delivery = (id: Int, last: Last, receive: Receive)

    private struct State {
        var subscribers: [Int: Subscriber] = [:]
        var count = 0
        /// The number of observations that were started.
        var run = 0
        var isRunning = false
        var isKeptRunning: Bool
        var observation: StartedObservation?
        var last: Last?
        /// Lets the observation fetch again.
        var next: (@Sendable () -> Void)?

        mutating func stopIfUnused() -> AnyDatabaseCancellable? {
            guard isRunning, subscribers.isEmpty, !isKeptRunning else { return nil }
            defer { stop() }
            return observation?.cancellable
        }

        mutating func stop() {
            isRunning = false
            observation = nil
            last = nil
            next = nil
        }

        /// Returns the closure that lets the observation fetch again, if no subscriber is busy with its value.
        mutating func takeNextIfIdle() -> (@Sendable () -> Void)? {
            guard !subscribers.values.contains(where: \.isBusy) else { return nil }
            return next.take()
        }

        /// Delivers the last value to some subscribers.
        ///
        /// - Returns: the deliveries to the subscribers that are not busy, in the order of their subscriptions.
        mutating func give(_ last: Last, to ids: some Sequence<Int>) -> [Delivery] {
            var deliveries: [Delivery] = []
            for id in ids.sorted() {
                guard let subscriber = subscribers[id] else { continue }
                subscribers[id]?.required = nil
                if subscriber.isBusy {
                    subscribers[id]?.pending = last
                } else {
                    subscribers[id]?.isBusy = true
                    deliveries.append((id, last, subscriber.receive))
                }
            }
            return deliveries
        }

        /// The subscribers that wait for a value that contains a commit later than a given one.
        func waiting(forMoreThan commit: Int) -> [Int] {
            subscribers.filter { $0.value.required ?? commit > commit }.map(\.key)
        }
    }

    private let state: Guarded<State>
    private let database: ObservedDatabase?
    private let start: Start

    /// Creates a broadcast, which starts its observation with the first subscriber.
    ///
    /// - Parameters:
    ///   - database: the observed database; nil if it never changes, or if there is only one subscriber.
    ///   - isKeptRunning: whether the observation continues without subscribers, until ``letStop()``.
    init(of database: ObservedDatabase?, isKeptRunning: Bool, start: @escaping Start) {
        state = Guarded(State(isKeptRunning: isKeptRunning))
        self.database = database
        self.start = start
    }

    // MARK: - Subscribers

    /// Adds a subscriber, which receives the last value, if it is current, and all later ones.
    ///
    /// - Parameter isImmediate: whether the first value is delivered before this method returns, unless it is already being fetched.
    func subscribe(_ receive: @escaping Receive, fail: @escaping @Sendable (any Error) -> Void, isImmediate: Bool) -> StartedObservation {
        let required = database?.requiredCommit() ?? 0
        let (id, startedRun) = state.withLock { state in
            state.count += 1
            state.subscribers[state.count] = Subscriber(receive: receive, fail: fail, required: required)
            let starts = !state.isRunning
            if starts {
                state.isRunning = true
                state.run += 1
            }
            return (state.count, starts ? state.run : nil)
        }
        if let run = startedRun {
            startObservation(run, isImmediate: isImmediate)
        } else {
            giveOrRequire(for: [id], isImmediate: isImmediate)
        }
        return StartedObservation(
            cancellable: AnyDatabaseCancellable { [self] in unsubscribe(id) },
            isCurrent: { [self] commit in
                let (last, observation) = state.withLock { ($0.last, $0.observation) }
                return last?.commit == commit && observation?.isCurrent(commit) == true
            },
            require: { [self] in require($0, for: id, isReady: $1, isImmediate: $2) })
    }

    /// Requires a value for one subscriber: see ``StartedObservation``.
    private func require(_ commit: Int, for id: Int, isReady: Bool, isImmediate: Bool) {
        state.withLock { state in
            guard let required = state.subscribers[id]?.required ?? Optional(commit) else { return }
            state.subscribers[id]?.required = max(required, commit)
            guard isReady else { return }
            state.subscribers[id]?.isBusy = false
            state.subscribers[id]?.pending = nil
        }
        giveOrRequire(for: [id], isImmediate: isImmediate)
    }

    /// Delivers the last value to subscribers that wait for a value, if it contains what they require or is current. Otherwise, requires
    /// another value from the observation.
    private func giveOrRequire(for ids: [Int], isImmediate: Bool) {
        if ids.isEmpty { return }
        let (last, observation) = state.withLock { ($0.last, $0.observation) }
        // If there is no observation, another thread is starting it, and calls this method afterwards.
        guard let observation else { return }
        let isCurrent = last.map { observation.isCurrent($0.commit) } ?? false
        typealias Requirement = (commit: Int, isReady: Bool)
        let (deliveries, requirement) = state.withLock { state -> ([Delivery], Requirement?) in
            let waiting = ids.filter { state.subscribers[$0]?.required != nil }
            guard let newest = state.last, let last else {
                return ([], waiting.compactMap { state.subscribers[$0]?.required }.max().map { ($0, false) })
            }
            let given = waiting.filter { id in
                isCurrent && newest.commit >= last.commit || newest.commit >= state.subscribers[id]?.required ?? 0
            }
            let deliveries = state.give(newest, to: given)
            let rest = waiting.compactMap { state.subscribers[$0]?.required }.max()
            guard let rest else { return (deliveries, nil) }
            defer { state.next = nil }
            return (deliveries, (rest, state.next != nil))
        }
        deliver(deliveries)
        if let requirement { observation.require(requirement.commit, requirement.isReady, isImmediate) }
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

    private func deliver(_ deliveries: [Delivery]) {
        for (id, last, receive) in deliveries { receive(last.value, last.commit) { [self] in didDeliver(to: id) } }
    }

    private func didDeliver(to id: Int) {
        let (delivery, next) = state.withLock { state -> (Delivery?, (@Sendable () -> Void)?) in
            guard let subscriber = state.subscribers[id] else { return (nil, nil) }
            if let pending = subscriber.pending {
                state.subscribers[id]?.pending = nil
                return ((id, pending, subscriber.receive), nil)
            }
            state.subscribers[id]?.isBusy = false
            defer { state.next = nil }
            return (nil, state.next)
        }
        next?()
        if let delivery { deliver([delivery]) }
    }

    // MARK: - The observation

    private func startObservation(_ run: Int, isImmediate: Bool) {
        let sink = ValueSink<Value>(
            schedule: { $0() },
            onError: { [self] error in didFail(run, error) },
            onChange: { [self] value, commit, next in didChange(run, Last(value: value, commit: commit), next) },
            onRepetition: { [self] commit in didRepeat(run, commit) })
        let observation = start(sink, isImmediate)
        let waiting: [Int]? = state.withLock { state in
            guard state.isRunning, state.run == run else { return nil }
            state.observation = observation
            // Subscribers that have subscribed in the meantime.
            return state.subscribers.filter { $0.value.required != nil }.map(\.key)
        }
        guard let waiting else { return observation.cancellable.cancel() }
        giveOrRequire(for: waiting, isImmediate: false)
    }

    private func didChange(_ run: Int, _ last: Last, _ next: @escaping @Sendable () -> Void) {
        let (waiting, observation) = state.withLock { ($0.waiting(forMoreThan: last.commit), $0.observation) }
        // They have subscribed during the fetch, or after it.
        let isCurrent = !waiting.isEmpty && observation?.isCurrent(last.commit) == true
        let (deliveries, unserved, goesOn) = state.withLock { state -> ([Delivery], [Int], Bool) in
            guard state.isRunning, state.run == run else { return ([], [], false) }
            state.last = last
            let unserved = Set(state.waiting(forMoreThan: last.commit)).subtracting(isCurrent ? waiting : [])
            let deliveries = state.give(last, to: state.subscribers.keys.filter { !unserved.contains($0) })
            // A subscriber that is not busy can receive another value.
            let goesOn = state.subscribers.allSatisfy { !$0.value.isBusy } || unserved.contains { state.subscribers[$0]?.isBusy == false }
            if !goesOn { state.next = next }
            return (deliveries, unserved.sorted(), goesOn)
        }
        deliver(deliveries)
        if goesOn { next() }
        giveOrRequire(for: unserved, isImmediate: false)
    }

    private func didRepeat(_ run: Int, _ commit: Int) {
        let waiting: [Int] = state.withLock { state in
            guard state.isRunning, state.run == run, let last = state.last else { return [] }
            state.last?.commit = max(last.commit, commit)
            return state.subscribers.filter { $0.value.required != nil }.map(\.key)
        }
        giveOrRequire(for: waiting, isImmediate: false)
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
