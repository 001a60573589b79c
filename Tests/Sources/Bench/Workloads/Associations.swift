import CSQLite
import Strata

// 2,000 authors with 20,000 books.

let associationWorkloads = [
    joinBooks("join-records", "records that read columns by name") { db in
        let books = try Book.including(required: Book.author).asRequest(of: BookInfo.self).fetchAll(db)
        return checksum(books) { $0.book.checksum &+ 3 &* $0.author.checksum }
    },
    joinBooks("join-codable", "Codable records") { db in
        let books = try Book.including(required: Book.author).asRequest(of: BookInfo.AsCodable.self).fetchAll(db)
        return checksum(books) { $0.book.checksum &+ 3 &* $0.author.checksum }
    },
    prefetchBooks("prefetch-records", "records that read columns by name") { db in
        let authors = try Author.including(all: Author.books).asRequest(of: AuthorInfo.self).fetchAll(db)
        return checksum(authors) { author in author.author.checksum &* (1 &+ bench.checksum(author.books) { $0.checksum }) }
    },
    prefetchBooks("prefetch-codable", "Codable records") { db in
        let authors = try Author.including(all: Author.books).asRequest(of: AuthorInfo.AsCodable.self).fetchAll(db)
        return checksum(authors) { author in author.author.checksum &* (1 &+ bench.checksum(author.books) { $0.checksum }) }
    },
]

private let createTables = """
    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT, birthYear INTEGER);
    CREATE TABLE book (
        id INTEGER PRIMARY KEY, authorID INTEGER NOT NULL REFERENCES author(id), title TEXT NOT NULL, publisher TEXT,
        year INTEGER NOT NULL, price REAL NOT NULL);
    CREATE INDEX bookByAuthor ON book(authorID);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
        INSERT INTO author SELECT i, printf('Author number %d', i), iif(i % 5, printf('Country %d', i % 70), NULL), 1900 + i % 90 FROM n;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
        INSERT INTO book SELECT i, i * 7919 % 2000 + 1, printf('The book with the number %d', i),
            iif(i % 3, printf('Publisher %d', i % 40), NULL), 1950 + i % 70, (i % 400) / 4.0 FROM n;
    """

/// An author, which is read by column name.
struct Author: TableRecord, FetchableRecord {
    static let books = hasMany(Book.self, key: "books")

    var id: Int64
    var name: String
    var country: String?
    var birthYear: Int?

    var checksum: Int { Int(id) &+ name.utf8.count &+ (country?.utf8.count ?? -1) &+ (birthYear ?? -2) }
}

/// A book, which is read by column name.
struct Book: TableRecord, FetchableRecord {
    static let author = belongsTo(Author.self)

    var id: Int64
    var authorID: Int64
    var title: String
    var publisher: String?
    var year: Int
    var price: Double

    var checksum: Int {
        Int(id) &+ Int(authorID) &* 5 &+ title.utf8.count &+ (publisher?.utf8.count ?? -1) &+ year &+ Int(price * 4)
    }
}

struct BookInfo: FetchableRecord {
    var book: Book
    var author: Author

    init(row: Row) throws {
        book = try Book(row: row)
        author = row["author"]
    }

    struct AsCodable: Decodable, FetchableRecord {
        var book: Book.AsCodable
        var author: Author.AsCodable

        init(from decoder: any Decoder) throws {
            // The book's columns are those of the row itself.
            book = try Book.AsCodable(from: decoder)
            author = try decoder.container(keyedBy: CodingKeys.self).decode(Author.AsCodable.self, forKey: .author)
        }

        enum CodingKeys: CodingKey {
            case author
        }
    }
}

struct AuthorInfo: FetchableRecord {
    var author: Author
    var books: [Book]

    init(row: Row) throws {
        author = try Author(row: row)
        books = row["books"]
    }

    struct AsCodable: Decodable, FetchableRecord {
        var author: Author.AsCodable
        var books: [Book.AsCodable]

        init(from decoder: any Decoder) throws {
            // The author's columns are those of the row itself.
            author = try Author.AsCodable(from: decoder)
            books = try decoder.container(keyedBy: CodingKeys.self).decode([Book.AsCodable].self, forKey: .books)
        }

        enum CodingKeys: CodingKey {
            case books
        }
    }
}

// MARK: - By name, and by Codable

extension Author {
    init(row: Row) throws {
        id = row["id"]
        name = row["name"]
        country = row["country"]
        birthYear = row["birthYear"]
    }

