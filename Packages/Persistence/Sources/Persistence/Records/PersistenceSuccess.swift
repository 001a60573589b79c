import QueryInterface

// The callbacks receive the container that the record has encoded itself into, whose memory the next record reuses. The row ID that SQLite
// chose is added on demand, and to a copy, because the program may have kept the container.

/// Information about an inserted row.
public struct InsertionSuccess {
    /// The row ID of the inserted row, or of the row that an upsert updated. It is 0 for `WITHOUT ROWID` tables and views, whose
    /// rows have no row ID, and when `.ignore` prevented the insertion.
    @inlinable
    public var rowID: Int64 { written.row.id }

    /// The name of the `INTEGER PRIMARY KEY` column, which contains the row ID; nil if the table has no such column.
    @inlinable
    public var rowIDColumn: String? { written.row.idColumn }

    /// The written columns and values, and the row ID. Column defaults and triggers may have given the row other values as well.
    ///
    /// ```swift
    /// // Player(id: nil, name: "Arthur")
    /// inserted.persistenceContainer["id"]  // 1
    /// ```
    ///
    /// The container has the row ID under the name that the record gives to its column, or ``rowIDColumn`` if the record does not
    /// encode that column. If the table has no such column, it is under the name `rowid`, `oid` or `_rowid_` that the record
    /// encodes.
    ///
    /// - Complexity: each access copies the container, unless there is no row ID to add.
    public var persistenceContainer: PersistenceContainer { written.containerWithRowID }

    @usableFromInline let written: WrittenRecord

    @inlinable
    init(_ written: WrittenRecord) {
        self.written = written
    }
}

/// Information about an inserted or updated row.
public struct PersistenceSuccess {
    /// The written columns and values, and the row ID after an insertion, as in ``InsertionSuccess/persistenceContainer``. Column
    /// defaults and triggers may have given the row other values as well.
    ///
    /// - Complexity: each access copies the container, unless there is no row ID to add.
    public var persistenceContainer: PersistenceContainer { written.containerWithRowID }

    @usableFromInline let written: WrittenRecord

    @inlinable
    init(_ written: WrittenRecord) {
        self.written = written
    }
}

/// The container of an encoded record, and the row ID.
@usableFromInline
struct WrittenRecord {
    @usableFromInline let container: PersistenceContainer
    @usableFromInline let row: WrittenRow

    @inlinable
    init(container: PersistenceContainer, row: WrittenRow = WrittenRow()) {
        self.container = container
        self.row = row
    }

    var containerWithRowID: PersistenceContainer {
        guard let name = row.idName == .column ? row.idColumn : row.idName.alias else { return container }
        return changed(container) { $0.set(row.id, forColumn: name) }
    }
}

/// A written row, and its row ID.
@usableFromInline
struct WrittenRow {
    /// 0 if there is none.
    @usableFromInline let id: Int64
    @usableFromInline let idColumn: String?
    @usableFromInline let idName: RowIDName
    /// Whether `INSERT OR IGNORE`, another conflict or a trigger has prevented the insertion.
    @usableFromInline let isSkipped: Bool

    @inlinable
    init(id: Int64 = 0, idColumn: String? = nil, idName: RowIDName = .none, isSkipped: Bool = false) {
        self.id = id
        self.idColumn = idColumn
        self.idName = idName
        self.isSkipped = isSkipped
    }
}

/// The name of the row ID in the container of a record. It takes a byte, where a string would have to be retained for each record.
@usableFromInline
enum RowIDName: String, Sendable {
    /// There is no row ID.
    case none
    /// The name of the table's column.
    case column
    // SQLite's own names (https://www.sqlite.org/lang_createtable.html#rowid).
    case rowid, oid, _rowid_

    static let aliases: [RowIDName] = [.rowid, .oid, ._rowid_]

    /// SQLite's own name of the row ID.
    var alias: String? { self == .none || self == .column ? nil : rawValue }
}

/// The conflict resolutions of insertions and updates that are called without `onConflict`.
public struct PersistenceConflictPolicy: Sendable {
    /// The resolution of insertions. `.abort` adds nothing to the SQL.
    public let conflictResolutionForInsert: Database.ConflictResolution

    /// The resolution of updates, of records and of requests such as `Player.updateAll(db) { … }`. `.abort` adds nothing to the
    /// SQL.
    public let conflictResolutionForUpdate: Database.ConflictResolution

    /// Makes a policy.
    public init(insert: Database.ConflictResolution = .abort, update: Database.ConflictResolution = .abort) {
        conflictResolutionForInsert = insert
        conflictResolutionForUpdate = update
    }
}
