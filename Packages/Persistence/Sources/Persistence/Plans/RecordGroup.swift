import QueryInterface

// A statement that inserts several records: `INSERT INTO … VALUES (…), (…)`. Each record of a group is encoded in memory of its own, and
// its values are bound as they are set, as for one record (see `ContainerStorage+Binding.swift`). The memory is kept until the statement
// has run, and is then the containers of `didInsert`. If the statement fails, the records are written one by one with the values that
// their memory holds: no record is encoded twice.
//
// Failures. To be able to undo a statement for several rows, SQLite copies each page that the statement changes, for each statement again.
// With an index in random order, that takes longer than the rows. So the statement has the conflict resolution FAIL, which undoes nothing:
// the rows before the one that violates a constraint stay, as if they were written one by one, and SQLite counts them. After an error
// about values that is not one of these constraints, it is not known which rows there are. The batch then fails, with the error of the
// record that fails in the same way alone. Upserts and foreign keys always make the copies: see `RecordPlans+Groups.swift`.
//
// Row IDs. SQLite does not report the row IDs of such a statement. They are known nevertheless:
// - A record that encodes an integer as its row ID has this row ID.
// - If SQLite chooses the row IDs, it takes for each row the largest row ID of the table plus one, or with AUTOINCREMENT the largest one
//   that the table ever had plus one. After the first row, the largest row ID is that of the row before. So the row IDs are consecutive,
//   and end with the connection's last row ID. Only once a table has the largest integer as a row ID, SQLite tries random ones: the
//   statement runs only if the largest row ID of the table is so small that this can't happen (<https://www.sqlite.org/autoinc.html>).
//   Nothing else writes to the table meanwhile, as it has no triggers. REPLACE deletes rows, but inserts one with a larger row ID.
//
// SQLite's update hook would tell the row IDs, too. But there is only one, and it may belong to the program.

/// A statement that inserts several records at once, and the memory that they are encoded in.
@usableFromInline
final class RecordGroup {
    /// The maximum number of records in a group.
    @inlinable static var maximumCount: Int { 32 }

    /// The minimum: smaller groups gain too little.
    static let minimumCount = 4

    /// The size of batches from which on the statement is prepared.
    @inlinable static var minimumBatchCount: Int { 64 }

    /// The maximum number of bytes in the strings and blobs of a group, which are all in memory at once.
    static let maximumByteCount = 1 << 20

    /// The statement; nil if the records can only be written one by one.
    let statement: Statement?

    /// The plan of each record, whose parameters are its own.
    @usableFromInline let plans: [RecordPlan]

    /// ``Database/ownSchemaGeneration`` when the group was created.
    let schemaGeneration: Int

    let rowIDs: RowIDs

    @usableFromInline let state: OwnedMemory<State>

    @usableFromInline
    struct State {
        /// The memory of each record.
        @usableFromInline var contents: [ContainerStorage?]
        /// Whether the records need their row IDs: their type implements a callback that gets them.
        @usableFromInline var needsRowIDs = true
        /// Whether SQLite chooses the row IDs of the current records.
        var choosesRowIDs = false
        var byteCount = 0
        /// The row ID of the first record, if SQLite has chosen it.
        var firstRowID: Int64 = 0
        /// An upper limit of the table's row IDs, and the connection's number of changes when it was found.
        var limit: (rowID: Int64, changesCount: Int)?
    }

    /// How the row IDs of a group are known.
    enum RowIDs {
        /// They are not known, or not each record is written.
        case unknown
        /// The table has none.
        case none
        /// SQLite chooses them.
        case chosen
        /// The records encode them at this position. SQLite may choose those that are NULL, or no others.
        case encoded(slot: Int, orChosen: Bool)
    }

    init(_ statement: Statement?, _ plans: [RecordPlan], contents: [ContainerStorage?], _ rowIDs: RowIDs, schemaGeneration: Int) {
        self.statement = statement
        self.plans = plans
        self.rowIDs = rowIDs
        self.schemaGeneration = schemaGeneration
        state = OwnedMemory(State(contents: contents))
        statement?.batchSize = plans.count
    }

    /// The number of records in the group.
    @inlinable var count: Int { plans.count }

    /// Whether the group can be used: for records that need their row IDs, only if these are known.
    var canServe: Bool {
        guard statement != nil else { return false }
        if case .unknown = rowIDs { return !state.pointee.needsRowIDs }
        return true
    }

    /// Begins with other records.
    @usableFromInline
    func begin() { state.pointee.byteCount = 0 }

    /// Adds the memory of an encoded record.
    ///
    /// - Returns: whether the record can be written with the group. Otherwise, the group ends with it, and its records are written one by
    ///   one.
    @usableFromInline
    func add(_ contents: consuming ContainerStorage, at index: Int) -> Bool {
        let isBound = bind(contents, at: index)
        state.pointee.contents[index] = consume contents
        return isBound
    }

    /// Binds the values of an encoded record.
    @inline(__always)
    private func bind(_ contents: ContainerStorage, at index: Int) -> Bool {
        if !contents.state.pointee.isBound {
            // The memory is new, or the record has set its columns in another way.
            guard contents.state.pointee.layout == plans[index].layout, (try? contents.bindAll(to: plans[index])) != nil else {
                return false
            }
        }
        state.pointee.byteCount &+= contents.longByteCount
        return state.pointee.byteCount <= Self.maximumByteCount && hasRowID(contents, at: index)
    }

