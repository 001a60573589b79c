import Dispatch
import Foundation
import Logging
import Metrics
import ServiceLifecycle
import Strata
import Testing
import Tracing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

private struct Order: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
}

@Suite(.page)
struct StrataServingSamples {
    // sample: Deadlines 2

    // sample: A log 2

    // sample: Metrics 1

    // sample: Metrics 2

    // sample: Traces 1

    // sample: Health 1

    // sample: Begin and end 2

    private func withPool(_ monitors: [any DatabaseMonitor] = [], _ body: (DatabasePool) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("shop.sqlite")
        // sample: Open it 1
        try await pool.write { db in
            try db.execute(sql: "CREATE TABLE \"order\" (id INTEGER PRIMARY KEY)")
            try db.execute(sql: "INSERT INTO \"order\" VALUES (1), (2)")
        }
        try await body(pool)
    }

    private func monitoredQueue(_ monitors: [any DatabaseMonitor]) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.monitors = monitors
        configuration.label = "shop"
        return try DatabaseQueue(configuration: configuration)
    }

    /// A statement that takes longer than 100 ms.
    private static let slow = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) SELECT max(i) FROM n"

    @Test
    func `A read has a deadline, and errors become answers`() async throws {
        try await withPool { pool in
            // sample: Deadlines 1
            #expect(count == 2)
        }
    }

    /// The status of the error that a closure throws.
    private func status(_ body: () async throws -> Void) async -> Int? {
        do { try await body() } catch { return status(for: error) }
        return nil
    }

    @Test
    func `Errors of accesses become answers`() async throws {
        try await withPool { pool in
            await #expect(status { try await pool.read(timeout: .zero) { _ in } } == 504)
            await #expect(status { try await pool.write { try Order(id: 1).insert($0) } } == 409)
            await #expect(status { _ = try await pool.read { try Order.find($0, key: 3) } } == 404)
            await #expect(status { _ = try await pool.read { try Order.fetchPage($0, after: "?", size: 1, by: [Column("id")]) } } == 400)
            await #expect(status { _ = try await pool.read { try Data.fetchOne($0, sql: "SELECT zeroblob(2000000000)") } } == 413)
            await #expect(status { try await pool.read { try $0.execute(sql: "SELECT * FROM missing") } } == 500)
            await #expect(status { _ = try await pool.read { try Int.fetchOne($0, sql: "SELECT 'text'") } } == 500)
            let cancelled = Task { try await pool.read { _ in } }
            cancelled.cancel()
            await #expect([nil, 499].contains(status { try await cancelled.value }))

            var unsafe = Configuration()
            unsafe.allowsUnsafeTransactions = true
            let other = try DatabaseQueue(path: pool.path, configuration: unsafe)
            try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
            await #expect(status { try await pool.write { _ in } } == 503)
            await #expect(status { try await pool.write(timeout: .milliseconds(500)) { _ in } } == 504)
            try other.close()
        }
    }

    @Test
    func `Requests that a shutdown refuses or ends can be sent again`() async throws {
        try await withPool { pool in
            let (begun, begin) = AsyncStream.makeStream(of: Void.self)
            let access = Task {
                try await pool.write(timeout: .seconds(60)) { db in
                    begin.yield()
                    while true { try db.execute(sql: "UPDATE \"order\" SET id = id") }
                }
            }
            for await _ in begun { break }
            pool.shutDown()
            try await pool.run(gracePeriod: .zero)
            await #expect(status { try await access.value } == 503)
            await #expect(status { try await pool.read { _ in } } == 503)
        }
    }

    @Test
    func `Each error that an access can throw has a status`() {
        #expect(status(for: DatabaseUnavailableError(reason: .tooManyWaiting(limit: 1))) == 503)
        #expect(status(for: CancellationError()) == 499)
        #expect(status(for: RecordError.recordNotFound(databaseTableName: "order", key: [:])) == 404)
        #expect(status(for: RecordError.recordChanged(databaseTableName: "order", key: [:])) == 412)
        let statuses: [ResultCode: Int] = [
            .SQLITE_BUSY: 503, .SQLITE_BUSY_SNAPSHOT: 503, .SQLITE_BUSY_RECOVERY: 503, .SQLITE_LOCKED: 503, .SQLITE_LOCKED_SHAREDCACHE: 503,
            .SQLITE_INTERRUPT: 503, .SQLITE_CONSTRAINT: 409, .SQLITE_CONSTRAINT_UNIQUE: 409, .SQLITE_CONSTRAINT_FOREIGNKEY: 409,
            .SQLITE_TOOBIG: 413,
        ]
        // Every primary code of SQLite that is an error.
        for number in Int32(1)...26 {
            let code = ResultCode(rawValue: number)
            #expect(status(for: DatabaseError(resultCode: code)) == statuses[code] ?? 500, "\(code)")
        }
        for (code, expected) in statuses { #expect(status(for: DatabaseError(resultCode: code)) == expected, "\(code)") }
    }

    @Test
    func `Failed accesses and slow statements are logged`() async throws {
        let lines = Collector<(String, Logger.Metadata)>()
        let logger = Logger { level, message, metadata in lines.append(("\(level): \(message)", metadata)) }
        let queue = try monitoredQueue([LogMonitor(logger: logger)])
        await #expect(throws: DatabaseError.self) { try await queue.write { try $0.execute(sql: "SELECT 1 FROM missing") } }
        _ = try await queue.read { try Int.fetchOne($0, sql: Self.slow) }
        #expect(lines.all.map(\.0) == ["warning: database access failed", "notice: slow statement"])
        #expect(lines.all[0].1["error.type"] == "SQLITE_ERROR")
        #expect(lines.all[1].1["plan"] != nil && lines.all[1].1["db.query.text"] != nil)
    }

    @Test
    func `A slow statement is printed`() throws {
        var configuration = Configuration()
        // sample: A log 1
        let queue = try DatabaseQueue(configuration: configuration)
        #expect(try queue.read { try Int.fetchOne($0, sql: Self.slow) } == 3_000_000)
    }

    @Test
    func `Accesses, statements and connections have metrics`() async throws {
        let queue = try monitoredQueue([MetricsMonitor()])
        try await queue.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        await #expect(throws: DatabaseTimeoutError.self) { try await queue.write(timeout: .zero) { _ in } }
        try await withPool { recordConnections(of: $0) }
        let labels = Set(RecordedMetrics.shared.all.map(\.label))
        #expect(
            labels.isSuperset(of: [
                "db.client.connection.wait_time", "db.client.connection.use_time", "db.client.connection.timeouts",
                "db.client.operation.duration", "db.client.connection.count", "db.client.connection.max", "sqlite.wal.size",
            ]))
        let operation = try #require(RecordedMetrics.shared.all.first { $0.label == "db.client.operation.duration" })
        #expect(operation.dimensions.contains { $0 == ("db.namespace", "shop") })
    }

    @Test
    func `A statement of an asynchronous access has a span in the context of the caller`() async throws {
        let queue = try monitoredQueue([TraceMonitor()])
        try await ServiceContext.$current.withValue(ServiceContext(name: "request")) {
            _ = try await queue.read { try Int.fetchOne($0, sql: "SELECT max(rowid) FROM sqlite_master") }
        }
        let span = try #require(RecordedSpan.all.first { $0.name == "SELECT sqlite_master" })
        #expect(span.context.name == "request" && span.duration > 0 && span.attributes["db.system.name"] == "sqlite")
    }

    @Test
    func `Monitors join, and the most expensive statements are listed`() async throws {
        var configuration = Configuration()
        let logger = Logger(label: "database")
        // sample: Traces 2
        let queue = try DatabaseQueue(configuration: configuration)
        try await queue.write { db in
            try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")
            _ = try Int.fetchAll(db, sql: "SELECT a FROM t WHERE a > 1")
        }
        // sample: Which statements cost most 1
        #expect(statistics.statements(by: .scannedRows).first?.sql == "SELECT a FROM t WHERE a > ?")
    }

    @Test
    func `A pool serves until a signal comes`() async throws {
        try await withPool { pool in
            #expect(isHealthy(pool))
            let sender = Task {
                try await Task.sleep(for: .milliseconds(50))
                kill(getpid(), SIGTERM)
            }
            // sample: Begin and end 1
            try await sender.value
            #expect(!isHealthy(pool))
            await #expect(throws: DatabaseUnavailableError.self) { try await pool.read { _ in } }
        }
    }

    @Test
    func `A service group ends the database`() async throws {
        try await withPool { pool in
            let handlers = GracefulShutdown.Handlers()
            let service = Task { try await GracefulShutdown.$handlers.withValue(handlers) { try await DatabaseService(pool: pool).run() } }
            while !pool.status().isShuttingDown {
                handlers.shutDown()
                try await Task.sleep(for: .milliseconds(1))
            }
            try await service.value
        }
    }

    @Test
    func `A sound database has no findings`() async throws {
        try await withPool { pool in
            let migrator = DatabaseMigrator()
            // sample: Verify 1
            #expect(findings.isEmpty)
        }
    }

    @Test
    func `Databases of tenants are opened, observed, copied and deleted`() async throws {
        let temporary = try TemporaryFolder()
        let folder = temporary.url
        var orders = DatabaseMigrator()
        orders.registerMigration("Create order") { db in try db.execute(sql: "CREATE TABLE \"order\" (id INTEGER PRIMARY KEY)") }
        let migrator = orders
        // sample: A database for each tenant 1
        // sample: A database for each tenant 2
        #expect(count == 1)
        let sent = Collector<Int>()
        @Sendable func send(_ count: Int) { sent.append(count) }
        // sample: A database for each tenant 3
        let watching = Task { try await watch("Zoë") }
        await sent.wait(count: 1)
        try await tenants.write("Zoë") { try Order(id: 2).insert($0) }
        #expect(await sent.wait(last: 2).first == 1)
        let backups = folder.appendingPathComponent("backups")
        try FileManager.default.createDirectory(at: backups, withIntermediateDirectories: false)
        let lastName: String? = nil
        // sample: A database for each tenant 4
        #expect(try await DatabaseQueue(path: backups.path + "/Zoë.sqlite").read { try Order.fetchCount($0) } == 2)
        // The observation has the file open.
        await #expect(throws: DatabaseTimeoutError.self) { try await tenants.delete("Zoë", timeout: .milliseconds(10)) }
        watching.cancel()
        _ = await watching.result
        // sample: A database for each tenant 5
        await #expect(throws: DatabaseUnavailableError.self) { try await tenants.read("Zoë") { _ in } }
        #expect(try tenants.names() == [])
    }
}
