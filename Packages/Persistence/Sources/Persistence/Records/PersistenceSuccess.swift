import QueryInterface

/// What is known after a row was inserted.
public struct InsertionSuccess {
    /// The row id of the row, which an upsert may have updated. It is 0 where there is none: in tables WITHOUT ROWID, and in views.
    public let rowID: Int64

    /// The name of the column that holds the row id: an `INTEGER PRIMARY KEY`; nil if there is none.
    public let rowIDColumn: String?

    /// The columns and values that were written. The row may have others: defaults, and what triggers do.
    public let persistenceContainer: PersistenceContainer

    @inlinable
    init(rowID: Int64, rowIDColumn: String?, persistenceContainer: PersistenceContainer) {
        self.rowID = rowID
        self.rowIDColumn = rowIDColumn
        self.persistenceContainer = persistenceContainer
    }
}

/// What is known after a row was inserted or updated.
public struct PersistenceSuccess {
    /// The columns and values that were written. The row may have others: defaults, and what triggers do.
    public let persistenceContainer: PersistenceContainer

    @inlinable
    init(persistenceContainer: PersistenceContainer) {
        self.persistenceContainer = persistenceContainer
    }
}

/// What a record's insertions and updates do about rows that violate a constraint, where the call does not say.
public struct PersistenceConflictPolicy: Sendable {
    /// For insertions. `.abort` adds nothing to the SQL.
    public let conflictResolutionForInsert: Database.ConflictResolution

    /// For updates. `.abort` adds nothing to the SQL.
    public let conflictResolutionForUpdate: Database.ConflictResolution

    /// Makes a policy.
    public init(insert: Database.ConflictResolution = .abort, update: Database.ConflictResolution = .abort) {
        conflictResolutionForInsert = insert
        conflictResolutionForUpdate = update
    }
}
