import Foundation
import Strata
import Testing

/// Tables and columns whose names are quotes, keywords, emoji, control characters and the like: whatever SQLite takes works everywhere.
@Suite("Odd names") struct OddNameTests {
    static let names: [String] = [
        "\"", "\"\"", "'", "''", "`", "[", "]", "[a]", "a\"b", "a'b", "a`b", "a]b", "\"a\"", "select", "SELECT", "table", "from", "order",
        "group by", "rowid", "oid", "_rowid_", "id", "null", "true", "current_date", "values", "returning", "a b", " ", "  a", "a ", "\t",
        "\n", "a\nb", "\r\n", ";", "a;b", "--", "a--b", "/*", "*/", "*", "?", "?1", ":a", "@a", "$a", "#", "%", "%s", "\\", "\\0", "/", ".",
        "a.b", ".a", "a.", "temp", "main", "(", ")", "()", ",", "=", "1", "1a", "0x10", "-1", "1.5", "é", "e\u{301}", "日本語", "👩‍🚀", "🇫🇷", "ß",
        "İ", "ı", "\u{202E}abc", "\u{FEFF}a", "\u{1}", "\u{7F}", "\u{85}", "\u{2028}", "\u{10FFFF}", "a\u{300}\u{301}\u{302}",
        String(repeating: "x", count: 1000), String(repeating: "\"", count: 300), "count", "match", "rank", "value", "key",
        "json",
    ]

    struct Record: FetchableRecord, PersistableRecord, TableRecord {
        @TaskLocal static var names = (table: "t", column: "c")
        static var databaseTableName: String { names.table }

        var id: Int64
        var value: String

        init(id: Int64, value: String) {
            self.id = id
            self.value = value
        }

        init(row: Row) throws {
            id = try row.decode(forKey: "key of the record")
            value = try row.decode(forKey: Self.names.column)
        }

        func encode(to container: inout PersistenceContainer) {
            container["key of the record"] = id
            container[Self.names.column] = value
        }
    }

    @Test(arguments: names)
    func `A table and a column may have any name`(_ name: String) throws {
        let queue = try DatabaseQueue()
        try Record.$names.withValue((table: name, column: name)) {
            try queue.write { (db) throws in
                try db.create(table: name) { t in
                    t.primaryKey("key of the record", .integer)
                    t.column(name, .text).notNull().indexed()
                }
                #expect(try db.tableExists(name))
                #expect(try db.columns(in: name).map(\.name) == ["key of the record", name])
                #expect(try db.primaryKey(name).columns == ["key of the record"])
                #expect(try db.indexes(on: name).map(\.columns) == [[name]])

                try Record(id: 1, value: "one").insert(db)
                try Record(id: 2, value: "two").save(db)
                try Record(id: 1, value: "three").update(db)
                try Record(id: 2, value: "four").upsert(db)
                let column = Column(name)
                #expect(try Record.order(column).fetchAll(db).map(\.value) == ["four", "three"])
                #expect(try Record.filter(column == "three").fetchOne(db)?.id == 1)
                #expect(try Record.fetchOne(db, key: 2)?.value == "four")
                #expect(try Record.select(column, as: String.self).fetchSet(db) == ["three", "four"])
                #expect(try Record.filter(column > "a").updateAll(db, column.set(to: "five")) == 2)
                let literal: SQL = "SELECT \(column) FROM \(Record.self) WHERE \(column) = \("five")"
                #expect(try SQLRequest<String>(literal: literal).fetchAll(db) == ["five", "five"])
                #expect(try Table(name).fetchCount(db) == 2)
            }
            try schema(name, queue)
        }
    }

