import Persistence

extension FetchableRecord where Self: Decodable {
    /// Makes a record from a row, by its `Decodable` conformance.
    ///
    /// ```swift
    /// struct Player: Decodable, FetchableRecord {
    ///     var id: Int64
    ///     var name: String
    ///     var score: Int?
    /// }
    ///
    /// let players = try Player.fetchAll(db, sql: "SELECT * FROM player")
    /// ```
    ///
    /// Each coding key is a column. A property of a type that is no database value is read from the scope of its name, or from
    /// a column that holds JSON.
    ///
    /// - Throws: ``RowDecodingError`` or `DecodingError` when a column is missing or has no value of the property's type.
    @inlinable
    public init(row: Row) throws {
        let state = RowDecodingState.state(for: Self.self, of: row)
        // The copied rows of a fetch share the state. An initializer that makes records of its own type from others of them comes
        // back to its own row.
        let outerRow = state.pointer.pointee.row
        state.pointer.pointee.row = Unmanaged.passUnretained(row)
        defer {
            state.pointer.pointee.row = outerRow
            extendLifetime(state)
        }
        self = try Self(from: RowDecoder(state: state.pointer))
    }
}
