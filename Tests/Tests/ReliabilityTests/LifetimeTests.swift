import Foundation
import Strata
import Testing

@Suite struct LifetimeTests {
    let queue: DatabaseQueue

    init() throws {
        queue = try DatabaseQueue()
        try queue.write { try Player.makeTable($0) }
    }

    // MARK: Rows

    @Test
    func `A row that is kept stops the program once its cursor has moved on`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try DatabaseQueue().inDatabase { db in
                let rows = try Row.fetchCursor(db, sql: "SELECT 'first' AS name UNION ALL SELECT 'second'")
                let kept = try rows.next()
                guard let next = try rows.next(), next["name"] == "second" else { return }
                _ = kept?["name"] as String?
            }
        }
        #expect(result?.message.contains("A row was used after its cursor had advanced, or outside its database access.") == true)
        #expect(result?.message.contains("row.copy()") == true)
    }

    @Test
    func `A row that is kept stops the program after the last row`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try DatabaseQueue().inDatabase { db in
                let rows = try Row.fetchCursor(db, sql: "SELECT 'only' AS name")
                let kept = try rows.next()
                guard try rows.next() == nil else { return }
                _ = kept?[0] as String?
            }
        }
        #expect(result?.message.contains("A row was used after its cursor had advanced") == true)
    }

    @Test
    func `A row that is kept stops the program after its access`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let queue = try DatabaseQueue()
            let kept = try queue.inDatabase { db in
                Box(try Row.fetchCursor(db, sql: "SELECT 'secret' AS name").next())
            }
            _ = kept.value?["name"] as String?
        }
        #expect(result?.message.contains("A row was used after its cursor had advanced, or outside its database access.") == true)
    }

    @Test
    func `A row that is kept stops the program once its statement has run again`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try DatabaseQueue().inDatabase { db in
                let statement = try db.makeStatement(sql: "SELECT ? AS name")
                let kept = try Row.fetchCursor(statement, arguments: ["first"]).next()
                let other = try Row.fetchCursor(statement, arguments: ["second"]).next()
                guard other?["name"] == "second" else { return }
                _ = kept?["name"] as String?
            }
        }
        #expect(result?.message.contains("A row was used after its cursor had advanced") == true)
    }

    @Test
    func `A row that is kept by a record stops the program`() async {
        struct Keeper: FetchableRecord {
            let row: Row
            init(row: Row) { self.row = row }
        }
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try DatabaseQueue().inDatabase { db in
                let keepers = try Keeper.fetchAll(db, sql: "SELECT 'first' AS name UNION ALL SELECT 'second'")
                guard keepers.count == 2 else { return }
                _ = keepers[0].row["name"] as String
            }
        }
        #expect(result?.message.contains("Keep a copy of it: row.copy().") == true)
    }

    @Test
    func `Copies of rows can be kept`() throws {
        let rows = try queue.read { db in
            var rows: [Row] = []
            let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM player ORDER BY id")
            while let row = try cursor.next() { rows.append(row.copy()) }
            return rows + (try Row.fetchAll(db, sql: "SELECT * FROM player ORDER BY id"))
        }
        #expect(try rows.map { try Player(row: $0) } == [.arthur, .barbara, .craig, .arthur, .barbara, .craig])
    }

    // MARK: Cursors

    @Test
    func `A cursor that is used after its access stops the program`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let queue = try DatabaseQueue()
            let players = try queue.inDatabase { db in
                let names = try String.fetchCursor(db, sql: "SELECT 'first' UNION ALL SELECT 'second'")
                guard try names.next() == "first" else { throw TestError() }
                return Box(names)
            }
            _ = try players.value.next()
        }
        #expect(result?.message.contains("A database connection was used outside its access, or on another thread.") == true)
    }

    @Test
    func `A cursor whose statement was run again throws`() throws {
        try queue.read { db in
            let statement = try db.makeStatement(sql: "SELECT * FROM player ORDER BY id")
            let first = try Player.fetchCursor(statement)
            #expect(try first.next() == .arthur)
            let second = try Player.fetchCursor(statement)
            let error = expectError(.SQLITE_MISUSE) { try first.next() }
            #expect(error?.description.contains("the statement was run again, or reset, while a cursor was iterating its rows") == true)
            expectError(.SQLITE_MISUSE) { try first.next() }
            // The second is not affected.
            #expect(try Array(second) == [.arthur, .barbara, .craig])

            let third = try Player.fetchCursor(statement)
            #expect(try Player.fetchAll(statement).count == 3)
            expectError(.SQLITE_MISUSE) { try third.next() }
            let fourth = try Player.fetchCursor(statement)
            statement.reset()
            expectError(.SQLITE_MISUSE) { try fourth.next() }
        }
    }

    @Test
    func `A kept cursor does not continue in the next access`() throws {
        let players = try queue.read { db in
            let players = try Player.fetchCursor(db)
            #expect(try players.next() == .arthur)
            return players
        }
        try queue.read { (_) throws in
            expectError(.SQLITE_MISUSE) { try players.next() }
            expectError(.SQLITE_MISUSE) { try players.next() }
        }
    }

    @Test
    func `Cursors of one SQL do not disturb each other`() throws {
        try queue.read { db in
            var pairs: [String] = []
            let outer = try Player.fetchCursor(db)
            while let player = try outer.next() {
                let inner = try Player.fetchCursor(db)
                while let other = try inner.next() { pairs.append("\(player.name.prefix(1))\(other.name.prefix(1))") }
                #expect(try Player.fetchCount(db) == 3)
            }
            #expect(pairs == ["AA", "AB", "AC", "BA", "BB", "BC", "CA", "CB", "CC"])
        }
    }

    @Test
    func `A cursor that is dropped leaves no lock`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("database.sqlite")
        let queue = try DatabaseQueue(path: path)
        try queue.write { try Player.makeTable($0) }
        try queue.writeWithoutTransaction { (db) throws in
            #expect(try Player.fetchCursor(db).next() == .arthur)
        }
        expectUnlocked(path)
        try queue.write { try $0.execute(sql: "DROP TABLE player") }
    }

    // MARK: Nested fetches

    /// A player that fetches another player while it is being created.
    struct Rival: FetchableRecord, TableRecord {
        static let databaseTableName = "player"
        nonisolated(unsafe) static var connection: Database?

        let name: String
        let rival: String?

        init(row: Row) throws {
            name = try row.decode(forKey: "name")
            let id = try row.decode(Int64.self, forKey: "id")
            let db = try #require(Self.connection)
            rival = id > 2 ? nil : try Self.fetchOne(db, key: id + 1)?.name
            // The row is still this one.
            #expect(row["name"] == name)
        }
    }

    @Test
    func `A record may fetch others of its type while it is made`() throws {
        try queue.read { db in
            Rival.connection = db
            defer { Rival.connection = nil }
            #expect(try Rival.fetchOne(db, key: 1)?.rival == "Barbara")
            let rivals = try Rival.fetchAll(db)
            #expect(rivals.map(\.name) == ["Arthur", "Barbara", "Craig"])
            #expect(rivals.map(\.rival) == ["Barbara", "Craig", nil])
            #expect(try Rival.filter(Column("id") == 2).fetchOne(db)?.rival == "Craig")
        }
    }
}
