/// A row was inserted, updated or deleted.
public struct DatabaseEvent: Hashable, Sendable {
    /// What happened to the row.
    public enum Kind: Sendable {
        /// It was inserted.
        case insert
        /// It was deleted.
        case delete
        /// It was updated.
        case update
    }

    /// What happened to the row.
    public let kind: Kind

    /// The name of the database: "main", "temp", or that of an attached one.
    public let databaseName: String

    /// The name of the table.
    public let tableName: String

    /// The row id of the row, after the change.
    public let rowID: Int64

    /// The event itself, which can be kept: there is nothing to copy.
    public func copy() -> DatabaseEvent { self }
}

/// A kind of events, known before they happen.
public enum DatabaseEventKind: Hashable, Sendable {
    /// Rows are inserted into a table.
    case insert(tableName: String)

    /// Rows are deleted from a table.
    case delete(tableName: String)

    /// Some columns of rows of a table are updated; any of them, when no column is named.
    case update(tableName: String, columnNames: Set<String>)

    /// The name of the table.
    public var tableName: String {
        switch self {
        case .insert(let tableName), .delete(let tableName), .update(let tableName, _): tableName
        }
    }
}
