import Foundation
import Strata
import Testing

@Suite struct DecodingTests {
    let folder: TemporaryFolder
    let queue: DatabaseQueue

    init() throws {
        folder = try TemporaryFolder()
        queue = try DatabaseQueue(path: folder.path("database.sqlite"))
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name, score);
                    INSERT INTO player VALUES (1, 'Arthur', 100);
                    INSERT INTO player VALUES (2, 'Barbara', 'a lot');
                    INSERT INTO player VALUES (3, 'Craig', 300);
                    """)
        }
    }

    static let fetches = [
        Work("Player.fetchAll") { try Player.fetchAll($0).count },
        Work("HandWrittenPlayer.fetchAll") { try HandWrittenPlayer.fetchAll($0).count },
        Work("a request's fetchAll") { try Player.order(Column("id")).fetchAll($0).count },
        Work("HandWrittenPlayer.fetchSet") { try HandWrittenPlayer.fetchSet($0).count },
        Work("Int.fetchAll") { try Int.fetchAll($0, sql: "SELECT score FROM player").count },
        Work("Int.fetchSet") { try Int.fetchSet($0, sql: "SELECT score FROM player").count },
        Work("Player.fetchOne") { try Player.fetchOne($0, key: 2) == nil ? 0 : 1 },
        Work("Player.fetchCursor") {
            let cursor = try Player.fetchCursor($0)
            #expect(try cursor.next() == .arthur)
            _ = try cursor.next()
            return 0
        },
    ]

    @Test(arguments: fetches)
    func `A value that does not decode ends the fetch and nothing else`(_ fetch: Work<Int>) throws {
        try queue.writeWithoutTransaction { db in
            let error = #expect(throws: (any Error).self) { try fetch.run(db) }
            let description = error.map { "\($0)" } ?? ""
            #expect(description.contains("its value is TEXT"))
            #expect(description.contains("score"))
            #expect(description.contains("Int"))
            // No lock is left, neither for others nor for this connection, in this very access.
            expectUnlocked(folder.path("database.sqlite"))
            try db.execute(sql: "ALTER TABLE player ADD COLUMN extra; ALTER TABLE player DROP COLUMN extra")
            #expect(try Player.fetchOne(db, key: 1) == .arthur)
        }
    }

    @Test
    func `After an error, a cursor has ended: it throws an error of SQLite again`() throws {
        try queue.read { db in
            let cursor = try Player.fetchCursor(db)
            #expect(try cursor.next() == .arthur)
            #expect(throws: (any Error).self) { try cursor.next() }
            #expect(try cursor.next() == nil)
            let rows = try Row.fetchCursor(db, sql: "SELECT abs(CASE id WHEN 2 THEN -9223372036854775808 ELSE 1 END) FROM player")
            #expect(try rows.next() != nil)
            let error = expectError(.SQLITE_ERROR) { try rows.next() }
            #expect(error?.message == "integer overflow")
            expectError(.SQLITE_ERROR) { try rows.next() }
        }
    }

    @Test(arguments: [
        ("NULL", "NULL"),
        ("'12x'", #""12x""#), ("'012'", #""012""#), ("9223372036854775808", "9.223372036854776e+18"),
        ("1e300", "1e+300"),
        ("x'01'", "Data(1 bytes)"),
    ])
    func `No value becomes another value`(_ sql: String, _ value: String) throws {
        var configuration = Configuration()
        configuration.publicStatementArguments = true
        try DatabaseQueue(configuration: configuration).read { db in
            for fetch in [
                { _ = try Player.fetchAll($0, sql: "SELECT 1 AS id, 'x' AS name, \(sql) AS score") },
                { _ = try HandWrittenPlayer.fetchOne($0, sql: "SELECT 1 AS id, 'x' AS name, \(sql) AS score") },
                { _ = try Int.fetchAll($0, sql: "SELECT \(sql) AS score") },
            ] as [(Database) throws -> Void] {
                let error = #expect(throws: (any Error).self) { try fetch(db) }
                #expect(error.map { "\($0)" }?.contains(value) == true, "\(error.map { "\($0)" } ?? "")")
            }
        }
    }

    @Test(arguments: [
        Work("Player") { try Player.fetchAll($0, sql: "SELECT id, name FROM player").count },
        Work("HandWrittenPlayer") { try HandWrittenPlayer.fetchAll($0, sql: "SELECT id, name FROM player").count },
    ])
    func `A missing column is named`(_ fetch: Work<Int>) throws {
        let error = #expect(throws: (any Error).self) { try queue.read { try fetch.run($0) } }
        #expect(error.map { "\($0)" }?.contains("score") == true)
    }

    @Test
    func `Columns may have one name or another case`() throws {
        try queue.read { (db) throws in
            let sql = "SELECT 1 AS ID, 'leftmost' AS Name, 'other' AS name, 5 AS SCORE, 6 AS score"
            let expected = Player(id: 1, name: "leftmost", score: 5)
            #expect(try Player.fetchOne(db, sql: sql) == expected)
            #expect(try HandWrittenPlayer.fetchOne(db, sql: sql) == HandWrittenPlayer(id: 1, name: "leftmost", score: 5))
        }
    }

    @Test
    func `Dates that do not parse are errors`() throws {
        struct Event: Codable, FetchableRecord { var date: Date }
        try queue.read { (db) throws in
            for sql in ["'yesterday'", "''", "'2024-13-45'", "x'00'", "NULL"] {
                #expect(throws: (any Error).self, "\(sql)") { try Event.fetchAll(db, sql: "SELECT \(sql) AS date") }
                #expect(throws: (any Error).self, "\(sql)") { try Date.fetchAll(db, sql: "SELECT \(sql) AS date") }
            }
            #expect(try Event.fetchOne(db, sql: "SELECT '1969-07-20 20:17:40' AS date")?.date.timeIntervalSince1970 == -14182940)
        }
    }

    @Test
    func `Large and embedded values read the same by every path`() throws {
        let name = String(repeating: "a\0é👩‍🚀", count: 100_000)
        try queue.write { db in
            var player = Player(id: 10, name: name, score: .max)
            try player.insert(db)
            #expect(try Player.fetchOne(db, key: 10) == player)
            #expect(try HandWrittenPlayer.fetchOne(db, key: 10)?.name == name)
            let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM player WHERE id = 10"))
            #expect(try Player(row: row) == player)
            #expect(try String.fetchOne(db, sql: "SELECT name FROM player WHERE id = 10") == name)
        }
    }
}
