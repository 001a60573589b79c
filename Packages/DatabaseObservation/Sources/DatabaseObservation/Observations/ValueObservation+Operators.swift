import RowDecoding

extension ValueObservation {
    /// Returns an observation of transformed values.
    ///
    /// ```swift
    /// let observation = ValueObservation
    ///     .tracking { db in try playerNames(db) }
    ///     .map { names in names.joined(separator: ", ") }
    /// ```
    ///
    /// - Parameter transform: called with each fetched value, outside database accesses. An error that it throws ends the observation.
    public func map<Value: Sendable>(
        _ transform: @escaping @Sendable (Reducer.Value) throws -> Value
    ) -> ValueObservation<ValueReducers.Map<Reducer, Value>> {
        reducing { ValueReducers.Map(base: $0, transform: transform) }
    }

    /// Returns an observation that skips values that a closure considers equal to the previous value.
    ///
    /// - Parameter predicate: returns whether two successive values are the same.
    public func removeDuplicates(
        by predicate: @escaping @Sendable (Reducer.Value, Reducer.Value) -> Bool
    ) -> ValueObservation<ValueReducers.RemoveDuplicates<Reducer>> {
        reducing { ValueReducers.RemoveDuplicates(base: $0, predicate: predicate) }
    }

    /// Returns an observation that skips values that equal the previous value.
    ///
    /// ```swift
    /// let observation = ValueObservation
    ///     .tracking { db in try playerNames(db) }
    ///     .removeDuplicates()
    /// ```
    public func removeDuplicates() -> ValueObservation<ValueReducers.RemoveDuplicates<Reducer>> where Reducer.Value: Equatable {
        removeDuplicates(by: ==)
    }

    // MARK: - Events

    /// Returns an observation that calls closures on its events.
    ///
    /// ```swift
    /// let observation = ValueObservation.tracking(countPlayers)
    ///     .handleEvents(didReceiveValue: { count in print(count, "players") })
    /// ```
    ///
    /// The closures run on any thread, and must not wait for the database.
    ///
    /// - Parameters:
    ///   - willStart: called when the observation starts.
    ///   - willFetch: called before each fetch.
    ///   - willTrackRegion: called with the region that the observation tracks from then on.
    ///   - databaseDidChange: called after each transaction that may have changed the region.
    ///   - didReceiveValue: called with each value before it is delivered. A value is not delivered if the observation is cancelled
    ///     first.
    ///   - didFail: called with the error that ends the observation.
    ///   - didCancel: called when the observation is cancelled.
    public func handleEvents(
        willStart: (@Sendable () -> Void)? = nil,
        willFetch: (@Sendable () -> Void)? = nil,
        willTrackRegion: (@Sendable (DatabaseRegion) -> Void)? = nil,
        databaseDidChange: (@Sendable () -> Void)? = nil,
        didReceiveValue: (@Sendable (Reducer.Value) -> Void)? = nil,
        didFail: (@Sendable (any Error) -> Void)? = nil,
        didCancel: (@Sendable () -> Void)? = nil
    ) -> ValueObservation<ValueReducers.Trace<Reducer>> {
        var observation = reducing { ValueReducers.Trace<Reducer>(base: $0, didReceiveValue: didReceiveValue ?? { _ in }) }
        observation.events.add(
            ObservationEvents.Handlers(
                willStart: willStart, willFetch: willFetch, willTrackRegion: willTrackRegion, databaseDidChange: databaseDidChange,
                didFail: didFail, didCancel: didCancel))
        return observation
    }

    /// Returns an observation that prints its events, for debugging.
    ///
    /// ```swift
    /// let observation = ValueObservation.tracking { db in try countPlayers(db) }
    ///     .print("players")
    /// // players: start
    /// // players: fetch
    /// // players: tracked region: player(*)
    /// // players: value: 2
    /// ```
    ///
    /// - Parameters:
    ///   - prefix: printed at the beginning of each line.
    ///   - stream: where to print; nil for standard output.
    public func print(
        _ prefix: String = "", to stream: (any TextOutputStream & Sendable)? = nil
    ) -> ValueObservation<ValueReducers.Trace<Reducer>> {
        let stream = Guarded(stream)
        let start = prefix.isEmpty ? "" : "\(prefix): "
        @Sendable func line(_ text: String) {
            stream.withLock { stream in
                if stream == nil { Swift.print(start + text) } else { stream?.write(start + text + "\n") }
            }
        }
        return handleEvents(
            willStart: { line("start") }, willFetch: { line("fetch") }, willTrackRegion: { line("tracked region: \($0)") },
            databaseDidChange: { line("database did change") }, didReceiveValue: { line("value: \($0)") },
            didFail: { line("failure: \($0)") }, didCancel: { line("cancel") })
    }
}
