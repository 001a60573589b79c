extension Database {
    /// Returns the rows that refer to missing rows, in all tables of all databases of the connection.
    ///
    /// ```swift
    /// let violations = try db.foreignKeyViolations()
    /// while let violation = try violations.next() {
    ///     print(violation)
    /// }
    /// ```
    ///
    /// The SQL is `PRAGMA "main".foreign_key_check`, and the same for `temp` and the attached databases.
    ///
    /// - Returns: a cursor over the violations, which must be used in this database access.
    /// - Throws: ``DatabaseError``.
    public func foreignKeyViolations() throws -> ForeignKeyViolationCursor {
        ForeignKeyViolationCursor(database: self, schemas: try schemaIDs(), tableName: nil)
    }

    /// Returns the rows of one table that refer to missing rows.
    ///
    /// The SQL is `PRAGMA "main".foreign_key_check("player")`.
    ///
    /// - Parameters:
    ///   - tableName: the table's name, regardless of case.
    ///   - schema: "main", "temp", or the name of an attached database; nil for the first one that has the table.
    /// - Returns: a cursor over the violations, which must be used in this database access.
    /// - Throws: ``DatabaseError``, with the message "no such table" if the table does not exist.
    public func foreignKeyViolations(in tableName: String, in schema: String? = nil) throws -> ForeignKeyViolationCursor {
        guard let table = try locateTable(tableName, in: schema) else {
            throw noSuchTable(tableName, in: schema)
        }
        return ForeignKeyViolationCursor(database: self, schemas: [table.id.schemaID], tableName: table.id.name)
    }

    /// Throws if a row refers to a missing row, in any table of any database of the connection.
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

    /// Throws if a row of one table refers to a missing row.
    ///
    /// - Parameters:
    ///   - tableName: the table's name, regardless of case.
    ///   - schema: "main", "temp", or the name of an attached database; nil for the first one that has the table.
    /// - Throws: ``DatabaseError`` with `SQLITE_CONSTRAINT_FOREIGNKEY` for the first violation, or with the message "no such
    ///   table".
    public func checkForeignKeys(in tableName: String, in schema: String? = nil) throws {
        if let violation = try foreignKeyViolations(in: tableName, in: schema).next() {
            throw violation.databaseError(self)
        }
    }
}

/// A cursor over foreign key violations.
///
/// It must be used in the database access in which it was created.
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

    /// Returns the next violation, or nil after the last one.
    ///
    /// - Throws: ``DatabaseError``. After an error, the cursor has ended.
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
