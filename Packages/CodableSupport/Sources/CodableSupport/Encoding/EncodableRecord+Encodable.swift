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
    /// Each coding key is a column. A nil property is written as NULL. A property whose type is not a database value, and does not
    /// encode itself as a single value, is written as JSON.
    ///
    /// Column names ignore ASCII case, so two coding keys such as `name` and `Name`, or two that a strategy converts to the same column,
    /// are an error.
    ///
    /// To write further columns, implement this method, and call ``EncodableRecordEncoder`` in it.
    ///
    /// The encoder and its containers are valid until the type's `encode(to:)` returns. Using one later is a fatal error.
    ///
    /// - Throws: `EncodingError`, or the error of a value that can't be stored.
    @inlinable
    public func encode(to container: inout PersistenceContainer) throws {
        try EncodableRecordEncoder.encode(self, to: &container)
    }
}
