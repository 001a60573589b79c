import SQLiteDriver

extension DqliteCluster {
    /// Whether the closure of an access may run more than once.
    public typealias Repetition = AccessRepetition

    /// Writes to the database in a transaction, and runs it again when the leader is lost before the commit.
    ///
    /// ```swift
    /// try cluster.write(.repeatable) { db in
    ///     try db.execute(sql: "UPDATE account SET balance = balance - 10 WHERE id = 1")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - repetition: declares that the closure may run more than once. Only the changes of its last run are committed.
    ///   - timeout: how long all runs may take together; nil for the limit of the configuration.
    ///   - updates: runs while the caller waits.
    /// - Throws: the error of the closure, ``ClusterError/noLeader(_:)`` after a few repetitions, ``ClusterError/outcomeUnknown(_:)``,
    ///   ``DatabaseTimeoutError``, or ``DatabaseError``.
    public func write<T>(
        _ repetition: Repetition, timeout: Duration? = nil, _ updates: (Database) throws -> T
    ) throws -> T {
        let request = request(.writeWithoutTransaction, timeout)
        return try repeating { try access(request) { try $0.writeAccess(updates) } }
    }

    /// Writes to the database in a transaction, without blocking a thread, and runs it again when the leader is lost before the commit.
    ///
    /// - Parameters:
    ///   - repetition: declares that the closure may run more than once. Only the changes of its last run are committed.
    ///   - timeout: how long all runs may take together; nil for the limit of the configuration.
    ///   - updates: runs while the task waits.
    public func write<T: Sendable>(
        _ repetition: Repetition, timeout: Duration? = nil, _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        let request = request(.writeWithoutTransaction, timeout)
        return try await repeating { try await access(request) { try $0.writeAccess(updates) } }
    }

    /// Reads from the database, and again when the leader is lost meanwhile.
    ///
    /// - Parameters:
    ///   - repetition: declares that the closure may run more than once.
    ///   - timeout: how long all runs may take together; nil for the limit of the configuration.
    ///   - value: runs while the caller waits.
    public func read<T>(
        _ repetition: Repetition, timeout: Duration? = nil, _ value: (Database) throws -> T
    ) throws -> T {
        let request = request(.read, timeout)
        return try repeating { try access(request, value) }
    }

    /// Reads from the database without blocking a thread, and again when the leader is lost meanwhile.
    ///
    /// - Parameters:
    ///   - repetition: declares that the closure may run more than once.
    ///   - timeout: how long all runs may take together; nil for the limit of the configuration.
    ///   - value: runs while the task waits.
    public func read<T: Sendable>(
        _ repetition: Repetition, timeout: Duration? = nil, _ value: @Sendable (Database) throws -> T
    ) async throws -> T {
        let request = request(.read, timeout)
        return try await repeating { try await access(request, value) }
    }

    /// Writes to the database once, even if the leader is lost.
    ///
    /// ```swift
    /// let isNew = try cluster.write(id: "order-4711") { db in
    ///     try db.execute(sql: "UPDATE account SET balance = balance - 10 WHERE id = 1")
    /// }
    /// ```
    ///
    /// The transaction also inserts the ID into the table `strata_write`, which is created when it is first needed. If the outcome of
    /// a transaction is unknown, the ID shows whether it was applied; if not, it runs again. The same applies when a program that was
    /// terminated calls this method again. Delete old rows of the table when they are no longer needed.
    ///
    /// - Parameters:
    ///   - id: a key of this write, which no other write uses.
    ///   - timeout: how long all runs may take together; nil for the limit of the configuration.
    ///   - updates: runs while the caller waits, and may run more than once. Only the changes of one run are committed.
    /// - Returns: false if an earlier call with this ID has already written.
    /// - Throws: the error of the closure, ``ClusterError/noLeader(_:)``, ``ClusterError/outcomeUnknown(_:)`` after a few repetitions,
    ///   ``DatabaseTimeoutError``, or ``DatabaseError``.
    @discardableResult
    public func write(id: String, timeout: Duration? = nil, _ updates: (Database) throws -> Void) throws -> Bool {
        let request = request(.writeWithoutTransaction, timeout)
        var tryCount = 0
        return try repeating(includingUnknownOutcomes: true) {
            tryCount += 1
            return try access(request) { db in
                try db.writeAccess { db in
                    // If the ID exists in a later try, an earlier try has inserted it.
                    guard try db.claim(id) else { return tryCount > 1 }
                    try updates(db)
                    return true
                }
            }
        }
    }