    struct AsCodable: Decodable {
        var id: Int64
        var name: String
        var country: String?
        var birthYear: Int?

        var checksum: Int { Int(id) &+ name.utf8.count &+ (country?.utf8.count ?? -1) &+ (birthYear ?? -2) }
    }
}

extension Book {
    init(row: Row) throws {
        id = row["id"]
        authorID = row["authorID"]
        title = row["title"]
        publisher = row["publisher"]
        year = row["year"]
        price = row["price"]
    }

    struct AsCodable: Decodable {
        var id: Int64
        var authorID: Int64
        var title: String
        var publisher: String?
        var year: Int
        var price: Double

        var checksum: Int {
            Int(id) &+ Int(authorID) &* 5 &+ title.utf8.count &+ (publisher?.utf8.count ?? -1) &+ year &+ Int(price * 4)
        }
    }
}

// MARK: - By hand

extension Author {
    @inline(__always)
    fileprivate init(_ statement: OpaquePointer, from index: CInt = 0) {
        id = sqlite3_column_int64(statement, index)
        name = text(statement, index + 1)!
        country = text(statement, index + 2)
        birthYear = integer(statement, index + 3).map { Int($0) }
    }
}

extension Book {
    @inline(__always)
    fileprivate init(_ statement: OpaquePointer) {
        id = sqlite3_column_int64(statement, 0)
        authorID = sqlite3_column_int64(statement, 1)
        title = text(statement, 2)!
        publisher = text(statement, 3)
        year = Int(sqlite3_column_int64(statement, 4))
        price = sqlite3_column_double(statement, 5)
    }
}

extension BookInfo {
    @inline(__always)
    fileprivate init(_ statement: OpaquePointer) {
        book = Book(statement)
        author = Author(statement, from: 6)
    }
}

extension AuthorInfo {
    fileprivate init(_ author: Author) {
        self.author = author
        books = []
    }
}

private func joinBooks(
    _ name: String, _ summary: String, throughStrata: @escaping @Sendable (Database) throws -> Int
) -> Workload {
    Workload(name, "20,000 books joined to their authors, nested \(summary)", atMost: 2.00) {
        let connection = CConnection()
        let queue = try DatabaseQueue()
        connection.execute(createTables)
        try queue.write { try $0.execute(sql: createTables) }
        return Workload.Sides(
            byHand: {
                let statement = connection.prepare("SELECT book.*, author.* FROM book JOIN author ON author.id = book.authorID")
                defer { sqlite3_finalize(statement) }
                var books: [BookInfo] = []
                while sqlite3_step(statement) == SQLITE_ROW {
                    books.append(BookInfo(statement))
                }
                return checksum(books) { $0.book.checksum &+ 3 &* $0.author.checksum }
            },
            throughStrata: { try queue.read { try throughStrata($0) } })
    }
}

/// By hand, one query returns the authors, and another all of their books, which go to their authors by a dictionary.
private func prefetchBooks(
    _ name: String, _ summary: String, throughStrata: @escaping @Sendable (Database) throws -> Int
) -> Workload {
    Workload(name, "2,000 authors with their 20,000 books, \(summary)", atMost: 2.00) {
        let connection = CConnection()
        let queue = try DatabaseQueue()
        connection.execute(createTables)
        try queue.write { try $0.execute(sql: createTables) }
        return Workload.Sides(
            byHand: {
                let authorStatement = connection.prepare("SELECT * FROM author")
                let bookStatement = connection.prepare("SELECT * FROM book WHERE authorID IN (SELECT id FROM author)")
                defer {
                    sqlite3_finalize(authorStatement)
                    sqlite3_finalize(bookStatement)
                }
                var authors: [AuthorInfo] = []
                var places: [Int64: Int] = [:]
                while sqlite3_step(authorStatement) == SQLITE_ROW {
                    let author = Author(authorStatement)
                    places[author.id] = authors.count
                    authors.append(AuthorInfo(author))
                }
                while sqlite3_step(bookStatement) == SQLITE_ROW {
                    let book = Book(bookStatement)
                    guard let place = places[book.authorID] else { continue }
                    authors[place].books.append(book)
                }
                return checksum(authors) { author in author.author.checksum &* (1 &+ bench.checksum(author.books) { $0.checksum }) }
            },
            throughStrata: { try queue.read { try throughStrata($0) } })
    }
}
