import Foundation
import Migrations
import Testing

/// Runs of random migrations, whose checks read only what each migration has added, if they can. A check of everything must agree.
@Suite struct RandomMigrationTests {
    /// The number of runs.
    private static let count = ProcessInfo.processInfo.environment["STRATA_MIGRATIONS"].flatMap { Int($0) } ?? 30

    private static let preparation = """
        ATTACH ':memory:' AS other;
        CREATE TABLE other.t1 (id INTEGER PRIMARY KEY, a, extra);
        """

    /// Returns a change of the schema, or of rows. Names come from small pools, so that changes break what others have made.
    private static func change(_ random: inout SeededGenerator) -> String {
        func name(_ prefix: String, _ count: Int) -> String { prefix + String(Int.random(in: 1...count, using: &random)) }
        let table = name("t", 4)
        let other = name("t", 4)
        let view = name("v", 3)
        let column = Bool.random(using: &random) ? "a" : "id"
        switch Int.random(in: 0..<26, using: &random) {
        case 0...4: return "CREATE TABLE IF NOT EXISTS \(table) (id INTEGER PRIMARY KEY, a REFERENCES \(other) (\(column)))"
        case 5: return "CREATE TABLE IF NOT EXISTS \(table) (id INTEGER PRIMARY KEY, a UNIQUE)"
        case 6, 7: return "CREATE VIEW IF NOT EXISTS \(view) AS SELECT a FROM \(Bool.random(using: &random) ? table : name("v", 3))"
        case 8: return "CREATE TEMP VIEW IF NOT EXISTS \(view) AS SELECT extra FROM \(table)"
        case 9: return "CREATE VIEW IF NOT EXISTS \(view) AS SELECT value AS a FROM json_each('[1]')"
        case 10, 11:
            let event = ["INSERT", "DELETE", "UPDATE"].randomElement(using: &random) ?? ""
            return
                "CREATE TRIGGER IF NOT EXISTS \(name("g", 3)) AFTER \(event) ON \(table) BEGIN INSERT INTO \(other) (a) VALUES (NULL); END"
        case 12: return "CREATE TEMP TRIGGER IF NOT EXISTS g1 AFTER INSERT ON \(table) BEGIN DELETE FROM \(other); END"
        case 13, 14: return "CREATE UNIQUE INDEX IF NOT EXISTS \(name("i", 3)) ON \(table) (a)"
        case 15: return "DROP TABLE IF EXISTS \(table)"
        case 16: return "DROP VIEW IF EXISTS \(view)"
        case 17: return "DROP INDEX IF EXISTS \(name("i", 3))"
        case 18: return "DROP TRIGGER IF EXISTS \(name("g", 3))"
        case 19: return "ALTER TABLE \(table) RENAME TO \(other)"
        case 20: return "ALTER TABLE \(table) RENAME COLUMN a TO b; ALTER TABLE \(table) RENAME COLUMN b TO a"
        case 21: return "ALTER TABLE \(table) ADD COLUMN \(name("c", 9))"
        case 22, 23: return "INSERT INTO \(table) (a) VALUES (\(Int.random(in: 1...3, using: &random)))"
        case 24: return "CREATE TABLE IF NOT EXISTS json_each (a)"
        default: return "SAVEPOINT s; CREATE TABLE IF NOT EXISTS \(table) (x); ROLLBACK TO s; RELEASE s; PRAGMA user_version = 1"
        }
    }

    /// Runs a migration, and examines the whole schema, and the foreign keys of all tables that may concern it.
    ///
    /// - Returns: the message of the error that the migration must throw, "error" for one of SQLite, "rows" for rows without parents; nil if
    ///   it must not throw.
    private func reason(_ sql: String, _ db: Database) throws -> String? {
        var reason: String?
        try db.execute(sql: "PRAGMA foreign_keys = OFF")
        try db.inTransaction {
            let before = try SchemaHealth(db)
            let tablesBefore = try db.allTables()
            do {
                let (_, written) = try db.recordingChanges { try db.execute(sql: sql) }
                let problems = try SchemaHealth(db).problems(since: before)
                let graver = problems.filter { $0.kind != .missingParentTable }
                let tables = try db.allTables()
                let changed = written.union(Set(tablesBefore).symmetricDifference(tables).map(\.name))
                func message(_ problems: [SchemaProblem]) -> String? {
                    problems.isEmpty ? nil : problems.map(\.description).joined(separator: "; ")
                }
                reason = try message(graver) ?? (db.hasViolations(in: tables, changed: changed) ? "rows" : nil) ?? message(problems)
            } catch is DatabaseError {
                reason = "error"
            }
            return reason == nil ? .commit : .rollback
        }
        try db.execute(sql: "PRAGMA foreign_keys = ON")
        return reason
    }

