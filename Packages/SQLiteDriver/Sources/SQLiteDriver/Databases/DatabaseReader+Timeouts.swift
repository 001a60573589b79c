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
        try AccessDeadline.limiting(to: timeout) { try read(value) }
    }

    /// Reads from the database without blocking a thread, for a limited time.
    ///
    /// - Parameters:
    ///   - timeout: how long the access may take: see ``DatabaseReader/read(timeout:_:)``.
    ///   - value: runs while the task waits.
    /// - Throws: the error of the closure, ``DatabaseError``, `CancellationError`, or ``DatabaseTimeoutError``.
    public func read<T: Sendable>(timeout: Duration, _ value: @Sendable (Database) throws -> T) async throws -> T {
        try await AccessDeadline.limiting(to: timeout) { try await read(value) }
    }

    /// Reads from the database without a transaction, for a limited time.
    ///
    /// - Parameters:
    ///   - timeout: how long the access may take: see ``DatabaseReader/read(timeout:_:)``.
    ///   - value: runs while the caller waits.
    /// - Throws: the error of the closure, ``DatabaseError``, or ``DatabaseTimeoutError``.
    public func unsafeRead<T>(timeout: Duration, _ value: (Database) throws -> T) throws -> T {
        try AccessDeadline.limiting(to: timeout) { try unsafeRead(value) }
    }

    /// Reads from the database without a transaction and without blocking a thread, for a limited time.
    ///
    /// - Parameters:
    ///   - timeout: how long the access may take: see ``DatabaseReader/read(timeout:_:)``.
    ///   - value: runs while the task waits.
    /// - Throws: the error of the closure, ``DatabaseError``, `CancellationError`, or ``DatabaseTimeoutError``.
    public func unsafeRead<T: Sendable>(timeout: Duration, _ value: @Sendable (Database) throws -> T) async throws -> T {
        try await AccessDeadline.limiting(to: timeout) { try await unsafeRead(value) }
    }
}

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
        try AccessDeadline.limiting(to: timeout) { try write(updates) }
    }

    /// Writes to the database in a transaction without blocking a thread, for a limited time.
    ///
    /// - Parameters:
    ///   - timeout: how long the access may take: see ``DatabaseWriter/write(timeout:_:)``.
    ///   - updates: runs while the task waits.
    /// - Throws: the error of the closure, ``DatabaseError``, `CancellationError`, or ``DatabaseTimeoutError``. After an error, nothing is
    ///   written.
    public func write<T: Sendable>(timeout: Duration, _ updates: @Sendable (Database) throws -> T) async throws -> T {
        try await AccessDeadline.limiting(to: timeout) { try await write(updates) }
    }

    /// Accesses the database without a transaction, for a limited time: ``DatabaseTimeoutError/hasCommitted`` reports whether earlier
    /// statements were committed.
    ///
    /// - Parameters:
    ///   - timeout: how long the access may take: see ``DatabaseWriter/write(timeout:_:)``.
    ///   - updates: runs while the caller waits.
    /// - Throws: the error of the closure, ``DatabaseError``, or ``DatabaseTimeoutError``.
    public func writeWithoutTransaction<T>(timeout: Duration, _ updates: (Database) throws -> T) throws -> T {
        try AccessDeadline.limiting(to: timeout) { try writeWithoutTransaction(updates) }
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
        try await AccessDeadline.limiting(to: timeout) { try await writeWithoutTransaction(updates) }
    }

    /// Accesses the database without a transaction while no read is running, for a limited time.
    ///
    /// - Parameters:
    ///   - timeout: how long the access may take: see ``DatabaseWriter/write(timeout:_:)``.
    ///   - updates: runs while the caller waits.
    /// - Throws: the error of the closure, ``DatabaseError``, or ``DatabaseTimeoutError``.
    public func barrierWriteWithoutTransaction<T>(timeout: Duration, _ updates: (Database) throws -> T) throws -> T {
        try AccessDeadline.limiting(to: timeout) { try barrierWriteWithoutTransaction(updates) }
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
        try await AccessDeadline.limiting(to: timeout) { try await barrierWriteWithoutTransaction(updates) }
    }
}
