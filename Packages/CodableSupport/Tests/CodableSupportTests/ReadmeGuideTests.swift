import CodableSupport
import Foundation
import Testing

// The samples of the README after the first one, in their order.

private struct Author: Codable, FetchableRecord, PersistableRecord, Equatable {
    var id: Int64
    var name: String

    static let books = hasMany(Book.self, using: ForeignKey(["authorId"]))
}

private struct Book: Codable, FetchableRecord, PersistableRecord, Hashable {
    var id: Int64
    var authorId: Int64
    var editorId: Int64?
    var title: String

    static let author = belongsTo(Author.self, using: ForeignKey(["authorId"]))
    static let editor = belongsTo(Author.self, key: "editor", using: ForeignKey(["editorId"]))
}

struct Options: Codable, FetchableRecord, PersistableRecord {
    var theme: String
    var tags: [String]

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        theme = try container.decodeIfPresent(String.self, forKey: .theme) ?? "light"
        tags = try container.decodeIfPresent([String].self, forKey: .tags) ?? []
    }
}

@Suite struct ReadmeGuideTests {
    @Test("What becomes of a property: defaults")
    func defaults() throws {
        let options = try decode(Options.self, "SELECT NULL AS theme")
        #expect(options.theme == "light" && options.tags == [])
        #expect(try decode(Options.self, "SELECT 'dark' AS theme, '[\"a\"]' AS tags").tags == ["a"])
        #expect(try options.databaseDictionary == ["theme": "light".databaseValue, "tags": "[]".databaseValue])
    }

    private func withLibrary(_ body: (Database) throws -> Void) throws {
        try withDatabase(
            """
            CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
            CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER NOT NULL REFERENCES author,
                editorId INTEGER REFERENCES author, title TEXT NOT NULL);
            INSERT INTO author VALUES (1, 'Verne'), (2, 'Hetzel');
            INSERT INTO book VALUES (1, 1, 2, 'The Steam House'), (2, 1, NULL, 'The Green Ray');
            """, body)
    }

    /// The queries that are run while a database is being asked.
    private func trace(_ db: Database, _ body: () throws -> Void) rethrows -> [String] {
        nonisolated(unsafe) var statements: [String] = []
        db.trace { statements.append($0.expandedDescription) }
        try body()
        db.trace(options: [])
        return statements.filter { $0.hasPrefix("SELECT") && !$0.contains("sqlite_") }
    }

