import Dispatch

/// A number of threads that the connections of many databases share: each of their queues could take a thread of its own.
///
/// A concurrent ``Configuration/targetQueue`` shares threads, too. But on Linux, Dispatch runs only one access for each core there, and adds one
/// thread a second if all of them wait for locks or for the disk.
///
/// A thread without work waits for some, and does not end: until Dispatch knows that it has ended, Dispatch would start another one for the next work.
package final class SharedThreads: Sendable {
    private typealias Job = (queue: DispatchQueue, qos: DispatchQoS, work: @Sendable () -> Void)

    private struct State {
        var waiting: [Job] = []
        /// The threads that run work, or are about to. Those that are blocked don't count.
        var usedCount = 0
        /// The threads that wait for work, without those that have been signalled.
        var idleCount = 0
    }

    private let state = Guarded(State())
    /// Signalled for each idle thread that gets work.
    private let hasWork = DispatchSemaphore(value: 0)
    private let count: Int

    package init(count: Int) {
        self.count = count
    }

    /// Runs work on a queue, as soon as less than the number of threads are in use.
    package func run(on queue: DispatchQueue, _ qos: DispatchQoS = .unspecified, _ work: @escaping @Sendable () -> Void) {
        useThread { $0.waiting.append((queue, qos, work)) }
    }

    /// Waits on one of the threads. Meanwhile, another one may be used in its place, as the wait may be for work that has no thread yet.
    package func whileBlocked<T>(_ wait: () throws -> T) rethrows -> T {
        useThread { $0.usedCount -= 1 }
        defer { state.withLock { $0.usedCount += 1 } }
        return try wait()
    }

    /// Changes the state, and uses one more thread if there is work for it.
    private func useThread(_ change: (inout State) -> Void) {
        let isIdle = state.withLock { state -> Bool? in
            change(&state)
            guard state.usedCount < count, !state.waiting.isEmpty else { return nil }
            state.usedCount += 1
            if state.idleCount == 0 { return false }
            state.idleCount -= 1
            return true
        }
        guard let isIdle else { return }
        if isIdle { hasWork.signal() } else { DispatchQueue(label: "Strata.threads").async { self.runWork() } }
    }

    private func runWork() {
        while let job = nextJob() {
            job.queue.sync(execute: DispatchWorkItem(qos: job.qos, flags: Self.flags(job.qos), block: job.work))
        }
    }

    /// Waits for work.
    ///
    /// - Returns: nil if the thread ends.
    private func nextJob() -> Job? {
        while true {
            let (job, isIdle) = state.withLock { state -> (Job?, Bool) in
                if state.usedCount <= count, !state.waiting.isEmpty { return (state.waiting.removeFirst(), false) }
                state.usedCount -= 1
                // After threads were blocked, there are more than the number.
                if state.usedCount + state.idleCount >= count { return (nil, false) }
                state.idleCount += 1
                return (nil, true)
            }
            guard isIdle else { return job }
            // As long as an idle thread of Dispatch.
            if hasWork.wait(timeout: .now() + 5) == .success { continue }
            let isOver = state.withLock { state in
                if state.idleCount == 0 { return false }
                state.idleCount -= 1
                return true
            }
            if isOver { return nil }
            // All waiting threads have been signalled.
            hasWork.wait()
        }
    }

    /// The threads to one of which the innermost access of this thread belongs, if it may.
    package static var ofThread: SharedThreads? { Database.accessedByThread.lazy.compactMap { $0.configuration.sharedThreads }.first }

    /// Runs work on a queue.
    static func start(on queue: DispatchQueue, _ qos: DispatchQoS, _ work: @escaping @Sendable () -> Void) {
        queue.async(qos: qos, flags: flags(qos), execute: work)
    }

    private static func flags(_ qos: DispatchQoS) -> DispatchWorkItemFlags { qos == .unspecified ? [] : .enforceQoS }
}
