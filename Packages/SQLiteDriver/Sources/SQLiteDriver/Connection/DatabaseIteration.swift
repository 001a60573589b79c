import CSQLiteShims

/// An iteration over rows that a database access gives one by one, while a task takes them.
///
/// The access and the task depend on each other: the access waits while the task is busy with a row. So the task must not wait for the
/// connection of the access meanwhile: such an access throws `SQLITE_MISUSE`, as one inside another does. Those of other tasks
/// wait. A layer that makes asynchronous sequences tells the driver with an object of this class:
///
/// ```swift
/// let iteration = DatabaseIteration()
/// let task = Task {
///     try await iteration.withAccess {
///         try await reader.read { db in … }  // gives its rows to the iterator, and waits while that has enough of them
///     }
/// }
/// // In the iterator
/// mutating func next() async throws -> Element? {
///     iteration.takeOver()
///     …
/// }
/// // When the last row is taken, and when the iterator goes away
/// iteration.end()
/// ```
///
/// - Note: the driver knows a task by its identity. It can't tell that a child task of the one that takes the rows, for which that one
///   waits in the loop, must not wait for the connection: it does, for ever.
///
/// `@unchecked Sendable`: the word is atomic.
public final class DatabaseIteration: @unchecked Sendable {
    /// The iteration for which the current task makes an access.
    @TaskLocal static var current: DatabaseIteration?

    /// The number of the task that takes the rows, 0 before the first one is taken.
    private let consumer: UnsafeMutablePointer<UInt>

    /// Makes an iteration.
    public init() {
        consumer = .allocate(capacity: 1)
        consumer.initialize(to: 0)
    }

    deinit {
        consumer.deallocate()
    }

    /// Runs something whose first asynchronous access, made by the current task, gives the rows of the iteration.
    ///
    /// - Throws: the error of the closure.
    public func withAccess<T: Sendable>(_ body: @Sendable () async throws -> T) async rethrows -> T {
        try await Self.$current.withValue(self) { try await body() }
    }

    /// Tells that it is the current task that takes the rows from now on. To be called for each row.
    public func takeOver() {
        let task = Self.currentTask
        if strata_atomic_load(consumer) == task { return }
        strata_atomic_store(consumer, task)
        IterationRegistry.shared.add(self)
    }

    /// Tells that no more rows are taken. Accesses of the task wait again, for the end of the access if need be.
    public func end() {
        IterationRegistry.shared.remove(self)
    }

    /// A number that differs between tasks that exist at the same time, 0 outside tasks.
    fileprivate static var currentTask: UInt {
        withUnsafeCurrentTask { task in task.map { UInt(bitPattern: $0.hashValue) | 1 } ?? 0 }
    }

    fileprivate var consumingTask: UInt { strata_atomic_load(consumer) }
}

/// The iterations that are under way in the process.
///
/// `@unchecked Sendable`: the lock guards the list, and the count is atomic.
final class IterationRegistry: @unchecked Sendable {
    static let shared = IterationRegistry()

    private struct Entry {
        let iteration: DatabaseIteration
        /// What gives the rows: connections, or pools of them.
        var places: [ObjectIdentifier] = []
    }

    private let lock = Lock()
    private var entries: [ObjectIdentifier: Entry] = [:]

    /// How many entries there are: the accesses of programs that have no iteration ask no more. It lives as long as the process.
    private let count: UnsafeMutablePointer<UInt>

    private init() {
        count = .allocate(capacity: 1)
        count.initialize(to: 0)
    }

    fileprivate func add(_ iteration: DatabaseIteration) {
        lock.withLock {
            if entries[ObjectIdentifier(iteration)] == nil { entries[ObjectIdentifier(iteration)] = Entry(iteration: iteration) }
            strata_atomic_store(count, UInt(entries.count))
        }
    }

    fileprivate func remove(_ iteration: DatabaseIteration) {
        lock.withLock {
            entries[ObjectIdentifier(iteration)] = nil
            strata_atomic_store(count, UInt(entries.count))
        }
    }

    /// Whether the current task takes rows that a connection, or a pool, gives.
    func isIterating(_ place: AnyObject) -> Bool {
        guard strata_atomic_load(count) != 0 else { return false }
        let iteration = DatabaseIteration.current
        let task = iteration?.consumingTask ?? DatabaseIteration.currentTask
        guard task != 0 else { return false }
        return lock.withLock {
            entries.values.contains { entry in
                entry.iteration !== iteration && entry.iteration.consumingTask == task
                    && entry.places.contains(ObjectIdentifier(place))
            }
        }
    }

    /// Refuses an access for which the task would wait that ends it.
    func check(_ place: AnyObject) throws {
        if isIterating(place) { throw DatabaseError.accessInsideIteration }
    }

    /// Refuses an access for which the task would wait that ends it, and notes that it gives the rows of the current iteration.
    func enter(_ place: AnyObject) throws {
        guard strata_atomic_load(count) != 0 else { return }
        try check(place)
        join(place)
    }

    /// Notes that a connection, or a pool, gives the rows of the current iteration.
    func join(_ place: AnyObject) {
        guard let iteration = DatabaseIteration.current else { return }
        lock.withLock { entries[ObjectIdentifier(iteration)]?.places.append(ObjectIdentifier(place)) }
    }
}

extension DatabaseError {
    fileprivate static var accessInsideIteration: DatabaseError {
        DatabaseError(
            code: .SQLITE_MISUSE, message: "the connection is busy with the sequence that the current task iterates",
            advice: "Access the database after the loop, or use a DatabasePool, which has other connections.")
    }
}