    @Test("Records made of records: associations to one")
    func toOne() throws {
        struct BookInfo: Decodable, FetchableRecord {
            var book: Book  // the row's own columns
            var author: Author  // the scope "author"
            var editor: Author?  // nil where there is no editor
        }
        try withLibrary { db throws in
            func fetch() throws -> [BookInfo] {
                // SELECT "book".*, "author1".*, "author2".* FROM "book" JOIN "author" AS "author1" ON "author1"."id" = "book"."authorId"
                // LEFT JOIN "author" AS "author2" ON "author2"."id" = "book"."editorId"
                let request = Book.including(required: Book.author).including(optional: Book.editor)
                let infos = try request.asRequest(of: BookInfo.self).fetchAll(db)
                return infos
            }
            let infos = try fetch()
            #expect(infos.map(\.book.title) == ["The Steam House", "The Green Ray"])
            #expect(infos.map(\.author.name) == ["Verne", "Verne"])
            #expect(infos.map(\.editor?.name) == ["Hetzel", nil])
            let statements = try trace(db) { _ = try fetch() }
            #expect(
                statements == [
                    #"SELECT "book".*, "author1".*, "author2".* FROM "book" JOIN "author" AS "author1" ON "author1"."id" = "book"."authorId" "#
                        + #"LEFT JOIN "author" AS "author2" ON "author2"."id" = "book"."editorId""#
                ])
        }
    }

    @Test("Records made of records: associations to many")
    func toMany() throws {
        struct AuthorInfo: Decodable, FetchableRecord {
            var author: Author
            var books: [Book]  // or a Set<Book>
        }
        try withLibrary { db throws in
            func fetch() throws -> [AuthorInfo] {
                // SELECT * FROM "author"
                // SELECT * FROM "book" WHERE "authorId" IN (1, 2)
                let authors = try Author.including(all: Author.books).asRequest(of: AuthorInfo.self).fetchAll(db)
                return authors
            }
            let authors = try fetch()
            #expect(authors.map(\.author.name) == ["Verne", "Hetzel"])
            #expect(authors.map(\.books.count) == [2, 0])
            let statements = try trace(db) { _ = try fetch() }
            #expect(statements == [#"SELECT * FROM "author""#, #"SELECT * FROM "book" WHERE "authorId" IN (1, 2)"#])
        }
    }

    @Test("Values")
    func values() throws {
        struct Settings: Codable, DatabaseValueConvertible, Equatable {
            var theme: String
            var fontSize: Double
        }

        try withDatabase("CREATE TABLE user (settings TEXT)") { db throws in
            try db.execute(sql: "INSERT INTO user (settings) VALUES (?)", arguments: [Settings(theme: "dark", fontSize: 12)])
            let settings = try Settings.fetchOne(db, sql: "SELECT settings FROM user")  // '{"fontSize":12,"theme":"dark"}'
            #expect(settings == Settings(theme: "dark", fontSize: 12))
            #expect(try db.rows("SELECT settings FROM user") == [#"'{"fontSize":12,"theme":"dark"}'"#])
        }
    }

    @Test("Strategies")
    func strategies() throws {
        struct Launch: Codable, FetchableRecord, PersistableRecord {
            var id: UUID
            var rocketName: String
            var startDate: Date

            static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase
            static let databaseColumnEncodingStrategy = DatabaseColumnEncodingStrategy.convertToSnakeCase

            static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy { .timeIntervalSince1970 }
            static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { .secondsSince1970 }
            static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy { .lowercaseString }
        }

        let uuid = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!
        let launch = Launch(id: uuid, rocketName: "Saturn V", startDate: Date(timeIntervalSince1970: -14_552_880))
        try withDatabase("CREATE TABLE launch (id TEXT PRIMARY KEY, rocket_name TEXT, start_date INTEGER)") { db throws in
            // INSERT INTO "launch" ("id", "rocket_name", "start_date") VALUES ('e621e1f8-…', 'Saturn V', -14552880)
            try launch.insert(db)
            #expect(try db.rows("SELECT * FROM launch") == ["'e621e1f8-c36c-495a-93fc-0c247a3e6e5f' 'Saturn V' -14552880"])
            let fetched = try Launch.fetchOne(db)
            let epoch = Date(timeIntervalSince1970: 0)
            // SELECT * FROM "launch" WHERE "id" = 'e621e1f8-…'
            let found = try Launch.fetchOne(db, key: uuid)

            // UPDATE "launch" SET "start_date" = 0 WHERE "start_date" < 0
            try Launch.filter(Column("start_date") < epoch).updateAll(db, Column("start_date").set(to: epoch))
            #expect(found?.id == uuid)
            #expect(try Int.fetchOne(db, sql: "SELECT start_date FROM launch") == 0)
            try launch.update(db)
            #expect(try DatabaseDateEncodingStrategy.secondsSince1970.databaseValue(for: epoch) == 0.databaseValue)
            #expect(fetched?.id == uuid && fetched?.rocketName == "Saturn V" && fetched?.startDate == launch.startDate)
            struct Acronym: Codable, FetchableRecord, PersistableRecord {
                var myURL: Int?
                static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase
                static let databaseColumnEncodingStrategy = DatabaseColumnEncodingStrategy.convertToSnakeCase
            }
            #expect(try Acronym(myURL: 1).databaseDictionary == ["my_url": 1.databaseValue])
            #expect(try Acronym.fetchOne(db, sql: "SELECT 1 AS my_url")?.myURL == nil)
        }
    }

    @Test("More than the defaults do")
    func more() throws {
        struct Word: Codable, FetchableRecord, PersistableRecord {
            var text: String

            init(row: Row) throws {
                self = try FetchableRecordDecoder().decode(Word.self, from: row)
                text = text.precomposedStringWithCanonicalMapping
            }

            func encode(to container: inout PersistenceContainer) throws {
                try EncodableRecordEncoder().encode(self, to: &container)
                container["sortKey"] = text.lowercased()
            }
        }

        let word = try decode(Word.self, "SELECT 'E\u{301}tude' AS text")
        #expect(word.text.unicodeScalars.elementsEqual("\u{C9}tude".unicodeScalars))
        #expect(try word.databaseDictionary == ["text": "\u{C9}tude".databaseValue, "sortKey": "\u{E9}tude".databaseValue])
    }

    @Test("Errors")
    func errors() throws {
        struct Player: Codable, FetchableRecord {
            var id: Int64
            var name: String
            var score: Int?
        }
        var printed: [String] = []
        func print(_ error: RowDecodingError) { printed.append("\(error)") }
        try withDatabase("CREATE TABLE player (id, name, score); INSERT INTO player VALUES (1, NULL, 2)") { db throws in
            do {
                _ = try Player.fetchAll(db, sql: "SELECT * FROM player")
            } catch let error as RowDecodingError {
                // could not decode String from column 1 "name": its value is NULL - row: [id:1 name:NULL …] - SQL: `SELECT * FROM player`
                print(error)
            }
        }
        let text = #"could not decode String from column 1 "name": its value is NULL - row: [id:1 name:NULL score:2]"#
        #expect(printed == [text + " - SQL: `SELECT * FROM player`"])
    }
}