    @Test
    func `Violations by migrations are found, whatever the migrations have added before`() throws {
        var failures: [String: Int] = [:]
        for seed in 0..<Self.count {
            var random = SeededGenerator(seed: UInt64(seed))
            let changes = (0..<20).map { _ in
                (0..<Int.random(in: 1...2, using: &random)).map { _ in Self.change(&random) }.joined(separator: "; ")
            }
            let queue = try DatabaseQueue()
            let reference = try DatabaseQueue()
            try queue.writeWithoutTransaction { try $0.execute(sql: Self.preparation) }
            try reference.writeWithoutTransaction { try $0.execute(sql: Self.preparation) }
            // Migrations that must fail are left out of the next run.
            var accepted: [Int] = []
            var index = 0
            while index < changes.count {
                var migrator = DatabaseMigrator()
                for index in accepted + Array(index..<changes.count) {
                    migrator.registerMigration("\(index)") { try $0.execute(sql: changes[index]) }
                }
                let error: MigrationError?
                do {
                    try migrator.migrate(queue)
                    error = nil
                } catch let thrown as MigrationError {
                    error = thrown
                }
                var expected: String?
                while index < changes.count, expected == nil {
                    expected = try reference.writeWithoutTransaction { try reason(changes[index], $0) }
                    if expected == nil { accepted.append(index) }
                    index += 1
                }
                let history = changes.prefix(index).enumerated().map { "\($0) \(accepted.contains($0) ? "" : "(failed) ")\($1)" }
                #expect(
                    error?.identifier == expected.map { _ in "\(index - 1)" }, "seed \(seed): \(error.map { "\($0)" } ?? "none") \(history)"
                )
                guard error?.identifier == expected.map({ _ in "\(index - 1)" }) else { return }
                let kind = (error?.underlyingError as? DatabaseError)?.resultCode
                if let expected {
                    failures[expected == "error" || expected == "rows" ? expected : "schema", default: 0] += 1
                    let message = (error?.underlyingError as? DatabaseError)?.message
                    if expected == "rows" {
                        #expect(kind == .SQLITE_CONSTRAINT, "seed \(seed): \(history)")
                    } else if expected != "error" {
                        #expect(message == expected, "seed \(seed): \(history)")
                    }
                }
            }
        }
        #expect(failures.count == 3 && failures.values.allSatisfy { $0 >= 5 }, "\(failures)")
    }
}

private struct ListedTable: Hashable {
    let schema: String
    let name: String
    let sql: String
    let rootPage: Int64
}

extension Database {
    fileprivate func allTables() throws -> [ListedTable] {
        try texts("SELECT name FROM pragma_database_list").flatMap { schema in
            let statement = try makeStatement(sql: "SELECT name, sql, rootpage FROM \(schema).sqlite_master WHERE type = 'table'")
            var tables: [ListedTable] = []
            while try statement.step() {
                tables.append(
                    ListedTable(
                        schema: schema, name: statement.string(at: 0) ?? "", sql: statement.string(at: 1) ?? "",
                        rootPage: statement.int64(at: 2) ?? 0))
            }
            return tables
        }
    }

    /// Returns whether a table that was changed, or that references such a table, has a row without a parent.
    fileprivate func hasViolations(in tables: [ListedTable], changed: Set<String>) throws -> Bool {
        var isViolated = false
        for table in tables.sorted(by: { ($0.schema, $0.name) < ($1.schema, $1.name) }) {
            let parents = try texts("SELECT \"table\" FROM pragma_foreign_key_list('\(table.name)', '\(table.schema)')")
            guard changed.contains(table.name) || parents.contains(where: changed.contains) else { continue }
            if try foreignKeyViolations(in: table.name, in: table.schema).next() != nil { isViolated = true }
        }
        return isViolated
    }
}
