import Foundation
import SQLiteDriver
import Testing

/// `Configuration.maximumWaitingAccesses`.
@Suite struct WaitingLimitTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    enum Kind: CaseIterable {
        case queue
        case pool
    }

    private func makeWriter(_ kind: Kind, _ limit: Int) throws -> any DatabaseWriter {
        var configuration = Configuration()
        configuration.maximumWaitingAccesses = limit
        configuration.maximumReaderCount = 1
        let path = folder.path("a.sqlite")
        let writer: any DatabaseWriter =
            kind == .queue
            ? try DatabaseQueue(path: path, configuration: configuration) : try DatabasePool(path: path, configuration: configuration)
        try writer.write { try $0.execute(sql: "CREATE TABLE t (a INTEGER)") }
        return writer
    }

    private func status(of writer: any DatabaseWriter) -> DatabaseStatus? {
        (writer as? DatabasePool)?.status() ?? (writer as? DatabaseQueue)?.status()
    }

    @Test(arguments: Kind.allCases, [0, 1, 3])
    func `Writes beyond the limit are refused immediately, and the others run`(_ kind: Kind, _ limit: Int) async throws {
        let writer = try makeWriter(kind, limit)
        let isBusy = Semaphore("the first write has begun")
        let isFree = Semaphore("the test lets the first write end")
        writer.asyncWriteWithoutTransaction { _ in
            isBusy.signal(); isFree.wait()
        }
        await isBusy.signalled()
        let ended = Collector<Bool>()
        for number in 0..<limit {
            writer.asyncWrite(timeout: .seconds(waitLimit)) {
                try $0.execute(sql: "INSERT INTO t VALUES (?)", arguments: [number])
            } completion: {
                ended.append($0.failure == nil)
            }
        }
        #expect(status(of: writer)?.writer.waitingCount == limit)
        let refusal = DatabaseUnavailableError(reason: .tooManyWaiting(limit: limit))
        func blocking() { #expect(throws: refusal) { try writer.write { _ in } } }
        blocking()
        await #expect(throws: refusal) { try await writer.write { _ in } }
        let refused = Collector<(any Error)?>()
        writer.asyncWrite(timeout: .seconds(waitLimit)) { _ in
        } completion: {
            refused.append($0.failure)
        }
        writer.asyncBarrierWriteWithoutTransaction { refused.append($0.failure) }
        #expect(await refused.wait(count: 2).allSatisfy { $0 as? DatabaseUnavailableError == refusal })
        #expect(refusal.description.contains("as many accesses wait"))
        isFree.signal()
        #expect(await ended.wait(count: limit) == Array(repeating: true, count: limit))
        await onAThread { yieldThread(until: "the last access has ended") { status(of: writer)?.writer.isUsed == false } }
        try await writer.write { try $0.execute(sql: "INSERT INTO t VALUES (99)") }
        #expect(try await writer.read { try $0.integers("SELECT a FROM t ORDER BY a") } == (0..<Int64(limit)) + [99])
    }

    @Test(arguments: [0, 2])
    func `Reads beyond the limit are refused, except inside other accesses`(_ limit: Int) async throws {
        let pool = try #require(try makeWriter(.pool, limit) as? DatabasePool)
        let isBusy = Semaphore("the first read has begun")
        let isFree = Semaphore("the test lets the first read end")
        pool.asyncRead { _ in
            isBusy.signal(); isFree.wait()
        }
        await isBusy.signalled()
        let ended = Collector<Bool>()
        for _ in 0..<limit { pool.asyncRead { ended.append($0.failure == nil) } }
        #expect(pool.status().readers.waitingCount == limit)
        func blocking() throws {
            #expect(throws: DatabaseUnavailableError.self) { try pool.read { _ in } }
            // Others may wait for the write, so its read is not refused.
            let counts = try pool.write { _ in try pool.read { try $0.integers("SELECT count(*) FROM t") } }
            #expect(counts == [0])
        }
        try blocking()
        await #expect(throws: DatabaseUnavailableError.self) { try await pool.unsafeRead { _ in } }
        isFree.signal()
        #expect(await ended.wait(count: limit) == Array(repeating: true, count: limit))
        await onAThread { yieldThread(until: "the last read has ended") { pool.status().readers.usedCount == 0 } }
        #expect(try await pool.read { try $0.integers("SELECT count(*) FROM t") } == [0])
    }
}
