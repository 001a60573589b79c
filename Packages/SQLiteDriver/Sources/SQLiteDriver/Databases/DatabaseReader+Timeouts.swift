// Accesses with a limit of time.

extension DatabaseReader {
    /// Reads from the database, for a limited time.
    ///
    /// ```swift
    /// let names = try reader.read(timeout: .seconds(2)) { db in
    ///     try String.fetchAll(db, sql: "SELECT name FROM player")
    /// }
    /// ```
    ///
    /// The limit covers the wait for a connection, waits for locks of other processes, and the run. When the time is over, the access stops
    /// waiting, or its running statement is interrupted, and later statements throw. Code of the closure that does not use the database is
    /// not interrupted, and a closure that does not use it again returns its value. The limit also applies to accesses inside the closure,
    /// on other databases, too. ``Configuration/readTimeout`` limits all reads.
    ///
    /// - Parameters:
    ///   - timeout: how long the access may take, from now on.
    ///   - value: runs while the caller waits.
    /// - Throws: the error of the closure, ``DatabaseError``, or ``DatabaseTimeoutError``.
    public func read<T>(timeout: Duration, _ value: (Database) throws -> T) throws -> T {
        try access(AccessRequest(.read, timeout: timeout), value)
    }

    /// Reads from the database without blocking a thread, for a limited time.
    ///
    /// - Parameters:
    ///   - timeout: how long the access may take: see ``DatabaseReader/read(timeout:_:)``.
    ///   - value: runs while the task waits.
    /// - Throws: the error of the closure, ``DatabaseError``, `CancellationError`, or ``DatabaseTimeoutError``.
    public func read<T: Sendable>(timeout: Duration, _ value: @Sendable (Database) throws -> T) async throws -> T {
        try await access(AccessRequest(.read, timeout: timeout), value)
    }

    /// Reads from the database without a transaction, for a limited time.
    ///
    /// - Parameters:
    ///   - timeout: how long the access may take: see ``DatabaseReader/read(timeout:_:)``.
    ///   - value: runs while the caller waits.
    /// - Throws: the error of the closure, ``DatabaseError``, or ``DatabaseTimeoutError``.
    public func unsafeRead<T>(timeout: Duration, _ value: (Database) throws -> T) throws -> T {
        try access(AccessRequest(.unsafeRead, timeout: timeout), value)
    }

    /// Reads from the database without a transaction and without blocking a thread, for a limited time.
    ///
    /// - Parameters:
    ///   - timeout: how long the access may take: see ``DatabaseReader/read(timeout:_:)``.
    ///   - value: runs while the task waits.
    /// - Throws: the error of the closure, ``DatabaseError``, `CancellationError`, or ``DatabaseTimeoutError``.
    public func unsafeRead<T: Sendable>(timeout: Duration, _ value: @Sendable (Database) throws -> T) async throws -> T {
        try await access(AccessRequest(.unsafeRead, timeout: timeout), value)
    }

    // MARK: - Reading, with a callback

    /// Schedules a read from the database, for a limited time, and returns immediately.
    ///
    /// ```swift
    /// reader.asyncRead(timeout: .seconds(1)) { result in
    ///     do {
    ///         let count = try Int.fetchOne(
    ///             result.get(), sql: "SELECT count(*) FROM player")
    ///         print(count ?? 0)
    ///     } catch {
    ///         print(error)
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - timeout: how long the access may take, from now on, with its wait for the connection. After that, statements of a running callback
    ///     throw ``DatabaseTimeoutError``.
    ///   - value: called with the connection, or with the error that kept the access from beginning, such as ``DatabaseTimeoutError``.
    public func asyncRead(timeout: Duration, _ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        schedule(AccessRequest(.read, timeout: timeout), value)
    }

    /// Schedules a read without a transaction, for a limited time, and returns immediately.
    ///
    /// - Parameters:
    ///   - timeout: how long the access may take: see ``DatabaseReader/asyncRead(timeout:_:)``.
    ///   - value: called with the connection, or with the error that kept the access from beginning, such as ``DatabaseTimeoutError``.
    public func asyncUnsafeRead(timeout: Duration, _ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        schedule(AccessRequest(.unsafeRead, timeout: timeout), value)
    }
}

// MARK: - Writing

extension DatabaseWriter {
    /// Writes to the database in a transaction, for a limited time.
    ///
    /// ```swift
    /// try writer.write(timeout: .milliseconds(500)) { db in
    ///     try db.execute(sql: "UPDATE player SET score = score + 10 WHERE id = 1")
    /// }
    /// ```
    ///
    /// The limit covers the wait for the connection, waits for locks of other processes, and the run. When the time is over, the access stops
    /// waiting, or its running statement is interrupted, and the transaction is rolled back. A `COMMIT` that has begun is not interrupted:
    /// what was committed is never reported as late. The limit also applies to accesses inside the closure, on other databases, too.
    /// ``Configuration/writeTimeout`` limits all writes.
    ///
    /// - Parameters:
    ///   - timeout: how long the access may take, from now on.
    ///   - updates: runs while the caller waits.
    /// - Throws: the error of the closure, ``DatabaseError``, or ``DatabaseTimeoutError``.
    public func write<T>(timeout: Duration, _ updates: (Database) throws -> T) throws -> T {
        try access(AccessRequest(.writeWithoutTransaction, timeout: timeout)) { try $0.writeAccess(updates) }
    }

