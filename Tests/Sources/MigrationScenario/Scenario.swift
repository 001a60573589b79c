import Foundation
import Strata

/// Migrations that take long enough to be killed in their midst: tables, rows, rebuilt tables and foreign keys. The tests and the
/// process that they kill run the same.
public enum MigrationScenario {
    /// The migrations.
    public static let migrator: DatabaseMigrator = {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            try db.execute(
                sql: """
                    CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
                    INSERT INTO team WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
                        SELECT i, 'team ' || i FROM n;
                    """)
        }
        migrator.registerMigration("2") { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (id INTEGER PRIMARY KEY, teamId INTEGER REFERENCES team (id) ON DELETE CASCADE, name TEXT);
                    INSERT INTO player WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)
                        SELECT i, 1 + i % 500, 'player ' || i FROM n;
                    CREATE INDEX playerByName ON player (name);
                    CREATE VIEW roster AS SELECT team.name AS team, player.name FROM player JOIN team ON team.id = player.teamId;
                    """)
        }
        migrator.registerMigration("3") { db in
            try db.rebuild(table: "team") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).notNull().unique()
                t.column("rank", .integer).notNull().defaults(to: 1)
                t.fill("rank", sql: "id % 7")
            }
        }
        migrator.registerMigration("4") { db in
            try db.rebuild(table: "player", options: .strict) { t in
                t.primaryKey("id", .integer)
                t.column("teamId", .integer).notNull().references("team", onDelete: .cascade)
                t.column("name", .text).notNull().check { $0 != "" }
                t.fill("name", sql: "upper(name)")
            }
        }
        migrator.registerMigration("5", foreignKeyChecks: .immediate) { db in
            try db.execute(sql: "DELETE FROM team WHERE id % 3 = 0; DROP VIEW roster; ALTER TABLE player RENAME COLUMN name TO fullName")
        }
        return migrator
    }()

    /// Opens a database.
    ///
    /// - Parameter kind: "queue", "wal", or "pool".
    public static func open(_ path: String, _ kind: String) throws -> any DatabaseWriter {
        if kind == "pool" { return try DatabasePool(path: path) }
        var configuration = Configuration()
        configuration.journalMode = kind == "wal" ? .wal : .default
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// All of a database in a few lines, to compare with others.
    public static func contents(_ db: Database) throws -> [String] {
        var lines = try String.fetchAll(db, sql: "SELECT type || ' ' || name || ' ' || ifnull(sql, '') FROM sqlite_master ORDER BY 1")
        for table in try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1") {
            let columns = try db.columns(in: table).map { "quote(\($0.name.quotedDatabaseIdentifier))" }.joined(separator: " || ',' || ")
            let rows = try String.fetchAll(db, sql: "SELECT \(columns) FROM \(table.quotedDatabaseIdentifier) ORDER BY 1")
            lines.append("\(table): \(rows.count) rows, \(checksum(rows.joined(separator: "\n")))")
        }
        return lines
    }

    private static func checksum(_ text: String) -> UInt64 {
        text.utf8.reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
    }
}
