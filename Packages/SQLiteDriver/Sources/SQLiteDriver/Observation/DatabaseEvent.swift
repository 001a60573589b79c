/// The insertion, update or deletion of a row.
public struct DatabaseEvent: Hashable, Sendable {
    /// The kind of change.
    public enum Kind: Sendable {
        /// The row was inserted.
        case insert
        /// The row was deleted.
        case delete
        /// The row was updated.
        case update
    }

    /// The kind of change.
    public let kind: Kind

    /// The name of the database: "main", "temp", or the name of an attached database.
    public let databaseName: String

    /// The name of the table.
    public let tableName: String

    /// The row ID of the row, after the change.
    public let rowID: Int64

    /// The columns that the statement of an update may have changed, in this row or in others; nil for an insertion and a deletion,
    /// and if the columns are unknown.
    public let updatedColumnNames: Set<String>?

    package init(kind: Kind, databaseName: String, tableName: String, rowID: Int64, updatedColumnNames: Set<String>? = nil) {
        self.kind = kind
        self.databaseName = databaseName
        self.tableName = tableName
        self.rowID = rowID
        self.updatedColumnNames = updatedColumnNames
    }

    /// Returns the event itself: an event is a value, and can be kept.
    public func copy() -> DatabaseEvent { self }
}

/// A kind of events that a statement may cause, known before it runs.
public enum DatabaseEventKind: Hashable, Sendable {
    /// Rows are inserted into a table.
    case insert(tableName: String)

    /// Rows are deleted from a table.
    case delete(tableName: String)

    /// Some columns of rows of a table are updated. An empty set stands for any columns, and for an update of the row ID by one of
    /// SQLite's names for it.
    case update(tableName: String, columnNames: Set<String>)

    /// The name of the table.
    public var tableName: String {
        switch self {
        case .insert(let tableName), .delete(let tableName), .update(let tableName, _): tableName
        }
    }
}
