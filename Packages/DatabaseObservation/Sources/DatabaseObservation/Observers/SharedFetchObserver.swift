import Dispatch

/// An observation that reduces and delivers the fetches of another observation.
final class SharedFetchObserver<Reducer: ValueReducer>: Sendable {
    private struct State {
        /// Nil when the observation has ended.
        var sink: ValueSink<Reducer.Value>?
        var subscription: StartedObservation?
        /// Whether `subscribe` is running, and delivers immediately.
        var isImmediate = false
        /// The action that `subscribe` performs on its own thread, before it returns.
        var immediateActions: [@Sendable () -> Void] = []
    }

    private let observation: ValueObservation<Reducer>
    private let state: Guarded<State>
    /// Reduces one value after the other. Its lock is never waited for.
    private let reducer: Guarded<any Reducing<Reducer.Fetched, Reducer.Value>>
    private let isIdentity: Bool
    /// The task of the transformations, if a task has started the observation.
    private let context: TaskContext?
    private let queue = DispatchQueue(label: "Strata.observation")

    init(_ observation: ValueObservation<Reducer>, _ sink: ValueSink<Reducer.Value>) {
        self.observation = observation
        state = Guarded(State(sink: sink))
        let reducer = observation.makeReducer()
        self.reducer = Guarded(reducer)
        isIdentity = reducer.isIdentity
        context = isIdentity ? nil : .current()
    }

    /// Notifies the program that the observation starts, before it subscribes.
    func willStart() {
        observation.events.willStart()
    }

    /// Subscribes to the fetches, unless the observation has ended while its identity was found.
    func subscribe(to broadcast: ValueBroadcast<Reducer.Fetched>, isImmediate: Bool) {
        let hasEnded = state.withLock { state in
            state.isImmediate = isImmediate
            return state.sink == nil
        }
        if hasEnded { return }
        let subscription = broadcast.subscribe(
            { [self] in receive($0, $1, $2) }, fail: { [self] in fail($0) }, isImmediate: isImmediate)
        let (isCancelled, actions) = state.withLock { state in
            defer {
                state.isImmediate = false
                state.immediateActions = []
            }
            if state.sink != nil { state.subscription = subscription }
            return (state.sink == nil, state.immediateActions)
        }
        if isCancelled { subscription.cancellable.cancel() }
        for action in actions { action() }
    }

    /// The observation, as its receiver sees it.
    ///
    /// - Parameter cancel: the other work that ends when the observation is cancelled.
    func started(cancel: @escaping @Sendable () -> Void = {}) -> StartedObservation {
        StartedObservation(
            cancellable: AnyDatabaseCancellable { [self] in
                self.cancel()
                cancel()
            },
            isCurrent: { [self] in state.withLock { $0.subscription }?.isCurrent($0) ?? false },
            // Without a subscription, the first value has not been delivered.
            require: { [self] in state.withLock { $0.subscription }?.require($0, $1, $2) })
    }

    func cancel() {
        if end() != nil { observation.events.didCancel() }
    }

    private func end() -> ValueSink<Reducer.Value>? {
        let (sink, subscription) = state.withLock { state in
            defer { state = State() }
            return (state.sink, state.subscription)
        }
        subscription?.cancellable.cancel()
        context?.end()
        return sink
    }

    private func receive(_ fetched: Reducer.Fetched, _ commit: Int, _ done: @escaping @Sendable () -> Void) {
        if runsImmediately({ [self] in reduce(fetched, commit, isImmediate: true, done) }) { return }
        if isIdentity {
            reduce(fetched, commit, isImmediate: false, done)
        } else {
            let action: @Sendable () -> Void = { [self] in
                queue.async { [self] in reduce(fetched, commit, isImmediate: false, done) }
            }
            if let context { context.whenReady(action) } else { action() }
        }
    }

    /// Leaves an action to `subscribe`, if it is running and delivers immediately. Another thread may have called this method.
    private func runsImmediately(_ action: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            if state.isImmediate { state.immediateActions.append(action) }
            return state.isImmediate
        }
    }

    private func reduce(_ fetched: Reducer.Fetched, _ commit: Int, isImmediate: Bool, _ done: @escaping @Sendable () -> Void) {
        guard let sink = state.withLock({ $0.sink }) else { return }
        do {
            guard let value = try value(of: fetched, isImmediate: isImmediate) else {
                sink.onRepetition(commit)
                return done()
            }
            let action: @Sendable () -> Void = { [self] in
                state.withLock { $0.sink }?.onChange(value, commit, done)
            }
            if isImmediate { action() } else { sink.schedule(action) }
        } catch {
            fail(error, isImmediate: isImmediate)
        }
    }

    private func value(of fetched: Reducer.Fetched, isImmediate: Bool) throws -> Reducer.Value? {
        let context = isImmediate ? nil : context
        return try context.perform { try reducer.withLock { try $0.value(fetched) } }
    }

    /// Ends the observation with an error.
    func fail(_ error: any Error) {
        if runsImmediately({ [self] in fail(error, isImmediate: true) }) { return }
        fail(error, isImmediate: false)
    }

    private func fail(_ error: any Error, isImmediate: Bool) {
        guard let sink = state.withLock({ $0.sink }) else { return }
        let action: @Sendable () -> Void = { [self] in
            guard let sink = end() else { return }
            observation.events.didFail(error)
            sink.onError(error)
        }
        if isImmediate { action() } else { sink.schedule(action) }
    }
}
