import Foundation
import Strata
import Testing

@Suite struct BadInputTests {
    let queue: DatabaseQueue

    init() throws {
        queue = try DatabaseQueue()
    }

    /// Expects that the connection reads and writes.
    private func expectUsable() throws {
        try queue.write { db in
            try Player.makeTable(db)
            #expect(try Player.fetchCount(db) == 3)
        }
    }

    static let fetches = [
        Work("fetchAll") { try Player.fetchAll($0).count },
        Work("fetchOne") { try Player.fetchOne($0) == nil ? 0 : 1 },
        Work("fetchCount") { try Player.fetchCount($0) },
        Work("fetchOne by key") { try Player.fetchOne($0, key: 1) == nil ? 0 : 1 },
        Work("fetchAll by keys") { try Player.fetchAll($0, keys: [1, 2]).count },
        Work("fetchAll of a request") { try Player.filter(Column("score") > 100).order(Column("name")).fetchAll($0).count },
        Work("fetchCursor") { try Player.fetchCursor($0).next() == nil ? 0 : 1 },
        Work("HandWrittenPlayer.fetchAll") { try HandWrittenPlayer.fetchAll($0).count },
    ]

    @Test(arguments: fetches)
    func `A fetch from a missing table`(_ fetch: Work<Int>) throws {
        let error = expectError(.SQLITE_ERROR) { try queue.read { try fetch.run($0) } }
        #expect(error?.message == "no such table: player")
        #expect(error?.description.contains("Check the spelling, and that the schema was created") == true)
        try expectUsable()
    }

    static let writes = [
        Work<Void>("insert") {
            var player = Player.arthur
            try player.insert($0)
        },
        Work("update") { try Player.arthur.update($0) },
        Work("delete") { _ = try Player.arthur.delete($0) },
        Work("save") {
            var player = Player.arthur
            try player.save($0)
        },
        Work("exists") { _ = try Player.arthur.exists($0) },
    ]

    @Test(arguments: writes)
    func `A write to a missing table`(_ write: Work<Void>) throws {
        let error = expectError(.SQLITE_ERROR) { try queue.write { try write.run($0) } }
        #expect(error?.message == "no such table: player")
        expectError(.SQLITE_ERROR) { try queue.writeWithoutTransaction { try write.run($0) } }
        try expectUsable()
    }

    @Test
    func `A missing column`() throws {
        try queue.write { try $0.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)") }
        let reading = expectError(.SQLITE_ERROR) { try queue.read { try Player.filter(Column("score") > 1).fetchAll($0) } }
        // Later releases of SQLite quote the name, and add advice.
        let messages = ["no such column: score", #"no such column: "score" - should this be a string literal in single-quotes?"#]
        #expect(messages.contains(reading?.message ?? ""))
        let writing = expectError(.SQLITE_ERROR) {
            try queue.write { db in
                var player = Player.arthur
                try player.insert(db)
            }
        }
        #expect(writing?.message == "table player has no column named score")
        #expect(writing?.sql?.hasPrefix("INSERT INTO \"player\"") == true)
        try queue.write { try $0.execute(sql: "DROP TABLE player") }
        try expectUsable()
    }

    @Test
    func `A view that refers to nothing`() throws {
        try queue.write { try $0.execute(sql: "CREATE VIEW player AS SELECT * FROM missing") }
        let error = expectError(.SQLITE_ERROR) { try queue.read { try Player.fetchAll($0) } }
        #expect(error?.message?.contains("no such table: main.missing") == true)
    }

    @Test
    func `A key with several columns`() throws {
        try queue.write { try $0.execute(sql: "CREATE TABLE player (id, name, score, PRIMARY KEY (id, name))") }
        let error = expectError(.SQLITE_MISUSE) { try queue.read { try Player.fetchOne($0, key: 1) } }
        #expect(error?.message?.contains("player") == true)
        #expect(error?.message?.contains("id, name") == true)
    }

    @Test(arguments: [
        Work<Void>("too few") { _ = try Player.fetchAll($0, sql: "SELECT ?, ?", arguments: [1]) },
        Work("too many") { _ = try Row.fetchAll($0, sql: "SELECT ?", arguments: [1, 2]) },
        Work("another name") { _ = try Int.fetchOne($0, sql: "SELECT :a", arguments: ["b": 1]) },
        Work("none for a cursor") { _ = try String.fetchCursor($0, sql: "SELECT ?", arguments: []) },
    ])
    func `Arguments that do not fit`(_ fetch: Work<Void>) throws {
        try queue.read { (db) throws in
            let error = expectError(.SQLITE_MISUSE) { try fetch.run(db) }
            #expect(error?.description.contains("statement argument") == true)
            #expect(error?.description.contains("while executing `SELECT") == true)
            #expect(try Int.fetchOne(db, sql: "SELECT 1") == 1)
        }
    }

    @Test
    func `Writing in a read`() throws {
        try queue.write { try Player.makeTable($0) }
        for write in [
            {
                var player = Player(id: nil, name: "David", score: 1); try player.insert($0)
            }, { try Player.arthur.update($0) },
            { try Player.arthur.delete($0) },
            {
                var player = Player.arthur; try player.save($0)
            },
        ] as [(Database) throws -> Void] {
            let error = expectError(.SQLITE_READONLY) { try queue.read { try write($0) } }
            #expect(error?.description.contains("Use `write` instead of `read`") == true)
        }
        #expect(try queue.read { try Player.fetchAll($0) } == [.arthur, .barbara, .craig])
        _ = try queue.write { try Player.arthur.delete($0) }
        #expect(try queue.read { try Player.fetchCount($0) } == 2)
    }
}
