import Persistence

extension FetchableRecord where Self: Decodable {
    /// Creates a record from a row, by its `Decodable` conformance.
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
    /// Each coding key is a column. A property whose type is not a database value is decoded from a JSON column. If there is no
    /// such column, it is decoded from the scope or the prefetched rows with its name, or, for a record, from the columns of the
    /// row itself.
    ///
    /// ```swift
    /// struct BookInfo: Decodable, FetchableRecord {
    ///     var book: Book
    ///     var author: Author
    /// }
    ///
    /// // SELECT "book".*, "author".* FROM "book"
    /// // JOIN "author" ON "author"."id" = "book"."authorId"
    /// let infos = try Book.including(required: Book.author).asRequest(of: BookInfo.self)
    ///     .fetchAll(db)
    /// ```
    ///
    /// To do more, implement this initializer, and call ``FetchableRecordDecoder`` in it.
    ///
    /// The decoder and its containers are valid until `init(from:)` returns. Using one later is a fatal error.
    ///
    /// - Throws: ``RowDecodingError`` or `DecodingError` when a column is missing or can't be converted to the property's type.
    @inlinable
    public init(row: borrowing Row) throws {
        self = try FetchableRecordDecoder.decode(Self.self, from: row)
    }
}
