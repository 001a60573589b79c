import DatabaseFiles
import Foundation
import Testing

struct DeletionTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test
    func `A file is deleted when nobody uses it`() async throws {
        let files = try DatabaseFolder.ofTexts(folder)
        try files.insert("1", "a")
        let (hasBegun, mayEnd) = (Semaphore("the use has begun"), Semaphore("the use may end"))
        files.asyncRead("a") { _ in
            hasBegun.signal()
            mayEnd.wait()
        }
        await hasBegun.signalled()
        let results = Collector<Bool>()
        files.asyncDelete("a") { results.append((try? $0.get()) == true) }
        // A later call waits for the deletion, and makes a new file.
        let later = Task { try await files.write("a", creating: true) { try $0.texts("SELECT text FROM t") } }
        await yieldTask(until: "a waiting call") { files.status().waitingCount == 1 }
        #expect(results.all == [])
        mayEnd.signal()
        #expect(await results.wait(count: 1) == [true])
        #expect(try await later.value == [])
        #expect(try await files.delete("a"))
        #expect(try await files.delete("a") == false)
        #expect(try folder.fileNames() == [])
    }

    @Test
    func `A deletion that waits ends with its time and its task, and the file can be used`() async throws {
        let files = try DatabaseFolder.ofTexts(folder)
        try files.insert("1", "a")
        let lease = try await files.lease("a")
        await #expect(throws: DatabaseTimeoutError.self) { try await files.delete("a", timeout: .milliseconds(20)) }
        let task = Task { try await files.delete("a") }
        let reading = Task {
            // Waits for the deletion, if that has been requested.
            try await files.read("a") { try $0.texts("SELECT text FROM t") }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await reading.value == ["1"])
        #expect(try await lease.read { try $0.texts("SELECT text FROM t") } == ["1"])
    }

    @Test
    func `The caller's own use does not wait for its deletion`() throws {
        let files = try DatabaseFolder.ofTexts(folder)
        try files.insert("1", "a")
        try files.use("a") { _ in expectFileError(.inUse) { try files.delete("a") } }
        try files.read("a") { _ in expectFileError(.inUse) { try files.delete("a") } }
        #expect(try files.delete("a"))
    }

    @Test
    func `A file that another connection has open is in use`() throws {
        let files = try DatabaseFolder.ofTexts(folder)
        try files.insert("1", "a")
        let other = try DatabasePool(path: try files.path(of: "a"))
        expectFileError(.inUse) { try files.delete("a") }
        #expect(try files.texts("a") == ["1"])
        try other.close()
        #expect(try files.delete("a"))
        expectFileError(.notFound) { try files.texts("a") }
    }

    @Test
    func `Two folders of one process don't delete each other's files`() throws {
        let (files, others) = (try DatabaseFolder.ofTexts(folder), try DatabaseFolder.ofTexts(folder) { $0.idleTime = .milliseconds(10) })
        try files.insert("1", "a")
        #expect(try others.texts("a") == ["1"])
        expectFileError(.inUse) { try others.delete("a") }
        #expect(try files.texts("a") == ["1"])
        others.waitForOpenCount(0)
        #expect(try files.delete("a"))
        expectFileError(.notFound) { try others.texts("a") }
    }

    @Test
    func `A deletion waits while another folder opens the file`() throws {
        let files = try DatabaseFolder.ofTexts(folder)
        try files.insert("1", "a")
        // A call inside an access does not wait for a lease.
        yieldThread(until: "the end of the lease") { files.status().usedCount == 0 }
        let hasDeleted = Semaphore("the deletion has ended")
        let isFirst = Locked(true)
        var configuration = DatabaseFolder.defaultConfiguration
        configuration.prepareDatabase { _ in
            guard
                isFirst.withLock({ first in
                    defer { first = false }; return first
                })
            else { return }
            files.asyncDelete("a") { result in
                #expect { try result.get() } throws: { ($0 as? DatabaseFileError)?.reason == .inUse }
                hasDeleted.signal()
            }
            #expect(!hasDeleted.isSignalled(within: .milliseconds(200)))
        }
        let others = try DatabaseFolder.ofTexts(folder, configuration)
        let texts = try others.use("a") { lease in
            hasDeleted.wait()
            return try lease.read { try $0.texts("SELECT text FROM t") }
        }
        #expect(texts == ["1"])
    }

    /// A folder in which the next deletion runs a closure before it removes a file: it has left the WAL mode then, and has an exclusive lock.
    private func makeFolder(_ next: Locked<(@Sendable () -> Void)?>) throws -> DatabaseFolder {
        var configuration = DatabaseFolder.defaultConfiguration
        configuration.busyMode = .immediateError
        configuration.prepareDatabase { db in
            db.trace { if "\($0)" == "PRAGMA main.journal_mode" { next.withLock { $0.take() }?() } }
        }
        return try DatabaseFolder.ofTexts(folder, configuration) { $0.idleTime = .zero }
    }

    @Test
    func `A file that takes the place of another one during its deletion is not removed`() throws {
        let next = Locked<(@Sendable () -> Void)?>(nil)
        let files = try makeFolder(next)
        try files.insert("old", "a")
        files.waitForOpenCount(0)
        let (path, newPath) = (try files.path(of: "a"), folder.path("new"))
        let new = try DatabaseQueue(path: newPath)
        try new.write { try $0.execute(sql: "CREATE TABLE t (text TEXT); INSERT INTO t VALUES ('new')") }
        next.value = { _ = rename(newPath, path) }
        // The deletion finds the new file, and that it is in use.
        try new.inTransaction(.immediate) { _ in
            expectFileError(.inUse) { try files.delete("a") }
            return .rollback
        }
        try new.close()
        #expect(next.withLock { $0 == nil })
        #expect(try files.texts("a") == ["new"])
    }

    @Test
    func `No other connection writes to a file while it is removed`() throws {
        let next = Locked<(@Sendable () -> Void)?>(nil)
        let files = try makeFolder(next)
        try files.insert("1", "a")
        files.waitForOpenCount(0)
        let path = try files.path(of: "a")
        let write = Locked<Result<Void, any Error>?>(nil)
        next.value = {
            write.value = Result {
                var configuration = Configuration()
                configuration.busyMode = .immediateError
                let other = try DatabaseQueue(path: path, configuration: configuration)
                try other.write { try $0.execute(sql: "INSERT INTO t VALUES ('lost')") }
            }
        }
        #expect(try files.delete("a"))
        let result = try #require(write.value)
        expectError(.SQLITE_BUSY) { try result.get() }
        #expect(try folder.fileNames() == [])
    }

    @Test
    func `A failure that is remembered ends with the file`() throws {
        let files = try DatabaseFolder(path: folder.path) { db in
            if try db.read({ try $0.tableExists("bad") }) { throw TestError() }
        }
        let queue = try DatabaseQueue(path: files.path(of: "a"))
        try queue.write { try $0.execute(sql: "CREATE TABLE bad (a)") }
        try queue.close()
        #expect(throws: TestError.self) { try files.read("a") { _ in } }
        #expect(try files.delete("a"))
        try files.write("a", creating: true) { _ in }
    }
}
