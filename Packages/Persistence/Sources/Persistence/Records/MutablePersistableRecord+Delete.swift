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
        // Without `inPersistenceTransaction`, for whose closure the record would be copied even where it is not needed.
        if db.isInsideTransaction { return try deleteWithCallbacks(db) }
        return try deleteInOwnTransaction(db)
    }

    @inline(never)
    @inlinable
    func deleteInOwnTransaction(_ db: Database) throws -> Bool {
        var isDeleted = false
        try db.inTransaction {
            isDeleted = try deleteWithCallbacks(db)
            return .commit
        }
        return isDeleted
    }

    @inlinable
    @inline(__always)
    func deleteWithCallbacks(_ db: Database) throws -> Bool {
        if let subclass { return try delete(as: subclass, db) }
        let plans = RecordPlans.plans(for: Self.self, in: db)
        try willDelete(db)
        let isDeleted = try plans.leavesOut(.aroundDelete) ? plans.delete(self, db) : deleteAround(db, plans)
        didDelete(deleted: isDeleted)
        return isDeleted
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
