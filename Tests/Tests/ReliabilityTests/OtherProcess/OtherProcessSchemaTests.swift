import Foundation
import SQLiteDriver
import Testing

// Another process changes the schema, while our connections keep their statements and what they know of the tables.
// SchemaChangeMatrixTests has the same for records.

@Suite struct OtherProcessSchemaTests {
    let folder: TemporaryFolder
    let other: OtherProcess

    init() throws {
        folder = try TemporaryFolder()
        other = try OtherProcess(
            folder.path("database.sqlite"),
            "PRAGMA journal_mode = WAL; CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT); INSERT INTO t VALUES (1, 'one')")
    }

    enum Kind: CaseIterable {
        case queue, pool
    }

    private func makeWriter(_ kind: Kind) throws -> any DatabaseWriter {
        let path = folder.path("database.sqlite")
        return kind == .queue ? try DatabaseQueue(path: path) : try DatabasePool(path: path)
    }

    /// Reads, and writes, in such a way that the connections keep something from one time to the next.
    private func forEachAccess(_ writer: any DatabaseWriter, _ body: (Database) throws -> Void) throws {
        for _ in 0..<2 {
            try writer.read(body)
            try writer.write(body)
            try writer.writeWithoutTransaction(body)
        }
    }

    /// The columns and the values of the first row, by a statement from the cache.
    private func firstRow(_ db: Database, _ sql: String = "SELECT * FROM t") throws -> [String] {
        let statement = try db.cachedStatement(sql: sql)
        defer { statement.reset() }
        try #require(try statement.step())
        let values = (0..<statement.columnCount).map { statement.databaseValue(at: $0) }
        return zip(statement.columnNames, values).map { "\($0): \($1)" }
    }

    @Test(arguments: Kind.allCases)
    func `Columns that another process adds exist immediately`(_ kind: Kind) throws {
        let writer = try makeWriter(kind)
        try forEachAccess(writer) { (db) throws in
            #expect(try firstRow(db) == ["a: 1", #"b: "one""#])
            #expect(try db.columns(in: "t").map(\.name) == ["a", "b"])
        }
        try other.run("ALTER TABLE t ADD COLUMN c DEFAULT 'new'")
        try forEachAccess(writer) { (db) throws in
            #expect(try firstRow(db) == ["a: 1", #"b: "one""#, #"c: "new""#])
            #expect(try db.columns(in: "t").map(\.name) == ["a", "b", "c"])
        }
        // As many columns, under other names.
        try other.run("ALTER TABLE t RENAME COLUMN b TO d")
        try forEachAccess(writer) { (db) throws in
            #expect(try firstRow(db) == ["a: 1", #"d: "one""#, #"c: "new""#])
            #expect(try db.columns(in: "T").map(\.name) == ["a", "d", "c"])
        }
    }

    @Test(arguments: Kind.allCases)
    func `A table that another process drops is missing, and can return with other columns`(_ kind: Kind) throws {
        let writer = try makeWriter(kind)
        try forEachAccess(writer) { (db) throws in
            #expect(try db.tableExists("t"))
            #expect(try db.primaryKey("t").columns == ["a"])
            #expect(try firstRow(db) == ["a: 1", #"b: "one""#])
        }
        try other.run("DROP TABLE t")
        try forEachAccess(writer) { (db) throws in
            #expect(try !db.tableExists("t"))
            #expect(expectError(.SQLITE_ERROR) { try db.columns(in: "t") }?.message == "no such table: t")
            #expect(expectError(.SQLITE_ERROR) { try firstRow(db) }?.message == "no such table: t")
        }
        try other.run("CREATE TABLE t (x TEXT PRIMARY KEY, a INTEGER) WITHOUT ROWID; INSERT INTO t VALUES ('two', 2)")
        try forEachAccess(writer) { (db) throws in
            #expect(try db.primaryKey("t").columns == ["x"])
            #expect(try db.primaryKey("t").rowIDColumn == nil)
            #expect(try firstRow(db) == [#"x: "two""#, "a: 2"])
        }
    }

    @Test(arguments: Kind.allCases)
    func `A table that another process renames is found under its new name`(_ kind: Kind) throws {
        let writer = try makeWriter(kind)
        try forEachAccess(writer) { (db) throws in
            #expect(try db.tableExists("t"))
            #expect(try !db.tableExists("u"))
            #expect(try firstRow(db) == ["a: 1", #"b: "one""#])
        }
        try other.run("ALTER TABLE t RENAME TO u; CREATE UNIQUE INDEX byName ON u (b)")
        try forEachAccess(writer) { (db) throws in
            #expect(try !db.tableExists("t"))
            #expect(expectError(.SQLITE_ERROR) { try firstRow(db) }?.message == "no such table: t")
            #expect(try firstRow(db, "SELECT * FROM u") == ["a: 1", #"b: "one""#])
            #expect(try db.table("u", hasUniqueKey: ["b"]))
        }
        try other.run("DROP INDEX byName")
        try forEachAccess(writer) { (db) throws in
            #expect(try !db.table("u", hasUniqueKey: ["b"]))
        }
    }

