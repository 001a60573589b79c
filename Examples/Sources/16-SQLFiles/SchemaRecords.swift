// Records for the tables and views of schema.sql.
//
// Written by `strata swift`. Don't edit: the next run replaces this file.

import Strata

/// The table `author`.
nonisolated struct Author: Codable, Hashable, Identifiable, Sendable {
    var id: Int64?
    var name: String

    /// The columns, for requests.
    enum Columns {
        static let id = TypedColumn<Int64>(CodingKeys.id, of: Author.self)
        static let name = TypedColumn<String>(CodingKeys.name, of: Author.self)
    }
}

nonisolated extension Author: FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "author"

    init(row: borrowing Row) throws {
        try self.init(id: row.decode(Int64?.self, forColumn: "id"), name: row.decode(String.self, forColumn: "name"))
    }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
    }

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

// MARK: Associations

nonisolated extension Author {
    /// The rows of `book` whose `authorId` refer to this row.
    static let book = hasMany(Book.self, key: "book", using: ForeignKey(["authorId"], to: ["id"]))
}

/// The table `book`.
nonisolated struct Book: Codable, Hashable, Identifiable, Sendable {
    var id: Int64?
    var authorId: Int64
    var title: String
    var year: Int64?
    var rating: Int64?

    /// The columns, for requests.
    enum Columns {
        static let id = TypedColumn<Int64>(CodingKeys.id, of: Book.self)
        static let authorId = TypedColumn<Int64>(CodingKeys.authorId, of: Book.self)
        static let title = TypedColumn<String>(CodingKeys.title, of: Book.self)
        static let year = TypedColumn<Int64>(CodingKeys.year, of: Book.self)
        static let rating = TypedColumn<Int64>(CodingKeys.rating, of: Book.self)
    }
}

nonisolated extension Book: FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "book"

    init(row: borrowing Row) throws {
        try self.init(
            id: row.decode(Int64?.self, forColumn: "id"), authorId: row.decode(Int64.self, forColumn: "authorId"),
            title: row.decode(String.self, forColumn: "title"), year: row.decode(Int64?.self, forColumn: "year"),
            rating: row.decode(Int64?.self, forColumn: "rating"))
    }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["authorId"] = authorId
        container["title"] = title
        container["year"] = year
        container["rating"] = rating
    }

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

// MARK: Associations

nonisolated extension Book {
    /// The row of `author` that `authorId` refers to.
    static let author = belongsTo(Author.self, key: "author", using: ForeignKey(["authorId"], to: ["id"]))
}

// The full-text index `book_ft` has no record, unless schema.records has a line such as: table book_ft BookFt
