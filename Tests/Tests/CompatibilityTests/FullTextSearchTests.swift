import Strata
import Testing

// Full-text search as GRDB's users write it.

private struct Book: Codable, FetchableRecord, PersistableRecord {
    var id: Int64?
    var title: String
    var body: String
}

private final class StopWordsTokenizer: FTS5WrapperTokenizer {
    static let name = "stopwords"
    let wrappedTokenizer: any FTS5Tokenizer

    init(db: Database, arguments: [String]) throws {
        wrappedTokenizer = try db.makeTokenizer(.unicode61())
    }

    func accept(token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization, tokenCallback: FTS5WrapperTokenCallback) throws {
        if token != "the" { try tokenCallback(token, flags) }
    }
}

@Suite struct FullTextSearchTests {
    @Test
    func `Full-text search compiles and works as in GRDB`() throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in db.add(tokenizer: StopWordsTokenizer.self) }
        let queue = try DatabaseQueue(configuration: configuration)
        try queue.write { db in
            try db.create(table: "book") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("title", .text)
                t.column("body", .text)
            }
            try db.create(virtualTable: "book_ft", using: FTS5()) { t in
                t.synchronize(withTable: "book")
                t.tokenizer = StopWordsTokenizer.tokenizerDescriptor()
                t.prefixes = [2, 4]
                t.column("title")
                t.column("body").notIndexed()
            }
            try db.create(virtualTable: "old", ifNotExists: true, using: FTS4()) { t in
                t.tokenizer = .unicode61(diacritics: .remove, tokenCharacters: ["-"])
                t.column("content")
            }
            try Book(title: "The Swift Book", body: "the end").insert(db)
            try db.execute(sql: "INSERT INTO old VALUES ('Moby-Dick')")
        }
        try queue.read { db in
            let pattern = try #require(FTS5Pattern(matchingAllTokensIn: "swift"))
            let books = try Book.fetchAll(
                db,
                sql: """
                    SELECT book.* FROM book JOIN book_ft ON book_ft.rowid = book.rowid AND book_ft MATCH ? ORDER BY rank
                    """, arguments: [pattern])
            #expect(books.map(\.title) == ["The Swift Book"])
            let raw = try db.makeFTS5Pattern(rawPattern: "title : swift", forTable: "book_ft")
            #expect(try Table("book_ft").filter(Column("title").match(raw)).order(Column.rank).fetchCount(db) == 1)
            #expect(try Table("old").matching(FTS3Pattern(matchingPhrase: "moby")).fetchCount(db) == 0)
            #expect(try Table("old").matching(FTS3Pattern(rawPattern: "moby-dick")).fetchCount(db) == 1)
            #expect(try FTS3.tokenize("SQLite Database", withTokenizer: .porter) == ["sqlite", "databas"])
        }
        try queue.write { db in
            try db.drop(table: "book_ft")
            try db.dropFTS5SynchronizationTriggers(forTable: "book_ft")
        }
    }
}
