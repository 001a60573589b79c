import Foundation
import SQLiteDriver
import Testing

@Suite struct ConfigurationTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Returns the statements that a database runs in a closure.
    private func trace(_ configuration: Configuration, _ body: (DatabaseQueue) throws -> Void) throws -> [String] {
        let queue = try DatabaseQueue(path: folder.path("trace.sqlite"), configuration: configuration)
        let log = Box<[String]>([])
        try queue.writeWithoutTransaction { $0.trace { log.value.append("\($0)") } }
        try body(queue)
        return log.value
    }

    @Test(
        arguments: [
            (.immediate, "BEGIN IMMEDIATE TRANSACTION"), (.deferred, "BEGIN DEFERRED TRANSACTION"),
            (.exclusive, "BEGIN EXCLUSIVE TRANSACTION"),
        ] as [(Database.TransactionKind, String)])
    func `The configuration decides the kind of transactions`(_ kind: Database.TransactionKind, _ sql: String) throws {
        var configuration = Configuration()
        configuration.defaultTransactionKind = kind
        let log = try trace(configuration) { queue in
            try queue.write { _ in }
            try queue.inTransaction { _ in .rollback }
            try queue.writeWithoutTransaction { try $0.inSavepoint { .commit } }
            try queue.read { _ in }
            try queue.inTransaction(.deferred) { _ in .commit }
        }
        #expect(
            log == [
                sql, "COMMIT TRANSACTION", sql, "ROLLBACK TRANSACTION", sql, "COMMIT TRANSACTION",
                "BEGIN DEFERRED TRANSACTION", "COMMIT TRANSACTION", "BEGIN DEFERRED TRANSACTION", "COMMIT TRANSACTION",
            ])
    }

    @Test
    func `A transaction may outlive its access when that is allowed`() throws {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let queue = try DatabaseQueue(configuration: configuration)
        try queue.writeWithoutTransaction { try $0.execute(sql: "BEGIN; CREATE TABLE t (a)") }
        try queue.writeWithoutTransaction { db in
            #expect(db.isInsideTransaction)
            try db.commit()
        }
        #expect(try queue.read { try $0.tableExists("t") })
    }

    @Test(arguments: [(nil, 2), (.full, 2), (.normal, 1), (.off, 0)] as [(Configuration.SynchronousMode?, Int64)])
    func `The configuration decides when commits of the main database wait for the disk`(
        _ mode: Configuration.SynchronousMode?, _ expected: Int64
    ) throws {
        @Sendable func level(_ db: Database, _ schema: String = "main") throws -> Int64? {
            let statement = try db.makeStatement(sql: "PRAGMA \(schema).synchronous")
            return try statement.step() ? statement.int64(at: 0) : nil
        }
        var configuration = Configuration()
        configuration.synchronous = mode
        let statements = StatementStatistics()
        configuration.monitors = [statements]
        let pool = try DatabasePool(path: folder.path("pool.sqlite"), configuration: configuration)
        #expect(!statements.statements(by: .runs).contains { $0.sql.contains("synchronous") })
        try pool.writeWithoutTransaction { db in
            #expect(try level(db) == expected)
            try db.execute(sql: "ATTACH ? AS other", arguments: [folder.path("other.sqlite")])
            #expect(try level(db, "other") == 2)
        }
        #expect(try pool.read { try level($0) } == expected)
        #expect(try DatabaseQueue(configuration: configuration).read { try level($0) } == expected)
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = EXTRA") }
        #expect(try DatabaseQueue(configuration: configuration).read { try level($0) } == 3)
    }

    @Test
    func `The configuration or the file decides the journal mode`() throws {
        func mode(_ configuration: Configuration) throws -> [String] {
            try DatabaseQueue(path: folder.path("a.sqlite"), configuration: configuration).read { try $0.texts("PRAGMA journal_mode") }
        }
        var configuration = Configuration()
        #expect(try mode(configuration) == ["delete"])
        configuration.journalMode = .wal
        #expect(try mode(configuration) == ["wal"])
        configuration.journalMode = .default
        #expect(try mode(configuration) == ["wal"])
    }

    @Test(arguments: [false, true])
    func `Idle readers are kept if the configuration requires it`(_ keepsThem: Bool) throws {
        let opened = Box(0)
        var configuration = Configuration()
        configuration.persistentReadOnlyConnections = keepsThem
        configuration.prepareDatabase { _ in opened.value += 1 }
        let pool = try DatabasePool(path: folder.path("a.sqlite"), configuration: configuration)
        try pool.read { _ in }
        #expect(opened.value == 2)
        try pool.read { _ in }
        #expect(opened.value == 2)
        pool.releaseMemory()
        try pool.read { _ in }
        #expect(opened.value == (keepsThem ? 2 : 3))
        pool.releaseMemoryEventually()
        try pool.read { _ in }
        #expect(opened.value == (keepsThem ? 2 : 4))
    }

    // MARK: Readers and writers of any type

    @Test
    func `A type erased database behaves like its base`() throws {
        let queue = try DatabaseQueue(path: folder.path("a.sqlite"))
        let writer = AnyDatabaseWriter(queue)
        let reader = AnyDatabaseReader(writer)
        #expect(writer.path == queue.path && reader.path == queue.path)
        try writer.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
        try writer.barrierWriteWithoutTransaction { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        try writer.unsafeReentrantWrite { _ in
            try writer.unsafeReentrantWrite { try $0.execute(sql: "INSERT INTO t VALUES (3)") }
        }
        let values = try reader.read { try $0.integers("SELECT a FROM t") }
        #expect(values == [1, 2, 3])
        let nested = try reader.unsafeRead { _ in try reader.unsafeReentrantRead { try $0.integers("SELECT a FROM t") } }
        #expect(nested == values)
        reader.interrupt()
        writer.interrupt()
        let copy = try DatabaseQueue()
        try reader.backup(to: copy)
        #expect(try copy.read { try $0.integers("SELECT a FROM t") } == values)
        try reader.close()
        expectError(.SQLITE_MISUSE) { try writer.write { _ in } }
    }

    @Test
    func `A type erased database can be awaited`() async throws {
        let queue = try DatabaseQueue(path: folder.path("a.sqlite"))
        let writer = AnyDatabaseWriter(queue)
        let reader = AnyDatabaseReader(writer)
        try await writer.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        try await writer.barrierWriteWithoutTransaction { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        try await writer.writeWithoutTransaction { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        #expect(try await reader.read { try $0.integers("SELECT a FROM t") } == [1, 2])
        #expect(try await reader.unsafeRead { try $0.integers("SELECT a FROM t") } == [1, 2])
        let accesses: [@Sendable (@escaping @Sendable (Result<Database, any Error>) -> Void) -> Void] = [
            { reader.asyncRead($0) }, { reader.asyncUnsafeRead($0) }, { writer.asyncBarrierWriteWithoutTransaction($0) },
            { body in writer.asyncWriteWithoutTransaction { body(.success($0)) } }, { writer.spawnConcurrentRead($0) },
        ]
        for access in accesses {
            let values = await withCheckedContinuation { (continuation: CheckedContinuation<[Int64], Never>) in
                access { continuation.resume(returning: (try? $0.get().integers("SELECT a FROM t")) ?? []) }
            }
            #expect(values == [1, 2])
        }
    }

    @Test
    func `Reentrant accesses nest`() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            try queue.unsafeReentrantWrite { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
            // It is the same connection, in the same transaction.
            #expect(try queue.unsafeReentrantRead { try $0.integers("SELECT a FROM t") } == [1])
            #expect(try queue.unsafeReentrantRead { $0 === db })
        }
    }

    @Test
    func `A statement of another connection stops the program`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let first = try DatabaseQueue()
            let second = try DatabaseQueue()
            let statement = try first.read { try $0.makeStatement(sql: "SELECT 1") }
            try second.read { _ in _ = try statement.step() }
        }
        #expect(result?.message.contains("A database connection was used outside its access") == true)
    }
}
