import CSQLiteShims
import Dispatch

/// An access that can end early: because the task that awaits it is cancelled, or because its time is over. It is the executor of the actor
/// on which the access of a task runs, as a part of the task.
///
/// When the task comes to the actor, it enqueues its job here, and is suspended. The access then waits for its turn like any other
/// access. The job runs on the dispatch queue of the connection, with the task-local values, priority and cancellation of the
/// task, and no thread of the cooperative pool waits. If the task is cancelled before its turn, the job runs immediately on another
/// queue, and throws `CancellationError`. The actor belongs to this one access, so none of its other jobs can run at the same
/// time.
///
/// A thread that waits until a deadline takes the place of the task's job: the dispatch queue lends its turn to that thread. So does a
/// callback with a deadline, which runs on the dispatch queue.
///
/// Source: <https://github.com/swiftlang/swift-evolution/blob/main/proposals/0392-custom-actor-executors.md>
///
/// `@unchecked Sendable`: the lock guards the state, and the flag is atomic. Comments name the properties that only the thread of
/// the access uses.
final class TaskAccess: SerialExecutor, @unchecked Sendable {
    /// The ways in which the wait for the turn ends.
    enum Turn {
        /// With a connection. The closure is called when the access has ended.
        case connection(Database, didEnd: (@Sendable () -> Void)?)
        /// With an error, for example of a connection that could not be opened.
        case failure(any Error)
        /// Early: see ``EarlyEnd``.
        case earlyEnd
    }

    /// The reason for which an access ends early.
    private enum EarlyEnd {
        case cancellation
        case timeout
    }

    private enum State {
        case created
        case waiting(Job)
        case running(Database)
        case ended
    }

    private let lock = Lock()
    private var state = State.created
    private var turn = Turn.earlyEnd
    private var earlyEnd: EarlyEnd?
    private let wait: @Sendable (TaskAccess) -> Void

    /// Whether a callback runs the access. Its statements throw the error of the early end, because nothing follows the callback that could
    /// replace their errors.
    let isCallback: Bool

    /// The quality of service of the access, which is that of the task; unspecified for a callback.
    let qos: DispatchQoS

    /// The deadline, and what the access has spent its time on; nil for an access without a deadline.
    private var times: AccessTimes?
    private var timer: (any DispatchSourceTimer)?

    /// Called if the access ends early, before its turn.
    private var onCancel: (@Sendable () -> Void)?

    /// Not 0 once the task is cancelled. Statements read it before they begin.
    private let flag = AtomicWord()

    /// The number of running operations that a cancellation must not interrupt, such as commits. The thread of the access changes it, with
    /// the lock.
    private var protectionCount = 0
    /// Whether the task was cancelled during a protected operation.
    private var isCancelledLater = false
    /// Whether the cancellation has made a statement fail, and whether it has ended the wait for a lock. The thread of the access
    /// uses both.
    private var hasInterrupted = false
    private var hasEndedWait = false
    /// The number of commits of the connection when the access began, if it may write. The thread of the access uses it.
    private var earlierCommits: UInt64?

    private init(
        _ deadline: AccessDeadline?, qos: DispatchQoS = DispatchQoS(Task.currentPriority),
        _ wait: @escaping @Sendable (TaskAccess) -> Void = { _ in }
    ) {
        self.wait = wait
        times = deadline.map { AccessTimes(deadline: $0) }
        self.qos = qos
        isCallback = qos == .unspecified
    }

    deinit { timer?.cancel() }

    /// Runs an access as a part of the current task.
    ///
    /// - Parameters:
    ///   - timeout: the limit of the access's configuration.
    ///   - wait: waits for the turn without blocking the thread, and then calls ``begin(_:)`` on the thread of the access.
    /// - Throws: the closure's error, the error of the wait, `CancellationError` when the task is cancelled, or ``DatabaseTimeoutError``.
    static func perform<T: Sendable>(
        limitedTo timeout: Duration?, _ body: @Sendable (Database) throws -> T,
        whenItsTurnHasCome wait: @escaping @Sendable (TaskAccess) -> Void
    ) async throws -> T {
        try Task.checkCancellation()
        let access = TaskAccess(AccessDeadline.forAccess(limitedTo: timeout), wait)
        access.startTimer()
        defer { access.timer?.cancel() }
        return try await withTaskCancellationHandler {
            try await AccessActor(access).run(body)
        } onCancel: {
            access.end(.cancellation)
        }
    }

