import QueryInterface

extension MutablePersistableRecord {
    /// Deletes the row that has the record's primary key.
    ///
    /// ```swift
    /// try player.delete(db)
    /// ```
    ///
    /// The SQL is `DELETE FROM "player" WHERE "id" = 1`. The method uses only the primary key of the record, and ignores values
    /// that can't be stored in other columns.
    ///
    /// - Parameter db: a connection.
    /// - Returns: whether the row existed.
    /// - Throws: ``DatabaseError``, or the error of a callback or of the record's encoding.
    @discardableResult
    @inlinable
    public func delete(_ db: Database) throws -> Bool {
        // A copy would retain all values of the record.
        guard subclass == nil, db.isInsideTransaction else { return try deleteCopy(db) }
        return try Deletion().delete(self, db, RecordPlans.plans(for: Self.self, in: db))
    }

    @inline(never)
    @inlinable
    func deleteCopy(_ db: Database) throws -> Bool {
        try onCopy { try $0.write(db, Deletion()) }
    }

    /// Returns whether a row has the record's primary key.
    ///
    /// ```swift
    /// if try !player.exists(db) { try player.insert(db) }
    /// ```
    ///
    /// The SQL is `SELECT 1 FROM "player" WHERE "id" = 1`. The method uses only the primary key of the record.
    ///
    /// - Returns: whether the row exists; false for a record whose primary key is NULL or not encoded.
    /// - Throws: ``DatabaseError``, or the error of the record's encoding.
    @inlinable
    public func exists(_ db: Database) throws -> Bool {
        if let subclass { return try exists(as: subclass, db) }
        return try RecordPlans.plans(for: Self.self, in: db).exists(self, db)
    }
}
