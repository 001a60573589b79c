import Foundation
import Strata
import Testing

@Suite("Samples of the guide Concurrency")
struct ConcurrencyGuideTests {
    struct NoSuchAccount: Error {
        var name: String
    }

    func transfer(
        _ amount: Int, from source: String, to target: String,
        in writer: some DatabaseWriter
    ) throws {
        // BEGIN IMMEDIATE TRANSACTION
        // UPDATE account SET balance = balance + -10 WHERE name = 'savings'
        // UPDATE account SET balance = balance + 10 WHERE name = 'rent'
        // COMMIT TRANSACTION
        try writer.write { db in
            for (name, change) in [(source, -amount), (target, amount)] {
                try db.execute(
                    sql: "UPDATE account SET balance = balance + ? WHERE name = ?",
                    arguments: [change, name])
                guard db.changesCount == 1 else { throw NoSuchAccount(name: name) }
            }
        }
    }

    func rename(
        _ name: String, to newName: String, in writer: some DatabaseWriter
    ) async throws -> Int {
        try await writer.write { db in
            try db.execute(
                sql: "UPDATE account SET name = ? WHERE name = ?",
                arguments: [newName, name])
            return db.changesCount
        }
    }

    func total(in pool: DatabasePool) async throws -> Int {
        var total = 0
        let request: SQLRequest<Int> = "SELECT balance FROM account"
        for try await balance in request.fetchSequence(pool) {
            total += balance
        }
        return total
    }

    func balance(of name: String, _ db: Database) throws -> Int? {
        try Int.fetchOne(
            db, sql: "SELECT balance FROM account WHERE name = ?", arguments: [name])
    }

    private func withDatabases(_ body: (DatabaseQueue, DatabasePool) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("queue.sqlite")
        let otherPath = folder.path("pool.sqlite")
        let queue = try DatabaseQueue(path: path)
        let pool = try DatabasePool(path: otherPath)
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

    @Test("A transfer happens as a whole or not at all")
    func transfers() async throws {
        try await withDatabases { queue, pool in
            try checkTransfers(queue)
            try transfer(10, from: "savings", to: "rent", in: pool)
            try #expect(read(pool) { try balance(of: "rent", $0) } == 510)
        }
    }

    private func checkTransfers(_ queue: DatabaseQueue) throws {
        let (_, sql) = try queue.recordingSQL { try transfer(10, from: "savings", to: "rent", in: queue) }
        #expect(
            sql == [
                "BEGIN IMMEDIATE TRANSACTION",
                "UPDATE account SET balance = balance + -10 WHERE name = 'savings'",
                "UPDATE account SET balance = balance + 10 WHERE name = 'rent'",
                "COMMIT TRANSACTION",
            ])
        #expect(throws: NoSuchAccount.self) { try transfer(10, from: "savings", to: "rnt", in: queue) }
        try #expect(queue.read { try balance(of: "savings", $0) } == 1990)
    }

    @Test("A transaction reads and writes")
    func oneAccess() async throws {
        try await withDatabases { queue, _ in
            try twoAccesses(queue)
            try oneAccess(queue)
            try #expect(read(queue) { try balance(of: "rent", $0) } == 520)
        }
    }

    private func twoAccesses(_ queue: DatabaseQueue) throws {
        // Wrong: the balance may have changed when it is written.
        let balance = try queue.read { db in
            try Int.fetchOne(db, sql: "SELECT balance FROM account WHERE name = 'rent'") ?? 0
        }
        try queue.write { db in
            try db.execute(
                sql: "UPDATE account SET balance = ? WHERE name = 'rent'",
                arguments: [balance + 10])
        }
    }

    private func oneAccess(_ queue: DatabaseQueue) throws {
        // Right: one transaction.
        try queue.write { db in
            let balance =
                try Int.fetchOne(db, sql: "SELECT balance FROM account WHERE name = 'rent'")
                ?? 0
            try db.execute(
                sql: "UPDATE account SET balance = ? WHERE name = 'rent'",
                arguments: [balance + 10])
        }
    }

    @Test("A read sees one state")
    func oneState() async throws {
        try await withDatabases { _, pool in
            try oneState(pool)
        }
    }

    private func oneState(_ pool: DatabasePool) throws {
        let (count, total) = try pool.read { db in
            let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM account") ?? 0
            let total = try Int.fetchOne(db, sql: "SELECT sum(balance) FROM account") ?? 0
            return (count, total)  // of the same state
        }
        #expect(count == 2)
        #expect(total == 2500)
        #expect {
            try pool.read { try $0.execute(sql: "DELETE FROM account") }
        } throws: {
            DatabaseError.SQLITE_READONLY ~= $0
        }
    }

    @Test("A savepoint undoes a part of a transaction")
    func savepoints() async throws {
        try await withDatabases { queue, _ in
            try savepoint(queue)
        }
    }

    private func savepoint(_ queue: DatabaseQueue) throws {
        try queue.write { db in
            try db.execute(sql: "INSERT INTO log (text) VALUES ('import begins')")
            do {
                try db.inSavepoint {
                    try db.execute(
                        sql: "INSERT INTO account (name, balance) VALUES ('gifts', 5)")
                    // This one violates a unique key.
                    try db.execute(
                        sql: "INSERT INTO account (name, balance) VALUES ('gifts', 7)")
                    return .commit
                }
            } catch DatabaseError.SQLITE_CONSTRAINT {
                try db.execute(sql: "INSERT INTO log (text) VALUES ('import failed')")
            }
        }
        try queue.read { db in
            try #expect(String.fetchAll(db, sql: "SELECT text FROM log") == ["import begins", "import failed"])
            try #expect(balance(of: "gifts", db) == nil)
        }
    }

    @Test("Asynchronous accesses write, and read row by row")
    func asynchronous() async throws {
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

    @Test("Accesses don't nest, and functions that take a connection do")
    func nesting() async throws {
        try await withDatabases { queue, _ in
            try nesting(queue)
        }
    }

    private func nesting(_ queue: DatabaseQueue) throws {
        let isRich = try queue.read { db in
            try balance(of: "savings", db) ?? 0 > 1000
        }
        #expect(isRich)
        #expect {
            try queue.read { _ in try queue.read { try balance(of: "savings", $0) } }
        } throws: {
            DatabaseError.SQLITE_MISUSE ~= $0
        }
    }

    @Test("A snapshot keeps its state")
    func snapshots() async throws {
        try await withDatabases { _, pool in
            try snapshot(pool)
        }
    }

    private func snapshot(_ pool: DatabasePool) throws {
        let snapshot = try pool.makeSnapshot()
        try pool.write { db in try db.execute(sql: "DELETE FROM account") }
        let countBefore = try snapshot.read { db in
            try Int.fetchOne(db, sql: "SELECT count(*) FROM account")
        }
        #expect(countBefore == 2)
        try #expect(pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM account") } == 0)
    }
}
