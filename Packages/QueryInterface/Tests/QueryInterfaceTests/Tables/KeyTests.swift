import Foundation
import QueryInterface
import Testing

@Suite struct KeyTests {
    @Test
    func `A record is fetched by its key, or by its id`() throws {
        try withDatabase(Player.createTable) { db throws in
            #expect(try Player.fetchOne(db, key: 2)?.name == "Barbara")
            #expect(try Player.fetchOne(db, id: 2)?.name == "Barbara")
            #expect(try Player.fetchOne(db, key: 5) == nil)
            #expect(try Player.fetchOne(db, id: 5) == nil)
        }
    }

    @Test
    func `Fetching a nil id returns nil`() throws {
        try withDatabase(Player.createTable) { db throws in
            let none: Int64? = nil
            let some: Int64? = 1
            #expect(try Player.fetchOne(db, id: none) == nil)
            #expect(try Player.fetchOne(db, key: none) == nil)
            #expect(try Player.fetchOne(db, id: some)?.name == "Arthur")
        }
    }

    @Test
    func `Records are fetched by their keys, or by their ids`() throws {
        try withDatabase(Player.createTable) { db throws in
            #expect(try Player.fetchAll(db, keys: [1, 3, 9]).map(\.id).sorted() == [1, 3])
            #expect(try Player.fetchAll(db, ids: Set([2, 4])).map(\.id).sorted() == [2, 4])
            #expect(try Player.fetchAll(db, keys: 1...3).count == 3)
            #expect(try Player.fetchAll(db, keys: [Int]()).isEmpty)
        }
    }

    @Test
    func `find returns a record, or throws an error that names its key`() throws {
        try withDatabase(Player.createTable) { db throws in
            #expect(try Player.find(db, key: 1).name == "Arthur")
            #expect(try Player.find(db, id: 1).name == "Arthur")
            let error = #expect(throws: RecordError.self) { try Player.find(db, id: 42) }
            guard case .recordNotFound("player", let key) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(key == ["id": 42.databaseValue])
            #expect(error?.expandedDescription == "no row in table player with id = 42")
            #expect(error.map { "\($0)" } == "no row in table player with this id")
            let keys = ["person": 1.databaseValue, "country": "FR".databaseValue]
            let second = RecordError.recordNotFound(databaseTableName: "citizenship", key: keys)
            #expect("\(second)" == "no row in table citizenship with this country and this person")
            #expect(String(reflecting: second) == "\(second)")
            let none: Int64? = nil
            #expect(throws: RecordError.self) { try Player.find(db, key: none) }
        }
    }

    /// A player whose id is nil before it is inserted.
    private struct OptionalPlayer: FetchableRecord, TableRecord, Identifiable, Hashable {
        static let databaseTableName = "player"
        var id: Int64?
        init(row: Row) throws { id = row["id"] }
    }

    private struct CertainPlayer: FetchableRecord, TableRecord, Identifiable, Hashable {
        static let databaseTableName = "player"
        var id: Int64
        init(row: Row) throws { id = row["id"] }
    }

    // Without a warning: warnings are errors here.
    @Test
    func `Ids are of the type of the record's id, with or without an optional`() throws {
        try withDatabase(Player.createTable) { db throws in
            let (one, none, some): (Int64, Int64?, Int64?) = (1, nil, 1)
            for id in [none, some] {
                #expect(try OptionalPlayer.fetchOne(db, id: id)?.id == id)
                #expect(try CertainPlayer.fetchOne(db, id: id)?.id == id)
                #expect(try OptionalPlayer.filter(id: id).fetchAll(db).map(\.id) == (id == nil ? [] : [1]))
                #expect(try CertainPlayer.filter(id: id).fetchCount(db) == (id == nil ? 0 : 1))
                #expect(try CertainPlayer.all().filter(id: id).fetchCount(db) == (id == nil ? 0 : 1))
                #expect(try Table<CertainPlayer>("player").filter(id: id).fetchCount(db) == (id == nil ? 0 : 1))
            }
            #expect(try CertainPlayer.fetchOne(db, id: nil) == nil)
            #expect(try OptionalPlayer.fetchOne(db, id: nil) == nil)
            #expect(try OptionalPlayer.fetchOne(db, id: one)?.id == 1)
            #expect(try OptionalPlayer.find(db, id: one).id == 1)
            #expect(try OptionalPlayer.exists(db, id: one))
            let ids: [Int64] = [1, 2]
            #expect(try OptionalPlayer.fetchAll(db, ids: ids).count == 2)
            #expect(try OptionalPlayer.fetchAll(db, ids: [1, nil]).count == 1)
            #expect(try OptionalPlayer.fetchSet(db, ids: ids).count == 2)
            #expect(try Array(OptionalPlayer.fetchCursor(db, ids: Set(ids))).count == 2)
            #expect(try OptionalPlayer.filter(ids: ids).fetchCount(db) == 2)
            #expect(try OptionalPlayer.all().filter(ids: ids).fetchCount(db) == 2)
            #expect(try CertainPlayer.filter(ids: ids).fetchCount(db) == 2)
            #expect(try OptionalPlayer.deleteAll(db, ids: ids) == 2)
            #expect(try Table<OptionalPlayer>("player").deleteAll(db, ids: [3]) == 1)
            #expect(try Table<OptionalPlayer>("player").deleteAll(db, ids: ids) == 0)
            #expect(try CertainPlayer.delete(db, id: 4))
            #expect((CertainPlayer.recordNotFound(db, id: 4) as? RecordError)?.expandedDescription == "no row in table player with id = 4")
        }
    }

