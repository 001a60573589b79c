import SQLiteDriver
import Testing

@Suite struct ReentrantAccessTests {
    enum Kind: CaseIterable {
        case queue
        case pool
    }

    @Test(arguments: Kind.allCases)
    func `A transaction that a reentrant access leaves open is rolled back`(_ kind: Kind) throws {
        let folder = try TemporaryFolder()
        let writer: any DatabaseWriter =
            switch kind {
            case .queue: try DatabaseQueue(path: folder.path("a.sqlite"))
            case .pool: try DatabasePool(path: folder.path("a.sqlite"))
            }
        expectError(.SQLITE_MISUSE) { try writer.unsafeReentrantWrite { try $0.beginTransaction() } }
        expectError(.SQLITE_MISUSE) { try writer.unsafeReentrantRead { try $0.beginTransaction(.deferred) } }
        #expect(try writer.read { try $0.integers("SELECT 1") } == [1])
        #expect(try writer.write { try $0.integers("SELECT 1") } == [1])
    }

    @Test
    func `A reentrant access does not end the transaction of its outer access`() throws {
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction { (db) throws in
            try queue.unsafeReentrantWrite { try $0.beginTransaction() }
            #expect(db.isInsideTransaction)
            try queue.unsafeReentrantRead { try $0.execute(sql: "CREATE TABLE t (a)") }
            try db.commit()
            #expect(try db.tableExists("t"))
        }
    }
}
