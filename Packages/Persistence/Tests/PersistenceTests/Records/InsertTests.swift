import Persistence
import Testing

@Suite struct InsertTests {
    @Test
    func `A record is inserted, and learns its row id`() throws {
        try withDatabase(Player.createTable) { db throws in
            var arthur = Player(name: "Arthur", score: 1000)
            try arthur.insert(db)
            #expect(arthur.id == 1)
            var barbara = Player(id: 10, name: "Barbara")
            try barbara.insert(db)
            #expect(barbara.id == 10)
            var craig = Player(name: "Craig", score: nil)
            try craig.insert(db)
            #expect(craig.id == 11)
            #expect(try db.rows("SELECT * FROM player") == ["1 'Arthur' 1000", "10 'Barbara' NULL", "11 'Craig' NULL"])
        }
    }

    @Test
    func `A record that is inserted by value leaves the original alone`() throws {
        try withDatabase(Player.createTable) { db throws in
            let player = Player(name: "Arthur")
            let inserted = try player.inserted(db)
            #expect(player.id == nil)
            #expect(inserted == Player(id: 1, name: "Arthur"))
        }
    }

    @Test
    func `Insertion outside a transaction has one of its own`() throws {
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction { db throws in
            try db.execute(sql: Player.createTable)
            var player = Player(name: "Arthur")
            try player.insert(db)
            #expect(!db.isInsideTransaction)
            try player.update(db)
            try player.save(db)
            try player.delete(db)
            #expect(!db.isInsideTransaction)
        }
    }

    @Test
    func `After an insertion, the row id, its column, and the values are known`() throws {
        final class Witness { var success: InsertionSuccess? }
        struct Observed: MutablePersistableRecord {
            var table: String
            var witness = Witness()
            static let databaseTableName = "player"
            func encode(to container: inout PersistenceContainer) {
                container["name"] = "Arthur"
                container["score"] = 5
            }
            func didInsert(_ inserted: InsertionSuccess) { witness.success = inserted }
        }
        try withDatabase("CREATE TABLE player (number INTEGER PRIMARY KEY, name TEXT, score INTEGER)") { db throws in
            var record = Observed(table: "player")
            try record.insert(db)
            let success = try #require(record.witness.success)
            #expect(success.rowID == 1)
            #expect(success.rowIDColumn == "number")
            #expect(success.persistenceContainer.text == "name: 'Arthur', score: 5, number: 1")
        }
        try withDatabase("CREATE TABLE player (name TEXT PRIMARY KEY, score INTEGER)") { db throws in
            var record = Observed(table: "player")
            try record.insert(db)
            let success = try #require(record.witness.success)
            #expect(success.rowID == 1)
            #expect(success.rowIDColumn == nil)
        }
    }

    @Test
    func `A record that encodes nothing inserts the table's defaults`() throws {
        struct Visit: PersistableRecord {
            func encode(to container: inout PersistenceContainer) {}
        }
        try withDatabase("CREATE TABLE visit (id INTEGER PRIMARY KEY, place TEXT DEFAULT 'here')") { db throws in
            try Visit().insert(db)
            try Visit().insert(db)
            #expect(try db.rows("SELECT * FROM visit") == ["1 'here'", "2 'here'"])
        }
    }

    @Test
    func `A class is inserted, and keeps its row id`() throws {
        class Team: PersistableRecord {
            // Otherwise the subclass has a table of its own.
            class var databaseTableName: String { "team" }
            var id: Int64?
            var name: String
            init(name: String) { self.name = name }
            func encode(to container: inout PersistenceContainer) {
                container["id"] = id
                container["name"] = name
            }
            func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
        }
        final class Club: Team {
            var motto = "Onward"
            override func encode(to container: inout PersistenceContainer) {
                super.encode(to: &container)
                container["motto"] = motto
            }
        }
        try withDatabase("CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT, motto TEXT)") { db throws in
            let team = Team(name: "Reds")
            try team.insert(db)
            #expect(team.id == 1)
            team.name = "Blues"
            try team.update(db)
            let club: Team = Club(name: "Greens")
            try club.save(db)
            #expect(club.id == 2)
            try team.save(db)
            #expect(try team.saved(db) === team)
            #expect(try db.rows("SELECT * FROM team") == ["1 'Blues' NULL", "2 'Greens' 'Onward'"])
            #expect(try team.exists(db))
            #expect(try team.delete(db))
            #expect(try !team.exists(db))
        }
    }

    @Test
    func `A violated constraint is an error that names it, and its statement`() throws {
        try withDatabase(Player.createTable) { db throws in
            _ = try Player(name: "Arthur").inserted(db)
            var player = Player(name: "Arthur")
            let error = #expect(throws: DatabaseError.self) { try player.insert(db) }
            #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
            #expect(error?.message == "UNIQUE constraint failed: player.name")
            #expect(error?.sql == #"INSERT INTO "player" ("id", "name", "score") VALUES (?, ?, ?)"#)
            #expect(player.id == nil)
            player.name = "Barbara"
            try player.insert(db)
            #expect(player.id == 2)
        }
    }

    @Test
    func `A missing table or column is an error that names it, until it exists`() throws {
        try withDatabase("SELECT 1") { db throws in
            var player = Player(name: "Arthur")
            #expect(throws: DatabaseError.self) { try player.insert(db) }
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
            let error = #expect(throws: DatabaseError.self) { try player.insert(db) }
            #expect(error?.message == "table player has no column named score")
            try db.execute(sql: "ALTER TABLE player ADD COLUMN score INTEGER")
            try player.insert(db)
            #expect(player.id == 1)
        }
    }
}
