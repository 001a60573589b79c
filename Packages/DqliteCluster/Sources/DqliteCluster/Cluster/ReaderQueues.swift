import Foundation
import SQLiteDriver

/// The connections that read from a cluster.
///
/// `@unchecked Sendable`: the lock guards the properties.
final class ReaderQueues: @unchecked Sendable {
    private struct Seat {
        let queue: DatabaseQueue
        var userCount = 0
    }

    private let lock = NSLock()
    private let maximumCount: Int
    private let make: @Sendable () throws -> DatabaseQueue
    private var seats: [Seat] = []
    private var openingCount = 0
    private var isClosed = false

    /// The queues that threads are accessing, the innermost last.
    private var accessed: [(thread: ObjectIdentifier, queue: DatabaseQueue)] = []

    init(maximumCount: Int, _ make: @escaping @Sendable () throws -> DatabaseQueue) {
        self.maximumCount = max(1, maximumCount)
        self.make = make
    }

    /// Returns the queue with the fewest users, or a new one, which ``leave(_:)`` gives back.
    func enter() throws -> DatabaseQueue {
        if let queue = try enterPresent() { return queue }
        // Opening connects to the cluster, which may take long, and must not hold up other accesses.
        let result = Result { try make() }
        return try lock.withLock {
            openingCount -= 1
            let queue = try result.get()
            if isClosed { throw Self.closed }
            seats.append(Seat(queue: queue, userCount: 1))
            return queue
        }
    }

    /// - Returns: nil if the caller is to open a new queue, which is counted already.
    private func enterPresent() throws -> DatabaseQueue? {
        lock.lock()
        defer { lock.unlock() }
        if isClosed { throw Self.closed }
        let best = seats.indices.min { seats[$0].userCount < seats[$1].userCount }
        if let best, seats[best].userCount == 0 || seats.count + openingCount >= maximumCount {
            seats[best].userCount += 1
            return seats[best].queue
        }
        openingCount += 1
        return nil
    }

    private static var closed: DatabaseError {
        DatabaseError(resultCode: .SQLITE_MISUSE, message: "the cluster is closed. Open it again.")
    }

    func leave(_ queue: DatabaseQueue) {
        lock.lock()
        defer { lock.unlock() }
        if let index = seats.firstIndex(where: { $0.queue === queue }) { seats[index].userCount -= 1 }
    }

    /// Runs the closure of an access, and notes that this thread uses the queue.
    func during<T>(_ queue: DatabaseQueue, _ body: () throws -> T) rethrows -> T {
        let thread = ObjectIdentifier(Thread.current)
        lock.lock()
        accessed.append((thread, queue))
        lock.unlock()
        defer {
            lock.lock()
            if let index = accessed.lastIndex(where: { $0.thread == thread }) { accessed.remove(at: index) }
            lock.unlock()
        }
        return try body()
    }

    /// The queue that this thread is accessing.
    var current: DatabaseQueue? {
        let thread = ObjectIdentifier(Thread.current)
        lock.lock()
        defer { lock.unlock() }
        return accessed.last { $0.thread == thread }?.queue
    }

    func forEach(_ body: (DatabaseQueue) throws -> Void) rethrows {
        lock.lock()
        let queues = seats.map(\.queue)
        lock.unlock()
        try queues.forEach(body)
    }

    func close() throws {
        lock.lock()
        isClosed = true
        let queues = seats.map(\.queue)
        lock.unlock()
        for queue in queues { try queue.close() }
        lock.lock()
        seats = []
        lock.unlock()
    }
}
