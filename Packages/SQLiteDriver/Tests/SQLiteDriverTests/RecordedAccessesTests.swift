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

    @Test("What statements read is recorded")
    func whatStatementsReadIsRecorded() throws {
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

    @Test("Recordings nest")
    func recordingsNest() throws {
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

    @Test("An access can be registered")
    func anAccessCanBeRegistered() throws {
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
}
