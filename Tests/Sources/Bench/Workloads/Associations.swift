import Strata

// 2,000 authors with 20,000 books.

let associationWorkloads = [
    joinBooks("join-records", "records that read columns by name", atMost: 1.40) { db in
        try Book.including(required: Book.author).asRequest(of: BookInfo.self).fetchAll(db)
    } checksum: {
        $0.checksum
    },
    joinBooks("join-codable", "Codable records", atMost: 2.30) { db in
        try Book.including(required: Book.author).asRequest(of: BookInfo.AsCodable.self).fetchAll(db)
    } checksum: {
        $0.checksum
    },
    prefetchBooks("prefetch-records", "records that read columns by name", atMost: 1.90) { db in
        try Author.including(all: Author.books).asRequest(of: AuthorInfo.self).fetchAll(db)
    } checksum: {
        $0.checksum
    },
    prefetchBooks("prefetch-codable", "Codable records", atMost: 2.30) { db in
        try Author.including(all: Author.books).asRequest(of: AuthorInfo.AsCodable.self).fetchAll(db)
    } checksum: {
        $0.checksum
    },
]

private func joinBooks<Element>(
    _ name: String, _ summary: String, atMost limit: Double, fetch: @escaping @Sendable (Database) throws -> [Element],
    checksum: @escaping @Sendable (Element) -> Int
) -> Workload {
    fetchLibrary(name, "20,000 books joined to their authors, nested \(summary)", limit, fetch, checksum)
}

private func prefetchBooks<Element>(
    _ name: String, _ summary: String, atMost limit: Double, fetch: @escaping @Sendable (Database) throws -> [Element],
    checksum: @escaping @Sendable (Element) -> Int
) -> Workload {
    fetchLibrary(name, "2,000 authors with their 20,000 books, \(summary)", limit, fetch, checksum)
}

private func fetchLibrary<Element>(
    _ name: String, _ summary: String, _ limit: Double, _ fetch: @escaping @Sendable (Database) throws -> [Element],
    _ number: @escaping @Sendable (Element) -> Int
) -> Workload {
    Workload(name, summary, atMost: limit) {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: Book.createTables) }
        return Rounds {
            [Element]()
        } work: {
            $0 = try queue.read(fetch)
        } check: {
            checksum($0, number)
        }
    }
}

// MARK: - By name

extension Author: TableRecord, FetchableRecord {
    static let books = hasMany(Book.self, key: "books")

    init(row: Row) throws {
        self.init(id: row["id"], name: row["name"], country: row["country"], birthYear: row["birthYear"])
    }
}

extension Book: TableRecord, FetchableRecord {
    static let author = belongsTo(Author.self)

    init(row: Row) throws {
        self.init(
            id: row["id"], authorID: row["authorID"], title: row["title"], publisher: row["publisher"], year: row["year"],
            price: row["price"])
    }
}

extension BookInfo: FetchableRecord {
    init(row: Row) throws {
        self.init(book: try Book(row: row), author: row["author"])
    }
}

extension AuthorInfo: FetchableRecord {
    init(row: Row) throws {
        self.init(author: try Author(row: row), books: row["books"])
    }
}

// MARK: - By Codable

extension Author {
    struct AsCodable: Decodable {
        var id: Int64
        var name: String
        var country: String?
        var birthYear: Int?

        var checksum: Int { Author(id: id, name: name, country: country, birthYear: birthYear).checksum }
    }
}

extension Book {
    struct AsCodable: Decodable {
        var id: Int64
        var authorID: Int64
        var title: String
        var publisher: String?
        var year: Int
        var price: Double

        var checksum: Int {
            Book(id: id, authorID: authorID, title: title, publisher: publisher, year: year, price: price).checksum
        }
    }
}

extension BookInfo {
    struct AsCodable: Decodable, FetchableRecord {
        var book: Book.AsCodable
        var author: Author.AsCodable

        var checksum: Int { book.checksum &+ 3 &* author.checksum }

        init(from decoder: any Decoder) throws {
            // The book's columns are columns of the row itself.
            book = try Book.AsCodable(from: decoder)
            author = try decoder.container(keyedBy: CodingKeys.self).decode(Author.AsCodable.self, forKey: .author)
        }

        enum CodingKeys: CodingKey {
            case author
        }
    }
}

extension AuthorInfo {
    struct AsCodable: Decodable, FetchableRecord {
        var author: Author.AsCodable
        var books: [Book.AsCodable]

        var checksum: Int { author.checksum &* (1 &+ books.reduce(0) { $0 &+ $1.checksum }) }

        init(from decoder: any Decoder) throws {
            // The author's columns are columns of the row itself.
            author = try Author.AsCodable(from: decoder)
            books = try decoder.container(keyedBy: CodingKeys.self).decode([Book.AsCodable].self, forKey: .books)
        }

        enum CodingKeys: CodingKey {
            case books
        }
    }
}
