import Foundation
import Strata
import Testing

@Suite(.page)
struct StrataConcurrencySamples {
    // sample: Write in one transaction 1

    // sample: Share commits 1

    // sample: Asynchronous code 1

    // sample: Rows one by one 1

    // sample: Only values leave an access 1

    private func withDatabases(_ body: (DatabaseQueue, DatabasePool) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("queue.sqlite")
        let otherPath = folder.path("pool.sqlite")
        // sample: Overview 1
        for writer in [queue, pool] as [any DatabaseWriter] {
            try await writer.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE account (name TEXT PRIMARY KEY, balance INTEGER NOT NULL);
                        CREATE TABLE log (text TEXT NOT NULL);
                        INSERT INTO account VALUES ('savings', 2000), ('rent', 500);
                        """)
            }
        }
        try await body(queue, pool)
    }

    /// The blocking form of an access, which asynchronous code can't name.
    private func read<T>(_ reader: some DatabaseReader, _ value: (Database) throws -> T) throws -> T { try reader.read(value) }

    @Test
    func `A transfer happens as a whole or not at all`() async throws {
        try await withDatabases { queue, pool in
            try checkTransfers(queue)
            try transfer(10, from: "savings", to: "rent", in: pool)
            try #expect(read(pool) { try balance(of: "rent", $0) } == 510)
        }
    }

    private func checkTransfers(_ queue: DatabaseQueue) throws {
        try transfer(10, from: "savings", to: "rent", in: queue)
        #expect(throws: NoSuchAccount.self) { try transfer(10, from: "savings", to: "rnt", in: queue) }
        try #expect(queue.read { try balance(of: "savings", $0) } == 1990)
    }

    @Test
    func `A transaction reads and writes`() async throws {
        try await withDatabases { queue, _ in
            try twoAccesses(queue)
            try oneAccess(queue)
            try #expect(read(queue) { try balance(of: "rent", $0) } == 520)
        }
    }

    private func twoAccesses(_ queue: DatabaseQueue) throws {
        // sample: Write in one transaction 2
    }

    private func oneAccess(_ queue: DatabaseQueue) throws {
        // sample: Write in one transaction 3
    }

    @Test
    func `Writes share commits`() async throws {
        try await withDatabases { _, pool in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 1...20 { group.addTask { try await award(5, to: "rent", in: pool) } }
                try await group.waitForAll()
            }
            try #expect(read(pool) { try balance(of: "rent", $0) } == 600)
        }
    }

    @Test
    func `A read sees one state`() async throws {
        try await withDatabases { _, pool in
            try oneState(pool)
        }
    }

    private func oneState(_ pool: DatabasePool) throws {
        // sample: Read one state 1
        #expect(count == 2)
        #expect(total == 2500)
        #expect {
            try pool.read { try $0.execute(sql: "DELETE FROM account") }
        } throws: {
            DatabaseError.SQLITE_READONLY ~= $0
        }
    }

    @Test
    func `A savepoint undoes a part of a transaction`() async throws {
        try await withDatabases { queue, _ in
            try savepoint(queue)
        }
    }

    private func savepoint(_ queue: DatabaseQueue) throws {
        // sample: Undo a part 1
        try queue.read { db in
            try #expect(String.fetchAll(db, sql: "SELECT text FROM log") == ["import begins", "import failed"])
            try #expect(balance(of: "gifts", db) == nil)
        }
    }

    @Test
    func `Asynchronous accesses write, and read row by row`() async throws {
        try await withDatabases { queue, pool in
            let renamed = try await rename("rent", to: "flat", in: queue)
            #expect(renamed == 1)
            let sum = try await total(in: pool)
            #expect(sum == 2500)

            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await rename("flat", to: "house", in: queue)
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            let renamedBack = try await rename("flat", to: "rent", in: queue)
            #expect(renamedBack == 1)
        }
    }

    @Test
    func `Accesses don't nest, and functions that take a connection do`() async throws {
        try await withDatabases { queue, _ in
            try nesting(queue)
        }
    }

    private func nesting(_ queue: DatabaseQueue) throws {
        // sample: Only values leave an access 2
        #expect(isRich)
        #expect {
            try queue.read { _ in try queue.read { try balance(of: "savings", $0) } }
        } throws: {
            DatabaseError.SQLITE_MISUSE ~= $0
        }
    }

    @Test
    func `A snapshot keeps its state`() async throws {
        try await withDatabases { _, pool in
            try snapshot(pool)
        }
    }

    private func snapshot(_ pool: DatabasePool) throws {
        // sample: Read beside a write 1
        #expect(countBefore == 2)
        try #expect(pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM account") } == 0)
    }
}
