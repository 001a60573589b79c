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
            SELECT book.id, book.authorId, book.title, book.year, book.rating,
                author.name AS author FROM book JOIN author ON author.id = book.authorId
            WHERE (:author IS NULL OR author.name = :author) ORDER BY rating DESC LIMIT :limit
            """,
            arguments: ["author": author, "limit": limit])
    }

    static func library() -> SQLQuery<LibraryRow, [LibraryRow]> {
        SQLQuery<LibraryRow, [LibraryRow]>(
            """
            SELECT author.id, author.name,
                book.id, book.authorId, book.title, book.year, book.rating
            FROM author LEFT JOIN book ON book.authorId = author.id ORDER BY author.id, book.id
            """)
    }

    static func averages() -> SQLQuery<AveragesRow, [AveragesRow]> {
        SQLQuery<AveragesRow, [AveragesRow]>(
            """
            SELECT author.name, count(book.id) AS books, avg(rating) AS rating
            FROM author LEFT JOIN book ON book.authorId = author.id GROUP BY author.id
            """)
    }

    /// Books with some words in their titles, best first.
    static func search(words: String) -> SQLQuery<Book, [Book]> {
        SQLQuery<Book, [Book]>(
            """
            SELECT book.id, book.authorId, book.title, book.year, book.rating
            FROM book_ft JOIN book ON book.id = book_ft.rowid WHERE book_ft MATCH :words ORDER BY book_ft.rank
            """,
            arguments: ["words": words])
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
            id: row.decode(Int64.self, atIndex: 0), authorId: row.decode(Int64.self, atIndex: 1),
            title: row.decode(String.self, atIndex: 2), year: row.decode(Int64?.self, atIndex: 3),
            rating: row.decode(Int64?.self, atIndex: 4), author: row.decode(String.self, atIndex: 5))
    }
}

nonisolated extension Queries {
    /// A row of `library`.
    struct LibraryRow: Codable, Hashable, Sendable {
        var author: Author
        var book: Book?
    }
}

nonisolated extension Queries.LibraryRow: FetchableRecord {
    init(row: borrowing Row) throws {
        let author = try Author(id: row.decode(Int64?.self, atIndex: 0), name: row.decode(String.self, atIndex: 1))
        var book: Book?
        if try !row.decode(DatabaseValue.self, atIndex: 2).isNull {
            book = try Book(
                id: row.decode(Int64?.self, atIndex: 2), authorId: row.decode(Int64.self, atIndex: 3),
                title: row.decode(String.self, atIndex: 4), year: row.decode(Int64?.self, atIndex: 5),
                rating: row.decode(Int64?.self, atIndex: 6))
        }
        self.init(author: author, book: book)
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
