import CSQLiteShims

/// The early end of an access: its time, its reason, and what it does to the statements of a running access.
///
/// `@unchecked Sendable`: the lock guards the first properties, and the flag is atomic. The thread of the access uses the others.
final class AccessInterruption: @unchecked Sendable {
    /// Why an access ends early.
    enum Reason {
        case cancellation
        case timeout
    }

    private let lock = Lock()
    private var reasonToEnd: Reason?
    private var currentDeadline: AccessDeadline?
    /// Whether the time does not count.
    private var isPaused = false
    /// The connection, while the access is running.
    private var database: Database?
    /// The number of running operations that must not be interrupted, such as commits.
    private var protectionCount = 0
    /// Whether the end came during a protected operation.
    private var isInterruptedLater = false

    /// Not 0 once the running access must end. Statements read it before they begin.
    private let flag = AtomicWord()

    /// When the access began to wait for the connection, when it had it, and how long it waited for locks.
    let start = ContinuousClock.now
    private var begin: ContinuousClock.Instant?
    private var lockWait = Duration.zero
    /// Whether the early end has made a statement fail, and whether it has ended the wait for a lock.
    private var hasInterrupted = false
    private var hasEndedWait = false
    /// The number of commits of the connection when the access began, if it may write.
    private var earlierCommits: UInt64?

    /// Whether statements throw the error of the early end: in a callback, which nothing follows that could replace their errors.
    let endsStatementsItself: Bool

    /// - Parameter deadline: when the access must have ended; nil for no limit.
    init(_ deadline: AccessDeadline?, endsStatementsItself: Bool) {
        currentDeadline = deadline
        self.endsStatementsItself = endsStatementsItself
    }

    // MARK: - The time

    var deadline: AccessDeadline? { lock.withLock { currentDeadline } }

    /// Whether the time is over.
    var isLate: Bool { lock.withLock { !isPaused && currentDeadline.map { $0.remaining <= .zero } == true } }

    /// Runs a closure whose time does not count.
    func pausing<T>(_ body: () -> T) -> T {
        let begin = ContinuousClock.now
        lock.withLock { isPaused = true }
        defer {
            lock.withLock {
                isPaused = false
                currentDeadline = currentDeadline?.postponed(by: begin.duration(to: .now))
            }
        }
        return body()
    }

    // MARK: - The end

    /// Records that the access must end early, and interrupts it if it is running. Called on any thread.
    ///
    /// - Returns: whether this is the first reason.
    func come(_ reason: Reason) -> Bool {
        lock.withLock {
            guard reasonToEnd == nil else { return false }
            reasonToEnd = reason
            if protectionCount > 0 { isInterruptedLater = true } else { interrupt() }
            return true
        }
    }

    /// Makes the running statement fail, and the next step of those that have begun. The flag makes statements fail that begin later.
    private func interrupt() {
        guard let database else { return }
        flag.value = 1
        database.interrupt()
    }

    // The thread of the access uses the members below.

    func accessWillBegin(_ database: Database) {
        begin = .now
        if database.isWriter { earlierCommits = database.commits.value }
        lock.withLock {
            self.database = database
            if reasonToEnd != nil { flag.value = 1 }
        }
    }

    /// Nothing interrupts the connection afterwards.
    func accessWillEnd() { lock.withLock { database = nil } }

    /// Whether the access must end early, unless that was known only during a protected operation that has not ended.
    var hasCome: Bool { flag.value != 0 }

    /// Whether an operation is running that must not be interrupted.
    var isProtecting: Bool { protectionCount > 0 }

    /// Whether statements must fail.
    var isInterrupting: Bool { hasCome && !isProtecting }

    /// Records that an operation begins that must not be interrupted, such as the end of a transaction.
    ///
    /// - Returns: whether the access must already end.
    @discardableResult
    func beginProtection() -> Bool {
        lock.withLock {
            defer { protectionCount += 1 }
            return isInterrupting
        }
    }

    func endProtection() {
        lock.withLock {
            protectionCount -= 1
            guard protectionCount == 0, isInterruptedLater else { return }
            isInterruptedLater = false
            interrupt()
        }
    }

    /// Records that the early end has made a statement fail.
    func didInterrupt() { hasInterrupted = true }

    // MARK: - Waits for locks

    /// Waits for a lock.
    ///
    /// - Parameter milliseconds: how long to wait at most. The wait ends with the time of the access.
    func waitForLock(_ milliseconds: CInt) {
        guard let deadline else {
            sqlite3_sleep(milliseconds)
            return
        }
        let remaining = (deadline.remaining / .milliseconds(1)).rounded(.up)
        waitingForLock { _ = sqlite3_sleep(min(milliseconds, CInt(max(1, min(remaining, 1000))))) }
    }

    /// Runs a closure that waits for a lock, and counts its time.
    func waitingForLock<T>(_ wait: () -> T) -> T {
        let begin = ContinuousClock.now
        defer { lockWait += begin.duration(to: .now) }
        return wait()
    }

    /// Returns whether the access must not wait for a lock any longer. This also applies to a protected operation: a `COMMIT` that waits for
    /// readers of the file, which has a rollback journal, has committed nothing.
    func endsWait() -> Bool {
        guard lock.withLock({ reasonToEnd != nil }) else { return false }
        hasEndedWait = true
        return true
    }

    // MARK: - Errors

    /// Records that the early end makes a statement fail, and returns the error that the closure of the access sees.
    func statementError(sql: String? = nil) -> DatabaseError {
        didInterrupt()
        let isLate = lock.withLock { reasonToEnd == .timeout }
        let message = isLate ? "the access took longer than its timeout" : "the task was cancelled"
        return DatabaseError(code: .SQLITE_INTERRUPT, message: message, sql: sql, advice: nil)
    }

    /// Returns the error of the early end in place of an error that it has caused, and other errors as they are.
    func replacement(for error: any Error, _ database: Database) -> any Error {
        guard let error = error as? DatabaseError else { return error }
        let isCaused =
            switch error.resultCode {
            case .SQLITE_INTERRUPT, .SQLITE_ABORT: hasInterrupted
            case .SQLITE_BUSY, .SQLITE_LOCKED: hasEndedWait
            default: false
            }
        return isCaused ? self.error(of: error, hasCommitted: earlierCommits.map { $0 != database.commits.value } ?? false) : error
    }

    /// Returns the error of the early end.
    ///
    /// - Parameter statementError: the error of the statement that was interrupted, or did not begin; nil if the access did not begin.
    func error(of statementError: DatabaseError? = nil, hasCommitted: Bool = false) -> any Error {
        let (reason, deadline) = lock.withLock { (reasonToEnd, currentDeadline) }
        guard reason == .timeout, let deadline else { return CancellationError() }
        let now = ContinuousClock.now
        let phase: DatabaseTimeoutError.Phase = hasEndedWait && !hasInterrupted ? .waitingForLock : .running
        return DatabaseTimeoutError(
            timeout: deadline.timeout, phase: begin == nil ? .waitingForConnection : phase,
            connectionWait: start.duration(to: begin ?? now), lockWait: lockWait,
            runningTime: begin.map { $0.duration(to: now) - lockWait } ?? .zero, sql: statementError?.sql, hasCommitted: hasCommitted)
    }
}
