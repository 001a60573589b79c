import SQLiteDriver

extension DqliteCluster {
    /// Whether the closure of an access may run more than once.
    public enum Repetition: Sendable {
        /// The closure has no effects outside the database, or effects that may happen twice.
        case repeatable
    }

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
    ///   - updates: runs while the caller waits.
    /// - Throws: the error of the closure, ``ClusterError/noLeader(_:)`` after a few repetitions, ``ClusterError/outcomeUnknown(_:)``, or
    ///   ``DatabaseError``.
    public func write<T>(_ repetition: Repetition, _ updates: (Database) throws -> T) throws -> T {
        try repeating { try access($0.writing) { try $0.writeAccess(updates) } }
    }

    /// Writes to the database in a transaction, without blocking a thread, and runs it again when the leader is lost before the commit.
    ///
    /// - Parameters:
    ///   - repetition: declares that the closure may run more than once. Only the changes of its last run are committed.
    ///   - updates: runs while the task waits.
    public func write<T: Sendable>(
        _ repetition: Repetition, _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await repeating { try await access($0.writing) { try $0.writeAccess(updates) } }
    }

    /// Reads from the database, and again when the leader is lost meanwhile.
    ///
    /// - Parameters:
    ///   - repetition: declares that the closure may run more than once.
    ///   - value: runs while the caller waits.
    public func read<T>(_ repetition: Repetition, _ value: (Database) throws -> T) throws -> T {
        try repeating { try access($0.reading, value) }
    }

    /// Reads from the database without blocking a thread, and again when the leader is lost meanwhile.
    ///
    /// - Parameters:
    ///   - repetition: declares that the closure may run more than once.
    ///   - value: runs while the task waits.
    public func read<T: Sendable>(
        _ repetition: Repetition, _ value: @Sendable (Database) throws -> T
    ) async throws -> T {
        try await repeating { try await access($0.reading, value) }
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
    ///   - updates: runs while the caller waits, and may run more than once. Only the changes of one run are committed.
    /// - Returns: false if an earlier call with this ID has already written.
    /// - Throws: the error of the closure, ``ClusterError/noLeader(_:)``, ``ClusterError/outcomeUnknown(_:)`` after a few repetitions, or
    ///   ``DatabaseError``.
    @discardableResult
    public func write(id: String, _ updates: (Database) throws -> Void) throws -> Bool {
        var tryCount = 0
        return try repeating(includingUnknownOutcomes: true) { limit in
            tryCount += 1
            return try access(limit.writing) { db in
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
    ///   - updates: runs while the task waits, and may run more than once. Only the changes of one run are committed.
    /// - Returns: false if an earlier call with this ID has already written.
    @discardableResult
    public func write(id: String, _ updates: @Sendable (Database) throws -> Void) async throws -> Bool {
        var tryCount = 0
        return try await repeating(includingUnknownOutcomes: true) { limit in
            tryCount += 1
            let isLaterTry = tryCount > 1
            return try await access(limit.writing) { db in
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

    /// The time limit that the tries share.
    private struct Limit {
        let deadline: ContinuousClock.Instant?

        init(_ timeout: Duration?) { deadline = timeout.map { .now.advanced(by: $0) } }

        var reading: AccessRequest { AccessRequest(.read, engineDeadline: deadline) }
        var writing: AccessRequest { AccessRequest(.writeWithoutTransaction, engineDeadline: deadline) }
    }

    private func repeating<T>(includingUnknownOutcomes: Bool = false, _ body: (Limit) throws -> T) throws -> T {
        var tries = Tries()
        let limit = Limit(accessTimeout)
        while true {
            do {
                return try body(limit)
            } catch {
                try tries.handle(error, includingUnknownOutcomes: includingUnknownOutcomes)
            }
        }
    }

    private func repeating<T>(includingUnknownOutcomes: Bool = false, _ body: (Limit) async throws -> T) async throws -> T {
        var tries = Tries()
        let limit = Limit(accessTimeout)
        while true {
            do {
                return try await body(limit)
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
