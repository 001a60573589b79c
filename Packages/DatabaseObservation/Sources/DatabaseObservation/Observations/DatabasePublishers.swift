#if canImport(Combine)
    import Combine
    import RowDecoding

    /// The publishers of observations, where Combine exists.
    public enum DatabasePublishers {
        /// A publisher of the values of an observation: see ``ValueObservation/publisher(in:scheduling:)``.
        ///
        /// Each subscription starts the observation. A value is fetched when the subscriber has demanded it: changes in the meantime lead
        /// to one fetch.
        public struct Value<Output: Sendable>: Publisher {
            /// The error that ended the observation.
            public typealias Failure = any Error

            fileprivate let start: ObservationSubscription<Output>.Start

            /// Starts the observation for a subscriber.
            public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
                ObservationSubscription<Output>.begin(subscriber, start)
            }
        }

        /// A publisher of the transactions that change a region: see ``DatabaseRegionObservation/publisher(in:)``.
        ///
        /// Each subscription starts the observation. Transactions that the subscriber has not demanded are skipped.
        public struct DatabaseRegion: Publisher {
            /// The writing connection.
            public typealias Output = Database
            /// The error that ended the observation.
            public typealias Failure = any Error

            fileprivate let start: ObservationSubscription<Database>.Start

            /// Starts the observation for a subscriber.
            public func receive<S: Subscriber>(subscriber: S) where S.Input == Database, S.Failure == any Error {
                ObservationSubscription<Database>.begin(subscriber, start)
            }
        }
    }

    extension ValueObservation {
        /// Returns a publisher of the values of the observation.
        ///
        /// ```swift
        /// let cancellable = observation.publisher(in: pool).sink { completion in
        ///     // the observation has failed
        /// } receiveValue: { players in
        ///     // fresh players
        /// }
        /// ```
        ///
        /// - Parameters:
        ///   - reader: the database.
        ///   - scheduler: where to deliver values. With `.immediate`, a subscriber on the main thread gets the first value when it
        ///     subscribes.
        public func publisher(
            in reader: some DatabaseReader, scheduling scheduler: some ValueObservationScheduler = .mainActor
        ) -> DatabasePublishers.Value<Reducer.Value> {
            DatabasePublishers.Value { onError, onChange in
                let sink = ValueSink<Reducer.Value>(
                    schedule: { scheduler.schedule($0) }, onError: onError, onChange: { value, _, next in onChange(value, next) })
                return observe(reader, sink, isImmediate: scheduler.immediateInitialValue()).cancellable
            }
        }
    }

    extension SharedValueObservation {
        /// Returns a publisher of the values of the shared observation.
        public func publisher() -> DatabasePublishers.Value<Element> {
            DatabasePublishers.Value { [self] onError, onChange in subscribe(onError: onError, onChange) }
        }
    }

    extension DatabaseRegionObservation {
        /// Returns a publisher of the transactions that change the region, on the thread of the writer: the published connection can be
        /// used until the subscriber has received it.
        ///
        /// ```swift
        /// let cancellable = observation.publisher(in: pool).sink { completion in
        ///     // the observation has failed
        /// } receiveValue: { @Sendable db in
        ///     // on the thread of the writer
        /// }
        /// ```
        ///
        /// The closure of `sink` must not be isolated to the main actor, as closures are in methods of views: Swift stops the program when
        /// such a closure is called on another thread. Mark it as `@Sendable`. Don't move it with `receive(on:)`, where the connection must
        /// not be used.
        public func publisher(in writer: some DatabaseWriter) -> DatabasePublishers.DatabaseRegion {
            DatabasePublishers.DatabaseRegion { onError, onChange in
                start(in: writer, onError: onError, onChange: { db in onChange(db) {} })
            }
        }
    }

    /// An observation that a subscriber has started.
    private final class ObservationSubscription<Output>: Subscription, Sendable {
        typealias Start =
            @Sendable (
                _ onError: @escaping @Sendable (any Error) -> Void,
                _ onChange: @escaping @Sendable (Output, _ next: @escaping @Sendable () -> Void) -> Void
            ) -> AnyDatabaseCancellable

        private struct State {
            /// Passes a value or the end to the subscriber. Nil after the end.
            var receive: ((Output) -> Subscribers.Demand)?
            var complete: ((any Error) -> Void)?
            var demand = Subscribers.Demand.none
            /// A value that the subscriber has not demanded yet.
            var pending: (value: Output, next: @Sendable () -> Void)?
            var observation: AnyDatabaseCancellable?
        }

        private let state: Guarded<State>
        /// Whether values that come without demand wait for it.
        private let keepsValues: Bool

        private init(_ state: State, keepsValues: Bool) {
            self.state = Guarded(state)
            self.keepsValues = keepsValues
        }

        /// Subscribes, and starts an observation.
        static func begin<S: Subscriber>(_ subscriber: S, _ start: Start) where S.Input == Output, S.Failure == any Error {
            let subscription = ObservationSubscription(
                State(
                    receive: { subscriber.receive($0) },
                    complete: { subscriber.receive(completion: .failure($0)) }),
                // A connection must not be used later.
                keepsValues: Output.self != Database.self)
            subscriber.receive(subscription: subscription)
            let observation = start({ subscription.fail($0) }, { subscription.receive($0, $1) })
            let isOver = subscription.state.withLock { state in
                if state.receive != nil { state.observation = observation }
                return state.receive == nil
            }
            if isOver { observation.cancel() }
        }

        private func receive(_ value: Output, _ next: @escaping @Sendable () -> Void) {
            let receive: ((Output) -> Subscribers.Demand)? = state.withLock { state in
                guard state.demand > .none else {
                    if keepsValues, state.receive != nil { state.pending = (value, next) }
                    return nil
                }
                state.demand -= 1
                return state.receive
            }
            guard let receive else { return }
            let more = receive(value)
            state.withLock { $0.demand += more }
            next()
        }

        func request(_ demand: Subscribers.Demand) {
            let pending = state.withLock { state in
                state.demand += demand
                guard state.demand > .none else { return nil as (value: Output, next: @Sendable () -> Void)? }
                defer { state.pending = nil }
                return state.pending
            }
            if let pending { receive(pending.value, pending.next) }
        }

        private func fail(_ error: any Error) {
            let complete = state.withLock { state in
                defer { state = State() }
                return state.complete
            }
            complete?(error)
        }

        func cancel() {
            let ended = state.withLock { state in
                defer { state = State() }
                return state
            }
            ended.observation?.cancel()
        }
    }
#endif
