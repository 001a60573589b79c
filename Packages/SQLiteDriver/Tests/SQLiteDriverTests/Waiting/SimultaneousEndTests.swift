import Foundation
import SQLiteDriver
import Testing

/// Waits for locks that the deadline and the busy mode end at the same time.
@Suite struct SimultaneousEndTests {
    /// Runs a closure with a database whose lock another connection has.
    private func withLockedDatabase(_ mode: Database.BusyMode, _ body: (DatabasePool) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.busyMode = mode
        let pool = try DatabasePool(path: folder.path("a.sqlite"), configuration: configuration)
        try await pool.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        var other = Configuration()
        other.allowsUnsafeTransactions = true
        let locking = try DatabaseQueue(path: pool.path, configuration: other)
        try await locking.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        try await body(pool)
        try await locking.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
        try await pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    }

    @Test
    func `The deadline wins over a busy timeout of the same length`() async throws {
        try await withLockedDatabase(.timeout(0.02)) { pool in
            var phases: [DatabaseTimeoutError.Phase?] = []
            for _ in 0..<30 {
                let error = await #expect(throws: DatabaseTimeoutError.self) { try await pool.write(timeout: .milliseconds(20)) { _ in } }
                phases.append(error?.phase)
                #expect(throws: DatabaseTimeoutError.self) { try pool.write(timeout: .milliseconds(20)) { _ in } }
            }
            // On a busy machine, the time may be over before the wait for the lock begins.
            #expect(phases.contains(.waitingForLock))
        }
    }

    @Test
    func `The deadline wins over a callback that gives up after it`() async throws {
        let mode = Database.BusyMode.callback { _ in
            Thread.sleep(forTimeInterval: 0.03)
            return false
        }
        try await withLockedDatabase(mode) { pool in
            let error = await #expect(throws: DatabaseTimeoutError.self) { try await pool.write(timeout: .milliseconds(20)) { _ in } }
            #expect(error?.phase == .waitingForLock && error.map { $0.lockWait >= .milliseconds(30) } == true)
            #expect(throws: DatabaseTimeoutError.self) { try pool.write(timeout: .milliseconds(20)) { _ in } }
        }
    }

    @Test
    func `A busy mode that ends before the deadline throws its own error`() async throws {
        try await withLockedDatabase(.timeout(0.01)) { pool in
            let error = await #expect(throws: DatabaseError.self) { try await pool.write(timeout: .seconds(60)) { _ in } }
            #expect(error?.resultCode == .SQLITE_BUSY)
        }
    }
}
