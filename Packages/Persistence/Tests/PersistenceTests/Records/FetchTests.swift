import Persistence
import Testing

// Methods that write a record and fetch its row.

/// A player without what the database fills in.
private struct PartialPlayer: MutablePersistableRecord {
    static let databaseTableName = "player"
    var id: Int64?
    var name: String
    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
    }
    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

/// A player with all that the database fills in.
private struct FullPlayer: TableRecord, FetchableRecord, Equatable {
    static let databaseTableName = "player"
    var id: Int64
    var name: String
    var score: Int
    var initial: String

    init(id: Int64, name: String, score: Int, initial: String) {
        (self.id, self.name, self.score, self.initial) = (id, name, score, initial)
    }

    init(row: Row) throws {
        id = row["id"]
        name = row["name"]
        score = try row.decode(Int.self, forKey: "score")
        initial = row["initial"]
    }
}

/// A record that is a class.
private final class Team: PersistableRecord, FetchableRecord {
    var id: Int64?
    var name: String
    init(name: String) { self.name = name }
    init(row: Row) throws {
        id = row["id"]
        name = row["name"]
    }
    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
    }
    func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

private let createPlayer = """
    CREATE TABLE player (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, score INTEGER NOT NULL DEFAULT 1000,
        initial TEXT NOT NULL AS (substr(name, 1, 1)));
    """

@Suite struct FetchTests {
    @Test
    func `insertAndFetch gives the row as the database has completed it`() throws {
        try withDatabase(createPlayer) { db throws in
            var partial = PartialPlayer(name: "Arthur")
            let statements = try db.statements {
                let full = try partial.insertAndFetch(db, as: FullPlayer.self)
                #expect(full == FullPlayer(id: 1, name: "Arthur", score: 1000, initial: "A"))
            }
            #expect(statements == [#"INSERT INTO "player" ("id", "name") VALUES (NULL, 'Arthur') RETURNING *"#])
            #expect(partial.id == 1)
        }
        try withDatabase(Player.createTable) { db throws in
            let player = Player(name: "Arthur", score: 5)
            #expect(try player.insertAndFetch(db) == Player(id: 1, name: "Arthur", score: 5))
            #expect(player.id == nil)
        }
    }

