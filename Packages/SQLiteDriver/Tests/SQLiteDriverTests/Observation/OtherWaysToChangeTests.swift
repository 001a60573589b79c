import CSQLiteShims
import Foundation
import SQLiteDriver
import Testing

/// Changes that SQLite's update hook does not report: of the file's header, and by statements of the C API.
@Suite struct OtherWaysToChangeTests {
    @Test(
        arguments: [
            ("PRAGMA user_version", "PRAGMA user_version = 7"), ("PRAGMA main.user_version", "PRAGMA main.user_version = 7"),
            ("PRAGMA application_id", "PRAGMA application_id = 7"),
            ("SELECT user_version FROM pragma_user_version", "PRAGMA user_version = 7"),
            ("PRAGMA schema_version", "CREATE TABLE u (a)"), ("PRAGMA table_info(t)", "ALTER TABLE t ADD COLUMN b"),
            ("SELECT name FROM pragma_table_info('t')", "ALTER TABLE t ADD COLUMN b"), ("PRAGMA index_list(t)", "CREATE INDEX i ON t (a)"),
            ("PRAGMA table_list", "CREATE VIEW v AS SELECT 1"),
        ], [true, false])
    func `The numbers of the header and the schema are a part of what PRAGMAs read`(
        _ sql: (query: String, change: String), _ isInTransaction: Bool
    ) throws {
        let (query, change) = sql
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE t (a); CREATE TABLE other (a)")
            let watcher = RegionWatcher(try db.region(of: query))
            db.add(transactionObserver: watcher)
            let before = try db.content(query)
            try db.execute(sql: "INSERT INTO other VALUES (1)")
            #expect(!watcher.take())
            if isInTransaction {
                try db.inTransaction {
                    try db.execute(sql: change)
                    return .commit
                }
            } else {
                try db.execute(sql: change)
            }
            #expect(try db.content(query) != before)
            #expect(watcher.take())
            // A rolled back change is not reported.
            try db.inTransaction {
                try db.execute(sql: "PRAGMA user_version = 9")
                return .rollback
            }
            #expect(!watcher.take())
        }
    }

    /// A table, and statements that change it.
    struct Table: Sendable, CustomTestStringConvertible {
        let query: String
        let changes: [String]
        var testDescription: String { query }
    }

    static let tables = [
        Table(
            query: "SELECT * FROM keyed",
            changes: [
                "INSERT INTO keyed VALUES ('a', 1)", "UPDATE keyed SET value = value + 1", "REPLACE INTO keyed VALUES ('a', 5)",
                "DELETE FROM keyed",
            ]),
        Table(
            query: "SELECT * FROM document WHERE document MATCH 'one'",
            changes: ["INSERT INTO document (text) VALUES ('one')", "UPDATE document SET text = 'one two'", "DELETE FROM document"]),
        Table(
            query: "SELECT * FROM box",
            changes: ["INSERT INTO box VALUES (1, 0, 1)", "UPDATE box SET high = high + 1", "DELETE FROM box"]),
        Table(query: "SELECT * FROM plain", changes: ["INSERT INTO plain VALUES (1)", "UPDATE plain SET a = a + 1", "DELETE FROM plain"]),
    ]

    @Test(arguments: tables, Kind.allCases)
    func `Changes by statements of the C API are reported, whatever the table is`(_ table: Table, _ kind: Kind) throws {
        let folder = try TemporaryFolder()
        let writer = try kind.open(folder.path("a.sqlite"))
        let watcher = try writer.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE TABLE keyed (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
                    CREATE VIRTUAL TABLE document USING fts5(text);
                    CREATE VIRTUAL TABLE box USING rtree(id, low, high);
                    CREATE TABLE plain (a);
                    CREATE TABLE other (a);
                    """)
            let watcher = RegionWatcher(try db.region(of: table.query))
            db.add(transactionObserver: watcher)
            return watcher
        }
        func run(_ sql: String, _ db: Database) {
            #expect(sqlite3_exec(db.sqliteConnection, sql, nil, nil, nil) == SQLITE_OK, "\(sql)")
        }
        var prepared: [OpaquePointer?] = []
        for change in table.changes {
            try writer.writeWithoutTransaction { run(change, $0) }
            #expect(watcher.take(), "\(change)")
        }
        for change in table.changes {
            try writer.write { run(change, $0) }
            #expect(watcher.take(), "\(change)")
            try writer.writeWithoutTransaction { db in
                var statement: OpaquePointer?
                #expect(sqlite3_prepare_v2(db.sqliteConnection, change, -1, &statement, nil) == SQLITE_OK)
                prepared.append(statement)
            }
            _ = watcher.take()
        }
        // Statements that were prepared in an earlier access, inside a transaction of the library.
        for statement in prepared {
            try writer.write { _ in #expect(sqlite3_step(statement) == SQLITE_DONE) }
            #expect(watcher.take())
            sqlite3_finalize(statement)
        }
        // Rolled back changes are not reported.
        #expect(throws: CancellationError.self) {
            try writer.write { db in
                run(table.changes[0], db)
                throw CancellationError()
            }
        }
        #expect(!watcher.take())
        try writer.close()
    }

    @Test
    func `The library's own statements of virtual tables do not make later commits report these tables`() throws {
        try DatabaseQueue().writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE document USING fts5(text);
                    CREATE VIRTUAL TABLE box USING rtree(id, low, high);
                    CREATE TABLE other (a);
                    """)
            let watchers = try ["SELECT * FROM document", "SELECT * FROM box"].map { RegionWatcher(try db.region(of: $0)) }
            for watcher in watchers { db.add(transactionObserver: watcher) }
            try db.inTransaction {
                try db.execute(sql: "INSERT INTO document (text) VALUES ('one'); INSERT INTO box VALUES (1, 0, 1)")
                return .commit
            }
            _ = try db.content("SELECT * FROM document WHERE document MATCH 'one'") + db.content("SELECT * FROM box WHERE low < 1")
            for watcher in watchers { #expect(watcher.take()) }
            try db.execute(sql: "INSERT INTO other VALUES (1)")
            for watcher in watchers { #expect(!watcher.take()) }
        }
    }
}
