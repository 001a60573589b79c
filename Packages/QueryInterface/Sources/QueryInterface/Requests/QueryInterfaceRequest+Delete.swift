import RowDecoding

// MARK: - Deleting

extension RequestSource where Self: TypedRequest, DerivedRequest == QueryInterfaceRequest<RowDecoder> {
    /// Deletes the rows of the request.
    ///
    /// ```swift
    /// // DELETE FROM "player" WHERE "score" < 100
    /// let count = try Player.filter { $0.score < 100 }.deleteAll(db)
    /// ```
    ///
    /// If the request has a limit or joins, or groups by the primary key, a subquery selects the rows by their primary keys:
    /// `WHERE "id" IN (SELECT …)`.
    ///
    /// - Returns: the number of rows that were deleted.
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    @discardableResult
    public func deleteAll(_ db: Database) throws -> Int {
        try all().relation.delete(db)
    }

    /// Returns a statement that deletes the rows of the request, and returns a selection of each deleted row.
    ///
    /// The SQL is `DELETE FROM "player" RETURNING "id", "name"`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - selection: the expressions to return for each row. They see the row before it is deleted.
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    public func deleteAndFetchStatement(_ db: Database, selection: [any SQLSelectable]) throws -> Statement {
        try all().relation.deleteStatement(db, returning: selection.map(\.sqlSelection))
    }
}

extension RequestSource where Self: TypedRequest, DerivedRequest == QueryInterfaceRequest<RowDecoder>, RowDecoder: TableRecord {
    /// Returns a statement that deletes the rows of the request, and returns a selection of each deleted row.
    ///
    /// ```swift
    /// let statement = try request.deleteAndFetchStatement(db, select: { [$0.id, $0.name] })
    /// ```
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - selection: returns the expressions to return for each row. They see the row before it is deleted.
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    public func deleteAndFetchStatement(
        _ db: Database, select selection: (RowDecoder.DatabaseComponents) throws -> [any SQLSelectable]
    ) throws -> Statement {
        try deleteAndFetchStatement(db, selection: selection(RowDecoder.databaseComponents))
    }
}

extension RequestSource
where
    Self: TypedRequest, DerivedRequest == QueryInterfaceRequest<RowDecoder>, RowDecoder: TableRecord & Identifiable,
    RowDecoder.ID: Hashable & DatabaseValueConvertible
{
    /// Deletes the rows of the request, and returns a set of their ids.
    ///
    /// The SQL is `DELETE FROM "player" RETURNING "id"`.
    ///
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    @discardableResult
    public func deleteAndFetchIds(_ db: Database) throws -> Set<RowDecoder.ID> {
        let columns = try TableReference(all().databaseTableName, in: db).primaryKey(db).columns
        return try RowDecoder.ID.fetchSet(deleteAndFetchStatement(db, selection: columns.map { Column($0) }))
    }
}

extension RequestSource
where Self: TypedRequest, DerivedRequest == QueryInterfaceRequest<RowDecoder>, RowDecoder: FetchableRecord & TableRecord {
    /// Returns a cursor over the deleted records of the request.
    ///
    /// The SQL is `DELETE FROM "player" RETURNING *`. All rows are deleted before the cursor returns the first record.
    ///
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    public func deleteAndFetchCursor(_ db: Database) throws -> RecordCursor<RowDecoder> {
        try RowDecoder.fetchCursor(deleteAndFetchStatement(db, selection: RowDecoder.databaseSelection))
    }

    /// Deletes the rows of the request, and returns the deleted records.
    ///
    /// ```swift
    /// // DELETE FROM "player" WHERE "score" = 0 RETURNING *
    /// let deleted = try Player.filter { $0.score == 0 }.deleteAndFetchAll(db)
    /// ```
    ///
    /// - Throws: ``DatabaseError``, the error of a value that can't be stored, or the error of the record's initializer. When the
    ///   initializer throws outside of a transaction, the rows are deleted nevertheless.
    public func deleteAndFetchAll(_ db: Database) throws -> [RowDecoder] {
        try Array(deleteAndFetchCursor(db))
    }

    /// Deletes the rows of the request, and returns a set of the deleted records.
    ///
    /// The SQL is `DELETE FROM "player" RETURNING *`.
    ///
    /// - Throws: ``DatabaseError``, the error of a value that can't be stored, or the error of the record's initializer. When the
    ///   initializer throws outside of a transaction, the rows are deleted nevertheless.
    public func deleteAndFetchSet(_ db: Database) throws -> Set<RowDecoder> where RowDecoder: Hashable {
        try Set(deleteAndFetchCursor(db))
    }
}

extension Statement {
    /// Runs a change, and returns the number of rows that it changed. If the statement returns rows, it returns one for each.
    func countingChanges() throws -> Int {
        if columnCount == 0 {
            try execute()
            return database.changesCount
        }
        var count = 0
        while try step() { count += 1 }
        return count
    }
}
