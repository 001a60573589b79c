import QueryInterface

extension RecordPlans {
    /// Updates the row of a record's primary key, or inserts the record if there is no such row. If callbacks must be called first, writes
    /// nothing.
    ///
    /// The record is encoded once, to find its row and to write it, so nothing that could change it may run in between.
    @inlinable
    func save<Record: EncodableRecord>(
        _ record: Record, _ db: Database, insert insertion: Database.ConflictResolution, update: Database.ConflictResolution
    ) throws -> SaveOutcome {
        // A record is usually new if the previous one was.
        let known = try plan(forNewRow: state.pointee.savesNewRows, db, insertion, update)
        return try takingBack(encode(record, for: known)) { try save($0, db, insert: insertion, update: update, known) }
    }

    @usableFromInline
    func save(
        _ container: PersistenceContainer, _ db: Database, insert insertion: Database.ConflictResolution,
        update: Database.ConflictResolution, _ known: RecordPlan?
    ) throws -> SaveOutcome {
        let isNew = try !rowExists(of: container, db)
        state.pointee.savesNewRows = isNew
        guard leavesOut(isNew ? .ofInsertions : .ofUpdates) else {
            return SaveOutcome(kind: isNew ? .undecidedInsertion : .undecidedUpdate, written: WrittenRecord(container: container))
        }
        let plan = try plan(forNewRow: isNew, db, insertion, update)
        if plan !== known { container.contents.state.pointee.isBound = false }
        if isNew {
            let row = try insertEncoded(container, db, insertion, plan)
            return SaveOutcome(kind: .inserted, written: WrittenRecord(container: container, row: row))
        }
        try self.update(container, db, update, columns: nil, nil, plan)
        return SaveOutcome(kind: .updated, written: WrittenRecord(container: container))
    }

    /// Returns the plan that writes a record, if it exists and no callback must be called first.
    @usableFromInline
    func plan(
        forNewRow isNew: Bool, _ db: Database, _ insertion: Database.ConflictResolution, _ update: Database.ConflictResolution
    ) throws -> RecordPlan? {
        guard leavesOut(isNew ? .ofInsertions : .ofUpdates) else { return nil }
        return try isNew ? current(state.pointee.insertion, insertion, db) : current(state.pointee.update, update, db)
    }
}

/// The outcome of saving a record.
///
/// The kinds have no payloads, because copying these takes function calls that cost more than everything else here.
@usableFromInline
struct SaveOutcome {
    @usableFromInline
    enum Kind {
        case inserted
        case updated
        /// Nothing was written, because callbacks must be called first.
        case undecidedInsertion
        case undecidedUpdate
    }

    @usableFromInline let kind: Kind
    @usableFromInline let written: WrittenRecord
}
