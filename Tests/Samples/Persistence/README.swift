import Persistence
import Testing

private let createPlayer = "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, score INTEGER)"

@Suite(.page)
struct PersistenceSamples {
    private struct Player: FetchableRecord, MutablePersistableRecord {
        var id: Int64?
        var name: String
        var score: Int?

        init(id: Int64? = nil, name: String, score: Int? = nil) {
            (self.id, self.name, self.score) = (id, name, score)
        }

        init(row: Row) throws {
            (id, name, score) = (row["id"], row["name"], row["score"])
        }

        func encode(to container: inout PersistenceContainer) {
            container["id"] = id
            container["name"] = name
            container["score"] = score
        }

        mutating func didInsert(_ inserted: InsertionSuccess) {
            id = inserted.rowID
        }
    }

    @Test
    func `The README's sample`() throws {
        // sample: Persistence 1

        #expect(player.id == 1)
        let rows = try queue.read { try Row.fetchAll($0, sql: "SELECT * FROM player").map(\.description) }
        #expect(rows == ["[id:1 name:\"Arthur\" score:210]"])
    }

    @Test
    func `The README's sample of a record that is given back its state after a transaction that has failed`() throws {
        struct Team: PersistableRecord {
            func encode(to container: inout PersistenceContainer) { container["id"] = 7 }
        }
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: createPlayer)
            try db.execute(sql: "CREATE TABLE team (id INTEGER PRIMARY KEY)")
        }
        var player = Player(name: "Arthur")
        let team = Team()
        func write() throws {
            // sample: Transactions 1
        }
        #expect(throws: RecordError.self) { try write() }
        #expect(player.id == nil)
        try queue.write { try team.insert($0) }
        try write()
        #expect(player.id == 1)
    }

    @Test
    func `The README's sample of batches`() throws {
        try withDatabase(createPlayer) { db in
            try db.execute(sql: "CREATE TABLE word (text TEXT NOT NULL UNIQUE, count INTEGER NOT NULL)")
            let names = ["Craig", "David"]
            let words = ["jovial", "genial"].map { Word(text: $0, count: 1) }
            // sample: Batches 1

            let ids = inserted.map(\.id)
            #expect(ids == [1, 2])
            #expect(try Word.fetchCount(db) == 2)
        }
    }

    private struct Word: PersistableRecord {
        var text: String
        var count: Int

        func encode(to container: inout PersistenceContainer) {
            container["text"] = text
            container["count"] = count
        }
    }

    @Test
    func `The README's samples of writing and fetching`() throws {
        struct PartialPlayer: PersistableRecord {
            static let databaseTableName = "player"
            var name: String

            func encode(to container: inout PersistenceContainer) {
                container["name"] = name
            }
        }
        struct FullPlayer: TableRecord, FetchableRecord {
            static let databaseTableName = "player"
            var id: Int64
            var score: Int

            init(row: Row) throws {
                id = try row.decode(forKey: "id")
                score = try row.decode(forKey: "score")
            }
        }
        try withDatabase("CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER NOT NULL DEFAULT 7)") { db in
            let partial = PartialPlayer(name: "Arthur")
            var player = Player(id: 1, name: "Arthur", score: 1)
            // sample: Writing and fetching 1
            #expect(full.id == 1)
            #expect(full.score == 7)
            #expect(score == 7)
        }
    }
}
