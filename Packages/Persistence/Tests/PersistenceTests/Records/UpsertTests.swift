import Persistence
import Testing

/// A word and how often it was seen.
private struct Word: MutablePersistableRecord, FetchableRecord, Equatable {
    var id: Int64?
    var text: String
    var kind: String
    var isTainted = false
    var count: Int?

    init(text: String, kind: String, isTainted: Bool = false) {
        (self.text, self.kind, self.isTainted) = (text, kind, isTainted)
    }

    init(row: Row) throws {
        id = row["id"]
        text = row["text"]
        kind = row["kind"]
        isTainted = row["isTainted"]
        count = row["count"]
    }

    func encode(to container: inout PersistenceContainer) {
        container["text"] = text
        container["kind"] = kind
        container["isTainted"] = isTainted
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }

    static let createTable = """
        CREATE TABLE word (
            id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, isTainted BOOLEAN NOT NULL, count INTEGER DEFAULT 1)
        """
}

@Suite struct UpsertTests {
    @Test
    func `An upsert inserts, or updates the row of any unique key, and the record learns its row id`() throws {
        try withDatabase(Word.createTable) { db throws in
            var word = Word(text: "jovial", kind: "adjective")
            let sql = try db.statements { try word.upsert(db) }
            #expect(
                sql == [
                    #"INSERT INTO "word" ("text", "kind", "isTainted") VALUES ('jovial', 'adjective', 0) ON CONFLICT DO UPDATE SET "#
                        + #""text" = "excluded"."text", "kind" = "excluded"."kind", "isTainted" = "excluded"."isTainted" RETURNING "id""#
                ])
            #expect(word.id == 1)
            var other = Word(text: "cat", kind: "noun")
            try other.upsert(db)
            #expect(other.id == 2)
            // SQLite's last row ID is 2 now.
            var again = Word(text: "jovial", kind: "adj.")
            try again.upsert(db)
            #expect(again.id == 1)
            #expect(try db.rows("SELECT id, text, kind, count FROM word") == ["1 'jovial' 'adj.' 1", "2 'cat' 'noun' 1"])
        }
    }

    @Test
    func `The program decides what an update assigns, and what it does not change`() throws {
        try withDatabase(Word.createTable) { db throws in
            var word = Word(text: "jovial", kind: "adjective")
            try word.upsert(db)
            var tainted = Word(text: "jovial", kind: "slang", isTainted: true)
            let sql = try db.statements {
                let result = try tainted.upsertAndFetch(
                    db, onConflict: ["text"],
                    doUpdate: { _ in [Column("count") += 1, Column("isTainted").noOverwrite] })
                #expect(result.id == 1)
                #expect(result.kind == "slang")
                #expect(!result.isTainted)
                #expect(result.count == 2)
            }
            #expect(
                sql == [
                    #"INSERT INTO "word" ("text", "kind", "isTainted") VALUES ('jovial', 'slang', 1) ON CONFLICT("text") DO UPDATE SET "#
                        + #""count" = "count" + 1, "kind" = "excluded"."kind" RETURNING *, "id""#
                ])
            #expect(tainted.id == 1)
            // With arguments that differ, and the row that was not inserted.
            for step in [10, 20] {
                try word.upsert(db, onConflict: ["text"]) { excluded in
                    [Column("count") += step, Column("kind").set(to: excluded["text"])]
                }
            }
            #expect(try db.rows("SELECT text, kind, count FROM word") == ["'jovial' 'jovial' 32"])
            // Of a record that conflicts in another key, the error is thrown.
            try db.execute(sql: "CREATE UNIQUE INDEX kinds ON word (kind)")
            var third = Word(text: "new", kind: "jovial")
            let error = #expect(throws: DatabaseError.self) { try third.upsert(db, onConflict: ["text"]) }
            #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
            let noKey = #expect(throws: DatabaseError.self) { try third.upsert(db, onConflict: ["count"]) }
            #expect(noKey?.message == "ON CONFLICT clause does not match any PRIMARY KEY or UNIQUE constraint")
        }
    }

    @Test
    func `Assignments and conditions get their values in tables without row IDs, too`() throws {
        struct Tally: PersistableRecord, FetchableRecord, Equatable {
            static let databaseTableName = "word"
            var text: String
            var count: Int

            init(_ text: String, _ count: Int) { (self.text, self.count) = (text, count) }

            init(row: Row) throws { self.init(row["text"], row["count"]) }

            func encode(to container: inout PersistenceContainer) {
                container["text"] = text
                container["count"] = count
            }
        }
        try withDatabase("CREATE TABLE word (text TEXT PRIMARY KEY, count INTEGER) WITHOUT ROWID") { db throws in
            let tally = Tally("jovial", 1)
            try tally.upsert(db, onConflict: ["text"]) { _ in [Column("count") += 1] }
            let sql = try db.statements { try tally.upsert(db, onConflict: ["text"]) { _ in [Column("count") += 1] } }
            #expect(
                sql == [
                    #"INSERT INTO "word" ("text", "count") VALUES ('jovial', 1) ON CONFLICT("text") DO UPDATE SET "count" = "count" + 1"#
                ])
            #expect(try db.rows("SELECT * FROM word") == ["'jovial' 2"])
            try [tally, tally].upsertAll(db, onConflict: ["text"], doUpdate: { _ in [Column("count") += 10] })
            #expect(try db.rows("SELECT * FROM word") == ["'jovial' 22"])
            #expect(
                try tally.upsertWithOutcome(
                    db, onConflict: ["text"], doUpdate: { _ in [Column("count").set(to: 42)] }, where: { _ in Column("count") < 42 })
                    == .updated)
            #expect(try db.rows("SELECT * FROM word") == ["'jovial' 42"])
            try tally.upsert(db, onConflict: ["text"], where: { $0["count"] > 1 })
            #expect(try db.rows("SELECT * FROM word") == ["'jovial' 42"])
            // The arguments of an error are those of the record, and those of the clauses.
            try db.execute(sql: "CREATE UNIQUE INDEX counts ON word (count); INSERT INTO word VALUES ('cat', 50)")
            let error = #expect(throws: DatabaseError.self) {
                try tally.upsert(db, onConflict: ["text"]) { _ in [Column("count").set(to: 50)] }
            }
            #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
            #expect(error?.arguments == ["jovial", 1, 50])
        }
    }

    @Test
    func `An upsert assigns to columns of its own table only`() throws {
        try withDatabase(Word.createTable + ";" + Player.createTable) { db throws in
            var word = Word(text: "jovial", kind: "adjective")
            try word.upsert(db)
            let count = Column("count", of: Word.self)
            try word.upsert(db, onConflict: ["text"]) { excluded in [count += 1, Column("kind", of: Word.self).set(to: excluded["text"])] }
            let kind = Column("kind", of: Player.self)
            for assignment in [kind.set(to: "x"), kind += 1, kind.noOverwrite, TypedColumn<String>("kind", of: Player.self).set(to: "x")] {
                let error = #expect(throws: DatabaseError.self) { try word.upsert(db, onConflict: ["text"]) { _ in [assignment] } }
                #expect(error?.message == "the column kind of player can't be assigned in a change of word")
            }
            #expect(try db.rows("SELECT kind, count FROM word") == ["'jovial' 2"])
        }
    }

    @Test
    func `An outcome tells an insertion from an update where the new row is not in the partial index of the target`() throws {
        for options in ["", " WITHOUT ROWID"] {
            let sql = """
                CREATE TABLE sheet (id INTEGER PRIMARY KEY, room INTEGER, guest TEXT, isOpen BOOLEAN)\(options);
                CREATE UNIQUE INDEX rooms ON sheet (room) WHERE isOpen;
                """
            try withDatabase(sql) { db throws in
                func outcome(_ id: Int, _ room: Int, isOpen: Bool, guest: String = "A") throws -> UpsertOutcome {
                    var sheet = Sheet(["id": id, "room": room, "guest": guest, "isOpen": isOpen])
                    return try sheet.upsertWithOutcome(db, onConflict: ["room"])
                }
                #expect(try outcome(1, 7, isOpen: true) == .inserted)
                #expect(try outcome(2, 7, isOpen: false) == .inserted)
                #expect(try outcome(3, 7, isOpen: true, guest: "B") == .updated)
                // An update that gives the row another key.
                var sheet = Sheet(["id": 4, "room": 7, "guest": "C", "isOpen": true])
                let updating = UpsertUpdateStrategy.columns(["id", "guest"])
                #expect(try sheet.upsertWithOutcome(db, onConflict: ["room"], updating: updating) == .updated)
                #expect(try db.rows("SELECT * FROM sheet ORDER BY id") == ["2 7 'A' 0", "4 7 'C' 1"])
            }
        }
    }

    @Test
    func `An upsert fetches its row as another type`() throws {
        struct Count: TableRecord, FetchableRecord {
            static let databaseTableName = "word"
            static var databaseSelection: [any SQLSelectable] { [Column("count")] }
            var columnNames: [String]
            init(row: Row) throws { columnNames = Array(row.columnNames) }
        }
        try withDatabase(Word.createTable) { db throws in
            var word = Word(text: "jovial", kind: "adjective")
            // The program does not see the row ID, which the statement also returns.
            #expect(try word.upsertAndFetch(db, as: Count.self).columnNames == ["count"])
            #expect(try word.upsertAndFetch(db, as: Count.self, onConflict: ["text"]) { _ in [] }.columnNames == ["count"])
            #expect(word.id == 1)
        }
    }

    @Test(arguments: ["", " WITHOUT ROWID"])
    func `Where all columns are the key, an existing row stays as it is`(_ suffix: String) throws {
        struct Tag: MutablePersistableRecord, FetchableRecord {
            var name: String
            var rowID: Int64?
            init(name: String) { self.name = name }
            init(row: Row) throws { name = row["name"] }
            func encode(to container: inout PersistenceContainer) { container["name"] = name }
            mutating func didInsert(_ inserted: InsertionSuccess) { rowID = inserted.rowID }
        }
        try withDatabase("CREATE TABLE tag (name TEXT PRIMARY KEY)" + suffix) { db throws in
            var tag = Tag(name: "swift")
            try tag.upsert(db)
            let sql = try db.statements { () throws in #expect(try tag.upsertAndFetch(db).name == "swift") }
            #expect(
                sql == [
                    #"INSERT INTO "tag" ("name") VALUES ('swift') ON CONFLICT DO UPDATE SET "name" = "name" RETURNING *"#
                        + (suffix.isEmpty ? #", "rowid""# : "")
                ])
            #expect(tag.rowID == (suffix.isEmpty ? 1 : 0))
            #expect(try db.rows("SELECT * FROM tag") == ["'swift'"])
        }
    }

    @Test
    func `The row id has another name where a column has taken the first one`() throws {
        try withDatabase("CREATE TABLE word (text TEXT PRIMARY KEY, rowid TEXT, kind TEXT, isTainted BOOLEAN)") { db throws in
            var word = Word(text: "jovial", kind: "adjective")
            let sql = try db.statements { try word.upsert(db) }
            #expect(sql.first?.hasSuffix(#" RETURNING "oid""#) == true)
            #expect(word.id == 1)
        }
    }

    @Test
    func `A record without columns is inserted`() throws {
        struct Visit: PersistableRecord {
            func encode(to container: inout PersistenceContainer) {}
        }
        try withDatabase("CREATE TABLE visit (id INTEGER PRIMARY KEY, place TEXT DEFAULT 'here')") { db throws in
            try db.expect([#"INSERT INTO "visit" DEFAULT VALUES RETURNING "id""#]) { try Visit().upsert(db) }
            #expect(try db.rows("SELECT * FROM visit") == ["1 'here'"])
        }
    }

    @Test
    func `Statements are made once, whatever the record types between`() throws {
        try withDatabase(Word.createTable + ";" + Player.createTable) { db throws in
            for index in 0..<5 {
                var word = Word(text: "word \(index % 2)", kind: "noun")
                try word.upsert(db)
                var player = Player(name: "Player \(index % 2)", score: index)
                try player.upsert(db)
                #expect(word.id == Int64(index % 2 + 1))
                #expect(player.id == Int64(index % 2 + 1))
            }
            #expect(try db.rows("SELECT name, score FROM player") == ["'Player 0' 4", "'Player 1' 3"])
            // The schema changes.
            try db.execute(sql: "DROP TABLE player; CREATE TABLE player (name TEXT PRIMARY KEY, id INTEGER, score INTEGER) WITHOUT ROWID")
            var player = Player(name: "Player 0", score: 9)
            #expect(try db.statements { try player.upsert(db) }.first?.contains("RETURNING") == false)
            #expect(player.id == 0)
        }
    }

    // MARK: - Conditions and outcomes

    @Test
    func `An update can be limited to some columns, and to rows that it changes`() throws {
        try withDatabase(Word.createTable) { db throws in
            var word = Word(text: "jovial", kind: "adjective")
            try word.upsert(db)
            let values = #"INSERT INTO "word" ("text", "kind", "isTainted") VALUES ('jovial', 'slang', 1) ON CONFLICT("text") "#
            var slang = Word(text: "jovial", kind: "slang", isTainted: true)
            try db.expect([values + #"DO UPDATE SET "kind" = "excluded"."kind" RETURNING "id""#]) {
                try slang.upsert(db, onConflict: ["text"], updating: .columns(["KIND"]))
            }
            try db.expect([values + #"DO UPDATE SET "count" = "count" + 1 RETURNING "id""#]) {
                try slang.upsert(db, onConflict: ["text"], updating: .noColumnUnlessSpecified) { _ in [Column("count") += 1] }
            }
            try db.expect([
                values + #"DO UPDATE SET "kind" = "excluded"."kind", "isTainted" = "excluded"."isTainted" "#
                    + #"WHERE "kind" COLLATE BINARY IS NOT "excluded"."kind" "#
                    + #"OR "isTainted" COLLATE BINARY IS NOT "excluded"."isTainted" RETURNING "id""#
            ]) { try slang.upsert(db, onConflict: ["text"], updating: .allColumns.ifChanged) }
            #expect(try db.rows("SELECT kind, isTainted, count FROM word") == ["'slang' 1 2"])
            try db.expect([
                values + #"DO UPDATE SET "count" = max("count", 2), "kind" = "excluded"."kind" "#
                    + #"WHERE ("excluded"."isTainted" > "isTainted") "#
                    + #"AND ("count" COLLATE BINARY IS NOT (max("count", 2)) "#
                    + #"OR "kind" COLLATE BINARY IS NOT "excluded"."kind") RETURNING "id""#
            ]) {
                try slang.upsert(
                    db, onConflict: ["text"], updating: .columns([Column("kind")]).ifChanged,
                    doUpdate: { _ in [Column("count").set(to: SQL(sql: "max(\"count\", 2)"))] },
                    where: { $0["isTainted"] > Column("isTainted") })
            }
            try db.expect([values + #"DO NOTHING RETURNING "id""#]) {
                try slang.upsert(db, onConflict: ["text"], updating: .noColumnUnlessSpecified.ifChanged)
            }
            let missing = #expect(throws: DatabaseError.self) { try slang.upsert(db, updating: .columns(["score"])) }
            #expect(missing?.message == "an upsert into word updates the column score, which the record lacks")
        }
    }

    @Test
    func `An import of equal rows changes nothing, and runs no trigger`() throws {
        let audit = """
            ; CREATE TABLE audit (text TEXT);
            CREATE TRIGGER noted AFTER UPDATE ON word BEGIN INSERT INTO audit VALUES (new.text || ' ' || new.kind); END
            """
        try withDatabase(Word.createTable.replacing("kind TEXT", with: "kind TEXT COLLATE NOCASE") + audit) { db throws in
            var words = (0..<100).map { Word(text: "word \($0)", kind: "noun") }
            try words.upsertAll(db, onConflict: ["text"], updating: .allColumns.ifChanged)
            #expect(words[99].id == 100)
            words[7].kind = "Noun"
            words[8].isTainted = true
            words.append(Word(text: "new", kind: "noun"))
            let outcomes = try words.upsertAllWithOutcomes(db, onConflict: ["text"], updating: .allColumns.ifChanged)
            #expect(outcomes.indices.filter { outcomes[$0] == .updated } == [7, 8])
            #expect(outcomes.indices.filter { outcomes[$0] == .inserted } == [100])
            #expect(outcomes.count { $0 == .unchanged } == 98)
            // Strings that are equal for the column's collation differ.
            #expect(try db.rows("SELECT * FROM audit") == ["'word 7 Noun'", "'word 8 noun'"])
            // Without the condition, each row is updated.
            try words.upsertAll(db, onConflict: ["text"])
            #expect(try db.rows("SELECT count(*) FROM audit") == ["103"])
        }
    }

    @Test
    func `NULL is compared as a value, and the row ID is not known if nothing is written`() throws {
        struct Note: MutablePersistableRecord {
            var id: Int64?
            var key: String
            var text: String?
            func encode(to container: inout PersistenceContainer) {
                container["key"] = key
                container["text"] = text
            }
            mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
        }
        try withDatabase("CREATE TABLE note (id INTEGER PRIMARY KEY, key TEXT UNIQUE, text TEXT)") { db throws in
            for (text, outcome) in [
                (nil, .inserted), (nil, .unchanged), ("a", .updated), ("a", .unchanged), (nil, .updated), (nil, .unchanged),
            ] as [(String?, UpsertOutcome)] {
                var note = Note(key: "k", text: text)
                #expect(try note.upsertWithOutcome(db, onConflict: ["key"], updating: .allColumns.ifChanged) == outcome)
                #expect(note.id == (outcome == .unchanged ? nil : 1))
            }
        }
    }

    @Test(arguments: [
        "id INTEGER PRIMARY KEY, key TEXT UNIQUE, value", "key TEXT PRIMARY KEY, value, id INTEGER) WITHOUT ROWID; --",
        "id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT UNIQUE COLLATE NOCASE, value",
        "key TEXT PRIMARY KEY COLLATE NOCASE, value, id INTEGER) WITHOUT ROWID; --", "id INTEGER, key TEXT PRIMARY KEY, value",
    ])
    func `The outcome is known for each kind of table`(_ columns: String) throws {
        struct Item: PersistableRecord, FetchableRecord {
            static let databaseTableName = "item"
            var id: Int64?
            var key: String
            var value: Int
            init(_ key: String, _ value: Int, id: Int64? = nil) { (self.key, self.value, self.id) = (key, value, id) }
            init(row: Row) throws { (key, value, id) = (row["key"], row["value"], row["id"]) }
            func encode(to container: inout PersistenceContainer) {
                container["key"] = key
                container["value"] = value
                container["id"] = id
            }
        }
        try withDatabase("CREATE TABLE item (\(columns)\n)".replacing("; --\n)", with: "")) { db throws in
            let folds = columns.contains("NOCASE")
            let target = ["key"]
            func outcome(_ item: Item) throws -> UpsertOutcome {
                try item.upsertWithOutcome(db, onConflict: target, updating: .columns(["value"]).ifChanged)
            }
            #expect(try outcome(Item("a", 1)) == .inserted)
            let rowID = db.lastInsertedRowID
            #expect(try outcome(Item("a", 1)) == .unchanged)
            #expect(try outcome(Item("a", 2)) == .updated)
            // An update is not an insertion for SQLite either.
            #expect(db.lastInsertedRowID == rowID)
            #expect(try outcome(Item("A", 2)) == (folds ? .unchanged : .inserted))
            #expect(try outcome(Item("min", 1, id: .min)) == .inserted)
            #expect(try outcome(Item("min", 2, id: .min)) == .updated)
            #expect(try outcome(Item("zero", 2, id: 0)) == .inserted)
            #expect(try outcome(Item("zero", 3, id: 0)) == .updated)
            #expect(try Item("zero", 3).upsertAndFetch(db, onConflict: target, updating: .columns(["value"]).ifChanged).id == 0)
            #expect(try Item("b", 1).upsertAndFetch(db, onConflict: target, where: { _ in false }).value == 1)
            #expect(try Item("b", 2).upsertAndFetch(db, onConflict: target, where: { _ in false }).value == 1)
            let error = #expect(throws: DatabaseError.self) { try Item("b", 2).upsertAndFetch(db, where: { _ in false }) }
            #expect(error?.message == "a row of item that an upsert leaves unchanged can't be fetched without its key")
            // A failed upsert leaves the last row ID as it is.
            let last = db.lastInsertedRowID
            try db.execute(sql: "CREATE TRIGGER refusal BEFORE INSERT ON item BEGIN SELECT RAISE(ABORT, 'no'); END")
            #expect(throws: DatabaseError.self) { try outcome(Item("c", 1)) }
            #expect(db.lastInsertedRowID == last)
        }
    }

    @Test
    func `Triggers that insert other rows don't change the outcome`() throws {
        let triggers = """
            ; CREATE TABLE log (id INTEGER PRIMARY KEY, text TEXT);
            CREATE TRIGGER inserted AFTER INSERT ON word BEGIN INSERT INTO log (text) VALUES ('+' || new.text); END;
            CREATE TRIGGER updated AFTER UPDATE ON word BEGIN INSERT INTO log (text) VALUES ('=' || new.text); END;
            CREATE TRIGGER ignored BEFORE INSERT ON word WHEN new.text = 'x' BEGIN SELECT RAISE(IGNORE); END
            """
        try withDatabase(Word.createTable + triggers) { db throws in
            let outcomes = try ["a", "b", "a", "x", "b"].map { text in
                var word = Word(text: text, kind: "noun")
                return try word.upsertWithOutcome(db, onConflict: ["text"])
            }
            #expect(outcomes == [.inserted, .inserted, .updated, .unchanged, .updated])
            #expect(try db.rows("SELECT text FROM log") == ["'+a'", "'+b'", "'=a'", "'=b'"])
        }
    }

    @Test
    func `A partial unique index is the target of an upsert`() throws {
        let index = "; CREATE UNIQUE INDEX live ON word (text) WHERE kind IS NOT NULL /* a */ AND (isTainted = 0) -- live rows"
        try withDatabase(Word.createTable.replacing(" UNIQUE", with: "") + index) { db throws in
            try db.execute(sql: "INSERT INTO word (text, kind, isTainted) VALUES ('jovial', 'old', 1)")
            for (kind, outcome) in [("adjective", UpsertOutcome.inserted), ("adj.", .updated)] {
                var word = Word(text: "jovial", kind: kind)
                let sql = try db.statements { () throws in #expect(try word.upsertWithOutcome(db, onConflict: ["text"]) == outcome) }
                #expect(
                    sql.last?.contains(
                        #" ON CONFLICT("text") WHERE kind IS NOT NULL /* a */ AND (isTainted = 0) DO UPDATE SET "kind" = "#) == true)
            }
            var tainted = Word(text: "jovial", kind: "slang", isTainted: true)
            try tainted.upsert(db, onConflict: ["text"])
            #expect(try db.rows("SELECT kind FROM word ORDER BY id") == ["'old'", "'adj.'", "'slang'"])
            var same = Word(text: "jovial", kind: "adj.")
            #expect(try same.upsertAndFetch(db, onConflict: ["text"], updating: .allColumns.ifChanged).id == 2)
            // The condition of the index changes.
            try db.execute(sql: "DROP INDEX live; CREATE UNIQUE INDEX live ON word (text) WHERE kind = 'adj.'")
            try same.upsert(db, onConflict: ["text"])
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM word") == 3)
            try db.execute(sql: "CREATE UNIQUE INDEX other ON word (text) WHERE kind = 'x'")
            let error = #expect(throws: DatabaseError.self) { try same.upsert(db, onConflict: ["text"]) }
            #expect(error?.message == "the table word has several partial indexes on text: live, other")
            // An index of all rows makes the choice.
            try db.execute(sql: "DELETE FROM word WHERE id <> 2; CREATE UNIQUE INDEX every ON word (text)")
            #expect(try same.upsertWithOutcome(db, onConflict: ["text"]) == .updated)
        }
    }

    @Test
    func `Without a target, the outcome in a table without row IDs needs a single key`() throws {
        struct Tag: PersistableRecord {
            var name: String
            var code: Int
            func encode(to container: inout PersistenceContainer) {
                container["name"] = name
                container["code"] = code
            }
        }
        try withDatabase("CREATE TABLE tag (name TEXT PRIMARY KEY, code INTEGER) WITHOUT ROWID") { db throws in
            #expect(try Tag(name: "a", code: 1).upsertWithOutcome(db) == .inserted)
            #expect(try Tag(name: "a", code: 1).upsertWithOutcome(db) == .updated)
            #expect(try Tag(name: "a", code: 1).upsertWithOutcome(db, updating: .allColumns.ifChanged) == .unchanged)
            try db.execute(sql: "CREATE UNIQUE INDEX codes ON tag (code)")
            let error = #expect(throws: DatabaseError.self) { try Tag(name: "a", code: 1).upsertWithOutcome(db) }
            #expect(error?.message == "an upsert into tag, which has several keys, needs the columns of one")
            // Other upserts need none.
            try Tag(name: "a", code: 2).upsert(db)
        }
    }
}
