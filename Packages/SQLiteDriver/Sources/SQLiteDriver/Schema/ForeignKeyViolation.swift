/// A row that refers to a missing row.
///
/// ```swift
/// let violations = try db.foreignKeyViolations(in: "player")
/// while let violation = try violations.next() {
///     // FOREIGN KEY constraint violation - from player(teamID) to team(id)
///     print(try violation.failureDescription(db))
/// }
/// ```
///
/// Source: <https://www.sqlite.org/pragma.html#pragma_foreign_key_check>
public struct ForeignKeyViolation: Hashable, Sendable {
    /// The table of the referring row.
    public let originTable: String

    /// The row ID of the referring row; nil in a `WITHOUT ROWID` table.
    public let originRowID: Int64?

    /// The table that the row refers to.
    public let destinationTable: String

    /// The ``ForeignKeyInfo/id`` of the violated foreign key.
    public let foreignKeyId: Int

    /// The database of both tables; nil for the first one that has the origin table.
    public let schemaID: DatabaseSchemaID?

    /// Creates a violation.
    ///
    /// - Parameters:
    ///   - originTable: the table of the referring row.
    ///   - originRowID: the row ID of that row.
    ///   - destinationTable: the table that the row refers to.
    ///   - foreignKeyId: the ID of the foreign key.
    ///   - schemaID: the database of both tables.
    public init(
        originTable: String, originRowID: Int64?, destinationTable: String, foreignKeyId: Int, schemaID: DatabaseSchemaID? = nil
    ) {
        self.originTable = originTable
        self.originRowID = originRowID
        self.destinationTable = destinationTable
        self.foreignKeyId = foreignKeyId
        self.schemaID = schemaID
    }

    /// Returns a sentence that names the columns of the foreign key.
    ///
    /// It also contains the row ID and the values of the row, which may be private, if ``Configuration/publicStatementArguments`` is set.
    ///
    /// - Parameter db: a connection to the database that has the violation.
    /// - Throws: ``DatabaseError``.
    public func failureDescription(_ db: Database) throws -> String {
        let schema = schemaID?.name
        let foreignKey = try db.foreignKeys(on: originTable, in: schema).first { $0.id == foreignKeyId }
        var text = "FOREIGN KEY constraint violation - from \(originTable)"
        text += foreignKey.map { "(\($0.originColumns.joined(separator: ", ")))" } ?? ""
        text += " to \(destinationTable)"
        text += foreignKey.map { "(\($0.destinationColumns.joined(separator: ", ")))" } ?? ""
        if db.configuration.publicStatementArguments, let originRowID {
            text += ", in the row with id \(originRowID)"
            text += try values(ofRow: originRowID, in: db).map { ": \($0)" } ?? ""
        }
        return text
    }

    /// Returns the violation as an error: `SQLITE_CONSTRAINT_FOREIGNKEY`, with ``failureDescription(_:)`` as its message.
    ///
    /// - Parameter db: a connection to the database that has the violation.
    public func databaseError(_ db: Database) -> DatabaseError {
        var error = DatabaseError(
            resultCode: .SQLITE_CONSTRAINT_FOREIGNKEY, message: (try? failureDescription(db)) ?? description)
        let foreignKey = try? db.foreignKeys(on: originTable, in: schemaID?.name).first { $0.id == foreignKeyId }
        error.constraint = DatabaseError.Constraint(
            kind: .foreignKey, table: originTable, columns: foreignKey?.originColumns, foreignKeyViolation: self)
        return error
    }

    /// Returns the values of a row in one line: `id: 1, name: "Arthur", teamID: 42`.
    private func values(ofRow rowID: Int64, in db: Database) throws -> String? {
        guard let rowIDName = try db.primaryKey(originTable, in: schemaID?.name).rowIDName else { return nil }
        let table = (schemaID.map { $0.name.quotedDatabaseIdentifier + "." } ?? "") + originTable.quotedDatabaseIdentifier
        let statement = try db.makeStatement(sql: "SELECT * FROM \(table) WHERE \(rowIDName.quotedDatabaseIdentifier) = ?")
        try statement.setArguments([rowID])
        guard try statement.step() else { return nil }
        return (0..<statement.columnCount)
            .map { "\(statement.columnName(at: $0)): \(statement.databaseValue(at: $0))" }
            .joined(separator: ", ")
    }
}

extension ForeignKeyViolation: CustomStringConvertible {
    /// A sentence that names the two tables. It does not contain ``originRowID``, which may be private.
    public var description: String { "FOREIGN KEY constraint violation - from \(originTable) to \(destinationTable)" }
}

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
