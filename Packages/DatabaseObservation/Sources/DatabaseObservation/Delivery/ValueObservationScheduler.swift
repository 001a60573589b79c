import Dispatch

/// Decides where an observation delivers its values and its error.
///
/// | scheduler | delivers |
/// |---|---|
/// | `.async(onQueue:)` | on a dispatch queue |
/// | `.task`, `.task(priority:)` | in a task that is created with the scheduler, and has its task-local values |
/// | `.mainActor` | on the main actor |
/// | `.immediate` | on the main actor, and the first value before `start` returns |
public protocol ValueObservationScheduler: Sendable {
    /// Returns whether the first value is fetched and delivered before `start` returns, on its thread.
    func immediateInitialValue() -> Bool

    /// Schedules an action.
    ///
    /// An observation schedules an action after its previous one has run. A scheduler that serves several observations may run their
    /// actions at the same time.
    func schedule(_ action: @escaping @Sendable () -> Void)
}

/// A scheduler that delivers on the main actor.
public protocol ValueObservationMainActorScheduler: ValueObservationScheduler {
    /// Schedules an action on the main actor.
    func scheduleOnMainActor(_ action: @escaping @MainActor () -> Void)
}

extension ValueObservationMainActorScheduler {
    /// Schedules an action on the main actor.
    public func schedule(_ action: @escaping @Sendable () -> Void) {
        scheduleOnMainActor { action() }
    }
}

// MARK: - Dispatch queues

/// A scheduler that delivers on a dispatch queue.
public struct AsyncValueObservationScheduler: ValueObservationScheduler {
    private let queue: DispatchQueue

    /// Creates a scheduler that delivers on a dispatch queue.
    public init(queue: DispatchQueue) {
        self.queue = queue
    }

    /// Returns false.
    public func immediateInitialValue() -> Bool { false }

    /// Schedules an action on the queue.
    public func schedule(_ action: @escaping @Sendable () -> Void) { queue.async(execute: action) }
}

extension ValueObservationScheduler where Self == AsyncValueObservationScheduler {
    /// Delivers on a dispatch queue. The values of one observation come one after the other, even if the queue is concurrent.
    public static func async(onQueue queue: DispatchQueue) -> AsyncValueObservationScheduler {
        AsyncValueObservationScheduler(queue: queue)
    }
}

// MARK: - Tasks

/// A scheduler that delivers in a task.
public final class TaskValueObservationScheduler: ValueObservationScheduler {
    private let actions: AsyncStream<@Sendable () -> Void>.Continuation

    /// Creates a scheduler and its task, which has the task-local values of the current task.
    init(priority: TaskPriority?) {
        let (stream, actions) = AsyncStream.makeStream(of: (@Sendable () -> Void).self)
        self.actions = actions
        Task(priority: priority) {
            for await action in stream { action() }
        }
    }

    deinit {
        actions.finish()
    }

    /// Returns false.
    public func immediateInitialValue() -> Bool { false }

    /// Schedules an action. The actions run one after the other.
    public func schedule(_ action: @escaping @Sendable () -> Void) { actions.yield(action) }
}

extension ValueObservationScheduler where Self == TaskValueObservationScheduler {
    /// Delivers in a task with the priority of the current one.
    public static var task: TaskValueObservationScheduler { TaskValueObservationScheduler(priority: nil) }

    /// Delivers in a task with a priority.
    public static func task(priority: TaskPriority) -> TaskValueObservationScheduler { TaskValueObservationScheduler(priority: priority) }
}

// MARK: - The main actor

/// A scheduler that delivers on the main actor, and never before `start` returns.
public final class DelayedMainActorValueObservationScheduler: ValueObservationMainActorScheduler {
    init() {}

    /// Returns false.
    public func immediateInitialValue() -> Bool { false }

    /// Schedules an action on the main actor.
    public func scheduleOnMainActor(_ action: @escaping @MainActor () -> Void) { MainThread.schedule(action) }
}

extension ValueObservationScheduler where Self == DelayedMainActorValueObservationScheduler {
    /// Delivers on the main actor.
    public static var mainActor: DelayedMainActorValueObservationScheduler { DelayedMainActorValueObservationScheduler() }
}

/// A scheduler that delivers on the main actor, and the first value before `start` returns.
public struct ImmediateValueObservationScheduler: ValueObservationMainActorScheduler {
    /// Creates a scheduler.
    public init() {}

    /// Returns whether the caller is on the main thread. From another thread, the first value comes later, like the others.
    public func immediateInitialValue() -> Bool { MainThread.isCurrent }

    /// Schedules an action on the main actor.
    public func scheduleOnMainActor(_ action: @escaping @MainActor () -> Void) { MainThread.schedule(action) }
}

extension ValueObservationScheduler where Self == ImmediateValueObservationScheduler {
    /// Delivers on the main actor, and the first value before `start` returns.
    public static var immediate: ImmediateValueObservationScheduler { ImmediateValueObservationScheduler() }
}

/// The main thread, without Foundation.
enum MainThread {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// Whether the current thread runs the main queue.
    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

    static func schedule(_ action: @escaping @MainActor () -> Void) {
        DispatchQueue.main.async { MainActor.assumeIsolated(action) }
    }
}
