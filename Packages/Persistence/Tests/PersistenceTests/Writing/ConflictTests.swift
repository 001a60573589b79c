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

    @Test(arguments: [Database.ConflictResolution.abort, .fail])
    func `An insertion fails according to its conflict resolution`(resolution: Database.ConflictResolution) throws {
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

    @Test
    func `An ignored row is skipped, and its record is not notified`() throws {
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

    @Test
    func `A row that replaces another row has its own row ID`() throws {
        try withPlayer { db throws in
            var player = Player(name: "Arthur", score: 3)
            try player.insert(db, onConflict: .replace)
            #expect(player.id == 3)
            #expect(try db.rows("SELECT * FROM player") == ["2 'Barbara' 2", "3 'Arthur' 3"])
        }
    }

    @Test
    func `A conflict can roll back the transaction`() throws {
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

    @Test
    func `Updates resolve conflicts, too`() throws {
        try withPlayer { db throws in
            let player = Player(id: 2, name: "Arthur", score: 3)
            for resolution in [Database.ConflictResolution.abort, .fail] {
                #expect(throws: DatabaseError.self) { try player.update(db, onConflict: resolution) }
            }
            // The row exists: it is not updated, and that is not an error.
            try player.update(db, onConflict: .ignore)
            try player.update(db, onConflict: .ignore, columns: ["name"])
            #expect(try db.rows("SELECT * FROM player") == ["1 'Arthur' 1", "2 'Barbara' 2"])
            #expect(throws: RecordError.self) { try Player(id: 9, name: "Arthur").update(db, onConflict: .ignore) }
            try player.update(db, onConflict: .replace)
            #expect(try db.rows("SELECT * FROM player") == ["2 'Arthur' 3"])
        }
    }

    @Test
    func `A record type has a policy, which a call can override`() throws {
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

    @Test(arguments: Database.ConflictResolution.allCases)
    func `All methods that insert or update take a resolution`(resolution: Database.ConflictResolution) throws {
        try withPlayer { db throws in
            let clause = resolution == .abort ? "" : "OR \(resolution.rawValue) "
            let id: [any SQLSelectable] = [Column("id")]
            func fetch(_ statement: Statement) throws -> Int64? { try Int64.fetchOne(statement) }
            var players = [Player(name: "Craig")]
            let insertions: [(inout Player) throws -> Void] = [
                { try $0.insert(db, onConflict: resolution) }, { _ = try $0.inserted(db, onConflict: resolution) },
                { _ = try $0.insertAndFetch(db, onConflict: resolution) },
                { _ = try $0.insertAndFetch(db, onConflict: resolution, as: Player.self) },
                { _ = try $0.insertAndFetch(db, onConflict: resolution, selection: id, fetch: fetch) },
                { try $0.save(db, onConflict: resolution) }, { _ = try $0.saved(db, onConflict: resolution) },
                { _ = try $0.saveAndFetch(db, onConflict: resolution) },
                { _ = try $0.saveAndFetch(db, onConflict: resolution, as: Player.self) },
                { _ = try $0.saveAndFetch(db, onConflict: resolution, selection: id, fetch: fetch) },
                { _ in try players.insertAll(db, onConflict: resolution) }, { _ = try [$0].insertedAll(db, onConflict: resolution) },
                { _ in try players.saveAll(db, onConflict: resolution) }, { _ = try [$0].savedAll(db, onConflict: resolution) },
            ]
            for insert in insertions {
                try db.execute(sql: "DELETE FROM player WHERE name = 'Craig'")
                var player = Player(name: "Craig")
                players = [player]
                let sql = try db.statements { try insert(&player) }
                #expect(sql.contains { $0.hasPrefix("INSERT \(clause)INTO \"player\"") })
                #expect(try db.rows("SELECT count(*) FROM player WHERE name = 'Craig'") == ["1"])
            }
            let updates: [(inout Player) throws -> Void] = [
                { try $0.update(db, onConflict: resolution) }, { try $0.update(db, onConflict: resolution, columns: ["score"]) },
                { [old = Player(id: 2, name: "Barbara")] in try $0.updateChanges(db, onConflict: resolution, from: old) },
                { try $0.updateChanges(db, onConflict: resolution) { $0.score = 50 } },
                { _ = try $0.updateAndFetch(db, onConflict: resolution) },
                { _ = try $0.updateAndFetch(db, onConflict: resolution, as: Player.self) },
                { _ = try $0.updateAndFetch(db, onConflict: resolution, selection: id, fetch: fetch) },
                { _ = try $0.updateAndFetch(db, onConflict: resolution, columns: ["score"], selection: id, fetch: fetch) },
                { _ = try $0.updateChangesAndFetch(db, onConflict: resolution) { $0.score = 50 } },
                { _ = try $0.updateChangesAndFetch(db, onConflict: resolution, as: Player.self) { $0.score = 50 } },
                {
                    _ = try $0.updateChangesAndFetch(db, onConflict: resolution, selection: id, fetch: fetch) { $0.score = 50 }
                },
                { try $0.save(db, onConflict: resolution) }, { _ in try players.updateAll(db, onConflict: resolution) },
                { _ in try players.updateAll(db, onConflict: resolution, columns: ["score"]) },
            ]
            for (score, update) in updates.enumerated() {
                var player = Player(id: 2, name: "Barbara", score: score)
                players = [player]
                let sql = try db.statements { try update(&player) }
                #expect(sql.contains { $0.hasPrefix("UPDATE \(clause)\"player\" SET") })
                #expect(try db.rows("SELECT score FROM player WHERE id = 2") == ["\(try #require(player.score))"])
            }
        }
    }
}
