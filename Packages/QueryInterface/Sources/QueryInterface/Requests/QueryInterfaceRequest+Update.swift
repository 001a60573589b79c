import RowDecoding

// MARK: - Updating

extension QueryInterfaceRequest {
    /// Updates the rows of the request.
    ///
    /// ```swift
    /// // UPDATE "player" SET "score" = 0, "bonus" = "bonus" + 10 WHERE "team" = 'Red'
    /// let count = try Player
    ///     .filter { $0.team == "Red" }
    ///     .updateAll(db, [Column("score").set(to: 0), Column("bonus") += 10])
    /// ```
    ///
    /// A request with a limit or with joins updates the rows that it would fetch: they are picked by their keys, by
    /// `WHERE "id" IN (SELECT …)`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: what happens to rows that violate a constraint; what the record type says when nil.
    ///   - assignments: what is stored. Nothing runs when there are none.
    /// - Returns: the number of rows that were updated.
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, _ assignments: [ColumnAssignment]
    ) throws -> Int {
        if assignments.isEmpty { return 0 }
        return try db.countingChanges {
            try relation.updateStatement(db, assignments, onConflict: conflictResolution).execute()
        }
    }

    /// Updates the rows of the request: see ``updateAll(_:onConflict:_:)``.
    ///
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, _ assignments: ColumnAssignment...
    ) throws -> Int {
        try updateAll(db, onConflict: conflictResolution, assignments)
    }

    /// The statement that updates the rows of the request, and returns what is selected of each.
    ///
    /// The SQL is `UPDATE "player" SET "score" = 0 RETURNING "id", "name"`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: what happens to rows that violate a constraint; what the record type says when nil.
    ///   - assignments: what is stored.
    ///   - selection: what is returned of each row, as it is after the update.
    /// - Throws: ``DatabaseError``, also when there are no assignments, or the error of a value that can't be stored.
    public func updateAndFetchStatement(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, _ assignments: [ColumnAssignment],
        selection: [any SQLSelectable]
    ) throws -> Statement {
        guard !assignments.isEmpty else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "an update of \(databaseTableName) assigns nothing")
        }
        return try relation.updateStatement(
            db, assignments, onConflict: conflictResolution, returning: selection.map(\.sqlSelection))
    }
}

extension QueryInterfaceRequest where RowDecoder: TableRecord {
    /// Updates the rows of the request.
    ///
    /// ```swift
    /// try Player.filter { $0.team == "Red" }.updateAll(db) { $0.score.set(to: 0) }
    /// ```
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: what happens to rows that violate a constraint; what the record type says when nil.
    ///   - assignment: gives what is stored, of the columns of the record type.
    /// - Returns: the number of rows that were updated.
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignment: (RowDecoder.DatabaseComponents) throws -> ColumnAssignment
    ) throws -> Int {
        try updateAll(db, onConflict: conflictResolution, [assignment(RowDecoder.databaseComponents)])
    }

    /// Updates the rows of the request.
    ///
    /// ```swift
    /// try Player.all().updateAll(db) { [$0.score.set(to: 0), $0.bonus += 10] }
    /// ```
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: what happens to rows that violate a constraint; what the record type says when nil.
    ///   - assignments: gives what is stored, of the columns of the record type.
    /// - Returns: the number of rows that were updated.
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (RowDecoder.DatabaseComponents) throws -> [ColumnAssignment]
    ) throws -> Int {
        try updateAll(db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents))
    }

    /// The statement that updates the rows of the request, and returns what is selected of each.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: what happens to rows that violate a constraint; what the record type says when nil.
    ///   - assignments: gives what is stored, of the columns of the record type.
    ///   - selection: gives what is returned of each row, as it is after the update.
    /// - Throws: ``DatabaseError``, also when there are no assignments, or the error of a value that can't be stored.
    public func updateAndFetchStatement(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (RowDecoder.DatabaseComponents) throws -> [ColumnAssignment],
        select selection: (RowDecoder.DatabaseComponents) throws -> [any SQLSelectable]
    ) throws -> Statement {
        try updateAndFetchStatement(
            db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents),
            selection: selection(RowDecoder.databaseComponents))
    }
}

