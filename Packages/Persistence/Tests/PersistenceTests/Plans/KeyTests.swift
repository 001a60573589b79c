import Persistence
import Testing

@Suite struct KeyTests {
    /// A citizenship, whose key has two columns.
    private struct Citizenship: PersistableRecord {
        var person: Int64?
        var country: String?
        var since: Int
        func encode(to container: inout PersistenceContainer) {
            container["since"] = since
            container["country"] = country
            container["person"] = person
        }
    }

    @Test(arguments: ["", " WITHOUT ROWID"])
    func `Keys of several columns`(suffix: String) throws {
        try withDatabase(
            "CREATE TABLE citizenship (person INTEGER, country TEXT, since INTEGER, PRIMARY KEY (country, person))" + suffix
        ) { db throws in
            let citizenship = Citizenship(person: 1, country: "FR", since: 1990)
            try citizenship.insert(db)
            try Citizenship(person: 1, country: "CH", since: 2000).insert(db)
            try Citizenship(person: 1, country: "FR", since: 1991).update(db)
            try Citizenship(person: 2, country: "FR", since: 2010).save(db)
            try Citizenship(person: 2, country: "FR", since: 2011).save(db)
            #expect(
                try db.rows("SELECT person, country, since FROM citizenship ORDER BY since")
                    == ["1 'FR' 1991", "1 'CH' 2000", "2 'FR' 2011"])
            #expect(try citizenship.exists(db))
            #expect(try citizenship.delete(db))
            #expect(try !citizenship.exists(db))
            #expect(try !Citizenship(person: nil, country: "FR", since: 0).exists(db))
            let error = #expect(throws: RecordError.self) { try citizenship.update(db) }
            #expect(error?.expandedDescription == "no row in table citizenship with country = \"FR\" and person = 1")
        }
    }

    @Test
    func `A table WITHOUT ROWID gives no row id column`() throws {
        struct Word: MutablePersistableRecord {
            var text: String
            var rowIDColumn: String? = "unknown"
            func encode(to container: inout PersistenceContainer) { container["text"] = text }
            mutating func didInsert(_ inserted: InsertionSuccess) { rowIDColumn = inserted.rowIDColumn }
        }
        try withDatabase("CREATE TABLE word (text TEXT PRIMARY KEY) WITHOUT ROWID") { db throws in
            let word = try Word(text: "hello").inserted(db)
            #expect(word.rowIDColumn == nil)
            try word.update(db)
            #expect(try word.exists(db))
            #expect(try word.delete(db))
        }
    }

    @Test
    func `Without a primary key, the key is the row id, if the record encodes it`() throws {
        struct Note: MutablePersistableRecord {
            var rowid: Int64?
            var text: String
            func encode(to container: inout PersistenceContainer) {
                container["rowid"] = rowid
                container["text"] = text
            }
            mutating func didInsert(_ inserted: InsertionSuccess) { rowid = inserted.rowID }
        }
        try withDatabase("CREATE TABLE note (text TEXT)") { db throws in
            var note = Note(text: "first")
            try note.insert(db)
            #expect(note.rowid == 1)
            note.text = "second"
            try note.save(db)
            #expect(try db.rows("SELECT rowid, * FROM note") == ["1 'second'"])
            #expect(try note.delete(db))
        }
    }

    @Test
    func `A record that does not encode its key is new, and has no row to be found`() throws {
        struct Note: MutablePersistableRecord {
            var text: String
            func encode(to container: inout PersistenceContainer) { container["text"] = text }
        }
        try withDatabase("CREATE TABLE note (text TEXT)") { db throws in
            var note = Note(text: "first")
            #expect(try !note.exists(db))
            try note.save(db)
            try note.save(db)
            #expect(try !note.exists(db))
            #expect(try db.rows("SELECT rowid, * FROM note") == ["1 'first'", "2 'first'"])
            for operation in [{ try note.update(db) }, { _ = try note.delete(db) }] {
                let error = #expect(throws: DatabaseError.self) { try operation() }
                #expect(error?.message?.contains("does not encode rowid") == true)
            }
        }
    }

    @Test
    func `Names that SQL has uses for, or that need quotes`() throws {
        struct Order: MutablePersistableRecord {
            static let databaseTableName = #"select "order""#
            var group: Int64?
            var from: String
            func encode(to container: inout PersistenceContainer) {
                container["group"] = group
                container["from"] = from
                container["two words"] = 2
                container[#"a "quote""#] = 3
                container["🏆"] = 4
            }
            mutating func didInsert(_ inserted: InsertionSuccess) { group = inserted.rowID }
        }
        try withDatabase(
            #"CREATE TABLE "select ""order""" ("group" INTEGER PRIMARY KEY, "from" TEXT, "two words", "a ""quote""", "🏆")"#
        ) { db throws in
            var order = Order(from: "here")
            try order.insert(db)
            order.from = "there"
            try order.update(db)
            try order.update(db, columns: ["two words", #"a "quote""#, "🏆"])
            #expect(try db.rows(#"SELECT * FROM "select ""order""""#) == ["1 'there' 2 3 4"])
            #expect(try order.exists(db))
            #expect(try order.delete(db))
        }
    }

    @Test
    func `A table of an attached database is written by its name alone`() throws {
        try DatabaseQueue().writeWithoutTransaction { db throws in
            try db.execute(sql: "ATTACH ':memory:' AS other; CREATE TABLE other.player (id INTEGER PRIMARY KEY, name TEXT, score)")
            var player = Player(name: "Arthur")
            try player.insert(db)
            player.score = 1
            try player.update(db)
            #expect(try db.rows("SELECT * FROM other.player") == ["1 'Arthur' 1"])
            // A table of that name in the main database comes first.
            try db.execute(sql: Player.createTable)
            try player.insert(db)
            #expect(try db.rows("SELECT * FROM main.player") == ["1 'Arthur' 1"])
            #expect(try player.delete(db))
            #expect(try db.rows("SELECT * FROM other.player") == ["1 'Arthur' 1"])
        }
    }

    @Test
    func `A record writes to a view that has triggers for it`() throws {
        try withDatabase(
            """
            CREATE TABLE base (id INTEGER PRIMARY KEY, name TEXT);
            CREATE VIEW player AS SELECT id, name, NULL AS score FROM base;
            CREATE TRIGGER insertion INSTEAD OF INSERT ON player BEGIN INSERT INTO base VALUES (NEW.id, NEW.name); END;
            """
        ) { db throws in
            var player = Player(name: "Arthur")
            try player.insert(db)
            #expect(try db.rows("SELECT * FROM base") == ["1 'Arthur'"])
            // Its row can't be found again.
            let changes: [(Player) throws -> Void] = [
                { _ = try $0.exists(db) }, { try $0.update(db) }, { _ = try $0.delete(db) }, { _ = try $0.saved(db) },
                { throw $0.recordNotFound(db) }, { _ = try Player.fetchOne(db, key: $0.id) }, { _ = try Player.deleteOne(db, key: $0.id) },
            ]
            for change in changes {
                let error = #expect(throws: DatabaseError.self) { try change(player) }
                #expect(error?.message == "player is a view, whose primary key is not known")
            }
        }
    }
}

@Suite struct SchemaChangeTests {
    @Test
    func `Columns that are added and renamed between two records`() throws {
        try withDatabase("CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER)") { db throws in
            var player = Player(name: "Arthur", score: 1)
            try player.insert(db)
            try player.update(db)
            try db.execute(sql: "ALTER TABLE player ADD COLUMN extra TEXT DEFAULT 'x'")
            player.id = nil
            try player.insert(db)
            player.score = 2
            try player.update(db)
            #expect(try player.exists(db))
            #expect(try db.rows("SELECT * FROM player") == ["1 'Arthur' 1 'x'", "2 'Arthur' 2 'x'"])
            try db.execute(sql: "ALTER TABLE player RENAME COLUMN score TO points")
            #expect(throws: DatabaseError.self) { try player.update(db) }
            #expect(throws: DatabaseError.self) { _ = try Player(name: "Barbara").inserted(db) }
            try db.execute(sql: "ALTER TABLE player RENAME COLUMN points TO score")
            try player.update(db)
            #expect(try Player(name: "Barbara").inserted(db).id == 3)
        }
    }

    @Test
    func `A table that is created again with another primary key`() throws {
        final class Witness { var columns: [String?] = [] }
        struct Observed: MutablePersistableRecord {
            static let databaseTableName = "player"
            let witness: Witness
            var score = 0
            func encode(to container: inout PersistenceContainer) {
                container["id"] = 1
                container["name"] = "Arthur"
                container["score"] = score
            }
            func didInsert(_ inserted: InsertionSuccess) { witness.columns.append(inserted.rowIDColumn) }
        }
        let witness = Witness()
        try withDatabase("SELECT 1") { db throws in
            for key in ["id", "score", "name", "id"] {
                try db.execute(
                    sql: """
                        DROP TABLE IF EXISTS player;
                        CREATE TABLE player (\(["id", "name", "score"].map {
                            "\($0) \($0 == "name" ? "TEXT" : "INTEGER")\($0 == key ? " PRIMARY KEY" : "")"
                        }.joined(separator: ", ")))
                        """)
                var record = Observed(witness: witness, score: 5)
                try record.insert(db)
                record.score = key == "score" ? 5 : 6
                try record.update(db)
                #expect(try record.exists(db))
                #expect(try db.rows("SELECT id, name, score FROM player") == ["1 'Arthur' \(record.score)"])
                #expect(try record.delete(db))
                try record.save(db)
            }
            #expect(witness.columns == ["id", "id", "score", "score", nil, nil, "id", "id"])
        }
    }

    @Test
    func `A schema that another connection has changed`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/db.sqlite"
        let queue = try DatabaseQueue(path: path)
        let other = try DatabaseQueue(path: path)
        var player = Player(name: "Arthur", score: 1)
        try queue.write { db in
            try db.execute(sql: Player.createTable)
            try player.insert(db)
            try player.update(db)
        }
        try other.write { try $0.execute(sql: "ALTER TABLE player ADD COLUMN extra TEXT DEFAULT 'x'") }
        try queue.write { db throws in
            player.score = 2
            try player.update(db)
            try player.save(db)
            #expect(try player.exists(db))
            #expect(try Player(name: "Barbara").inserted(db).id == 2)
            #expect(try db.rows("SELECT * FROM player") == ["1 'Arthur' 2 'x'", "2 'Barbara' NULL 'x'"])
        }
        try other.write { db in
            try db.execute(
                sql: """
                    DROP TABLE player;
                    CREATE TABLE player (score INTEGER, name TEXT PRIMARY KEY, id INTEGER);
                    INSERT INTO player VALUES (0, 'Arthur', 10);
                    """)
        }
        try queue.writeWithoutTransaction { db throws in
            // The key is the name now.
            player.score = 3
            try player.update(db)
            #expect(try db.rows("SELECT * FROM player") == ["3 'Arthur' 1"])
            try other.write { try $0.execute(sql: "DROP TABLE player; \(Player.createTable)") }
            #expect(try !player.exists(db))
            try player.save(db)
            #expect(try db.rows("SELECT * FROM player") == ["1 'Arthur' 3"])
            #expect(try player.delete(db))
        }
    }

    @Test
    func `A table that is hidden by a temporary one`() throws {
        try DatabaseQueue().writeWithoutTransaction { db throws in
            try db.execute(sql: Player.createTable)
            var player = Player(name: "Arthur")
            try player.insert(db)
            try db.execute(sql: "CREATE TEMP TABLE player (name TEXT PRIMARY KEY, id INTEGER, score INTEGER)")
            try player.insert(db)
            player.score = 5
            try player.update(db)
            #expect(try db.rows("SELECT name, score FROM temp.player") == ["'Arthur' 5"])
            #expect(try db.rows("SELECT name, score FROM main.player") == ["'Arthur' NULL"])
        }
    }
}
