import Persistence
import Testing

@Suite struct UpdateTests {
    @Test
    func `A record updates its row`() throws {
        try withDatabase(Player.createTable) { db throws in
            var player = try Player(name: "Arthur", score: 1).inserted(db)
            _ = try Player(name: "Barbara", score: 2).inserted(db)
            player.score = nil
            player.name = "Arthur II"
            try player.update(db)
            #expect(try db.rows("SELECT * FROM player") == ["1 'Arthur II' NULL", "2 'Barbara' 2"])
        }
    }

    @Test
    func `Some columns are updated, whatever the case of their names`() throws {
        try withDatabase(Player.createTable) { db throws in
            var player = try Player(name: "Arthur", score: 1).inserted(db)
            player.name = "Barbara"
            player.score = 2
            try player.update(db, columns: ["score"])
            #expect(try db.rows("SELECT * FROM player") == ["1 'Arthur' 2"])
            player.score = 3
            try player.update(db, columns: [Column("SCORE")])
            #expect(try db.rows("SELECT * FROM player") == ["1 'Arthur' 3"])
            player.score = 4
            let columns: [any ColumnExpression] = [Column("name"), Column("score")]
            try player.update(db, columns: columns)
            #expect(try db.rows("SELECT * FROM player") == ["1 'Barbara' 4"])
            player.score = 5
            try player.update(db, columns: Set(["score"]))
            #expect(try db.rows("SELECT * FROM player") == ["1 'Barbara' 5"])
        }
    }

    /// A variable of a record, with an observer. It is used on one thread.
    private final class Editor: @unchecked Sendable {
        struct Word: PersistableRecord, FetchableRecord {
            static let databaseTableName = "word"
            var id: Int64
            var text: String

            init(id: Int64, text: String) { (self.id, self.text) = (id, text) }
            init(row: Row) throws { self.init(id: try row.decode(forKey: "id"), text: try row.decode(forKey: "text")) }

            func encode(to container: inout PersistenceContainer) {
                container["id"] = id
                container["text"] = text
            }
        }

        var changeCount = 0
        var word = Word(id: 1, text: "a") { didSet { changeCount += 1 } }
    }

    @Test
    func `Updating a PersistableRecord does not change the variable that holds it, which stays readable meanwhile`() throws {
        try withDatabase("CREATE TABLE word (id INTEGER PRIMARY KEY, text TEXT)") { db throws in
            let editor = Editor()
            try editor.word.insert(db)
            // Reads the variable while the update runs.
            db.add(function: DatabaseFunction("current", argumentCount: 0) { _ in editor.word.text })
            try db.execute(sql: "CREATE TEMP TRIGGER t AFTER UPDATE ON word BEGIN SELECT current(); END")
            editor.word.text = "b"
            #expect(editor.changeCount == 1)
            try editor.word.update(db)
            try editor.word.update(db, columns: ["text"])
            try editor.word.update(db, columns: [Column("text")])
            try editor.word.updateChanges(db, from: Editor.Word(id: 1, text: "a"))
            _ = try editor.word.updateAndFetch(db)
            #expect(try editor.word.updateAndFetch(db, columns: ["text"], selection: [Column("text")]) { try String.fetchOne($0) } == "b")
            #expect(editor.changeCount == 1)
            #expect(try db.rows("SELECT * FROM word") == ["1 'b'"])
        }
    }

    @Test
    func `An update without columns shows whether the row exists`() throws {
        try withDatabase(Player.createTable) { db throws in
            var player = try Player(name: "Arthur", score: 1).inserted(db)
            player.name = "Barbara"
            try player.update(db, columns: [String]())
            try player.update(db, columns: ["id"])
            #expect(try db.rows("SELECT * FROM player") == ["1 'Arthur' 1"])
            try player.delete(db)
            #expect(throws: RecordError.self) { try player.update(db, columns: [String]()) }
        }
    }

    @Test
    func `A column that the record does not encode can't be updated`() throws {
        try withDatabase(Player.createTable) { db throws in
            let player = try Player(name: "Arthur").inserted(db)
            let error = #expect(throws: DatabaseError.self) { try player.update(db, columns: ["scores"]) }
            #expect(error?.message?.contains("scores") == true)
        }
    }

    @Test
    func `An update without a row is an error that names the key`() throws {
        try withDatabase(Player.createTable) { db throws in
            let error = #expect(throws: RecordError.self) { try Player(id: 42, name: "Arthur").update(db) }
            #expect(error?.expandedDescription == "no row in table player with id = 42")
            let nilError = #expect(throws: RecordError.self) { try Player(name: "Arthur").update(db) }
            #expect(nilError?.expandedDescription == "no row in table player with id = NULL")
        }
    }

    @Test
    func `A constant can be updated`() throws {
        try withDatabase(Player.createTable) { db throws in
            let player = try Player(name: "Arthur", score: 1).inserted(db)
            try player.update(db)
            try player.update(db, columns: ["score"])
            try player.update(db, columns: [Column("score")])
            try player.delete(db)
        }
    }

    @Test
    func `What willUpdate changes is written, and stays with the variable`() throws {
        struct Stamped: MutablePersistableRecord {
            static let databaseTableName = "player"
            var id: Int64
            var name: String
            var score = 0
            func encode(to container: inout PersistenceContainer) {
                container["id"] = id
                container["name"] = name
                container["score"] = score
            }
            mutating func willUpdate(_ db: Database, columns: Set<String>) { score += 1 }
        }
        try withDatabase(Player.createTable) { db throws in
            var player = Stamped(id: 1, name: "Arthur")
            try player.insert(db)
            try player.update(db)
            #expect(player.score == 1)
            try player.save(db)
            #expect(player.score == 2)
            #expect(try db.rows("SELECT * FROM player") == ["1 'Arthur' 2"])
            let constant = player
            try constant.update(db)
            #expect(constant.score == 2)
            #expect(try db.rows("SELECT * FROM player") == ["1 'Arthur' 3"])
        }
    }

    @Test
    func `Saving inserts new records, and updates existing ones`() throws {
        try withDatabase(Player.createTable) { db throws in
            var player = Player(name: "Arthur", score: 1)
            try player.save(db)
            #expect(player.id == 1)
            player.score = 2
            try player.save(db)
            #expect(try db.rows("SELECT * FROM player") == ["1 'Arthur' 2"])
            var other = Player(id: 7, name: "Barbara")
            try other.save(db)
            let saved = try Player(name: "Craig").saved(db)
            #expect(saved.id == 8)
            #expect(try db.rows("SELECT id FROM player") == ["1", "7", "8"])
        }
    }

    @Test
    func `A record is deleted once`() throws {
        try withDatabase(Player.createTable) { db throws in
            let player = try Player(name: "Arthur").inserted(db)
            #expect(try player.exists(db))
            #expect(try player.delete(db))
            #expect(try !player.delete(db))
            #expect(try !player.exists(db))
            #expect(try !Player(name: "Nobody").exists(db))
            #expect(try !Player(name: "Nobody").delete(db))
        }
    }
}
