import Persistence
import Testing

@Suite struct ConflictTests {
    private func withPlayer<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try withDatabase(Player.createTable) { db in
            _ = try Player(name: "Arthur", score: 1).inserted(db)
            _ = try Player(name: "Barbara", score: 2).inserted(db)
            return try body(db)
        }
    }

    @Test("An insertion that fails does so in the way that it is told", arguments: [Database.ConflictResolution.abort, .fail])
    func failing(resolution: Database.ConflictResolution) throws {
        try withPlayer { db throws in
            var player = Player(name: "Arthur", score: 3)
            let error = #expect(throws: DatabaseError.self) { try player.insert(db, onConflict: resolution) }
            #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
            #expect(error?.sql?.hasPrefix(resolution == .abort ? "INSERT INTO" : "INSERT OR FAIL INTO") == true)
            #expect(player.id == nil)
            #expect(db.isInsideTransaction)
            #expect(try db.rows("SELECT * FROM player") == ["1 'Arthur' 1", "2 'Barbara' 2"])
        }
    }

    @Test("A row that is ignored is left out, and its record is told nothing")
    func ignore() throws {
        try withPlayer { db throws in
            var player = Player(name: "Arthur", score: 3)
            try player.insert(db, onConflict: .ignore)
            #expect(player.id == nil)
            var other = Player(name: "Craig", score: 3)
            try other.insert(db, onConflict: .ignore)
            #expect(other.id == 3)
            try player.insert(db, onConflict: .ignore)
            #expect(player.id == nil)
            #expect(try db.rows("SELECT * FROM player") == ["1 'Arthur' 1", "2 'Barbara' 2", "3 'Craig' 3"])
        }
    }

    @Test("A row that replaces another one has a row id of its own")
    func replace() throws {
        try withPlayer { db throws in
            var player = Player(name: "Arthur", score: 3)
            try player.insert(db, onConflict: .replace)
            #expect(player.id == 3)
            #expect(try db.rows("SELECT * FROM player") == ["2 'Barbara' 2", "3 'Arthur' 3"])
        }
    }

    @Test("A conflict can roll back the transaction")
    func rollback() throws {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: Player.createTable) }
        let error = #expect(throws: DatabaseError.self) {
            try queue.write { db in
                var player = Player(name: "Arthur")
                try player.insert(db)
                player.id = nil
                try player.insert(db, onConflict: .rollback)
            }
        }
        #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
        #expect(try queue.read { try Player.fetchCount($0) } == 0)
        try queue.writeWithoutTransaction { db throws in
            var player = Player(name: "Arthur")
            try player.insert(db)
            #expect(throws: DatabaseError.self) { try player.insert(db, onConflict: .rollback) }
            #expect(!db.isInsideTransaction)
            #expect(try Player.fetchCount(db) == 1)
        }
    }

    @Test("Updates resolve conflicts, too")
    func update() throws {
        try withPlayer { db throws in
            let player = Player(id: 2, name: "Arthur", score: 3)
            for resolution in [Database.ConflictResolution.abort, .fail] {
                #expect(throws: DatabaseError.self) { try player.update(db, onConflict: resolution) }
            }
            // The row is there: it is not updated, and that is no error.
            try player.update(db, onConflict: .ignore)
            try player.update(db, onConflict: .ignore, columns: ["name"])
            #expect(try db.rows("SELECT * FROM player") == ["1 'Arthur' 1", "2 'Barbara' 2"])
            #expect(throws: RecordError.self) { try Player(id: 9, name: "Arthur").update(db, onConflict: .ignore) }
            try player.update(db, onConflict: .replace)
            #expect(try db.rows("SELECT * FROM player") == ["2 'Arthur' 3"])
        }
    }

    @Test("A record type has a policy, which a call can override")
    func policy() throws {
        struct Stubborn: MutablePersistableRecord {
            static let databaseTableName = "player"
            static let persistenceConflictPolicy = PersistenceConflictPolicy(insert: .replace, update: .ignore)
            var id: Int64?
            var name: String
            func encode(to container: inout PersistenceContainer) {
                container["id"] = id
                container["name"] = name
            }
            mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
        }
        try withPlayer { db throws in
            var player = Stubborn(name: "Arthur")
            try player.insert(db)
            #expect(player.id == 3)
            player.name = "Barbara"
            try player.update(db)
            #expect(try db.rows("SELECT id, name FROM player ORDER BY id") == ["2 'Barbara'", "3 'Arthur'"])
            #expect(throws: DatabaseError.self) { try player.update(db, onConflict: .abort) }
            var other = Stubborn(name: "Arthur")
            try other.insert(db, onConflict: .ignore)
            #expect(other.id == nil)
            #expect(throws: DatabaseError.self) { try other.insert(db, onConflict: .abort) }
            try other.save(db)
            #expect(other.id == 4)
        }
    }
}
