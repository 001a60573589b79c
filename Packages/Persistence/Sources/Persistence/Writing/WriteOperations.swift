import QueryInterface

/// Inserts or updates a record, between the callbacks of saving.
@usableFromInline
protocol SaveOperation: WriteOperation {
    /// The callbacks after which an error may find the record changed. If a record type has one of them, a copy is written, which replaces
    /// the record after everything has succeeded.
    static var changingCallbacks: RecordCallbacks { get }

    /// Writes a record between the callbacks of insertions or updates.
    func save<Record: MutablePersistableRecord>(
        _ record: inout Record, _ db: Database, _ plans: RecordPlans, _ details: WriteDetails?
    ) throws -> PersistenceSuccess
}

extension SaveOperation {
    @inlinable
    func perform<Record: MutablePersistableRecord>(
        on record: inout Record, _ db: Database, _ plans: RecordPlans, _ details: WriteDetails?
    ) throws -> Bool {
        if plans.leavesOut(Self.changingCallbacks) {
            try record.savingWithCallbacks(db, plans) { try save(&$0, db, plans, details) }
        } else {
            try performUnchangedByErrors(on: &record, db, plans, details)
        }
        return true
    }

    @inline(never)
    @inlinable
    func performUnchangedByErrors<Record: MutablePersistableRecord>(
        on record: inout Record, _ db: Database, _ plans: RecordPlans, _ details: WriteDetails?
    ) throws {
        try record.unchangedByErrors { record in
            try record.savingWithCallbacks(db, plans) { try save(&$0, db, plans, details) }
        }
    }
}

/// Inserts a record, or upserts it if the details contain an upsert.
@usableFromInline
struct Insertion: SaveOperation {
    @usableFromInline let conflictResolution: Database.ConflictResolution?

    @inlinable static var changingCallbacks: RecordCallbacks { [.willInsert, .aroundSave] }

    /// - Parameter conflictResolution: how to treat a row that violates a constraint; the record type's policy when nil.
    @inlinable
    init(_ conflictResolution: Database.ConflictResolution?) {
        self.conflictResolution = conflictResolution
    }

    @inlinable
    func save<Record: MutablePersistableRecord>(
        _ record: inout Record, _ db: Database, _ plans: RecordPlans, _ details: WriteDetails?
    ) throws -> PersistenceSuccess {
        let resolution = resolution(for: Record.self)
        if !plans.leavesOut(.willInsert) { try record.willInsert(db) }
        let success =
            try plans.leavesOut(.aroundInsert)
            ? plans.insert(record, db, resolution, details) : record.insertAround(db, plans, resolution, details)
        record.didInsertUnlessSkipped(success)
        return PersistenceSuccess(success.written)
    }
}

/// Updates the row that has a record's primary key.
@usableFromInline
struct Update: SaveOperation {
    @usableFromInline let conflictResolution: Database.ConflictResolution?

    /// The columns to update. When nil, all columns except the primary key.
    @usableFromInline let columns: Set<String>?

    @inlinable static var changingCallbacks: RecordCallbacks { .willUpdate }

    @inlinable
    init(_ conflictResolution: Database.ConflictResolution?) {
        self.conflictResolution = conflictResolution
        columns = nil
    }

    /// Updates some columns.
    ///
    /// - Parameter name: returns the name of a column.
    @inlinable
    init<Columns: Collection>(
        _ conflictResolution: Database.ConflictResolution?, _ columns: Columns, _ name: (Columns.Element) -> String
    ) {
        self.conflictResolution = conflictResolution
        var names = Set<String>(minimumCapacity: columns.count)
        for column in columns { names.insert(name(column)) }
        self.columns = names
    }

    @inlinable
    func save<Record: MutablePersistableRecord>(
        _ record: inout Record, _ db: Database, _ plans: RecordPlans, _ details: WriteDetails?
    ) throws -> PersistenceSuccess {
        let resolution = conflictResolution ?? Record.persistenceConflictPolicy.conflictResolutionForUpdate
        let columns = columns.map { ColumnSet($0) }
        let saved: PersistenceSuccess
        if plans.leavesOut(.ofUpdates) {
            saved = try plans.update(record, db, resolution, columns: columns, details)
        } else {
            let names = try columns?.names ?? plans.updatedColumns(of: record, in: db)
            try record.willUpdate(db, columns: names)
            saved = try record.updateAround(db, plans, resolution, columns: columns, names: names, details)
        }
        record.didUpdate(saved)
        return saved
    }
}

