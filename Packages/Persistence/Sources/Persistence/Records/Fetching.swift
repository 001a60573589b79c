import QueryInterface

// What the methods share that write a record and fetch its row. Fetching is part of the transaction: when it fails, nothing is
// written.

extension MutablePersistableRecord {
    /// Writes the record, and makes a record of the row.
    mutating func fetching<Fetched: FetchableRecord & TableRecord>(
        _ db: Database, _ type: Fetched.Type, _ details: WriteDetails? = nil,
        _ write: (inout Self, WriteDetails) throws -> Void
    ) throws -> Fetched {
        if type != Fetched.self {
            func fetch<Subclass: FetchableRecord & TableRecord>(_ type: Subclass.Type) throws -> Fetched {
                try fetching(db, type, details, write) as! Fetched
            }
            let subclass: any (FetchableRecord & TableRecord).Type = type
            return try fetch(subclass)
        }
        let details = details ?? WriteDetails(selection: type.databaseSelection)
        var fetched: Fetched?
        try fetchingWithDetails(db) { record in
            try write(&record, details)
            guard let row = try details.record(type) else { throw try record.notWritten(db) }
            fetched = row
        }
        guard let fetched else { throw try notWritten(db) }
        return fetched
    }

    /// Writes the record, and gives a statement that returns the row to a function.
    mutating func fetching<Value>(
        _ db: Database, _ selection: [any SQLSelectable], _ fetch: (Statement) throws -> Value,
        _ write: (inout Self, WriteDetails) throws -> Void
    ) throws -> Value {
        let details = WriteDetails(selection: selection)
        var value: Value?
        try fetchingWithDetails(db) { record in
            try write(&record, details)
            value = try details.fetch(db, fetch)
        }
        guard let value else { throw try notWritten(db) }
        return value
    }

    /// Writes the record and fetches, in one transaction. The record stays as it was if one of the two fails.
    private mutating func fetchingWithDetails(_ db: Database, _ body: (inout Self) throws -> Void) throws {
        try unchangedByErrors { try $0.inPersistenceTransaction(db, body) }
    }

    /// Changes the record, writes what is different then, if something is, and makes a record of the row.
    mutating func fetchingChanges<Fetched: FetchableRecord & TableRecord>(
        _ db: Database, _ conflictResolution: Database.ConflictResolution?, _ type: Fetched.Type, modify: (inout Self) throws -> Void
    ) throws -> Fetched? {
        if type != Fetched.self {
            func fetch<Subclass: FetchableRecord & TableRecord>(_ type: Subclass.Type) throws -> Fetched? {
                try fetchingChanges(db, conflictResolution, type, modify: modify) as! Fetched?
            }
            let subclass: any (FetchableRecord & TableRecord).Type = type
            return try fetch(subclass)
        }
        return try fetchingChanges(db, conflictResolution, type.databaseSelection, modify: modify) { try $0.record(type) }
    }

    /// Changes the record, writes what is different then, if something is, and fetches the row.
    mutating func fetchingChanges<Value>(
        _ db: Database, _ conflictResolution: Database.ConflictResolution?, _ selection: [any SQLSelectable],
        modify: (inout Self) throws -> Void, fetch: (WriteDetails) throws -> Value?
    ) throws -> Value? {
        let details = WriteDetails(selection: selection)
        var value: Value?
        if subclass != nil {
            _ = try updateSubclassChanges(db, conflictResolution, details, modify: modify, finish: { value = try fetch(details) })
            return value
        }
        let plans = RecordPlans.plans(for: Self.self, in: db)
        let original = try plans.encodeOriginal(self)
        defer { plans.giveBackOriginal(original) }
        try modify(&self)
        _ = try updateChangesWithCallbacks(db, plans, conflictResolution, original, details, finish: { value = try fetch(details) })
        return value
    }

    /// The error of a record of which no row was written.
    private func notWritten(_ db: Database) throws -> RecordError {
        func notWritten<Record: MutablePersistableRecord>(_ type: Record.Type) throws -> RecordError {
            try RecordPlans.plans(for: type, in: db).recordNotFound(self, db)
        }
        let type: any MutablePersistableRecord.Type = subclass ?? Self.self
        return try notWritten(type)
    }
}

extension RecordPlans {
    /// The error of a record of which there is no row, with what it encodes of the primary key.
    func recordNotFound(_ record: some EncodableRecord, _ db: Database) throws -> RecordError {
        return try takingBack(encode(record)) { container in
            var key: [String: DatabaseValue] = [:]
            for column in try resolvedTable(db).primaryKey(db).columns {
                if let slot = container.contents.index(of: column) { key[container[slot].0] = container[slot].1 }
            }
            return .recordNotFound(databaseTableName: table, key: key)
        }
    }
}
