import QueryInterface

// Calling the callbacks, which record types need not implement.

extension MutablePersistableRecord {
    /// Inserts or updates the record, surrounded by the save callbacks.
    @inlinable
    mutating func savingWithCallbacks(
        _ db: Database, _ plans: RecordPlans, _ save: (inout Self) throws -> PersistenceSuccess
    ) throws {
        if !plans.leavesOut(.willSave) { try willSave(db) }
        let saved = try plans.leavesOut(.aroundSave) ? save(&self) : savingAround(db, save)
        didSave(saved)
        plans.giveBack((consume saved).written.container)
    }

    @inlinable
    @inline(__always)
    mutating func didInsertUnlessSkipped(_ inserted: InsertionSuccess) {
        if !inserted.written.row.isSkipped { didInsert(inserted) }
    }

    /// The callback gets a copy of the record, because its closure changes the record.
    @inline(never)
    @inlinable
    mutating func savingAround(
        _ db: Database, _ save: (inout Self) throws -> PersistenceSuccess
    ) throws -> PersistenceSuccess {
        var around = AroundCallback<PersistenceSuccess>("aroundSave", of: Self.self)
        let record = self
        try record.aroundSave(db) { try around.write { try save(&self) } }
        return try around.success
    }

    @inline(never)
    @inlinable
    func insertAround(
        _ db: Database, _ plans: RecordPlans, _ resolution: Database.ConflictResolution, _ details: WriteDetails?
    ) throws -> InsertionSuccess {
        var around = AroundCallback<InsertionSuccess>("aroundInsert", of: Self.self)
        try aroundInsert(db) { try around.write { try plans.insert(self, db, resolution, details) } }
        return try around.success
    }

    @inline(never)
    @inlinable
    func updateAround(
        _ db: Database, _ plans: RecordPlans, _ resolution: Database.ConflictResolution, columns: ColumnSet?, names: Set<String>,
        _ details: WriteDetails?
    ) throws -> PersistenceSuccess {
        var around = AroundCallback<PersistenceSuccess>("aroundUpdate", of: Self.self)
        try aroundUpdate(db, columns: names) { try around.write { try plans.update(self, db, resolution, columns: columns, details) } }
        return try around.success
    }

    @inline(never)
    @inlinable
    func deleteAround(_ db: Database, _ plans: RecordPlans) throws -> Bool {
        var around = AroundCallback<Bool>("aroundDelete", of: Self.self)
        try aroundDelete(db) { try around.write { try plans.delete(self, db) } }
        return try around.success
    }
}

/// Checks that an around callback calls its closure once.
@usableFromInline
struct AroundCallback<Success> {
    private let name: String
    private let type: Any.Type
    private var result: Success?

    @usableFromInline
    init(_ name: String, of type: Any.Type) {
        self.name = name
        self.type = type
    }

    /// Writes the record: called by the callback's closure.
    @usableFromInline
    mutating func write(_ body: () throws -> Success) throws -> Success {
        guard result == nil else { throw error("called its closure more than once") }
        let success = try body()
        result = success
        return success
    }

    /// The result of the closure.
    ///
    /// - Throws: ``DatabaseError`` when the closure did not succeed.
    @usableFromInline
    var success: Success {
        get throws {
            guard let result else { throw error("did not call its closure, or caught its error") }
            return result
        }
    }

    private func error(_ reason: String) -> DatabaseError {
        .misuse("\(name) of \(type) \(reason)")
    }
}
