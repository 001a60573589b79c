import Foundation
import SQLiteDriver
import Testing

/// Observers that use the connection in callbacks that must not.
@Suite struct ObserverMisuseTests {
    private final class Observer: TransactionObserver {
        var onChange: () throws -> Void = {}
        var onCommit: () throws -> Void = {}
        private(set) var errors: [DatabaseError?] = []

        private func note(_ body: () throws -> Void) {
            do {
                try body()
                errors.append(nil)
            } catch {
                errors.append(error as? DatabaseError)
            }
        }

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { eventKind.tableName == "t" }
        func databaseDidChange(with event: DatabaseEvent) { note(onChange) }
        func databaseWillCommit() { note(onCommit) }
        func databaseDidRollback(_ db: Database) {}

        func databaseDidCommit(_ db: Database) {
            // The commit of this change is a separate one.
            if errors.count == 2 { note { try db.execute(sql: "INSERT INTO log VALUES ('commit')") } }
        }
    }

    @Test(arguments: ["INSERT INTO log VALUES ('no')", "SELECT * FROM t", "ROLLBACK", "COMMIT", "SAVEPOINT s", "PRAGMA user_version = 7"])
    func `A statement throws while an observer is notified of a change or of a coming commit`(_ sql: String) throws {
        try DatabaseQueue().writeWithoutTransaction { (db) throws in
            try db.execute(sql: "CREATE TABLE t (a); CREATE TABLE log (text)")
            let cached = try db.cachedStatement(sql: sql)
            let observer = Observer()
            observer.onChange = { try db.execute(sql: sql) }
            observer.onCommit = { try cached.execute() }
            db.add(transactionObserver: observer)
            try db.inTransaction {
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                // Outside the callbacks, the connection can be used.
                try db.execute(sql: "INSERT INTO log VALUES ('yes')")
                return .commit
            }
            // The change, the coming commit, the coming commit of the change that the callback makes, and that callback, which has no error.
            try #require(observer.errors.count == 4)
            for error in observer.errors where error != nil {
                #expect(error?.resultCode == .SQLITE_MISUSE)
                #expect(error?.description.contains("Use the connection in databaseDidCommit") == true)
            }
            #expect(observer.errors.map { $0 == nil } == [false, false, false, true])
            db.remove(transactionObserver: observer)
            #expect(try db.integers("SELECT a FROM t") == [1])
            #expect(try db.texts("SELECT text FROM log") == ["yes", "commit"])
            #expect(!db.isInsideTransaction)
        }
    }
}

/// Closures that commit or roll back the transaction in which they run, and observers of that transaction.
@Suite struct EarlyEndTests {
    private struct Refusal: Error {}

    private final class Observer: TransactionObserver {
        var refuses = false
        var onEnd: (Database) throws -> Void = { _ in }
        private(set) var ends: [String] = []

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { eventKind.tableName == "t" }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseWillCommit() throws { if refuses { throw Refusal() } }
        func databaseDidCommit(_ db: Database) { end("commit", db) }
        func databaseDidRollback(_ db: Database) { end("rollback", db) }

        private func end(_ name: String, _ db: Database) {
            // The changes of the observer end, too.
            let body = onEnd
            onEnd = { _ in }
            do {
                try body(db)
                ends.append(name)
            } catch {
                ends.append("\(name): \(error)")
            }
        }
    }

    private func makeWriter(_ kind: Kind, _ folder: TemporaryFolder) throws -> any DatabaseWriter {
        let writer = try kind.open(folder.path("a.sqlite"))
        try writer.write { try $0.execute(sql: "CREATE TABLE t (a); CREATE TABLE log (text)") }
        return writer
    }

