/// What a program knows of a schema, and SQLite does not.
///
/// ```swift
/// // CREATE VIEW playerScore AS SELECT id, name, score FROM player JOIN score USING (playerID)
/// struct MySchema: DatabaseSchemaSource {
///     func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) -> [String]? {
///         view.name == "playerScore" ? ["id"] : nil
///     }
/// }
///
/// configuration.schemaSource = MySchema()
/// // From then on, try db.primaryKey("playerScore").columns is ["id"].
/// ```
public protocol DatabaseSchemaSource: Sendable {
    /// The columns whose values tell the rows of a view apart.
    ///
    /// - Parameters:
    ///   - db: a connection, which may be asked: a view may have the key of a table. Meanwhile it has no schema source.
    ///   - view: the view, by its name in the schema.
    /// - Returns: names of columns of the view, whatever their case; nil, or none, when it has no key, or when that is not known.
    /// - Throws: an error that ``Database/primaryKey(_:in:)`` throws.
    func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]?
}

extension DatabaseSchemaSource {
    /// No view has a key.
    public func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? { nil }

    /// A source that asks this one first, and another one where this one does not know.
    ///
    /// ```swift
    /// configuration.schemaSource = MySchema().then(TheirSchema())
    /// ```
    public func then(_ other: some DatabaseSchemaSource) -> some DatabaseSchemaSource {
        ChainedSchemaSource(first: self, second: other)
    }
}

private struct ChainedSchemaSource<First: DatabaseSchemaSource, Second: DatabaseSchemaSource>: DatabaseSchemaSource {
    let first: First
    let second: Second

    func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? {
        if let columns = try first.columnsForPrimaryKey(db, inView: view), !columns.isEmpty { return columns }
        return try second.columnsForPrimaryKey(db, inView: view)
    }
}

extension Database {
    /// Runs a closure with another schema source.
    ///
    /// ```swift
    /// try db.withSchemaSource(MySchema().then(TheirSchema())) {
    ///     try db.primaryKey("playerScore")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - source: what ``schemaSource`` is in the closure; nil for none.
    ///   - value: the closure.
    /// - Throws: the error of the closure.
    /// - Complexity: what is known of the schema is forgotten before and after.
    public func withSchemaSource<T>(_ source: (any DatabaseSchemaSource)?, execute value: () throws -> T) rethrows -> T {
        checkAccess()
        let previous = schemaSource
        schemaSource = source
        // Layers above may keep what depends on it, too.
        schemaDidChange()
        defer {
            schemaSource = previous
            schemaDidChange()
        }
        return try value()
    }

    /// The key of a view that the schema source knows, with the names that its columns have.
    ///
    /// - Returns: nil for a table, and for a view whose key is not known.
    func columnsOfViewKey(_ name: String, in schema: String?, columns: [ColumnInfo]) throws -> [String]? {
        guard let source = schemaSource, let view = try locateTable(name, in: schema), view.isView else { return nil }
        // The keys of other views are cached with the source, and while it is asked without it.
        schemaCache.primaryKeys.removeAll()
        schemaSource = nil
        defer {
            schemaSource = source
            schemaCache.primaryKeys.removeAll()
        }
        guard let names = try source.columnsForPrimaryKey(self, inView: view.id), !names.isEmpty else { return nil }
        return try names.map { name in
            guard let column = columns.first(where: { $0.name.isEqualIgnoringASCIICase(to: name) }) else {
                throw DatabaseError(
                    code: .SQLITE_MISUSE, message: "the view \(view.id.name) has no column \(name) for its primary key",
                    advice: "Check the schema source of the configuration.")
            }
            return column.name
        }
    }
}
