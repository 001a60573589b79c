import Foundation
import SQLiteDriver
import Testing

@Suite struct MemoryTests {
    // MARK: Closing

    enum Access: CaseIterable {
        case read, write, writeWithoutTransaction, inDatabase, inTransaction

        func run(on queue: DatabaseQueue) throws {
            switch self {
            case .read: try queue.read { _ in }
            case .write: try queue.write { _ in }
            case .writeWithoutTransaction: try queue.writeWithoutTransaction { try $0.execute(sql: "SELECT 1") }
            case .inDatabase: try queue.inDatabase { _ in }
            case .inTransaction: try queue.inTransaction { _ in .commit }
            }
        }
    }

    @Test(arguments: Access.allCases)
    func `A closed database refuses accesses`(_ access: Access) throws {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        try queue.close()
        let error = expectError(.SQLITE_MISUSE) { try access.run(on: queue) }
        #expect(error?.message == "the database is closed")
        // Closing it again is not an error.
        try queue.close()
    }

    @Test
    func `Closing throws while a statement is alive`() throws {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
        var statement: Statement? = try queue.read { try $0.makeStatement(sql: "SELECT a FROM t") }
        let error = expectError(.SQLITE_BUSY) { try queue.close() }
        #expect(error?.description.contains("unable to close due to unfinalized statements") == true)
        #expect(error?.description.contains("Release all statements and cursors before closing.") == true)
        // The queue stays usable, and so does the statement.
        try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        #expect(try queue.read { _ in try statement?.step() } == true)
        #expect(try queue.read { try $0.columns(in: "t").count } == 1)
        statement = nil
        try queue.close()
    }

    @Test
    func `Cached statements do not prevent closing a database`() throws {
        let queue = try DatabaseQueue()
        try queue.read { db in
            for number in 0..<300 { try db.cachedStatement(sql: "SELECT \(number) UNION SELECT 1000").run() }
            // One of them in the middle of its rows.
            #expect(try db.cachedStatement(sql: "SELECT 299 UNION SELECT 1000").step())
        }
        try queue.close()
    }

