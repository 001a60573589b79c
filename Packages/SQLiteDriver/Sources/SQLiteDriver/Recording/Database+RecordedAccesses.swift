// Recording of what a closure reads, for callers that run it again after a change.

extension Database {
    /// Runs a closure, and returns its result and the region of the database that it has read.
    ///
    /// ```swift
    /// let (names, region) = try db.recordingAccesses {
    ///     try String.fetchAll(db, sql: "SELECT name FROM player")
    /// }
    /// // region is player(name)
    /// ```
    ///
    /// Requests by primary key are narrowed to the rows that they select, if the key is the row ID: the region of
    /// `Player.fetchOne(db, id: 1)` is `player(id,name)[1]`.
    ///
    /// - Parameter value: the closure. Its reads inside a nested recording count for both recordings.
    /// - Returns: the closure's result, and the regions of the statements that it ran, with the regions that it passed to
    ///   ``registerAccess(to:)``.
    /// - Throws: the error of the closure.
    public func recordingAccesses<T>(_ value: () throws -> T) rethrows -> (value: T, region: DatabaseRegion) {
        checkAccess()
        let outer = recordedRegion
        recordedRegion = DatabaseRegion()
        defer {
            if let outer { recordedRegion?.formUnion(outer) } else { recordedRegion = nil }
        }
        let result = try value()
        return (result, recordedRegion ?? DatabaseRegion())
    }

    /// Adds a region to the recording when no statement reads it, for example because the result was cached.
    ///
    /// It does nothing outside ``recordingAccesses(_:)``.
    ///
    /// - Parameter region: the region, which is evaluated only inside a recording.
    /// - Throws: the error of the region.
    public func registerAccess(to region: @autoclosure () -> some DatabaseRegionConvertible) throws {
        guard recordedRegion != nil else { return }
        let region = try region().databaseRegion(self)
        recordedRegion?.formUnion(region)
    }

    /// Whether a closure of ``recordingAccesses(_:)`` is running.
    ///
    /// Layers that know more about their statements than SQLite does check this before they determine which rows a statement reads: see
    /// ``Statement/narrowNextRun(toRows:ofTable:)``.
    @inlinable
    package var isRecordingAccesses: Bool { needs.current.contains(.recording) }

    /// Adds the region that a statement is about to read.
    fileprivate func recordAccess(of statement: Statement) {
        let narrowing = statement.state.pointee.narrowing.take()
        if !statement.effects.readsTables { return }
        // For a writing statement, this is postponed until the statement has run: reading the schema first would begin a read transaction,
        // which can't always be upgraded to a write transaction.
        if !statement.mayWrite { statement.describe() }
        var region = statement.mayWrite ? statement.effects.region : statement.completeRegion()
        if let narrowing { region = region.narrowed(toRows: narrowing.rows, ofTable: narrowing.table) }
        recordedRegion?.formUnion(region)
    }

    /// Adds the region that a statement has read, if it was not completely known before the run.
    fileprivate func recordRun(of statement: Statement) {
        if !statement.mayWrite, statement.hasEffectsOfRun || statement.keepsEffectsOfSchema() { return }
        _ = statement.describeRun()
        let region = statement.completeRegion()
        recordedRegion?.formUnion(region)
    }
}

extension Statement {
    /// Declares that the next run reads only some rows of a table, for the recording of ``Database/recordingAccesses(_:)``.
    ///
    /// The declaration applies to one run. Make it right before the run, after setting the arguments: other arguments revoke it.
    /// The results of the run must not depend on other rows of the table, not even in subqueries and views. If the statement reads
    /// tables of several databases with this name, the declaration has no effect. It also has no effect outside a recording.
    ///
    /// - Parameters:
    ///   - rowIDs: the row IDs, of existing and of missing rows.
    ///   - tableName: the table's name, regardless of case.
    package func narrowNextRun(toRows rowIDs: Set<Int64>, ofTable tableName: String) {
        guard database.isRecordingAccesses else { return }
        state.pointee.narrowing = (tableName, rowIDs)
    }
}

/// Records the regions that statements read.
struct AccessRecording: StatementParticipant {
    var need: StatementNeeds.Need { .recording }

    func statementWillBegin(_ statement: Statement, in db: Database) throws { db.recordAccess(of: statement) }

    func statementDidEnd(_ end: inout StatementEnd, in db: Database) { db.recordRun(of: end.statement) }
}
