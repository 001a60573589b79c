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
    /// A record that has more to do than that calls ``EncodableRecordEncoder`` in a method of its own.
    ///
    /// The encoder and its containers serve the type's `encode(to:)`, until it returns: a program that keeps one, and uses it later, is
    /// stopped.
    ///
    /// - Throws: `EncodingError`, or the error of a value that can't be stored.
    @inlinable
    public func encode(to container: inout PersistenceContainer) throws {
        try EncodableRecordEncoder.encode(self, to: &container)
    }
}
