import DqliteCluster
import Foundation
import Strata
import Testing

/// Statements, records and requests that were prepared before the schema changed, over every kind of database.
@Suite(.serialized, .timeLimit(.minutes(20))) struct SchemaChangeMatrixTests {
    /// Who changes the schema.
    enum Changer: CaseIterable {
        case sameAccess, sameTransaction, sameClient, otherClient, otherProcess
    }

    /// A change of a database of a kind by someone.
    struct Way: Sendable, CustomTestStringConvertible {
        let kind: DatabaseKind
        let changer: Changer
        var testDescription: String { "\(kind), \(changer)" }
    }

    static let ways = DatabaseKind.all.flatMap { kind in
        Changer.allCases.filter { changer in
            switch changer {
            case .otherClient: DatabaseKind.shared.contains(kind)
            case .otherProcess: DatabaseKind.files.contains(kind)
            default: true
            }
        }.map { Way(kind: kind, changer: $0) }
    }

    /// The ways that change the database between accesses.
    static let waysBetweenAccesses = ways.filter { [.sameClient, .otherClient, .otherProcess].contains($0.changer) }

    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let sql: String
        /// The row of the table afterwards, in the order of its columns.
        let row: [String: Int]
        let names: [String]

        init(_ description: String, _ sql: String, _ names: [String], _ row: [String: Int]) {
            testDescription = description
            self.sql = sql
            self.names = names
            self.row = row
        }
    }

    static let creation = "CREATE TABLE t (a INTEGER, b INTEGER); INSERT INTO t VALUES (1, 2); CREATE VIEW w AS SELECT * FROM t"

    static let changes = [
        Change("a new column", "ALTER TABLE t ADD COLUMN c INTEGER DEFAULT 3", ["a", "b", "c"], ["a": 1, "b": 2, "c": 3]),
        Change("a renamed column", "ALTER TABLE t RENAME COLUMN a TO z", ["z", "b"], ["z": 1, "b": 2]),
        Change("a dropped column", "DROP VIEW w; ALTER TABLE t DROP COLUMN a; CREATE VIEW w AS SELECT * FROM t", ["b"], ["b": 2]),
        Change(
            "a recreated table with other places",
            "DROP TABLE t; CREATE TABLE t (b INTEGER, a INTEGER); INSERT INTO t (a, b) VALUES (1, 2)",
            ["b", "a"], ["a": 1, "b": 2]),
        Change(
            "a recreated table with more columns",
            "DROP TABLE t; CREATE TABLE t (c INTEGER, b INTEGER, d INTEGER, a INTEGER); INSERT INTO t VALUES (3, 2, 4, 1)",
            ["c", "b", "d", "a"], ["a": 1, "b": 2, "c": 3, "d": 4]),
        Change("another letter case", "ALTER TABLE t RENAME COLUMN a TO A", ["A", "b"], ["A": 1, "b": 2]),
    ]

    static let queries = [
        "SELECT * FROM t", "SELECT t.* FROM t", "SELECT * FROM w", "SELECT * FROM (SELECT * FROM t)", "UPDATE t SET b = b RETURNING *",
    ]

    private func dictionary(_ row: Row) -> [String: Int] {
        Dictionary(row.map { ($0.0, Int.fromDatabaseValue($0.1) ?? -1) }, uniquingKeysWith: { first, _ in first })
    }

    /// Reads before a change of the schema, changes it, and reads again.
    private func changing(
        _ database: TestDatabase, _ sql: String, by changer: Changer, before: (Database) throws -> Void, after: (Database) throws -> Void
    ) throws {
        let writer = database.writer
        switch changer {
        case .sameAccess, .sameTransaction:
            try writer.writeWithoutTransaction { (db) throws in
                try before(db)
                if changer == .sameTransaction { try db.beginTransaction() }
                try db.execute(sql: sql)
                for _ in 0..<2 { try after(db) }
                if changer == .sameTransaction { try db.commit() }
            }
        case .sameClient:
            for _ in 0..<2 { try writer.writeWithoutTransaction(before) }
            try writer.write { try $0.execute(sql: sql) }
        case .otherClient:
            for _ in 0..<2 { try writer.writeWithoutTransaction(before) }
            let other = try database.openAgain()
            try other.write { try $0.execute(sql: sql) }
            try other.close()
        case .otherProcess:
            for _ in 0..<2 { try writer.writeWithoutTransaction(before) }
            try database.changeInOtherProcess(sql)
        }
        for _ in 0..<2 { try writer.writeWithoutTransaction(after) }
        try writer.write(after)
    }

    @Test(arguments: ways, changes)
    func `Cached statements read the columns of the current schema`(_ way: Way, _ change: Change) throws {
        let database = try TestDatabase(way.kind, schema: Self.creation)
        try changing(database, change.sql, by: way.changer) { (db) throws in
            for sql in Self.queries { #expect(try Row.fetchOne(db, sql: sql).map(dictionary) == ["a": 1, "b": 2]) }
        } after: { (db) throws in
            for sql in Self.queries where !sql.contains("w") || change.row["a"] != nil || change.names.count == 1 {
                let row = try Row.fetchOne(db, sql: sql)
                #expect(row.map { Array($0.columnNames) } == change.names, "\(sql)")
                #expect(row.map(dictionary) == change.row, "\(sql)")
            }
        }
    }

    @Test(arguments: waysBetweenAccesses, changes)
    func `Cached statements of the readers read the columns of the current schema`(_ way: Way, _ change: Change) throws {
        let database = try TestDatabase(way.kind, schema: Self.creation)
        let writer = database.writer
        for _ in 0..<2 {
            #expect(try writer.read { try Row.fetchOne($0, sql: "SELECT * FROM t") }.map(dictionary) == ["a": 1, "b": 2])
        }
        switch way.changer {
        case .sameClient: try writer.write { try $0.execute(sql: change.sql) }
        case .otherClient: try database.openAgain().write { try $0.execute(sql: change.sql) }
        default: try database.changeInOtherProcess(change.sql)
        }
        for _ in 0..<3 {
            #expect(try writer.read { try Row.fetchOne($0, sql: "SELECT * FROM t") }.map(dictionary) == change.row)
            #expect(try writer.unsafeRead { try Row.fetchOne($0, sql: "SELECT * FROM t") }.map(dictionary) == change.row)
        }
        if let cluster = writer as? DqliteCluster {
            #expect(try cluster.read(.repeatable) { try Row.fetchOne($0, sql: "SELECT * FROM t") }.map(dictionary) == change.row)
        }
    }

    @Test(arguments: ways.filter { $0.changer != .sameClient }, changes)
    func `Until it runs, a statement has the current schema's columns`(_ way: Way, _ change: Change) throws {
        let database = try TestDatabase(way.kind, schema: Self.creation)
        let other = way.changer == .otherClient ? try database.openAgain() : nil
        try database.writer.writeWithoutTransaction { (db) throws in
            let fresh = try db.makeStatement(sql: "SELECT * FROM t")
            let asked = try db.makeStatement(sql: "SELECT * FROM t")
            #expect(asked.columnNames == ["a", "b"])
            let finished = try db.makeStatement(sql: "SELECT * FROM t WHERE 0")
            #expect(try !finished.step())
            if way.changer == .sameTransaction { try db.beginTransaction() }
            switch way.changer {
            case .otherClient: try other?.write { try $0.execute(sql: change.sql) }
            case .otherProcess: try database.changeInOtherProcess(change.sql)
            default: try db.execute(sql: change.sql)
            }
            let region = "t(\(change.names.map { $0.lowercased() }.sorted().joined(separator: ",")))"
            for statement in [fresh, asked, finished] {
                #expect(statement.columnNames == change.names)
                #expect(statement.columnCount == change.names.count)
                #expect("\(statement.databaseRegion)" == region)
            }
            #expect(try fresh.step())
            #expect(fresh.columnNames == change.names)
            #expect((0..<fresh.columnCount).map { Int(fresh.int64(at: $0) ?? -1) } == change.names.map { change.row[$0] })
            fresh.reset()
            if way.changer == .sameTransaction {
                try db.rollback()
                #expect(fresh.columnNames == ["a", "b"])
                #expect(try fresh.step())
                #expect(fresh.columnNames == ["a", "b"])
                #expect(fresh.int64(at: 1) == 2)
                fresh.reset()
            }
        }
    }

    @Test(arguments: DatabaseKind.all)
    func `A rolled back savepoint restores the columns of a statement`(_ kind: DatabaseKind) throws {
        let database = try TestDatabase(kind, schema: Self.creation)
        try database.writer.writeWithoutTransaction { (db) throws in
            let statement = try db.makeStatement(sql: "SELECT * FROM t")
            func check(_ names: [String]) throws {
                #expect(statement.columnNames == names)
                #expect(try statement.step())
                #expect(statement.columnNames == names)
                statement.reset()
            }
            try check(["a", "b"])
            try db.beginTransaction()
            try db.execute(sql: "ALTER TABLE t ADD COLUMN c")
            try check(["a", "b", "c"])
            try db.inSavepoint {
                try db.execute(sql: "ALTER TABLE t ADD COLUMN d")
                try check(["a", "b", "c", "d"])
                return .rollback
            }
            try check(["a", "b", "c"])
            try db.rollback()
            try check(["a", "b"])
        }
        #expect(try database.writer.read { try Row.fetchOne($0, sql: "SELECT * FROM t")?.count } == 2)
    }

    @Test(arguments: DatabaseKind.all)
    func `A transaction that is rolled back after a failed change of the schema leaves nothing`(_ kind: DatabaseKind) throws {
        let database = try TestDatabase(kind, schema: "CREATE TABLE t (id INTEGER PRIMARY KEY, c, b, d); CREATE TABLE u (id, a)")
        try database.writer.writeWithoutTransaction { (db) throws in
            for _ in 0..<2 {
                try db.beginTransaction()
                try db.execute(sql: "ALTER TABLE t RENAME TO swap; ALTER TABLE u RENAME TO t; ALTER TABLE swap RENAME TO u")
                #expect(throws: DatabaseError.self) {
                    try db.inSavepoint {
                        try db.execute(sql: "ALTER TABLE u RENAME COLUMN c TO d")
                        return .commit
                    }
                }
                try db.execute(sql: "DELETE FROM u WHERE id > 3 RETURNING *")
                try db.rollback()
                #expect(try db.makeStatement(sql: "SELECT *, * FROM u").columnCount == 4)
                #expect(try Row.fetchAll(db, sql: "SELECT *, * FROM u").isEmpty)
                try db.beginTransaction()
                #expect(try Row.fetchAll(db, sql: "SELECT *, * FROM u").isEmpty)
                try db.commit()
            }
        }
    }

    @Test(arguments: DatabaseKind.all)
    func `A statement whose table was dropped throws, and has the columns of a new table`(_ kind: DatabaseKind) throws {
        let database = try TestDatabase(kind, schema: Self.creation)
        try database.writer.writeWithoutTransaction { (db) throws in
            let statements = try ["SELECT * FROM t", "INSERT INTO t DEFAULT VALUES", "DELETE FROM t RETURNING *"].map {
                try db.makeStatement(sql: $0)
            }
            try db.execute(sql: "DROP TABLE t")
            for statement in statements {
                let error = #expect(throws: DatabaseError.self) { try statement.step() }
                #expect(error?.resultCode == .SQLITE_ERROR)
                #expect(error?.message?.contains("no such table") == true)
                #expect(error?.sql == statement.sql)
            }
            #expect(statements[0].columnNames == ["a", "b"])
            try db.execute(sql: "CREATE TABLE t (x DEFAULT 5)")
            try statements[1].run()
            #expect(statements[0].columnNames == ["x"])
            #expect(try statements[0].step())
            #expect(statements[0].int64(at: 0) == 5)
            statements[0].reset()
            #expect(try statements[2].step())
            #expect(statements[2].columnNames == ["x"])
            #expect(statements[2].int64(at: 0) == 5)
            #expect(try !statements[2].step())
        }
    }

    @Test(arguments: DatabaseKind.all)
    func `Columns of the same name are read`(_ kind: DatabaseKind) throws {
        let database = try TestDatabase(kind, schema: Self.creation)
        try database.writer.writeWithoutTransaction { (db) throws in
            let sql = "SELECT * FROM t, t AS u"
            #expect(try Row.fetchOne(db, sql: sql).map { Array($0.columnNames) } == ["a", "b", "a", "b"])
            try db.execute(sql: "ALTER TABLE t ADD COLUMN c DEFAULT 3")
            let row = try #require(try Row.fetchOne(db, sql: sql))
            #expect(Array(row.columnNames) == ["a", "b", "c", "a", "b", "c"])
            #expect(Array(row.databaseValues) == [1, 2, 3, 1, 2, 3].map(\.databaseValue))
        }
    }

    struct Player: Codable, Equatable, FetchableRecord, MutablePersistableRecord {
        static let databaseTableName = "player"
        var id: Int64?
        var name: String
        var score: Int
        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }

        static let arthur = Player(id: 1, name: "Arthur", score: 100)
        static let barbara = Player(id: 2, name: "Barbara", score: 200)
    }

    /// A player that is read without `Codable`.
    struct HandWrittenPlayer: FetchableRecord, TableRecord {
        static let databaseTableName = "player"
        let name: String
        let score: Int

        init(row: Row) throws {
            name = try row.decode(forKey: "name")
            score = try row.decode(forKey: "score")
        }
    }

    private static let playerCreation = """
        CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL);
        INSERT INTO player VALUES (1, 'Arthur', 100), (2, 'Barbara', 200)
        """

    /// Expects an error that SQLite has found when it compiled a statement.
    private func expectSQLError(
        _ message: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
    ) {
        let error = #expect(throws: DatabaseError.self, sourceLocation: sourceLocation) { try body() }
        #expect(error?.resultCode == .SQLITE_ERROR, sourceLocation: sourceLocation)
        #expect(error?.message?.contains(message) == true, "\(error?.message ?? "")", sourceLocation: sourceLocation)
    }

    static let recordChanges = [
        "ALTER TABLE player ADD COLUMN extra DEFAULT 'extra'",
        """
        CREATE TABLE other (score INTEGER NOT NULL, extra, name TEXT NOT NULL, id INTEGER PRIMARY KEY);
        INSERT INTO other SELECT score, 'extra', name, id FROM player;
        DROP TABLE player;
        ALTER TABLE other RENAME TO player
        """,
        """
        ALTER TABLE player RENAME COLUMN name TO temporary;
        ALTER TABLE player ADD COLUMN name TEXT NOT NULL DEFAULT '';
        UPDATE player SET name = temporary;
        ALTER TABLE player DROP COLUMN temporary
        """,
    ]

    @Test(arguments: ways, recordChanges)
    func `Records are read and written in the columns that the table has now`(_ way: Way, _ sql: String) throws {
        func check(_ db: Database) throws {
            #expect(try Player.fetchAll(db) == [.arthur, .barbara])
            #expect(try Player.fetchOne(db, key: 2) == .barbara)
            #expect(try Player.filter(Column("score") > 100).fetchOne(db) == .barbara)
            #expect(try Player.fetchAll(db, sql: "SELECT * FROM player") == [.arthur, .barbara])
            #expect(try HandWrittenPlayer.fetchAll(db).map(\.name) == ["Arthur", "Barbara"])
            let rows = try Row.fetchCursor(db, sql: "SELECT * FROM player")
            while let row = try rows.next() {
                #expect((row["name"] as String).count > 4)
                #expect((row["score"] as Int) >= 100)
            }
            var player = Player(id: nil, name: "David", score: 400)
            try player.insert(db)
            #expect(player.id == 3)
            player.score = 401
            try player.update(db)
            #expect(try Player.fetchOne(db, key: 3) == player)
            player.name = "Daniel"
            try player.save(db)
            #expect(try Player.fetchOne(db, key: 3) == player)
            #expect(try player.delete(db))
            let returned = try Player(id: nil, name: "Eve", score: 1).insertAndFetch(db)
            #expect(returned.name == "Eve")
            #expect(try Player.filter(Column("name") == "Eve").deleteAll(db) == 1)
        }
        let database = try TestDatabase(way.kind, schema: Self.playerCreation)
        try changing(database, sql, by: way.changer, before: check, after: check)
    }

    @Test(arguments: ways)
    func `A renamed column is a missing column of a record`(_ way: Way) throws {
        let database = try TestDatabase(way.kind, schema: Self.playerCreation)
        try changing(database, "ALTER TABLE player RENAME COLUMN score TO points", by: way.changer) { (db) throws in
            #expect(try Player.fetchCount(db) == 2)
            #expect(try Player.fetchAll(db).count == 2)
            #expect(try HandWrittenPlayer.fetchAll(db).count == 2)
        } after: { (db) throws in
            for fetch in [
                { _ = try Player.fetchAll($0) }, { _ = try HandWrittenPlayer.fetchAll($0) }, { _ = try Player.fetchOne($0, key: 1) },
            ] as [(Database) throws -> Void] {
                let error = #expect(throws: (any Error).self) { try fetch(db) }
                #expect(error.map { "\($0)" }?.contains("score") == true)
            }
            expectSQLError("no such column: score") { try Player.arthur.update(db) }
            #expect(try Int.fetchAll(db, sql: "SELECT points FROM player") == [100, 200])
        }
    }

    @Test(arguments: ways)
    func `A dropped column is a missing column of a record`(_ way: Way) throws {
        let database = try TestDatabase(way.kind, schema: Self.playerCreation)
        try changing(database, "ALTER TABLE player DROP COLUMN name", by: way.changer) { (db) throws in
            #expect(try Player.fetchAll(db).count == 2)
        } after: { db in
            let error = #expect(throws: (any Error).self) { try Player.fetchAll(db) }
            #expect(error.map { "\($0)" }?.contains("name") == true)
            expectSQLError("name") {
                var player = Player.arthur
                try player.insert(db)
            }
        }
    }

    @Test(arguments: ways)
    func `Records are found by another primary key`(_ way: Way) throws {
        let sql = """
            CREATE TABLE other (id INTEGER, name TEXT PRIMARY KEY, score INTEGER NOT NULL);
            INSERT INTO other SELECT * FROM player;
            DROP TABLE player;
            ALTER TABLE other RENAME TO player
            """
        let database = try TestDatabase(way.kind, schema: Self.playerCreation)
        try changing(database, sql, by: way.changer) { db in
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

    @Test(arguments: ways)
    func `A dropped table is a missing table of a record`(_ way: Way) throws {
        let database = try TestDatabase(way.kind, schema: Self.playerCreation)
        try changing(database, "DROP TABLE player", by: way.changer) { db in
            #expect(try Player.fetchOne(db, key: 1) == .arthur)
            #expect(try Player.arthur.exists(db))
            try Player.arthur.update(db)
        } after: { db in
            for access in [
                { _ = try Player.fetchOne($0, key: 1) }, { _ = try Player.arthur.exists($0) }, { try Player.arthur.update($0) },
                { try Player.arthur.delete($0) },
                {
                    var player = Player.arthur
                    try player.insert($0)
                },
            ] as [(Database) throws -> Void] {
                expectSQLError("no such table: player") { try access(db) }
            }
        }
    }

    @Test(arguments: DatabaseKind.all)
    func `A change that is rolled back restores the columns of records`(_ kind: DatabaseKind) throws {
        let database = try TestDatabase(kind, schema: Self.playerCreation)
        try database.writer.writeWithoutTransaction { (db) throws in
            try db.beginTransaction()
            try db.execute(sql: "ALTER TABLE player ADD COLUMN extra; UPDATE player SET name = 'changed'")
            #expect(try Player.fetchAll(db).map(\.name) == ["changed", "changed"])
            #expect(try Row.fetchOne(db, sql: "SELECT * FROM player")?.count == 4)
            try db.rollback()
            #expect(try Player.fetchAll(db) == [.arthur, .barbara])
            #expect(try Row.fetchOne(db, sql: "SELECT * FROM player")?.count == 3)
        }
    }

    @Test(arguments: [DatabaseKind.walQueue, .pool])
    func `A running cursor sees the previous state of the table`(_ kind: DatabaseKind) throws {
        let database = try TestDatabase(kind, schema: Self.playerCreation)
        try database.writer.writeWithoutTransaction { (db) throws in
            let players = try Player.fetchCursor(db)
            #expect(try players.next() == .arthur)
            try database.openAgain().write { other in
                try other.execute(sql: Self.recordChanges[1])
                try other.execute(sql: "UPDATE player SET name = 'changed'")
            }
            #expect(try players.next() == .barbara)
            #expect(try players.next() == nil)
            #expect(try Player.fetchAll(db).map(\.name) == ["changed", "changed"])
        }
    }

    @Test(arguments: DatabaseKind.all)
    func `A rebuilt table is read in its new columns`(_ kind: DatabaseKind) throws {
        let database = try TestDatabase(kind, schema: "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES (1, 'one')")
        let writer = database.writer
        for _ in 0..<2 { #expect(try writer.read { try Row.fetchOne($0, sql: "SELECT * FROM t")?.count } == 2) }
        try writer.writeWithoutTransaction { (db) throws in
            try db.rebuild(table: "t") { t in
                t.primaryKey("id", .integer)
                t.column("a", .text).notNull()
                t.column("b", .integer).notNull().defaults(to: 7)
            }
        }
        for _ in 0..<2 {
            let row = try #require(try writer.read { try Row.fetchOne($0, sql: "SELECT * FROM t") })
            #expect(Array(row.columnNames) == ["id", "a", "b"])
            #expect(row["b"] as Int == 7)
            #expect(try writer.write { try Row.fetchOne($0, sql: "SELECT * FROM t")?.count } == 3)
        }
    }

    @Test(arguments: DatabaseKind.shared)
    func `Statements that read the schema see what another client has changed`(_ kind: DatabaseKind) throws {
        let database = try TestDatabase(kind, schema: Self.creation)
        let other = try database.openAgain()
        try database.writer.writeWithoutTransaction { (db) throws in
            func names() throws -> [String] {
                try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")
            }
            #expect(try names() == ["t"])
            try other.write { try $0.execute(sql: "CREATE TABLE u (a)") }
            #expect(try names() == ["t", "u"])
            #expect(try String.fetchAll(db, sql: "SELECT name FROM pragma_table_info('u')") == ["a"])
            try other.write { try $0.execute(sql: "ALTER TABLE u ADD COLUMN b") }
            #expect(try String.fetchAll(db, sql: "SELECT name FROM pragma_table_info('u')") == ["a", "b"])
            #expect(try Row.fetchAll(db, sql: "PRAGMA table_info(u)").count == 2)
        }
    }

    @Test(arguments: DatabaseKind.shared, ["ALTER TABLE t DROP COLUMN b", "CREATE UNIQUE INDEX u ON t (a)"])
    func `Changes of the schema that were undone leave nothing behind`(_ kind: DatabaseKind, _ failure: String) throws {
        struct Stop: Error {}
        let database = try TestDatabase(
            kind, schema: "CREATE TABLE t (a INTEGER, b INTEGER); INSERT INTO t VALUES (1, 1), (1, 1); CREATE INDEX b ON t (b)")
        let writer = database.writer
        let other = try database.openAgain()
        #expect(throws: Stop.self) {
            try writer.write { (db) throws in
                try db.execute(sql: "CREATE TABLE new (a)")
                let failed = Result { try db.execute(sql: failure) }
                #expect((try? failed.get()) == nil)
                #expect(try Row.fetchAll(db, sql: "SELECT * FROM t, new").isEmpty)
                throw Stop()
            }
        }
        // One of these changes gives the file the version of the undone schema.
        for number in 1...3 {
            try other.write { try $0.execute(sql: "CREATE INDEX a\(number) ON t (a)") }
            try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (\(number), 0)") }
            let count = try other.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t INDEXED BY a\(number) WHERE a > 0") }
            #expect(count == 2 + number)
        }
        #expect(throws: DatabaseError.self) { try writer.read { try Row.fetchAll($0, sql: "SELECT * FROM new") } }
    }
}
