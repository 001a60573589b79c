import RowDecoding

// MARK: - Updating

extension RequestSource where Self: TypedRequest, DerivedRequest == QueryInterfaceRequest<RowDecoder> {
    /// Updates the rows of the request.
    ///
    /// ```swift
    /// // UPDATE "player" SET "score" = 0, "bonus" = "bonus" + 10 WHERE "team" = 'Red'
    /// let count = try Player
    ///     .filter { $0.team == "Red" }
    ///     .updateAll(db, [Column("score").set(to: 0), Column("bonus") += 10])
    /// ```
    ///
    /// If the request has a limit or joins, or groups by the primary key, a subquery selects the rows by their primary keys:
    /// `WHERE "id" IN (SELECT …)`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: how to treat rows that violate a constraint; nil means the record type's policy.
    ///   - assignments: the assignments. If there are none, no statement runs.
    /// - Returns: the number of rows that were updated.
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, _ assignments: [ColumnAssignment]
    ) throws -> Int {
        if assignments.isEmpty { return 0 }
        return try all().relation.update(db, assignments, onConflict: conflictResolution)
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

    /// Returns a statement that updates the rows of the request, and returns a selection of each updated row.
    ///
    /// The SQL is `UPDATE "player" SET "score" = 0 RETURNING "id", "name"`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: how to treat rows that violate a constraint; nil means the record type's policy.
    ///   - assignments: the assignments.
    ///   - selection: the expressions to return for each row. They see the row as it is after the update.
    /// - Throws: ``DatabaseError``, for example when there are no assignments, or the error of a value that can't be stored.
    public func updateAndFetchStatement(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, _ assignments: [ColumnAssignment],
        selection: [any SQLSelectable]
    ) throws -> Statement {
        guard !assignments.isEmpty else { throw DatabaseError.misuse("an update of \(all().databaseTableName) has no assignments") }
        return try all().relation.updateStatement(
            db, assignments, onConflict: conflictResolution, returning: selection.map(\.sqlSelection))
    }
}

extension RequestSource where Self: TypedRequest, DerivedRequest == QueryInterfaceRequest<RowDecoder>, RowDecoder: TableRecord {
    /// Updates the rows of the request.
    ///
    /// ```swift
    /// try Player.filter { $0.team == "Red" }.updateAll(db) { $0.score.set(to: 0) }
    /// ```
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: how to treat rows that violate a constraint; nil means the record type's policy.
    ///   - assignment: returns the assignment, given the columns of the record type.
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
    ///   - conflictResolution: how to treat rows that violate a constraint; nil means the record type's policy.
    ///   - assignments: returns the assignments, given the columns of the record type. If there are none, no statement runs.
    /// - Returns: the number of rows that were updated.
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (RowDecoder.DatabaseComponents) throws -> [ColumnAssignment]
    ) throws -> Int {
        try updateAll(db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents))
    }

    /// Returns a statement that updates the rows of the request, and returns a selection of each updated row.
    ///
    /// The SQL is `UPDATE "player" SET "score" = 0 RETURNING "id", "name"`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: how to treat rows that violate a constraint; nil means the record type's policy.
    ///   - assignments: returns the assignments, given the columns of the record type.
    ///   - selection: returns the expressions to return for each row. They see the row as it is after the update.
    /// - Throws: ``DatabaseError``, for example when there are no assignments, or the error of a value that can't be stored.
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

