import Foundation
import Strata
import Testing

// The samples of the page on PersistableRecord, in their order. What a sample abbreviates is filled in, and what it prints is expected.

@Suite struct PersistableRecordTests {
    private struct Player: MutablePersistableRecord, FetchableRecord {
        static let databaseTableName = "player"

        var id: Int64?
        var name: String
        var score: Int

        init(id: Int64?, name: String, score: Int) {
            self.id = id
            self.name = name
            self.score = score
        }

        init(row: Row) throws {
            id = row["id"]
            name = row["name"]
            score = row["score"]
        }

        func encode(to container: inout PersistenceContainer) {
            container["id"] = id
            container["name"] = name
            container["score"] = score
        }

        // Mutating callback to capture the auto-incremented id
        mutating func didInsert(_ inserted: InsertionSuccess) {
            id = inserted.rowID
        }
    }

    @Test
    func `A MutablePersistableRecord gets its id when it is inserted`() throws {
        try makeDatabase().write { db in
            var player = Player(id: nil, name: "Arthur", score: 100)
            try player.insert(db)
            #expect(player.id == 43)  // The auto-incremented id
        }
    }

    @Test
    func `A PersistableRecord gets its id when it is inserted`() throws {
        class Player: PersistableRecord {
            static let databaseTableName = "player"

            var id: Int64?
            var name: String
            var score: Int

            init(id: Int64?, name: String, score: Int) {
                self.id = id
                self.name = name
                self.score = score
            }

            func encode(to container: inout PersistenceContainer) {
                container["id"] = id
                container["name"] = name
                container["score"] = score
            }

            // Non-mutating callback
            func didInsert(_ inserted: InsertionSuccess) {
                id = inserted.rowID
            }
        }

        try makeDatabase().write { db in
            let player = Player(id: nil, name: "Arthur", score: 100)
            try player.insert(db)
            #expect(player.id == 43)  // The auto-incremented id
        }
    }

    @Test
    func `Encoding records`() throws {
        // The PersistenceContainer stores your record's values. Each key corresponds to a database column name.
        var container = PersistenceContainer()
        Player(id: nil, name: "Arthur", score: 100).encode(to: &container)
        #expect(
            Dictionary(container.map { ($0, $1) }, uniquingKeysWith: { $1 }) == [
                "id": .null, "name": "Arthur".databaseValue, "score": 100.databaseValue,
            ])

