import QueryInterface

// Calling the callbacks that can be left out.

extension MutablePersistableRecord {
    /// Inserts or updates the record, between the callbacks that are called for both.
    @inlinable
    mutating func savingWithCallbacks(
        _ db: Database, _ plans: RecordPlans, _ save: (inout Self) throws -> PersistenceSuccess
    ) throws {
        if !plans.leavesOut(.willSave) { try willSave(db) }
        let saved = try plans.leavesOut(.aroundSave) ? save(&self) : savingAround(db, save)
        didSave(saved)
    }

    /// The callback gets a copy of the record, as its closure changes the record.
    @inline(never)
    @inlinable
    mutating func savingAround(
        _ db: Database, _ save: (inout Self) throws -> PersistenceSuccess
    ) throws -> PersistenceSuccess {
        var saved: PersistenceSuccess?
        let record = self
        try record.aroundSave(db) {
            guard saved == nil else { throw aroundCallbackError("aroundSave", Self.self, count: 2) }
            let success = try save(&self)
            saved = success
            return success
        }
        guard let saved else { throw aroundCallbackError("aroundSave", Self.self, count: 0) }
        return saved
    }

    @inlinable
    func insertAround(
        _ db: Database, _ plans: RecordPlans, _ resolution: Database.ConflictResolution, _ details: WriteDetails?
    ) throws -> (success: InsertionSuccess, isInserted: Bool) {
        if plans.leavesOut(.aroundInsert) { return try plans.insert(self, db, resolution, details) }
        var result: (success: InsertionSuccess, isInserted: Bool)?
        try aroundInsert(db) {
            guard result == nil else { throw aroundCallbackError("aroundInsert", Self.self, count: 2) }
            let inserted = try plans.insert(self, db, resolution, details)
            result = inserted
            return inserted.success
        }
        guard let result else { throw aroundCallbackError("aroundInsert", Self.self, count: 0) }
        return result
    }

    @inlinable
    func updateAround(
        _ db: Database, _ plans: RecordPlans, _ resolution: Database.ConflictResolution, columns: ColumnSet?, names: Set<String>,
        _ details: WriteDetails?
    ) throws -> PersistenceSuccess {
        var saved: PersistenceSuccess?
        try aroundUpdate(db, columns: names) {
            guard saved == nil else { throw aroundCallbackError("aroundUpdate", Self.self, count: 2) }
            let success = try plans.update(self, db, resolution, columns: columns, details)
            saved = success
            return success
        }
        guard let saved else { throw aroundCallbackError("aroundUpdate", Self.self, count: 0) }
        return saved
    }

    @inline(never)
    @inlinable
    func deleteAround(_ db: Database, _ plans: RecordPlans) throws -> Bool {
        var deleted: Bool?
        try aroundDelete(db) {
            guard deleted == nil else { throw aroundCallbackError("aroundDelete", Self.self, count: 2) }
            let isDeleted = try plans.delete(self, db)
            deleted = isDeleted
            return isDeleted
        }
        guard let deleted else { throw aroundCallbackError("aroundDelete", Self.self, count: 0) }
        return deleted
    }
}
