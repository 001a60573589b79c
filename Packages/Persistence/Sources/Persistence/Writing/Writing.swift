import QueryInterface

// Every persistence method calls `write` with an operation and the columns to read back. `write` runs it in a transaction.
//
// An operation is a generic parameter, not a value: the compiler generates a separate function for each record type and operation, without
// the code of other operations.

/// Writes a record: ``Insertion``, ``Update``, ``ChangesUpdate``, ``Save`` or ``Deletion``.
@usableFromInline
protocol WriteOperation {
    /// Writes a record between its callbacks.
    ///
    /// - Parameters:
    ///   - plans: the plans of the record's dynamic type.
    ///   - details: the columns to read back, and the clauses of an upsert; nil if there are none.
    /// - Returns: for a deletion, whether the row existed.
    func perform<Record: MutablePersistableRecord>(
        on record: inout Record, _ db: Database, _ plans: RecordPlans, _ details: WriteDetails?
    ) throws -> Bool
}

extension MutablePersistableRecord {
    /// Writes the record, in the open transaction or in its own.
    ///
    /// A savepoint for each record would nearly double the cost of an insertion, and gain nothing: an error that leaves the transaction
    /// rolls it back entirely.
    @discardableResult
    @inlinable
    @inline(__always)
    mutating func write(_ db: Database, _ operation: some WriteOperation, _ details: WriteDetails? = nil) throws -> Bool {
        if db.isInsideTransaction { return try perform(operation, db, details) }
        return try writeInOwnTransaction(db, operation, details)
    }

    /// The record keeps its changes once they are committed: a deferred foreign key may fail at the end.
    @inline(never)
    @inlinable
    mutating func writeInOwnTransaction(_ db: Database, _ operation: some WriteOperation, _ details: WriteDetails?) throws -> Bool {
        var isWritten = false
        try unchangedByErrors { record in
            try db.inTransaction {
                isWritten = try record.perform(operation, db, details)
                return .commit
            }
        }
        return isWritten
    }

    /// Writes the record inside a transaction.
    @discardableResult
    @inlinable
    mutating func perform(_ operation: some WriteOperation, _ db: Database, _ details: WriteDetails?) throws -> Bool {
        if let subclass { return try perform(operation, as: subclass, db, details) }
        return try operation.perform(on: &self, db, RecordPlans.plans(for: Self.self, in: db), details)
    }

    /// Runs a function on a copy of the record, for constants and for records that are not mutated.
    @discardableResult
    @inlinable
    @inline(__always)
    func onCopy<Result>(_ body: (inout Self) throws -> Result) rethrows -> Result {
        var record = self
        return try body(&record)
    }

    /// Runs a function, and keeps its changes to the record only if it succeeds. Batches do the same with whole collections.
    @inlinable
    @inline(__always)
    mutating func unchangedByErrors(_ body: (inout Self) throws -> Void) throws {
        var record = self
        try body(&record)
        self = record
    }
}

// MARK: - Subclasses

// A record that is an object may be of a subclass of the type that its variable or its collection declares. It is written according to
// its own type, which may have its own table, policy and strategies. In methods of protocol extensions, `Self` is the declared type, so
// they start again with the record's own type as `Self`.

extension MutablePersistableRecord {
    /// The record's own type if it is a subclass of `Self`. The compiler knows that it is nil for structs, enums and final classes.
    @inlinable
    @inline(__always)
    var subclass: (any MutablePersistableRecord.Type)? {
        guard Self.self is AnyObject.Type else { return nil }
        let type = type(of: self)
        return type == Self.self ? nil : untraced(type as any MutablePersistableRecord.Type)
    }

    /// The plans of the record's own type.
    @inlinable
    func plans(in db: Database) -> RecordPlans {
        if let subclass { return RecordPlans.plans(for: subclass, in: db) }
        return RecordPlans.plans(for: Self.self, in: db)
    }

    @inline(never)
    @usableFromInline
    mutating func perform<Subclass: MutablePersistableRecord>(
        _ operation: some WriteOperation, as type: Subclass.Type, _ db: Database, _ details: WriteDetails?
    ) throws -> Bool {
        var record = self as! Subclass
        defer { self = record as! Self }
        return try record.perform(operation, db, details)
    }

    @inline(never)
    @usableFromInline
    func exists<Subclass: MutablePersistableRecord>(as type: Subclass.Type, _ db: Database) throws -> Bool {
        try (self as! Subclass).exists(db)
    }
}