    @Test
    func `A statement that no longer fits its table is an error and nothing else`() throws {
        let queue = try makeWriter(.queue)
        let sql = "INSERT INTO t VALUES (?, ?)"
        try queue.write { try $0.cachedStatement(sql: sql).execute(arguments: [2, "two"]) }
        try other.run("ALTER TABLE t ADD COLUMN c")
        let error = expectError(.SQLITE_ERROR) {
            try queue.write { try $0.cachedStatement(sql: sql).execute(arguments: [3, "three"]) }
        }
        #expect(error?.message == "table t has 3 columns but 2 values were supplied")
        try other.run("ALTER TABLE t DROP COLUMN c")
        // SQLite on its own repeats the error without comparing the schema with the file.
        try queue.write { try $0.cachedStatement(sql: sql).execute(arguments: [3, "three"]) }
        #expect(try other.run("SELECT a FROM t") == ["1", "2", "3"])
    }

    @Test(arguments: Kind.allCases)
    func `A running read keeps the schema that it saw`(_ kind: Kind) throws {
        let writer = try makeWriter(kind)
        try writer.read { (db) throws in
            #expect(try firstRow(db) == ["a: 1", #"b: "one""#])
            try other.run("ALTER TABLE t ADD COLUMN c; CREATE TABLE u (a)")
            #expect(try firstRow(db) == ["a: 1", #"b: "one""#])
            #expect(try db.columns(in: "t").map(\.name) == ["a", "b"])
            #expect(try !db.tableExists("u"))
        }
        try writer.read { (db) throws in
            #expect(try firstRow(db) == ["a: 1", #"b: "one""#, "c: NULL"])
            #expect(try db.columns(in: "t").map(\.name) == ["a", "b", "c"])
            #expect(try db.tableExists("u"))
        }
    }

    @Test
    func `A snapshot stays with the schema that it saw`() throws {
        let pool = try DatabasePool(path: folder.path("database.sqlite"))
        let snapshot = try pool.makeSnapshot()
        try other.run("ALTER TABLE t RENAME TO u")
        try snapshot.read { (db) throws in
            #expect(try firstRow(db) == ["a: 1", #"b: "one""#])
            #expect(try !db.tableExists("u"))
        }
        #expect(try pool.read { try $0.tableExists("u") })
    }

    private struct Disagreement: Error, CustomStringConvertible {
        let description: String
    }

    @Test(arguments: Kind.allCases)
    func `Rows and schema agree in each read while another process changes both`(_ kind: Kind) throws {
        let writer = try makeWriter(kind)
        try other.run("PRAGMA busy_timeout = \(waitLimit * 1000)")
        let changes = Parallel { [other] in
            for number in 0..<40 {
                // Always two columns. The second is named b, or as its values say.
                let name = "c\(number)"
                try other.run(
                    """
                    BEGIN IMMEDIATE; ALTER TABLE t ADD COLUMN \(name); UPDATE t SET \(name) = '\(name)'; ALTER TABLE t DROP COLUMN b; COMMIT
                    """)
                if number % 10 == 0 { try other.run("VACUUM") }
                try other.run("ALTER TABLE t RENAME COLUMN \(name) TO b")
            }
        }
        let readers = (0..<3).map { _ in
            Parallel {
                var count = 0
                while !changes.hasEnded || count == 0 {
                    try writer.read { db in
                        let statement = try db.cachedStatement(sql: "SELECT * FROM t")
                        defer { statement.reset() }
                        // Thrown, because an expectation on a thread would not know its test.
                        guard try statement.step() else { throw Disagreement(description: "no row") }
                        let names = statement.columnNames
                        let columns = try db.columns(in: "t").map(\.name)
                        guard names == columns else { throw Disagreement(description: "\(names) and \(columns)") }
                        guard names[1] == "b" || statement.string(at: 1) == names[1] else {
                            throw Disagreement(description: "\(names) and \(statement.databaseValue(at: 1))")
                        }
                    }
                    count += 1
                }
            }
        }
        for reader in readers { try reader.wait() }
        try changes.wait()
        try writer.read { (db) throws in #expect(try firstRow(db) == ["a: 1", #"b: "c39""#]) }
    }
}
