import Foundation
import SQLiteDriver
import Testing

@Suite struct CommitCounterTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func withWriters(_ body: (any DatabaseWriter) throws -> Void) throws {
        try body(DatabaseQueue())
        try body(DatabaseQueue(path: folder.path("queue.sqlite")))
        try body(DatabasePool(path: folder.path("pool.sqlite")))
    }

    @Test
    func `Commits are counted, and reads are not`() throws {
        try withWriters { writer in
            try writer.write { try $0.execute(sql: "CREATE TABLE t (a UNIQUE)") }
            let counter = try writer.read { $0.commitCounter }
            func isCounted(_ body: () throws -> Void) throws -> Bool {
                let count = counter.value
                try body()
                return counter.value != count
            }
            let write = try isCounted { try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") } }
            let statement = try isCounted { try writer.writeWithoutTransaction { try $0.execute(sql: "INSERT INTO t VALUES (2)") } }
            let abandonedStatement = try isCounted {
                try writer.writeWithoutTransaction {
                    _ = try $0.makeStatement(sql: "INSERT INTO t VALUES (3), (4) RETURNING a").step()
                }
            }
            #expect([write, statement, abandonedStatement] == [true, true, true])
            let read = try isCounted { _ = try writer.read { try $0.integers("SELECT a FROM t") } }
            let unsafeRead = try isCounted { _ = try writer.unsafeRead { try $0.integers("SELECT a FROM t") } }
            let writerRead = try isCounted { _ = try writer.writeWithoutTransaction { try $0.integers("SELECT a FROM t") } }
            let failure = try isCounted {
                expectError(.SQLITE_CONSTRAINT) { try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (5), (1)") } }
            }
            #expect([read, unsafeRead, writerRead, failure] == [false, false, false, false])
            #expect(try writer.read { try $0.integers("SELECT count(*) FROM t") } == [4])
        }
    }

    @Test
    func `A commit is running from its begin until it is counted`() throws {
        final class Observer: TransactionObserver {
            let counter: CommitCounter
            var log: [String] = []
            init(_ counter: CommitCounter) { self.counter = counter }
            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
            func databaseDidChange(with event: DatabaseEvent) { log.append("change \(counter.isCommitInProgress)") }
            func databaseWillCommit() { log.append("will \(counter.isCommitInProgress)") }
            func databaseDidCommit(_ db: Database) { log.append("did \(counter.isCommitInProgress)") }
            func databaseDidRollback(_ db: Database) { log.append("rollback \(counter.isCommitInProgress)") }
        }
        try withWriters { writer in
            let counter = try writer.write { db in
                try db.execute(sql: "CREATE TABLE t (a)")
                return db.commitCounter
            }
            #expect(!counter.isCommitInProgress)
            let observer = Observer(counter)
            writer.add(transactionObserver: observer, extent: .databaseLifetime)
            try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
            #expect(observer.log == ["change false", "will true", "did false"])
            observer.log = []
            try writer.writeWithoutTransaction { db in
                try db.inTransaction {
                    try db.execute(sql: "INSERT INTO t VALUES (2)")
                    return .rollback
                }
            }
            #expect(observer.log == ["change false", "rollback false"])
            #expect(!counter.isCommitInProgress)
        }
    }

    @Test
    func `A commit is counted before the access ends where the program asks for the counter`() throws {
        try withWriters { writer in
            try writer.writeWithoutTransaction { (db) throws in
                let counts = try (0..<3).map { number in
                    try db.execute(sql: "CREATE TABLE t\(number) (a)")
                    return db.commitCounter.value
                }
                #expect(Set(counts).count == 3)
                try db.beginTransaction()
                try db.execute(sql: "DROP TABLE t0")
                #expect(db.commitCounter.value == counts[2])
                try db.commit()
                #expect(db.commitCounter.value > counts[2])
            }
        }
    }

    @Test(arguments: 1...4)
    func `Equal counts prove that a read has seen all commits`(_ seed: UInt64) throws {
        let pool = try DatabasePool(path: folder.path("pool.sqlite"))
        try pool.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (0)") }
        let isDone = Semaphore("the thread that writes has ended")
        let writing = Thread {
            var random = SeededGenerator(seed: seed)
            for _ in 0..<300 {
                if Bool.random(using: &random) {
                    try? pool.write { try $0.execute(sql: "UPDATE t SET a = a + 1") }
                } else {
                    try? pool.writeWithoutTransaction { db in
                        for _ in 0..<3 { try db.execute(sql: "UPDATE t SET a = a + 1") }
                    }
                }
            }
            isDone.signal()
        }
        writing.start()
        for _ in 0..<300 {
            let (count, value) = try pool.read { db in
                let count = db.commitCounter.value
                return (count, try db.integers("SELECT a FROM t"))
            }
            try pool.writeWithoutTransaction { (db) throws in
                if db.commitCounter.value == count { #expect(try db.integers("SELECT a FROM t") == value) }
            }
        }
        isDone.wait()
        let (count, value) = try pool.read { db in (db.commitCounter.value, try db.integers("SELECT a FROM t")) }
        try pool.writeWithoutTransaction { (db) throws in
            #expect(db.commitCounter.value == count)
            #expect(try db.integers("SELECT a FROM t") == value)
        }
    }

    @Test(arguments: [false, true])
    func `The data version changes by commits of other connections`(isPool: Bool) throws {
        let path = folder.path("shared.sqlite")
        let other = try DatabasePool(path: path)
        try other.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        let writer: any DatabaseWriter = isPool ? try DatabasePool(path: path) : try DatabaseQueue(path: path)
        func version() throws -> Int64 { try writer.writeWithoutTransaction { try $0.dataVersion() } }
        let first = try version()
        try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        #expect(try version() == first)
        let count = try writer.read { $0.commitCounter.value }
        try other.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        #expect(try version() != first)
        #expect(try writer.read { $0.commitCounter.value } == count)
        if isPool {
            let before = try writer.read { try $0.dataVersion() }
            try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (3)") }
            #expect(try writer.read { try $0.dataVersion() } != before)
        }
    }
}
