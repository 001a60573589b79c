/// The identity of a database of a connection: `main`, `temp`, or an attached one.
///
/// ```swift
/// DatabaseSchemaID.main
/// DatabaseSchemaID.attached("archive")
/// ```
///
/// Names are compared as in SQLite, ignoring the case of ASCII letters.
///
/// Source: <https://www.sqlite.org/lang_attach.html>
public struct DatabaseSchemaID: Hashable, Sendable {
    private let key: SchemaName

    private init(_ name: String) {
        key = SchemaName(name)
    }

    /// The database that the connection was opened with.
    public static let main = DatabaseSchemaID("main")

    /// The database of the connection's temporary tables, views and triggers.
    public static let temp = DatabaseSchemaID("temp")

    /// A database that `ATTACH` has added.
    ///
    /// - Parameter name: the name of the attached database. "main" and "temp" give ``main`` and ``temp``.
    public static func attached(_ name: String) -> DatabaseSchemaID {
        DatabaseSchemaID(name)
    }

    /// The database name, without quotes, as before the dot in `main.player`.
    public var name: String { key.text }

    /// The SQL name of the database's schema table: `sqlite_master`, `sqlite_temp_master`, or `"archive".sqlite_master`.
    ///
    /// Source: <https://www.sqlite.org/schematab.html>
    public var schemaTableName: String {
        if self == .main { return "sqlite_master" }
        if self == .temp { return "sqlite_temp_master" }
        return "\(name.quotedDatabaseIdentifier).sqlite_master"
    }
}

/// The identity of a table, a view, an index or a trigger: its name, and its database.
///
/// Names are compared as in SQLite, ignoring the case of ASCII letters.
public struct DatabaseObjectID: Hashable, Sendable {
    private let key: SchemaName

    /// The object's name.
    public var name: String { key.text }

    /// The database that holds the object.
    public let schemaID: DatabaseSchemaID

    /// Creates the identity of an object.
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
    /// The names of the database and the object, with a dot between them.
    public var description: String { "\(schemaID.name).\(name)" }
}
