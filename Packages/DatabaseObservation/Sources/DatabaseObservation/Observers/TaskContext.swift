import Dispatch

/// Runs closures of an observation as parts of a task, so that they have the task-local values and the priority of the task that has
/// started the observation.
///
/// Like an access that a task awaits, such a closure runs on the thread of the connection. The task was created when the observation
/// started, and inherits its values from the current task. It waits for closures in `closures`, the executor of an actor: its job is
/// available whenever no closure is running. A thread that needs to run a closure takes that job and runs it. The task calls the closure
/// and then awaits an actor with another executor, `turn`, so that it is suspended. The thread takes the job from there and runs it, too,
/// which returns the task to the first actor. All of this happens on one thread, before ``run(_:)`` returns, and never waits for the
/// cooperative pool.
///
/// Source: <https://github.com/swiftlang/swift-evolution/blob/main/proposals/0392-custom-actor-executors.md>
final class TaskContext: Sendable {
    private struct State {
        /// The closure that the task runs next. It does not escape from ``run(_:)``.
        var work: (() -> Void)?
        /// Whether the task has come to the actor.
        var isReady = false
        var whenReady: [@Sendable () -> Void] = []
        var isEnding = false
        var hasEnded = false
    }

    private let state = Guarded(State())
    /// Held by the thread that runs the task.
    private let access = DispatchSemaphore(value: 1)
    fileprivate let closures = JobExecutor()
    fileprivate let turn = JobExecutor()

    /// Returns a context of the current task, or nil outside tasks.
    static func current() -> TaskContext? {
        guard withUnsafeCurrentTask(body: { $0 != nil }) else { return nil }
        let context = TaskContext()
        context.closures.onFirstJob { context.becomeReady() }
        Task { await ClosureActor(context).run() }
        return context
    }

    // MARK: - Closures

    /// Calls a closure when the task can run closures, immediately or later. It is not called if the context ends before.
    func whenReady(_ action: @escaping @Sendable () -> Void) {
        let isReady = state.withLock { state in
            if !state.isReady, !state.isEnding { state.whenReady.append(action) }
            return state.isReady
        }
        if isReady { action() }
    }

    /// Runs a closure on this thread, as a part of the task. After the end of the context, it runs without the task.
    func run<T>(_ body: () throws -> T) throws -> T {
        var result: Result<T, any Error>?
        access.wait()
        withoutActuallyEscaping({ result = Result(catching: body) }) { work in
            let isPossible = state.withLock { state in
                guard state.isReady, !state.hasEnded else { return false }
                state.work = work
                return true
            }
            if isPossible {
                closures.runJob()
                turn.runJob()
            } else {
                work()
            }
        }
        access.signal()
        endIfNeeded()
        return try result!.get()
    }

    /// Ends the task. Closures that are run afterwards run without it.
    func end() {
        state.withLock { state in
            state.isEnding = true
            state.whenReady = []
        }
        endIfNeeded()
    }

    private func endIfNeeded() {
        // If another thread runs the task, that thread ends it.
        guard state.withLock({ $0.isEnding && $0.isReady && !$0.hasEnded }), access.wait(timeout: .now()) == .success else { return }
        let isOver = state.withLock { state in
            defer { state.hasEnded = true }
            return state.hasEnded
        }
        if !isOver { closures.runJob() }
        access.signal()
    }

    private func becomeReady() {
        let (isEnding, whenReady) = state.withLock { state in
            defer {
                state.isReady = true
                state.whenReady = []
            }
            return (state.isEnding, state.whenReady)
        }
        // The runtime has not finished with the job yet, so it must not run here.
        if isEnding { Self.ends.async { self.endIfNeeded() } }
        for action in whenReady { action() }
    }

    private static let ends = DispatchQueue(label: "Strata.observation.ends")

    /// Runs the closure. When this method returns, the task no longer has a reference to it.
    ///
    /// - Returns: false if there is no closure, because the task must end.
    fileprivate func runWork() -> Bool {
        let work = state.withLock { $0.work.take() }
        work?()
        return work != nil
    }
}

extension TaskContext? {
    /// Runs a closure on this thread, as a part of the task if there is one.
    func perform<T>(_ body: () throws -> T) throws -> T {
        guard let self else { return try body() }
        return try self.run(body)
    }
}

/// The actor on which a context runs closures. It retains the context while its task continues.
private actor ClosureActor {
    private nonisolated let context: TaskContext
    private let turn: TurnActor

    init(_ context: TaskContext) {
        self.context = context
        turn = TurnActor(context.turn)
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { context.closures.asUnownedSerialExecutor() }

    func run() async {
        while context.runWork() { await turn.pass() }
    }
}

/// The actor at which the task of a context turns around.
private actor TurnActor {
    private nonisolated let executor: JobExecutor

    init(_ executor: JobExecutor) {
        self.executor = executor
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The compiler would omit an actor that does nothing.
    @inline(never)
    func pass() { executor.notePass() }
}

/// An executor that keeps the one job of its task until a thread runs it.
private final class JobExecutor: SerialExecutor {
    private struct State {
        var job: UnownedJob?
        var onFirstJob: (@Sendable () -> Void)?
        var passes = 0
    }

    private let state = Guarded(State())

    /// Sets the closure that is called when the first job comes.
    func onFirstJob(_ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.onFirstJob = action }
    }

    func notePass() {
        state.withLock { $0.passes += 1 }
    }

    /// Runs the job on this thread.
    func runJob() {
        let job = state.withLock { $0.job.take() }
        guard let job else { fatalError("the task of an observation is not waiting for a closure") }
        job.runSynchronously(on: asUnownedSerialExecutor())
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    // `ExecutorJob` requires newer Apple systems than Strata does. They accept the older type of jobs.
    #if canImport(Darwin)
        func enqueue(_ job: UnownedJob) { add(job) }
    #else
        func enqueue(_ job: consuming ExecutorJob) { add(UnownedJob(job)) }
    #endif

    private func add(_ job: UnownedJob) {
        let action = state.withLock { state in
            defer { state.onFirstJob = nil }
            state.job = job
            return state.onFirstJob
        }
        action?()
    }
}
