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
