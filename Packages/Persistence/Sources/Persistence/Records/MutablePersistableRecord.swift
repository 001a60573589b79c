import QueryInterface

/// A record that can be inserted, updated and deleted, and whose callbacks may change it: typically a struct that stores the row ID
/// of its insertion.
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
/// Outside a transaction, each persistence method runs in its own transaction. Inside a transaction, the method does not add a savepoint:
/// roll the transaction back to undo a method that has thrown.
///
/// When a method that writes the record throws, a struct keeps the values that it had before the call, without the new row ID. An
/// object keeps the changes of its callbacks. When the method succeeds, the record keeps its row ID, even if the surrounding
/// transaction is rolled back later. To avoid this, insert a copy with ``inserted(_:onConflict:)``, and assign the copy after the
/// transaction.
///
/// ## Callbacks
///
/// Each insertion calls `willSave`, `aroundSave`, `willInsert`, `aroundInsert`, `didInsert` and `didSave`, in this order. The
/// closure argument of an `around` callback performs the steps that it surrounds. Updates call the update callbacks instead of the
/// insertion callbacks. Upserts always call the insertion callbacks, even when they update a row. Deletions call `willDelete`,
/// `aroundDelete` and `didDelete`.
///
/// All callbacks have a default implementation. A method whose parameters differ from the callback's is therefore never called. Declare the
/// conformance and the callbacks in the same extension: the compiler then warns about a method that has the name of a callback, but
/// different types.
///
/// ```swift
/// extension Player: MutablePersistableRecord {
///     // warning: 'willUpdate(_:columns:)' nearly matches defaulted requirement
///     mutating func willUpdate(_ db: Database, columns: [String]) throws { … }
/// }
/// ```
public protocol MutablePersistableRecord: TableRecord, EncodableRecord, RequestUpdatePolicy {
    /// The conflict resolution of insertions and updates that are called without `onConflict`.
    static var persistenceConflictPolicy: PersistenceConflictPolicy { get }

    /// Called before the record is inserted. The insertion writes the changes that this method makes.
    mutating func willInsert(_ db: Database) throws

    /// Called instead of the insertion. Call `insert`, which inserts the record, exactly once.
    func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws

    /// Called after the record was inserted. Store the row ID here.
    mutating func didInsert(_ inserted: InsertionSuccess)

    /// Called before the record is updated. The update writes the changes that this method makes in the columns that are updated. `columns`
    /// contains the names of these columns.
    ///
    /// The names are those that the previous record of the type has encoded. Once two records have encoded different columns, each record is
    /// encoded to find its columns.
    mutating func willUpdate(_ db: Database, columns: Set<String>) throws

    /// Called instead of the update. Call `update`, which updates the record, exactly once. `columns` contains the names of the columns
    /// that are updated.
    func aroundUpdate(_ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess) throws

    /// Called after the record was updated.
    func didUpdate(_ updated: PersistenceSuccess)

    /// Called before the record is inserted or updated.
    func willSave(_ db: Database) throws

    /// Called instead of the insertion or the update, around its callbacks. Call `save`, which inserts or updates the record, exactly once.
    func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws

    /// Called after the record was inserted or updated.
    func didSave(_ saved: PersistenceSuccess)

    /// Called before the record is deleted.
    func willDelete(_ db: Database) throws

    /// Called instead of the deletion. Call `delete`, which deletes the record, exactly once.
    func aroundDelete(_ db: Database, delete: () throws -> Bool) throws

    /// Called after the deletion, whether or not the row existed.
    func didDelete(deleted: Bool)
}

/// A record that can be inserted, updated and deleted without being mutated: a class, or an immutable struct.
///
/// An object of a subclass is written with the table, the conflict policy and the strategies of its dynamic type, regardless of the
/// declared type of the variable.
///
/// ```swift
/// class Player: Codable, PersistableRecord {
///     var id: Int64?
///     var name: String
///
///     init(name: String) { self.name = name }
///
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

    /// Called before the record is updated. `columns` contains the names of the columns that are updated.
    func willUpdate(_ db: Database, columns: Set<String>) throws
}

// MARK: - Callbacks that do nothing

extension MutablePersistableRecord {
    /// Fails with an error when a row violates a constraint.
    public static var persistenceConflictPolicy: PersistenceConflictPolicy { PersistenceConflictPolicy() }

    /// The conflict resolution of the policy for updates.
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
    public mutating func didInsert(_ inserted: InsertionSuccess) {
        inserted.written.note(.didInsert, isLeftOutBy: Self.self)
    }

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
    public func didSave(_ saved: PersistenceSuccess) {
        saved.written.note(.didSave, isLeftOutBy: Self.self)
    }

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
    public func didInsert(_ inserted: InsertionSuccess) {
        inserted.written.note(.didInsert, isLeftOutBy: Self.self)
    }

    /// Does nothing.
    @inlinable
    public func willUpdate(_ db: Database, columns: Set<String>) throws {
        RecordPlans.note(.willUpdate, isLeftOutBy: Self.self, in: db)
    }
}