    /// Returns whether the row ID of a record will be known. In a group, either all records encode it, or none.
    private func hasRowID(_ contents: ContainerStorage, at index: Int) -> Bool {
        guard case .encoded(let slot, let orChosen) = rowIDs, state.pointee.needsRowIDs else {
            state.pointee.choosesRowIDs = true
            return true
        }
        let isChosen: Bool
        switch contents.rowID(inSlot: slot) {
        case .null where orChosen: isChosen = true
        case .int64: isChosen = false
        default: return false
        }
        if index == 0 { state.pointee.choosesRowIDs = isChosen }
        return state.pointee.choosesRowIDs == isChosen
    }

    /// Returns the row ID of a record that was written with the group.
    func rowID(at index: Int) -> Int64 {
        switch rowIDs {
        case .encoded(let slot, _) where !state.pointee.choosesRowIDs:
            guard case .int64(let rowID)? = state.pointee.contents[index]?.rowID(inSlot: slot) else { return 0 }
            return rowID
        case .encoded, .chosen: return state.pointee.firstRowID + Int64(index)
        case .none, .unknown: return 0
        }
    }

    /// Runs the statement.
    ///
    /// - Parameters:
    ///   - arguments: the arguments that follow the values.
    ///   - largestRowID: returns the largest row ID of the table; nil if it has no rows.
    /// - Returns: the number of records that were written, from the first one. It is smaller than ``count`` if the next one violates a
    ///   constraint, and 0 if the row IDs would not be known.
    func run(_ arguments: StatementArguments, in db: Database, largestRowID: () throws -> Int64?) throws -> Int {
        guard let statement else { return 0 }
        let isChoosing = choosesKnownRowIDs
        if isChoosing {
            if state.pointee.limit?.changesCount != db.totalChangesCount {
                state.pointee.limit = (try largestRowID() ?? 0, db.totalChangesCount)
            }
            guard let limit = state.pointee.limit?.rowID, limit < Int64.max - Int64(count) else { return 0 }
        }
        if !arguments.isEmpty { try statement.bindLast(arguments) }
        statement.didBindArguments()
        var written = count
        do {
            try statement.run()
        } catch let error as DatabaseError where error.isCounted && db.isInsideTransaction {
            // It is 0 if SQLite has undone the statement.
            written = db.changesCount
        }
        guard isChoosing, written > 0 else { return written }
        let last = db.lastInsertedRowID
        state.pointee.firstRowID = last - Int64(written - 1)
        state.pointee.limit = (max(last, state.pointee.limit?.rowID ?? 0), db.totalChangesCount)
        return written
    }

    private var choosesKnownRowIDs: Bool {
        guard state.pointee.needsRowIDs, state.pointee.choosesRowIDs else { return false }
        return switch rowIDs {
        case .chosen, .encoded: true
        case .none, .unknown: false
        }
    }

    /// Frees the values of the last group, and forgets what holds only during a batch.
    func end() {
        statement?.removeArguments()
        for index in state.pointee.contents.indices {
            // The program may have kept the container, with its values.
            if isKnownUniquelyReferenced(&state.pointee.contents[index]) {
                state.pointee.contents[index]?.removeValues()
            } else {
                state.pointee.contents[index] = nil
            }
        }
        state.pointee.limit = nil
    }
}

extension DatabaseError {
    /// Whether the error is about a constraint before whose violation SQLite counts the rows of the statement.
    var isCounted: Bool {
        [
            .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY, .SQLITE_CONSTRAINT_ROWID, .SQLITE_CONSTRAINT_NOTNULL,
            .SQLITE_CONSTRAINT_CHECK, .SQLITE_CONSTRAINT_FOREIGNKEY,
        ].contains(extendedResultCode)
    }

    /// Whether the error may be about the values of a record. Other errors, such as that of a full disk, are about none.
    var isAboutValues: Bool {
        [.SQLITE_CONSTRAINT, .SQLITE_MISMATCH, .SQLITE_TOOBIG, .SQLITE_ERROR].contains(resultCode)
    }
}

extension ContainerStorage {
    /// The number of bytes in strings and blobs that have memory of their own.
    fileprivate var longByteCount: Int {
        var count = 0
        for index in 0..<state.pointee.position where !state.pointee.slots[index].isShort {
            switch state.pointee.slots[index].storedValue.storage {
            case .string(let text): count &+= text.utf8.count
            case .blob(let data): count &+= data.count
            case .null, .int64, .double: continue
            }
        }
        return count
    }

    fileprivate func rowID(inSlot slot: Int) -> DatabaseValue.Storage {
        state.pointee.slots[slot].isShort ? .string("") : state.pointee.slots[slot].storedValue.storage
    }

    /// Sets all values to NULL, which frees their memory.
    fileprivate func removeValues() {
        for index in 0..<state.pointee.position { state.pointee.slots[index].value = .null }
        state.pointee.isBound = false
    }
}
