import Strata
import Testing

@Suite struct MigratedRecordTests {
    /// The current type: its column `extra` comes with a later migration.
    struct Player: Codable, FetchableRecord, PersistableRecord, Equatable {
        var id: Int64 = 1
        var name: String
        var extra: String?
    }

    enum Update: CaseIterable {
        case update, save, updateAndFetch, saveAndFetch, updateChanges, updateChangesFrom, updateChangesAndFetch, updateAll, saveAll

        func callAsFunction(_ player: Player, _ db: Database) throws {
            let old = Player(name: "old", extra: "old")
            func modify(_ changed: inout Player) { changed = player }
            switch self {
            case .update: try player.update(db)
            case .save: try player.save(db)
            case .updateAndFetch: try #expect(player.updateAndFetch(db).name == player.name)
            case .saveAndFetch: try #expect(player.saveAndFetch(db).name == player.name)
            case .updateChanges: try old.updateChanges(db) { modify(&$0) }
            case .updateChangesFrom: try player.updateChanges(db, from: old)
            case .updateChangesAndFetch: #expect(try old.updateChangesAndFetch(db) { modify(&$0) }?.name == player.name)
            case .updateAll: try [player, player].updateAll(db)
            case .saveAll: try [player, player].saveAll(db)
            }
        }
    }

    @Test(arguments: Update.allCases)
    func `Migrations update records without the columns that later migrations add`(_ update: Update) throws {
        let queue = try DatabaseQueue()
        var migrator = DatabaseMigrator()
        func migrate(_ identifier: String, _ migration: @escaping @Sendable (Database) throws -> Void) throws {
            migrator.registerMigration(identifier, migrate: migration)
            try migrator.migrate(queue)
        }
        func rows() throws -> [Row] { try queue.read { try Row.fetchAll($0, sql: "SELECT * FROM player") } }
        func expectMissingColumn() {
            let error = #expect(throws: DatabaseError.self) { try queue.write { try update(Player(name: "c", extra: "x"), $0) } }
            #expect(error?.message == "no such column: extra")
        }
        try migrate("old") {
            try $0.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO player VALUES (1, 'a')")
        }
        expectMissingColumn()
        try migrate("update") { try update(Player(name: "b", extra: "x"), $0) }
        #expect(try rows() == [["id": 1, "name": "b"]])
        expectMissingColumn()
        try migrate("column") { db in
            try update(Player(name: "c", extra: "x"), db)
            try db.execute(sql: "ALTER TABLE player ADD COLUMN extra TEXT")
            #expect(try Row.fetchOne(db, sql: "SELECT * FROM player") == ["id": 1, "name": "c", "extra": nil])
            try update(Player(name: "d", extra: "y"), db)
        }
        #expect(try rows() == [["id": 1, "name": "d", "extra": "y"]])
        try queue.write { try update(Player(name: "e", extra: "z"), $0) }
        #expect(try rows() == [["id": 1, "name": "e", "extra": "z"]])
    }
}
