import QueryInterface

// A record that is an object may be of a subclass of the type that its variable or its collection declares. It is written as its own
// type says: that may have a table, a policy and strategies of its own. In methods of protocol extensions `Self` is the declared type, though.
// So the methods that write a record ask first, and begin once more with the record's own type as `Self`.

extension MutablePersistableRecord {
    /// The record's own type, if that is a subclass of `Self`. The compiler knows that it is nil for structs, enums and final classes.
    @inlinable
    @inline(__always)
    var subclass: (any MutablePersistableRecord.Type)? {
        guard Self.self is AnyObject.Type else { return nil }
        let type = type(of: self)
        return type == Self.self ? nil : type
    }

    /// Calls a function with the record as one of its own type.
    private mutating func with<Record, Result>(_ type: Record.Type, _ body: (inout Record) throws -> Result) rethrows -> Result {
        var record = self as! Record
        defer { self = record as! Self }
        return try body(&record)
    }

    // MARK: - The methods that begin once more

    @inline(never)
    @usableFromInline
    mutating func insert(
        as subclass: any MutablePersistableRecord.Type, _ db: Database, _ conflictResolution: Database.ConflictResolution?,
        _ details: WriteDetails?
    ) throws {
        func insert<Record: MutablePersistableRecord>(_ type: Record.Type) throws {
            try with(type) { try $0.insertWithCallbacks(db, conflictResolution, details) }
        }
        try insert(subclass)
    }

    @inline(never)
    @usableFromInline
    mutating func update(
        as subclass: any MutablePersistableRecord.Type, _ db: Database, _ conflictResolution: Database.ConflictResolution?,
        columns: Set<String>?, _ details: WriteDetails?
    ) throws {
        func update<Record: MutablePersistableRecord>(_ type: Record.Type) throws {
            try with(type) { try $0.updateWithCallbacks(db, conflictResolution, columns: columns, details: details) }
        }
        try update(subclass)
    }

    @inline(never)
    @usableFromInline
    mutating func save(
        as subclass: any MutablePersistableRecord.Type, _ db: Database, _ conflictResolution: Database.ConflictResolution?,
        _ details: WriteDetails?
    ) throws {
        func save<Record: MutablePersistableRecord>(_ type: Record.Type) throws {
            try with(type) { try $0.saveWithCallbacks(db, conflictResolution, details) }
        }
        try save(subclass)
    }

    @inline(never)
    @usableFromInline
    mutating func updateChanges(
        as subclass: any MutablePersistableRecord.Type, _ db: Database, _ conflictResolution: Database.ConflictResolution?,
        _ original: PersistenceContainer, _ details: WriteDetails?, finish: () throws -> Void
    ) throws -> Bool {
        func update<Record: MutablePersistableRecord>(_ type: Record.Type) throws -> Bool {
            let plans = RecordPlans.plans(for: type, in: db)
            return try with(type) {
                try $0.updateChangesWithCallbacks(db, plans, conflictResolution, original, details, finish: finish)
            }
        }
        return try update(subclass)
    }

    /// Updates the columns in which a record differs from another one.
    @inline(never)
    @usableFromInline
    mutating func updateSubclassChanges(
        _ db: Database, _ conflictResolution: Database.ConflictResolution?, from record: some EncodableRecord
    ) throws -> Bool {
        let original = try PersistenceContainer(encoding: record)
        return try updateChanges(as: subclass ?? Self.self, db, conflictResolution, original, nil, finish: {})
    }

    /// Changes a record, which may make it an object of another type, and updates the columns that are different then.
    @inline(never)
    @usableFromInline
    mutating func updateSubclassChanges(
        _ db: Database, _ conflictResolution: Database.ConflictResolution?, _ details: WriteDetails?,
        modify: (inout Self) throws -> Void, finish: () throws -> Void
    ) throws -> Bool {
        let original = try PersistenceContainer(encoding: self)
        try modify(&self)
        return try updateChanges(as: subclass ?? Self.self, db, conflictResolution, original, details, finish: finish)
    }

    @inline(never)
    @usableFromInline
    func delete(as subclass: any MutablePersistableRecord.Type, _ db: Database) throws -> Bool {
        func delete<Record: MutablePersistableRecord>(_ type: Record.Type) throws -> Bool {
            try (self as! Record).deleteWithCallbacks(db)
        }
        return try delete(subclass)
    }

    @inline(never)
    @usableFromInline
    func exists(as subclass: any MutablePersistableRecord.Type, _ db: Database) throws -> Bool {
        func exists<Record: MutablePersistableRecord>(_ type: Record.Type) throws -> Bool {
            try (self as! Record).exists(db)
        }
        return try exists(subclass)
    }
}
