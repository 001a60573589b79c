import Foundation
import Testing

@testable import SQLiteDriver

/// What commits do about the log of a pool, step by step.
@Suite struct LogStepTests {
    private let folder: TemporaryFolder
    private let pool: DatabasePool

    init() throws {
        folder = try TemporaryFolder()
        pool = try DatabasePool(path: folder.path("database.sqlite"))
        try pool.write { try $0.execute(sql: "CREATE TABLE t (x)") }
        try pool.checkpoint(.truncate)
    }

    private func makeCopier(bound: Int? = nil) throws -> LogCopier {
        try pool.writeWithoutTransaction { LogCopier(of: $0, bound: bound) }
    }

    /// Connections for a pass over the log of the pool.
    private func makeKeepers() throws -> LogCopier.Keepers {
        try pool.writeWithoutTransaction { (try LogKeeper(schema: "main", of: $0), nil) }
    }

    private func insert(_ count: Int) throws {
        for _ in 0..<count { try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") } }
    }

    @Test
    func `A commit asks for a pass, and copies a short rest, or as much as the last pass`() throws {
        let copier = try makeCopier()
        #expect(copier.didCommit(frameCount: 80, from: 80) == .pass)
        copier.didCopy(frameCount: 80, copiedFrameCount: 80)
        // An eighth of the length.
        #expect(copier.didCommit(frameCount: 90, from: 80) == .copy)
        #expect(copier.didCommit(frameCount: 91, from: 80) == .pass)
        #expect(copier.didCommit(frameCount: 159, from: 80) == .pass)
        #expect(copier.didCommit(frameCount: 160, from: 80) == .copy)
        copier.didBeginAgain()
        #expect(copier.didCommit(frameCount: 81, from: 80) == .pass)
    }

    @Test
    func `While a reader keeps the log, commits try again when it has grown`() throws {
        let copier = try makeCopier()
        _ = copier.didCommit(frameCount: 170, from: 80)
        copier.didCopy(frameCount: 170, copiedFrameCount: 100)
        // An eighth of the length.
        #expect(copier.didCommit(frameCount: 179, from: 80) == .nothing)
        #expect(copier.didCommit(frameCount: 180, from: 80) == .pass)
        // A sixty-fourth, if the rest is short.
        copier.didCopy(frameCount: 180, copiedFrameCount: 176)
        #expect(copier.didCommit(frameCount: 180, from: 80) == .nothing)
        #expect(copier.didCommit(frameCount: 181, from: 80) == .copy)
        #expect(copier.didCommit(frameCount: 187, from: 80) == .nothing)
    }

    @Test
    func `Reads end at the bound, when no more than the bound is left to copy`() throws {
        let copier = try makeCopier(bound: 100)
        func mustLetReadsEnd(at frameCount: Int) -> Bool {
            _ = copier.didCommit(frameCount: frameCount, from: 10)
            return copier.mustLetReadsEnd()
        }
        #expect(!mustLetReadsEnd(at: 99))
        #expect(mustLetReadsEnd(at: 100))
        // One attempt at a time.
        #expect(!mustLetReadsEnd(at: 101))
        copier.didLetReadsEnd(false)
        // The next one comes when the log has grown by the bound.
        copier.didCopy(frameCount: 101, copiedFrameCount: 101)
        #expect(!mustLetReadsEnd(at: 200))
        // Too much is left.
        #expect(!mustLetReadsEnd(at: 202))
        copier.didCopy(frameCount: 202, copiedFrameCount: 102)
        #expect(mustLetReadsEnd(at: 202))
        copier.didLetReadsEnd(true)
        #expect(!mustLetReadsEnd(at: 99))
        #expect(mustLetReadsEnd(at: 100))
    }

    @Test
    func `A pass that fails is reported until another one succeeds, and not repeated by the next commit`() throws {
        let copier = try makeCopier()
        try insert(3)
        #expect(copier.didCommit(frameCount: 80, from: 80) == .pass)
        copier.requestPass(try makeKeepers(), "no SQL", isSynced: true)
        yieldThread(until: "the pass has failed") { pool.status().checkpointError != nil }
        copier.end()
        #expect(pool.status().checkpointError == .SQLITE_ERROR)
        #expect(copier.didCommit(frameCount: 81, from: 80) == .nothing)
        #expect(copier.didCommit(frameCount: 90, from: 80) == .pass)
        copier.requestPass(nil, "", isSynced: true)
        yieldThread(until: "the pass has ended") { pool.status().checkpointError == nil }
        #expect(pool.status().lastCheckpoint?.copiedFrameCount == 3)
        copier.close()
        #expect(!copier.isOpen)
    }

    @Test
    func `A checkpoint that another connection runs is not an error`() {
        let figures = PublishedFigures()
        figures.didCheckpoint(ResultCode.SQLITE_IOERR_WRITE.rawValue, frameCount: 0, copiedFrameCount: 0)
        #expect(figures.checkpointError == .SQLITE_IOERR_WRITE && figures.checkpoint == nil)
        figures.didCheckpoint(ResultCode.SQLITE_BUSY.rawValue, frameCount: 0, copiedFrameCount: 0)
        #expect(figures.checkpointError == nil && figures.checkpoint == nil)
    }

    @Test
    func `What a pass has copied does not count after the log has begun again`() throws {
        let (threads, mayBegin) = (SharedThreads(count: 1), Semaphore("the pass may begin"))
        threads.run(on: DispatchQueue(label: "busy")) { mayBegin.wait() }
        var configuration = Configuration()
        configuration.sharedThreads = threads
        let other = try DatabasePool(path: pool.path, configuration: configuration)
        let copier = try other.writeWithoutTransaction { LogCopier(of: $0, bound: nil) }
        try insert(30)
        #expect(copier.didCommit(frameCount: 40, from: 40) == .pass)
        copier.requestPass(try makeKeepers(), "", isSynced: true)
        copier.didBeginAgain()
        _ = copier.didCommit(frameCount: 3, from: 40)
        mayBegin.signal()
        yieldThread(until: "the pass has ended") { other.status().lastCheckpoint?.frameCount == 30 }
        copier.end()
        #expect(copier.didCommit(frameCount: 33, from: 40) == .pass)
    }
}
