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
}
