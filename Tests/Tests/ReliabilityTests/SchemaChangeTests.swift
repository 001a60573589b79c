import Foundation
import Strata
import Testing

// Another connection, or another process, changes the table while this one keeps its statements, plans and column maps.

@Suite struct SchemaChangeTests {
    let folder: TemporaryFolder
    let queue: DatabaseQueue

    init() throws {
        folder = try TemporaryFolder()
        queue = try DatabaseQueue(path: folder.path("database.sqlite"))
        try queue.write { try Player.makeTable($0) }
    }

    /// Who changes the schema.
    enum Changer: CaseIterable {
        case sameAccess, sameConnection, otherConnection, otherProcess
    }

    /// Looks before and after a change of the schema.
    private func changing(
        _ sql: String, by changer: Changer, before: (Database) throws -> Void, after: (Database) throws -> Void
    ) throws {
        let path = folder.path("database.sqlite")
        if changer == .sameAccess {
            return try queue.writeWithoutTransaction { db in
                try before(db)
                try before(db)
                try db.execute(sql: sql)
                try after(db)
                try after(db)
            }
        }
        for _ in 0..<2 { try queue.writeWithoutTransaction(before) }
        switch changer {
        case .sameConnection: try queue.write { try $0.execute(sql: sql) }
        case .otherConnection: try DatabaseQueue(path: path).write { try $0.execute(sql: sql) }
        case .otherProcess: try runInAnotherProcess(sql, path)
        case .sameAccess: break
        }
        for _ in 0..<2 { try queue.writeWithoutTransaction(after) }
        try queue.write(after)
    }

    static let changes = [
        "ALTER TABLE player ADD COLUMN extra DEFAULT 'extra'",
        // The columns change places.
        """
        CREATE TABLE other (score INTEGER NOT NULL, extra, name TEXT NOT NULL, id INTEGER PRIMARY KEY);
        INSERT INTO other SELECT score, 'extra', name, id FROM player;
        DROP TABLE player;
        ALTER TABLE other RENAME TO player
        """,
        // As many columns as before, under other names, in other places.
        """
        ALTER TABLE player RENAME COLUMN name TO temporary;
        ALTER TABLE player ADD COLUMN name TEXT NOT NULL DEFAULT '';
        UPDATE player SET name = temporary;
        ALTER TABLE player DROP COLUMN temporary
        """,
    ]

    @Test(arguments: changes, Changer.allCases)
    func `Records are read from the columns that the table has now`(_ sql: String, _ changer: Changer) throws {
        func check(_ db: Database) throws {
            #expect(try Player.fetchAll(db) == [.arthur, .barbara, .craig])
            #expect(try Player.fetchOne(db, key: 2) == .barbara)
            #expect(try Player.filter(Column("score") > 200).fetchOne(db) == .craig)
            #expect(try Player.fetchAll(db, sql: "SELECT * FROM player") == [.arthur, .barbara, .craig])
            #expect(try HandWrittenPlayer.fetchAll(db).map(\.name) == ["Arthur", "Barbara", "Craig"])
            let rows = try Row.fetchCursor(db, sql: "SELECT * FROM player")
            while let row = try rows.next() {
                #expect((row["name"] as String).count > 4)
                #expect((row["score"] as Int) >= 100)
            }
        }
        try changing(sql, by: changer, before: check, after: check)
    }

    @Test(arguments: changes, Changer.allCases)
    func `Records are written to the columns that the table has now`(_ sql: String, _ changer: Changer) throws {
        func check(_ db: Database) throws {
            var player = Player(id: nil, name: "David", score: 400)
            try player.insert(db)
            #expect(player.id == 4)
            player.score = 401
            try player.update(db)
            #expect(try Player.fetchOne(db, key: 4) == player)
            player.name = "Daniel"
            try player.save(db)
            #expect(try Player.fetchOne(db, key: 4) == player)
            #expect(try player.delete(db))
            #expect(try Player.fetchAll(db) == [.arthur, .barbara, .craig])
        }
        try changing(sql, by: changer, before: check, after: check)
    }

