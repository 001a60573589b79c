import Foundation
import SQLiteDriver
import Testing

/// Keeps all reports.
final class RecordingMonitor: DatabaseMonitor {
    let accesses = Collector<DatabaseAccessReport>()
    let statements = Collector<StatementReport>()
    private let wantsPlans: Bool

    init(wantsPlans: Bool = false) {
        self.wantsPlans = wantsPlans
    }

    func accessDidEnd(_ access: DatabaseAccessReport) { accesses.append(access) }
    func statementDidEnd(_ statement: StatementReport) { statements.append(statement) }
    func needsPlan(of statement: StatementReport) -> Bool { wantsPlans }

    /// The reports on statements other than BEGIN, COMMIT and ROLLBACK.
    var ownStatements: [StatementReport] {
        statements.all.filter { !["BEGIN", "COMMIT", "ROLLBACK"].contains($0.operationName) }
    }
}

/// Reports to monitors, of accesses and of statements.
@Suite struct MonitorTests {
    let folder: TemporaryFolder
    let monitor = RecordingMonitor()

    init() throws {
        folder = try TemporaryFolder()
    }

    private func makeWriter(_ kind: Kind, _ change: (inout Configuration) -> Void = { _ in }) throws -> any DatabaseWriter {
        var configuration = Configuration()
        configuration.monitors = [monitor]
        change(&configuration)
        return try kind.open(folder.path("shop.sqlite"), configuration)
    }

    // MARK: - Accesses

    enum Form: CaseIterable {
        case blocking
        case asynchronous
        case callback
    }

    private func run(
        _ access: DatabaseAccessReport.Kind, _ form: Form, of writer: any DatabaseWriter,
        _ body: @escaping @Sendable (Database) throws -> Void
    ) async throws {
        switch form {
        case .blocking:
            func run() throws {
                switch access {
                case .read: try writer.read(body)
                case .unsafeRead: try writer.unsafeRead(body)
                case .write: try writer.write(body)
                case .writeWithoutTransaction: try writer.writeWithoutTransaction(body)
                case .barrierWrite: try writer.barrierWriteWithoutTransaction(body)
                }
            }
            try run()
        case .asynchronous:
            switch access {
            case .read: try await writer.read(body)
            case .unsafeRead: try await writer.unsafeRead(body)
            case .write: try await writer.write(body)
            case .writeWithoutTransaction: try await writer.writeWithoutTransaction(body)
            case .barrierWrite: try await writer.barrierWriteWithoutTransaction(body)
            }
        case .callback:
            let ended = Semaphore("the callback has ended")
            let callback: @Sendable (Result<Database, any Error>) -> Void = { result in
                #expect(throws: Never.self) { try body(result.get()) }
                ended.signal()
            }
            switch access {
            case .read: writer.asyncRead(callback)
            case .unsafeRead: writer.asyncUnsafeRead(callback)
            case .write:
                writer.asyncWrite(body) { _, result in
                    #expect(result.failure == nil)
                    ended.signal()
                }
            case .writeWithoutTransaction: writer.asyncWriteWithoutTransaction { callback(.success($0)) }
            case .barrierWrite: writer.asyncBarrierWriteWithoutTransaction(callback)
            }
            await ended.signalled()
        }
    }

    struct Call: CustomTestStringConvertible {
        let access: DatabaseAccessReport.Kind
        let form: Form
        static let all = DatabaseAccessReport.Kind.allCases.flatMap { access in Form.allCases.map { Call(access: access, form: $0) } }
        var testDescription: String { "\(form) \(access)" }
    }

