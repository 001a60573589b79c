import DqliteCluster
import Foundation
import Strata
import Testing

/// The schema changes at random between reads and writes: by this client and by another, in transactions and between them, and rolled back.
/// Each step must give what it gives with a pool, whose statements are kept as long. `make soak` makes longer runs: `STRATA_STEPS`.
@Suite(.enabled(if: DqliteNode.isAvailable, "libdqlite is not installed"), .serialized, .timeLimit(.minutes(60)))
struct RandomClusterSchemaTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seed = environment["STRATA_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max)
    private static let steps = environment["STRATA_STEPS"].flatMap { Int($0) } ?? 400

    /// One step, made with both databases.
    private enum Step {
        case change(String), changeByOther(String), read(String), keep(String), names(String)
    }

    private struct Random {
        var generator: RandomClusterRequests
        mutating func number(_ range: ClosedRange<Int>) -> Int { generator.number(range) }
        mutating func pick<Element>(_ elements: [Element]) -> Element { generator.pick(elements) }

        mutating func change(_ step: Int) -> String {
            let table = pick(["t", "u"])
            let column = pick(["a", "b", "c", "d"])
            return pick([
                "ALTER TABLE \(table) ADD COLUMN \(column) DEFAULT \(step)", "ALTER TABLE \(table) ADD COLUMN \(column) DEFAULT \(step)",
                "ALTER TABLE \(table) DROP COLUMN \(column)",
                "ALTER TABLE \(table) RENAME COLUMN \(column) TO \(pick(["a", "b", "c", "d"]))",
                "DROP TABLE IF EXISTS \(table); CREATE TABLE \(table) (id INTEGER PRIMARY KEY, \(column) DEFAULT \(step))",
                "ALTER TABLE t RENAME TO swap; ALTER TABLE u RENAME TO t; ALTER TABLE swap RENAME TO u",
                "DROP VIEW IF EXISTS v; CREATE VIEW v AS SELECT * FROM \(table)", "DROP VIEW IF EXISTS v",
                "CREATE INDEX IF NOT EXISTS i\(column) ON t (\(column))", "DROP INDEX IF EXISTS i\(column)",
                "DROP TRIGGER IF EXISTS r; CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO u DEFAULT VALUES; END",
                "DROP TRIGGER IF EXISTS r", "UPDATE \(table) SET \(column) = \(step)",
            ])
        }

        mutating func statement(_ step: Int) -> String {
            let table = pick(["t", "u", "v"])
            return pick([
                "SELECT * FROM \(table) ORDER BY 1", "SELECT * FROM \(table) ORDER BY 1", "SELECT *, * FROM \(table) ORDER BY 1",
                "SELECT a FROM \(table) ORDER BY 1", "SELECT count(*) FROM \(table)", "SELECT t.*, u.* FROM t JOIN u USING (id) ORDER BY 1",
                "SELECT * FROM t NATURAL JOIN u ORDER BY 1", "INSERT INTO t DEFAULT VALUES", "INSERT INTO u (b) VALUES (7) RETURNING *",
                "UPDATE t SET c = 8 RETURNING *", "DELETE FROM u WHERE id > 3 RETURNING *",
                "SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY 1", "SELECT name FROM pragma_table_info('t')",
            ])
        }
    }

    /// A database, another client of it, and the statements that a run keeps for each connection.
    private final class Side {
        let database: TestDatabase
        let other: any DatabaseWriter
        var kept: [ObjectIdentifier: [String: Statement]] = [:]

        init(_ kind: DatabaseKind) throws {
            var configuration = Configuration()
            configuration.maximumReaderCount = 1
            database = try TestDatabase(
                kind, configuration,
                schema: """
                    CREATE TABLE t (id INTEGER PRIMARY KEY, a, b); CREATE TABLE u (id INTEGER PRIMARY KEY, a, c);
                    INSERT INTO t VALUES (1, 2, 3)
                    """)
            other = try database.openAgain()
        }

        func end() throws {
            kept = [:]
            try other.close()
        }

        /// Runs steps, and returns what each has given.
        func run(_ steps: [Step], _ access: Int) -> [String] {
            var results: [String] = []
            struct Rollback: Error {}
            func body(_ db: Database) throws {
                for step in steps { results.append(run(step, db)) }
            }
            let writer = database.writer
            let end = fingerprint {
                switch access {
                case 0: try writer.write(body)
                case 1: try writer.writeWithoutTransaction(body)
                case 2:
                    try writer.write { db in
                        try body(db)
                        throw Rollback()
                    }
                case 3: try writer.read(body)
                case 4:
                    try writer.write { db in
                        try db.inSavepoint {
                            try body(db)
                            return .rollback
                        }
                        try body(db)
                    }
                default: try writer.unsafeRead(body)
                }
                return ""
            }
            return results + [end]
        }

        private func run(_ step: Step, _ db: Database) -> String {
            fingerprint {
                switch step {
                case .change(let sql):
                    try db.inSavepoint {
                        try db.execute(sql: sql)
                        return .commit
                    }
                    return ""
                case .changeByOther(let sql):
                    try other.write { try $0.execute(sql: sql) }
                    return ""
                case .read(let sql):
                    return try rows(db.cachedStatement(sql: sql))
                case .keep(let sql):
                    return try rows(statement(sql, db))
                case .names(let sql):
                    let statement = try statement(sql, db)
                    let names = "\(statement.columnNames) \(statement.columnCount) \(statement.databaseRegion)"
                    // A statement that no longer compiles has the names of one of the earlier schemas, whichever SQLite compiled it for last.
                    _ = try compile(sql, db)
                    return names
                }
            }
        }

        private func statement(_ sql: String, _ db: Database) throws -> Statement {
            if let statement = kept[ObjectIdentifier(db)]?[sql] { return statement }
            let statement = try compile(sql, db)
            kept[ObjectIdentifier(db), default: [:]][sql] = statement
            return statement
        }

        private func compile(_ sql: String, _ db: Database) throws -> Statement {
            // A pool's reader may compile a statement for a schema that another connection has changed, until it runs.
            _ = try db.columns(in: "sqlite_schema")
            return try db.makeStatement(sql: sql)
        }

        private func rows(_ statement: Statement) throws -> String {
            let rows = try Row.fetchAll(statement)
            return rows.map { "\(Array($0.columnNames)) \(Array($0.databaseValues))" }.joined(separator: "\n")
        }

        private func fingerprint(_ body: () throws -> String) -> String {
            do {
                return try body()
            } catch let error as DatabaseError {
                return "\(error.resultCode) \(error.message ?? "")"
            } catch {
                return "\(type(of: error))"
            }
        }
    }

    /// After a change of the schema that the leader refuses, the client copies the schema again when it compiles the next statement.
    @Test
    func `The first statement after a refused change of the schema has the columns of the current one`() throws {
        let database = try TestDatabase(.cluster, Configuration(), schema: "CREATE TABLE t (id, a, d); CREATE INDEX i ON t (a)")
        let other = try database.openAgain()
        try database.writer.writeWithoutTransaction { db in
            try db.execute(sql: "INSERT INTO t VALUES (1, 2, 3)")
            #expect(throws: DatabaseError.self) {
                try db.inTransaction {
                    try db.execute(sql: "ALTER TABLE t DROP COLUMN a")
                    return .commit
                }
            }
            try other.write { db in
                try db.execute(sql: "ALTER TABLE t RENAME COLUMN a TO b; ALTER TABLE t RENAME COLUMN d TO a; ALTER TABLE t ADD COLUMN e")
            }
            let statement = try db.makeStatement(sql: "SELECT * FROM t")
            #expect(statement.columnNames == ["id", "b", "a", "e"])
            let row = try #require(try Row.fetchOne(statement))
            #expect(Array(row.columnNames) == ["id", "b", "a", "e"])
            #expect(row["a"] == 3)
        }
        try other.close()
    }

    @Test
    func `Each step gives what it gives with a pool`() throws {
        print("random schemas on a cluster: STRATA_SEED=\(Self.seed) STRATA_STEPS=\(Self.steps)")
        var random = Random(generator: RandomClusterRequests(seed: Self.seed))
        let (cluster, pool) = (try Side(.cluster), try Side(.pool))
        var step = 0
        var history: [String] = []
        while step < Self.steps {
            // Other clients can't write during a write. A read of a cluster sees the state of its beginning, and a read of a pool sees the
            // state of its first statement.
            let access = random.number(0...5)
            var steps: [Step] = []
            for _ in 0..<random.number(1...6) {
                step += 1
                switch random.number(0...9) {
                case 0...2:
                    let sql = random.change(step)
                    if access == 1 || access == 5 { steps.append(.changeByOther(sql)) } else if access != 3 { steps.append(.change(sql)) }
                case 3 where access == 1: steps.append(.change(random.change(step)))
                case 4...6: steps.append(.read(random.statement(step)))
                case 7: steps.append(.names(random.statement(step)))
                default: steps.append(.keep(random.statement(step)))
                }
            }
            history.append("access \(access): \(steps)")
            let expected = pool.run(steps, access)
            let result = cluster.run(steps, access)
            // A cached statement that writes in a read is refused for that, or no longer compiles, whichever is found first.
            let refusals: [ResultCode] = [.SQLITE_READONLY, .SQLITE_ERROR]
            func isRefusal(_ text: String) -> Bool { refusals.contains { text.hasPrefix("\($0) ") } }
            func isSame(_ lhs: String, _ rhs: String) -> Bool {
                lhs == rhs || (lhs.hasPrefix("\(refusals[0]) ") != rhs.hasPrefix("\(refusals[0]) ") && isRefusal(lhs) && isRefusal(rhs))
            }
            guard result.count == expected.count, zip(result, expected).allSatisfy(isSame) else {
                let index = zip(result, expected).enumerated().first { !isSame($1.0, $1.1) }?.offset ?? 0
                Issue.record(
                    "seed \(Self.seed), step \(step), \(index): the cluster gives\n\(result[index])\nand the pool\n\(expected[index])\n\(history.suffix(12).joined(separator: "\n"))"
                )
                break
            }
        }
        try cluster.end()
        try pool.end()
    }
}
