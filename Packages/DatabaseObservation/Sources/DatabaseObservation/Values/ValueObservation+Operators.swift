import SQLiteDriver

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

    /// Returns an observation that skips values which a closure takes for the same as the previous one.
    ///
    /// - Parameter predicate: returns whether two values in a row are the same.
    public func removeDuplicates(
        by predicate: @escaping @Sendable (Reducer.Value, Reducer.Value) -> Bool
    ) -> ValueObservation<ValueReducers.RemoveDuplicates<Reducer>> {
        reducing { ValueReducers.RemoveDuplicates(base: $0, predicate: predicate) }
    }

    /// Returns an observation that skips values which equal the previous one.
    ///
    /// ```swift
    /// let observation = ValueObservation
    ///     .tracking { db in try playerNames(db) }
    ///     .removeDuplicates()
    /// ```
    public func removeDuplicates() -> ValueObservation<ValueReducers.RemoveDuplicates<Reducer>> where Reducer.Value: Equatable {
        removeDuplicates(by: ==)
    }
}
