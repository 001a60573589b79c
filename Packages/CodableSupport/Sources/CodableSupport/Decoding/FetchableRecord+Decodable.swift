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
    /// such column, it is decoded from the scope or the prefetched rows with its name. One property that is a record, or another type with
    /// keys, may be decoded from the columns of the row itself.
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
    /// A property that is a value is decoded from the only column of a scope, and an array of values from one column of prefetched rows. In
    /// these places, JSON is decoded from a column, too.
    ///
    /// ```swift
    /// struct BookEditions: Decodable, FetchableRecord {
    ///     var title: String
    ///     var author: String
    ///     var printings: [Date]
    /// }
    ///
    /// // SELECT "book".*, "author"."name" FROM "book"
    /// // JOIN "author" ON "author"."id" = "book"."authorId"
    /// // SELECT "day", "bookId" FROM "printing" WHERE "bookId" IN (1, 2)
    /// let editions = try Book
    ///     .including(required: Book.author.select(Column("name")))
    ///     .including(all: Book.printings.select(Column("day")))
    ///     .asRequest(of: BookEditions.self)
    ///     .fetchAll(db)
    /// ```
    ///
    /// NULL and a missing column are nil in an optional property: the outermost nil, if its type is an optional of an optional.
    ///
    /// The coding path of a decoder, and of an error, begins with the scopes and associations that lead to its row.
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
