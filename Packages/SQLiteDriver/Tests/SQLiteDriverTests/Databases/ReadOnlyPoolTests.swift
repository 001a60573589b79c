import Dispatch
import SQLiteDriver
import Testing

@Suite("Read-only pools of files that are not in the WAL mode")
struct ReadOnlyPoolTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path("db") }

    init() throws {
        folder = try TemporaryFolder()
        let queue = try DatabaseQueue(path: folder.path("db"))
        try queue.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
        try queue.close()
    }

    private func openPool() throws -> DatabasePool {
        var configuration = Configuration()
        configuration.readonly = true
        return try DatabasePool(path: path, configuration: configuration)
    }

    @Test
    func `They read, and leave the journal mode as it is`() throws {
        let pool = try openPool()
        #expect(try pool.read { try $0.integers("SELECT a FROM t") } == [1])
        #expect(try pool.read { try $0.texts("PRAGMA journal_mode") } == ["delete"])
        expectError(.SQLITE_READONLY) { try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") } }
        try pool.close()
        #expect(try DatabaseQueue(path: path).read { try $0.texts("PRAGMA journal_mode") } == ["delete"])
    }

    @Test
    func `Their reads run at the same time`() async throws {
        let pool = try openPool()
        let inside = (Semaphore("the first read has begun"), Semaphore("the second read has begun"))
        // Each read waits for the other one inside its transaction.
        let end = await comesToItsEnd {
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                let (mine, other) = index == 0 ? (inside.0, inside.1) : (inside.1, inside.0)
                let values = try? pool.read { db in
                    let values = try db.integers("SELECT a FROM t")
                    mine.signal()
                    other.wait()
                    return try values + db.integers("SELECT a FROM t")
                }
                #expect(values == [1, 1])
            }
        }
        #expect(end)
    }

    @Test
    func `They see what another connection has written`() throws {
        let pool = try openPool()
        #expect(try pool.read { try $0.integers("SELECT count(*) FROM t") } == [1])
        try DatabaseQueue(path: path).write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        #expect(try pool.read { try $0.integers("SELECT count(*) FROM t") } == [2])
        let snapshot = try pool.makeSnapshot()
        #expect(try snapshot.read { try $0.integers("SELECT count(*) FROM t") } == [2])
    }

    @Test(arguments: [":memory:", "", "file:pool?mode=memory&cache=shared"])
    func `Databases in memory have no pool`(_ path: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        expectError(.SQLITE_CANTOPEN) { try DatabasePool(path: path, configuration: configuration) }
    }
}
