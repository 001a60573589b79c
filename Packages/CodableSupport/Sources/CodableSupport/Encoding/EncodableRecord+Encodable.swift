import Persistence

extension EncodableRecord where Self: Encodable {
    /// Sets the columns that the record writes, by its `Encodable` conformance.
    ///
    /// ```swift
    /// struct Player: Encodable, MutablePersistableRecord {
    ///     var id: Int64?
    ///     var name: String
    ///     var score: Int
    /// }
    ///
    /// try player.insert(db)
    /// ```
    ///
    /// Each coding key is a column. A property that is nil is NULL. A property of a type that is no database value is written as
    /// JSON.
    ///
    /// - Throws: `EncodingError`, or the error of a value that can't be stored.
    @inlinable
    public func encode(to container: inout PersistenceContainer) throws {
        let state = RecordEncodingState.state(for: Self.self, in: container)
        // A record that encodes another one of its type, on the way, would use the same state.
        let outer = state.pointer.pointee.container
        try withUnsafeMutablePointer(to: &container) { container in
            state.pointer.pointee.container = container
            defer { state.pointer.pointee.container = outer }
            try encode(to: RecordEncoder(state: state.pointer))
        }
        extendLifetime(state)
    }
}
