import Foundation
import SQLiteDriver
import Testing

@Suite struct DatabaseQueueTests {
    @Test
    func `A queue in memory reads what it wrote`() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE player (name TEXT)")
            try db.execute(sql: "INSERT INTO player VALUES (?)", arguments: ["Arthur"])
        }
        let name = try queue.read { db in
            let statement = try db.makeStatement(sql: "SELECT name FROM player")
            return try statement.step() ? statement.string(at: 0) : nil
        }
        #expect(name == "Arthur")
    }

    @Test
    func `A file keeps what was written`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("database.sqlite")
        let first = try DatabaseQueue(path: path)
        try first.write { try $0.execute(sql: "CREATE TABLE player AS SELECT 'Arthur' AS name") }
        try first.close()

        let second = try DatabaseQueue(path: path)
        #expect(try second.read { try $0.texts("SELECT name FROM player") } == ["Arthur"])
        #expect(second.path == path)
    }

    @Test
    func `A file URI opens the file that it names`() throws {
        let folder = try TemporaryFolder()
        try DatabaseQueue(path: folder.path("database.sqlite")).write { try $0.execute(sql: "CREATE TABLE t (a)") }
        let queue = try DatabaseQueue(path: "file:\(folder.path("database.sqlite"))?mode=ro")
        #expect(try queue.read { try $0.tableExists("t") })
        #expect(throws: DatabaseError.self) { try queue.write { try $0.execute(sql: "DROP TABLE t") } }
    }

    // MARK: In memory

    @Test
    func `Databases in memory without a name are separate`() throws {
        let first = try DatabaseQueue()
        let second = try DatabaseQueue()
        try first.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        #expect(try second.read { try $0.tableExists("t") } == false)
        #expect(first.path == ":memory:")
    }

    @Test(arguments: ["shared", "with space", "a&mode=ro#?%/'\"", "é", ""])
    func `Queues of one name share a database in memory`(_ name: String) throws {
        let name = "DatabaseQueueTests " + name
        let first = try DatabaseQueue(named: name)
        let second = try DatabaseQueue(named: name)
        let other = try DatabaseQueue(named: name + "2")
        try first.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
        #expect(try second.read { try $0.integers("SELECT a FROM t") } == [1])
        #expect(try other.read { try $0.tableExists("t") } == false)
        #expect(!FileManager.default.fileExists(atPath: name))
    }

    /// Uses that meet the locks of a transaction that has changed a table, or the schema, of a shared database in memory.
    static let sharedLocks: [(name: String, change: String, access: @Sendable (DatabaseQueue) throws -> [Int64])] = [
        ("write", "INSERT INTO t VALUES (1)", { try $0.write { try $0.integers("SELECT a FROM t") } }),
        ("read", "INSERT INTO t VALUES (1)", { try $0.read { try $0.integers("SELECT a FROM t") } }),
        (
            "schema", "DROP TABLE IF EXISTS u; INSERT INTO t VALUES (1); CREATE TABLE u (b)",
            { try $0.read { try $0.integers("SELECT a FROM t") } }
        ),
        (
            "run", "INSERT INTO t VALUES (1)",
            { queue in
                try queue.writeWithoutTransaction { try $0.execute(sql: "INSERT INTO t VALUES (2); DELETE FROM t WHERE a = 2") }
                return try queue.read { try $0.integers("SELECT a FROM t") }
            }
        ),
    ]

    @Test(arguments: sharedLocks.indices)
    func `A lock of a shared database in memory is waited for`(_ index: Int) throws {
        let (name, change, access) = Self.sharedLocks[index]
        let isWaiting = Semaphore("the second connection waits for the lock")
        let isReleased = Semaphore("the first connection has released the lock")
        var configuration = Configuration()
        configuration.busyMode = .callback { numberOfTries in
            if numberOfTries == 0 {
                isWaiting.signal()
                isReleased.wait()
            }
            return numberOfTries < 1000
        }
        let first = try DatabaseQueue(named: "waited for \(name)")
        let second = try DatabaseQueue(named: "waited for \(name)", configuration: configuration)
        try first.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        let result = Box<Result<[Int64], any Error>>(.success([]))
        let done = Semaphore("the second connection has the lock")
        try first.write { db in
            try db.execute(sql: change)
            Thread.detachNewThread {
                result.value = Result { try access(second) }
                done.signal()
            }
            isWaiting.wait()
        }
        // The lock is released. The waiting connection notices when it tries again.
        isReleased.signal()
        done.wait()
        #expect(try result.value.get() == [1])
    }

    @Test(arguments: [Database.BusyMode.immediateError, .timeout(0.05), .callback { $0 < 2 }])
    func `Waiting for a lock of a shared database in memory times out`(_ busyMode: Database.BusyMode) throws {
        let name = "locked \(busyMode)"
        var configuration = Configuration()
        configuration.busyMode = busyMode
        let first = try DatabaseQueue(named: name)
        let second = try DatabaseQueue(named: name, configuration: configuration)
        try first.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        try first.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            expectError(.SQLITE_LOCKED_SHAREDCACHE) { try second.write { _ in } }
            let error = expectError(.SQLITE_LOCKED_SHAREDCACHE) { try second.read { try $0.integers("SELECT a FROM t") } }
            #expect(error?.message == "database table is locked: t")
            try db.execute(sql: "CREATE TABLE u (a)")
            expectError(.SQLITE_LOCKED_SHAREDCACHE) { try second.read { try $0.makeStatement(sql: "SELECT 1 FROM t") } }
        }
        try second.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        #expect(try first.read { try $0.integers("SELECT a FROM t") } == [1, 2])
    }

    @Test
    func `A named database in memory goes away with its last queue`() throws {
        var queue: DatabaseQueue? = try DatabaseQueue(named: "goes away")
        try queue?.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        queue = nil
        queue = try DatabaseQueue(named: "goes away")
        #expect(try queue?.read { try $0.tableExists("t") } == false)
    }

    // MARK: Accesses

    @Test
    func `Accesses return what their closures return`() throws {
        let queue = try DatabaseQueue()
        #expect(try queue.read { _ in 1 } == 1)
        #expect(try queue.write { _ in "two" } == "two")
        #expect(try queue.writeWithoutTransaction { _ in 3.0 } == 3)
        #expect(try queue.inDatabase { _ in nil as Int? } == nil)
        #expect(try queue.read { _ in nil as Int? } == nil)
    }

    @Test
    func `Accesses throw what their closures throw`() throws {
        let queue = try DatabaseQueue()
        #expect(throws: TestError.self) { try queue.read { _ in throw TestError() } }
        #expect(throws: TestError.self) { try queue.write { _ in throw TestError() } }
        #expect(throws: TestError.self) { try queue.writeWithoutTransaction { _ in throw TestError() } }
        #expect(throws: TestError.self) { try queue.inTransaction { _ in throw TestError() } }
        #expect(try queue.read { $0.isInsideTransaction })
        #expect(try queue.writeWithoutTransaction { $0.isInsideTransaction } == false)
    }

    @Test
    func `Accesses of many threads run one after the other`() throws {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE counter (value); INSERT INTO counter VALUES (0)") }
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<50 {
                try? queue.write { db in
                    let value = try db.integers("SELECT value FROM counter")[0]
                    try db.execute(sql: "UPDATE counter SET value = ?", arguments: [value + 1])
                }
            }
        }
        #expect(try queue.read { try $0.integers("SELECT value FROM counter") } == [400])
    }

    @Test(
        arguments: [
            { (queue: DatabaseQueue) in try queue.read { _ in } },
            { (queue: DatabaseQueue) in try queue.write { _ in } },
            { (queue: DatabaseQueue) in try queue.writeWithoutTransaction { _ in } },
            { (queue: DatabaseQueue) in try queue.inTransaction { _ in .commit } },
            { (queue: DatabaseQueue) in try queue.close() },
        ] as [@Sendable (DatabaseQueue) throws -> Void])
    func `An access inside another access is an error`(_ access: @Sendable (DatabaseQueue) throws -> Void) throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            let error = #expect(throws: DatabaseError.self) { try access(queue) }
            #expect(error?.resultCode == .SQLITE_MISUSE)
            #expect(error?.description.contains("not reentrant. Use the connection of the current access") == true)
            // The outer access continues.
            try db.execute(sql: "CREATE TABLE t (a)")
        }
        #expect(try queue.read { try $0.tableExists("t") })
    }

    @Test
    func `An access to another database inside an access is fine`() throws {
        let outer = try DatabaseQueue()
        let inner = try DatabaseQueue()
        try outer.write { _ in
            try inner.write { try $0.execute(sql: "CREATE TABLE t (a)") }
            // An access inside an access to another database is still nested, and throws instead of deadlocking.
            #expect(throws: DatabaseError.self) { try inner.read { _ in try outer.read { _ in } } }
        }
        #expect(try inner.read { try $0.tableExists("t") })
    }

    @Test
    func `A connection used outside its access stops the program`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let queue = try DatabaseQueue()
            let db = try queue.writeWithoutTransaction { Box($0) }
            try db.value.execute(sql: "SELECT 1")
        }
        #expect(result?.message.contains("A database connection was used outside its access, or on another thread.") == true)
    }

    @Test
    func `A connection used on another thread stops the program`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let queue = try DatabaseQueue()
            try queue.writeWithoutTransaction { db in
                let box = Box(db)
                onAnotherThread { try? box.value.execute(sql: "SELECT 1") }
            }
        }
        #expect(result?.message.contains("A database connection was used outside its access, or on another thread.") == true)
    }

    // MARK: Configuration

    @Test
    func `Foreign keys are enforced unless the configuration disables them`() throws {
        let sql = """
            CREATE TABLE team (id INTEGER PRIMARY KEY);
            CREATE TABLE player (teamID INTEGER REFERENCES team);
            INSERT INTO player VALUES (1)
            """
        let error = #expect(throws: DatabaseError.self) { try DatabaseQueue().write { try $0.execute(sql: sql) } }
        #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)

        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        try DatabaseQueue(configuration: configuration).write { try $0.execute(sql: sql) }
    }

    @Test
    func `Double quotes are not strings unless the configuration allows it`() throws {
        let error = #expect(throws: DatabaseError.self) {
            try DatabaseQueue().read { try $0.texts("SELECT \"misspelled\"") }
        }
        // Later releases put the name in quotes, and add a hint.
        #expect(error?.message?.hasPrefix("no such column: ") == true)

        var configuration = Configuration()
        configuration.acceptsDoubleQuotedStringLiterals = true
        #expect(try DatabaseQueue(configuration: configuration).read { try $0.texts("SELECT \"Arthur\"") } == ["Arthur"])
    }

    @Test
    func `A readonly configuration opens existing files only and writes nothing`() throws {
        let folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.readonly = true
        let missing = folder.path("missing.sqlite")
        let error = #expect(throws: DatabaseError.self) { try DatabaseQueue(path: missing, configuration: configuration) }
        #expect(error?.resultCode == .SQLITE_CANTOPEN)
        #expect(error?.description.contains("The file does not exist") == true)
        #expect(!FileManager.default.fileExists(atPath: missing))

        let path = folder.path("database.sqlite")
        try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE t (a)") }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        #expect(try queue.read { try $0.tableExists("t") })
        expectError(.SQLITE_READONLY) { try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") } }
        expectError(.SQLITE_READONLY) {
            try queue.inTransaction(.immediate) { db in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                return .commit
            }
        }
        #expect(try queue.read { try $0.integers("SELECT count(*) FROM t") } == [0])
    }

    @Test
    func `prepareDatabase runs once in the order of its closures`() throws {
        let calls = Box<[Int]>([])
        var configuration = Configuration()
        configuration.prepareDatabase { _ in calls.value.append(1) }
        configuration.prepareDatabase { db in
            calls.value.append(2)
            try db.execute(sql: "PRAGMA cache_size = -1234")
        }
        let queue = try DatabaseQueue(configuration: configuration)
        #expect(try queue.read { try $0.integers("PRAGMA cache_size") } == [-1234])
        #expect(calls.value == [1, 2])
    }

    @Test
    func `Opening throws the error of prepareDatabase`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("database.sqlite")
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            try db.execute(sql: "BEGIN IMMEDIATE; CREATE TABLE t (a)")
            throw TestError()
        }
        #expect(throws: TestError.self) { try DatabaseQueue(path: path, configuration: configuration) }
        // The connection was closed, and holds no lock.
        var immediate = Configuration()
        immediate.busyMode = .immediateError
        let queue = try DatabaseQueue(path: path, configuration: immediate)
        try queue.write { try $0.execute(sql: "CREATE TABLE t (a)") }
    }

    @Test
    func `A transaction that prepareDatabase leaves open is an error`() throws {
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.beginTransaction() }
        let error = #expect(throws: DatabaseError.self) { try DatabaseQueue(configuration: configuration) }
        #expect(error?.message?.contains("a transaction was left open") == true)
    }

    // MARK: Locks

    @Test
    func `A locked database throws immediately with the immediate error mode`() throws {
        let folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.busyMode = .immediateError
        let first = try DatabaseQueue(path: folder.path("database.sqlite"))
        let second = try DatabaseQueue(path: folder.path("database.sqlite"), configuration: configuration)
        try first.write { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            let error = #expect(throws: DatabaseError.self) { try second.write { _ in } }
            #expect(error?.resultCode == .SQLITE_BUSY)
            #expect(error?.description.contains("database is locked") == true)
            #expect(error?.description.contains("BEGIN IMMEDIATE TRANSACTION") == true)
            #expect(error?.description.contains("try again, or wait longer with Configuration.busyMode") == true)
        }
        // It stays usable.
        try second.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    }

    @Test
    func `A timeout that passes is an error`() throws {
        let folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.busyMode = .timeout(0.01)
        let first = try DatabaseQueue(path: folder.path("database.sqlite"))
        let second = try DatabaseQueue(path: folder.path("database.sqlite"), configuration: configuration)
        _ = try first.write { _ in
            expectError(.SQLITE_BUSY) { try second.write { _ in } }
        }
        try second.write { _ in }
    }

    @Test
    func `Any number of seconds is a timeout: a long timeout waits, and a timeout of 0 or less does not`() throws {
        /// Whether some waits, one after the other, don't reach the timeout.
        func waits(_ seconds: Double, count: Int = 1) throws -> Bool {
            var configuration = Configuration()
            configuration.busyMode = .timeout(seconds)
            return try DatabaseQueue(configuration: configuration).write { db in
                (0..<count).allSatisfy { db.waitsForLock(numberOfTries: $0) }
            }
        }
        for seconds: Double in [1e300, .infinity, 60] {
            #expect(try waits(seconds))
        }
        for seconds: Double in [-1, 0, -.infinity, .nan, .leastNonzeroMagnitude] {
            #expect(try !waits(seconds))
        }
        // Each wait takes a millisecond or more.
        #expect(try !waits(0.03, count: 100))
        #expect(try waits(.infinity, count: 100))
    }

    @Test
    func `A busy callback is called until the lock is released`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("database.sqlite")
        let locked = Semaphore("the first connection has the lock")
        let release = Semaphore("the second connection has tried three times")
        let released = Semaphore("the first connection has released the lock")
        let first = try DatabaseQueue(path: path)
        Thread.detachNewThread {
            try? first.write { db in
                try db.execute(sql: "CREATE TABLE t (a)")
                locked.signal()
                release.wait()
            }
            released.signal()
        }
        locked.wait()

        let tries = Box<[Int]>([])
        var configuration = Configuration()
        configuration.busyMode = .callback { numberOfTries in
            tries.value.append(numberOfTries)
            if numberOfTries == 2 {
                release.signal()
                released.wait()
            }
            return true
        }
        let second = try DatabaseQueue(path: path, configuration: configuration)
        try second.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        #expect(tries.value == [0, 1, 2])
    }

    @Test
    func `A busy callback may give up`() throws {
        let folder = try TemporaryFolder()
        let tries = Box(0)
        var configuration = Configuration()
        configuration.busyMode = .callback { numberOfTries in
            tries.value += 1
            return numberOfTries < 4
        }
        let first = try DatabaseQueue(path: folder.path("database.sqlite"))
        let second = try DatabaseQueue(path: folder.path("database.sqlite"), configuration: configuration)
        _ = try first.write { _ in
            expectError(.SQLITE_BUSY) { try second.write { _ in } }
        }
        #expect(tries.value == 5)
    }
}
