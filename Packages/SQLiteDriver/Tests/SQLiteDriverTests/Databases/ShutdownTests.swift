import Foundation
import SQLiteDriver
import Testing

/// `run(gracePeriod:)` and `shutDown()`.
@Suite struct ShutdownTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    enum Kind: CaseIterable {
        case memory
        case queue
        case pool

        var isFile: Bool { self != .memory }
        static let files: [Kind] = [.queue, .pool]
    }

    private func makeWriter(_ kind: Kind, _ change: (inout Configuration) -> Void = { _ in }) throws -> any DatabaseWriter {
        var configuration = Configuration()
        change(&configuration)
        let path = folder.path("a.sqlite")
        let writer: any DatabaseWriter =
            switch kind {
            case .memory: try DatabaseQueue(configuration: configuration)
            case .queue: try DatabaseQueue(path: path, configuration: configuration)
            case .pool: try DatabasePool(path: path, configuration: configuration)
            }
        try writer.write { try $0.execute(sql: "CREATE TABLE t (a INTEGER)") }
        return writer
    }

    private func run(_ writer: any DatabaseWriter, _ gracePeriod: Duration = .seconds(waitLimit)) async throws {
        if let pool = writer as? DatabasePool { try await pool.run(gracePeriod: gracePeriod) }
        if let queue = writer as? DatabaseQueue { try await queue.run(gracePeriod: gracePeriod) }
    }

    private func shutDown(_ writer: any DatabaseWriter) {
        (writer as? DatabasePool)?.shutDown()
        (writer as? DatabaseQueue)?.shutDown()
    }

    private func isShuttingDown(_ writer: any DatabaseWriter) -> Bool {
        ((writer as? DatabasePool)?.status() ?? (writer as? DatabaseQueue)?.status())?.isShuttingDown == true
    }

    private static let endless = "SELECT count(*) FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n)"

    /// The rows in the file, and the names of the files in the folder.
    private func left() throws -> (rows: [Int64], files: [String]) {
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path("")).sorted()
        return (try DatabaseQueue(path: folder.path("a.sqlite")).read { try $0.integers("SELECT a FROM t ORDER BY a") }, files)
    }

    @Test(arguments: Kind.allCases, ["shutDown", "cancel", "before"])
    func `A database serves until it is asked to shut down, and is closed then`(_ kind: Kind, _ end: String) async throws {
        let writer = try makeWriter(kind)
        if end == "before" { shutDown(writer) }
        let service = Task { try await run(writer) }
        if end != "before" {
            try await writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
            if end == "cancel" { service.cancel() } else { shutDown(writer) }
        }
        let result = await service.result
        if end == "cancel" {
            #expect(throws: CancellationError.self) { try result.get() }
        } else {
            #expect(throws: Never.self) { try result.get() }
        }
        await #expect(throws: DatabaseUnavailableError(reason: .shuttingDown)) { try await writer.read { _ in } }
        await #expect(throws: DatabaseUnavailableError(reason: .shuttingDown)) { try await writer.write { _ in } }
        if kind.isFile {
            let left = try left()
            #expect(left.rows == (end == "before" ? [] : [1]))
            #expect(left.files == ["a.sqlite"])
        }
    }

    @Test(arguments: Kind.allCases)
    func `Accesses that were requested before run to their ends, and later ones are refused`(_ kind: Kind) async throws {
        let writer = try makeWriter(kind) { $0.maximumReaderCount = 1 }
        let begun = Semaphore("the first write has begun")
        let isFree = Semaphore("the test lets the first write end")
        let ended = Collector<Bool>()
        writer.asyncWrite { db in
            begun.signal(); isFree.wait()
            // Accesses inside this one are not refused.
            if kind == .pool { #expect(try writer.read { try $0.integers("SELECT a FROM t") } == []) }
            try db.execute(sql: "INSERT INTO t VALUES (1)")
        } completion: {
            ended.append($1.failure == nil)
        }
        await begun.signalled()
        writer.asyncWrite {
            try $0.execute(sql: "INSERT INTO t VALUES (2)")
        } completion: {
            ended.append($1.failure == nil)
        }
        let reads = kind == .pool ? 2 : 1
        for _ in 0..<reads { writer.asyncRead { result in ended.append((try? result.get().integers("SELECT a FROM t")) != nil) } }
        let service = Task { try await run(writer) }
        shutDown(writer)
        await onAThread { yieldThread(until: "the database shuts down") { isShuttingDown(writer) } }
        await #expect(throws: DatabaseUnavailableError(reason: .shuttingDown)) { try await writer.write { _ in } }
        await #expect(throws: DatabaseUnavailableError(reason: .shuttingDown)) { try await writer.read { _ in } }
        isFree.signal()
        try await service.value
        #expect(ended.all == Array(repeating: true, count: 2 + reads))
        if kind.isFile { #expect(try left().rows == [1, 2]) }
    }

    @Test(arguments: Kind.allCases, [true, false])
    func `After the grace period, statements throw, transactions are rolled back, and the database is closed`(
        _ kind: Kind, _ isLong: Bool
    ) async throws {
        let writer = try makeWriter(kind)
        try await writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        let begun = Semaphore("the write has begun")
        let errors = Collector<(any Error)?>()
        writer.asyncWrite { db in
            try db.execute(sql: "INSERT INTO t VALUES (2)")
            begun.signal()
            // One endless statement, or short statements without an end.
            if isLong { _ = try db.integers(Self.endless) }
            while true { try db.execute(sql: "INSERT INTO t VALUES (3)") }
        } completion: {
            errors.append($1.failure)
        }
        await begun.signalled()
        // It waits, and never runs.
        writer.asyncWrite {
            try $0.execute(sql: "INSERT INTO t VALUES (4)")
        } completion: {
            errors.append($1.failure)
        }
        let service = Task { try await run(writer, .milliseconds(50)) }
        shutDown(writer)
        try await service.value
        #expect(errors.all.map { ($0 as? DatabaseError)?.resultCode } == [.SQLITE_INTERRUPT, .SQLITE_INTERRUPT])
        if kind.isFile {
            let left = try left()
            #expect(left.rows == [1])
            #expect(left.files == ["a.sqlite"])
        }
    }

    @Test(arguments: Kind.allCases)
    func `A closure that does not end is reported, and what was committed is safe`(_ kind: Kind) async throws {
        let writer = try makeWriter(kind)
        let begun = Semaphore("the access has begun")
        let isFree = Semaphore("the test lets the access end")
        let hasEnded = Semaphore("the access has ended")
        writer.asyncWriteWithoutTransaction { db in
            #expect(throws: Never.self) { try db.execute(sql: "INSERT INTO t VALUES (1)") }
            begun.signal(); isFree.wait()
            #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO t VALUES (2)") }
            hasEnded.signal()
        }
        await begun.signalled()
        shutDown(writer)
        let error = await #expect(throws: DatabaseError.self) { try await run(writer, .zero) }
        #expect(error?.resultCode == .SQLITE_BUSY && error?.advice != nil)
        isFree.signal()
        await hasEnded.signalled()
        if kind.isFile { #expect(try left().rows == [1]) }
    }

    @Test(arguments: Kind.files)
    func `Acknowledged writes under load are in the file after the shutdown, and no others`(_ kind: Kind) async throws {
        let writer = try makeWriter(kind)
        let acknowledged = Collector<Int64>()
        let service = Task { try await run(writer, .milliseconds(20)) }
        await withTaskGroup(of: Void.self) { group in
            for task in Int64(0)..<8 {
                group.addTask {
                    for number in Int64(0)... {
                        let id = task * 1_000_000 + number
                        do {
                            try await writer.write { try $0.execute(sql: "INSERT INTO t VALUES (?)", arguments: [id]) }
                            acknowledged.append(id)
                        } catch is DatabaseUnavailableError {
                            return
                        } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
                            continue
                        } catch {
                            Issue.record(error)
                            return
                        }
                    }
                }
            }
            await acknowledged.wait(count: 100)
            shutDown(writer)
        }
        try await service.value
        let left = try left()
        #expect(left.rows == acknowledged.all.sorted())
        #expect(left.files == ["a.sqlite"])
    }

    @Test
    func `Reads that still wait after the grace period are refused`() async throws {
        let pool = try #require(try makeWriter(.pool) { $0.maximumReaderCount = 1 } as? DatabasePool)
        let begun = Semaphore("the read has begun")
        let results = Collector<String>()
        @Sendable func note(_ error: (any Error)?) {
            let isInterruption = (error as? DatabaseError)?.resultCode == .SQLITE_INTERRUPT
            results.append(error is DatabaseUnavailableError ? "refused" : isInterruption ? "interrupted" : "other")
        }
        pool.asyncRead { result in
            begun.signal()
            do {
                _ = try result.get().integers(Self.endless)
                note(nil)
            } catch {
                note(error)
            }
        }
        await begun.signalled()
        pool.asyncRead { note($0.failure) }
        let waiting = Task {
            do {
                try await pool.read { _ in }
                note(nil)
            } catch {
                note(error)
            }
        }
        await onAThread { yieldThread(until: "two reads wait") { pool.status().readers.waitingCount == 2 } }
        let service = Task { try await run(pool, .milliseconds(50)) }
        shutDown(pool)
        try await service.value
        await waiting.value
        let all = await results.wait(count: 3).sorted()
        #expect(all == ["interrupted", "refused", "refused"])
    }

    /// An access that was not refused runs before the database is closed, whatever happens in between.
    @Test(arguments: Kind.allCases, [false, true])
    func `Accesses that begin while the database closes run, or say that it shuts down`(_ kind: Kind, _ isBlocking: Bool) async throws {
        for _ in 1...20 {
            let writer = try makeWriter(kind)
            let begun = Semaphore("an access begins")
            let errors = Collector<any Error>()
            let users = 16
            for user in 0..<users {
                let isRead = user.isMultiple(of: 2)
                if isBlocking {
                    Thread.detachNewThread {
                        begun.signal()
                        do {
                            while true { try isRead ? writer.read { _ in } : writer.write { _ in } }
                        } catch {
                            errors.append(error)
                        }
                    }
                } else {
                    Task {
                        begun.signal()
                        do {
                            while true { try await isRead ? writer.read { _ in } : writer.write { _ in } }
                        } catch {
                            errors.append(error)
                        }
                    }
                }
            }
            for _ in 0..<users { await begun.signalled() }
            shutDown(writer)
            try await run(writer)
            for error in await errors.wait(count: users) { #expect(error is DatabaseUnavailableError, "\(error)") }
            if kind.isFile { try FileManager.default.removeItem(atPath: folder.path("a.sqlite")) }
        }
    }
}
