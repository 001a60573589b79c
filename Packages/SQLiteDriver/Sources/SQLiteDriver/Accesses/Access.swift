import Dispatch

/// An access that waits for its turn.
///
///                   enter            its turn              on its thread
///     created ──────────▶ waiting ──────────▶ ready ──────────▶ running
///        │ early             │ early: leaves    │ early: gives     │ its end
///        │                   │ the line         │ its turn back    │
///        └───────────────────┴────────▶ ended ◀─┴──────────────────┘
///
/// The early end of a running access interrupts its statements: see ``AccessInterruption``.
///
/// `@unchecked Sendable`: the lock guards the state.
final class Access: LineEntry, @unchecked Sendable {
    /// What waits for the access, and runs it when it has its turn.
    enum Form {
        /// A thread, which waits for the semaphore and runs the access itself.
        case thread(DispatchSemaphore)
        /// A task. Its job runs on the queue of the connection.
        case task(DispatchQoS)
        /// A callback, which runs on the queue of the connection. One that takes no error waits for its turn, however long.
        case callback(@Sendable (Database) -> Void, onFailure: (@Sendable (any Error) -> Void)?)
    }

    /// The end of the wait.
    enum Turn: Sendable {
        case connection(SerializedConnection)
        /// The permission to open a connection, and how. The threads are those of the configuration.
        case opening(SharedThreads?, @Sendable () throws -> SerializedConnection)
        case failure(any Error)

        fileprivate var state: State { if case .failure = self { .ended } else { .ready } }
    }

    /// A ready access has its turn, and its thread has not begun.
    fileprivate enum State {
        case created, waiting, ready, running, ended
    }

    let request: AccessRequest
    let isReady = true
    let interruption: AccessInterruption
    /// The kind of a read, which decides what it waits for.
    let readerKind: ReaderPool.Kind
    private let form: Form
    private let entrance: any AccessEntrance

    private let lock = Lock()
    private var state = State.created
    private var turn: Turn?
    private var timer: EarlyEndThread.Timer?
    /// The job of the task, once the task has come to the actor.
    private var job: UnownedJob?

    /// - Parameters:
    ///   - deadline: when the access must have ended; nil for no limit.
    ///   - entrance: the line in which it waits.
    ///   - readerKind: the place where it begins.
    init(
        _ request: AccessRequest, _ form: Form, until deadline: AccessDeadline?, at entrance: any AccessEntrance,
        _ readerKind: ReaderPool.Kind
    ) {
        self.request = request
        self.form = form
        self.entrance = entrance
        self.readerKind = readerKind
        interruption = AccessInterruption(deadline, endsStatementsItself: { if case .callback = form { true } else { false } }())
    }

    /// The quality of service of the access; unspecified for that of the connection's queue.
    var qos: DispatchQoS { if case .task(let qos) = form { qos } else { .unspecified } }

    /// Whether others may wait for the caller. Such an access is not refused.
    var isNested: Bool { readerKind != .ordinary }

    /// Whether the access waits for its turn however long it takes. Such an access is not refused, either.
    var isPatient: Bool { if case .callback(_, onFailure: nil) = form { true } else { false } }

    // MARK: - The wait

    /// Begins to wait, or fails if the access is refused.
    func start() {
        guard move(from: .created, to: .waiting) else { return fail() }
        // A thread ends its wait itself.
        if !isOfThread { startTimer() }
        // The end of its time may come first, and has an error of its own.
        do { try entrance.enter(self) } catch { turnHasCome(.failure(error)) }
        // It may have ended before it was in the line.
        if lock.withLock({ state == .ended }) { entrance.leave(self) }
    }

    /// - Returns: false if the access is in another state, such as after its early end.
    private func move(from expected: State, to next: State, _ turn: Turn? = nil) -> Bool {
        lock.withLock {
            guard state == expected else { return false }
            (state, self.turn) = (next, turn)
            return true
        }
    }

    /// Ends the access at its deadline. The thread for early ends keeps it until then, or until it ends.
    private func startTimer() {
        guard let deadline = interruption.deadline else { return }
        checkTime()
        setTimer(EarlyEndThread.call(at: deadline.instant) { [self] in checkTime() })
    }

    private func setTimer(_ timer: EarlyEndThread.Timer?) {
        let previous = lock.withLock {
            defer { self.timer = timer }
            return self.timer
        }
        previous?.cancel()
    }

