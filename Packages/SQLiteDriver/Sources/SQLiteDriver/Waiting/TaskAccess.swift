import CSQLiteShims
import Dispatch

/// An access that a task awaits. It is the executor of the actor on which the access runs, as a part of the task.
///
/// When the task comes to the actor, it enqueues its job here, and is suspended. The access then waits for its turn like any other
/// access. The job runs on the dispatch queue of the connection, with the task-local values, priority and cancellation of the
/// task, and no thread of the cooperative pool waits. If the task is cancelled before its turn, the job runs immediately on another
/// queue, and throws `CancellationError`. The actor belongs to this one access, so none of its other jobs can run at the same
/// time.
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
        /// With the cancellation of the task.
        case cancellation
    }

    private enum State {
        case created
        case waiting(UnownedJob)
        case running(Database)
        case ended
    }

    private let lock = Lock()
    private var state = State.created
    private var turn = Turn.cancellation
    private let wait: @Sendable (TaskAccess) -> Void

    /// The quality of service of the access, which is that of the task.
    let qos: DispatchQoS

    /// Called if the task is cancelled before its turn.
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

    private init(_ wait: @escaping @Sendable (TaskAccess) -> Void) {
        self.wait = wait
        qos = DispatchQoS(Task.currentPriority)
    }

    /// Runs an access as a part of the current task.
    ///
    /// - Parameter wait: waits for the turn without blocking the thread, and then calls ``begin(_:)`` on the thread of the access.
    /// - Throws: the closure's error, the error of the wait, or `CancellationError` when the task is cancelled.
    static func perform<T: Sendable>(
        _ body: @Sendable (Database) throws -> T, whenItsTurnHasCome wait: @escaping @Sendable (TaskAccess) -> Void
    ) async throws -> T {
        try Task.checkCancellation()
        let access = TaskAccess(wait)
        return try await withTaskCancellationHandler {
            try await AccessActor(access).run(body)
        } onCancel: {
            access.cancel()
        }
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
            state = .waiting(job)
            return true
        }
        if isFirst { wait(self) } else { runElsewhere(job) }
    }

    /// Runs the access on this thread, when its turn has come.
    ///
    /// - Returns: false if the task was cancelled before: then the access does not run.
    func begin(_ turn: Turn) -> Bool {
        guard let job = take(turn) else { return false }
        job.runSynchronously(on: asUnownedSerialExecutor())
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

    private func take(_ turn: Turn) -> UnownedJob? {
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

    private func runElsewhere(_ job: UnownedJob) {
        Self.elsewhere.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Runs the access, inside the job.
    fileprivate func run<T>(_ body: (Database) throws -> T) throws -> T {
        switch turn {
        case .cancellation:
            throw CancellationError()
        case .failure(let error):
            throw error
        case .connection(let database, let didEnd):
            database.beginAccess(self)
            let result = Result { try body(database) }
            // After this, nothing interrupts the connection. The end of the access clears an earlier interruption.
            lock.withLock { state = .ended }
            database.endAccess()
            didEnd?()
            return try translated(result).get()
        }
    }

    // MARK: - Cancellation

    /// Handles the cancellation of the task.
    private func cancel() {
        var onCancel: (@Sendable () -> Void)?
        let job: UnownedJob? = lock.withLock {
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

    /// Whether the task is cancelled, unless the cancellation came during a protected operation that has not ended.
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

    /// Records that the cancellation has ended the wait for a lock.
    func didEndWait() { hasEndedWait = true }

    /// Returns the result, with `CancellationError` in place of an error that the cancellation has caused.
    private func translated<T>(_ result: Result<T, any Error>) -> Result<T, any Error> {
        guard case .failure(let error) = result, let error = error as? DatabaseError else { return result }
        let isCaused =
            switch error.resultCode {
            case .SQLITE_INTERRUPT, .SQLITE_ABORT: hasInterrupted
            case .SQLITE_BUSY, .SQLITE_LOCKED: hasEndedWait
            default: false
            }
        return isCaused ? .failure(CancellationError()) : result
    }
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