        // Column names are case-insensitive.
        container["NAME"] = "Barbara"
        #expect(container["name"] as String? == "Barbara")
        #expect(container.count == 3)
    }

    @Test
    func `Basic insert`() throws {
        try makeDatabase().write { db in
            var player = Player(id: nil, name: "Arthur", score: 100)
            try player.insert(db)
            // player.id is now set to the auto-incremented value
            #expect(player.id == 43)
        }
    }

    @Test
    func `Insert with conflict resolution`() throws {
        try makeDatabase().write { db in
            var player = Player(id: 1, name: "Arthur II", score: 100)
            // Ignore conflicts
            try player.insert(db, onConflict: .ignore)
            #expect(try Player.find(db, id: 1).name == "Arthur")

            // Replace existing row
            try player.insert(db, onConflict: .replace)
            #expect(try Player.find(db, id: 1).name == "Arthur II")

            // Abort on conflict (default)
            let error = #expect(throws: DatabaseError.self) { try player.insert(db, onConflict: .abort) }
            #expect(error?.resultCode == .SQLITE_CONSTRAINT)
        }
    }

    @Test(arguments: [(Database.ConflictResolution.fail, 4), (.rollback, 3)])
    func `The other strategies: fail leaves the transaction, and rollback ends it`(_ strategy: Database.ConflictResolution, _ count: Int)
        throws
    {
        let dbQueue = try makeDatabase()
        try dbQueue.inDatabase { db throws in
            try db.beginTransaction()
            var barbara = Player(id: nil, name: "Barbara II", score: 0)
            try barbara.insert(db)
            var player = Player(id: 1, name: "Arthur II", score: 100)
            #expect(throws: DatabaseError.self) { try player.insert(db, onConflict: strategy) }
            if strategy == .fail {
                try db.commit()
            } else {
                // SQLite has ended the transaction; this says that the program knows.
                try db.rollback()
            }
            #expect(try Player.fetchCount(db) == count)
        }
    }

    @Test
    func `Insert and return`() throws {
        try makeDatabase().write { db in
            let player = Player(id: nil, name: "Arthur", score: 100)
            let insertedPlayer = try player.inserted(db)
            // insertedPlayer has the auto-incremented id
            #expect(insertedPlayer.id == 43)
            #expect(player.id == nil)
        }
    }

    @Test
    func `Insert and fetch`() throws {
        struct PartialPlayer: MutablePersistableRecord {
            static let databaseTableName = "player"
            var name: String

            func encode(to container: inout PersistenceContainer) {
                container["name"] = name
            }
        }

        struct FullPlayer: FetchableRecord, TableRecord, Decodable {
            static let databaseTableName = "player"
            var id: Int64
            var name: String
            var score: Int  // Has a default value in the database
            var createdAt: Date  // Generated column
        }

        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (
                        id INTEGER PRIMARY KEY,
                        name TEXT NOT NULL,
                        score INTEGER NOT NULL DEFAULT 1000,
                        createdAt TEXT NOT NULL GENERATED ALWAYS AS (datetime(id, 'unixepoch')))
                    """)
            var partial = PartialPlayer(name: "Arthur")
            let full = try partial.insertAndFetch(db, as: FullPlayer.self)
            #expect(full.score == 1000)  // The default value from the database
            #expect(full.createdAt == Date(timeIntervalSince1970: 1))  // The generated timestamp
            #expect(full.id == 1 && full.name == "Arthur")
        }
    }

    @Test
    func `Update all columns`() throws {
        try makeDatabase().write { db in
            var player = try #require(try Player.fetchOne(db, id: 1))
            player.score = 200
            try player.update(db)
            #expect(try Player.find(db, id: 1).score == 200)
            #expect(try Player.fetchCount(db) == 3)
        }
    }

    @Test
    func `Update specific columns`() throws {
        try makeDatabase().write { db in
            var player = try #require(try Player.fetchOne(db, id: 1))
            player.score = 300
            player.name = "Arthur II"

            // Update only the score column
            try player.update(db, columns: ["score"])
            #expect(try Player.find(db, id: 1).score == 300)

            // Or use Column expressions
            player.score = 400
            try player.update(db, columns: [Column("score")])
            #expect(try Player.find(db, id: 1).score == 400)
            #expect(try Player.find(db, id: 1).name == "Arthur")
        }
    }

    @Test
    func `Update changes only`() throws {
        try makeDatabase().write { db in
            let oldPlayer = try #require(try Player.fetchOne(db, id: 1))
            var newPlayer = oldPlayer
            newPlayer.score = 200
            newPlayer.name = "Arthur II"

            let modified = try newPlayer.updateChanges(db, from: oldPlayer)
            if modified {
                #expect(try Player.find(db, id: 1).name == "Arthur II")
                #expect(try Player.find(db, id: 1).score == 200)
            } else {
                Issue.record("Player was not updated")
            }

            let modifiedAgain = try newPlayer.updateChanges(db, from: newPlayer)
            #expect(!modifiedAgain)
        }
    }

    @Test
    func `Update with a closure`() throws {
        try makeDatabase().write { db in
            var player = try #require(try Player.fetchOne(db, id: 1))

            let modified = try player.updateChanges(db) { record in
                record.score += 10
                record.name = record.name.uppercased()
            }

            #expect(modified)
            #expect(player.score == 110 && player.name == "ARTHUR")
            #expect(try Player.find(db, id: 1).score == 110)
            #expect(try Player.find(db, id: 1).name == "ARTHUR")
        }
    }

    @Test
    func `Update and fetch`() throws {
        try makeDatabase().write { db in
            try db.execute(
                sql: """
                    CREATE TRIGGER doubled AFTER UPDATE OF score ON player WHEN NEW.score < 1000
                    BEGIN UPDATE player SET name = 'Sir ' || NEW.name WHERE id = NEW.id; END
                    """)
            var player = try #require(try Player.fetchOne(db, id: 1))
            player.score = 200

            let updated = try player.updateAndFetch(db)
            #expect(updated.score == 200)  // Includes any database-side changes
            #expect(try Player.find(db, id: 1).name == "Sir Arthur")
        }
    }

    @Test
    func `save inserts or updates`() throws {
        try makeDatabase().write { db in
            var player = Player(id: nil, name: "Arthur", score: 100)

            // First call inserts
            try player.save(db)
            #expect(player.id == 43)  // Some id

            // Subsequent calls update
            player.score = 200
            try player.save(db)
            #expect(try Player.find(db, id: 43).score == 200)
            #expect(try Player.fetchCount(db) == 4)
        }
    }

    @Test
    func `Save and return`() throws {
        try makeDatabase().write { db in
            let player = Player(id: nil, name: "Arthur", score: 100)
            let savedPlayer = try player.saved(db)
            #expect(savedPlayer.id == 43)
        }
    }

    @Test
    func `Save and fetch`() throws {
        try makeDatabase().write { db in
            let player = Player(id: nil, name: "Arthur", score: 100)
            let savedPlayer = try player.saveAndFetch(db)
            #expect(savedPlayer.id == 43)
            #expect(try savedPlayer.saveAndFetch(db).id == 43)
            #expect(try Player.fetchCount(db) == 4)
        }
    }

    @Test
    func `delete returns whether there was a row`() throws {
        try makeDatabase().write { db in
            let player = try #require(try Player.fetchOne(db, id: 1))
            let deleted = try player.delete(db)

            if deleted {
                #expect(try Player.fetchOne(db, id: 1) == nil)
            } else {
                Issue.record("Player was not found")
            }
            #expect(try player.delete(db) == false)
        }
    }

    @Test
    func `upsert inserts or updates`() throws {
        struct Player: MutablePersistableRecord {
            static let databaseTableName = "player"
            var email: String  // Unique constraint
            var name: String
            var score: Int

            func encode(to container: inout PersistenceContainer) {
                container["email"] = email
                container["name"] = name
                container["score"] = score
            }
        }

        let dbQueue = try DatabaseQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT NOT NULL, score INTEGER)")
            var player = Player(email: "arthur@example.com", name: "Arthur", score: 100)

            // Insert or update based on email uniqueness
            try player.upsert(db)
            let ids = try Int64.fetchAll(db, sql: "SELECT id FROM player")

            player.score = 200
            try player.upsert(db)
            #expect(try Int64.fetchAll(db, sql: "SELECT id FROM player") == ids)
            #expect(try Int.fetchAll(db, sql: "SELECT score FROM player") == [200])
        }
    }

    /// What the samples of the callbacks print.
    private final class Output {
        var lines: [String] = []
    }

    @Test
    func `Insertion callbacks`() throws {
        struct Player: MutablePersistableRecord {
            var id: Int64?
            var name: String
            var createdAt: Date?
            let output: Output

            func encode(to container: inout PersistenceContainer) {
                container["id"] = id
                container["name"] = name
                container["createdAt"] = createdAt
            }

            // Called before insertion
            mutating func willInsert(_ db: Database) throws {
                createdAt = Date()
            }

            // Called after successful insertion
            mutating func didInsert(_ inserted: InsertionSuccess) {
                id = inserted.rowID
            }

            // Wrap the insertion
            func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
                output.lines.append("About to insert \(name)")
                _ = try insert()
                output.lines.append("Did insert \(name)")
            }
        }

        try makeDatabase().write { db in
            try db.execute(sql: "ALTER TABLE player ADD COLUMN createdAt DATETIME")
            let output = Output()
            var player = Player(id: nil, name: "Arthur", createdAt: nil, output: output)
            try player.insert(db)
            #expect(player.id == 43)
            #expect(player.createdAt != nil)
            #expect(output.lines == ["About to insert Arthur", "Did insert Arthur"])
            #expect(try Date.fetchOne(db, sql: "SELECT createdAt FROM player WHERE id = 43") != nil)
        }
    }

    @Test
    func `Update callbacks`() throws {
        struct Player: MutablePersistableRecord {
            var id: Int64
            var updatedAt: Date?
            let output: Output

            func encode(to container: inout PersistenceContainer) {
                container["id"] = id
                container["updatedAt"] = updatedAt
            }

            // Called before update
            mutating func willUpdate(_ db: Database, columns: Set<String>) throws {
                updatedAt = Date()
            }

            // Called after successful update
            func didUpdate(_ updated: PersistenceSuccess) {
                output.lines.append("Record was updated")
            }

            // Wrap the update
            func aroundUpdate(
                _ db: Database,
                columns: Set<String>,
                update: () throws -> PersistenceSuccess
            ) throws {
                output.lines.append("Updating columns: \(columns)")
                _ = try update()
            }
        }

        try makeDatabase().write { db in
            try db.execute(sql: "ALTER TABLE player ADD COLUMN updatedAt DATETIME")
            let output = Output()
            var player = Player(id: 1, updatedAt: nil, output: output)
            try player.update(db)
            #expect(player.updatedAt != nil)
            #expect(output.lines == [#"Updating columns: ["updatedAt"]"#, "Record was updated"])
            #expect(try Date.fetchOne(db, sql: "SELECT updatedAt FROM player WHERE id = 1") != nil)
        }
    }

    @Test
    func `Save callbacks`() throws {
        struct Player: MutablePersistableRecord {
            var id: Int64
            let output: Output

            func encode(to container: inout PersistenceContainer) {
                container["id"] = id
                container["name"] = "Arthur"
            }

            // Called before save (insert or update)
            func willSave(_ db: Database) throws {
                output.lines.append("About to save")
            }

            // Called after successful save
            func didSave(_ saved: PersistenceSuccess) {
                output.lines.append("Did save")
            }

            // Wrap the save
            func aroundSave(
                _ db: Database,
                save: () throws -> PersistenceSuccess
            ) throws {
                output.lines.append("Saving...")
                _ = try save()
            }
        }

        try makeDatabase().write { db in
            let output = Output()
            let saving = ["About to save", "Saving...", "Did save"]
            var player = Player(id: 50, output: output)
            try player.insert(db)
            #expect(output.lines == saving)
            try player.update(db)
            #expect(output.lines == saving + saving)
            try player.save(db)
            #expect(output.lines == saving + saving + saving)
        }
    }

    @Test
    func `Deletion callbacks`() throws {
        struct Player: MutablePersistableRecord {
            var id: Int64
            let output: Output

            func encode(to container: inout PersistenceContainer) {
                container["id"] = id
            }

            // Called before deletion
            func willDelete(_ db: Database) throws {
                output.lines.append("About to delete")
            }

            // Called after successful deletion
            func didDelete(deleted: Bool) {
                if deleted {
                    output.lines.append("Was deleted")
                }
            }

            // Wrap the deletion
            func aroundDelete(
                _ db: Database,
                delete: () throws -> Bool
            ) throws {
                output.lines.append("Deleting...")
                _ = try delete()
            }
        }

        try makeDatabase().write { db in
            let output = Output()
            let player = Player(id: 1, output: output)
            try player.delete(db)
            #expect(output.lines == ["About to delete", "Deleting...", "Was deleted"])
            try player.delete(db)
            #expect(output.lines.dropFirst(3) == ["About to delete", "Deleting..."])
        }
    }

    @Test
    func `Conflict resolution policy`() throws {
        struct Player: MutablePersistableRecord {
            static var persistenceConflictPolicy: PersistenceConflictPolicy {
                PersistenceConflictPolicy(
                    insert: .replace,  // Replace on insert conflict
                    update: .abort  // Abort on update conflict
                )
            }

            var id: Int64
            var name: String

            func encode(to container: inout PersistenceContainer) {
                container["id"] = id
                container["name"] = name
            }
        }

        try makeDatabase().write { db in
            var player = Player(id: 1, name: "Arthur II")
            // Uses .replace for insertion
            try player.insert(db)
            #expect(try String.fetchOne(db, sql: "SELECT name FROM player WHERE id = 1") == "Arthur II")

            // Override with explicit conflict resolution
            player.name = "Arthur III"
            try player.insert(db, onConflict: .ignore)
            #expect(try String.fetchOne(db, sql: "SELECT name FROM player WHERE id = 1") == "Arthur II")
        }
    }

    @Test
    func `Checking existence`() throws {
        try makeDatabase().write { db in
            let player = Player(id: 42, name: "Arthur", score: 100)

            if try player.exists(db) {
                try player.delete(db)
            } else {
                Issue.record("Player does not exist")
            }
            #expect(try player.exists(db) == false)
        }
    }

    @Test
    func `Automatic conformance with Encodable`() throws {
        try makeDatabase().write { db in
            var player = EncodablePlayer(id: nil, name: "Arthur", score: 100)
            try player.insert(db)
            #expect(player.id == 43)
        }
    }
}

private struct EncodablePlayer: Encodable {
    var id: Int64?
    var name: String
    var score: Int
}

// Just add the protocols - no encode(to:) needed!
extension EncodablePlayer: MutablePersistableRecord {
    static let databaseTableName = "player"

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}