    /// Runs an access on this thread, which waits for its turn.
    ///
    /// - Parameters:
    ///   - resources: what the thread waits for, if it is inside another access.
    ///   - wait: calls ``begin(_:)`` on the connection's queue when the turn has come, now or later.
    /// - Throws: the closure's error, the error of the wait, ``DatabaseTimeoutError``, or `SQLITE_MISUSE` where the wait would deadlock.
    static func perform<T>(
        until deadline: AccessDeadline, waitingFor resources: [AccessWaits.Resource], _ body: (Database) throws -> T,
        whenItsTurnHasCome wait: (TaskAccess) -> Void
    ) throws -> T {
        let access = TaskAccess(deadline)
        let thread = WaitingThread()
        try AccessWaits.shared.waiting(for: resources) {
            access.lock.withLock { access.state = .waiting(.thread(thread)) }
            access.startTimer()
            wait(access)
            thread.turn.wait()
        }
        defer { access.timer?.cancel() }
        defer { thread.hasEnded.signal() }
        return try access.run(body)
    }

    /// Schedules an access that a callback runs, and returns immediately.
    ///
    /// - Parameters:
    ///   - onFailure: called with the error of the wait, or with ``DatabaseTimeoutError``, if the access does not begin.
    ///   - body: runs when the access has its turn.
    ///   - wait: calls ``begin(_:)`` on the connection's queue when the turn has come, now or later.
    static func schedule(
        until deadline: AccessDeadline, onFailure: @escaping @Sendable (any Error) -> Void,
        _ body: @escaping @Sendable (Database) -> Void, whenItsTurnHasCome wait: (TaskAccess) -> Void
    ) {
        let access = TaskAccess(deadline, qos: .unspecified)
        let job = Job.callback {
            do {
                try access.run { body($0) }
            } catch {
                onFailure(error)
            }
        }
        access.lock.withLock { access.state = .waiting(job) }
        access.startTimer()
        wait(access)
    }

    /// Runs an access that has its turn, on the connection's queue. If its time is over, its statements throw.
    static func run(until deadline: AccessDeadline, on database: Database, _ body: (Database) -> Void) {
        let access = TaskAccess(deadline, qos: .unspecified)
        access.lock.withLock {
            access.turn = .connection(database, didEnd: nil)
            access.state = .running(database)
        }
        access.startTimer()
        // The body throws nothing.
        try? access.run { body($0) }
    }

    /// The queue of the timers. Their handlers don't wait for anything.
    private static let deadlines = DispatchQueue(label: "Strata.deadlines", qos: .userInitiated)

    private func startTimer() {
        guard let deadline = times?.deadline else { return }
        let remaining = ContinuousClock.now.duration(to: deadline.instant)
        if remaining <= .zero { return end(.timeout) }
        let timer = DispatchSource.makeTimerSource(queue: Self.deadlines)
        timer.schedule(deadline: .now() + remaining / .seconds(1))
        timer.setEventHandler { [weak self] in self?.end(.timeout) }
        timer.activate()
        self.timer = timer
    }

    // MARK: - The job

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    // `ExecutorJob` requires newer Apple systems than Strata does. They accept the older type of jobs.
    #if canImport(Darwin)
        func enqueue(_ job: UnownedJob) { add(job) }
    #else
        func enqueue(_ job: consuming ExecutorJob) { add(UnownedJob(job)) }
    #endif

    private func add(_ job: UnownedJob) {
        let isFirst = lock.withLock {
            guard case .created = state else { return false }
            state = .waiting(.task(job))
            return true
        }
        if isFirst { wait(self) } else { runElsewhere(.task(job)) }
    }

