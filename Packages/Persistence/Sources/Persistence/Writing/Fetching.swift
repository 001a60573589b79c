import QueryInterface

// Writes a record and fetches its row in one transaction. If fetching fails, the write is rolled back.

extension MutablePersistableRecord {
    /// Writes the record, and decodes the row as a record.
    mutating func write<Fetched: FetchableRecord & TableRecord>(
        _ db: Database, _ operation: some WriteOperation, _ details: WriteDetails? = nil, as type: Fetched.Type
    ) throws -> Fetched {
        if type != Fetched.self {
            func fetch<Subclass: FetchableRecord & TableRecord>(_ type: Subclass.Type) throws -> Fetched {
                try write(db, operation, details, as: type) as! Fetched
            }
            let subclass = untraced(type as any (FetchableRecord & TableRecord).Type)
            return try fetch(subclass)
        }
        return try write(db, operation, details ?? WriteDetails(selection: type.databaseSelection)) { record, details in
            guard let row = try details.record(type) else { throw try record.plans(in: db).recordNotFound(record, db) }
            return row
        }
    }

    /// Writes the record, and passes a statement that returns the row to a function.
    mutating func write<Value>(
        _ db: Database, _ operation: some WriteOperation, selection: [any SQLSelectable], fetch: (Statement) throws -> Value
    ) throws -> Value {
        try write(db, operation, WriteDetails(selection: selection)) { try $1.fetch(db, fetch) }
    }

    /// Writes the record and fetches, in one transaction. The record is unchanged if one of the two fails.
    private mutating func write<Value>(
        _ db: Database, _ operation: some WriteOperation, _ details: WriteDetails, _ fetch: (Self, WriteDetails) throws -> Value
    ) throws -> Value {
        var value: Value?
        func writeAndFetch(_ record: inout Self) throws {
            try record.perform(operation, db, details)
            value = try fetch(record, details)
        }
        try unchangedByErrors { record in
            if db.isInsideTransaction { return try writeAndFetch(&record) }
            try db.inTransaction {
                try writeAndFetch(&record)
                return .commit
            }
        }
        guard let value else { throw try plans(in: db).recordNotFound(self, db) }
        return value
    }

    // MARK: - Changes

    /// Changes the record, writes its changes, if any, and decodes the row as a record.
    mutating func writeChanges<Fetched: FetchableRecord & TableRecord>(
        _ db: Database, _ conflictResolution: Database.ConflictResolution?, as type: Fetched.Type, modify: (inout Self) throws -> Void
    ) throws -> Fetched? {
        if type != Fetched.self {
            func fetch<Subclass: FetchableRecord & TableRecord>(_ type: Subclass.Type) throws -> Fetched? {
                try writeChanges(db, conflictResolution, as: type, modify: modify) as! Fetched?
            }
            let subclass = untraced(type as any (FetchableRecord & TableRecord).Type)
            return try fetch(subclass)
        }
        return try writeChanges(db, conflictResolution, type.databaseSelection, modify: modify) { try $0.record(type) }
    }

    /// Changes the record, writes its changes, if any, and passes a statement that returns the row to a function.
    mutating func writeChanges<Value>(
        _ db: Database, _ conflictResolution: Database.ConflictResolution?, selection: [any SQLSelectable],
        fetch: (Statement) throws -> Value?, modify: (inout Self) throws -> Void
    ) throws -> Value? {
        try writeChanges(db, conflictResolution, selection, modify: modify) { try $0.fetch(db, fetch) }
    }

    private mutating func writeChanges<Value>(
        _ db: Database, _ conflictResolution: Database.ConflictResolution?, _ selection: [any SQLSelectable],
        modify: (inout Self) throws -> Void, _ fetch: (WriteDetails) throws -> Value?
    ) throws -> Value? {
        let plans = plans(in: db)
        let original = try plans.encodeOriginal(self)
        defer { plans.giveBackOriginal(original) }
        try modify(&self)
        guard let update = try changesUpdate(db, conflictResolution, from: original) else { return nil }
        return try write(db, update, WriteDetails(selection: selection)) { try fetch($1) }
    }
}

extension RecordPlans {
    /// Returns the error for a record whose row does not exist, with the primary key values that the record encodes.
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
