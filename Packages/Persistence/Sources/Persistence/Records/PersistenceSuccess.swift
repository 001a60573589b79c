import QueryInterface

// What a record has encoded goes on to its callbacks as it is, in memory that the next record uses again. The row id that SQLite has chosen
// is added for those who ask: to a copy, as that memory may be a program's own container.

/// Information about an inserted row.
public struct InsertionSuccess {
    /// The row id of the row, which an upsert may have updated. It is 0 in tables `WITHOUT ROWID` and in views, whose rows have none,
    /// and for a row that was not written because of `.ignore`.
    @inlinable
    public var rowID: Int64 { written.rowID }

    /// The name of the column that holds the row id: an `INTEGER PRIMARY KEY`; nil if there is none.
    @inlinable
    public var rowIDColumn: String? { written.rowIDColumn }

    /// The columns and values that were written, and the row id. The row may have others: defaults, and what triggers do.
    ///
    /// ```swift
    /// // Player(id: nil, name: "Arthur")
    /// inserted.persistenceContainer["id"]  // 1
    /// ```
    ///
    /// The row id has the name that the record gives to its column, or ``rowIDColumn`` if the record does not encode that column. A record
    /// whose table has no such column finds it under the name `rowid`, `oid` or `_rowid_` that it encodes.
    ///
    /// - Complexity: each access copies the container, unless there is no row id to add.
    public var persistenceContainer: PersistenceContainer { written.containerWithRowID }

    @usableFromInline let written: WrittenRecord

    @inlinable
    init(_ written: WrittenRecord) {
        self.written = written
    }
}

/// Information about an inserted or updated row.
public struct PersistenceSuccess {
    /// The columns and values that were written, and the row id of an insertion, as in ``InsertionSuccess/persistenceContainer``. The row
    /// may have others: defaults, and what triggers do.
    ///
    /// - Complexity: each access copies the container, unless there is no row id to add.
    public var persistenceContainer: PersistenceContainer { written.containerWithRowID }

    @usableFromInline let written: WrittenRecord

    @inlinable
    init(_ written: WrittenRecord) {
        self.written = written
    }
}

/// What a record has encoded, and the row id.
@usableFromInline
struct WrittenRecord {
    @usableFromInline let container: PersistenceContainer
    @usableFromInline let rowID: Int64
    @usableFromInline let rowIDColumn: String?
    @usableFromInline let rowIDName: RowIDName

    @inlinable
    init(container: PersistenceContainer, rowID: Int64 = 0, rowIDColumn: String? = nil, rowIDName: RowIDName = .none) {
        self.container = container
        self.rowID = rowID
        self.rowIDColumn = rowIDColumn
        self.rowIDName = rowIDName
    }

    var containerWithRowID: PersistenceContainer {
        guard let name = rowIDName == .column ? rowIDColumn : rowIDName.alias else { return container }
        var container = container
        container.set(rowID, forColumn: name)
        return container
    }
}

/// The name of the row id in what a record has encoded. A byte in place of a text, which would be retained for each record.
@usableFromInline
enum RowIDName: UInt8, Sendable {
    /// There is no row id.
    case none
    /// That of the table's column.
    case column
    // SQLite's own names (https://www.sqlite.org/lang_createtable.html#rowid).
    case rowid, oid, _rowid_

    static let aliases: [RowIDName] = [.rowid, .oid, ._rowid_]

    /// SQLite's own name.
    var alias: String? {
        switch self {
        case .none, .column: nil
        case .rowid: "rowid"
        case .oid: "oid"
        case ._rowid_: "_rowid_"
        }
    }
}

/// What a record's insertions and updates do about rows that violate a constraint, where the call does not say.
public struct PersistenceConflictPolicy: Sendable {
    /// For insertions. `.abort` adds nothing to the SQL.
    public let conflictResolutionForInsert: Database.ConflictResolution

    /// For updates, of records and of requests such as `Player.updateAll(db) { … }`. `.abort` adds nothing to the SQL.
    public let conflictResolutionForUpdate: Database.ConflictResolution

    /// Makes a policy.
    public init(insert: Database.ConflictResolution = .abort, update: Database.ConflictResolution = .abort) {
        conflictResolutionForInsert = insert
        conflictResolutionForUpdate = update
    }
}
