// Accesses to a file, as those to a pool.

extension DatabaseFolder {
    /// Reads from a database in a read-only transaction.
    ///
    /// ```swift
    /// let count = try files.read("arthur") { db in
    ///     try Int.fetchOne(db, sql: "SELECT count(*) FROM player")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name of the database.
    ///   - timeout: how long the access may take, with the wait for the file: see ``DatabaseReader/read(timeout:_:)``. The limit of the
    ///     configuration applies as well.
    ///   - creating: whether the file is created if it does not exist.
    ///   - value: runs while the caller waits.
    /// - Throws: the error of the closure; ``DatabaseError``; ``DatabaseFileError``; ``DatabaseTimeoutError``; ``DatabaseUnavailableError``; or
    ///   the error of preparing the file.
    public func read<T>(
        _ name: String, timeout: Duration? = nil, creating: Bool = false, _ value: (Database) throws -> T
    ) throws -> T {
        let access = Access(self, name, .read, timeout, inside: AccessDeadline.ofThread)
        return try withLease(name, creating, access.deadline, access.report) { try $0.access(access.request, value) }
    }

    /// Reads from a database in a read-only transaction, without blocking a thread.
    ///
    /// - Parameters:
    ///   - name: the name of the database.
    ///   - timeout: how long the access may take, with the wait for the file.
    ///   - creating: whether the file is created if it does not exist.
    ///   - value: runs while the task waits.
    /// - Throws: what the other form throws, or `CancellationError`.
    public func read<T: Sendable>(
        _ name: String, timeout: Duration? = nil, creating: Bool = false, _ value: @Sendable (Database) throws -> T
    ) async throws -> T {
        let access = Access(self, name, .read, timeout, inside: nil)
        return try await withLease(name, creating, access.deadline, access.report) { try await $0.access(access.request, value) }
    }

    /// Writes to a database in a transaction.
    ///
    /// ```swift
    /// try files.write("arthur", creating: true) { db in
    ///     try db.execute(sql: "INSERT INTO player (name) VALUES ('Arthur')")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name of the database.
    ///   - timeout: how long the access may take, with the wait for the file: see ``DatabaseWriter/write(timeout:_:)``. The limit of the
    ///     configuration applies as well.
    ///   - creating: whether the file is created if it does not exist.
    ///   - updates: runs while the caller waits.
    /// - Throws: the error of the closure; ``DatabaseError``; ``DatabaseFileError``; ``DatabaseTimeoutError``; ``DatabaseUnavailableError``; or
    ///   the error of preparing the file.
    public func write<T>(
        _ name: String, timeout: Duration? = nil, creating: Bool = false, _ updates: (Database) throws -> T
    ) throws -> T {
        try writeWithoutTransaction(name, timeout: timeout, creating: creating) { try $0.writeAccess(updates) }
    }

    /// Writes to a database in a transaction, without blocking a thread.
    ///
    /// - Parameters:
    ///   - name: the name of the database.
    ///   - timeout: how long the access may take, with the wait for the file.
    ///   - creating: whether the file is created if it does not exist.
    ///   - updates: runs while the task waits.
    /// - Throws: what the other form throws, or `CancellationError`. After an error, nothing is written.
    public func write<T: Sendable>(
        _ name: String, timeout: Duration? = nil, creating: Bool = false, _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await writeWithoutTransaction(name, timeout: timeout, creating: creating) { try $0.writeAccess(updates) }
    }

    /// Accesses a database without a transaction: each statement is committed on its own.
    ///
    /// - Parameters:
    ///   - name: the name of the database.
    ///   - timeout: how long the access may take, with the wait for the file.
    ///   - creating: whether the file is created if it does not exist.
    ///   - updates: runs while the caller waits.
    /// - Throws: what ``write(_:timeout:creating:_:)`` throws.
    public func writeWithoutTransaction<T>(
        _ name: String, timeout: Duration? = nil, creating: Bool = false, _ updates: (Database) throws -> T
    ) throws -> T {
        let access = Access(self, name, .writeWithoutTransaction, timeout, inside: AccessDeadline.ofThread)
        return try withLease(name, creating, access.deadline, access.report) { try $0.access(access.request, updates) }
    }