    /// Writes to the database once, even if the leader is lost, without blocking a thread.
    ///
    /// - Parameters:
    ///   - id: a key of this write, which no other write uses.
    ///   - timeout: how long all runs may take together; nil for the limit of the configuration.
    ///   - updates: runs while the task waits, and may run more than once. Only the changes of one run are committed.
    /// - Returns: false if an earlier call with this ID has already written.
    @discardableResult
    public func write(
        id: String, timeout: Duration? = nil, _ updates: @Sendable (Database) throws -> Void
    ) async throws -> Bool {
        let request = request(.writeWithoutTransaction, timeout)
        var tryCount = 0
        return try await repeating(includingUnknownOutcomes: true) {
            tryCount += 1
            let isLaterTry = tryCount > 1
            return try await access(request) { db in
                try db.writeAccess { db in
                    guard try db.claim(id) else { return isLaterTry }
                    try updates(db)
                    return true
                }
            }
        }
    }

    // MARK: - Inside

    /// The maximum number of repetitions of an access. Each has its own timeout for finding a leader.
    private static var maximumRepetitionCount: Int { 5 }

    /// The tries of one access.
    private struct Tries {
        var count = 0
        var unknownOutcome: ClusterError?

        /// Returns if the access may run again.
        ///
        /// - Throws: the error otherwise; or the unknown outcome of an earlier try, which may have written.
        mutating func handle(_ error: any Error, includingUnknownOutcomes: Bool) throws {
            count += 1
            guard let failure = error as? ClusterError else { throw unknownOutcome ?? error }
            var mayRunAgain = failure.mayRunAgain
            if case .outcomeUnknown = failure {
                unknownOutcome = failure
                mayRunAgain = includingUnknownOutcomes
            }
            if !mayRunAgain || count > DqliteCluster.maximumRepetitionCount { throw unknownOutcome ?? error }
        }
    }

    /// Returns a request whose time limit the tries share.
    private func request(_ kind: DatabaseAccessReport.Kind, _ timeout: Duration?) -> AccessRequest {
        let configured = connections.configuration.timeout(of: kind)
        return AccessRequest(kind, until: .earliest(timeout.map { AccessDeadline($0) }, configured.map { AccessDeadline($0) }))
    }

    private func repeating<T>(includingUnknownOutcomes: Bool = false, _ body: () throws -> T) throws -> T {
        var tries = Tries()
        while true {
            do {
                return try body()
            } catch {
                try tries.handle(error, includingUnknownOutcomes: includingUnknownOutcomes)
            }
        }
    }

    private func repeating<T>(includingUnknownOutcomes: Bool = false, _ body: () async throws -> T) async throws -> T {
        var tries = Tries()
        while true {
            do {
                return try await body()
            } catch {
                try tries.handle(error, includingUnknownOutcomes: includingUnknownOutcomes)
            }
        }
    }
}

extension Database {
    /// Inserts the ID of a write.
    ///
    /// - Returns: false if the ID exists already.
    fileprivate func claim(_ id: String) throws -> Bool {
        if try tableExists("strata_write") == false {
            try execute(sql: "CREATE TABLE strata_write (id TEXT PRIMARY KEY, time TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP) WITHOUT ROWID")
        }
        try execute(sql: "INSERT OR IGNORE INTO strata_write (id) VALUES (?)", arguments: [id])
        return changesCount > 0
    }
}