/// Updates the columns in which a record has changed.
@usableFromInline
struct ChangesUpdate: SaveOperation {
    @usableFromInline let conflictResolution: Database.ConflictResolution?

    /// The columns that have changed. The update also writes the columns that callbacks change.
    @usableFromInline let columns: ColumnSet

    /// The values that the row is expected to hold.
    @usableFromInline let original: PersistenceContainer

    @inlinable static var changingCallbacks: RecordCallbacks { .willUpdate }

    @inlinable
    init(_ conflictResolution: Database.ConflictResolution?, _ columns: ColumnSet, from original: PersistenceContainer) {
        self.conflictResolution = conflictResolution
        self.columns = columns
        self.original = original
    }

    @inlinable
    func save<Record: MutablePersistableRecord>(
        _ record: inout Record, _ db: Database, _ plans: RecordPlans, _ details: WriteDetails?
    ) throws -> PersistenceSuccess {
        let resolution = conflictResolution ?? Record.persistenceConflictPolicy.conflictResolutionForUpdate
        try record.willUpdate(db, columns: columns.names)
        if details == nil, plans.leavesOut(.aroundUpdate),
            let saved = try plans.updateChanges(of: record, from: original, and: columns, db, resolution)
        {
            record.didUpdate(saved)
            return saved
        }
        var columns = columns
        try plans.add(to: &columns, changesOf: record, from: original, in: db)
        let saved = try record.updateAround(db, plans, resolution, columns: columns, names: columns.names, details)
        record.didUpdate(saved)
        return saved
    }
}

/// Updates the row that has a record's primary key, or inserts the record if there is no such row.
@usableFromInline
struct Save: SaveOperation {
    @usableFromInline let conflictResolution: Database.ConflictResolution?

    @inlinable static var changingCallbacks: RecordCallbacks { [.willInsert, .willUpdate, .aroundSave] }

    @inlinable
    init(_ conflictResolution: Database.ConflictResolution?) {
        self.conflictResolution = conflictResolution
    }

    @inlinable
    func save<Record: MutablePersistableRecord>(
        _ record: inout Record, _ db: Database, _ plans: RecordPlans, _ details: WriteDetails?
    ) throws -> PersistenceSuccess {
        // Checks first whether the row exists, because the callbacks of an update that finds no row must not be called.
        let isNew: Bool
        if details == nil {
            let policy = Record.persistenceConflictPolicy
            let outcome = try plans.save(
                record, db, insert: conflictResolution ?? policy.conflictResolutionForInsert,
                update: conflictResolution ?? policy.conflictResolutionForUpdate)
            switch outcome.kind {
            case .inserted:
                record.didInsertUnlessSkipped(InsertionSuccess(outcome.written))
                return PersistenceSuccess(outcome.written)
            case .updated:
                record.didUpdate(PersistenceSuccess(outcome.written))
                return PersistenceSuccess(outcome.written)
            case .undecidedInsertion:
                isNew = true
            case .undecidedUpdate:
                isNew = false
            }
        } else {
            isNew = try !plans.exists(record, db)
        }
        return try isNew
            ? Insertion(conflictResolution).save(&record, db, plans, details)
            : Update(conflictResolution).save(&record, db, plans, details)
    }
}

/// Deletes the row that has a record's primary key.
@usableFromInline
struct Deletion: WriteOperation {
    @inlinable
    init() {}

    @inlinable
    func perform<Record: MutablePersistableRecord>(
        on record: inout Record, _ db: Database, _ plans: RecordPlans, _ details: WriteDetails?
    ) throws -> Bool {
        try delete(record, db, plans)
    }

    /// Deletes the row, and leaves the record unchanged.
    @inlinable
    @inline(__always)
    func delete<Record: MutablePersistableRecord>(_ record: Record, _ db: Database, _ plans: RecordPlans) throws -> Bool {
        try record.willDelete(db)
        let isDeleted = try plans.leavesOut(.aroundDelete) ? plans.delete(record, db) : record.deleteAround(db, plans)
        record.didDelete(deleted: isDeleted)
        return isDeleted
    }
}