    /// Writes to the database in a transaction without blocking a thread, for a limited time.
    ///
    /// - Parameters:
    ///   - timeout: how long the access may take: see ``DatabaseWriter/write(timeout:_:)``.
    ///   - updates: runs while the task waits.
    /// - Throws: the error of the closure, ``DatabaseError``, `CancellationError`, or ``DatabaseTimeoutError``. After an error, nothing is
    ///   written.
    public func write<T: Sendable>(timeout: Duration, _ updates: @Sendable (Database) throws -> T) async throws -> T {
        try await access(AccessRequest(.writeWithoutTransaction, timeout: timeout)) { try $0.writeAccess(updates) }
    }

    /// Accesses the database without a transaction, for a limited time: ``DatabaseTimeoutError/hasCommitted`` reports whether earlier
    /// statements were committed.
    ///
    /// - Parameters:
    ///   - timeout: how long the access may take: see ``DatabaseWriter/write(timeout:_:)``.
    ///   - updates: runs while the caller waits.
    /// - Throws: the error of the closure, ``DatabaseError``, or ``DatabaseTimeoutError``.
    public func writeWithoutTransaction<T>(timeout: Duration, _ updates: (Database) throws -> T) throws -> T {
        try access(AccessRequest(.writeWithoutTransaction, timeout: timeout), updates)
    }

    /// Accesses the database without a transaction and without blocking a thread, for a limited time.
    ///
    /// - Parameters:
    ///   - timeout: how long the access may take: see ``DatabaseWriter/write(timeout:_:)``.
    ///   - updates: runs while the task waits.
    /// - Throws: the error of the closure, ``DatabaseError``, `CancellationError`, or ``DatabaseTimeoutError``.
    public func writeWithoutTransaction<T: Sendable>(
        timeout: Duration, _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await access(AccessRequest(.writeWithoutTransaction, timeout: timeout), updates)
    }

    /// Accesses the database without a transaction while no read is running, for a limited time.
    ///
    /// - Parameters:
    ///   - timeout: how long the access may take: see ``DatabaseWriter/write(timeout:_:)``.
    ///   - updates: runs while the caller waits.
    /// - Throws: the error of the closure, ``DatabaseError``, or ``DatabaseTimeoutError``.
    public func barrierWriteWithoutTransaction<T>(timeout: Duration, _ updates: (Database) throws -> T) throws -> T {
        try access(AccessRequest(.barrierWrite, timeout: timeout), updates)
    }

    /// Accesses the database without a transaction while no read is running, without blocking a thread, for a limited time.
    ///
    /// - Parameters:
    ///   - timeout: how long the access may take: see ``DatabaseWriter/write(timeout:_:)``.
    ///   - updates: runs while the task waits.
    /// - Throws: the error of the closure, ``DatabaseError``, `CancellationError`, or ``DatabaseTimeoutError``.
    public func barrierWriteWithoutTransaction<T: Sendable>(
        timeout: Duration, _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await access(AccessRequest(.barrierWrite, timeout: timeout), updates)
    }

    // MARK: - Writing, with a callback

    /// Schedules a write in a transaction, for a limited time, and returns immediately.
    ///
    /// ```swift
    /// writer.asyncWrite(timeout: .seconds(1)) { db in
    ///     try db.execute(sql: "DELETE FROM player WHERE score = 0")
    /// } completion: { result in
    ///     if case .failure(let error) = result { print(error) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - timeout: how long the access may take, from now on, with its wait for the connection.
    ///   - updates: writes to the database.
    ///   - completion: called after the transaction with the closure's result, or with the error that rolled back the transaction or kept it
    ///     from beginning, such as ``DatabaseTimeoutError``.
    public func asyncWrite<T: Sendable>(
        timeout: Duration, _ updates: @escaping @Sendable (Database) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        schedule(AccessRequest(.writeWithoutTransaction, timeout: timeout)) { completion($0.running { try $0.writeAccess(updates) }) }
    }

    /// Schedules an access without a transaction, for a limited time, and returns immediately.
    ///
    /// - Parameters:
    ///   - timeout: how long the access may take: see ``DatabaseReader/asyncRead(timeout:_:)``.
    ///   - updates: called with the connection, or with the error that kept the access from beginning, such as ``DatabaseTimeoutError``.
    public func asyncWriteWithoutTransaction(
        timeout: Duration, _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        schedule(AccessRequest(.writeWithoutTransaction, timeout: timeout), updates)
    }

    /// Schedules an access without a transaction while no read is running, for a limited time, and returns immediately.
    ///
    /// - Parameters:
    ///   - timeout: how long the access may take: see ``DatabaseReader/asyncRead(timeout:_:)``.
    ///   - updates: called with the connection, or with the error that kept the access from beginning, such as ``DatabaseTimeoutError``.
    public func asyncBarrierWriteWithoutTransaction(
        timeout: Duration, _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        schedule(AccessRequest(.barrierWrite, timeout: timeout), updates)
    }
}