    /// Ends the access if its time is over.
    func checkTime() { if interruption.isLate { end(.timeout) } }

    /// Runs a closure that waits for the program, such as for the consumer of rows. Its time does not count.
    func pausing<T>(_ body: () -> T) -> T {
        guard interruption.deadline != nil else { return body() }
        defer { startTimer() }
        return interruption.pausing(body)
    }

    func turnHasCome(_ turn: Turn) {
        guard move(from: .waiting, to: turn.state, turn) else { return giveBack(turn) }
        if case .thread(let semaphore) = form { semaphore.signal() } else { proceed(turn) }
    }

    /// Goes to the thread of the connection.
    private func proceed(_ turn: Turn) {
        switch turn {
        case .connection(let connection): connection.dispatch(self)
        case .failure: fail()
        case .opening(let threads, let connect):
            // Opening may wait for a lock, and the program's preparations may take any time.
            let open: @Sendable () -> Void = { [self] in
                let turn: Turn
                do { turn = .connection(try connect()) } catch { turn = .failure(error) }
                if move(from: .ready, to: turn.state, turn) { proceed(turn) } else { giveBack(turn) }
            }
            let queue = DispatchQueue(label: "Strata.opening")
            if let threads, !isNested { threads.run(on: queue, .unspecified, open) } else { queue.async(execute: open) }
        }
    }

    private func giveBack(_ turn: Turn) {
        switch turn {
        case .connection(let connection): entrance.release(connection, request, readerKind)
        case .opening: entrance.release(nil, request, readerKind)
        case .failure: break
        }
    }

    /// Ends the access early, if it is not over. Called on any thread.
    func end(_ reason: AccessInterruption.Reason) {
        guard interruption.come(reason), !isPatient else { return }
        let (previous, turn) = lock.withLock { () -> (State, Turn?) in
            if state == .running || state == .ended { return (state, nil) }
            defer { (state, self.turn) = (.ended, nil) }
            return (state, self.turn)
        }
        switch previous {
        case .waiting: entrance.leave(self)
        case .ready:
            // A connection that is being opened is released afterwards.
            if case .opening = turn, !isOfThread { break }
            if let turn { giveBack(turn) }
        case .created, .running, .ended: return
        }
        fail()
    }

    private var isOfThread: Bool { if case .thread = form { true } else { false } }

    /// Passes the error of an access that does not begin to the task or to the callback.
    private func fail() {
        setTimer(nil)
        switch form {
        case .thread: break
        case .task: EarlyEndThread.call { [self] in runJob() }
        case .callback(_, let onFailure):
            let error = failure
            // Each failure has a queue of its own, as the program's code may take any time.
            DispatchQueue(label: "Strata.callback").async { onFailure?(error) }
        }
    }

    /// The error of an access that does not begin.
    private var failure: any Error {
        if case .failure(let error) = lock.withLock({ turn }) { error } else { interruption.error() }
    }

    // MARK: - The run

    /// Runs the access on the queue of the connection, unless it has ended.
    func begin() {
        guard let connection = takeTurn() else { return }
        switch form {
        case .thread: break
        case .task: runJob()
        // The callback throws nothing.
        case .callback(let body, _): try? run(on: connection) { body($0) }
        }
    }

    private func takeTurn() -> SerializedConnection? {
        lock.withLock {
            guard state == .ready, case .connection(let connection) = turn else { return nil }
            state = .running
            return connection
        }
    }

    private func run<T>(on connection: SerializedConnection, _ body: (Database) throws -> T) throws -> T {
        defer { entrance.release(connection, request, readerKind) }
        defer { setTimer(nil) }
        return try connection.run(mayEndEarly || connection.database.engine != nil ? self : nil, body)
    }

    /// Whether statements must look at the access.
    private var mayEndEarly: Bool { if case .task = form { true } else { !request.isPlain || interruption.deadline != nil } }

