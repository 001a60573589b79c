import QueryInterface

/// A record that writes itself to its table, and may change while it does: a struct that keeps the row id that it is given.
///
/// ```swift
/// struct Player: MutablePersistableRecord {
///     var id: Int64?
///     var name: String
///
///     func encode(to container: inout PersistenceContainer) {
///         container["id"] = id
///         container["name"] = name
///     }
///
///     mutating func didInsert(_ inserted: InsertionSuccess) {
///         id = inserted.rowID
///     }
/// }
///
/// var player = Player(id: nil, name: "Arthur")
/// try player.insert(db)
/// ```
///
/// Inside a transaction a persistence method relies on it to undo the change when an error leaves it. Outside one, it runs in
/// a transaction of its own.
///
/// When a method that writes the record throws, a variable is as it was before, without the row id that it was given in the meantime.
/// An object keeps what its callbacks have changed. Once the method has succeeded, the record keeps its row id, also when the
/// transaction around it is rolled back later: to take that back, insert a copy with ``inserted(_:onConflict:)``, and assign it
/// after the transaction.
///
/// ## Callbacks
///
/// An insertion, by any method, calls `willSave`, `aroundSave`, `willInsert`, `aroundInsert`, `didInsert` and `didSave`, in this
/// order; what comes between an around callback and its end happens in its closure. Updates call those of updates in place of
/// those of insertions, upserts those of insertions whatever happens to the row. Deletions call `willDelete`, `aroundDelete` and
/// `didDelete`.
///
/// All callbacks have a default, so that a method of your own with other parameters is not one, and nobody calls it. Declare the
/// conformance in an extension, and the callbacks in that same extension: there the compiler warns of a method that has the
/// names of a callback, and other types.
///
/// ```swift
/// extension Player: MutablePersistableRecord {
///     // warning: 'willUpdate(_:columns:)' nearly matches defaulted requirement 'willUpdate(_:columns:)'
///     mutating func willUpdate(_ db: Database, columns: [String]) throws { ... }
/// }
/// ```
public protocol MutablePersistableRecord: TableRecord, EncodableRecord, RequestUpdatePolicy {
    /// What insertions and updates do about rows that violate a constraint, where the call does not say.
    static var persistenceConflictPolicy: PersistenceConflictPolicy { get }

    /// Called before the record is inserted. What it changes is written.
    mutating func willInsert(_ db: Database) throws

    /// Called in place of the insertion.
    ///
    /// - Parameter insert: inserts the record; must be called once.
    func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws

    /// Called after the record was inserted: the place to keep the row id.
    mutating func didInsert(_ inserted: InsertionSuccess)

    /// Called before the record is updated. What it changes is written, unless the program has named the columns to update.
    ///
    /// - Parameter columns: the names of the columns that are updated.
    mutating func willUpdate(_ db: Database, columns: Set<String>) throws

    /// Called in place of the update.
    ///
    /// - Parameters:
    ///   - columns: the names of the columns that are updated.
    ///   - update: updates the record; must be called once.
    func aroundUpdate(_ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess) throws

    /// Called after the record was updated.
    func didUpdate(_ updated: PersistenceSuccess)

    /// Called before the record is inserted or updated.
    func willSave(_ db: Database) throws

    /// Called in place of the insertion or the update, around the callbacks of those.
    ///
    /// - Parameter save: inserts or updates the record; must be called once.
    func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws

    /// Called after the record was inserted or updated.
    func didSave(_ saved: PersistenceSuccess)

    /// Called before the record is deleted.
    func willDelete(_ db: Database) throws

    /// Called in place of the deletion.
    ///
    /// - Parameter delete: deletes the record; must be called once.
    func aroundDelete(_ db: Database, delete: () throws -> Bool) throws

    /// Called after the record was deleted, or was found not to be there.
    func didDelete(deleted: Bool)
}

/// A record that writes itself to its table without changing: a class, or an immutable struct.
///
/// An object of a subclass is written as its own type says, whatever type its variable declares: the table, the conflict policy and the
/// strategies are those that the subclass overrides.
///
/// ```swift
/// class Player: PersistableRecord {
///     var id: Int64?
///     var name: String
///     ...
///     func didInsert(_ inserted: InsertionSuccess) {
///         id = inserted.rowID
///     }
/// }
/// ```
public protocol PersistableRecord: MutablePersistableRecord {
    /// Called before the record is inserted.
    func willInsert(_ db: Database) throws

    /// Called after the record was inserted.
    func didInsert(_ inserted: InsertionSuccess)

    /// Called before the record is updated.
    ///
    /// - Parameter columns: the names of the columns that are updated.
    func willUpdate(_ db: Database, columns: Set<String>) throws
}

// MARK: - Callbacks that do nothing

extension MutablePersistableRecord {
    /// Fails for a row that violates a constraint.
    public static var persistenceConflictPolicy: PersistenceConflictPolicy { PersistenceConflictPolicy() }

    /// The resolution of the conflict policy for updates.
    public static var conflictResolutionForRequestUpdate: Database.ConflictResolution {
        persistenceConflictPolicy.conflictResolutionForUpdate
    }

    /// Does nothing.
    @inlinable
    public mutating func willInsert(_ db: Database) throws {
        RecordPlans.note(.willInsert, isLeftOutBy: Self.self, in: db)
    }

    /// Inserts the record.
    @inlinable
    public func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
        RecordPlans.note(.aroundInsert, isLeftOutBy: Self.self, in: db)
        _ = try insert()
    }

    /// Does nothing.
    @inlinable
    public mutating func didInsert(_ inserted: InsertionSuccess) {}

    /// Does nothing.
    @inlinable
    public mutating func willUpdate(_ db: Database, columns: Set<String>) throws {
        RecordPlans.note(.willUpdate, isLeftOutBy: Self.self, in: db)
    }

    /// Updates the record.
    @inlinable
    public func aroundUpdate(_ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess) throws {
        RecordPlans.note(.aroundUpdate, isLeftOutBy: Self.self, in: db)
        _ = try update()
    }

    /// Does nothing.
    @inlinable
    public func didUpdate(_ updated: PersistenceSuccess) {}

    /// Does nothing.
    @inlinable
    public func willSave(_ db: Database) throws {
        RecordPlans.note(.willSave, isLeftOutBy: Self.self, in: db)
    }

    /// Saves the record.
    @inlinable
    public func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws {
        RecordPlans.note(.aroundSave, isLeftOutBy: Self.self, in: db)
        _ = try save()
    }

    /// Does nothing.
    @inlinable
    public func didSave(_ saved: PersistenceSuccess) {}

    /// Does nothing.
    @inlinable
    public func willDelete(_ db: Database) throws {}

    /// Deletes the record.
    @inlinable
    public func aroundDelete(_ db: Database, delete: () throws -> Bool) throws {
        RecordPlans.note(.aroundDelete, isLeftOutBy: Self.self, in: db)
        _ = try delete()
    }

    /// Does nothing.
    @inlinable
    public func didDelete(deleted: Bool) {}
}

extension PersistableRecord {
    /// Does nothing.
    @inlinable
    public func willInsert(_ db: Database) throws {
        RecordPlans.note(.willInsert, isLeftOutBy: Self.self, in: db)
    }

    /// Does nothing.
    @inlinable
    public func didInsert(_ inserted: InsertionSuccess) {}

    /// Does nothing.
    @inlinable
    public func willUpdate(_ db: Database, columns: Set<String>) throws {
        RecordPlans.note(.willUpdate, isLeftOutBy: Self.self, in: db)
    }
}
