import DqliteCluster
import Foundation
import Strata
import Testing

/// Statements, records and requests that were prepared before the schema changed, over every kind of database.
@Suite(.serialized, .timeLimit(.minutes(20))) struct SchemaChangeMatrixTests {
    /// Who changes the schema.
    enum Changer: CaseIterable {
        case sameAccess, sameTransaction, sameClient, otherClient
    }

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
        }
        for _ in 0..<2 { try writer.writeWithoutTransaction(after) }
        try writer.write(after)
    }

    private func changers(_ kind: DatabaseKind) -> [Changer] {
        kind == .memory ? [.sameAccess, .sameTransaction, .sameClient] : Changer.allCases
    }

    @Test(arguments: DatabaseKind.all, changes)
    func `Cached statements read the columns of the current schema`(_ kind: DatabaseKind, _ change: Change) throws {
        for changer in changers(kind) {
            let database = try TestDatabase(kind, schema: Self.creation)
            try changing(database, change.sql, by: changer) { (db) throws in
                for sql in Self.queries { #expect(try Row.fetchOne(db, sql: sql).map(dictionary) == ["a": 1, "b": 2]) }
            } after: { (db) throws in
                for sql in Self.queries where !sql.contains("w") || change.row["a"] != nil || change.names.count == 1 {
                    let row = try Row.fetchOne(db, sql: sql)
                    #expect(row.map { Array($0.columnNames) } == change.names, "\(sql), \(changer)")
                    #expect(row.map(dictionary) == change.row, "\(sql), \(changer)")
                }
            }
        }
    }

    @Test(arguments: DatabaseKind.all, changes)
    func `Cached statements of the readers read the columns of the current schema`(_ kind: DatabaseKind, _ change: Change) throws {
        for changer in changers(kind) where changer != .sameAccess && changer != .sameTransaction {
            let database = try TestDatabase(kind, schema: Self.creation)
            let writer = database.writer
            for _ in 0..<2 {
                #expect(try writer.read { try Row.fetchOne($0, sql: "SELECT * FROM t") }.map(dictionary) == ["a": 1, "b": 2])
            }
            let changing = changer == .sameClient ? writer : try database.openAgain()
            try changing.write { try $0.execute(sql: change.sql) }
            for _ in 0..<3 {
                #expect(try writer.read { try Row.fetchOne($0, sql: "SELECT * FROM t") }.map(dictionary) == change.row)
                #expect(try writer.unsafeRead { try Row.fetchOne($0, sql: "SELECT * FROM t") }.map(dictionary) == change.row)
            }
            if let cluster = writer as? DqliteCluster {
                #expect(try cluster.read(.repeatable) { try Row.fetchOne($0, sql: "SELECT * FROM t") }.map(dictionary) == change.row)
            }
        }
    }

    @Test(arguments: DatabaseKind.all, changes)
    func `Until it runs, a statement has the current schema's columns`(_ kind: DatabaseKind, _ change: Change) throws {
        for changer in [Changer.sameAccess, .sameTransaction, .otherClient] where changers(kind).contains(changer) {
            let database = try TestDatabase(kind, schema: Self.creation)
            let other = changer == .otherClient ? try database.openAgain() : nil
            try database.writer.writeWithoutTransaction { (db) throws in
                let fresh = try db.makeStatement(sql: "SELECT * FROM t")
                let asked = try db.makeStatement(sql: "SELECT * FROM t")
                #expect(asked.columnNames == ["a", "b"])
                let finished = try db.makeStatement(sql: "SELECT * FROM t WHERE 0")
                #expect(try !finished.step())
                if changer == .sameTransaction { try db.beginTransaction() }
                if let other { try other.write { try $0.execute(sql: change.sql) } } else { try db.execute(sql: change.sql) }
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
                if changer == .sameTransaction {
                    try db.rollback()
                    #expect(fresh.columnNames == ["a", "b"])
                    #expect(try fresh.step())
                    #expect(fresh.columnNames == ["a", "b"])
                    #expect(fresh.int64(at: 1) == 2)
                    fresh.reset()
                }
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

    @Test(arguments: DatabaseKind.all, recordChanges)
    func `Records are read and written in the columns that the table has now`(_ kind: DatabaseKind, _ sql: String) throws {
        let arthur = Player(id: 1, name: "Arthur", score: 100)
        func check(_ db: Database) throws {
            #expect(try Player.fetchAll(db) == [arthur])
            #expect(try Player.fetchOne(db, key: 1) == arthur)
            #expect(try Player.fetchAll(db, sql: "SELECT * FROM player") == [arthur])
            var player = Player(id: nil, name: "David", score: 400)
            try player.insert(db)
            player.score = 401
            try player.update(db)
            #expect(try Player.fetchOne(db, key: player.id) == player)
            #expect(try player.delete(db))
            let returned = try Player(id: nil, name: "Eve", score: 1).insertAndFetch(db)
            #expect(returned.name == "Eve")
            #expect(try Player.filter(Column("name") == "Eve").deleteAll(db) == 1)
        }
        for changer in changers(kind) {
            let database = try TestDatabase(
                kind,
                schema: """
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL);
                    INSERT INTO player VALUES (1, 'Arthur', 100)
                    """)
            try changing(database, sql, by: changer, before: check, after: check)
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
}
