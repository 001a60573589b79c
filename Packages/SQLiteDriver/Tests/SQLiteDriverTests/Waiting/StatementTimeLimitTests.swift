import Foundation
import SQLiteDriver
import Testing

/// `Configuration.statementTimeLimit`.
@Suite struct StatementTimeLimitTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func makeQueue(_ limit: Duration = .milliseconds(100)) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.statementTimeLimit = limit
        configuration.busyMode = .timeout(TimeInterval(waitLimit))
        let queue = try DatabaseQueue(path: folder.path("a.sqlite"), configuration: configuration)
        try queue.write { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS t (a INTEGER)") }
        return queue
    }

    private static let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
    private static let endless = "\(numbers) SELECT count(*) FROM n"

    @Test(arguments: [endless, "\(numbers) SELECT i FROM n WHERE i < 0", "INSERT INTO t \(numbers) SELECT i FROM n WHERE i < 0"])
    func `A statement that takes too long inside SQLite throws, and its transaction is rolled back`(_ sql: String) throws {
        let queue = try makeQueue()
        let error = #expect(throws: DatabaseTimeoutError.self) {
            try queue.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                try db.execute(sql: sql)
            }
        }
        #expect(error?.phase == .runningStatement)
        #expect(error?.timeout == .milliseconds(100))
        #expect(error.map { $0.runningTime >= $0.timeout && $0.connectionWait == .zero } == true)
        #expect(error?.sql == sql)
        #expect(error?.hasCommitted == false)
        #expect(error?.description.contains("a statement took longer than 0.1 s") == true)
        #expect(try queue.read { try $0.integers("SELECT a FROM t") } == [])
        try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
    }

    @Test
    func `Rows that are read one by one add up, and the program's work on them does not`() throws {
        // The limit leaves time for steps that a busy machine interrupts.
        try makeQueue(.seconds(2)).read { db in
            // The program takes longer than the limit.
            let statement = try db.makeStatement(sql: "\(Self.numbers) SELECT i FROM n LIMIT 5")
            var count = 0
            while try statement.step() {
                count += 1
                Thread.sleep(forTimeInterval: 0.5)
            }
            #expect(count == 5)
        }
        try makeQueue().read { db in
            // SQLite takes longer, in steps that are all short.
            let endless = try db.makeStatement(sql: "\(Self.numbers) SELECT i FROM n")
            let error = #expect(throws: DatabaseTimeoutError.self) {
                while try endless.step() {}
            }
            #expect(error?.phase == .runningStatement)
            // The access goes on.
            #expect(try db.integers("SELECT count(*) FROM t") == [0])
        }
    }

    @Test
    func `An error reports whether the access has committed before`() throws {
        let queue = try makeQueue()
        let error = #expect(throws: DatabaseTimeoutError.self) {
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                try db.execute(sql: Self.endless)
            }
        }
        #expect(error?.hasCommitted == true)
        #expect(try queue.read { try $0.integers("SELECT a FROM t") } == [1])
    }

    @Test
    func `A statement stops waiting for another connection's lock`() throws {
        let queue = try makeQueue()
        let other = try DatabaseQueue(path: folder.path("a.sqlite"))
        try other.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            let error = #expect(throws: DatabaseTimeoutError.self) { try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") } }
            #expect(error?.phase == .runningStatement)
        }
        try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (3)") }
        #expect(try queue.read { try $0.integers("SELECT a FROM t ORDER BY a") } == [1, 3])
    }

    @Test
    func `Each statement has its own limit, and a commit has none`() throws {
        let queue = try makeQueue(.seconds(2))
        try queue.write { db in
            db.add(
                function: DatabaseFunction("pause", argumentCount: 0) { _ in
                    Thread.sleep(forTimeInterval: 0.6)
                    return 1
                })
            for _ in 0..<4 { try db.execute(sql: "INSERT INTO t VALUES (pause())") }
        }
        #expect(try queue.read { try $0.integers("SELECT count(*) FROM t") } == [4])
        final class SlowCommit: TransactionObserver {
            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
            func databaseDidChange(with event: DatabaseEvent) {}
            func databaseWillCommit() { Thread.sleep(forTimeInterval: 2.1) }
            func databaseDidCommit(_ db: Database) {}
            func databaseDidRollback(_ db: Database) {}
        }
        try queue.write { db in
            db.add(transactionObserver: SlowCommit(), extent: .nextTransaction)
            try db.execute(sql: "INSERT INTO t VALUES (5)")
        }
        #expect(try queue.read { try $0.integers("SELECT count(*) FROM t") } == [5])
    }

    @Test
    func `A limit of the access applies besides the limit of statements`() throws {
        let queue = try makeQueue(.seconds(60))
        let error = #expect(throws: DatabaseTimeoutError.self) {
            try queue.read(timeout: .milliseconds(50)) { _ = try $0.integers(Self.endless) }
        }
        #expect(error?.phase == .running)
    }
}
