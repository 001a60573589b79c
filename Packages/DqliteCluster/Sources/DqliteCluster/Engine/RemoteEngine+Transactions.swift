import CDqliteCluster
import SQLiteDriver

// Requests, and the transactions on the leader.

extension RemoteEngine {
    // MARK: - The connection to the leader

    /// Closes the connection to the leader, which rolls back its transaction. A search for a leader continues.
    func dropConnection() {
        activeReader = nil
        interruption.setConnection(nil)
        connection?.close()
        connection = nil
        hasRemoteTransaction = false
        // Without a version, the schemas are compared again.
        if mirroredVersion == nil { versionBeforeTransaction = nil }
        restoreVersion()
    }

    /// Connects to the leader, unless there is a connection.
    private func connect(_ deadline: Deadline) throws {
        if let connection {
            if finder.isLastLeader(connection.address) { return }
            // Rows that are still arriving from the former leader are read first.
            try activeReader?.finishReading()
            dropConnection()
        }
        let search = self.search ?? LeaderSearch(finder, settings: settings)
        self.search = search
        interruption.setConnection { search.wake() }
        guard let result = search.wait(until: deadline, mustEnd: { interruption.isInterrupted }) else { throw finder.absenceError }
        self.search = nil
        let found = try result.get()
        guard finder.isLastLeader(found.connection.address) else {
            found.connection.close()
            throw ClusterError.noLeader("the leader has just changed")
        }
        interruption.setConnection(found.connection.interruption)
        connection = found.connection
        databaseID = found.databaseID
        // The search may have begun in an earlier access.
        for (name, sql) in settings where found.settings[name] != sql { try execute(sql) }
    }

    /// Runs requests that have no effect, on a new connection if the current connection is lost, until the timeout for finding a leader.
    private func retrying(_ body: () throws -> Void) throws {
        let begin = ContinuousClock.now
        let leaderDeadline = finder.leaderDeadline
        let deadline = AccessTime.limited(leaderDeadline)
        var tries = 0
        while true {
            do {
                try connect(deadline)
                return try body()
            } catch let error as DatabaseError {
                throw error
            } catch let error as NodeFailure where !isLost(error) {
                throw error
            } catch ClusterError.incompleteDatabase(let name) {
                throw ClusterError.incompleteDatabase(name)
            } catch {
                dropConnection()
                if interruption.isInterrupted || isLate { throw RemoteEngine.interruptionError }
                let reason = error as? ClusterError ?? .noLeader("\(error)")
                finder.noteAbsence(reason, since: begin)
                if deadline.hasPassed { throw reason }
                interruption.sleep(milliseconds: Int.random(in: 10...(20 << min(tries, 4))))
                if interruption.isInterrupted { throw RemoteEngine.interruptionError }
            }
            tries += 1
        }
    }

    /// Whether the time of the access is over, which then ends.
    private var isLate: Bool {
        guard AccessTime.hasPassed else { return false }
        database?.endLateAccess()
        return true
    }

    /// Runs requests that other threads may end.
    func interruptible<T>(_ body: () throws -> T) throws -> T {
        let (value, wasInterrupted) = try interruption.during(body)
        if wasInterrupted {
            dropConnection()
            throw RemoteEngine.interruptionError
        }
        return value
    }

    static let interruptionError = DatabaseError(resultCode: .SQLITE_INTERRUPT, message: "interrupted")

    /// Whether a failure means that the node is no longer the leader, or that the transaction no longer exists.
    private func isLost(_ failure: NodeFailure) -> Bool {
        // SQLite may roll back a transaction after these errors, and the node does not report it:
        // https://www.sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction
        failure.isOfOtherLeadership
            || [SQLITE_IOERR, SQLITE_FULL, SQLITE_NOMEM, SQLITE_INTERRUPT, SQLITE_CORRUPT, SQLITE_NOTADB].contains(failure.primaryCode)
    }

    // MARK: - Requests

    /// Runs a statement without rows.
    ///
    /// - Throws: ``NodeFailure``, or the error of a lost connection.
    @discardableResult
    func execute(_ sql: String, _ parameters: WireParameters = WireParameters()) throws -> (rowID: Int64, changes: UInt64) {
        guard case .result(let rowID, let changes) = try request(.execSQL, sql, parameters) else {
            throw lost(WireError("an unexpected response to a statement"))
        }
        return (rowID, changes)
    }

    /// Runs a query, and returns its first rows.
    func query(_ sql: String, _ parameters: WireParameters = WireParameters()) throws -> WireRows {
        guard case .rows(let rows) = try request(.querySQL, sql, parameters) else {
            throw lost(WireError("an unexpected response to a query"))
        }
        return rows
    }