    @available(*, deprecated, message: "It calls methods that warn.")
    private func fetchWithOtherTypes(_ db: Database) throws {
        #expect(try CertainPlayer.fetchOne(db, id: "1")?.id == 1)
        #expect(try CertainPlayer.find(db, id: "1").id == 1)
        #expect(try CertainPlayer.fetchAll(db, ids: ["1"]).count == 1)
        #expect(try CertainPlayer.fetchSet(db, ids: ["1"]).count == 1)
        #expect(try Array(CertainPlayer.fetchCursor(db, ids: ["1"])).count == 1)
        #expect(try CertainPlayer.filter(id: "1").fetchCount(db) == 1)
        #expect(try CertainPlayer.filter(ids: ["1"]).fetchCount(db) == 1)
        #expect(try CertainPlayer.all().filter(id: "1").filter(ids: ["1"]).fetchCount(db) == 1)
        #expect(try CertainPlayer.exists(db, id: "1"))
        #expect(try Table<CertainPlayer>("player").exists(db, id: "1"))
        #expect(try CertainPlayer.deleteOne(db, id: "1"))
        #expect(try CertainPlayer.delete(db, id: "2"))
        #expect(try CertainPlayer.deleteAll(db, ids: ["3"]) == 1)
        #expect(try Table<CertainPlayer>("player").deleteOne(db, id: "4"))
        #expect(try Table<CertainPlayer>("player").deleteAll(db, ids: ["4"]) == 0)
        #expect(CertainPlayer.recordNotFound(db, id: "4") is RecordError)
    }

    private protocol Deprecated { func call(_ db: Database) throws }
    private struct Calls: Deprecated {
        let tests: KeyTests
        @available(*, deprecated) func call(_ db: Database) throws { try tests.fetchWithOtherTypes(db) }
    }

    @Test
    func `An id of another type warns, and works as a key`() throws {
        let calls: any Deprecated = Calls(tests: self)
        try withDatabase(Player.createTable) { try calls.call($0) }
    }

    @Test
    func `An error shows UUIDs in their standard form`() throws {
        let uuid = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!
        let error = RecordError.recordNotFound(databaseTableName: "job", key: ["id": uuid.databaseValue])
        #expect(error.description == "no row in table job with this id")
        #expect(error.expandedDescription == "no row in table job with id = UUID(E621E1F8-C36C-495A-93FC-0C247A3E6E5F)")
    }

    @Test
    func `Keys can be strings, UUIDs and dates`() throws {
        struct Item: TableRecord, FetchableRecord {
            let label: String
            init(row: Row) throws { label = row["label"] }
        }
        let uuid = UUID()
        try withDatabase("CREATE TABLE item (key PRIMARY KEY, label TEXT) WITHOUT ROWID") { db throws in
            let date = Date(timeIntervalSince1970: 1)
            try db.execute(
                sql: "INSERT INTO item VALUES (?, 'text'), (?, 'uuid'), (?, 'date')", arguments: ["it's", uuid, date])
            #expect(try Item.fetchOne(db, key: "it's")?.label == "text")
            #expect(try Item.fetchOne(db, key: uuid)?.label == "uuid")
            #expect(try Item.fetchOne(db, key: date)?.label == "date")
            #expect(try Item.find(db, key: uuid).label == "uuid")
        }
    }

    @Test
    func `Without a primary key, the key is the row ID`() throws {
        struct Note: TableRecord, FetchableRecord {
            let text: String
            init(row: Row) throws { text = row["text"] }
        }
        try withDatabase("CREATE TABLE note (text TEXT); INSERT INTO note VALUES ('first'), ('second')") { db throws in
            #expect(try Note.fetchOne(db, key: 2)?.text == "second")
            #expect(try Note.fetchAll(db, keys: [1, 2]).count == 2)
        }
    }

    @Test
    func `A single value for a key of several columns throws an error`() throws {
        struct Seat: TableRecord, FetchableRecord {
            init(row: Row) throws {}
        }
        try withDatabase("CREATE TABLE seat (line INTEGER, number INTEGER, PRIMARY KEY (line, number))") { db throws in
            let error = #expect(throws: DatabaseError.self) { try Seat.fetchOne(db, key: 1) }
            #expect(error?.resultCode == .SQLITE_MISUSE)
            #expect(error?.message?.contains("line, number") == true)
            #expect(throws: DatabaseError.self) { try Seat.fetchAll(db, keys: [1]) }
        }
    }