extension RequestSource
where Self: TypedRequest, DerivedRequest == QueryInterfaceRequest<RowDecoder>, RowDecoder: FetchableRecord & TableRecord {
    /// Returns a cursor over the updated records of the request. All rows are updated before the cursor returns the first record.
    ///
    /// The SQL is `UPDATE "player" SET "score" = 0 RETURNING *`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: how to treat rows that violate a constraint; nil means the record type's policy.
    ///   - assignments: the assignments.
    /// - Throws: ``DatabaseError``, for example when there are no assignments, or the error of a value that can't be stored. The cursor
    ///   throws the errors of the record's initializer.
    public func updateAndFetchCursor(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, _ assignments: [ColumnAssignment]
    ) throws -> RecordCursor<RowDecoder> {
        let statement = try updateAndFetchStatement(
            db, onConflict: conflictResolution, assignments, selection: RowDecoder.databaseSelection)
        return try RowDecoder.fetchCursor(statement)
    }

    /// Returns a cursor over the updated records of the request. All rows are updated before the cursor returns the first record.
    ///
    /// The SQL is `UPDATE "player" SET "score" = 0 RETURNING *`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: how to treat rows that violate a constraint; nil means the record type's policy.
    ///   - assignments: returns the assignments, given the columns of the record type.
    /// - Throws: ``DatabaseError``, for example when there are no assignments, or the error of a value that can't be stored. The cursor
    ///   throws the errors of the record's initializer.
    public func updateAndFetchCursor(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (RowDecoder.DatabaseComponents) throws -> [ColumnAssignment]
    ) throws -> RecordCursor<RowDecoder> {
        try updateAndFetchCursor(db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents))
    }

    /// Updates the rows of the request, and returns the updated records.
    ///
    /// The SQL is `UPDATE "player" SET "score" = 0 RETURNING *`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: how to treat rows that violate a constraint; nil means the record type's policy.
    ///   - assignments: the assignments.
    /// - Throws: ``DatabaseError``, for example when there are no assignments, the error of a value that can't be stored, or the error of
    ///   the record's initializer.
    public func updateAndFetchAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, _ assignments: [ColumnAssignment]
    ) throws -> [RowDecoder] {
        try Array(updateAndFetchCursor(db, onConflict: conflictResolution, assignments))
    }

    /// Updates the rows of the request, and returns the updated records.
    ///
    /// ```swift
    /// // UPDATE "player" SET "score" = 0 WHERE "team" = 'Reds' RETURNING *
    /// let reds = try Player.filter { $0.team == "Reds" }
    ///     .updateAndFetchAll(db) { [$0.score.set(to: 0)] }
    /// ```
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: how to treat rows that violate a constraint; nil means the record type's policy.
    ///   - assignments: returns the assignments, given the columns of the record type.
    /// - Throws: ``DatabaseError``, for example when there are no assignments, the error of a value that can't be stored, or the error of
    ///   the record's initializer.
    public func updateAndFetchAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (RowDecoder.DatabaseComponents) throws -> [ColumnAssignment]
    ) throws -> [RowDecoder] {
        try updateAndFetchAll(db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents))
    }

    /// Updates the rows of the request, and returns a set of the updated records.
    ///
    /// The SQL is `UPDATE "player" SET "score" = 0 RETURNING *`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: how to treat rows that violate a constraint; nil means the record type's policy.
    ///   - assignments: the assignments.
    /// - Throws: ``DatabaseError``, for example when there are no assignments, the error of a value that can't be stored, or the error of
    ///   the record's initializer.
    public func updateAndFetchSet(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, _ assignments: [ColumnAssignment]
    ) throws -> Set<RowDecoder> where RowDecoder: Hashable {
        try Set(updateAndFetchCursor(db, onConflict: conflictResolution, assignments))
    }

    /// Updates the rows of the request, and returns a set of the updated records.
    ///
    /// The SQL is `UPDATE "player" SET "score" = 0 RETURNING *`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: how to treat rows that violate a constraint; nil means the record type's policy.
    ///   - assignments: returns the assignments, given the columns of the record type.
    /// - Throws: ``DatabaseError``, for example when there are no assignments, the error of a value that can't be stored, or the error of
    ///   the record's initializer.
    public func updateAndFetchSet(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (RowDecoder.DatabaseComponents) throws -> [ColumnAssignment]
    ) throws -> Set<RowDecoder> where RowDecoder: Hashable {
        try updateAndFetchSet(db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents))
    }
}
