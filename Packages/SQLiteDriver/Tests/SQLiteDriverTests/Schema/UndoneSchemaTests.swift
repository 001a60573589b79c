import Foundation
import SQLiteDriver
import Testing

/// A change of the schema that fails after earlier ones makes SQLite forget that there are changes. The schema that it reads afterwards
/// survives the rollback, with a version that the next change by another connection gives to the file.
@Suite struct UndoneSchemaTests {
    /// The ways in which changes of the schema are undone.
    enum End: CaseIterable {
        case error, rollback, conflict, refusedCommit, savepoint
    }

    struct Stop: Error {}

    final class Refusal: TransactionObserver {
        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseWillCommit() throws { throw Stop() }
        func databaseDidCommit(_ db: Database) {}
        func databaseDidRollback(_ db: Database) {}
    }

    static let failures = [
        "ALTER TABLE t DROP COLUMN c", "CREATE UNIQUE INDEX u ON t (b)", "CREATE TABLE t2 AS SELECT abs(-9223372036854775807 - 1)",
        "PRAGMA writable_schema = RESET",
    ]

    private func undo(_ end: End, _ failure: String, in database: any DatabaseWriter) throws {
        func change(_ db: Database) throws {
            try db.execute(sql: "CREATE TABLE new (a)")
            try? db.execute(sql: failure)
            // SQLite reads the schema again.
            #expect(try db.integer("SELECT count(*) FROM v") == 2)
            #expect(try db.columns(in: "new").count == 1)
        }
        switch end {
        case .error:
            #expect(throws: Stop.self) {
                try database.write { (db) throws in
                    try change(db)
                    throw Stop()
                }
            }
        case .rollback:
            try database.writeWithoutTransaction { (db) throws in
                try db.execute(sql: "BEGIN")
                try change(db)
                try db.execute(sql: "ROLLBACK")
            }
        case .conflict:
            expectError(.SQLITE_CONSTRAINT) {
                try database.write { (db) throws in
                    try change(db)
                    try db.execute(sql: "INSERT OR ROLLBACK INTO t (id) VALUES (1)")
                }
            }
        case .refusedCommit:
            let observer = Refusal()
            #expect(throws: Stop.self) {
                try database.write { (db) throws in
                    db.add(transactionObserver: observer, extent: .databaseLifetime)
                    try change(db)
                    try db.execute(sql: "UPDATE t SET b = 1")
                }
            }
            try database.write { $0.remove(transactionObserver: observer) }
        case .savepoint:
            try database.write { (db) throws in
                try db.execute(sql: "SAVEPOINT s")
                try change(db)
                try db.execute(sql: "ROLLBACK TO s")
            }
        }
    }

    @Test(arguments: Kind.allCases.filter { $0 != .memory }, End.allCases)
    func `Statements run for the schema of the file after changes were undone`(_ kind: Kind, _ end: End) throws {
        for failure in Self.failures {
            let folder = try TemporaryFolder()
            let path = folder.path("a.sqlite")
            let database = try kind.open(path)
            try database.write { (db) throws in
                try db.execute(
                    sql: """
                        CREATE TABLE t (id INTEGER PRIMARY KEY, b, c); CREATE INDEX c ON t (c); CREATE VIEW v AS SELECT * FROM t;
                        INSERT INTO t VALUES (1, 1, 1), (2, 1, 1)
                        """)
            }
            let other = try kind.open(path)
            try undo(end, failure, in: database)
            // One of these changes gives the file the version of the undone schema.
            for number in 1...3 {
                try other.write { try $0.execute(sql: "CREATE INDEX b\(number) ON t (b)") }
                try database.write { (db) throws in
                    #expect(try db.columns(in: "t").count == 3)
                    #expect(try !db.tableExists("new"), "\(failure)")
                    try db.execute(sql: "INSERT INTO t (b) VALUES (\(number))")
                }
                let problems = try other.read { try $0.texts("PRAGMA integrity_check") }
                try #require(problems == ["ok"], "after \(failure) and \(number) changes")
            }
            try other.write { try $0.execute(sql: "DROP VIEW v") }
            expectError(.SQLITE_ERROR) { try database.write { try $0.integer("SELECT count(*) FROM v") } }
            try other.close()
            try database.close()
        }
    }

    @Test
    func `The schema of a program that edits it stays writable`() throws {
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction { (db) throws in
            try db.execute(sql: "CREATE TABLE t (a); PRAGMA writable_schema = ON; BEGIN; CREATE TABLE u (a); ROLLBACK")
            #expect(try db.integer("PRAGMA writable_schema") == 1)
            try db.execute(sql: "PRAGMA writable_schema = OFF; BEGIN; CREATE TABLE u (a); ROLLBACK")
            #expect(try db.integer("PRAGMA writable_schema") == 0)
        }
    }
}
