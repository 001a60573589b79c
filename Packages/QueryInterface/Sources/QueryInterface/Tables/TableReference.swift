import RowDecoding

/// The name of a table as a record type states it, told apart into the name of a database, if it has one, and the table's own.
///
/// ```swift
/// struct Player: TableRecord {
///     static let databaseTableName = "aux.player"
/// }
///
/// let table = try TableReference(Player.databaseTableName, in: db)
/// table.sql                                             // "aux"."player"
/// try db.columns(in: table.name, in: table.schema)
/// ```
public struct TableReference: Hashable, Sendable {
    /// The name of the database: "main", "temp", or that of an attached one; nil where the name states none.
    public let schema: String?

    /// The name of the table.
    public let name: String

    /// Tells a name apart.
    ///
    /// - Parameters:
    ///   - text: the name of a table, which may begin with the name of a database and a dot. It is the whole name that counts
    ///     where a table or a view has it, and where the connection has no such database: names can have dots.
    ///   - db: a connection.
    /// - Throws: ``DatabaseError`` when the schema can't be read.
    public init(_ text: String, in db: Database) throws {
        guard let dot = text.utf8.firstIndex(of: UInt8(ascii: ".")) else {
            self.init(schema: nil, name: text)
            return
        }
        let schema = String(text[..<dot])
        let name = String(text[text.utf8.index(after: dot)...])
        if try db.hasDatabase(named: schema), try !db.tableExists(text), try !db.viewExists(text) {
            self.init(schema: schema, name: name)
        } else {
            self.init(schema: nil, name: text)
        }
    }

    /// Makes a reference.
    ///
    /// - Parameters:
    ///   - schema: "main", "temp", the name of an attached database, or nil.
    ///   - name: the name of the table.
    public init(schema: String?, name: String) {
        self.schema = schema
        self.name = name
    }

    /// The table as SQL names it: `"player"`, or `"aux"."player"`.
    public var sql: String {
        guard let schema else { return name.quotedDatabaseIdentifier }
        return "\(schema.quotedDatabaseIdentifier).\(name.quotedDatabaseIdentifier)"
    }

    /// The columns of the table or the view, in order, without hidden ones.
    ///
    /// - Throws: ``DatabaseError`` when there is no such table.
    public func columns(_ db: Database) throws -> [ColumnInfo] {
        try db.columns(in: name, in: schema)
    }

    /// The primary key of the table.
    ///
    /// - Throws: ``DatabaseError`` when there is no such table.
    public func primaryKey(_ db: Database) throws -> PrimaryKeyInfo {
        try db.primaryKey(name, in: schema)
    }
}

extension Database {
    /// Whether the connection has a database of a name: "main", "temp", or one that is attached.
    func hasDatabase(named name: String) throws -> Bool {
        // The temporary database is listed only when there is something in it.
        if ["main", "temp"].contains(where: { $0.isEqualIgnoringASCIICase(to: name) }) { return true }
        let statement = try cachedStatement(sql: "SELECT 1 FROM pragma_database_list WHERE name = ? COLLATE NOCASE")
        try statement.setArguments([name])
        return try Int.fetchOne(statement) != nil
    }
}
