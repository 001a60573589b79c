import SQLiteDriver
import Testing

/// What a connection asks for itself, and who sees it.
@Suite struct InternalQueryTests {
    private let queue: DatabaseQueue

    init() throws {
        queue = try DatabaseQueue()
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a); CREATE INDEX i ON t (a); INSERT INTO t VALUES (1, 2)")
        }
    }

    /// All that reads the schema.
    private func readSchema(_ db: Database) throws {
        db.clearSchemaCache()
        #expect(try db.columns(in: "t").count == 2)
        #expect(try db.primaryKey("t").columns == ["id"])
        #expect(try db.indexes(on: "t").map(\.name) == ["i"])
        #expect(try db.foreignKeys(on: "t").isEmpty)
        #expect(try db.tableExists("t"))
        #expect(try db.schemaVersion() > 0)
    }

    @Test
    func `Recordings, traces and guards don't see them`() throws {
        try queue.writeWithoutTransaction { db throws in
            let (_, sql) = try db.recordingSQL { try readSchema(db) }
            #expect(sql.isEmpty)
            let (_, region) = try db.recordingAccesses { try readSchema(db) }
            #expect(region.isEmpty)
            let (_, tables) = try db.recordingChanges { try readSchema(db) }
            #expect(tables.isEmpty)
            try db.readOnly { try readSchema(db) }
            try db.inGuardedTransaction(isInterrupted: { true }) {
                try readSchema(db)
                return .rollback
            }
        }
    }

    @Test
    func `The schema can be read after a transaction has failed, and statements can't run`() throws {
        try queue.writeWithoutTransaction { db throws in
            try db.inTransaction {
                expectError(.SQLITE_CONSTRAINT) { try db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1, 3)") }
                try readSchema(db)
                expectError(.SQLITE_ABORT) { try db.execute(sql: "INSERT INTO t VALUES (2, 3)") }
                return .rollback
            }
            #expect(try db.integers("SELECT id FROM t") == [1])
        }
    }

    @Test
    func `They don't run while an observer is notified`() throws {
        final class Observer: TransactionObserver {
            let codes = Box<[ResultCode]>([])

            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
            func databaseDidChange(with event: DatabaseEvent) { ask() }
            func databaseWillCommit() throws { ask() }
            func databaseDidCommit(_ db: Database) {}
            func databaseDidRollback(_ db: Database) {}

            nonisolated(unsafe) weak var db: Database?
            private func ask() {
                do {
                    _ = try db?.tableExists("t")
                } catch {
                    codes.value.append((error as? DatabaseError)?.resultCode ?? .SQLITE_OK)
                }
            }
        }
        let observer = Observer()
        try queue.writeWithoutTransaction { db throws in
            observer.db = db
            db.add(transactionObserver: observer)
            try db.execute(sql: "INSERT INTO t VALUES (2, 3)")
            #expect(observer.codes.value == [.SQLITE_MISUSE, .SQLITE_MISUSE])
        }
    }
}
