import CSQLiteShims
import Dispatch

/// The thread that ends accesses early. It waits for their deadlines, and runs the jobs of tasks that only throw.
///
/// It is not one of the threads of Dispatch, because accesses and callbacks may block all of them. No code of the program runs here, and
/// nothing that waits: one slow action would delay all deadlines of the process.
final class EarlyEndThread: Sendable {
    static let shared = EarlyEndThread()

    private struct State {
        /// The actions, ordered by their times.
        var actions: [(time: ContinuousClock.Instant, number: Int, action: @Sendable () -> Void)] = []
        var jobs: [@Sendable () -> Void] = []
        var nextNumber = 0
        /// When the thread looks again; nil if it waits for a signal.
        var wakeTime: ContinuousClock.Instant?
        var isStarted = false

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

    private let state = Guarded(State())
    private let hasChanged = DispatchSemaphore(value: 0)

    /// An action that can be cancelled before its time.
    struct Timer: Sendable {
        fileprivate let time: ContinuousClock.Instant
        fileprivate let number: Int

        func cancel() { EarlyEndThread.shared.cancel(self) }
    }

    /// Calls a closure at a time, or immediately if that time has passed.
    func call(at time: ContinuousClock.Instant, _ action: @escaping @Sendable () -> Void) -> Timer {
        let (timer, isEarlier) = state.withLock { state in
            defer { state.nextNumber += 1 }
            let index = state.index(of: time, state.nextNumber)
            state.actions.insert((time, state.nextNumber, action), at: index)
            let isEarlier = state.wakeTime.map { time < $0 } ?? true
            if isEarlier { state.wakeTime = time }
            return (Timer(time: time, number: state.nextNumber), isEarlier)
        }
        if isEarlier { wake() }
        return timer
    }

    private func cancel(_ timer: Timer) {
        // Released outside the lock.
        _ = state.withLock { state in
            let index = state.index(of: timer.time, timer.number)
            return index < state.actions.count && state.actions[index].number == timer.number ? state.actions.remove(at: index) : nil
        }
    }

    /// Calls a closure as soon as possible.
    func perform(_ job: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            state.jobs.append(job)
            return state.jobs.count == 1
        }
        if isFirst { wake() }
    }

    private func wake() {
        let isStarted = state.withLock { state in
            defer { state.isStarted = true }
            return state.isStarted
        }
        hasChanged.signal()
        if !isStarted { OwnThread.start { EarlyEndThread.shared.run() } }
    }

    private func run() {
        while true {
            let (jobs, wakeTime) = state.withLock { state in
                var jobs = state.jobs
                state.jobs = []
                let now = ContinuousClock.now
                let count = state.actions.firstIndex { $0.time > now } ?? state.actions.count
                jobs += state.actions[..<count].map(\.action)
                state.actions.removeFirst(count)
                state.wakeTime = state.actions.first?.time
                return (jobs, state.wakeTime)
            }
            for job in jobs { job() }
            if let wakeTime {
                let remaining = ContinuousClock.now.duration(to: wakeTime) / .seconds(1)
                _ = hasChanged.wait(timeout: .now() + max(remaining, 0))
            } else {
                hasChanged.wait()
            }
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
        _ = EarlyEndThread.shared.call(at: .now.advanced(by: duration), action)
    }
}
