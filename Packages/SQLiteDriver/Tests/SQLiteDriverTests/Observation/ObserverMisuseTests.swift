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

    @Test(
        "A statement throws while an observer is notified of a change or of a coming commit",
        arguments: ["INSERT INTO log VALUES ('no')", "SELECT * FROM t", "ROLLBACK", "COMMIT", "SAVEPOINT s", "PRAGMA user_version = 7"])
    func statements(_ sql: String) throws {
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