    /// Runs the access on this thread, when its turn has come.
    ///
    /// - Returns: false if the task was cancelled before: then the access does not run.
    func begin(_ turn: Turn) -> Bool {
        guard let job = take(turn) else { return false }
        run(job)
        return true
    }

    /// Ends the wait with an error.
    func fail(_ error: any Error) {
        if let job = take(.failure(error)) { runElsewhere(job) }
    }

    /// Whether the access still waits for its turn.
    var isWaiting: Bool {
        lock.withLock { if case .waiting = state { true } else { false } }
    }

    /// Sets the action to be called if the task is cancelled before its turn. If the access is over already, the action runs
    /// immediately.
    func onCancelBeforeTurn(_ action: @escaping @Sendable () -> Void) {
        let isOver = lock.withLock {
            switch state {
            case .created, .running:
                return false
            case .waiting:
                onCancel = action
                return false
            case .ended:
                return true
            }
        }
        if isOver { action() }
    }

    private func run(_ job: Job) {
        switch job {
        case .task(let job): job.runSynchronously(on: asUnownedSerialExecutor())
        case .thread(let thread): thread.takeTurn()
        case .callback(let body): body()
        }
    }

    private func take(_ turn: Turn) -> Job? {
        lock.withLock {
            guard case .waiting(let job) = state else { return nil }
            self.turn = turn
            if case .connection(let database, _) = turn { state = .running(database) } else { state = .ended }
            onCancel = nil
            return job
        }
    }

    /// The queue of jobs that only throw. They don't run on the thread that cancels, because it holds the task's locks, nor on the
    /// cooperative pool, whose threads may all be blocked.
    private static let elsewhere = DispatchQueue(label: "Strata.cancelled")

    private func runElsewhere(_ job: Job) {
        Self.elsewhere.async { self.run(job) }
    }

    /// Runs the access, inside the job.
    fileprivate func run<T>(_ body: (Database) throws -> T) throws -> T {
        switch turn {
        case .earlyEnd:
            throw earlyEndError(of: nil, hasCommitted: false)
        case .failure(let error):
            throw error
        case .connection(let database, let didEnd):
            times?.begin = .now
            if database.isWriter { earlierCommits = database.commits.value }
            database.beginAccess(self)
            let result = Result { try body(database) }
            // After this, nothing interrupts the connection. The end of the access clears an earlier interruption.
            lock.withLock { state = .ended }
            database.endAccess()
            let translated = result.mapError { replacement(for: $0, database) }
            didEnd?()
            return try translated.get()
        }
    }

    // MARK: - The early end

    /// Handles the cancellation of the task, or the end of its time.
    private func end(_ reason: EarlyEnd) {
        var onCancel: (@Sendable () -> Void)?
        let job: Job? = lock.withLock {
            if earlyEnd == nil { earlyEnd = reason }
            switch state {
            case .created:
                state = .ended
            case .waiting(let job):
                state = .ended
                onCancel = self.onCancel
                self.onCancel = nil
                return job
            case .running(let database):
                if protectionCount > 0 { isCancelledLater = true } else { interrupt(database) }
            case .ended:
                break
            }
            return nil
        }
        if let job { runElsewhere(job) }
        onCancel?()
    }

    /// Makes the running statement fail, and the next step of those that have begun. The flag makes statements fail that begin later.
    private func interrupt(_ database: Database) {
        flag.value = 1
        database.interrupt()
    }

    // The thread of the access uses the members below.

    /// Whether the access must end early, unless that was known only during a protected operation that has not ended.
    var isCancelled: Bool { flag.value != 0 }

    /// Whether an operation is running that a cancellation must not interrupt.
    var isProtecting: Bool { protectionCount > 0 }

    /// Whether statements must fail.
    var isInterrupting: Bool { isCancelled && !isProtecting }

