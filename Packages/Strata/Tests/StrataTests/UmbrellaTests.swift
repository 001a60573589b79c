import Strata
import Testing

@Suite struct UmbrellaTests {
    @Test
    func `One import brings every layer`() throws {
        struct Player: Codable, FetchableRecord, MutablePersistableRecord, Equatable {
            var id: Int64?
            var name: String
            mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
        }
        // SQLiteDriver
        let queue = try DatabaseQueue()
        try queue.write { db in
            let statement: Statement = try db.makeStatement(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
            try statement.execute()
            // Persistence and CodableSupport
            var player = Player(id: nil, name: "Arthur")
            try player.insert(db)
            // QueryInterface
            let request: QueryInterfaceRequest<Player> = Player.filter(Column("name") == "Arthur")
            #expect(try request.fetchOne(db) == player)
            // RowDecoding
            let row: Row? = try Row.fetchOne(db, sql: "SELECT name FROM player")
            #expect(row?["name"] == "Arthur")
            // ValueConversion
            #expect(Int.fromDatabaseValue(1.databaseValue) == 1)
            #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT") }
        }
        // Migrations
        let migrator = DatabaseMigrator()
        #expect(try queue.read { try migrator.hasCompletedMigrations($0) })
        // DatabaseObservation
        let observation: ValueObservation<ValueReducers.Fetch<[Player]>> = ValueObservation.tracking { try Player.fetchAll($0) }
        #expect(!observation.requiresWriteAccess)
    }

    @Test
    func `A pattern with a result code matches the cause of a migration's error, and of a load's error`() throws {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT UNIQUE)") }
        @Sendable func load(_ db: Database) throws { _ = try db.load(.csv(.text("name\nArthur\nArthur\n")), into: "player") }
        func migrate(_ migration: @escaping @Sendable (Database) throws -> Void) throws {
            var migrator = DatabaseMigrator()
            migrator.registerMigration("1", migrate: migration)
            try migrator.migrate(queue)
        }
        for action: () throws -> Void in [
            { try queue.write(load) },
            { try migrate { try $0.execute(sql: "INSERT INTO player VALUES (1, 'a'), (2, 'a')") } },
            { try migrate(load) },
        ] {
            do {
                try action()
                Issue.record("The action did not throw")
            } catch DatabaseError.SQLITE_CONSTRAINT_NOTNULL {
                Issue.record("The pattern matches another code")
            } catch DatabaseError.SQLITE_CONSTRAINT {}
        }
        #expect(!(DatabaseError.SQLITE_ERROR ~= TestError()))
        let error = #expect(throws: MigrationError.self) { try migrate { _ in throw TestError() } }
        #expect(try !(DatabaseError.SQLITE_ERROR ~= #require(error)))
    }

    private struct TestError: Error {}
}