    private func schema(_ name: String, _ queue: DatabaseQueue) throws {
        try queue.writeWithoutTransaction { (db) throws in
            try db.alter(table: name) { $0.add(column: "\(name) 2", .integer).defaults(to: 7) }
            // Since 3.54, SQLite doesn't rename a column that hides a name of the row ID.
            if SQLiteLibrary.current.versionNumber >= 3_054_000, ["rowid", "oid", "_rowid_"].contains(name) {
                let error = #expect(throws: DatabaseError.self) {
                    try db.alter(table: name) { $0.rename(column: name, to: "\(name)3") }
                }
                #expect(error?.message == "cannot rename from rowid alias: \(name)")
                let indexes = try db.indexes(on: name)
                try db.rebuild(table: name) { t in
                    for index in indexes { t.drop(index: index.name) }
                    t.primaryKey("key of the record", .integer)
                    t.column("\(name)3", .text)
                    t.fill("\(name)3", with: Column(name))
                    t.drop(column: name)
                    t.column("\(name) 2", .integer)
                }
            } else {
                try db.alter(table: name) { $0.rename(column: name, to: "\(name)3") }
            }
            #expect(try db.columns(in: name).map(\.name) == ["key of the record", "\(name)3", "\(name) 2"])
            #expect(try String.fetchAll(db, Table(name).select(Column("\(name)3"))) == ["five", "five"])
            try db.rename(table: name, to: "\(name)4")
            try db.rebuild(table: "\(name)4") { t in
                t.primaryKey("key of the record", .integer)
                t.drop(column: "\(name) 2")
                t.column("\(name)3", .text)
                t.column(name, .text).check(sql: "1")
            }
            #expect(try db.columns(in: "\(name)4").map(\.name) == ["key of the record", "\(name)3", name])
            try db.create(table: "child of \(name)") { t in
                t.column(name, .integer).references("\(name)4", onDelete: .cascade)
            }
            #expect(try db.foreignKeys(on: "child of \(name)").map(\.destinationTable) == ["\(name)4"])
            try db.checkForeignKeys()
            try db.create(view: "view of \(name)", asLiteral: "SELECT * FROM \(sql: "\(name)4".quotedDatabaseIdentifier)")
            #expect(try Table("view of \(name)").fetchCount(db) == 2)
            try db.drop(view: "view of \(name)")
            try db.drop(table: "child of \(name)")
            try db.drop(table: "\(name)4")
            #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"])
        }
    }

    @Test(arguments: names)
    func `A database may be attached, a savepoint made, and a function and a collation have any name`(_ name: String) throws {
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction { (db) throws in
            let quoted = name.quotedDatabaseIdentifier
            if !["main", "temp"].contains(name) {
                try db.execute(sql: "ATTACH ':memory:' AS \(quoted); CREATE TABLE \(quoted).t (a); INSERT INTO \(quoted).t VALUES (1)")
                #expect(try db.tableExists("t", in: name))
                #expect(try db.columns(in: "t", in: name).map(\.name) == ["a"])
                try db.execute(sql: "DETACH \(quoted)")
            }
            try db.inTransaction {
                try db.execute(sql: "SAVEPOINT \(quoted); CREATE TABLE t (a); ROLLBACK TO \(quoted); RELEASE \(quoted)")
                return .commit
            }
            #expect(try !db.tableExists("t"))
            // SQLite takes names of functions and collations of up to 255 bytes.
            if name.utf8.count > 255 { return }
            db.add(collation: DatabaseCollation(name) { $0 < $1 ? .descending : $0 > $1 ? .ascending : .same })
            #expect(
                try String.fetchAll(db, sql: "SELECT column1 FROM (VALUES ('a'), ('b')) ORDER BY column1 COLLATE \(quoted)") == ["b", "a"])
            db.add(function: DatabaseFunction(name, argumentCount: 1) { _ in "result" })
            #expect(try String.fetchOne(db, sql: "SELECT \(quoted)(1)") == "result")
        }
    }

    @Test(arguments: names)
    func `A full-text table may have any name`(_ name: String) throws {
        try DatabaseQueue().write { (db) throws in
            guard name != "rank" else {
                let error = #expect(throws: DatabaseError.self) {
                    try db.create(virtualTable: name, using: FTS5()) { t in t.column("text of \(name)") }
                }
                #expect(error?.message?.contains("reserved fts5 table name") == true)
                return
            }
            try db.create(virtualTable: name, using: FTS5()) { t in t.column("text of \(name)") }
            try db.execute(literal: "INSERT INTO \(sql: name.quotedDatabaseIdentifier) VALUES ('swift sqlite')")
            let pattern = try #require(FTS5Pattern(matchingAnyTokenIn: "sqlite"))
            #expect(try Table(name).matching(pattern).fetchCount(db) == 1)
        }
    }

    @Test(arguments: ["\0", "a\0", "a\0b", "\0a"])
    func `A NUL in a name is an error`(_ name: String) throws {
        try DatabaseQueue().write { (db) throws in
            try db.execute(sql: "CREATE TABLE a (id INTEGER PRIMARY KEY, c TEXT)")
            #expect(throws: DatabaseError.self) { try db.create(table: name) { t in t.column("a") } }
            #expect(throws: DatabaseError.self) { try db.alter(table: "a") { t in t.add(column: name) } }
            #expect(throws: DatabaseError.self) { try Table(name).fetchCount(db) }
            #expect(throws: DatabaseError.self) { try db.columns(in: name) }
            #expect(throws: DatabaseError.self) { try db.execute(sql: "CREATE TABLE \(name.quotedDatabaseIdentifier) (b)") }
            #expect(throws: DatabaseError.self) { try db.drop(table: name) }
            #expect(throws: DatabaseError.self) { try db.rename(table: "a", to: name) }
            // The NUL cuts nothing off.
            #expect(try db.columns(in: "a").map(\.name) == ["id", "c"])
        }
    }
}
