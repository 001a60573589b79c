/// The error of an access that took longer than its timeout.
///
/// ```swift
/// do {
///     try await pool.write(timeout: .seconds(2)) { db in
///         try db.execute(sql: "UPDATE player SET score = score + 1")
///     }
/// } catch let error as DatabaseTimeoutError {
///     print(error.phase)  // waitingForConnection, for example
///     print(error)
///     // the access took longer than 2.0 s: 2.0 s waiting for the connection,
///     // 0.0 s waiting for locks, 0.0 s running. The access has not begun.
/// }
/// ```
///
/// The access has not taken effect: its transaction is rolled back, or was never begun. An access that has committed before its end is
/// never reported as late, except for accesses without a transaction: see ``hasCommitted``.
public struct DatabaseTimeoutError: Error, Sendable {
    /// What an access spends its time on.
    public enum Phase: Hashable, Sendable {
        /// Waiting for the connection, which other accesses use.
        case waitingForConnection
        /// Waiting for a lock of another connection to the file, such as one of another process.
        case waitingForLock
        /// Running, including the program's own code in the closure.
        case running
        /// Running a statement that took longer than ``Configuration/statementTimeLimit``.
        case runningStatement
    }

    /// The limit of the access, or of the statement.
    public let timeout: Duration

    /// What the access was doing when its time was over.
    public let phase: Phase

    /// How long the access waited for the connection.
    public let connectionWait: Duration

    /// How long the access waited for locks of other connections.
    public let lockWait: Duration

    /// How long the access ran, without its waits. After ``Phase/runningStatement``, how long the statement ran inside SQLite.
    public let runningTime: Duration

    /// The SQL of the statement that was interrupted, or that did not begin; nil for an access that did not begin.
    public let sql: String?

    /// Whether statements of the access were committed before: those of an access without a transaction, or of an earlier transaction in it.
    public let hasCommitted: Bool
}

extension DatabaseTimeoutError: CustomStringConvertible {
    /// A sentence on the limit, the waits, the statement, and what was kept.
    public var description: String {
        func seconds(_ duration: Duration) -> String {
            let milliseconds = (duration / .milliseconds(1)).rounded()
            return "\(milliseconds / 1000) s"
        }
        let parts =
            "\(seconds(connectionWait)) waiting for the connection, \(seconds(lockWait)) waiting for locks, \(seconds(runningTime)) running"
        let statement = sql.map { " - while executing `\($0)`" } ?? ""
        let outcome =
            hasCommitted
            ? "Earlier statements of the access are committed."
            : phase == .waitingForConnection ? "The access has not begun." : "Nothing was written."
        if phase == .runningStatement {
            return "a statement took longer than \(seconds(timeout)): \(seconds(runningTime)) inside SQLite\(statement)"
        }
        return "the access took longer than \(seconds(timeout)): \(parts)\(statement). \(outcome)"
    }
}
