import SQLiteDriver

extension DqliteCluster: DatabaseReader {
    /// Closes all connections after the accesses that were requested before have ended. Later accesses throw.
    ///
    /// - Throws: ``DatabaseError`` with `SQLITE_BUSY` when statements are alive, and `SQLITE_MISUSE` inside an access. After an
    ///   error, the cluster stays open and can still be used.
    public func close() throws {
        try connections.close()
    }

    /// Interrupts the running statements of all connections, which then fail with `SQLITE_INTERRUPT`.
    ///
    /// A node can't interrupt a statement: the connection to it is closed, which rolls back its transaction.
    public func interrupt() {
        connections.interrupt()
    }

    /// Reads from the database in a read-only transaction.
    public func read<T>(_ value: (Database) throws -> T) throws -> T {
        try connections.read(value)
    }

    /// Reads from the database in a read-only transaction, without blocking a thread.
    public func read<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await connections.read(value)
    }

    /// Schedules a read in a read-only transaction, and returns immediately.
    public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        connections.asyncRead(value)
    }

    /// Reads from the database without a transaction.
    public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T {
        try connections.unsafeRead(value)
    }

    /// Reads from the database without a transaction, and without blocking a thread.
    public func unsafeRead<T: Sendable>(_ value: @Sendable (Database) throws -> T) async throws -> T {
        try await connections.unsafeRead(value)
    }

    /// Schedules a read without a transaction, and returns immediately.
    public func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        connections.asyncUnsafeRead(value)
    }

    /// Reads from the database within this thread's current access, or in its own access if there is none.
    public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
        try connections.unsafeReentrantRead(value)
    }
}

extension DqliteCluster: DatabaseWriter {
    /// Accesses the database without a transaction: each statement is committed on its own.
    public func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
        try connections.writeWithoutTransaction { try notingUnknownOutcomes($0) { try updates($0) } }
    }

    /// Accesses the database without a transaction, and without blocking a thread.
    public func writeWithoutTransaction<T: Sendable>(
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await connections.writeWithoutTransaction { [self] in try notingUnknownOutcomes($0) { try updates($0) } }
    }

    /// Schedules an access without a transaction, and returns immediately.
    public func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {
        connections.asyncWriteWithoutTransaction { [self] db in
            notingUnknownOutcomes(db) { updates($0) }
        }
    }

    /// Accesses the database without a transaction, while no read is running.
    public func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
        try connections.barrierWriteWithoutTransaction { try notingUnknownOutcomes($0) { try updates($0) } }
    }

    /// Accesses the database without a transaction, while no read is running, and without blocking a thread.
    public func barrierWriteWithoutTransaction<T: Sendable>(
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await connections.barrierWriteWithoutTransaction { [self] in try notingUnknownOutcomes($0) { try updates($0) } }
    }

    /// Schedules an access without a transaction, while no read is running, and returns immediately.
    public func asyncBarrierWriteWithoutTransaction(_ updates: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        connections.asyncBarrierWriteWithoutTransaction { [self] result in
            switch result {
            case .success(let db): notingUnknownOutcomes(db) { updates(.success($0)) }
            case .failure(let error): updates(.failure(error))
            }
        }
    }

    /// Accesses the database within this thread's current write, or in its own access if there is none.
    public func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) throws -> T {
        try connections.unsafeReentrantWrite { try notingUnknownOutcomes($0) { try updates($0) } }
    }

    /// Reads the changes that were just written, while other accesses may write again.
    public func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        connections.spawnConcurrentRead(value)
    }

    /// Calls a closure with the connection that writes, and notifies its observers if the outcome of a commit is unknown: then anything may
    /// have changed.
    private func notingUnknownOutcomes<T>(_ db: Database, _ body: (Database) throws -> T) rethrows -> T {
        defer { if finder.counts.withLock({ $0.hasUnreportedOutcome }), !db.isInsideTransaction { reportUnknownOutcomes(db) } }
        return try body(db)
    }

    private func reportUnknownOutcomes(_ db: Database) {
        let count = finder.counts.withLock { $0.unknownOutcomes }
        // Without a leader, the tables are not known: the next write tries again.
        guard (try? db.notifyChanges(in: .fullDatabase)) != nil else { return }
        finder.counts.withLock { $0.reportedOutcomes = max($0.reportedOutcomes, count) }
    }
}
