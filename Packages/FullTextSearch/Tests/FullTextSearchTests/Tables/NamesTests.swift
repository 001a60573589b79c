import Foundation
import FullTextSearch
import Testing

@Suite struct NamesTests {
    private static let names = [
        "select", "it's", "a \"quoted\" name", "[x]", "`y`", "a.b", "Größe 😀", "rank", "rowid", "__ft", "x_content", "a%b", "-- ", "1", " ",
        "content",
        "new", "old", "main",
    ]

    @Test(arguments: names, [true, false])
    func `Tables, indexes and columns can have any names`(_ name: String, _ isFTS5: Bool) throws {
        // FTS5 reserves names of columns. A table of FTS4 can't have a column with its own name.
        let column = ["rank", "rowid"].contains(name) ? "\(name) " : name
        let index = "\(name)-index"
        try withDatabase { db throws in
            try db.execute(sql: "CREATE TABLE \(name.quotedDatabaseIdentifier) (\(column.quotedDatabaseIdentifier) TEXT UNIQUE, other)")
            let table = Table<Row>(name)
            if isFTS5 {
                try db.create(virtualTable: index, using: FTS5()) { t in
                    t.synchronize(withTable: name)
                    t.column(column)
                }
            } else {
                try db.create(virtualTable: index, using: FTS4()) { t in
                    t.synchronize(withTable: name)
                    t.column(column)
                }
            }
            let insert = "INTO \(name.quotedDatabaseIdentifier) VALUES"
            try db.execute(
                sql: "INSERT \(insert) ('swift', 1), ('sqlite', 2); REPLACE \(insert) ('swift', 3); INSERT OR IGNORE \(insert) ('swift', 4)"
            )
            if isFTS5 {
                #expect(try table.matching(FTS5Pattern(matchingAllTokensIn: "swift")).fetchCount(db) == 1)
                let alias = TableAlias()
                let request = table.joining(
                    required: table.fullTextIndex(index).aliased(alias).matching("swift").filter(Column(column).match("swift"))
                )
                .annotated(with: alias[Column(column).highlight(open: "[", close: "]")].forKey("mark"), alias[Column.rank].forKey("r"))
                #expect(try request.fetchAll(db).map { $0["mark"] as String? } == ["[swift]"])
                try FTS5Index(index).rebuild(db)
                try FTS5Index(index).checkIntegrity(db)
                try db.create(virtualTable: "\(name)-words", using: FTS5Vocabulary(of: index))
                #expect(try db.suggestions(for: "swft", inVocabulary: "\(name)-words").map(\.term) == ["swift"])
            } else {
                #expect(try table.matching(FTS3Pattern(matchingAllTokensIn: "swift")).fetchCount(db) == 1)
                try FTS4Index(index).rebuild(db)
                try FTS4Index(index).checkIntegrity(db)
            }
            try db.rename(table: name, to: "renamed \(name)")
            try db.alter(table: "renamed \(name)") { $0.rename(column: column, to: "renamed \(column)") }
            try db.execute(sql: "REPLACE INTO \("renamed \(name)".quotedDatabaseIdentifier) VALUES ('swift', 5), ('new', 6)")
            if isFTS5 { try FTS5Index(index).checkIntegrity(db) } else { try FTS4Index(index).checkIntegrity(db) }
            #expect(try db.matches(index, "swift").count == 1)
            try db.drop(table: index)
            try isFTS5 ? db.dropFTS5SynchronizationTriggers(forTable: index) : db.dropFTS4SynchronizationTriggers(forTable: index)
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master WHERE name GLOB '__*-index*'") == 0)
        }
    }

    private struct Note: TableRecord, FetchableRecord {
        static let databaseTableName = "other.note"
        let text: String
        init(row: Row) throws { text = try row.decode(forKey: "text") }
    }