    @Test
    func `A close releases the locks of the file`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("database.sqlite")
        var configuration = Configuration()
        configuration.busyMode = .immediateError
        let first = try DatabaseQueue(path: path)
        try first.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        let second = try DatabaseQueue(path: path, configuration: configuration)
        _ = try first.read { try $0.cachedStatement(sql: "SELECT * FROM sqlite_master, t").step() }
        try second.inTransaction(.exclusive) { _ in .commit }
    }

    // MARK: Life times

    @Test
    func `A queue that is released closes its connection`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("database.sqlite")
        weak var connection: Database?
        weak var statement: Statement?
        do {
            let queue = try DatabaseQueue(path: path)
            try queue.write { db in
                try db.execute(sql: "CREATE TABLE t (a)")
                connection = db
                let cached = try db.cachedStatement(sql: "SELECT * FROM t")
                try cached.run()
                statement = cached
                _ = try db.columns(in: "t")
            }
            #expect(connection != nil && statement != nil)
        }
        #expect(connection == nil)
        #expect(statement == nil)
        #expect(try openFiles(at: path) == 0)
    }

    @Test
    func `A statement that is kept keeps its connection open`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("database.sqlite")
        var statement: Statement?
        do {
            let queue = try DatabaseQueue(path: path)
            statement = try queue.read { db in
                let statement = try db.cachedStatement(sql: "SELECT 1 UNION SELECT 2")
                #expect(try statement.step())
                return statement
            }
        }
        #expect(statement?.sql == "SELECT 1 UNION SELECT 2")
        #expect(statement?.isBusy == false)
        weak let connection = statement?.database
        statement = nil
        #expect(connection == nil)
        #expect(try openFiles(at: path) == 0)
    }

    @Test
    func `A statement that is released outside accesses is finalized later`() throws {
        let queue = try DatabaseQueue()
        let statements = Box<[Statement]>([])
        try queue.read { db in
            statements.value = try (0..<10).map { try db.makeStatement(sql: "SELECT \($0) UNION SELECT 10") }
            for statement in statements.value { #expect(try statement.step()) }
        }
        statements.value.removeLast(5)
        onAnotherThread { statements.value.removeAll() }
        // This would throw if a statement were alive.
        try queue.close()
    }

    @Test
    func `A statement that is released on another thread during an access is finalized later`() throws {
        let queue = try DatabaseQueue()
        let statements = Box<[Statement]>([])
        try queue.read { db in
            statements.value = try (0..<10).map { try db.makeStatement(sql: "SELECT \($0) UNION SELECT 10") }
            onAnotherThread { statements.value.removeAll() }
            #expect(try db.integers("SELECT 1") == [1])
        }
        try queue.close()
    }

    @Test
    func `A running statement that is released on another thread is ended with the access`() throws {
        let queue = try DatabaseQueue()
        let statements = Box<[Statement]>([])
        try queue.read { db in
            let first = try db.makeStatement(sql: "SELECT 1 UNION SELECT 2")
            let last = try db.makeStatement(sql: "SELECT 3 UNION SELECT 4")
            statements.value = try (0..<10).map { try db.makeStatement(sql: "SELECT \($0) UNION SELECT 10") }
            for statement in [first] + statements.value + [last] { #expect(try statement.step()) }
            onAnotherThread { statements.value.removeAll() }
            // The remaining statements can be reset and run in any order.
            first.reset()
            #expect(try last.step())
            #expect(last.int64(at: 0) == 4)
            #expect(try first.step())
            #expect(first.int64(at: 0) == 1)
        }
        try queue.close()
    }

    @Test
    func `Statements are released in any order while others run`() throws {
        let queue = try DatabaseQueue()
        try queue.read { db in
            var statements = try (0..<20).map { number in
                let statement = try db.makeStatement(sql: "SELECT \(number) UNION ALL SELECT 100")
                #expect(try statement.step())
                return statement
            }
            for index in [0, 18, 7, 7, 0, 14, 3] { statements.remove(at: index) }
            for statement in statements {
                #expect(try statement.step())
                #expect(statement.int64(at: 0) == 100)
            }
            for statement in statements.prefix(5) { #expect(try statement.step() == false) }
            statements.removeLast(4)
            for statement in statements { statement.reset() }
        }
        try queue.close()
    }

    @Test
    func `Opening fails without leaving a file open`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("notes.txt")
        try Data(repeating: 97, count: 5000).write(to: URL(fileURLWithPath: path))
        for _ in 0..<10 { #expect(throws: DatabaseError.self) { try DatabaseQueue(path: path) } }
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            _ = try db.cachedStatement(sql: "SELECT 1")
            throw TestError()
        }
        let database = folder.path("database.sqlite")
        for _ in 0..<10 { #expect(throws: TestError.self) { try DatabaseQueue(path: database, configuration: configuration) } }
        #expect(try openFiles(at: path) == 0)
        #expect(try openFiles(at: database) == 0)
    }

    // MARK: Storage

    private final class Counter {
        var count = 0
    }

    private enum FirstKey: AttachmentKey {
        typealias Value = Counter
    }

    private enum SecondKey: AttachmentKey {
        typealias Value = Counter
    }

    @Test
    func `Layers keep their state with a connection`() throws {
        let queue = try DatabaseQueue()
        weak var kept: Counter?
        try queue.read { db in
            #expect(db.attachments.value(for: FirstKey.self) == nil)
            let first = db.attachments.value(for: FirstKey.self) { Counter() }
            #expect(db.attachments.value(for: SecondKey.self) == nil)
            let second = db.attachments.value(for: SecondKey.self) { Counter() }
            #expect(first !== second)
            #expect(db.attachments.value(for: FirstKey.self) === first)
            #expect(db.attachments.value(for: SecondKey.self) { Counter() } === second)
            db.attachments.setValue(nil, for: SecondKey.self)
            #expect(db.attachments.value(for: SecondKey.self) == nil)
            #expect(throws: TestError.self) { try db.attachments.value(for: SecondKey.self) { throw TestError() } }
            #expect(db.attachments.value(for: FirstKey.self) === first)
            kept = first
        }
        #expect(kept != nil)
        #expect(try queue.read { $0.attachments.value(for: FirstKey.self) === kept })
        try queue.close()
        #expect(kept == nil)
    }
}

/// Returns how many of this process's open files have a path, or 0 on systems that don't report it.
private func openFiles(at path: String) throws -> Int {
    let folder = "/proc/self/fd"
    guard FileManager.default.fileExists(atPath: folder) else { return 0 }
    let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    return try FileManager.default.contentsOfDirectory(atPath: folder).filter {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == path
    }.count
}