    /// Accesses a database without a transaction, and without blocking a thread.
    ///
    /// - Parameters:
    ///   - name: the name of the database.
    ///   - timeout: how long the access may take, with the wait for the file.
    ///   - creating: whether the file is created if it does not exist.
    ///   - updates: runs while the task waits.
    /// - Throws: what the other form throws, or `CancellationError`.
    public func writeWithoutTransaction<T: Sendable>(
        _ name: String, timeout: Duration? = nil, creating: Bool = false, _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        let access = Access(self, name, .writeWithoutTransaction, timeout, inside: nil)
        return try await withLease(name, creating, access.deadline, access.report) { try await $0.access(access.request, updates) }
    }

    // MARK: - Callbacks

    /// Schedules a read from a database, and returns immediately.
    ///
    /// - Parameters:
    ///   - name: the name of the database.
    ///   - timeout: how long the access may take, with the wait for the file.
    ///   - creating: whether the file is created if it does not exist.
    ///   - value: called with the connection, or with the error that kept the access from beginning.
    public func asyncRead(
        _ name: String, timeout: Duration? = nil, creating: Bool = false,
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        schedule(name, .read, timeout, creating, value)
    }

    /// Schedules a write in a transaction, and returns immediately.
    ///
    /// - Parameters:
    ///   - name: the name of the database.
    ///   - timeout: how long the access may take, with the wait for the file.
    ///   - creating: whether the file is created if it does not exist.
    ///   - updates: writes to the database.
    ///   - completion: called after the transaction with the closure's result, or with the error that rolled back the transaction or kept it
    ///     from beginning.
    public func asyncWrite<T: Sendable>(
        _ name: String, timeout: Duration? = nil, creating: Bool = false, _ updates: @escaping @Sendable (Database) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        schedule(name, .writeWithoutTransaction, timeout, creating) { completion($0.running { try $0.writeAccess(updates) }) }
    }

    private func schedule(
        _ name: String, _ kind: DatabaseAccessReport.Kind, _ timeout: Duration?, _ creating: Bool,
        _ callback: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        let access = Access(self, name, kind, timeout, inside: nil)
        enter(name, creating, isKept: false, access.deadline) { [table] result in
            switch result {
            case .success(let lease):
                lease.schedule(access.request) { result in
                    callback(result)
                    table.endUse(lease.entry)
                }
            case .failure(let error):
                DatabaseFolder.callBack {
                    access.report(error)
                    callback(.failure(error))
                }
            }
        }
    }

    /// An access to a file that is not open yet.
    private struct Access: Sendable {
        let folder: DatabaseFolder
        let name: String
        let kind: DatabaseAccessReport.Kind
        let start = ContinuousClock.now
        let deadline: AccessDeadline?

        init(
            _ folder: DatabaseFolder, _ name: String, _ kind: DatabaseAccessReport.Kind, _ timeout: Duration?,
            inside outer: AccessDeadline?
        ) {
            (self.folder, self.name, self.kind) = (folder, name, kind)
            let own = AccessDeadline.earliest(
                timeout.map { AccessDeadline($0) }, folder.configuration.timeout(of: kind).map { AccessDeadline($0) })
            deadline = AccessDeadline.earliest(own, outer)
        }

        /// The access to the open file.
        var request: AccessRequest { AccessRequest(kind, until: deadline) }

        /// Reports an access that did not begin to monitors. The others are reported by the gate of the file.
        func report(_ error: any Error) {
            folder.configuration.reportFailedAccess(kind, path: (try? folder.path(of: name)) ?? name, since: start, error)
        }
    }
}
