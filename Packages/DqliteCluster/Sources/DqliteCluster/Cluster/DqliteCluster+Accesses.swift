import SQLiteDriver

extension DqliteCluster: DatabaseReader {
    /// Closes all connections after the accesses that were requested before have ended. Later accesses throw.
    ///
    /// - Throws: ``DatabaseError`` with `SQLITE_BUSY` when statements are alive.
    public func close() throws {
        try readers.close()
        try writer.close()
    }

    /// Interrupts the running statements of all connections, which then fail with `SQLITE_INTERRUPT`.
    ///
    /// A node can't be told to end a statement: the connection to it is closed, which rolls back its transaction.
    public func interrupt() {
        writer.interrupt()
        readers.forEach { $0.interrupt() }
    }

    /// Reads from the database in a read-only transaction.
    public func read<T>(_ value: (Database) throws -> T) throws -> T {
        try AccessTime.during(accessTimeout) {
            let queue = try readers.enter()
            defer { readers.leave(queue) }
            return try queue.read { db in try readers.during(queue) { try value(db) } }
        }
    }

    /// Reads from the database in a read-only transaction, without blocking a thread.
    public func read<T: Sendable>(_ value: @escaping @Sendable (Database) throws -> T) async throws -> T {
        try await AccessTime.during(accessTimeout) {
            let queue = try readers.enter()
            defer { readers.leave(queue) }
            return try await queue.read { [readers] db in try readers.during(queue) { try value(db) } }
        }
    }

    /// Schedules a read in a read-only transaction, and returns at once.
    public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        do {
            let queue = try AccessTime.during(accessTimeout) { try readers.enter() }
            queue.asyncRead { [readers, accessTimeout] result in
                defer { readers.leave(queue) }
                AccessTime.during(accessTimeout) { readers.during(queue) { value(result) } }
            }
        } catch {
            value(.failure(error))
        }
    }

    /// Reads from the database without a transaction.
    public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T {
        try AccessTime.during(accessTimeout) {
            let queue = try readers.enter()
            defer { readers.leave(queue) }
            return try queue.unsafeRead { db in try readers.during(queue) { try value(db) } }
        }
    }

    /// Reads from the database without a transaction, and without blocking a thread.
    public func unsafeRead<T: Sendable>(_ value: @escaping @Sendable (Database) throws -> T) async throws -> T {
        try await AccessTime.during(accessTimeout) {
            let queue = try readers.enter()
            defer { readers.leave(queue) }
            return try await queue.unsafeRead { [readers] db in try readers.during(queue) { try value(db) } }
        }
    }

    /// Schedules a read without a transaction, and returns at once.
    public func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        do {
            let queue = try AccessTime.during(accessTimeout) { try readers.enter() }
            queue.asyncUnsafeRead { [readers, accessTimeout] result in
                defer { readers.leave(queue) }
                AccessTime.during(accessTimeout) { readers.during(queue) { value(result) } }
            }
        } catch {
            value(.failure(error))
        }
    }

    /// Reads from the database within this thread's current access, or in an access of its own if there is none.
    public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
        try AccessTime.during(accessTimeout) { try (readers.current ?? writer).unsafeReentrantRead(value) }
    }
}

extension DqliteCluster: DatabaseWriter {
    /// Accesses the database without a transaction: each statement takes effect by itself.
    public func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
        try AccessTime.during(accessTimeout) { try writer.writeWithoutTransaction(updates) }
    }

    /// Accesses the database without a transaction, and without blocking a thread.
    public func writeWithoutTransaction<T: Sendable>(
        _ updates: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try await AccessTime.during(accessTimeout) { try await writer.writeWithoutTransaction(updates) }
    }

    /// Schedules an access without a transaction, and returns at once.
    public func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {
        writer.asyncWriteWithoutTransaction { [accessTimeout] db in AccessTime.during(accessTimeout) { updates(db) } }
    }

    /// Accesses the database without a transaction. Reads that are running see the state in which they began.
    public func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
        try AccessTime.during(accessTimeout) { try writer.barrierWriteWithoutTransaction(updates) }
    }

    /// Accesses the database without a transaction, and without blocking a thread. Reads that are running see the state in which they
    /// began.
    public func barrierWriteWithoutTransaction<T: Sendable>(
        _ updates: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try await AccessTime.during(accessTimeout) { try await writer.barrierWriteWithoutTransaction(updates) }
    }

    /// Schedules an access without a transaction, and returns at once. Reads that are running see the state in which they began.
    public func asyncBarrierWriteWithoutTransaction(_ updates: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        writer.asyncBarrierWriteWithoutTransaction { [accessTimeout] db in AccessTime.during(accessTimeout) { updates(db) } }
    }

    /// Accesses the database within this thread's current write, or in an access of its own if there is none.
    public func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) throws -> T {
        try AccessTime.during(accessTimeout) { try writer.unsafeReentrantWrite(updates) }
    }

    /// Reads the changes that were just written, before other accesses may write again.
    public func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        writer.spawnConcurrentRead(value)
    }
}
