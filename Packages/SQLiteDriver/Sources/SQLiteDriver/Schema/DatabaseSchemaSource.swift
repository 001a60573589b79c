/// A source of facts about a schema that SQLite does not know.
///
/// ```swift
/// // CREATE VIEW playerScore AS SELECT id, name, score FROM player
/// // JOIN score USING (playerID)
/// struct MySchema: DatabaseSchemaSource {
///     func columnsForPrimaryKey(
///         _ db: Database, inView view: DatabaseObjectID
///     ) -> [String]? {
///         view.name == "playerScore" ? ["id"] : nil
///     }
/// }
///
/// configuration.schemaSource = MySchema()
/// // From then on, try db.primaryKey("playerScore").columns is ["id"].
/// ```
public protocol DatabaseSchemaSource: Sendable {
    /// Returns the columns whose values identify the rows of a view.
    ///
    /// - Parameters:
    ///   - db: a connection that the method may query, for example for the key of a table. It has no schema source meanwhile.
    ///   - view: the view, with the name that the schema has.
    /// - Returns: names of columns of the view, regardless of case. Nil or an empty array means that the view has no known key.
    /// - Throws: an error, which ``Database/primaryKey(_:in:)`` throws.
    func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]?
}

extension DatabaseSchemaSource {
    /// Returns nil: no view has a known key.
    public func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? { nil }

    /// Returns a source that asks this source first, and then another source if this source returns nothing.
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
    /// Runs a closure with another schema source, or with none if the source is nil. It is the value of ``schemaSource`` in the closure.
    ///
    /// ```swift
    /// try db.withSchemaSource(MySchema().then(TheirSchema())) {
    ///     try db.primaryKey("playerScore")
    /// }
    /// ```
    ///
    /// - Throws: the error of the closure.
    /// - Complexity: the schema cache is cleared before and after.
    public func withSchemaSource<T>(_ source: (any DatabaseSchemaSource)?, execute value: () throws -> T) rethrows -> T {
        checkAccess()
        let previous = schemaSource
        schemaSource = source
        // Layers above may also cache what depends on the schema source.
        schemaDidChange()
        defer {
            schemaSource = previous
            schemaDidChange()
        }
        return try value()
    }

    /// Runs migrations: without the schema source, which describes the schema after all of them.
    ///
    /// Like a new schema source, the beginning and the end change the generation of the schema.
    package func migratingSchema<T>(_ migrations: () throws -> T) rethrows -> T {
        isMigratingSchema = true
        defer { isMigratingSchema = false }
        return try withSchemaSource(nil, execute: migrations)
    }

    /// Returns the key of a view from the schema source, with the column names as the view spells them.
    ///
    /// - Returns: nil for a table, and for a view without a known key.
    func columnsOfViewKey(_ name: String, in schema: String?, columns: [ColumnInfo]) throws -> [String]? {
        guard let source = schemaSource, let view = try locateTable(name, in: schema), view.isView else { return nil }
        // The cached keys of other views depend on the source, which is not used while it is running.
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
