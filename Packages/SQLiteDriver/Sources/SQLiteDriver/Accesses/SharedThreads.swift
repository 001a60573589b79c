import Dispatch

/// A number of threads that the connections of many databases share: each of their queues could take a thread of its own.
///
/// A concurrent ``Configuration/targetQueue`` shares threads, too. But on Linux, Dispatch runs only one access for each core there, and adds one
/// thread a second if all of them wait for locks or for the disk.
package final class SharedThreads: Sendable {
    private typealias Job = (queue: DispatchQueue, qos: DispatchQoS, work: @Sendable () -> Void)

    private struct State {
        var usedCount = 0
        var waiting: [Job] = []
    }

    private let state = Guarded(State())
    private let count: Int

    package init(count: Int) {
        self.count = count
    }

    /// Runs work on a queue, as soon as less than the number of threads are in use.
    package func run(on queue: DispatchQueue, _ qos: DispatchQoS = .unspecified, _ work: @escaping @Sendable () -> Void) {
        let isFree = state.withLock { state in
            if state.usedCount >= count {
                state.waiting.append((queue, qos, work))
                return false
            }
            state.usedCount += 1
            return true
        }
        if isFree { start((queue, qos, work)) }
    }

    private func start(_ job: Job) {
        DispatchQueue(label: "Strata.threads").async { [self] in
            var next: Job? = job
            // The thread runs what waits itself: Dispatch would start another one, as this one has not ended.
            while let job = next {
                job.queue.sync(execute: DispatchWorkItem(qos: job.qos, flags: Self.flags(job.qos), block: job.work))
                next = giveBack()
            }
        }
    }

    /// - Returns: work that takes the place of the work that has ended.
    private func giveBack() -> Job? {
        state.withLock { state in
            if state.usedCount <= count, !state.waiting.isEmpty { return state.waiting.removeFirst() }
            state.usedCount -= 1
            return nil
        }
    }

    /// Waits on one of the threads. Meanwhile, another one may be used in its place, as the wait may be for work that has no thread yet.
    package func whileBlocked<T>(_ wait: () throws -> T) rethrows -> T {
        if let next = giveBack() { start(next) }
        defer { state.withLock { $0.usedCount += 1 } }
        return try wait()
    }

    /// The threads to one of which the innermost access of this thread belongs, if it may.
    package static var ofThread: SharedThreads? { Database.accessedByThread.lazy.compactMap { $0.configuration.sharedThreads }.first }

    /// Runs work on a queue.
    static func start(on queue: DispatchQueue, _ qos: DispatchQoS, _ work: @escaping @Sendable () -> Void) {
        queue.async(qos: qos, flags: flags(qos), execute: work)
    }

    private static func flags(_ qos: DispatchQoS) -> DispatchWorkItemFlags { qos == .unspecified ? [] : .enforceQoS }
}