    /// Waits on this thread for the turn, and runs the access.
    ///
    /// - Parameter resources: what the thread waits for, if it is inside another access.
    /// - Throws: the error of the closure, of the wait or of opening a connection; or `SQLITE_MISUSE` where the wait would deadlock.
    func runOnThisThread<T>(waitingFor resources: [AccessWaits.Resource], _ body: (Database) throws -> T) throws -> T {
        guard case .thread(let semaphore) = form else { fatalError("A thread waited for the access of a task or a callback.") }
        try AccessWaits.shared.waiting(for: resources) {
            start()
            if AccessWaits.isInsideAccess, let threads = SharedThreads.ofThread {
                threads.whileBlocked { wait(for: semaphore) }
            } else {
                wait(for: semaphore)
            }
        }
        // The connection opens on this thread, which waits anyway. Another thread could still refer to the pool after the program released
        // it, which would delay the removal of the write-ahead log.
        if case .opening(_, let connect) = lock.withLock({ turn }) {
            let connection = try connect()
            _ = move(from: .ready, to: .ready, .connection(connection))
        }
        guard let connection = takeTurn() else { throw failure }
        startTimer()
        return try connection.onItsQueue { try run(on: connection, body) }
    }

    private func wait(for semaphore: DispatchSemaphore) {
        guard let deadline = interruption.deadline else { return semaphore.wait() }
        repeat {
            let remaining = deadline.remaining
            if remaining <= .zero { return end(.timeout) }
            if semaphore.wait(timeout: .now() + remaining / .seconds(1)) == .success { return }
        } while true
    }

    // MARK: - Tasks

    /// Runs an access as a part of the current task.
    ///
    /// - Throws: the error of the closure, of the wait or of opening a connection; or `CancellationError`.
    static func runInTask<T: Sendable>(
        _ request: AccessRequest, until deadline: AccessDeadline?, at entrance: any AccessEntrance, _ readerKind: ReaderPool.Kind,
        _ body: @Sendable (Database) throws -> T
    ) async throws -> T {
        try Task.checkCancellation()
        let access = Access(request, .task(DispatchQoS(Task.currentPriority)), until: deadline, at: entrance, readerKind)
        return try await withTaskCancellationHandler {
            try await AccessActor(access).run(body)
        } onCancel: {
            access.end(.cancellation)
        }
    }

    /// Begins to wait with the job of the task, or continues after the access.
    fileprivate func enter(_ job: UnownedJob) {
        // The runtime does not retain the executor. The job may run and release it before this method returns.
        let reference = Unmanaged.passRetained(self)
        defer { reference.release() }
        let hasRun = lock.withLock {
            if state != .running { self.job = job }
            return state == .running
        }
        // After the commit that it has waited for, the task only leaves the actor: no other thread needs to wake up for it.
        if hasRun { job.runSynchronously(on: asUnownedSerialExecutor()) } else { start() }
    }

    private func runJob() {
        let job = lock.withLock { self.job.take() }
        job?.runSynchronously(on: asUnownedSerialExecutor())
    }

    /// Runs the access inside the job.
    fileprivate func runInJob<T>(_ body: (Database) throws -> T) throws -> T {
        guard case .connection(let connection) = lock.withLock({ turn }) else { throw failure }
        return try run(on: connection, body)
    }
}

// MARK: - The executor

/// The actor of an access is the access itself: when its task comes to the actor, it enqueues its job, and is suspended. The job runs when the
/// access has its turn, on the dispatch queue of the connection, with the task-local values, priority and cancellation of the task, and no
/// thread of the cooperative pool waits. The job of an access that ends early only throws. It runs on the thread for early ends, and neither on
/// the thread that cancels, which holds the task's locks, nor on the cooperative pool, whose threads may all be blocked.
///
/// A write that shares its commit is suspended once more, until the commit. Its second job leaves the actor, and does nothing else: it runs at
/// once, on the thread that commits, inside the job of another access. To the runtime, one is as good as the other.
///
/// Source: <https://github.com/swiftlang/swift-evolution/blob/main/proposals/0392-custom-actor-executors.md>
extension Access: SerialExecutor {
    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    // `ExecutorJob` requires newer Apple systems than Strata does. They accept the older type of jobs.
    #if canImport(Darwin)
        func enqueue(_ job: UnownedJob) { enter(job) }
    #else
        func enqueue(_ job: consuming ExecutorJob) { enter(UnownedJob(job)) }
    #endif
}

/// The actor of one access.
private actor AccessActor {
    private let access: Access

    init(_ access: Access) {
        self.access = access
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { access.asUnownedSerialExecutor() }

    func run<T: Sendable>(_ body: @Sendable (Database) throws -> T) async throws -> T {
        let result = Result { try access.runInJob(body) }
        // The task leaves the actor once, when it can return.
        if let member = access.request.commitMember { _ = await member.wait() }
        return try result.get()
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
