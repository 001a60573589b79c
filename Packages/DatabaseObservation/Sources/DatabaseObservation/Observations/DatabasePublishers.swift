#if canImport(Combine)
    import Combine
    import RowDecoding

    /// The publishers of observations, where Combine exists.
    public enum DatabasePublishers {
        /// A publisher of the values of an observation: see ``ValueObservation/publisher(in:scheduling:)``.
        ///
        /// A subscription starts the observation when the subscriber first demands a value. Each value is fetched when the subscriber has
        /// demanded it: changes in the meantime lead to one fetch, of the latest value.
        public struct Value<Output: Sendable>: Publisher {
            /// The error that ended the observation.
            public typealias Failure = any Error

            fileprivate let start: ObservationSubscription<Output>.Start

            /// Gives a subscriber a subscription, which starts the observation.
            public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
                subscriber.receive(subscription: ObservationSubscription(subscriber, start))
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
                let subscription = ObservationSubscription(subscriber, start)
                subscriber.receive(subscription: subscription)
                // Transactions that are not demanded are skipped, and don't wait for the demand.
                subscription.resume()
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

    /// An observation for a subscriber.
    private final class ObservationSubscription<Output>: Subscription, Sendable {
        typealias Start =
            @Sendable (
                _ onError: @escaping @Sendable (any Error) -> Void,
                _ onChange: @escaping @Sendable (Output, _ next: @escaping @Sendable () -> Void) -> Void
            ) -> AnyDatabaseCancellable

        /// The action that requests the next value.
        private enum Step {
            case start(Start)
            /// The observation waits for this call before it fetches again.
            case next(@Sendable () -> Void)
        }

        private struct State {
            /// Passes a value or the end to the subscriber. Nil after the end.
            var receive: ((Output) -> Subscribers.Demand)?
            var complete: ((any Error) -> Void)?
            var demand = Subscribers.Demand.none
            /// Nil while the observation runs.
            var step: Step?
            var observation: AnyDatabaseCancellable?
        }

        private let state: Guarded<State>

        init<S: Subscriber>(_ subscriber: S, _ start: @escaping Start) where S.Input == Output, S.Failure == any Error {
            state = Guarded(
                State(
                    receive: { subscriber.receive($0) }, complete: { subscriber.receive(completion: .failure($0)) }, step: .start(start)))
        }

        func request(_ demand: Subscribers.Demand) {
            let isDemanded = state.withLock { state in
                state.demand += demand
                return state.demand > .none
            }
            if isDemanded { resume() }
        }

        /// Starts the observation, or lets it continue.
        func resume() {
            let step = state.withLock { $0.step.take() }
            switch step {
            case nil: break
            case .next(let next): next()
            case .start(let start):
                let observation = start({ self.fail($0) }, { self.receive($0, $1) })
                let isOver = state.withLock { state in
                    if state.receive != nil { state.observation = observation }
                    return state.receive == nil
                }
                if isOver { observation.cancel() }
            }
        }

        private func receive(_ value: Output, _ next: @escaping @Sendable () -> Void) {
            let receive: ((Output) -> Subscribers.Demand)? = state.withLock { state in
                guard state.demand > .none else { return nil }
                state.demand -= 1
                return state.receive
            }
            guard let receive else { return }
            let more = receive(value)
            let isDemanded = state.withLock { state in
                // A subscription that has ended keeps nothing.
                guard state.receive != nil else { return false }
                state.demand += more
                state.step = .next(next)
                return state.demand > .none
            }
            if isDemanded { resume() }
        }

        private func fail(_ error: any Error) { end().complete?(error) }

        func cancel() { end().observation?.cancel() }

        /// Ends the subscription, and returns its last state: releasing it may call code of the program, which no lock may wait for.
        private func end() -> State {
            state.withLock { state in
                defer { state = State() }
                return state
            }
        }
    }
#endif
