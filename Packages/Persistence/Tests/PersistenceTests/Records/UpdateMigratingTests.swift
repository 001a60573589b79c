import Persistence
import Testing

/// Updates while migrations run: records have columns that later migrations add.
@Suite struct UpdateMigratingTests {
    /// A record whose table lacks columns. Its statements name the table with its schema.
    struct Page: MutablePersistableRecord {
        static let databaseTableName = "other.sheet"
        func encode(to container: inout PersistenceContainer) {
            container["id"] = 1
            container["extra"] = 2
        }
    }

    /// A record that notes the columns of its updates.
    final class Noting: PersistableRecord {
        static let databaseTableName = "sheet"
        var values: (a: Int, extra: Int) = (1, 1)
        private(set) var columns: [[String]] = []
        func encode(to container: inout PersistenceContainer) {
            container["id"] = 1
            container["a"] = values.a
            container["extra"] = values.extra
        }
        func willUpdate(_ db: Database, columns: Set<String>) { self.columns.append(columns.sorted()) }
    }

    /// A record whose version the table lacks.
    struct Versioned: MutablePersistableRecord {
        static let databaseTableName = "sheet"
        var version = 1
        func encode(to container: inout PersistenceContainer) {
            container["id"] = 1
            container["version"] = version
        }
    }

    @Test(arguments: [
        ("CREATE TABLE sheet (id INTEGER PRIMARY KEY, A)", #""a" = 1, "rowid" = 1"#, #""id" = 1"#),
        ("CREATE TABLE sheet (id TEXT PRIMARY KEY, a)", #""a" = 1, "rowid" = 1"#, #""id" = 1"#),
        ("CREATE TABLE sheet (id INTEGER PRIMARY KEY, a) WITHOUT ROWID", #""a" = 1"#, #""id" = 1"#),
        ("CREATE TABLE sheet (id, a AS (id), b, PRIMARY KEY (id, b))", #""rowid" = 1"#, #""id" = 1 AND "b" = 2"#),
        ("CREATE TABLE sheet (a, b)", #""a" = 1, "b" = 2"#, #""rowid" = 1"#),
        // The column "rank" of FTS5 tables is hidden.
        ("CREATE VIRTUAL TABLE sheet USING fts5(a)", #""a" = 1, "rank" = NULL"#, #""rowid" = 1"#),
        ("CREATE TABLE sheet (b); CREATE TEMPORARY TABLE sheet (id INTEGER PRIMARY KEY, a)", #""a" = 1, "rowid" = 1"#, #""id" = 1"#),
        (
            """
            CREATE TABLE base (a);
            CREATE VIEW sheet AS SELECT 1 AS rowid, a FROM base;
            CREATE TRIGGER change INSTEAD OF UPDATE ON sheet BEGIN UPDATE base SET a = NEW.a; END
            """, #""a" = 1"#, #""rowid" = 1"#
        ),
    ])
    func `Updates set the columns that the table has, of whatever kind`(_ sql: String, _ assignments: String, _ condition: String) throws {
        try withDatabase(sql) { db throws in
            var sheet = Sheet(["id": 1, "a": 1, "b": 2, "rank": nil, "extra": 3, "rowid": 1])
            let statement = try db.migratingSchema {
                try db.statements { #expect(throws: RecordError.self) { try sheet.update(db) } }.first
            }
            #expect(statement?.hasPrefix(#"UPDATE "sheet" SET \#(assignments) WHERE \#(condition)"#) == true, "\(statement ?? "")")
            #expect(expectError(.SQLITE_ERROR) { try sheet.update(db) }?.message?.contains("no such column") == true)
        }
    }

    @Test
    func `If the table lacks all columns, the update still looks for the row`() throws {
        let queue = try DatabaseQueue()
        try queue.inDatabase { db in
            // The main table has the column.
            try db.execute(
                sql: """
                    CREATE TABLE sheet (id INTEGER PRIMARY KEY, extra);
                    ATTACH ':memory:' AS other; CREATE TABLE other.sheet (id INTEGER PRIMARY KEY)
                    """)
            var page = Page()
            var old = Sheet(["id": 1, "extra": 1])
            try db.migratingSchema {
                for exists in [false, true, true] {
                    func check(_ update: () throws -> Bool) throws {
                        if exists { return #expect(try update()) }
                        #expect(throws: RecordError.self) { try update() }
                    }
                    if exists { try db.execute(sql: "INSERT OR IGNORE INTO other.sheet VALUES (1)") }
                    try check { try page.update(db) == () }
                    try check { try page.updateAndFetch(db, selection: [Column("id")]) { try Int.fetchOne($0) } == 1 }
                    try check { try page.updateChanges(db, from: old) }
                    try check { try page.updateChanges(db, from: Sheet(["id": 1])) }
                }
                old.columns[1].1 = 2
                #expect(try !page.updateChanges(db, from: old))
            }
            #expect(throws: DatabaseError.self) { try page.updateChanges(db, from: Sheet(["id": 1])) }
        }
    }

    @Test
    func `Callbacks get the names of the columns that are written`() throws {
        try withDatabase("CREATE TABLE sheet (id INTEGER PRIMARY KEY, a); INSERT INTO sheet VALUES (1, 0)") { db throws in
            let record = Noting()
            try db.migratingSchema {
                try record.update(db)
                try record.updateChanges(db, from: Sheet(["id": 1, "a": 0, "extra": 0]))
                try db.execute(sql: "ALTER TABLE sheet ADD COLUMN extra")
                try record.update(db)
                try record.updateChanges(db, from: Sheet(["id": 1, "a": 0, "extra": 0]))
            }
            #expect(record.columns == [["a"], ["a"], ["a", "extra"], ["a", "extra"]])
        }
    }

    @Test
    func `Updates that name a column throw if the table lacks it`() throws {
        try withDatabase("CREATE TABLE sheet (id INTEGER PRIMARY KEY, a); INSERT INTO sheet VALUES (1, 0)") { db throws in
            var sheet = Sheet(["id": 1, "a": 1, "extra": 2])
            var versioned = Versioned()
            var sheets = [sheet]
            for update: (Database) throws -> Void in [
                { try sheet.update($0, columns: ["a", "extra"]) },
                { try sheets.updateAll($0, columns: [Column("extra")]) },
                { try versioned.update($0, version: \.version) },
            ] {
                #expect(
                    expectError(.SQLITE_ERROR) { try db.migratingSchema { try update(db) } }?.message?.hasPrefix("no such column") == true)
            }
            #expect(try db.rows("SELECT * FROM sheet") == ["1 0"])
        }
    }
}