    /// Returns the next rows of the query that is in progress.
    func moreRows() throws -> WireRows {
        guard let connection else { throw ClusterError.connectionLost("the connection was closed") }
        do {
            guard case .rows(let rows) = try connection.receive() else { throw WireError("an unexpected response to a query") }
            return rows
        } catch {
            throw lost(error)
        }
    }

    private func request(_ kind: WireRequest.Kind, _ sql: String, _ parameters: WireParameters) throws -> WireResponse {
        try activeReader?.finishReading()
        guard let connection else { throw ClusterError.connectionLost("the connection was closed") }
        if isLate {
            dropConnection()
            throw RemoteEngine.interruptionError
        }
        do {
            return try connection.run(kind, sql, parameters, in: databaseID)
        } catch {
            throw lost(error)
        }
    }

    /// Returns the error to throw for a failed request, and closes the connection if it can't continue.
    private func lost(_ error: any Error) -> any Error {
        // The request was refused before it was sent.
        if error is DatabaseError { return error }
        if let failure = error as? NodeFailure {
            if !isLost(failure) { return failure }
            dropConnection()
            return failure.isOfOtherLeadership ? ClusterError.connectionLost("\(failure)") : failure
        }
        dropConnection()
        if interruption.isInterrupted || !interruption.isProtecting && isLate { return RemoteEngine.interruptionError }
        return error is WireError ? ClusterError.invalidResponse("\(error)") : ClusterError.connectionLost("\(error)")
    }

    // MARK: - Transactions

    /// Begins a transaction on the leader, and compares the schemas.
    func begin(_ sql: String) throws {
        try interruptible {
            var tries = 0
            let start = ContinuousClock.now
            while true {
                do {
                    try retrying {
                        try execute(sql)
                        hasRemoteTransaction = true
                        versionBeforeTransaction = nil
                        try compareSchemas()
                        versionBeforeTransaction = mirroredVersion
                    }
                    return
                } catch let error as NodeFailure where error.primaryCode == NodeFailure.busy && waits(tries, since: start) {
                    tries += 1
                    if interruption.isInterrupted { throw RemoteEngine.interruptionError }
                } catch {
                    dropConnection()
                    throw error
                }
            }
        }
    }

    /// Connects if necessary, and compares the schemas, outside transactions.
    func connectAndCompareSchemas() throws {
        try retrying { try compareSchemas() }
    }

    /// Waits for another writer, according to the busy mode.
    private func waits(_ tries: Int, since start: ContinuousClock.Instant) -> Bool {
        switch busyMode {
        case .immediateError:
            return false
        case .callback(let callback):
            return callback(tries)
        case .timeout(let seconds):
            guard start.duration(to: .now) < .seconds(seconds) else { return false }
            interruption.sleep(milliseconds: Int.random(in: 1...20))
            return true
        }
    }

    func commit() -> Bool {
        if isMirroring { return true }
        guard hasRemoteTransaction else {
            failure = ClusterError.connectionLost("the leader no longer has the transaction")
            return false
        }
        if isLate {
            dropConnection()
            failure = RemoteEngine.interruptionError
            return false
        }
        do {
            try interruption.protecting { _ = try execute("COMMIT") }
            didCommit()
            return true
        } catch let error as NodeFailure where connection != nil {
            // The transaction is still open, or was rolled back.
            failure = error
            return false
        } catch let error as NodeFailure {
            failure = ClusterError.outcomeUnknown("\(error)")
        } catch ClusterError.connectionLost(let reason), ClusterError.invalidResponse(let reason) {
            failure = ClusterError.outcomeUnknown(reason)
        } catch {
            failure = ClusterError.outcomeUnknown("\(error)")
        }
        finder.counts.withLock { $0.unknownOutcomes += 1 }
        return false
    }

    private func didCommit() {
        hasRemoteTransaction = false
        versionBeforeTransaction = nil
    }

    private func didRollBack() {
        hasRemoteTransaction = false
        // After an ALTER that has failed, SQLite does not notice that a rollback undoes other changes of the schema (seen in 3.40.1): the
        // leader's connection would continue with the schema of the transaction.
        if mirroredVersion != versionBeforeTransaction { dropConnection() } else { versionBeforeTransaction = nil }
    }

    /// Ends a transaction on the leader that no longer has a counterpart here.
    func endRemoteTransaction(commits: Bool) {
        do {
            // Without a commit hook, the transaction has only read.
            try interruption.protecting { _ = try execute(commits ? "COMMIT" : "ROLLBACK") }
            if commits { didCommit() } else { didRollBack() }
        } catch {
            dropConnection()
        }
    }

    /// Finds out whether a statement that failed has rolled back the transaction on the leader.
    func probeTransaction() {
        do {
            try interruption.protecting { _ = try execute("BEGIN") }
            // There was no transaction.
            try interruption.protecting { _ = try execute("ROLLBACK") }
            didRollBack()
        } catch is NodeFailure where connection != nil {
            // The transaction is open.
        } catch {
            dropConnection()
        }
    }
}
