import QueryInterface

extension RecordPlans {
    /// Updates the row of a record's primary key, or inserts the record when there is none, unless there are callbacks to call first.
    ///
    /// The record is encoded once, to find its row and to be written: nothing may come in between that could change it.
    @inlinable
    func save<Record: EncodableRecord>(
        _ record: Record, _ db: Database, insert insertion: Database.ConflictResolution, update: Database.ConflictResolution
    ) throws -> SaveOutcome {
        // Records are saved for the same reason as the one before, as a rule.
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
            return SaveOutcome(isNew ? .undecidedInsertion : .undecidedUpdate, WrittenRecord(container: container))
        }
        let plan = try plan(forNewRow: isNew, db, insertion, update)
        if plan !== known { container.contents.state.pointee.isBound = false }
        if isNew {
            let (success, isInserted) = try self.insert(container, db, insertion, plan)
            return SaveOutcome(isInserted ? .inserted : .ignored, success.written)
        }
        return SaveOutcome(.updated, try self.update(container, db, update, columns: nil, nil, plan).written)
    }

    /// The plan that a record is written by, if there is one, and no callback comes first.
    @usableFromInline
    func plan(
        forNewRow isNew: Bool, _ db: Database, _ insertion: Database.ConflictResolution, _ update: Database.ConflictResolution
    ) throws -> RecordPlan? {
        guard leavesOut(isNew ? .ofInsertions : .ofUpdates) else { return nil }
        return try isNew ? current(state.pointee.insertion, insertion, db) : current(state.pointee.update, update, db)
    }
}

/// What has become of a record that was saved.
///
/// No payloads: they would be copied by calls that take longer than all else here.
@usableFromInline
struct SaveOutcome {
    @usableFromInline
    enum Kind {
        case inserted
        case updated
        /// No row was written because of a conflict, or by the will of a trigger.
        case ignored
        /// There are callbacks to call first.
        case undecidedInsertion
        case undecidedUpdate
    }

    @usableFromInline let kind: Kind
    @usableFromInline let written: WrittenRecord

    init(_ kind: Kind, _ written: WrittenRecord) {
        self.kind = kind
        self.written = written
    }
}
