import SQLiteDriver
import Testing

@Suite struct RecordedAccessesTests {
    let queue: DatabaseQueue

    init() throws {
        queue = try DatabaseQueue()
        try queue.write { (db) throws in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name); CREATE TABLE team (id INTEGER PRIMARY KEY)")
        }
    }

    @Test
    func `The regions that statements read are recorded`() throws {
        try queue.read { (db) throws in
            let kept = try db.makeStatement(sql: "SELECT id FROM team")
            let (value, region) = try db.recordingAccesses {
                try kept.run()
                _ = try db.makeStatement(sql: "SELECT id FROM player")  // prepared, and not run
                return try db.texts("SELECT name FROM player")
            }
            #expect(value == [])
            #expect(region.description == "player(name),team(id)")
            // The recording has ended.
            #expect(try db.recordingAccesses { try db.integers("SELECT 1") }.region.isEmpty)
        }
    }

    @Test
    func `Recordings nest`() throws {
        try queue.read { (db) throws in
            var inner = DatabaseRegion()
            let outer = try db.recordingAccesses {
                _ = try db.texts("SELECT name FROM player")
                inner = try db.recordingAccesses { try db.integers("SELECT id FROM team") }.region
                #expect(throws: TestError.self) {
                    try db.recordingAccesses {
                        _ = try db.integers("SELECT id FROM player")
                        throw TestError()
                    }
                }
            }
            #expect(inner.description == "team(id)")
            #expect(outer.region.description == "player(id,name),team(id)")
        }
    }

    @Test
    func `An access can be registered`() throws {
        try queue.read { (db) throws in
            let region = try db.makeStatement(sql: "SELECT name FROM player").databaseRegion
            let recorded = try db.recordingAccesses { try db.registerAccess(to: region) }
            #expect(recorded.region == region)
            let full = try db.recordingAccesses { try db.registerAccess(to: .fullDatabase) }
            #expect(full.region.isFullDatabase)
            // Outside a recording, the region is not evaluated.
            struct Failing: DatabaseRegionConvertible {
                func databaseRegion(_ db: Database) throws -> DatabaseRegion { throw TestError() }
            }
            try db.registerAccess(to: Failing())
            #expect(throws: TestError.self) { try db.recordingAccesses { try db.registerAccess(to: Failing()) } }
            let any = AnyDatabaseRegionConvertible { try $0.makeStatement(sql: "SELECT id FROM team").databaseRegion }
            #expect(try db.recordingAccesses { try db.registerAccess(to: any) }.region.description == "team(id)")
        }
    }

    @Test
    func `A statement that runs again is recorded with what it reads in the current schema`() throws {
        let folder = try TemporaryFolder()
        let queue = try DatabaseQueue(path: folder.path("database.sqlite"))
        let other = try DatabaseQueue(path: folder.path("database.sqlite"))
        func view(_ table: String, _ schema: String = "main") -> String {
            "DROP VIEW IF EXISTS \(schema).v; CREATE VIEW \(schema).v AS SELECT x FROM \(table)"
        }
        func table(_ column: String) -> String { "DROP TABLE IF EXISTS c; CREATE TABLE c (id INTEGER PRIMARY KEY, y, \(column))" }
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE a (id INTEGER PRIMARY KEY, x); CREATE TABLE b (id INTEGER PRIMARY KEY, x)")
            try db.execute(sql: view("main.a") + ";" + table("g"))
        }
        // The kinds of changes that the statements depend on.
        func dependencies(_ db: Database) throws -> [String] {
            let region = try db.recordingAccesses {
                for sql in ["SELECT x FROM v", "SELECT g FROM c"] {
                    let statement = try db.cachedStatement(sql: sql)
                    while try statement.step() {}
                }
            }.region
            let kinds: [(String, DatabaseEventKind)] = [
                ("a", .insert(tableName: "a")), ("b", .insert(tableName: "b")), ("y", .update(tableName: "c", columnNames: ["y"])),
            ]
            return kinds.filter { region.isModified(byEventsOfKind: $0.1) }.map(\.0)
        }
        func check(_ expected: [String], _ location: SourceLocation = #_sourceLocation) throws {
            for _ in 0..<2 { try #expect(queue.read(dependencies) == expected, sourceLocation: location) }
        }
        try check(["a"])
        try other.write { try $0.execute(sql: view("main.b")) }
        try check(["b"])
        try other.write { try $0.execute(sql: table("g AS (y)")) }
        try check(["b", "y"])
        try queue.write { try $0.execute(sql: view("main.a", "temp")) }
        try check(["a", "y"])
        try queue.write { try $0.execute(sql: "DROP VIEW temp.v") }
        try check(["b", "y"])
        #expect(throws: CancellationError.self) {
            try queue.write { db in
                try db.execute(sql: view("main.a") + ";" + table("g"))
                try #expect(dependencies(db) == ["a"])
                throw CancellationError()
            }
        }
        try check(["b", "y"])
    }
}