extension QueryInterfaceRequest where RowDecoder: FetchableRecord & TableRecord {
    /// A cursor over the records of the rows that the request updates, as they are then. All rows are updated before it gives the first.
    ///
    /// The SQL is `UPDATE "player" SET "score" = 0 RETURNING *`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: what happens to rows that violate a constraint; what the record type says when nil.
    ///   - assignments: what is stored.
    /// - Throws: ``DatabaseError``, also when there are no assignments, the error of a value that can't be stored, or that of the
    ///   record's initializer.
    public func updateAndFetchCursor(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, _ assignments: [ColumnAssignment]
    ) throws -> RecordCursor<RowDecoder> {
        let statement = try updateAndFetchStatement(
            db, onConflict: conflictResolution, assignments, selection: RowDecoder.databaseSelection)
        return try RowDecoder.fetchCursor(statement)
    }

    /// A cursor over the records of the rows that the request updates, as they are then. All rows are updated before it gives the first.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: what happens to rows that violate a constraint; what the record type says when nil.
    ///   - assignments: gives what is stored, of the columns of the record type.
    /// - Throws: ``DatabaseError``, also when there are no assignments, the error of a value that can't be stored, or that of the
    ///   record's initializer.
    public func updateAndFetchCursor(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (RowDecoder.DatabaseComponents) throws -> [ColumnAssignment]
    ) throws -> RecordCursor<RowDecoder> {
        try updateAndFetchCursor(db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents))
    }

    /// Updates the rows of the request, and returns their records, as they are then.
    ///
    /// The SQL is `UPDATE "player" SET "score" = 0 RETURNING *`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: what happens to rows that violate a constraint; what the record type says when nil.
    ///   - assignments: what is stored.
    /// - Throws: ``DatabaseError``, also when there are no assignments, the error of a value that can't be stored, or that of the
    ///   record's initializer.
    public func updateAndFetchAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, _ assignments: [ColumnAssignment]
    ) throws -> [RowDecoder] {
        try Array(updateAndFetchCursor(db, onConflict: conflictResolution, assignments))
    }

    /// Updates the rows of the request, and returns their records, as they are then.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: what happens to rows that violate a constraint; what the record type says when nil.
    ///   - assignments: gives what is stored, of the columns of the record type.
    /// - Throws: ``DatabaseError``, also when there are no assignments, the error of a value that can't be stored, or that of the
    ///   record's initializer.
    public func updateAndFetchAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (RowDecoder.DatabaseComponents) throws -> [ColumnAssignment]
    ) throws -> [RowDecoder] {
        try updateAndFetchAll(db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents))
    }

    /// Updates the rows of the request, and returns their records, as they are then, as a set.
    ///
    /// The SQL is `UPDATE "player" SET "score" = 0 RETURNING *`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: what happens to rows that violate a constraint; what the record type says when nil.
    ///   - assignments: what is stored.
    /// - Throws: ``DatabaseError``, also when there are no assignments, the error of a value that can't be stored, or that of the
    ///   record's initializer.
    public func updateAndFetchSet(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, _ assignments: [ColumnAssignment]
    ) throws -> Set<RowDecoder> where RowDecoder: Hashable {
        try Set(updateAndFetchCursor(db, onConflict: conflictResolution, assignments))
    }

    /// Updates the rows of the request, and returns their records, as they are then, as a set.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: what happens to rows that violate a constraint; what the record type says when nil.
    ///   - assignments: gives what is stored, of the columns of the record type.
    /// - Throws: ``DatabaseError``, also when there are no assignments, the error of a value that can't be stored, or that of the
    ///   record's initializer.
    public func updateAndFetchSet(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (RowDecoder.DatabaseComponents) throws -> [ColumnAssignment]
    ) throws -> Set<RowDecoder> where RowDecoder: Hashable {
        try updateAndFetchSet(db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents))
    }
}
