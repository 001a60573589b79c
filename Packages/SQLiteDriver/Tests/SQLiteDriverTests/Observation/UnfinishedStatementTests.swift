import SQLiteDriver
import Testing

/// Observed statements that the program does not step to their ends.
@Suite struct UnfinishedStatementTests {
    private static let schema = """
        CREATE TABLE t (id INTEGER PRIMARY KEY, a UNIQUE);
        CREATE TABLE w (a PRIMARY KEY) WITHOUT ROWID;
        INSERT INTO t VALUES (1, 'one'), (2, 'two');
        INSERT INTO w VALUES ('one');
        """

    private static let changes = [
        (sql: "INSERT INTO t (a) VALUES ('three'), ('four') RETURNING id", table: "t"),
        (sql: "INSERT INTO w VALUES ('three'), ('four') RETURNING a", table: "w"),
        (sql: "DELETE FROM w RETURNING a", table: "w"),
        (sql: "REPLACE INTO t VALUES (3, 'one') RETURNING id", table: "t"),
    ]

    enum End: CaseIterable {
        case access, release, releaseAfterOtherStatement, reset
    }

    @Test(arguments: changes.indices.map { $0 }, End.allCases)
    func `Their changes are reported`(_ index: Int, _ end: End) throws {
        let (sql, table) = Self.changes[index]
        for isTransaction in [true, false] {
            let queue = try DatabaseQueue()
            try queue.write { try $0.execute(sql: Self.schema) }
            let watcher = try queue.write { db in RegionWatcher(try db.region(of: "SELECT * FROM \(table) WHERE a = 'one'")) }
            queue.add(transactionObserver: watcher, extent: .databaseLifetime)
            try queue.writeWithoutTransaction { db in
                if isTransaction { try db.beginTransaction() }
                var statement: Statement? = try db.makeStatement(sql: sql)
                #expect(try statement?.step() == true)
                switch end {
                case .access:
                    if isTransaction {
                        // SQLite refuses to commit while the statement is running.
                        #expect(throws: DatabaseError.self) { try db.commit() }
                        statement?.reset()
                    }
                case .release:
                    statement = nil
                case .releaseAfterOtherStatement:
                    try db.execute(sql: "SELECT 1")
                    statement = nil
                case .reset:
                    statement?.reset()
                }
                if isTransaction { try db.commit() }
                withExtendedLifetime(statement) {}
            }
            #expect(watcher.take(), "\(sql), in a transaction: \(isTransaction)")
        }
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: Self.schema) }
        let watcher = try queue.write { db in RegionWatcher(try db.region(of: "SELECT * FROM \(table) WHERE a = 'one'")) }
        queue.add(transactionObserver: watcher, extent: .databaseLifetime)
        try queue.write { db in
            // The end of the access ends the statement.
            let statement = try db.makeStatement(sql: sql)
            _ = try statement.step()
        }
        #expect(watcher.take())
    }

    @Test(arguments: ["SELECT * FROM t", "INSERT INTO w VALUES ('three') RETURNING a", "PRAGMA table_info(t)"], [true, false])
    func `They do not keep a database from being closed`(_ sql: String, _ isRemoved: Bool) throws {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: Self.schema) }
        let watcher = RegionWatcher(.fullDatabase)
        try queue.writeWithoutTransaction { db in
            db.add(transactionObserver: watcher, extent: .databaseLifetime)
            let statement = try db.makeStatement(sql: sql)
            _ = try statement.step()
            if isRemoved { db.remove(transactionObserver: watcher) }
        }
        try queue.close()
    }
}
