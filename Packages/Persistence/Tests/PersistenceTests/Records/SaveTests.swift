import Persistence
import Testing

@Suite struct SaveTests {
    @Test
    func `Records with a row and records without one take turns`() throws {
        try withDatabase(Player.createTable) { db throws in
            for round in 1...3 as ClosedRange<Int64> {
                let (first, second) = (Player(id: round * 10, name: "New \(round)"), Player(name: "Newer \(round), of some length"))
                var player = first
                try db.expect([
                    #"SELECT 1 FROM "player" WHERE "id" = \#(round * 10)"#,
                    #"INSERT INTO "player" ("id", "name", "score") VALUES (\#(round * 10), 'New \#(round)', NULL)"#,
                ]) { try player.save(db) }
                player.name = "Old \(round)"
                player.score = 1
                try db.expect([
                    #"SELECT 1 FROM "player" WHERE "id" = \#(round * 10)"#,
                    #"UPDATE "player" SET "name" = 'Old \#(round)', "score" = 1 WHERE "id" = \#(round * 10)"#,
                ]) { try player.save(db) }
                // Nothing is asked for a record without a key.
                var other = second
                try db.expect([
                    #"INSERT INTO "player" ("id", "name", "score") VALUES (NULL, 'Newer \#(round), of some length', NULL)"#
                ]) { try other.save(db) }
                #expect(other.id == round * 10 + 1)
            }
        }
    }

    @Test
    func `The policy of insertions or updates, or the call, decides how conflicts are resolved`() throws {
        struct Careful: MutablePersistableRecord {
            final class Log { var entries: [String] = [] }
            static let databaseTableName = "player"
            static let persistenceConflictPolicy = PersistenceConflictPolicy(insert: .ignore, update: .replace)
            var id: Int64?
            var name: String
            var log = Log()
            func encode(to container: inout PersistenceContainer) {
                container["id"] = id
                container["name"] = name
            }
            mutating func didInsert(_ inserted: InsertionSuccess) { log.entries.append("didInsert") }
            func didUpdate(_ updated: PersistenceSuccess) { log.entries.append("didUpdate \(updated.persistenceContainer.text)") }
            func didSave(_ saved: PersistenceSuccess) { log.entries.append("didSave \(saved.persistenceContainer.text)") }
        }
        for round in 1...3 {
            try withDatabase(Player.createTable) { db throws in
                // The first records of the type show which callbacks it has.
                for id in 100..<(100 + Int64(round)) {
                    var record = Careful(id: id, name: "Earlier \(id)")
                    try record.save(db)
                    try record.save(db)
                }
                try db.execute(sql: "DELETE FROM player; INSERT INTO player (id, name) VALUES (1, 'Arthur'), (2, 'Barbara')")
                var ignored = Careful(id: 3, name: "Arthur")
                try ignored.save(db)
                #expect(ignored.log.entries == ["didSave id: 3, name: 'Arthur'"])
                var replacing = Careful(id: 2, name: "Arthur")
                #expect(throws: DatabaseError.self) { try replacing.save(db, onConflict: .abort) }
                try replacing.save(db, onConflict: .ignore)
                #expect(try db.rows("SELECT id, name FROM player ORDER BY id") == ["1 'Arthur'", "2 'Barbara'"])
                #expect(replacing.log.entries == ["didUpdate id: 2, name: 'Arthur'", "didSave id: 2, name: 'Arthur'"])
                try replacing.save(db)
                #expect(try db.rows("SELECT id, name FROM player") == ["2 'Arthur'"])
                var inserted = Careful(id: 4, name: "Craig")
                try inserted.save(db)
                #expect(inserted.log.entries == ["didInsert", "didSave id: 4, name: 'Craig'"])
            }
        }
    }

    @Test
    func `Records of different columns take turns, among them some without a key`() throws {
        try withDatabase("CREATE TABLE sheet (id INTEGER PRIMARY KEY, a, b AS (a * 2))") { db throws in
            for round in 1...3 {
                var sheet = Sheet(["a": round])
                try sheet.save(db)
                sheet = Sheet(["b": 7, "ID": round, "a": round * 10])
                try sheet.save(db)
                sheet = Sheet(["id": round, "a": round * 100, "b": 7])
                try sheet.save(db)
            }
            #expect(try db.rows("SELECT * FROM sheet") == ["1 100 200", "2 200 400", "3 300 600"])
        }
    }

    @Test
    func `A change of the schema between two records is noticed`() throws {
        try withDatabase("CREATE TABLE sheet (id INTEGER PRIMARY KEY, a)") { db throws in
            var sheets = [Sheet(["id": 1, "a": 10]), Sheet(["id": 2, "a": 20])]
            try sheets.saveAll(db)
            try sheets.saveAll(db)
            try db.execute(sql: "DROP TABLE sheet; CREATE TABLE sheet (id, a PRIMARY KEY) WITHOUT ROWID")
            try db.execute(sql: "INSERT INTO sheet VALUES (7, 10)")
            try sheets.saveAll(db)
            #expect(try db.rows("SELECT * FROM sheet") == ["1 10", "2 20"])
        }
    }

    @Test
    func `A record that fails does no harm to those that follow`() throws {
        try withDatabase(Player.createTable) { db throws in
            _ = try Player(id: 100, name: "Taken").inserted(db)
            for id in 1...3 as ClosedRange<Int64> {
                var player = Player(id: id, name: "Taken")
                let error = #expect(throws: DatabaseError.self) { try player.save(db) }
                #expect(error?.sql == #"INSERT INTO "player" ("id", "name", "score") VALUES (?, ?, ?)"#)
                player.name = "A name of some length, \(id)"
                try player.save(db)
                #expect(throws: TestError.self) { try Sheet(["id": 1], error: TestError()).saved(db) }
                player.name = "Taken"
                #expect(throws: DatabaseError.self) { try player.save(db) }
                player.name = "Another name of some length, \(id)"
                try player.save(db)
                #expect(try db.rows("SELECT name FROM player WHERE id = \(id)") == ["'Another name of some length, \(id)'"])
            }
        }
    }

    @Test
    func `A class, and a constant`() throws {
        final class Person: PersistableRecord {
            static let databaseTableName = "player"
            var id: Int64?
            var name = "Arthur"
            func encode(to container: inout PersistenceContainer) {
                container["id"] = id
                container["name"] = name
            }
            func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
        }
        try withDatabase(Player.createTable) { db throws in
            for round in 1...3 {
                let person = Person()
                person.name = "Arthur \(round)"
                try person.save(db)
                person.name = "Barbara \(round)"
                try person.save(db)
            }
            #expect(try db.rows("SELECT id, name FROM player ORDER BY id") == ["1 'Barbara 1'", "2 'Barbara 2'", "3 'Barbara 3'"])
        }
    }
}
