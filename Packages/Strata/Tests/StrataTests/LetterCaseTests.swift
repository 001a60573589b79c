import Foundation
import Strata
import Testing

/// Names that differ only in the case of letters outside of ASCII. For SQLite they are different names.
@Suite struct LetterCaseTests {
    struct Upper: Codable, FetchableRecord, MutablePersistableRecord, Equatable {
        static let databaseTableName = "É"
        var id: Int64?
        var upper: String
        var lower: String?

        enum CodingKeys: String, CodingKey {
            case id
            case upper = "É"
            case lower = "é"
        }

        static let children = hasMany(Lower.self, using: ForeignKey(["É"]))
        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    struct Lower: Codable, FetchableRecord, PersistableRecord, Equatable {
        static let databaseTableName = "é"
        var id: Int64
        var upper: Int64?
        var lower: Int64?

        enum CodingKeys: String, CodingKey {
            case id
            case upper = "É"
            case lower = "é"
        }

        static let parent = belongsTo(Upper.self, using: ForeignKey(["É"]))
        static let sibling = belongsTo(Lower.self, key: "sibling", using: ForeignKey(["é"]))
    }

    private static let schema = """
        CREATE TABLE "É" (id INTEGER PRIMARY KEY, "É" TEXT UNIQUE, "é" TEXT);
        CREATE TABLE "é" (id INTEGER PRIMARY KEY, "É" INTEGER REFERENCES "É" (id), "é" INTEGER REFERENCES "é" (id));
        """
    private static let upper = Column("É")
    private static let lower = Column("é")

