import Foundation
import Persistence
import Testing

@Suite struct WritingErrorTests {
    @Test(arguments: [true, false])
    func `The error of a record's statement has its arguments, and shows them when they are public`(arePublic: Bool) throws {
        var configuration = Configuration()
        configuration.publicStatementArguments = arePublic
        try DatabaseQueue(configuration: configuration).write { db throws in
            try db.execute(sql: Player.createTable)
            var player = try Player(name: "Arthur", score: 1).inserted(db)
            var other = try Player(name: "Barbara", score: 2).inserted(db)
            player.id = 3
            let insertion = #expect(throws: DatabaseError.self) { try player.insert(db) }
            #expect(insertion?.arguments?.description == "[3, \"Arthur\", 1]")
            #expect("\(insertion!)".contains("Arthur") == arePublic)
            #expect(insertion?.message == "UNIQUE constraint failed: player.name")
            other.name = "Arthur"
            let update = #expect(throws: DatabaseError.self) { try other.update(db) }
            #expect(update?.arguments?.description == "[\"Arthur\", 2, 2]")
            let fetch = #expect(throws: DatabaseError.self) { try other.updateAndFetch(db) }
            #expect(fetch?.arguments?.description == "[\"Arthur\", 2, 2]")
            let upsert = #expect(throws: DatabaseError.self) {
                try player.upsert(db, onConflict: ["id"]) { _ in [Column("score") += 10] }
            }
            #expect(upsert?.arguments?.description == "[3, \"Arthur\", 1, 10]")
        }
    }

    @Test(arguments: [true, false])
    func `A value that can't be stored is shown when arguments are public`(arePublic: Bool) throws {
        struct Event: MutablePersistableRecord {
            static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { .iso8601 }
            var id: Int64 = 1
            var count: UInt64 = 0
            var date = Date(timeIntervalSince1970: 0)
            func encode(to container: inout PersistenceContainer) {
                container["id"] = id
                container["count"] = count
                container["date"] = date
            }
        }
        var configuration = Configuration()
        configuration.publicStatementArguments = arePublic
        try DatabaseQueue(configuration: configuration).write { db throws in
            try db.execute(sql: "CREATE TABLE event (id INTEGER PRIMARY KEY, count, date)")
            let events = [Event(count: UInt64(Int64.max) + 777), Event(date: Date(timeIntervalSince1970: 777e12))]
            for (event, value) in zip(events, ["9223372036854776584", "777000000000000.0"]) {
                var event = event
                for _ in 1...2 {
                    for run in [
                        { try event.insert(db) }, { try event.update(db) }, { try event.save(db) }, { try event.upsert(db) },
                        { try event.updateChanges(db, from: Event()) }, { try Event().updateChanges(db, from: event) },
                    ] as [() throws -> Any] {
                        let error = #expect(throws: DatabaseError.self) { _ = try run() }
                        #expect(error?.description.contains(value) == arePublic, "\(error.map { "\($0)" } ?? "")")
                        #expect(error?.expandedDescription.contains(value) == true)
                    }
                }
                let error = #expect(throws: DatabaseError.self) { try event.databaseDictionary }
                #expect(error?.description.contains(value) == false)
            }
        }
    }

    @Test
    func `Columns that SQLite computes are omitted, unless they are requested`() throws {
        struct Box: MutablePersistableRecord, FetchableRecord {
            var id: Int64?
            var side: Int
            var area: Int?
            init(side: Int) { self.side = side }
            init(row: Row) throws {
                id = row["id"]
                side = row["side"]
                area = row["area"]
            }
            func encode(to container: inout PersistenceContainer) {
                container["id"] = id
                container["AREA"] = area
                container["side"] = side
            }
            mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
            mutating func willUpdate(_ db: Database, columns: Set<String>) { #expect(columns == ["side"] || columns == ["area"]) }
        }
        try withDatabase("CREATE TABLE box (id INTEGER PRIMARY KEY, side INTEGER, area INTEGER AS (side * side) STORED)") { db throws in
            var box = Box(side: 2)
            let sql = try db.statements { try box.insert(db) }
            #expect(sql == [#"INSERT INTO "box" ("id", "side") VALUES (NULL, 2)"#])
            box.side = 3
            try db.expect([#"UPDATE "box" SET "side" = 3 WHERE "id" = 1"#]) { try box.update(db) }
            #expect(try box.updateAndFetch(db).area == 9)
            #expect(try !box.updateChanges(db) { $0.area = 10 })
            #expect(try box.updateChanges(db) { ($0.side, $0.area) = (4, 10) })
            #expect(try db.statements { try box.upsert(db) }.first?.contains("area") == false)
            #expect(try db.rows("SELECT * FROM box") == ["1 4 16"])
            try box.save(db)
            let error = #expect(throws: DatabaseError.self) { try box.update(db, columns: ["area"]) }
            #expect(error?.message == "column AREA can't be updated: table box computes it")
            #expect(try box.delete(db))
        }
    }

    @Test
    func `A row that a trigger silently refuses is not inserted, and a row that it protects stays`() throws {
        let schema =
            Player.createTable + """
                ;
                CREATE TRIGGER i BEFORE INSERT ON player WHEN NEW.name = 'Nobody' BEGIN SELECT RAISE(IGNORE); END;
                CREATE TRIGGER u BEFORE UPDATE ON player WHEN NEW.name = 'Nobody' BEGIN SELECT RAISE(IGNORE); END;
                """
        try withDatabase(schema) { db throws in
            _ = try Player(name: "Arthur").inserted(db)
            var nobody = Player(name: "Nobody")
            try nobody.insert(db)
            #expect(nobody.id == nil)
            try nobody.upsert(db)
            #expect(nobody.id == nil)
            #expect(throws: RecordError.self) { try nobody.insertAndFetch(db) }
            nobody.id = 1
            try nobody.update(db)
            #expect(try db.rows("SELECT id, name FROM player") == ["1 'Arthur'"])
            nobody.id = 2
            #expect(throws: RecordError.self) { try nobody.update(db) }
        }
    }

    @Test
    func `A row that the table's own constraint ignores is not inserted`() throws {
        try withDatabase("CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT UNIQUE ON CONFLICT IGNORE, score INTEGER)") { db throws in
            _ = try Player(name: "Arthur").inserted(db)
            let barbara = try Player(name: "Barbara").inserted(db)
            var player = Player(name: "Arthur")
            try player.insert(db)
            #expect(player.id == nil)
            #expect(throws: RecordError.self) { try player.insertAndFetch(db) }
            player.id = barbara.id
            // The row exists, and stays as it is.
            try player.update(db)
            #expect(try db.rows("SELECT id, name FROM player ORDER BY id") == ["1 'Arthur'", "2 'Barbara'"])
        }
    }

    @Test
    func `willUpdate receives the columns of its record, where records of a type encode different ones`() throws {
        final class Log { var columns: [Set<String>] = [] }
        struct Various: MutablePersistableRecord {
            static let databaseTableName = "player"
            var columns: [String]
            let log: Log
            func encode(to container: inout PersistenceContainer) {
                container["id"] = 1
                for column in columns { container[column] = 5 }
            }
            func willUpdate(_ db: Database, columns: Set<String>) { log.columns.append(columns) }
        }
        try withDatabase("CREATE TABLE player (id INTEGER PRIMARY KEY, a, b)") { db throws in
            try db.execute(sql: "INSERT INTO player (id) VALUES (1)")
            let log = Log()
            try Various(columns: ["a"], log: log).update(db)
            // The second shape is noticed when it is written.
            try Various(columns: ["b"], log: log).update(db)
            log.columns = []
            for columns in [["a"], ["a", "b"], ["b"], ["a"]] {
                try Various(columns: columns, log: log).update(db)
            }
            #expect(log.columns == [["a"], ["a", "b"], ["b"], ["a"]])
        }
    }

    @Test
    func `The name of a table may have the name of its database before it, or a dot in it`() throws {
        struct Dotted: MutablePersistableRecord {
            static let databaseTableName = "aux.item"
            // A variable without stored properties has no address: the thread sanitizer would look at any memory.
            let id = 1
            func encode(to container: inout PersistenceContainer) { container["id"] = id }
        }
        try DatabaseQueue().writeWithoutTransaction { db throws in
            try db.execute(sql: "ATTACH ':memory:' AS aux; CREATE TABLE aux.item (id INTEGER PRIMARY KEY)")
            var dotted = Dotted()
            #expect(try db.statements { try dotted.insert(db) }[1] == #"INSERT INTO "aux"."item" ("id") VALUES (1)"#)
            try db.execute(sql: #"CREATE TABLE "aux.item" (id TEXT PRIMARY KEY)"#)
            #expect(try db.statements { try dotted.insert(db) }[1] == #"INSERT INTO "aux.item" ("id") VALUES (1)"#)
            #expect(try db.rows("SELECT count(*) FROM aux.item") == ["1"])
        }
    }
}
