import CSQLiteShims
import Dispatch

/// The thread that ends accesses early. It waits for their deadlines, and runs the jobs of tasks that only throw.
///
/// It is not one of the threads of Dispatch, because accesses and callbacks may block all of them. No code of the program runs here, and
/// nothing that waits: one slow action would delay all deadlines of the process.
enum EarlyEndThread {
    private struct State {
        /// The actions, ordered by their times.
        var actions: [(time: ContinuousClock.Instant, number: Int, action: @Sendable () -> Void)] = []
        var nextNumber = 0
        /// When the thread looks again; nil if it waits for a signal.
        var wakeTime: ContinuousClock.Instant?

        /// The index of an action, or of its place.
        func index(of time: ContinuousClock.Instant, _ number: Int) -> Int {
            var (low, high) = (0, actions.count)
            while low < high {
                let middle = (low + high) / 2
                if (actions[middle].time, actions[middle].number) < (time, number) { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    private static let state = Guarded(State())
    private static let hasChanged = DispatchSemaphore(value: 0)
    /// Starts the thread with its first use.
    private static let thread: Void = OwnThread.start { run() }

    /// An action that can be cancelled before its time.
    struct Timer: Sendable {
        fileprivate let time: ContinuousClock.Instant
        fileprivate let number: Int

        func cancel() {
            // Released outside the lock.
            _ = state.withLock { state in
                let index = state.index(of: time, number)
                return index < state.actions.count && state.actions[index].number == number ? state.actions.remove(at: index) : nil
            }
        }
    }

    /// Calls a closure at a time, or as soon as possible if that time has passed.
    @discardableResult
    static func call(at time: ContinuousClock.Instant = .now, _ action: @escaping @Sendable () -> Void) -> Timer {
        let (timer, isEarlier) = state.withLock { state in
            defer { state.nextNumber += 1 }
            state.actions.insert((time, state.nextNumber, action), at: state.index(of: time, state.nextNumber))
            let isEarlier = state.wakeTime.map { time < $0 } ?? true
            if isEarlier { state.wakeTime = time }
            return (Timer(time: time, number: state.nextNumber), isEarlier)
        }
        _ = thread
        if isEarlier { hasChanged.signal() }
        return timer
    }

    private static func run() {
        while true {
            let (actions, wakeTime) = state.withLock { state in
                let count = state.index(of: .now, .max)
                defer { state.actions.removeFirst(count) }
                state.wakeTime = count < state.actions.count ? state.actions[count].time : nil
                return (state.actions[..<count].map(\.action), state.wakeTime)
            }
            for action in actions { action() }
            let remaining = wakeTime.map { max(ContinuousClock.now.duration(to: $0) / .seconds(1), 0) }
            _ = hasChanged.wait(timeout: remaining.map { .now() + $0 } ?? .distantFuture)
        }
    }
}

/// A thread that runs one closure, and is none of the threads of Dispatch.
enum OwnThread {
    private static let bodies = Guarded<[@Sendable () -> Void]>([])

    /// Starts a thread. If the system has no more threads, the closure runs on one of Dispatch.
    static func start(_ body: @escaping @Sendable () -> Void) {
        bodies.withLock { $0.append(body) }
        let hasStarted = strata_start_thread { OwnThread.bodies.withLock { $0.removeFirst() }() }
        if hasStarted == 0 { DispatchQueue(label: "Strata.thread").async { OwnThread.bodies.withLock { $0.removeFirst() }() } }
    }
}

/// Calls closures later, without a thread of Dispatch. They must not wait, or call code of the program.
package enum DatabaseTimer {
    package static func call(after duration: Duration, _ action: @escaping @Sendable () -> Void) {
        EarlyEndThread.call(at: .now.advanced(by: duration), action)
    }
}
