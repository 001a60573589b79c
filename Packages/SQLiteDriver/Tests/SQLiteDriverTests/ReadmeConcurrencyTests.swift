import Foundation
import SQLiteDriver
import Testing

// The README's samples of accesses from many places, of other processes, and of observers.

private func countBooks(_ db: Database) throws -> Int64 {
    let statement = try db.cachedStatement(sql: "SELECT count(*) FROM book")
    return try statement.step() ? statement.int64(at: 0) ?? 0 : 0
}

@Suite struct ReadmeConcurrencyTests {
    let folder: TemporaryFolder
    let pool: DatabasePool

    init() throws {
        folder = try TemporaryFolder()
        pool = try DatabasePool(path: folder.path("library.sqlite"))
        try pool.makeBooks()
    }

    @Test("Blocking accesses")
    func blockingAccesses() throws {
        func countBooks(_ db: Database) throws -> Int64 {
            let statement = try db.cachedStatement(sql: "SELECT count(*) FROM book")
            return try statement.step() ? statement.int64(at: 0) ?? 0 : 0
        }

        let count = try pool.read(countBooks)
        #expect(count == 2)
    }

    @Test("Accesses with await")
    func accessesForAwait() async throws {
        let count = try await pool.write { db in
            try db.execute(sql: "INSERT INTO book (title) VALUES ('Ulysses')")
            return try countBooks(db)
        }
        #expect(count == 3)
    }

    @Test("Accesses with a callback")
    func accessesWithACallback() {
        let output = ReadmeOutput()
        let isPrinted = DispatchSemaphore(value: 0)
        @Sendable func print(_ item: Any) {
            output.print(item)
            isPrinted.signal()
        }

        pool.asyncRead { result in
            do {
                print("\(try countBooks(result.get())) books")
            } catch {
                print("no access: \(error)")
            }
        }
        isPrinted.wait()
        #expect(output.lines == ["2 books"])
    }

    @Test("Snapshots and concurrent reads")
    func snapshotsAndConcurrentReads() throws {
        let output = ReadmeOutput()
        let isPrinted = DispatchSemaphore(value: 0)
        @Sendable func print(_ item: Any) {
            output.print(item)
            isPrinted.signal()
        }
        try pool.write { try $0.execute(sql: "INSERT INTO book (title) VALUES ('Ulysses')") }

        let snapshot = try pool.makeSnapshot()
        try pool.writeWithoutTransaction { db in
            try db.execute(sql: "DELETE FROM book WHERE title = 'Ulysses'")
            pool.spawnConcurrentRead { result in
                print((try? countBooks(result.get())) ?? -1)  // without 'Ulysses', with the others
            }
            try db.execute(sql: "DELETE FROM book")
        }
        let countBeforeAll = try snapshot.read(countBooks)

        #expect(countBeforeAll == 3)
        isPrinted.wait()
        #expect(output.lines == ["2"])
        #expect(try pool.read(countBooks) == 0)
    }

    @Test("A read of a pool inside its write is possible and one of a queue is not")
    func aReadOfAPoolInsideItsWriteIsPossibleAndOneOfAQueueIsNot() throws {
        try pool.write { db in
            try db.execute(sql: "DELETE FROM book")
            let count = try pool.read(countBooks)
            #expect(count == 2)
            expectError(.SQLITE_MISUSE) { try pool.write { _ in } }
        }
        let queue = try DatabaseQueue()
        try queue.write { _ in
            _ = expectError(.SQLITE_MISUSE) { try queue.read { _ in } }
        }
    }

    @Test("Busy callbacks")
    func busyCallbacks() throws {
        var configuration = Configuration()
        // The sample's own `Thread` need not sleep.
        enum Thread {
            static func sleep(forTimeInterval seconds: Double) { #expect(seconds == 0.01) }
        }

        configuration.busyMode = .callback { numberOfTries in
            Thread.sleep(forTimeInterval: 0.01)
            return numberOfTries < 100
        }

        guard case .callback(let callback) = configuration.busyMode else {
            Issue.record("It is another mode.")
            return
        }
        #expect(callback(99))
        #expect(!callback(100))
    }

    @Test("Observers")
    func observers() throws {
        let queue = try DatabaseQueue()
        try queue.makeBooks()

        let observer = BookObserver()
        queue.add(transactionObserver: observer)  // for as long as someone keeps it; extent: says otherwise

        try queue.write { db in
            try db.execute(sql: "UPDATE book SET year = year + 1")
            db.afterNextTransaction { _ in print("committed") }
        }

        withExtendedLifetime(observer) {}

        let region = try queue.read { db in
            try db.recordingAccesses { try db.makeStatement(sql: "SELECT title FROM book").run() }.region
        }
        print("\(region)")  // book(title)
        print("\(region.intersection(DatabaseRegion(table: "book", rowIds: [1, 2])))")  // book(title)[1,2]

        #expect(observed.lines == ["2 books have changed", "committed", "book(title)", "book(title)[1,2]"])
    }
}

private let observed = ReadmeOutput()
private func print(_ item: String) { observed.print(item) }

final class BookObserver: TransactionObserver {
    private var count = 0

    func observes(eventsOfKind kind: DatabaseEventKind) -> Bool { kind.tableName == "book" }
    func databaseDidChange(with event: DatabaseEvent) { count += 1 }
    func databaseDidRollback(_ db: Database) { count = 0 }
    func databaseDidCommit(_ db: Database) {
        if count > 0 { print("\(count) books have changed") }
        count = 0
    }
}
