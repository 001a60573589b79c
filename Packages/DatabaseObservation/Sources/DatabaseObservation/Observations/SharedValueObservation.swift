import RowDecoding

/// When a ``SharedValueObservation`` ends.
public enum SharedValueObservationExtent: Sendable {
    /// The database is observed from the first subscription until the shared observation is released and has no subscriber.
    case observationLifetime

    /// The database is observed while there are subscribers.
    case whileObserved
}

/// One observation of a database whose values go to several subscribers.
///
/// ```swift
/// let shared = observation.shared(in: pool, scheduling: .task)
/// let first = shared.start(onError: { _ in }) { names in show(names) }
/// let second = shared.start(onError: { _ in }) { names in save(names) }
/// ```
///
/// A subscriber first gets the last value, or a newly fetched value if a commit may have changed it since: the first value contains
/// everything that the queue or the pool has committed before the subscription. While a subscriber is busy, it misses values, but never the
/// last one.
///
/// After an error, all subscriptions have ended. The next subscription observes the database again.
public final class SharedValueObservation<Element: Sendable>: Sendable {
    private let broadcast: ValueBroadcast<Element>
    private let scheduler: any ValueObservationScheduler

    init(_ broadcast: ValueBroadcast<Element>, _ scheduler: any ValueObservationScheduler) {
        self.broadcast = broadcast
        self.scheduler = scheduler
    }

    deinit {
        broadcast.letStop()
    }

    /// Subscribes to the values, which the scheduler of the shared observation delivers.
    ///
    /// - Parameters:
    ///   - onError: called once if a fetch fails, or the database is closed.
    ///   - onChange: called with the last value, if it exists, and with all later values.
    /// - Returns: an object that ends the subscription when it is cancelled or released.
    public func start(
        onError: @escaping @Sendable (any Error) -> Void, onChange: @escaping @Sendable (Element) -> Void
    ) -> AnyDatabaseCancellable {
        subscribe(onError: onError) { value, done in
            onChange(value)
            done()
        }
    }

    /// Returns the values as an asynchronous sequence. Each iteration is a subscription.
    ///
    /// - Parameter bufferingPolicy: what happens to values while the loop is busy. By default, the loop gets the newest value when it
    ///   requests the next one.
    public func values(
        bufferingPolicy: AsyncValueObservation<Element>.BufferingPolicy = .onDemand
    ) -> AsyncValueObservation<Element> {
        AsyncValueObservation(bufferingPolicy: bufferingPolicy) { [self] onError, onChange in
            subscribe(onError: onError, onChange)
        }
    }

    func subscribe(
        onError: @escaping @Sendable (any Error) -> Void,
        _ onChange: @escaping @Sendable (_ value: Element, _ done: @escaping @Sendable () -> Void) -> Void
    ) -> AnyDatabaseCancellable {
        let isImmediate = scheduler.immediateInitialValue()
        let subscription = Subscription(isSynchronous: isImmediate)
        let scheduler = scheduler
        let cancellable = broadcast.subscribe(
            { value, _, done in
                subscription.run(scheduler) { onChange(value, done) }
            }, fail: { error in subscription.run(scheduler) { onError(error) } }, isImmediate: isImmediate
        ).cancellable
        subscription.isSynchronous.withLock { $0 = false }
        return AnyDatabaseCancellable {
            subscription.isCancelled.withLock { $0 = true }
            cancellable.cancel()
        }
    }
}

/// Calls a subscriber until it is cancelled.
private final class Subscription: Sendable {
    /// Whether the subscriber is called immediately, because it has just subscribed.
    let isSynchronous: Guarded<Bool>
    let isCancelled = Guarded(false)

    init(isSynchronous: Bool) {
        self.isSynchronous = Guarded(isSynchronous)
    }

    func run(_ scheduler: any ValueObservationScheduler, _ action: @escaping @Sendable () -> Void) {
        if isSynchronous.withLock({ $0 }), scheduler.immediateInitialValue() { return action() }
        scheduler.schedule { [self] in
            if !isCancelled.withLock({ $0 }) { action() }
        }
    }
}

extension ValueObservation {
    /// Returns an observation that several subscribers share.
    ///
    /// ```swift
    /// let shared = observation.shared(in: pool)
    /// let first = shared.start(onError: { print($0) }, onChange: { show($0) })
    /// let second = shared.start(onError: { print($0) }, onChange: { save($0) })
    /// ```
    ///
    /// - Parameters:
    ///   - reader: the database.
    ///   - scheduler: where to deliver values to all subscribers. With `.immediate`, a subscriber on the main thread gets its first value
    ///     before `start` returns, unless that value is already being fetched, for another subscriber or because the database has changed.
    ///   - extent: when the observation of the database ends.
    public func shared(
        in reader: some DatabaseReader, scheduling scheduler: some ValueObservationScheduler = .mainActor,
        extent: SharedValueObservationExtent = .whileObserved
    ) -> SharedValueObservation<Reducer.Value> {
        let database = ObservedDatabase.observed(through: reader)?.database
        let broadcast = ValueBroadcast<Reducer.Value>(of: database, isKeptRunning: extent == .observationLifetime) { sink, isImmediate in
            observe(reader, sink, isImmediate: isImmediate)
        }
        return SharedValueObservation(broadcast, scheduler)
    }
}