    @Test
    func `A selection of columns is fetched by a closure`() throws {
        try withDatabase(createPlayer) { db throws in
            var partial = PartialPlayer(name: "Arthur")
            let statements = try db.statements {
                let score = try partial.insertAndFetch(db, selection: [Column("score")]) { try Int.fetchOne($0) }
                #expect(score == 1000)
            }
            #expect(statements.first == #"INSERT INTO "player" ("id", "name") VALUES (NULL, 'Arthur') RETURNING "score""#)
            // Expressions with arguments, each time others.
            for factor in [2, 3] {
                partial.name += "!"
                let selection: [any SQLSelectable] = [SQL("score * \(factor)"), SQL("\(factor) AS factor"), Column("name")]
                let row = try partial.updateAndFetch(db, selection: selection) { try Row.fetchOne($0) }
                #expect(
                    row.map { Array($0.databaseValues) } == [1000 * factor, factor].map(\.databaseValue) + [partial.name.databaseValue])
                #expect(row?.columnNames.last == "name")
            }
            #expect(try db.rows("SELECT name, score FROM player") == ["'Arthur!!' 1000"])
        }
    }

    @Test
    func `The closure's statement only returns: it can run twice, or not at all`() throws {
        try withDatabase(createPlayer) { db throws in
            var partial = PartialPlayer(name: "Arthur")
            let ids = try partial.insertAndFetch(db, selection: [Column("id")]) { statement in
                try Int.fetchAll(statement) + Int.fetchAll(statement)
            }
            #expect(ids == [1, 1])
            var other = PartialPlayer(name: "Barbara")
            #expect(try other.insertAndFetch(db, selection: [Column("id")]) { _ in 42 } == 42)
            #expect(try db.rows("SELECT id, name FROM player") == ["1 'Arthur'", "2 'Barbara'"])
        }
    }

    @Test
    func `A row that is ignored is not found, and gives a closure no row`() throws {
        try withDatabase(createPlayer) { db throws in
            var partial = PartialPlayer(name: "Arthur")
            try partial.insert(db)
            var other = PartialPlayer(name: "Arthur")
            let error = #expect(throws: RecordError.self) {
                try other.insertAndFetch(db, onConflict: .ignore, as: FullPlayer.self)
            }
            #expect(error?.expandedDescription == "no row in table player with id = NULL")
            let rows = try other.insertAndFetch(db, onConflict: .ignore, selection: [Column("id"), Column("name")]) {
                #expect($0.columnNames == ["id", "name"])
                return try Row.fetchAll($0)
            }
            #expect(rows.isEmpty)
            #expect(other.id == nil)
            try PartialPlayer(id: 2, name: "Barbara").insertAndFetch(db, as: FullPlayer.self, thenExpect: 2)
            var second = PartialPlayer(id: 2, name: "Arthur")
            #expect(throws: RecordError.self) { try second.updateAndFetch(db, onConflict: .ignore, as: FullPlayer.self) }
            #expect(try second.updateChangesAndFetch(db, onConflict: .ignore, as: FullPlayer.self) { $0.id = 1 } != nil)
            #expect(throws: DatabaseError.self) { try other.insertAndFetch(db, as: FullPlayer.self) }
            #expect(try other.insertAndFetch(db, onConflict: .replace, as: FullPlayer.self).id == 3)
        }
    }

    @Test
    func `updateAndFetch gives the row as the database has completed it`() throws {
        try withDatabase(createPlayer) { db throws in
            var partial = PartialPlayer(name: "Arthur")
            try partial.insert(db)
            partial.name = "Barbara"
            let statements = try db.statements { () throws in
                #expect(try partial.updateAndFetch(db, as: FullPlayer.self).initial == "B")
            }
            #expect(statements == [#"UPDATE "player" SET "name" = 'Barbara' WHERE "id" = 1 RETURNING *"#])
            let selection: [any SQLSelectable] = [Column("initial")]
            let constant = PartialPlayer(id: 1, name: "Craig")
            #expect(try constant.updateAndFetch(db, as: FullPlayer.self).initial == "C")
            for name in ["David", "Eugene", "Fitzgerald"] {
                let player = PartialPlayer(id: 1, name: name)
                let initial: String? =
                    switch name.first {
                    case "D": try player.updateAndFetch(db, columns: ["name"], selection: selection) { try String.fetchOne($0) }
                    case "E": try player.updateAndFetch(db, columns: [Column("NAME")], selection: selection) { try String.fetchOne($0) }
                    default: try player.updateAndFetch(db, columns: [String](), selection: selection) { try String.fetchOne($0) }
                    }
                #expect(initial == (name == "Fitzgerald" ? "E" : String(name.prefix(1))))
            }
            let error = #expect(throws: RecordError.self) {
                try PartialPlayer(id: 9, name: "Nobody").updateAndFetch(db, as: FullPlayer.self)
            }
            #expect(error?.expandedDescription == "no row in table player with id = 9")
        }
        try withDatabase(Player.createTable) { db throws in
            var player = try Player(name: "Arthur").inserted(db)
            player.score = 1
            #expect(try player.updateAndFetch(db) == player)
            let constant = Player(id: 1, name: "Barbara", score: 2)
            #expect(try constant.updateAndFetch(db) == constant)
        }
    }

    @Test
    func `updateChangesAndFetch gives nil when nothing has changed`() throws {
        try withDatabase(createPlayer) { db throws in
            var partial = PartialPlayer(name: "Arthur")
            try partial.insert(db)
            try db.expect([]) { () throws in #expect(try partial.updateChangesAndFetch(db, as: FullPlayer.self) { _ in } == nil) }
            let full = try partial.updateChangesAndFetch(db, as: FullPlayer.self) { $0.name = "Barbara" }
            #expect(full == FullPlayer(id: 1, name: "Barbara", score: 1000, initial: "B"))
            let score = try partial.updateChangesAndFetch(db, selection: [Column("score")]) {
                try Int.fetchOne($0)
            } modify: {
                $0.name = "Craig"
            }
            #expect(score == 1000)
            let constant = partial
            #expect(try constant.updateChangesAndFetch(db, as: FullPlayer.self) { $0.name = "David" }?.name == "David")
        }
        try withDatabase(Player.createTable) { db throws in
            var player = try Player(name: "Arthur", score: 1).inserted(db)
            #expect(try player.updateChangesAndFetch(db) { $0.score = 2 } == Player(id: 1, name: "Arthur", score: 2))
            #expect(try player.updateChangesAndFetch(db) { $0.score = 2 } == nil)
        }
    }

    @Test
    func `saveAndFetch inserts, and then updates`() throws {
        try withDatabase(createPlayer) { db throws in
            var partial = PartialPlayer(name: "Arthur")
            #expect(try partial.saveAndFetch(db, as: FullPlayer.self).id == 1)
            partial.name = "Barbara"
            #expect(try partial.saveAndFetch(db, as: FullPlayer.self).initial == "B")
            let count = try partial.saveAndFetch(db, selection: [Column("id"), Column("score")]) { $0.columnCount }
            #expect(count == 2)
            #expect(try Player.fetchCount(db) == 1)
        }
        try withDatabase(Player.createTable) { db throws in
            let player = Player(name: "Arthur")
            #expect(try player.saveAndFetch(db).id == 1)
        }
    }

    @Test
    func `An object writes and fetches`() throws {
        try withDatabase("CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT UNIQUE, colour TEXT DEFAULT 'red')") { db throws in
            let team = Team(name: "Reds")
            #expect(try team.insertAndFetch(db, as: Team.self) !== team)
            #expect(team.id == 1)
            #expect(try team.updateAndFetch(db).name == "Reds")
            #expect(try team.saveAndFetch(db).name == "Reds")
            #expect(try team.saveAndFetch(db, as: Team.self).name == "Reds")
            #expect(try team.updateChanges(db) { $0.name = "Blues" })
            #expect(team.name == "Blues")
            #expect(try team.updateChangesAndFetch(db) { $0.name = "Greens" }?.name == "Greens")
            let colour: [any SQLSelectable] = [Column("colour")]
            #expect(try team.updateAndFetch(db, selection: colour) { try String.fetchOne($0) } == "red")
            #expect(try team.saveAndFetch(db, selection: colour) { try String.fetchOne($0) } == "red")
            #expect(try team.upsertAndFetch(db).id == 1)
            #expect(try team.upsertAndFetch(db, as: Team.self, onConflict: ["name"]).id == 1)
            #expect(try Team(name: "Whites").insertAndFetch(db, selection: colour) { try String.fetchOne($0) } == "red")
            #expect(try Team(name: "Blacks").insertAndFetch(db).id == 3)
            #expect(try db.rows("SELECT id, name FROM team ORDER BY id") == ["1 'Greens'", "2 'Whites'", "3 'Blacks'"])
        }
    }

    @Test
    func `Later changes of the row by triggers are fetched, too`() throws {
        let schema =
            Player.createTable + """
                ;
                CREATE TABLE log (entry TEXT);
                CREATE TRIGGER i AFTER INSERT ON player BEGIN
                    INSERT OR REPLACE INTO log (rowid, entry) VALUES (77, NEW.name);
                    UPDATE player SET score = 7 WHERE id = NEW.id;
                END;
                CREATE TRIGGER u AFTER UPDATE OF name ON player BEGIN UPDATE player SET score = 8 WHERE id = NEW.id; END;
                """
        try withDatabase(schema) { db throws in
            let statements = try db.statements { () throws in
                #expect(try Player(name: "Arthur").insertAndFetch(db) == Player(id: 1, name: "Arthur", score: 7))
            }
            #expect(
                statements == [
                    #"INSERT INTO "player" ("id", "name", "score") VALUES (NULL, 'Arthur', NULL) RETURNING "id""#,
                    #"SELECT * FROM "player" WHERE "id" = 1"#,
                ])
            var player = Player(id: 1, name: "Barbara", score: 0)
            #expect(try player.updateAndFetch(db).score == 8)
            #expect(try player.upsertAndFetch(db).score == 8)
            // The row ID of a trigger's insertion is not the record's.
            var other = Player(name: "Craig")
            let score = try other.insertAndFetch(db, selection: [SQL("score + 1")]) { try Int.fetchOne($0) }
            #expect(score == 8)
            #expect(other.id == 2)
            var third = Player(name: "David")
            try third.insert(db)
            #expect(third.id == 3)
            try third.upsert(db)
            #expect(third.id == 3)
        }
        // Of a key that SQLite does not give, and of a temporary trigger.
        try withDatabase("CREATE TABLE word (a TEXT, b TEXT DEFAULT 'b', text TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID") { db throws in
            struct Word: MutablePersistableRecord {
                func encode(to container: inout PersistenceContainer) { container["a"] = "a" }
            }
            try db.execute(sql: "CREATE TEMP TRIGGER i AFTER INSERT ON word BEGIN UPDATE word SET text = 'triggered'; END")
            var word = Word()
            let text = try word.insertAndFetch(db, selection: [Column("text")]) { try String.fetchOne($0) }
            #expect(text == "triggered")
        }
    }

    @Test
    func `A trigger that deletes the row leaves nothing to fetch`() throws {
        let schema = Player.createTable + "; CREATE TRIGGER i AFTER INSERT ON player BEGIN DELETE FROM player WHERE id = NEW.id; END"
        try withDatabase(schema) { db throws in
            #expect(throws: RecordError.self) { try Player(name: "Arthur").insertAndFetch(db) }
            var player = Player(name: "Arthur")
            #expect(try player.insertAndFetch(db, selection: [AllColumns()]) { try Row.fetchAll($0).count } == 0)
        }
    }

    @Test
    func `An error while the row is fetched undoes the change`() throws {
        struct Strict: MutablePersistableRecord, FetchableRecord {
            static let databaseTableName = "player"
            init() {}
            init(row: Row) throws { throw TestError() }
            func encode(to container: inout PersistenceContainer) { container["name"] = "Arthur" }
        }
        try DatabaseQueue().writeWithoutTransaction { db throws in
            try db.execute(sql: createPlayer)
            var record = Strict()
            for write in [
                { _ = try record.insertAndFetch(db) }, { _ = try record.saveAndFetch(db) }, { _ = try record.upsertAndFetch(db) },
                { try record.insertAndFetch(db, selection: [Column("id")]) { _ in throw TestError() } },
            ] {
                #expect(throws: TestError.self) { try write() }
                #expect(!db.isInsideTransaction)
                #expect(try db.rows("SELECT * FROM player") == [])
            }
            let empty = #expect(throws: DatabaseError.self) { try record.insertAndFetch(db, selection: []) { _ in } }
            #expect(empty?.message == "nothing to fetch from table player: the selection is empty")
            let missing = #expect(throws: DatabaseError.self) { try record.insertAndFetch(db, selection: [Column("nothing")]) { _ in } }
            // Later releases of SQLite put the name in quotes.
            #expect(missing?.message?.hasPrefix("no such column: ") == true)
            #expect(try db.rows("SELECT * FROM player") == [])
        }
    }

    @Test
    func `A foreign key is checked although the row is all that is asked for`() throws {
        struct Member: MutablePersistableRecord, FetchableRecord {
            var id: Int64?
            var team: Int64
            init(team: Int64) { self.team = team }
            init(row: Row) throws {
                id = row["id"]
                team = row["team"]
            }
            func encode(to container: inout PersistenceContainer) { container["team"] = team }
        }
        try withDatabase("CREATE TABLE team (id INTEGER PRIMARY KEY); CREATE TABLE member (id INTEGER PRIMARY KEY, team REFERENCES team)") {
            db throws in
            let error = #expect(throws: DatabaseError.self) { try Member(team: 9).insertAndFetch(db) }
            #expect(error?.message == "FOREIGN KEY constraint failed")
            // SQLite 3.38 gives another code for statements with RETURNING.
            let hasCode = SQLiteLibrary.current.versionNumber >= 3_039_000
            #expect(error?.extendedResultCode == (hasCode ? .SQLITE_CONSTRAINT_FOREIGNKEY : .SQLITE_ERROR))
            #expect(try db.rows("SELECT * FROM member") == [])
        }
    }
}

extension PartialPlayer {
    fileprivate func insertAndFetch(_ db: Database, as type: FullPlayer.Type, thenExpect id: Int64) throws {
        var copy = self
        #expect(try copy.insertAndFetch(db, as: type).id == id)
    }
}
