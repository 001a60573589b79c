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

    @Test
    func `Where all columns are the key, an existing row stays as it is`() throws {
        struct Tag: MutablePersistableRecord, FetchableRecord {
            var name: String
            var rowID: Int64?
            init(name: String) { self.name = name }
            init(row: Row) throws { name = row["name"] }
            func encode(to container: inout PersistenceContainer) { container["name"] = name }
            mutating func didInsert(_ inserted: InsertionSuccess) { rowID = inserted.rowID }
        }
        for suffix in ["", " WITHOUT ROWID"] {
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
}
