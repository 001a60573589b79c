import QueryInterface
import Testing

/// Names that need quotes.
private let oddNames = [
    "two words", #"say "hi""#, #""""#, "order", "SELECT", "1st", "semi;colon", "dash-ed", "it's", "[bracket]", "`tick`", "naïve",
    "🏆", "表", "a.b", " ", "new\nline", "-- comment", "?1", ":name",
]

@Suite struct IdentifierTests {
    @Test(arguments: oddNames)
    func `Names of columns are quoted`(name: String) throws {
        struct Thing: TableRecord {}
        let quoted = "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
        try withDatabase("CREATE TABLE thing (id INTEGER PRIMARY KEY, \(quoted)); INSERT INTO thing VALUES (1, 10), (2, 20)") { db throws in
            let request = Thing.filter(Column(name) > 5).order(Column(name).desc)
            let sql = #"SELECT * FROM "thing" WHERE \#(quoted) > 5 ORDER BY \#(quoted) DESC"#
            #expect(try request.sql(db) == sql)
            let values = try Row.fetchAll(db, request).map { try $0.decode(Int.self, forColumn: Column(name)) }
            #expect(values == [20, 10])
        }
    }

    @Test
    func `Names of tables are quoted`() throws {
        struct Order: TableRecord, FetchableRecord {
            let id: String
            init(row: Row) throws { id = row[0] }
        }
        struct Odd: TableRecord {
            static let databaseTableName = #"an "odd" 🏆 table"#
        }
        try withDatabase(
            #"""
            CREATE TABLE "order" ("group" TEXT PRIMARY KEY);
            INSERT INTO "order" VALUES ('first');
            CREATE TABLE "an ""odd"" 🏆 table" (id INTEGER PRIMARY KEY);
            """#
        ) { db throws in
            #expect(try Order.all().sql(db) == #"SELECT * FROM "order""#)
            #expect(try Order.fetchOne(db, key: "first")?.id == "first")
            #expect(try Order.fetchAll(db, keys: ["first", "second"]).map(\.id) == ["first"])
            #expect(try Odd.all().sql(db) == #"SELECT * FROM "an ""odd"" 🏆 table""#)
            #expect(try Odd.fetchCount(db) == 0)
        }
    }

    @Test
    func `A table of an attached database is found by its name alone`() throws {
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction { db throws in
            try db.execute(sql: "ATTACH ':memory:' AS other; CREATE TABLE other.player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER)")
            try db.execute(sql: "INSERT INTO other.player VALUES (1, 'Arthur', 1000)")
            #expect(try Player.fetchAll(db).map(\.name) == ["Arthur"])
            #expect(try Player.fetchOne(db, key: 1)?.name == "Arthur")
            #expect(try Player.filter(Column("score") > 1).fetchCount(db) == 1)
        }
    }
}
