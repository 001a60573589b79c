import Dispatch

/// The progress of migrations.
public struct MigrationProgress: Hashable, Sendable {
    /// A phase of a migration.
    public enum Phase: Sendable {
        /// The migration is about to run.
        case begins
        /// The migration is committed.
        case ended
    }

    /// The phase of the migration.
    public let phase: Phase

    /// The identifier of the migration.
    public let identifier: String

    /// The number of the migration among the migrations that run now, from 1.
    public let number: Int

    /// The number of migrations that run now.
    public let count: Int

    /// The time since the first migration began.
    public let elapsed: Duration
}

/// Reports the progress of migrations, and can interrupt them.
///
/// ```swift
/// let monitor = MigrationMonitor(queue) { progress in
///     print("\(progress.number) of \(progress.count): \(progress.identifier)")
/// }
/// cancelButton.onClick { monitor.interrupt() }
/// try migrator.migrate(queue, monitor: monitor)
/// ```
public final class MigrationMonitor: Sendable {
    private let database: any DatabaseReader
    private let onProgress: @Sendable (MigrationProgress) -> Void
    /// Signalled by `interrupt()`.
    private let interruption = DispatchSemaphore(value: 0)

    /// Creates a monitor.
    ///
    /// - Parameters:
    ///   - database: the database that is migrated.
    ///   - onProgress: called on the thread that migrates, inside the access, before and after each migration.
    public init(_ database: any DatabaseReader, onProgress: @escaping @Sendable (MigrationProgress) -> Void = { _ in }) {
        self.database = database
        self.onProgress = onProgress
    }

    /// Interrupts the current migration: its current statement, or the next one, fails with `SQLITE_INTERRUPT`. The migration is rolled
    /// back, the migrations before it stay applied, and no further migration begins. Can be called from any thread.
    public func interrupt() {
        interruption.signal()
        database.interrupt()
    }

    /// Whether the migrations were interrupted.
    public var isInterrupted: Bool {
        guard interruption.wait(timeout: .now()) == .success else { return false }
        interruption.signal()
        return true
    }

    func report(_ progress: MigrationProgress) {
        onProgress(progress)
    }
}
