extension Database {
    /// Looks for rows that refer to rows that don't exist, in all tables of all databases of the connection.
    ///
    /// ```swift
    /// let violations = try db.foreignKeyViolations()
    /// while let violation = try violations.next() {
    ///     print(violation)
    /// }
    /// ```
    ///
    /// The SQL is `PRAGMA "main".foreign_key_check`, and so on for `temp` and the attached databases.
    ///
    /// - Returns: a cursor over the violations, to be used in this database access.
    /// - Throws: ``DatabaseError``.
    public func foreignKeyViolations() throws -> ForeignKeyViolationCursor {
        ForeignKeyViolationCursor(database: self, schemas: try schemaIDs(), tableName: nil)
    }

    /// Looks for rows of one table that refer to rows that don't exist.
    ///
    /// The SQL is `PRAGMA "main".foreign_key_check("player")`.
    ///
    /// - Parameters:
    ///   - tableName: the table's name, whatever its case.
    ///   - schema: the name of an attached database, "main", or "temp"; the first that has the table when nil.
    /// - Returns: a cursor over the violations, to be used in this database access.
    /// - Throws: ``DatabaseError``, with the message "no such table" when there is none.
    public func foreignKeyViolations(in tableName: String, in schema: String? = nil) throws -> ForeignKeyViolationCursor {
        guard let table = try locateTable(tableName, in: schema) else {
            throw noSuchTable(tableName, in: schema)
        }
        return ForeignKeyViolationCursor(database: self, schemas: [table.id.schemaID], tableName: table.id.name)
    }

    /// Throws when a row refers to one that does not exist, in any table of any database of the connection.
    ///
    /// ```swift
    /// try db.inTransaction {
    ///     try importEverything(db)
    ///     try db.checkForeignKeys()
    ///     return .commit
    /// }
    /// ```
    ///
    /// - Throws: ``DatabaseError`` with `SQLITE_CONSTRAINT_FOREIGNKEY` for the first violation.
    public func checkForeignKeys() throws {
        if let violation = try foreignKeyViolations().next() {
            throw violation.databaseError(self)
        }
    }

    /// Throws when a row of one table refers to one that does not exist.
    ///
    /// - Parameters:
    ///   - tableName: the table's name, whatever its case.
    ///   - schema: the name of an attached database, "main", or "temp"; the first that has the table when nil.
    /// - Throws: ``DatabaseError`` with `SQLITE_CONSTRAINT_FOREIGNKEY` for the first violation, or with the message "no such
    ///   table".
    public func checkForeignKeys(in tableName: String, in schema: String? = nil) throws {
        if let violation = try foreignKeyViolations(in: tableName, in: schema).next() {
            throw violation.databaseError(self)
        }
    }
}

/// The violations of foreign keys, found one by one.
///
/// It belongs to the database access in which it was made.
public final class ForeignKeyViolationCursor {
    private let database: Database
    private var schemas: ArraySlice<DatabaseSchemaID>
    private let tableName: String?
    private var current: (schemaID: DatabaseSchemaID, statement: Statement)?

    init(database: Database, schemas: [DatabaseSchemaID], tableName: String?) {
        self.database = database
        self.schemas = schemas[...]
        self.tableName = tableName
    }

    /// The next violation, or nil after the last one.
    ///
    /// - Throws: ``DatabaseError``. There are no more violations after an error.
    public func next() throws -> ForeignKeyViolation? {
        database.checkAccess()
        do {
            return try nextViolation()
        } catch {
            current = nil
            schemas = []
            throw error
        }
    }

    private func nextViolation() throws -> ForeignKeyViolation? {
        while true {
            if let (schemaID, statement) = current {
                if try statement.step() {
                    return ForeignKeyViolation(
                        originTable: statement.string(at: 0) ?? "", originRowID: statement.int64(at: 1),
                        destinationTable: statement.string(at: 2) ?? "", foreignKeyId: Int(statement.int64(at: 3) ?? 0),
                        schemaID: schemaID)
                }
                current = nil
            }
            guard let schemaID = schemas.popFirst() else { return nil }
            let argument = tableName.map { "(\($0.quotedDatabaseIdentifier))" } ?? ""
            let sql = "PRAGMA \(schemaID.name.quotedDatabaseIdentifier).foreign_key_check\(argument)"
            current = (schemaID, try database.makeStatement(sql: sql))
        }
    }
}
