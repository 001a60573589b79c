// Queries of Queries.sql.
//
// Written by `strata queries`. Don't edit: the next run replaces this file.

import Strata

nonisolated extension Queries {
    static func addAuthor(name: String) -> SQLCommand<Author> {
        SQLCommand(
            returning: SQLQuery<Author, Author>(
                """
                INSERT INTO author (name) VALUES (:name)
                ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING *
                """,
                arguments: ["name": name]))
    }

    static func addBook(authorId: Int64, title: String, year: Int64?) -> SQLCommand<Int> {
        SQLCommand<Int>(
            """
            INSERT INTO book (authorId, title, year) VALUES (:authorId, :title, :year)
            """,
            arguments: ["authorId": authorId, "title": title, "year": year])
    }

    static func rate(rating: Int64?, ids: [Int64]) -> SQLCommand<Int> {
        SQLCommand<Int>(
            """
            UPDATE book SET rating = :rating WHERE id IN \(ids)
            """,
            arguments: ["rating": rating], isCached: false)
    }

    /// Books with their authors, best first; all, or those of one author.
    static func shelf(author: String? = nil, limit: Int64) -> SQLQuery<ShelfRow, [ShelfRow]> {
        SQLQuery<ShelfRow, [ShelfRow]>(
            """
            SELECT book.*, author.name AS author FROM book JOIN author ON author.id = book.authorId
            WHERE (:author IS NULL OR author.name = :author) ORDER BY rating DESC LIMIT :limit
            """,
            arguments: ["author": author, "limit": limit])
    }

    static func averages() -> SQLQuery<AveragesRow, [AveragesRow]> {
        SQLQuery<AveragesRow, [AveragesRow]>(
            """
            SELECT author.name, count(book.id) AS books, avg(rating) AS rating
            FROM author LEFT JOIN book ON book.authorId = author.id GROUP BY author.id
            """)
    }
}

nonisolated extension Queries {
    /// A row of `shelf`.
    struct ShelfRow: Codable, Hashable, Sendable {
        var id: Int64
        var authorId: Int64
        var title: String
        var year: Int64?
        var rating: Int64?
        var author: String
    }
}

nonisolated extension Queries.ShelfRow: FetchableRecord {
    init(row: borrowing Row) throws {
        try self.init(
            id: row.decode(Int64.self, forColumn: "id"), authorId: row.decode(Int64.self, forColumn: "authorId"),
            title: row.decode(String.self, forColumn: "title"), year: row.decode(Int64?.self, forColumn: "year"),
            rating: row.decode(Int64?.self, forColumn: "rating"), author: row.decode(String.self, forColumn: "author"))
    }
}

nonisolated extension Queries {
    /// A row of `averages`.
    struct AveragesRow: Codable, Hashable, Sendable {
        var name: String
        var books: Int64
        var rating: Double?
    }
}

nonisolated extension Queries.AveragesRow: FetchableRecord {
    init(row: borrowing Row) throws {
        try self.init(
            name: row.decode(String.self, atIndex: 0), books: row.decode(Int64.self, atIndex: 1),
            rating: row.decode(Double?.self, atIndex: 2))
    }
}
