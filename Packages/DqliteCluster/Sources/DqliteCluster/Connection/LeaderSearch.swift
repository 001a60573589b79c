import Foundation
import SQLiteDriver

/// A connection to the leader that opens on a thread of its own. If the access that needs it ends earlier, the next one finds it open: so
/// accesses that have less time than connecting takes succeed, too.
///
/// The thread passes the connection through the lock, and does not use it afterwards.
final class LeaderSearch: Sendable {
    /// An open connection, and the statements that have set its options.
    struct Found {
        let connection: NodeConnection
        let databaseID: UInt32
        let settings: [String: String]
    }

    private struct State {
        var result: Result<Found, any Error>?
        var isEnded = false
    }

    private let state = Guarded(State())
    private let wakeUp = DispatchSemaphore(value: 0)

    /// Begins to connect.
    ///
    /// - Parameter settings: statements to run on the new connection, by the names of the options that they set.
    init(_ finder: LeaderFinder, settings: [String: String]) {
        Thread.detachNewThread { [self] in
            let result = Result { try Self.connect(finder, settings) }
            let isUnused = state.withLock {
                $0.result = result
                return $0.isEnded
            }
            if isUnused, case .success(let found) = result { found.connection.close() }
            wakeUp.signal()
        }
    }

    /// The table that a database has while it is being restored.
    static let restorationTable = "strata_restore"

    static func connect(_ finder: LeaderFinder, _ settings: [String: String]) throws -> Found {
        let connection = try finder.connect(Deadline(after: finder.leaderTimeout))
        let id = try connection.open(finder.database)
        // A node overflows its memory when it sends a row of more than 32 columns before it has sent a large row.
        _ = try connection.firstRows("SELECT zeroblob(8192)", in: id)
        // A node compiles a request before it waits for the changes of its predecessor, and may not know a table: this request waits.
        let tables = try connection.firstRows("SELECT count(*) FROM sqlite_master WHERE name = '\(restorationTable)'", in: id)
        if tables.int64(row: 0, column: 0) == 1, !finder.opensIncomplete { throw ClusterError.incompleteDatabase(finder.database) }
        for sql in settings.values { _ = try connection.run(.execSQL, sql, in: id) }
        return Found(connection: connection, databaseID: id, settings: settings)
    }

    /// Waits for the connection.
    ///
    /// - Parameter mustEnd: whether the wait is pointless.
    /// - Returns: nil if the time was over before.
    func wait(until deadline: Deadline, mustEnd: () -> Bool) -> Result<Found, any Error>? {
        while true {
            if let result = state.withLock({ $0.result }) { return result }
            if deadline.hasPassed || mustEnd() { return nil }
            _ = wakeUp.wait(timeout: .now() + .milliseconds(Int(deadline.milliseconds)))
        }
    }

    /// Makes the waiting thread look whether it must end. Safe from any thread.
    func wake() { wakeUp.signal() }

    /// Closes the connection, now or when it is open.
    func end() {
        let result = state.withLock {
            $0.isEnded = true
            return $0.result
        }
        if case .success(let found) = result { found.connection.close() }
    }
}
