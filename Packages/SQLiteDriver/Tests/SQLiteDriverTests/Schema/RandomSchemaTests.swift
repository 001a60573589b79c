import Foundation
import SQLiteDriver
import Testing

/// Random changes of the schema by two connections, some of which fail or are undone. After each transaction, both connections must see what
/// a new connection sees, and no index may lack a row. `make soak` makes longer runs: `STRATA_STEPS`.
@Suite struct RandomSchemaTests {
    private struct Stop: Error {}

    private static func change(_ id: Int, _ random: inout SeededGenerator) -> String {
        let table = ["t", "u"].randomElement(using: &random)!
        let column = ["a", "b", "c"].randomElement(using: &random)!
        return [
            "ALTER TABLE \(table) ADD COLUMN \(column) DEFAULT \(id)", "ALTER TABLE \(table) DROP COLUMN \(column)",
            "ALTER TABLE \(table) DROP COLUMN \(column)", "ALTER TABLE \(table) RENAME COLUMN \(column) TO a",
            "CREATE TABLE IF NOT EXISTS \(table) (id INTEGER PRIMARY KEY, \(column))", "DROP TABLE IF EXISTS u",
            "CREATE INDEX IF NOT EXISTS \(column)\(table) ON \(table) (\(column))", "DROP INDEX IF EXISTS \(column)\(table)",
            "CREATE UNIQUE INDEX unique\(id) ON \(table) (\(column))", "DROP VIEW IF EXISTS v", "CREATE VIEW v AS SELECT * FROM \(table)",
            "CREATE TRIGGER IF NOT EXISTS r AFTER INSERT ON t BEGIN INSERT INTO u DEFAULT VALUES; END", "DROP TRIGGER IF EXISTS r",
            "CREATE VIRTUAL TABLE f USING fts5(nothing = \(id))", "CREATE TABLE new AS SELECT abs(-9223372036854775807 - \(id % 2)) AS a",
            "PRAGMA writable_schema = RESET", "ALTER TABLE \(table) ADD COLUMN d CHECK (d IS NOT NULL)", "ANALYZE",
            "PRAGMA user_version = \(id)",
        ].randomElement(using: &random)!
    }

    /// What a connection sees, by statements that it keeps.
    private static func view(_ names: [String], _ db: Database) throws -> [String] {
        try (names + ["sqlite_master"]).flatMap { name in
            let statement = try db.cachedStatement(sql: "SELECT * FROM \(name.quotedDatabaseIdentifier)")
            var lines = [name, try db.columns(in: name).map(\.name).joined(separator: ",")]
            while try statement.step() {
                lines.append((0..<statement.columnCount).map { "\(statement.databaseValue(at: $0))" }.joined(separator: " "))
            }
            return lines
        }
    }

    private static func change(_ db: Database, _ id: inout Int, _ random: inout SeededGenerator, _ log: inout [String]) {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            id += 1
            let sql: String
            switch Int.random(in: 0..<5, using: &random) {
            case 0...2: sql = change(id, &random)
            case 3: sql = "INSERT INTO \(["t", "u"].randomElement(using: &random)!) DEFAULT VALUES"
            default: sql = "SELECT count(*) FROM \(["t", "u", "v"].randomElement(using: &random)!)"
            }
            log.append(sql)
            do {
                let statement = try db.cachedStatement(sql: sql)
                while try statement.step() {}
            } catch {
                log.append("  \(error)")
            }
        }
    }

    @Test(arguments: Kind.allCases.filter { $0 != .memory })
    func `Two connections see the schema of the file, whatever fails or is undone`(_ kind: Kind) throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["STRATA_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max)
        let steps = environment["STRATA_STEPS"].flatMap { Int($0) } ?? 1000
        var random = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder()
        let path = folder.path("a.sqlite")
        let connections = [try kind.open(path), try kind.open(path)]
        try connections[0].write {
            try $0.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b, c); CREATE TABLE u (id INTEGER PRIMARY KEY, a)")
        }
        var log: [String] = []
        var id = 0
        while id < steps {
            let end = Int.random(in: 0..<5, using: &random)
            let connection = Int.random(in: 0...1, using: &random)
            log.append("connection \(connection), end \(end)")
            try? connections[connection].write { (db) throws in
                if end == 0 { try db.execute(sql: "SAVEPOINT s") }
                Self.change(db, &id, &random, &log)
                switch end {
                case 0: try db.execute(sql: "ROLLBACK TO s")
                case 1: throw Stop()
                case 2:
                    try db.execute(
                        sql: "INSERT OR ROLLBACK INTO t (id) VALUES (NULL), (NULL); INSERT OR ROLLBACK INTO t (id) SELECT id FROM t")
                default: break
                }
            }
            // A random connection may not have read the new schema when the other one changes it again.
            if Bool.random(using: &random) { continue }
            let fresh = try DatabaseQueue(path: path)
            let (names, problems) = try fresh.read { (db) throws in
                // A view whose table or column is gone can't be read.
                let names = try db.texts("SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name")
                return (names.filter { (try? db.values("SELECT * FROM \($0)")) != nil }, try db.texts("PRAGMA integrity_check"))
            }
            let comment: Comment = "seed \(seed)\n\(log.suffix(30).joined(separator: "\n"))"
            try #require(problems == ["ok"], comment)
            let expected = Result { try fresh.read { try Self.view(names, $0) } }
            for connection in connections.shuffled(using: &random) {
                let isWriter = Bool.random(using: &random)
                let seen = Result {
                    isWriter ? try connection.write { try Self.view(names, $0) } : try connection.read { try Self.view(names, $0) }
                }
                try #require((try? seen.get()) == (try? expected.get()), comment)
            }
            try fresh.close()
        }
        for connection in connections { try connection.close() }
    }
}
