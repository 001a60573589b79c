/// A type-erased ``DatabaseWriter``.
public final class AnyDatabaseWriter: DatabaseReaderWrapper, DatabaseWriter {
    private let writer: any DatabaseWriter

    /// The writer that runs the accesses.
    public var base: any DatabaseReader { writer }

    /// Wraps a writer.
    public init(_ base: any DatabaseWriter) {
        writer = base
    }

    /// Accesses the database without a transaction: each statement is committed on its own.
    public func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
        try writer.writeWithoutTransaction(updates)
    }

    /// Accesses the database without a transaction, and without blocking a thread.
    public func writeWithoutTransaction<T: Sendable>(
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await writer.writeWithoutTransaction(updates)
    }

    /// Schedules an access without a transaction, and returns immediately.
    public func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {
        writer.asyncWriteWithoutTransaction(updates)
    }

    /// Accesses the database without a transaction, while no read is running.
    public func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
        try writer.barrierWriteWithoutTransaction(updates)
    }

    /// Accesses the database without a transaction, while no read is running, and without blocking a thread.
    public func barrierWriteWithoutTransaction<T: Sendable>(
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await writer.barrierWriteWithoutTransaction(updates)
    }

    /// Schedules an access without a transaction, while no read is running, and returns immediately.
    public func asyncBarrierWriteWithoutTransaction(_ updates: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        writer.asyncBarrierWriteWithoutTransaction(updates)
    }

    /// Accesses the database within this thread's current write, or in its own access if there is none.
    public func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) throws -> T {
        try writer.unsafeReentrantWrite(updates)
    }

    /// Reads the changes that were just written, while other accesses may write again.
    public func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        writer.spawnConcurrentRead(value)
    }
}