    @Test(arguments: Changer.allCases)
    func `A renamed column is a missing column`(_ changer: Changer) throws {
        try changing("ALTER TABLE player RENAME COLUMN score TO points", by: changer) { (db) throws in
            #expect(try Player.fetchCount(db) == 3)
            #expect(try Player.fetchAll(db).count == 3)
            #expect(try HandWrittenPlayer.fetchAll(db).count == 3)
        } after: { (db) throws in
            for fetch in [
                { _ = try Player.fetchAll($0) }, { _ = try HandWrittenPlayer.fetchAll($0) }, { _ = try Player.fetchOne($0, key: 1) },
            ] as [(Database) throws -> Void] {
                let error = #expect(throws: (any Error).self) { try fetch(db) }
                #expect(error.map { "\($0)" }?.contains("score") == true)
            }
            let error = expectError(.SQLITE_ERROR) { try Player.arthur.update(db) }
            #expect(error?.message == "no such column: score")
            #expect(try Int.fetchAll(db, sql: "SELECT points FROM player") == [100, 200, 300])
        }
    }

    @Test(arguments: Changer.allCases)
    func `A dropped column is a missing column`(_ changer: Changer) throws {
        try changing("ALTER TABLE player DROP COLUMN name", by: changer) { (db) throws in
            #expect(try Player.fetchAll(db).count == 3)
        } after: { db in
            let error = #expect(throws: (any Error).self) { try Player.fetchAll(db) }
            #expect(error.map { "\($0)" }?.contains("name") == true)
            expectError(.SQLITE_ERROR) {
                var player = Player.arthur
                try player.insert(db)
            }
        }
    }

    @Test(arguments: Changer.allCases)
    func `Another primary key is noticed`(_ changer: Changer) throws {
        let sql = """
            CREATE TABLE other (id INTEGER, name TEXT PRIMARY KEY, score INTEGER NOT NULL);
            INSERT INTO other SELECT * FROM player;
            DROP TABLE player;
            ALTER TABLE other RENAME TO player
            """
        try changing(sql, by: changer) { db in
            #expect(try Player.fetchOne(db, key: 1) == .arthur)
            try Player.arthur.update(db)
        } after: { db in
            #expect(try Player.fetchOne(db, key: "Arthur") == .arthur)
            #expect(try Player.fetchOne(db, key: 1) == nil)
            try Player(id: 100, name: "Arthur", score: 101).update(db)
            #expect(try Player.fetchOne(db, key: "Arthur") == Player(id: 100, name: "Arthur", score: 101))
            try Player.arthur.update(db)
            let missing = Player(id: 1, name: "Nobody", score: 1)
            let error = #expect(throws: RecordError.self) { try missing.update(db) }
            #expect(error?.expandedDescription == "no row in table player with name = \"Nobody\"")
        }
    }

    @Test(arguments: Changer.allCases)
    func `A table that was dropped is missing`(_ changer: Changer) throws {
        try changing("DROP TABLE player", by: changer) { db in
            #expect(try Player.fetchOne(db, key: 1) == .arthur)
            #expect(try Player.arthur.exists(db))
            try Player.arthur.update(db)
        } after: { db in
            for access in [
                { _ = try Player.fetchOne($0, key: 1) }, { _ = try Player.arthur.exists($0) }, { try Player.arthur.update($0) },
                { try Player.arthur.delete($0) },
                {
                    var player = Player.arthur; try player.insert($0)
                },
            ] as [(Database) throws -> Void] {
                let error = expectError(.SQLITE_ERROR) { try access(db) }
                #expect(error?.message == "no such table: player")
            }
        }
    }

    @Test
    func `A change that is rolled back is noticed`() throws {
        try queue.writeWithoutTransaction { db in
            try db.beginTransaction()
            try db.execute(sql: "ALTER TABLE player ADD COLUMN extra; UPDATE player SET name = 'changed'")
            #expect(try Player.fetchAll(db).map(\.name) == ["changed", "changed", "changed"])
            #expect(try Row.fetchOne(db, sql: "SELECT * FROM player")?.count == 4)
            try db.rollback()
            #expect(try Player.fetchAll(db) == [.arthur, .barbara, .craig])
            #expect(try Row.fetchOne(db, sql: "SELECT * FROM player")?.count == 3)
        }
    }

    @Test
    func `A running cursor sees the previous state of the table`() throws {
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL")
            let players = try Player.fetchCursor(db)
            #expect(try players.next() == .arthur)
            try DatabaseQueue(path: folder.path("database.sqlite")).write { other in
                try other.execute(sql: Self.changes[1])
                try other.execute(sql: "UPDATE player SET name = 'changed'")
            }
            #expect(try players.next() == .barbara)
            #expect(try players.next() == .craig)
            #expect(try players.next() == nil)
            #expect(try Player.fetchAll(db).map(\.name) == ["changed", "changed", "changed"])
        }
    }
}
