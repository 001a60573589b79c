import CSQLiteShims

/// An iteration of a task over rows that a database access produces one by one.
///
/// The access and the task depend on each other: the access waits while the task is busy with a row. The task must therefore not
/// wait for the connection of the access meanwhile: such an access throws `SQLITE_MISUSE`, like a nested access. Accesses of other
/// tasks wait for their turn. A layer that provides asynchronous sequences uses an object of this class to inform the driver.
///
/// - Note: the driver knows a task by its identity. It does not detect an access by a child task that the iterating task awaits in
///   the loop: that access deadlocks.
package final class DatabaseIteration: Sendable {
    /// The number of the task that takes the rows; 0 before the first row.
    private let consumer = AtomicWord()
    /// The sources of the rows: connections, or pools.
    private let sources = Guarded<[ObjectIdentifier]>([])

    /// Creates an iteration. The ``AccessRequest`` of the access that produces its rows names it.
    package init() {}

    /// Declares that the current task takes the rows from now on. Call it for each row.
    package func takeOver() {
        let task = Self.currentTask
        if consumer.value == task { return }
        consumer.value = task
        IterationRegistry.shared.set(self, isRunning: true)
    }

    /// Declares that the task takes no further rows. From then on, accesses of the task wait for their turn again, even for the end of the
    /// access that produced the rows.
    package func end() {
        IterationRegistry.shared.set(self, isRunning: false)
    }

    /// A number that is unique among the tasks that exist, 0 outside tasks.
    fileprivate static var currentTask: UInt {
        withUnsafeCurrentTask { task in task.map { UInt(bitPattern: $0.hashValue) | 1 } ?? 0 }
    }

    fileprivate var consumingTask: UInt { consumer.value }
    fileprivate func hasSource(_ source: AnyObject) -> Bool { sources.withLock { $0.contains(ObjectIdentifier(source)) } }

    /// Records that a connection or a pool produces the rows.
    func add(source: AnyObject) { sources.withLock { $0.append(ObjectIdentifier(source)) } }
}

/// The iterations of the process that are running.
final class IterationRegistry: Sendable {
    static let shared = IterationRegistry()

    private let iterations = Guarded<[ObjectIdentifier: DatabaseIteration]>([:])

    /// The number of iterations. When it is 0, accesses skip the lookup.
    private let count = AtomicWord()

    fileprivate func set(_ iteration: DatabaseIteration, isRunning: Bool) {
        iterations.withLock { iterations in
            iterations[ObjectIdentifier(iteration)] = isRunning ? iteration : nil
            count.value = UInt(iterations.count)
        }
    }

    /// Whether the current task iterates over rows from a connection or a pool.
    ///
    /// - Parameter own: the iteration that the access produces rows for.
    func isIterating(_ source: AnyObject, producing own: DatabaseIteration? = nil) -> Bool {
        guard count.value != 0 else { return false }
        // An access that produces the rows of an iteration works for the task that takes the rows, and so do the accesses inside it.
        let iteration = own ?? Database.accessedByThread.lazy.compactMap { $0.access?.request.iteration }.first
        let task = iteration?.consumingTask ?? DatabaseIteration.currentTask
        guard task != 0 else { return false }
        return iterations.withLock { iterations in
            iterations.values.contains { $0 !== iteration && $0.consumingTask == task && $0.hasSource(source) }
        }
    }
}

extension DatabaseError {
    /// The error of an access that would wait for the end of an iteration, which waits for the task.
    static var accessInsideIteration: DatabaseError {
        DatabaseError(
            code: .SQLITE_MISUSE, message: "the connection is busy with the sequence that the current task iterates",
            advice: "Access the database after the loop, or use a DatabasePool, which has other connections.")
    }
}
