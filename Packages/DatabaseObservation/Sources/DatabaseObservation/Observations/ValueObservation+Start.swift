import RowDecoding

extension ValueObservation {
    /// Starts the observation, and delivers values on the main actor.
    ///
    /// ```swift
    /// @MainActor
    /// func showCount() -> AnyDatabaseCancellable {
    ///     observation.start(in: queue) { error in
    ///         print("no more values: \(error)")
    ///     } onChange: { count in
    ///         label.text = "\(count) players"
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - reader: the database. A ``DatabaseSnapshot`` never changes: it has one value.
    ///   - scheduler: `.mainActor`, the default, delivers all values after this method has returned. `.immediate` delivers the first value
    ///     before it returns, which waits for the fetch.
    ///   - onError: called once if a fetch fails, or the database is closed. The observation has then ended.
    ///   - onChange: called with each value.
    /// - Returns: an object that ends the observation when it is cancelled or released.
    @preconcurrency @MainActor
    public func start(
        in reader: any DatabaseReader, scheduling scheduler: some ValueObservationMainActorScheduler = .mainActor,
        onError: @escaping @MainActor (any Error) -> Void, onChange: @escaping @MainActor (Reducer.Value) -> Void
    ) -> AnyDatabaseCancellable {
        let sink = ValueSink<Reducer.Value>(
            schedule: { scheduler.schedule($0) },
            onError: { error in MainActor.assumeIsolated { onError(error) } },
            onChange: { value, _, next in
                MainActor.assumeIsolated { onChange(value) }
                next()
            })
        return observe(reader, sink, isImmediate: scheduler.immediateInitialValue()).cancellable
    }

    /// Starts the observation, and delivers values with a scheduler.
    ///
    /// ```swift
    /// let cancellable = observation.start(
    ///     in: pool, scheduling: .async(onQueue: .global())
    /// ) { error in
    ///     print("no more values: \(error)")
    /// } onChange: { count in
    ///     print("\(count) players")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - reader: the database. A ``DatabaseSnapshot`` never changes: it has one value.
    ///   - scheduler: where to deliver, for example `.async(onQueue:)` or `.task`.
    ///   - onError: called once if a fetch fails, or the database is closed. The observation has then ended.
    ///   - onChange: called with each value. The next fetch begins when it has returned.
    /// - Returns: an object that ends the observation when it is cancelled or released.
    public func start(
        in reader: any DatabaseReader, scheduling scheduler: some ValueObservationScheduler,
        onError: @escaping @Sendable (any Error) -> Void, onChange: @escaping @Sendable (Reducer.Value) -> Void
    ) -> AnyDatabaseCancellable {
        let sink = ValueSink<Reducer.Value>(
            schedule: { scheduler.schedule($0) }, onError: onError,
            onChange: { value, _, next in
                onChange(value)
                next()
            })
        return observe(reader, sink, isImmediate: scheduler.immediateInitialValue()).cancellable
    }

    /// Returns the values of the observation.
    ///
    /// ```swift
    /// for try await count in observation.values(in: pool) {
    ///     print("\(count) players")
    /// }
    /// ```
    ///
    /// Each iteration starts the observation, and ends it when the loop ends: when the loop is left, when the task is cancelled (the loop
    /// then ends without an error), or with the error of a fetch.
    ///
    /// - Parameters:
    ///   - reader: the database. A ``DatabaseSnapshot`` never changes: it has one value.
    ///   - scheduler: where values are put into the sequence. With `.immediate`, on the main thread, the first fetch runs when the
    ///     iteration begins.
    ///   - bufferingPolicy: what happens to values while the loop is busy. By default, no values are fetched meanwhile: the next value is
    ///     fetched when the loop requests it, if the database has changed.
    public func values(
        in reader: some DatabaseReader, scheduling scheduler: some ValueObservationScheduler = .task,
        bufferingPolicy: AsyncValueObservation<Reducer.Value>.BufferingPolicy = .onDemand
    ) -> AsyncValueObservation<Reducer.Value> {
        AsyncValueObservation(bufferingPolicy: bufferingPolicy) { onError, onChange in
            let isDirect = scheduler is TaskValueObservationScheduler
            let sink = ValueSink<Reducer.Value>(
                // A task would only pass on the value to the task of the iteration.
                schedule: { isDirect ? $0() : scheduler.schedule($0) }, onError: onError,
                onChange: { value, _, next in onChange(value, next) })
            return observe(reader, sink, isImmediate: scheduler.immediateInitialValue()).cancellable
        }
    }

    /// Starts the observation.
    func observe(_ reader: some DatabaseReader, _ sink: ValueSink<Reducer.Value>, isImmediate: Bool) -> StartedObservation {
        let observed = ObservedDatabase.observed(through: reader)
        if let source {
            // An observation that needs its first value now does not wait for another observation's fetch.
            return observe(reader, sharing: source, in: isImmediate ? nil : observed?.database, sink, isImmediate: isImmediate)
        }
        if let (database, writer) = observed {
            let observer = ValueObserver(self, of: database, writer, sink)
            observer.start(isImmediate: isImmediate)
            return StartedObservation(
                cancellable: AnyDatabaseCancellable { observer.cancel() }, isCurrent: { observer.isCurrent($0) },
                require: { observer.require($0, isReady: $1, isImmediate: $2) })
        }
        let observer = ConstantObserver(self, sink)
        observer.start(reader, isImmediate: isImmediate)
        return StartedObservation(
            cancellable: AnyDatabaseCancellable { observer.cancel() }, isCurrent: { _ in true }, require: { _, _, _ in })
    }
}
