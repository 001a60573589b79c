extension DatabaseMigrator {
    /// Runs all migrations that have not run yet.
    ///
    /// ```swift
    /// try migrator.migrate(queue)
    /// ```
    ///
    /// When there is nothing to do, it reads the identifiers that the database keeps, and that is all. Otherwise each migration runs
    /// in `BEGIN IMMEDIATE TRANSACTION` and `COMMIT TRANSACTION`, while no reading access is under way. When several processes migrate
    /// a file at once, each migration runs in one of them; the others wait as long as ``Configuration/busyMode`` says.
    ///
    /// - Parameter writer: a queue or a pool.
    /// - Throws: ``MigrationError``, which names the migration that failed. Those before it stay.
    public func migrate(_ writer: any DatabaseWriter) throws {
        try migrate(writer, target: nil, monitor: nil)
    }

    /// Runs the migrations that have not run yet, up to one of them.
    ///
    /// ```swift
    /// try migrator.migrate(queue, upTo: "addScore")
    /// ```
    ///
    /// - Parameters:
    ///   - writer: a queue or a pool.
    ///   - targetIdentifier: the last migration to run.
    /// - Throws: ``MigrationError``, among others when there is no such migration, or when a later one has run already.
    public func migrate(_ writer: any DatabaseWriter, upTo targetIdentifier: String) throws {
        try migrate(writer, target: targetIdentifier, monitor: nil)
    }

    /// Runs the migrations that have not run yet, reports their progress, and can be interrupted.
    ///
    /// ```swift
    /// try migrator.migrate(queue, monitor: MigrationMonitor(queue) { print($0.identifier) })
    /// ```
    ///
    /// - Parameters:
    ///   - writer: a queue or a pool.
    ///   - targetIdentifier: the last migration to run; all when nil.
    ///   - monitor: is told of the progress, and can interrupt the migration that runs.
    /// - Throws: ``MigrationError``, with `SQLITE_INTERRUPT` as the underlying error when the monitor has interrupted it.
    public func migrate(_ writer: any DatabaseWriter, upTo targetIdentifier: String? = nil, monitor: MigrationMonitor) throws {
        try migrate(writer, target: targetIdentifier, monitor: monitor)
    }

    /// Runs all migrations that have not run yet, without blocking a thread.
    ///
    /// - Parameter writer: a queue or a pool.
    /// - Throws: ``MigrationError``, or `CancellationError`: the migration that ran is undone, and those before it stay.
    public func migrate(_ writer: any DatabaseWriter) async throws {
        try await migrate(writer, target: nil, monitor: nil)
    }

    /// Runs the migrations that have not run yet, up to one of them, without blocking a thread.
    ///
    /// - Parameters:
    ///   - writer: a queue or a pool.
    ///   - targetIdentifier: the last migration to run.
    /// - Throws: ``MigrationError``, or `CancellationError`.
    public func migrate(_ writer: any DatabaseWriter, upTo targetIdentifier: String) async throws {
        try await migrate(writer, target: targetIdentifier, monitor: nil)
    }

    /// Runs the migrations that have not run yet, reports their progress, and can be interrupted, without blocking a thread.
    ///
    /// - Parameters:
    ///   - writer: a queue or a pool.
    ///   - targetIdentifier: the last migration to run; all when nil.
    ///   - monitor: is told of the progress, and can interrupt the migration that runs.
    /// - Throws: ``MigrationError``, or `CancellationError`.
    public func migrate(
        _ writer: any DatabaseWriter, upTo targetIdentifier: String? = nil, monitor: MigrationMonitor
    ) async throws {
        try await migrate(writer, target: targetIdentifier, monitor: monitor)
    }

    /// Runs all migrations that have not run yet, later.
    ///
    /// ```swift
    /// migrator.asyncMigrate(queue) { result in
    ///     // the connection, or the error
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - writer: a queue or a pool.
    ///   - completion: is given the connection, which can be used until the closure returns, or the error.
    public func asyncMigrate(
        _ writer: any DatabaseWriter, completion: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        writer.asyncBarrierWriteWithoutTransaction { result in
            completion(
                Result {
                    let db = try result.get()
                    try MigrationRun(self, target: nil, monitor: nil).run(db)
                    return db
                })
        }
    }

    // MARK: - Inside

    private func migrate(_ writer: any DatabaseWriter, target: String?, monitor: MigrationMonitor?) throws {
        let run = try MigrationRun(self, target: target, monitor: monitor)
        // Most programs that start have nothing to migrate, and need not wait for readers then.
        if !eraseDatabaseOnSchemaChange, try writer.read({ try run.isDone($0) }) { return }
        try writer.barrierWriteWithoutTransaction { try run.run($0) }
    }

    private func migrate(_ writer: any DatabaseWriter, target: String?, monitor: MigrationMonitor?) async throws {
        let run = try MigrationRun(self, target: target, monitor: monitor)
        if !eraseDatabaseOnSchemaChange, try await writer.read({ try run.isDone($0) }) { return }
        try await writer.barrierWriteWithoutTransaction { db in
            do {
                try run.run(db)
            } catch let error as MigrationError where Task.isCancelled {
                // The access makes CancellationError of it.
                throw error.underlyingError ?? error
            }
        }
    }
}