    @Test
    func `A key of a missing table throws an error until the table is created`() throws {
        try withDatabase("SELECT 1") { db throws in
            #expect(throws: DatabaseError.self) { try Player.fetchOne(db, key: 1) }
            try db.execute(sql: Player.createTable)
            #expect(try Player.fetchOne(db, key: 1)?.name == "Arthur")
        }
    }

    @Test
    func `After an error of the record's initializer, the statement can run again`() throws {
        try withDatabase(Player.createTable) { db throws in
            try db.execute(sql: "CREATE TABLE copy AS SELECT * FROM player; UPDATE player SET score = 'many' WHERE id = 1")
            #expect(throws: RowDecodingError.self) { try Player.fetchOne(db, key: 1) }
            #expect(try Player.fetchOne(db, key: 2)?.name == "Barbara")
        }
    }
}

@Suite struct SchemaChangeTests {
    @Test
    func `Fetching by key adapts to a changed primary key`() throws {
        try withDatabase(Player.createTable) { db throws in
            #expect(try Player.fetchOne(db, key: 1)?.name == "Arthur")
            try db.execute(
                sql: """
                    DROP TABLE player;
                    CREATE TABLE player (name TEXT PRIMARY KEY, id INTEGER, score INTEGER);
                    INSERT INTO player VALUES ('Arthur', 10, 1), ('1', 20, 2);
                    """)
            #expect(try Player.fetchOne(db, key: "Arthur")?.id == 10)
            #expect(try Player.fetchOne(db, key: 1)?.id == 20)
            #expect(try Player.fetchAll(db, keys: ["Arthur"]).map(\.id) == [10])
            let error = #expect(throws: RecordError.self) { try Player.find(db, key: "Barbara") }
            #expect(error?.expandedDescription == "no row in table player with name = \"Barbara\"")
        }
    }

    @Test
    func `Fetching by key adapts to added, renamed and removed columns`() throws {
        try withDatabase(Player.createTable) { db throws in
            #expect(try Player.fetchOne(db, key: 1)?.score == 1000)
            try db.execute(sql: "ALTER TABLE player ADD COLUMN extra TEXT DEFAULT 'x'")
            #expect(try Player.fetchOne(db, key: 1)?.score == 1000)
            try db.execute(sql: "ALTER TABLE player RENAME COLUMN score TO points")
            #expect(try Player.fetchOne(db, key: 1)?.score == nil)
            try db.execute(sql: "ALTER TABLE player RENAME COLUMN best TO score")
            #expect(try Player.fetchOne(db, key: 2)?.score == 1200)
            try db.execute(sql: "ALTER TABLE player RENAME COLUMN id TO number; ALTER TABLE player ADD COLUMN id INTEGER DEFAULT 7")
            #expect(try Player.fetchOne(db, key: 2)?.id == 7)
        }
    }

    @Test
    func `Fetching by key adapts to a schema change that is rolled back`() throws {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: Player.createTable) }
        try queue.inTransaction { db throws in
            try db.execute(sql: "DROP TABLE player; CREATE TABLE player (name TEXT PRIMARY KEY, id INTEGER, score INTEGER)")
            try db.execute(sql: "INSERT INTO player VALUES ('Arthur', 10, 1)")
            #expect(try Player.fetchOne(db, key: "Arthur")?.id == 10)
            return .rollback
        }
        try queue.read { db throws in
            #expect(try Player.fetchOne(db, key: 1)?.name == "Arthur")
        }
    }

    @Test
    func `Fetching by key adapts to a primary key changed by another connection`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/db.sqlite"
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: Player.createTable) }
        try queue.read { db throws in #expect(try Player.fetchOne(db, key: 1)?.name == "Arthur") }

        let other = try DatabaseQueue(path: path)
        try other.write { db throws in
            try db.execute(
                sql: """
                    DROP TABLE player;
                    CREATE TABLE player (name TEXT PRIMARY KEY, id INTEGER, score INTEGER);
                    INSERT INTO player VALUES ('Arthur', 10, 1);
                    """)
        }
        try queue.read { db throws in #expect(try Player.fetchOne(db, key: "Arthur")?.id == 10) }

        // Without a transaction, each fetch sees the current rows.
        try queue.writeWithoutTransaction { db throws in
            #expect(try Player.fetchOne(db, key: "Arthur")?.id == 10)
            try other.write { db throws in
                try db.execute(
                    sql: """
                        DROP TABLE player;
                        CREATE TABLE player (score INTEGER, name TEXT, id INTEGER PRIMARY KEY);
                        INSERT INTO player VALUES (5, 'Barbara', 30);
                        """)
            }
            #expect(try Player.fetchOne(db, key: 30)?.name == "Barbara")
            #expect(try Player.fetchAll(db).map(\.score) == [5])
        }
    }
}
