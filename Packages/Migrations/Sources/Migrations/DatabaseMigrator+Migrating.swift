extension DatabaseMigrator {
    /// Runs all migrations that have not run yet.
    ///
    /// ```swift
    /// try migrator.migrate(queue)
    /// ```
    ///
    /// If all migrations have run, this method only reads their identifiers from the database. Otherwise each migration runs between
    /// `BEGIN IMMEDIATE TRANSACTION` and `COMMIT TRANSACTION`, while no reading access is in progress. Reads of a pool still begin while
    /// migrations wait for reads that began before them. Reads that begin after that wait until all migrations have run. When several
    /// processes migrate a file at the same time, each migration runs in one of them. The others wait as ``Configuration/busyMode``
    /// specifies.
    ///
    /// - Parameters:
    ///   - writer: a queue or a pool.
    ///   - targetIdentifier: the last migration to run: `migrate(queue, upTo: "addScore")`; all when nil. It is an error if no such
    ///     migration exists, or if a later migration has already run.
    ///   - monitor: receives the progress, and can interrupt the current migration:
    ///     `migrate(queue, monitor: MigrationMonitor(queue) { print($0.identifier) })`.
    /// - Throws: ``MigrationError``, which names the migration that failed. The migrations before it stay applied. Its underlying error is
    ///   `SQLITE_INTERRUPT` if the monitor has interrupted the migration.
    public func migrate(
        _ writer: any DatabaseWriter, upTo targetIdentifier: String? = nil, monitor: MigrationMonitor? = nil
    ) throws {
        let run = try MigrationRun(self, target: targetIdentifier, monitor: monitor)
        // Most programs have nothing to migrate when they start. Checking this first avoids waiting for readers.
        if !eraseDatabaseOnSchemaChange, try writer.access(.migrating(.read), { try run.isDone($0) }) { return }
        try writer.access(.migrating(.barrierWrite)) { try run.run($0) }
    }

    /// Runs all migrations that have not run yet, without blocking a thread.
    ///
    /// ```swift
    /// try await migrator.asyncMigrate(pool)
    /// ```
    ///
    /// `migrate(pool)`, the form without `await`, blocks its thread, also in asynchronous code.
    ///
    /// - Parameters:
    ///   - writer: a queue or a pool.
    ///   - targetIdentifier: the last migration to run; all when nil.
    /// - Throws: ``MigrationError``, or `CancellationError`. The interrupted migration is rolled back, and the migrations before it stay
    ///   applied.
    public func asyncMigrate(_ writer: any DatabaseWriter, upTo targetIdentifier: String? = nil) async throws {
        try await migrate(writer, target: targetIdentifier, monitor: nil)
    }

    /// Runs the migrations that have not run yet, reports their progress, and can be interrupted, without blocking a thread.
    ///
    /// - Parameters:
    ///   - writer: a queue or a pool.
    ///   - targetIdentifier: the last migration to run; all when nil.
    ///   - monitor: receives the progress, and can interrupt the current migration.
    /// - Throws: ``MigrationError``, or `CancellationError`.
    public func migrate(
        _ writer: any DatabaseWriter, upTo targetIdentifier: String? = nil, monitor: MigrationMonitor
    ) async throws {
        try await migrate(writer, target: targetIdentifier, monitor: monitor)
    }

    /// Runs all migrations that have not run yet, asynchronously.
    ///
    /// ```swift
    /// migrator.asyncMigrate(queue) { result in
    ///     // the connection, or the error
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - writer: a queue or a pool.
    ///   - completion: receives the error, or the connection, which is valid until the closure returns.
    public func asyncMigrate(
        _ writer: any DatabaseWriter, completion: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        writer.schedule(.migrating(.barrierWrite)) { result in
            completion(
                Result {
                    let db = try result.get()
                    try MigrationRun(self, target: nil, monitor: nil).run(db)
                    return db
                })
        }
    }

    // MARK: - Inside

    private func migrate(_ writer: any DatabaseWriter, target: String?, monitor: MigrationMonitor?) async throws {
        let run = try MigrationRun(self, target: target, monitor: monitor)
        if !eraseDatabaseOnSchemaChange, try await writer.access(.migrating(.read), { try run.isDone($0) }) { return }
        try await writer.access(.migrating(.barrierWrite)) { db in
            do {
                try run.run(db)
            } catch let error as MigrationError where Task.isCancelled {
                // The access converts this error to CancellationError.
                throw error.underlyingError ?? error
            }
        }
    }
}

extension AccessRequest {
    /// The request for an access of a migrator, to which the limits of the configuration don't apply.
    fileprivate static func migrating(_ kind: DatabaseAccessReport.Kind) -> AccessRequest { AccessRequest(kind, .maintenance) }
}
