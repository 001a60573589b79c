import Dispatch

/// How far migrations are.
public struct MigrationProgress: Hashable, Sendable {
    /// What happens to a migration.
    public enum Phase: Sendable {
        /// It is about to run.
        case begins
        /// It is committed.
        case ended
    }

    /// What happens.
    public let phase: Phase

    /// The migration to which it happens.
    public let identifier: String

    /// Its number among those that run now, from 1.
    public let number: Int

    /// The number of migrations that run now.
    public let count: Int

    /// The time since the first of them began.
    public let elapsed: Duration
}

/// Follows migrations, and can interrupt them.
///
/// ```swift
/// let monitor = MigrationMonitor(queue) { progress in
///     print("\(progress.number) of \(progress.count): \(progress.identifier), after \(progress.elapsed)")
/// }
/// cancelButton.onClick { monitor.interrupt() }
/// try migrator.migrate(queue, monitor: monitor)
/// ```
///
/// `rebuild` reports how many rows it has copied by a closure of its own.
public final class MigrationMonitor: Sendable {
    private let database: any DatabaseReader
    private let onProgress: @Sendable (MigrationProgress) -> Void
    /// Signalled once interrupted.
    private let interruption = DispatchSemaphore(value: 0)

    /// Makes a monitor.
    ///
    /// - Parameters:
    ///   - database: the database that is migrated.
    ///   - onProgress: called on the thread that migrates, inside the access, before and after each migration.
    public init(_ database: any DatabaseReader, onProgress: @escaping @Sendable (MigrationProgress) -> Void = { _ in }) {
        self.database = database
        self.onProgress = onProgress
    }

    /// Makes the migration that runs fail with `SQLITE_INTERRUPT`: the statement that runs, or the next one. It is undone, those before
    /// it stay, and no other one begins. Safe from any thread.
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