    @Test(arguments: Kind.allCases, [true, false])
    func `Nothing is kept after an observer has refused a COMMIT that the closure runs`(_ kind: Kind, _ catches: Bool) throws {
        let folder = try TemporaryFolder()
        let writer = try makeWriter(kind, folder)
        let observer = Observer()
        observer.refuses = true
        writer.add(transactionObserver: observer)
        #expect(throws: Refusal.self) {
            try writer.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                if catches {
                    do {
                        try db.execute(sql: "COMMIT")
                        Issue.record("it was not refused")
                    } catch is Refusal {}
                    // Outside of the transaction, this would stay.
                    expectError(.SQLITE_ABORT) { try db.execute(sql: "INSERT INTO log VALUES ('stray')") }
                    expectError(.SQLITE_ABORT) { try db.integers("SELECT 1") }
                } else {
                    try db.execute(sql: "COMMIT")
                }
            }
        }
        #expect(observer.ends == ["rollback"])
        observer.refuses = false
        #expect(try writer.read { try $0.integers("SELECT count(*) FROM t") + $0.integers("SELECT count(*) FROM log") } == [0, 0])
        try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        #expect(try writer.read { try $0.integers("SELECT a FROM t") } == [2])
    }

    @Test(
        arguments: Kind.allCases,
        [("COMMIT", true), ("COMMIT", false), ("ROLLBACK", true), ("ROLLBACK", false)])
    func `Observers may use the connection after a COMMIT or ROLLBACK of the closure`(
        _ kind: Kind, _ ending: (statement: String, usesTransaction: Bool)
    ) throws {
        let (end, usesTransaction) = ending
        let folder = try TemporaryFolder()
        let writer = try makeWriter(kind, folder)
        let observer = Observer()
        observer.onEnd = { db in
            if usesTransaction {
                try db.inTransaction {
                    try db.execute(sql: "INSERT INTO log SELECT 'count ' || count(*) FROM t")
                    return .commit
                }
                // After its own transaction, too.
                try db.execute(sql: "INSERT INTO log VALUES ('more')")
            } else {
                try db.execute(sql: "INSERT INTO log SELECT 'count ' || count(*) FROM t")
                // A failure of the observer does not fail the transaction.
                expectError(.SQLITE_ERROR) { try db.execute(sql: "INSERT INTO missing VALUES (1)") }
                try db.execute(sql: "INSERT INTO log VALUES ('more')")
            }
        }
        writer.add(transactionObserver: observer)
        expectError(.SQLITE_ABORT) {
            try writer.write { (db) throws in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                try db.execute(sql: end)
                let error = expectError(.SQLITE_ABORT) { try db.execute(sql: "INSERT INTO log VALUES ('stray')") }
                #expect(error?.message?.hasPrefix("the transaction was ended by \(end)") == true)
            }
        }
        #expect(observer.ends.last == end.lowercased())
        #expect(try writer.read { try $0.texts("SELECT text FROM log") } == [end == "COMMIT" ? "count 1" : "count 0", "more"])
        try writer.write { try $0.execute(sql: "DELETE FROM t") }
    }

    @Test(arguments: Kind.allCases)
    func `An observer of a rollback by SQLite may use the connection, and its failure does not replace the reason`(
        _ kind: Kind
    ) throws {
        let folder = try TemporaryFolder()
        let writer = try makeWriter(kind, folder)
        try writer.write { try $0.execute(sql: "CREATE UNIQUE INDEX i ON t (a)") }
        let observer = Observer()
        observer.onEnd = { db in
            try db.execute(sql: "INSERT INTO log VALUES ('rollback')")
            try db.inTransaction {
                try db.execute(sql: "INSERT INTO log VALUES ('again')")
                return .commit
            }
            expectError(.SQLITE_ERROR) { try db.execute(sql: "INSERT INTO missing VALUES (1)") }
        }
        writer.add(transactionObserver: observer)
        expectError(.SQLITE_CONSTRAINT) {
            try writer.write { (db) throws in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                try? db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1)")
                let error = expectError(.SQLITE_ABORT) { try db.execute(sql: "INSERT INTO log VALUES ('stray')") }
                #expect(error?.message == "the transaction was rolled back by an earlier error: UNIQUE constraint failed: t.a")
            }
        }
        #expect(observer.ends.last == "rollback")
        #expect(try writer.read { try $0.texts("SELECT text FROM log") } == ["rollback", "again"])
    }
}
