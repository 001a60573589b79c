/// Names one of the databases of a connection: `main`, `temp`, or an attached one.
///
/// ```swift
/// DatabaseSchemaID.main
/// DatabaseSchemaID.attached("archive")
/// ```
///
/// Names that differ only by the case of ASCII letters are equal, as for SQLite.
///
/// Source: <https://www.sqlite.org/lang_attach.html>
public struct DatabaseSchemaID: Hashable, Sendable {
    private let key: SchemaName

    private init(_ name: String) {
        key = SchemaName(name)
    }

    /// The database that the connection was opened with.
    public static let main = DatabaseSchemaID("main")

    /// The connection's own temporary tables, views and triggers.
    public static let temp = DatabaseSchemaID("temp")

    /// A database that `ATTACH` has added.
    ///
    /// - Parameter name: the name that it was given. "main" and "temp" are ``main`` and ``temp``.
    public static func attached(_ name: String) -> DatabaseSchemaID {
        DatabaseSchemaID(name)
    }

    /// The name that stands before the dot in `main.player`, unquoted.
    public var name: String { key.text }

    /// The SQL name of the table that describes the database: `sqlite_master`, `sqlite_temp_master`, or
    /// `"archive".sqlite_master`.
    ///
    /// Source: <https://www.sqlite.org/schematab.html>
    public var schemaTableName: String {
        if self == .main { return "sqlite_master" }
        if self == .temp { return "sqlite_temp_master" }
        return "\(name.quotedDatabaseIdentifier).sqlite_master"
    }
}

/// Names a table, a view, an index or a trigger of one of the databases of a connection.
///
/// Names that differ only by the case of ASCII letters are equal, as for SQLite.
public struct DatabaseObjectID: Hashable, Sendable {
    private let key: SchemaName

    /// The object's name.
    public var name: String { key.text }

    /// The database that holds the object.
    public let schemaID: DatabaseSchemaID

    /// Names an object.
    public init(name: String, schemaID: DatabaseSchemaID) {
        key = SchemaName(name)
        self.schemaID = schemaID
    }
}

extension DatabaseSchemaID: CustomStringConvertible {
    /// The name.
    public var description: String { name }
}

extension DatabaseObjectID: CustomStringConvertible {
    /// The two names, with a dot between them.
    public var description: String { "\(schemaID.name).\(name)" }
}
