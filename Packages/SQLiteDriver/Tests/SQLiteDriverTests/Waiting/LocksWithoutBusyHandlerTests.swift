import Foundation
import SQLiteDriver
import Testing

/// SQLite calls no busy handler for the lock of a checkpoint, or for the lock of a transaction while the journal mode changes. The driver
/// waits for both as the busy mode says.
@Suite struct LocksWithoutBusyHandlerTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("database.sqlite")
    }

    private func configuration(_ busyMode: Database.BusyMode) -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = busyMode
        return configuration
    }

    // MARK: Checkpoints

    /// Runs a closure while another connection is in the middle of a checkpoint, where it waits for a reader.
    ///
    /// - Parameter body: gets a closure that ends the checkpoint.
    private func duringCheckpoint(_ body: (_ end: @escaping @Sendable () -> Void) throws -> Void) throws {
        let isUnderWay = Semaphore("the checkpoint waits for the reader")
        let goOn = Semaphore("the test lets the checkpoint end")
        let ended = Semaphore("the checkpoint has ended")
        let pool = try DatabasePool(
            path: path,
            configuration: configuration(
                .callback { _ in
                    isUnderWay.signal()
                    goOn.wait()
                    return false
                }))
        try pool.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
        try pool.read { reader in
            _ = try reader.integers("SELECT a FROM t")
            try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
            Thread.detachNewThread {
                // The reader prevents a complete checkpoint.
                _ = try? pool.checkpoint(.truncate)
                ended.signal()
            }
            isUnderWay.wait()
            let isOver = Box(false)
            let end = { @Sendable in
                if isOver.value { return }
                isOver.value = true
                goOn.signal()
                ended.wait()
            }
            defer { end() }
            try body(end)
        }
    }

    @Test(arguments: Database.CheckpointMode.allCases)
    func `A checkpoint waits for a checkpoint of another connection`(_ mode: Database.CheckpointMode) throws {
        try duringCheckpoint { end in
            let tries = Box<[Int]>([])
            let second = try DatabaseQueue(
                path: path,
                configuration: configuration(
                    .callback { number in
                        tries.value.append(number)
                        if number == 2 { end() }
                        return number < 5
                    }))
            if mode == .passive {
                #expect(try second.checkpoint(mode).walFrameCount > 0)
                #expect(tries.value == [0, 1, 2])
            } else {
                // Then it waits for the reader, which continues: the waits for both count as one.
                expectError(.SQLITE_BUSY) { try second.checkpoint(mode) }
                #expect(tries.value == [0, 1, 2, 3, 4, 5])
            }
        }
    }

    @Test
    func `A checkpoint of all databases waits for a checkpoint of another connection`() throws {
        try duringCheckpoint { end in
            let tries = Box(0)
            let second = try DatabaseQueue(
                path: folder.path("other.sqlite"),
                configuration: configuration(
                    .callback { _ in
                        tries.value += 1
                        end()
                        return true
                    }))
            try second.writeWithoutTransaction { db in
                try db.execute(sql: "ATTACH ? AS shared", arguments: [path])
                #expect(try db.checkpoint(.passive, on: nil) == (-1, -1))
                #expect(tries.value == 1)
                #expect(try db.checkpoint(.passive, on: "shared").walFrameCount > 0)
            }
        }
    }

    @Test(arguments: [Database.BusyMode.immediateError, .timeout(0), .timeout(0.02), .callback { $0 < 3 }])
    func `The wait for a checkpoint times out`(_ busyMode: Database.BusyMode) throws {
        try duringCheckpoint { _ in
            let second = try DatabaseQueue(path: path, configuration: configuration(busyMode))
            let error = expectError(.SQLITE_BUSY) { try second.checkpoint() }
            #expect(error?.description.contains("wait longer with Configuration.busyMode") == true)
            // The connection can be used.
            #expect(try second.read { try $0.integers("SELECT a FROM t") } == [1, 2])
        }
    }

    @Test
    func `The wait for a checkpoint ends with the task`() async throws {
        let path = path
        let isUnderWay = Semaphore("the checkpoint waits for the snapshot")
        let goOn = Semaphore("the test lets the checkpoint end")
        let ended = Semaphore("the checkpoint has ended")
        let first = try DatabasePool(
            path: path,
            configuration: configuration(
                .callback { _ in
                    isUnderWay.signal()
                    goOn.wait()
                    return false
                }))
        try await first.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
        let task = Box<Task<Void, any Error>?>(nil)
        let hasTask = Semaphore("the callback knows its task")
        let second = try DatabaseQueue(
            path: path,
            configuration: configuration(
                .callback { number in
                    if number == 0 {
                        hasTask.wait()
                        task.value?.cancel()
                    }
                    // This would try again forever.
                    return true
                }))
        let snapshot = try first.makeSnapshot()
        try await first.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        Thread.detachNewThread {
            _ = try? first.checkpoint(.truncate)
            ended.signal()
        }
        await isUnderWay.signalled()
        let waiting = Task { _ = try await second.checkpoint() }
        task.value = waiting
        hasTask.signal()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        goOn.signal()
        await ended.signalled()
        try snapshot.close()
    }

    // MARK: The WAL mode

    /// Runs a closure while another connection is in a transaction that writes to a file in the rollback mode.
    private func duringTransaction(_ body: (_ end: @escaping @Sendable () -> Void) throws -> Void) throws {
        let isUnderWay = Semaphore("the transaction has written")
        let goOn = Semaphore("the test lets the transaction end")
        let ended = Semaphore("the transaction has ended")
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        Thread.detachNewThread {
            try? queue.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                isUnderWay.signal()
                goOn.wait()
            }
            ended.signal()
        }
        isUnderWay.wait()
        let isOver = Box(false)
        let end = { @Sendable in
            if isOver.value { return }
            isOver.value = true
            goOn.signal()
            ended.wait()
        }
        defer { end() }
        try body(end)
    }

    @Test
    func `Opening a pool waits for a transaction in a file that is not in the WAL mode`() throws {
        try duringTransaction { end in
            let tries = Box<[Int]>([])
            let pool = try DatabasePool(
                path: path,
                configuration: configuration(
                    .callback { number in
                        tries.value.append(number)
                        if number == 2 { end() }
                        return true
                    }))
            #expect(tries.value == [0, 1, 2])
            #expect(try pool.read { try $0.texts("PRAGMA journal_mode") } == ["wal"])
            #expect(try pool.read { try $0.integers("SELECT a FROM t") } == [1])
        }
    }

    @Test(arguments: [Database.BusyMode.immediateError, .timeout(0.02), .callback { $0 < 3 }])
    func `The wait for the WAL mode times out`(_ busyMode: Database.BusyMode) throws {
        try duringTransaction { _ in
            expectError(.SQLITE_BUSY) { try DatabasePool(path: path, configuration: configuration(busyMode)) }
        }
        #expect(try DatabasePool(path: path).read { try $0.integers("SELECT a FROM t") } == [1])
    }
}