    private func makeQueue() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: Self.schema)
            for (upper, lower) in [("a", "x"), ("b", "x"), ("c", "y")] {
                var record = Upper(id: nil, upper: upper, lower: lower)
                try record.insert(db)
            }
            try Lower(id: 1, upper: 2, lower: nil).insert(db)
            try Lower(id: 2, upper: 3, lower: 1).insert(db)
        }
        return queue
    }

    @Test
    func `Only the columns of a unique index are a key`() throws {
        try makeQueue().write { (db) throws in
            #expect(try Upper.fetchOne(db, key: ["É": "b"])?.id == 2)
            let error = #expect(throws: DatabaseError.self) { try Upper.fetchOne(db, key: ["é": "x"]) }
            #expect(error?.resultCode == .SQLITE_MISUSE)
            #expect(throws: DatabaseError.self) { try Upper.deleteOne(db, key: ["é": "x"]) }
            #expect(try Upper.fetchAll(db, keys: [["É": "a"], ["É": "c"]]).map(\.id) == [1, 3])
            #expect(try Upper.fetchCount(db) == 3)
        }
    }

    @Test
    func `Records write the columns that they name, and compare them`() throws {
        try makeQueue().write { (db) throws in
            var record = try #require(try Upper.fetchOne(db, id: 1))
            record.upper = "z"
            record.lower = "z"
            try record.update(db, columns: [Self.lower])
            #expect(try Upper.fetchOne(db, id: 1) == Upper(id: 1, upper: "a", lower: "z"))
            try record.update(db, columns: ["É"])
            #expect(try Upper.fetchOne(db, id: 1) == record)
            let old = record
            record.lower = "w"
            #expect(try Array(record.databaseChanges(from: old).keys) == ["é"])
            try record.upsert(db)
            #expect(try Upper.fetchOne(db, key: ["É": "z"])?.lower == "w")
        }
    }

    @Test
    func `Requests keep the columns, aliases and tables apart`() throws {
        try makeQueue().write { (db) throws in
            #expect(try Upper.filter(Self.upper == "b" && Self.lower == "x").fetchCount(db) == 1)
            let row = try #require(try Row.fetchOne(db, Upper.select(.allColumns(excluding: ["é"]))))
            #expect(Array(row.columnNames) == ["id", "É"])
            let (first, second) = (TableAlias(name: "É"), TableAlias(name: "é"))
            let pairs = Lower.aliased(first).joining(required: Lower.sibling.aliased(second)).filter(
                first[Column("id")] > second[Column("id")])
            #expect(try pairs.fetchCount(db) == 1)
            // An alias of a selected expression hides no column of another name.
            let request = Lower.select(Column("id"), (Self.upper + 1).forKey("è")).joining(required: Lower.parent).order(Self.upper)
            #expect(try Row.fetchAll(db, request).count == 2)
            let table = CommonTableExpression(named: "É", sql: "SELECT 1 AS id")
            let other = CommonTableExpression(named: "é", sql: "SELECT 2 AS id UNION ALL SELECT 3")
            #expect(try table.all().with(table).with(other).fetchCount(db) == 1)
            #expect(try other.all().with(table).with(other).fetchCount(db) == 2)
            let page = Upper.all().page(after: Upper(id: 1, upper: "a", lower: "x")) { _ in [Self.lower, Self.upper] }
            #expect(try page.fetchAll(db).map(\.upper) == ["b", "c"])
        }
    }

    @Test
    func `Associations follow the foreign key that they name`() throws {
        struct Family: Decodable, FetchableRecord {
            var upper: Upper
            var children: [Lower]
        }
        try makeQueue().write { (db) throws in
            let second = try Lower.find(db, key: 2)
            #expect(try second.request(for: Lower.parent).fetchOne(db)?.upper == "c")
            #expect(try second.request(for: Lower.sibling).fetchOne(db)?.id == 1)
            let rows = try Row.fetchAll(db, Upper.including(all: Upper.children.forKey("children")).order(Self.upper))
            #expect(rows.map { $0.prefetchedRows["children"]?.count } == [0, 1, 1])
            #expect(
                try Upper.annotated(with: Upper.children.count.forKey("n")).asRequest(of: Row.self).fetchAll(db).map { $0["n"] as Int } == [
                    0, 1, 1,
                ])
        }
    }

    @Test
    func `Migrations check the tables that they change, and compare schemas`() throws {
        let queue = try DatabaseQueue()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("tables") { try $0.execute(sql: Self.schema) }
        try migrator.migrate(queue)
        #expect(try queue.read { try migrator.hasSchemaChanges($0) } == false)
        var failing = migrator
        failing.registerMigration("rows") { try $0.execute(sql: "INSERT INTO \"é\" VALUES (1, 7, NULL)") }
        #expect(throws: MigrationError.self) { try failing.migrate(queue) }
        try queue.write { try $0.execute(sql: "DROP TABLE \"é\"") }
        #expect(try queue.read { try migrator.hasSchemaChanges($0) })
    }

    @Test
    func `Observations see changes of their own columns and tables`() throws {
        let queue = try makeQueue()
        let region = try queue.read { try Upper.select(Self.upper).databaseRegion($0) }
        #expect(region.description == "É(É)")
        let changes = Locked(0)
        let observer = DatabaseRegionObservation(tracking: Upper.select(Self.upper)).start(in: queue, onError: { _ in }) { _ in
            changes.increment()
        }
        try queue.write { db in
            try db.execute(sql: "UPDATE \"É\" SET \"é\" = 'new'")
            try db.execute(sql: "UPDATE \"é\" SET \"É\" = NULL")
        }
        #expect(changes.value == 0)
        try queue.write { try $0.execute(sql: "UPDATE \"É\" SET \"É\" = \"É\" || 'x'") }
        #expect(changes.value == 1)
        observer.cancel()
    }

    @Test
    func `Dumps contain all tables, and columns are loaded by their names`() throws {
        let queue = try makeQueue()
        let copy = try DatabaseQueue()
        try queue.write { db in
            var script = ""
            try db.dumpContent(format: .insert(), to: &script)
            try copy.writeWithoutTransaction { try $0.execute(sql: script) }
            var text = ""
            try db.dumpContent(to: &text)
            #expect(text.contains("\nÉ\n") && text.contains("\né\n"), "\(text)")
            try db.load(.csv(.text("É,é\nd,D\n")), into: "É")
            try db.load(.json(.text(#"[{"É": "e", "é": "E"}]"#)), into: "É")
            #expect(try Upper.filter(Self.upper > "c").order(Self.upper).fetchAll(db).map(\.lower) == ["D", "E"])
        }
        try copy.read { (db) throws in
            #expect(try Upper.fetchCount(db) == 3)
            #expect(try Lower.fetchAll(db).map(\.lower) == [nil, 1])
        }
    }

    @Test
    func `A full-text index has both columns`() throws {
        try makeQueue().write { (db) throws in
            try db.create(virtualTable: "É_ft", using: FTS5()) { t in
                t.synchronize(withTable: "É")
                t.column("É")
                t.column("é")
            }
            try db.execute(sql: "INSERT OR REPLACE INTO \"É\" VALUES (9, 'a', 'word')")
            #expect(try Upper.all().matching(FTS5Pattern(matchingPhrase: "word")).fetchAll(db).map(\.id) == [9])
            #expect(try Upper.fetchCount(db) == 3)
        }
    }
}