    @Test
    func `Records of an attached database are searched through their index`() throws {
        try withDatabase { db throws in
            try db.execute(
                sql: "ATTACH ':memory:' AS other; CREATE TABLE other.note (id INTEGER PRIMARY KEY, text UNIQUE); CREATE TABLE note (text)")
            try db.create(virtualTable: "other.note_ft", using: FTS5()) { t in
                t.synchronize(withTable: "other.note")
                t.column("text")
            }
            try db.execute(
                sql: """
                    INSERT INTO note VALUES ('swift'); INSERT INTO other.note VALUES (1, 'swift'), (2, 'swiftly');
                    REPLACE INTO other.note VALUES (3, 'swift');
                    """)
            #expect(try Note.search("swift ").fetchAll(db).map(\.snippet.text) == ["swift"])
            #expect(try Note.search("swif").weighted(["text": 2]).fetchAll(db).count == 2)
            #expect(try Note.matching("swift").fetchCount(db) == 1)
            try FTS5Index("other.note_ft").rebuild(db)
            try FTS5Index("other.note_ft").checkIntegrity(db)
            try db.create(virtualTable: "other.note_ft4", using: FTS4()) { t in
                t.synchronize(withTable: "other.note")
                t.column("text")
            }
            try db.execute(sql: "REPLACE INTO other.note VALUES (4, 'swift')")
            try FTS4Index("other.note_ft4").checkIntegrity(db)
            try FTS5Index("other.note_ft").checkIntegrity(db)
        }
    }

    private struct Author: TableRecord, FetchableRecord {
        static let databaseTableName = "author"
        static let books = hasMany(Book.self)
        let name: String
        init(row: Row) throws { name = try row.decode(forKey: "name") }
    }

    private struct Book: TableRecord, FetchableRecord {
        static let databaseTableName = "book"
        static let author = belongsTo(Author.self)
        static let index = fullTextIndex("book_ft")
        let title: String
        init(row: Row) throws { title = try row.decode(forKey: "title") }
    }

    @Test
    func `Patterns filter through associations`() throws {
        try withDatabase { db throws in
            try db.execute(
                sql: """
                    CREATE TABLE author (id INTEGER PRIMARY KEY, name);
                    CREATE TABLE book (id INTEGER PRIMARY KEY, authorId REFERENCES author (id), title);
                    INSERT INTO author VALUES (1, 'Ada'), (2, 'Bob'), (3, 'Eve');
                    INSERT INTO book VALUES (1, 1, 'swift'), (2, 1, 'swift swift sql'), (3, 2, 'sql'), (4, 3, 'swift and other words');
                    """)
            try db.create(virtualTable: "book_ft", using: FTS5()) { t in
                t.synchronize(withTable: "book")
                t.column("title")
            }
            let swift = Book.all().matching("swift")
            #expect(try Author.having(Author.books.matching("swift").isEmpty).fetchAll(db).map(\.name) == ["Bob"])
            #expect(
                try Author.joining(required: Author.books.matching("swift")).distinct().order(Column("name")).fetchAll(db).map(\.name)
                    == ["Ada", "Eve"])
            #expect(
                try Author.annotated(with: Author.books.matching("swift").count.forKey("n")).order(Column("id")).asRequest(of: Row.self)
                    .fetchAll(db).map { $0["n"] as Int? } == [2, 0, 1])
            let alias = TableAlias()
            let titles =
                try swift.including(required: Book.author).joining(required: Book.index.aliased(alias).matching("swift"))
                .order(alias[Column.rank]).asRequest(of: Row.self).fetchAll(db).map { $0["title"] as String? }
            #expect(titles == ["swift", "swift swift sql", "swift and other words"])
            let prefetched = try Author.including(all: Author.books.matching("swift").forKey("hits")).order(Column("id"))
                .asRequest(of: Row.self).fetchAll(db)
            #expect(prefetched.map { $0.prefetchedRows["hits"]?.count } == [2, 0, 1])
        }
    }
}
