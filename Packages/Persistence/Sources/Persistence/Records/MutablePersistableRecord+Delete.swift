import QueryInterface

extension MutablePersistableRecord {
    /// Deletes the row of the record's primary key.
    ///
    /// ```swift
    /// try player.delete(db)
    /// ```
    ///
    /// The SQL is `DELETE FROM "player" WHERE "id" = 1`. Of what the record encodes, the primary key alone is used: it is no matter
    /// whether the other values can be stored.
    ///
    /// - Parameter db: a connection.
    /// - Returns: whether there was such a row.
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

    /// Whether there is a row of the record's primary key.
    ///
    /// The SQL is `SELECT 1 FROM "player" WHERE "id" = 1`. Of what the record encodes, the primary key alone is used.
    ///
    /// - Returns: false, too, for a record whose primary key is NULL, or that does not encode it.
    /// - Throws: ``DatabaseError``, or the error of the record's encoding.
    @inlinable
    public func exists(_ db: Database) throws -> Bool {
        if let subclass { return try exists(as: subclass, db) }
        return try RecordPlans.plans(for: Self.self, in: db).exists(self, db)
    }
}
