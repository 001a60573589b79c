/// A reader that passes all accesses on to another reader.
///
/// A wrapper declares its base, and inherits the rest:
///
/// ```swift
/// final class LoggedReader: DatabaseReaderWrapper {
///     let base: any DatabaseReader
///     init(_ base: any DatabaseReader) { self.base = base }
///
///     func read<T>(_ value: (Database) throws -> T) throws -> T {
///         print("read")
///         return try base.read(value)
///     }
/// }
/// ```
public protocol DatabaseReaderWrapper: DatabaseReader {
    /// The reader that runs the accesses.
    var base: any DatabaseReader { get }
}

extension DatabaseReaderWrapper {
    /// The configuration of the connections.
    public var configuration: Configuration { base.configuration }

    /// The path of the database file.
    public var path: String { base.path }

    /// Closes the database after the accesses that were requested before have ended. Later accesses throw.
    public func close() throws { try base.close() }

    /// Interrupts the running statements, which then fail with `SQLITE_INTERRUPT`.
    public func interrupt() { base.interrupt() }

    /// Reads from the database in a read-only transaction.
    public func read<T>(_ value: (Database) throws -> T) throws -> T { try base.read(value) }

    /// Reads from the database in a read-only transaction, without blocking a thread.
    public func read<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await base.read(value)
    }

    /// Schedules a read in a read-only transaction, and returns immediately.
    public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) { base.asyncRead(value) }

    /// Reads from the database without a transaction.
    public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T { try base.unsafeRead(value) }

    /// Reads from the database without a transaction, and without blocking a thread.
    public func unsafeRead<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await base.unsafeRead(value)
    }

    /// Schedules a read without a transaction, and returns immediately.
    public func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        base.asyncUnsafeRead(value)
    }

    /// Reads from the database within this thread's current access, or in its own access if there is none.
    public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T { try base.unsafeReentrantRead(value) }
}

extension DatabaseReader {
    /// The reader inside all wrappers.
    var unwrapped: any DatabaseReader {
        var reader: any DatabaseReader = self
        while let wrapper = reader as? any DatabaseReaderWrapper { reader = wrapper.base }
        return reader
    }
}

/// A type-erased ``DatabaseReader``.
public final class AnyDatabaseReader: DatabaseReaderWrapper {
    /// The reader that runs the accesses.
    public let base: any DatabaseReader

    /// Wraps a reader.
    public init(_ base: any DatabaseReader) {
        self.base = base
    }
}