    /// Records that an operation begins that a cancellation must not interrupt, such as the end of a transaction.
    ///
    /// - Returns: whether the task is already cancelled.
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
            guard protectionCount == 0, isCancelledLater, case .running(let database) = state else { return }
            isCancelledLater = false
            interrupt(database)
        }
    }

    /// Records that the cancellation has made a statement fail.
    func didInterrupt() { hasInterrupted = true }

    /// Waits for a lock.
    ///
    /// - Parameter milliseconds: how long to wait at most. The wait ends with the time of the access.
    func waitForLock(_ milliseconds: CInt) {
        guard let deadline = times?.deadline else {
            sqlite3_sleep(milliseconds)
            return
        }
        let remaining = (ContinuousClock.now.duration(to: deadline.instant) / .milliseconds(1)).rounded(.up)
        waitingForLock { _ = sqlite3_sleep(min(milliseconds, CInt(max(1, min(remaining, 1000))))) }
    }

    /// Runs a closure that waits for a lock, and counts its time.
    func waitingForLock<T>(_ wait: () -> T) -> T {
        guard times != nil else { return wait() }
        let begin = ContinuousClock.now
        defer { times?.lockWait += begin.duration(to: .now) }
        return wait()
    }

    /// Returns whether the access must not wait for a lock any longer. This also applies to a protected operation: a `COMMIT` that waits for
    /// readers of the file, which has a rollback journal, has committed nothing.
    func endsWait() -> Bool {
        guard lock.withLock({ earlyEnd != nil }) else { return false }
        hasEndedWait = true
        return true
    }

    /// Why statements fail, for the errors that the closure of the access sees.
    var reason: String {
        lock.withLock { if case .timeout = earlyEnd { "the access took longer than its timeout" } else { "the task was cancelled" } }
    }

    /// Returns the error of the early end in place of an error that it has caused, and other errors as they are. Called on the thread of the
    /// access.
    func replacement(for error: any Error, _ database: Database) -> any Error {
        guard let error = error as? DatabaseError else { return error }
        let isCaused =
            switch error.resultCode {
            case .SQLITE_INTERRUPT, .SQLITE_ABORT: hasInterrupted
            case .SQLITE_BUSY, .SQLITE_LOCKED: hasEndedWait
            default: false
            }
        let hasCommitted = earlierCommits.map { $0 != database.commits.value } ?? false
        return isCaused ? earlyEndError(of: error, hasCommitted: hasCommitted) : error
    }

    /// Returns the error of the early end.
    ///
    /// - Parameter statementError: the error of the statement that was interrupted, or did not begin; nil if the access did not begin.
    private func earlyEndError(of statementError: DatabaseError?, hasCommitted: Bool) -> any Error {
        guard case .timeout = lock.withLock({ earlyEnd }), let times else { return CancellationError() }
        return DatabaseTimeoutError(
            times, isWaitingForLock: hasEndedWait && !hasInterrupted, sql: statementError?.sql, hasCommitted: hasCommitted
        )
    }
}

/// The job of an access.
private enum Job {
    /// The job of a task.
    case task(UnownedJob)
    /// A thread that waits for the turn.
    case thread(WaitingThread)
    /// A callback.
    case callback(@Sendable () -> Void)
}

/// A thread that waits for the turn of its access, and runs the access itself.
private final class WaitingThread: Sendable {
    let turn = DispatchSemaphore(value: 0)
    let hasEnded = DispatchSemaphore(value: 0)

    /// Lends the turn of this thread to the waiting thread.
    func takeTurn() {
        turn.signal()
        hasEnded.wait()
    }
}

/// What an access with a deadline has spent its time on.
struct AccessTimes {
    let deadline: AccessDeadline
    /// When the access began to wait for the connection.
    let start = ContinuousClock.now
    /// When it had the connection.
    var begin: ContinuousClock.Instant?
    /// How long it waited for locks.
    var lockWait = Duration.zero
}

extension DispatchQoS {
    fileprivate init(_ priority: TaskPriority) {
        switch priority {
        case TaskPriority.high...: self = .userInitiated
        case TaskPriority.medium...: self = .default
        case TaskPriority.utility...: self = .utility
        default: self = .background
        }
    }
}

/// The actor of one access.
private actor AccessActor {
    private let access: TaskAccess

    init(_ access: TaskAccess) {
        self.access = access
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { access.asUnownedSerialExecutor() }

    func run<T: Sendable>(_ body: @Sendable (Database) throws -> T) throws -> T {
        try access.run(body)
    }
}