    @Test(arguments: Kind.allCases, Call.all)
    func `Each access is reported once, with its times and changes`(_ kind: Kind, _ call: Call) async throws {
        let writer = try makeWriter(kind) { $0.label = "shop" }
        let writes = call.access != .read && call.access != .unsafeRead
        try await run(call.access, call.form, of: writer) { db in
            if writes {
                try db.execute(sql: "CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1), (2); UPDATE t SET a = 3")
            } else {
                _ = try db.integers("SELECT 1")
            }
        }
        let reports = await monitor.accesses.wait(count: 1)
        let report = try #require(reports.first)
        #expect(reports.count == 1)
        #expect(report.kind == call.access)
        #expect(report.databaseName == "shop")
        #expect(report.waitTime >= .zero && report.duration.map { $0 > .zero } == true)
        #expect(report.changedRowCount == (writes ? 4 : 0))
        #expect(report.errorType == nil)
        #expect(report.attributes["db.system.name"] == "sqlite" && report.attributes["db.namespace"] == "shop")
    }

    @Test(arguments: Kind.allCases)
    func `Errors of accesses are reported by their type`(_ kind: Kind) async throws {
        struct OwnError: Error {}
        let writer = try makeWriter(kind)
        func blocking() {
            #expect(throws: DatabaseError.self) {
                try writer.write { try $0.execute(sql: "CREATE TABLE t (a UNIQUE); INSERT INTO t VALUES (1), (1)") }
            }
            #expect(throws: OwnError.self) { try writer.read { _ in throw OwnError() } }
            #expect(throws: DatabaseTimeoutError.self) { try writer.write(timeout: .zero) { _ in } }
        }
        blocking()
        await #expect(throws: OwnError.self) { try await writer.write { _ in throw OwnError() } }
        let reports = monitor.accesses.all
        #expect(reports.map(\.errorType) == ["SQLITE_CONSTRAINT_UNIQUE", "OwnError", "DatabaseTimeoutError", "OwnError"])
        // The access that has no time has not begun.
        #expect(reports.map { $0.duration == nil } == [false, false, true, false])
        #expect(reports[0].attributes["error.type"] == "SQLITE_CONSTRAINT_UNIQUE")
        // Without a label, the name is the file's.
        #expect(reports[0].databaseName == (kind == .memory ? ":memory:" : "shop.sqlite"))
    }

    @Test
    func `Snapshots and reentrant accesses are reported, and accesses within an access are not`() throws {
        let pool = try #require(try makeWriter(.pool) as? DatabasePool)
        let snapshot = try pool.makeSnapshot()
        try snapshot.read { _ = try $0.integers("SELECT 1") }
        try pool.unsafeReentrantWrite { _ in try pool.unsafeReentrantRead { _ in } }
        #expect(monitor.accesses.all.map(\.kind) == [.read, .writeWithoutTransaction])
    }

    // MARK: - Statements

    @Test(arguments: [
        "UPDATE OR REPLACE t SET a = a", "INSERT OR IGNORE INTO main.t VALUES (1)", "UPDATE \"t\" SET a = (SELECT max(a) FROM u)",
        "SELECT (SELECT max(a) FROM u) FROM t", "WITH n AS (SELECT a FROM u) DELETE FROM t WHERE a IN n", "REPLACE INTO t SELECT a FROM u",
    ])
    func `A statement is reported with the table that it changes or reads first`(_ sql: String) throws {
        let queue = try makeWriter(.memory)
        try queue.write { try $0.execute(sql: "CREATE TABLE t (a); CREATE TABLE u (a); \(sql)") }
        #expect(monitor.ownStatements.last?.tableName == "t")
    }

    @Test
    func `A statement is reported with its counts`() throws {
        let queue = try makeWriter(.memory)
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)")
            try db.execute(sql: "INSERT INTO t (b) VALUES ('x'), ('y'), ('z')")
            try db.execute(sql: "UPDATE t SET b = ? WHERE a > 1", arguments: ["w"])
            #expect(try db.integers("SELECT a FROM t WHERE b = 'w' ORDER BY b || 'c', a").count == 2)
            #expect(try db.integers("SELECT x.a FROM t x JOIN t y ON x.b = y.b").count == 5)
            try db.execute(sql: "WITH n AS (SELECT 1) DELETE FROM t WHERE a IN n")
        }
        let reports = monitor.ownStatements
        #expect(reports.map(\.operationName) == ["CREATE", "INSERT", "UPDATE", "SELECT", "SELECT", "DELETE"])
        #expect(reports.map(\.tableName) == [nil, "t", "t", "t", "t", "t"])
        #expect(reports.map(\.summary)[1] == "INSERT t")
        #expect(reports.map(\.changedRowCount) == [0, 3, 2, 0, 0, 1])
        #expect(reports.map(\.rowCount) == [0, 0, 0, 2, 5, 0])
        #expect(reports[3].scannedRowCount == 2 && reports[3].sortCount == 1)
        #expect(reports[4].automaticIndexRowCount > 0)
        for report in reports { #expect(report.timeInSQLite > .zero && report.duration >= report.timeInSQLite && report.resultCode == nil) }
        #expect(reports[3].attributes["db.response.returned_rows"] == "2")
        #expect(reports[3].attributes["db.query.text"] == "SELECT a FROM t WHERE b = ? ORDER BY b || ?, a")
        #expect(reports[3].attributes["db.query.summary"] == "SELECT t" && reports[3].attributes["db.collection.name"] == "t")
        // The transaction's own statements are reported as well.
        #expect(monitor.statements.all.map(\.operationName).filter { $0 == "BEGIN" || $0 == "COMMIT" } == ["BEGIN", "COMMIT"])
    }

    @Test
    func `A statement that fails is reported with its code`() throws {
        let queue = try makeWriter(.memory)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE t (a UNIQUE); INSERT INTO t VALUES (1)")
            #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO t VALUES (1)") }
            let query = try db.makeStatement(sql: "SELECT abs(a) FROM (SELECT 1 AS a UNION ALL SELECT -9223372036854775807 - 1)")
            #expect(throws: DatabaseError.self) { while try query.step() {} }
            // It can be used again.
            #expect(throws: DatabaseError.self) { while try query.step() {} }
        }
        let reports = monitor.ownStatements.suffix(3)
        #expect(reports.map { $0.resultCode } == [.SQLITE_CONSTRAINT_UNIQUE, .SQLITE_ERROR, .SQLITE_ERROR])
        #expect(reports.map(\.rowCount) == [0, 1, 1])
        #expect(reports.first?.attributes["db.response.status_code"] == "2067")
        #expect(reports.first?.attributes["error.type"] == "SQLITE_CONSTRAINT_UNIQUE")
    }

    @Test(arguments: ["reset", "left"])
    func `A statement that is not read to its end is reported when it ends`(_ end: String) throws {
        let queue = try makeWriter(.memory)
        try queue.read { db in
            let statement = try db.makeStatement(sql: "SELECT 1 UNION ALL SELECT 2")
            #expect(try statement.step())
            #expect(monitor.ownStatements.isEmpty)
            if end == "reset" { statement.reset() }
            #expect(monitor.ownStatements.count == (end == "reset" ? 1 : 0))
        }
        #expect(monitor.ownStatements.map(\.rowCount) == [1])
    }

    @Test
    func `Statements of SQLite and of Strata are not reported`() throws {
        let queue = try makeWriter(.memory)
        try queue.write { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE f USING fts5(a); INSERT INTO f VALUES ('b c'); CREATE TABLE t (a)")
            #expect(try db.integers("SELECT count(*) FROM f WHERE f MATCH 'b'") == [1])
            _ = try db.columns(in: "t")
            #expect(try db.tableExists("t"))
        }
        #expect(monitor.ownStatements.map(\.operationName) == ["CREATE", "INSERT", "CREATE", "SELECT"])
    }

    @Test
    func `A plan changes nothing that the program reads about its statement`() throws {
        let planner = RecordingMonitor(wantsPlans: true)
        let queue = try makeWriter(.memory) { $0.monitors = [planner] }
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a)")
            for (sql, count) in [
                ("INSERT INTO t VALUES (7, 1), (8, 1)", 2), ("UPDATE t SET a = 2", 2), ("DELETE FROM t WHERE id = 8", 1),
                ("SELECT * FROM t", 1),
            ] {
                try db.execute(sql: sql)
                #expect(db.changesCount == count, "\(sql)")
                #expect(try db.integer("SELECT changes()") == Int64(count), "\(sql)")
                #expect(db.lastInsertedRowID == 8)
            }
        }
        #expect(planner.ownStatements.filter { $0.operationName != "SELECT" }.allSatisfy { $0.plan == nil })
    }

    @Test
    func `A plan is reported only if a monitor asks for it`() throws {
        let planner = RecordingMonitor(wantsPlans: true)
        let queue = try makeWriter(.memory) { $0.monitors = [planner] }
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            #expect(try db.integers("SELECT a FROM t WHERE a IN (SELECT a FROM t WHERE a > 1)") == [])
            #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO t SELECT abs(-9223372036854775807 - 1)") }
        }
        let plan = try #require(planner.ownStatements[1].plan)
        #expect(plan.contains("SCAN t") && plan.contains("\n  "))
        #expect(planner.ownStatements.count == 3)
        try makeWriter(.memory).read { _ = try $0.integers("SELECT 1") }
        #expect(monitor.ownStatements.map(\.plan) == [nil])
    }

    @Test
    func `Slow statements are logged, and quick ones are not`() throws {
        let log = Collector<String>()
        let queue = try makeWriter(.memory) { configuration in
            configuration.logSlowStatements(above: .milliseconds(50)) { log.append($0.description) }
        }
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")
            db.add(
                function: DatabaseFunction("pause", argumentCount: 0) { _ in
                    Thread.sleep(forTimeInterval: 0.06)
                    return 1
                })
            #expect(try db.integers("SELECT pause() FROM t WHERE a <> 'secret'") == [1, 1])
            let statement = try db.makeStatement(sql: "SELECT a FROM t")
            // The program's own time does not count.
            while try statement.step() { Thread.sleep(forTimeInterval: 0.06) }
        }
        let line = try #require(log.all.first)
        #expect(log.all.count == 1)
        #expect(
            line.contains("s in SQLite, 2 rows, 1 rows scanned: ") && line.hasSuffix(": SELECT pause() FROM t WHERE a <> ?\n  SCAN t"),
            "\(line)")
    }

    @Test
    func `Statistics add up statements that differ only in their literals`() throws {
        let statistics = StatementStatistics(maximumCount: 8)
        let queue = try makeWriter(.memory) { $0.monitors = [statistics] }
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t (a UNIQUE, b)")
            for number in 1...3 { try db.execute(sql: "INSERT INTO t VALUES (\(number), 1)") }
            #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO t VALUES (1, 1)") }
            for number in 1...2 { _ = try db.integers("SELECT b FROM t WHERE b + 1 = \(number) ORDER BY b + 1") }
        }
        let runs = statistics.statements(by: .runs)
        #expect(
            runs.first.map {
                $0.sql == "INSERT INTO t VALUES (?, ?)" && $0.runCount == 4 && $0.failureCount == 1 && $0.changedRowCount == 3
            } == true)
        let scans = statistics.statements(by: .scannedRows)
        #expect(scans.map(\.sql) == ["SELECT b FROM t WHERE b + ? = ? ORDER BY b + ?"])
        #expect(scans.first?.sortCount == statistics.statements(by: .sorts).first?.sortCount)
        for order in StatementStatistics.Order.allCases { #expect(statistics.statements(by: order, limit: 1).count == 1, "\(order)") }
        // New statements take the place of those that took the least time.
        try queue.read { db in
            for number in 0..<20 { _ = try db.integers("SELECT 1 AS a\(number)") }
        }
        #expect((1...8).contains(statistics.statements(by: .runs, limit: 100).count))
        statistics.reset()
        #expect(statistics.statements(by: .runs).isEmpty)
    }

    // MARK: - SQL without literals

    @Test(arguments: [
        ("SELECT 'it''s' || \"name\" FROM t1", "SELECT ? || \"name\" FROM t1"),
        ("SELECT 1, -2, 1.5, .5, 1., 1e10, 1.5e-3, 0x1F, x'00ff', X''", "SELECT ?, -?, ?, ?, ?, ?, ?, ?, ?, ?"),
        ("SELECT 1-2, 3e+4, 5E5, NULL, TRUE", "SELECT ?-?, ?, ?, NULL, TRUE"),
        ("SELECT ?, ?2, :a1, @b2, $c3, x.b1 FROM t1 AS x", "SELECT ?, ?2, :a1, @b2, $c3, x.b1 FROM t1 AS x"),
        ("SELECT 1 -- secret\n, /* secret */ 2", "SELECT ? , ?"),
        ("SELECT [name], `name`\n\n   FROM main.t1", "SELECT [name], `name` FROM main.t1"),
        ("PRAGMA cache_size = -2000", "PRAGMA cache_size = -?"),
        ("SELECT x1e5 FROM (SELECT 1 AS x1e5)", "SELECT x1e5 FROM (SELECT ? AS x1e5)"),
        ("INSERT INTO t1 VALUES ('secret', 'secret')", "INSERT INTO t1 VALUES (?, ?)"),
    ])
    func `Literals and comments are not reported`(_ sql: String, _ expected: String) throws {
        let queue = try makeWriter(.memory)
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t1 (name, b1)")
            let statement = try db.makeStatement(sql: sql)
            statement.setUncheckedArguments(StatementArguments(Array(repeating: 1, count: statement.parameterCount)))
            while try statement.step() {}
        }
        #expect(monitor.ownStatements.last?.sql == expected)
    }

    @Test
    func `A text in double quotes is a literal unless it names something`() throws {
        let queue = try makeWriter(.memory) { $0.acceptsDoubleQuotedStringLiterals = true }
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t1 (name, b1)")
            _ = try db.integers("SELECT count(\"name\") AS \"total\" FROM \"T1\" WHERE \"B1\" <> \"secret\" OR \"b1\" = \"t1\"")
            try db.execute(sql: "UPDATE \"t1\" SET \"name\" = \"secret\"")
        }
        #expect(
            monitor.ownStatements.suffix(2).map(\.sql) == [
                "SELECT count(\"name\") AS ? FROM \"T1\" WHERE \"B1\" <> ? OR \"b1\" = \"t1\"", "UPDATE \"t1\" SET \"name\" = ?",
            ])
    }

    @Test
    func `No literal is in any report of random statements`() throws {
        var generator = SeededGenerator(seed: 53)
        let queue = try makeWriter(.memory) { $0.acceptsDoubleQuotedStringLiterals = true }
        let literals = [
            "'7351'", "7351", "7351.7351", ".7351", "x'7351'", "\"7351\"", "7351e2", "73.51e-7351", "'a''7351'", "0x7351", "7351.",
        ]
        let separators = [" + ", "||", "-", " , ", " /* 7351 */ + ", " = ", " -- 7351\n+ ", "<>", " IN (", "*"]
        var count = 0
        try queue.read { db in
            for _ in 0..<3000 {
                var sql = "SELECT "
                for index in 0..<Int.random(in: 1...4, using: &generator) {
                    if index > 0 { sql += separators.randomElement(using: &generator)! }
                    sql += literals.randomElement(using: &generator)!
                }
                sql += String(repeating: ")", count: sql.count { $0 == "(" })
                guard let statement = try? db.makeStatement(sql: sql) else { continue }
                _ = try? statement.step()
                statement.reset()
                count += 1
            }
        }
        let leaks = monitor.ownStatements.filter { $0.sql.contains("7351") || $0.sql.contains("73") }
        #expect(leaks.isEmpty, "\(leaks.first?.sql ?? "")")
        #expect(count > 1000 && monitor.ownStatements.count == count)
    }
}
