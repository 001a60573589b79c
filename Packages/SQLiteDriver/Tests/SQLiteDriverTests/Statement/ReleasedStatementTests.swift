import Foundation
import SQLiteDriver
import Testing

/// Statements that return rows, and that are released or reset before their last row. Outside transactions, they then commit.
@Suite struct ReleasedStatementTests {
    /// Ways to leave a statement whose first row was read.
    enum Way: CaseIterable { case release, reset, allStatements, abandon, keep, runAgain }

    /// Leaves a statement after its first row; throws if the way itself reports the failure.
    private func leave(_ way: Way, _ sql: String, _ db: Database, kept: Box<[Statement]>) throws {
        switch way {
        case .release:
            let statement = try db.makeStatement(sql: sql)
            #expect(try statement.step())
        case .reset:
            let statement = try db.makeStatement(sql: sql)
            #expect(try statement.step())
            statement.reset()
        case .allStatements:
            let cursor = try db.allStatements(sql: "\(sql); SELECT 1")
            #expect(try cursor.next()?.step() == true)
        case .abandon:
            nonisolated(unsafe) var statement: Statement? = try db.makeStatement(sql: sql)
            #expect(try statement?.step() == true)
            onAnotherThread { statement = nil }
        case .keep:
            let statement = try db.makeStatement(sql: sql)
            #expect(try statement.step())
            kept.value.append(statement)
        case .runAgain:
            let statement = try db.makeStatement(sql: sql)
            #expect(try statement.step())
            try statement.execute()
        }
    }

    @Test(arguments: Way.allCases, [false, true])
    func `The access throws when a deferred foreign key fails the commit of a released statement`(
        _ way: Way, _ allowsUnsafeTransactions: Bool
    ) throws {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = allowsUnsafeTransactions
        let queue = try DatabaseQueue(configuration: configuration)
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE team (id INTEGER PRIMARY KEY);
                    CREATE TABLE player (id INTEGER PRIMARY KEY, teamId REFERENCES team DEFERRABLE INITIALLY DEFERRED);
                    """)
        }
        let kept = Box<[Statement]>([])
        let error = #expect(throws: DatabaseError.self, "\(way)") {
            try queue.writeWithoutTransaction { try leave(way, "INSERT INTO player (teamId) VALUES (7) RETURNING id", $0, kept: kept) }
        }
        #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY, "\(way)")
        #expect(error?.sql == "INSERT INTO player (teamId) VALUES (7) RETURNING id")
        kept.value = []
        #expect(try queue.read { try $0.integers("SELECT count(*) FROM player") } == [0])
        // The error is thrown once.
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "INSERT INTO player (teamId) VALUES (NULL)")
            #expect(try db.integers("SELECT count(*) FROM player") == [1])
        }
    }

    @Test(arguments: Way.allCases)
    func `The access throws when another connection's lock fails the commit of a released statement`(_ way: Way) throws {
        let folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.busyMode = .immediateError
        let queue = try DatabaseQueue(path: folder.path("a.sqlite"), configuration: configuration)
        try queue.write { try $0.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)") }
        let other = try DatabaseQueue(path: folder.path("a.sqlite"))
        try other.read { (db) throws in
            #expect(try db.integers("SELECT id FROM t") == [1])
            let kept = Box<[Statement]>([])
            let error = #expect(throws: DatabaseError.self, "\(way)") {
                try queue.writeWithoutTransaction { try leave(way, "INSERT INTO t DEFAULT VALUES RETURNING id", $0, kept: kept) }
            }
            #expect(error?.resultCode == .SQLITE_BUSY, "\(way)")
            kept.value = []
        }
        try queue.writeWithoutTransaction { try $0.execute(sql: "INSERT INTO t DEFAULT VALUES") }
        #expect(try queue.read { try $0.integers("SELECT id FROM t") } == [1, 2])
    }

    @Test
    func `The statement after the failure throws it, and a released statement that succeeds is committed`() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a REFERENCES t DEFERRABLE INITIALLY DEFERRED)")
        }
        let error = #expect(throws: DatabaseError.self) {
            try queue.writeWithoutTransaction { db in
                do {
                    let statement = try db.makeStatement(sql: "INSERT INTO t (a) VALUES (7) RETURNING id")
                    _ = try statement.step()
                }
                try db.execute(sql: "INSERT INTO t (a) VALUES (NULL)")
            }
        }
        #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
        #expect(error?.sql == "INSERT INTO t (a) VALUES (7) RETURNING id")
        try queue.writeWithoutTransaction { db in
            let statement = try db.makeStatement(sql: "INSERT INTO t (a) VALUES (NULL) RETURNING id")
            _ = try statement.step()
        }
        #expect(try queue.read { try $0.integers("SELECT id FROM t") } == [1])
    }
}
