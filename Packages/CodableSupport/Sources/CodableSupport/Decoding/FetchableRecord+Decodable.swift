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
    /// Each coding key is a column. A property of a type that is no database value is read from a column that holds JSON, or
    /// without such a column from the scope of its name, from the prefetched rows of its name, or, for a record, from the columns
    /// of the row itself.
    ///
    /// ```swift
    /// struct BookInfo: Decodable, FetchableRecord {
    ///     var book: Book
    ///     var author: Author
    /// }
    ///
    /// // SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId"
    /// let infos = try Book.including(required: Book.author).asRequest(of: BookInfo.self).fetchAll(db)
    /// ```
    ///
    /// A record that has more to do than that calls ``FetchableRecordDecoder`` in an initializer of its own.
    ///
    /// The decoder and its containers serve `init(from:)`, until it returns: a program that keeps one, and uses it later, is stopped.
    ///
    /// - Throws: ``RowDecodingError`` or `DecodingError` when a column is missing or has no value of the property's type.
    @inlinable
    public init(row: borrowing Row) throws {
        self = try FetchableRecordDecoder.decode(Self.self, from: row)
    }
}
