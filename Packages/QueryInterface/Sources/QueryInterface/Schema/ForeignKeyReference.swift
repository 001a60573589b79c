import RowDecoding

/// The reference of a foreign key: `REFERENCES "team" ("id") ON DELETE CASCADE`.
struct ForeignKeyReference {
    let table: String

    /// The columns, or nil for the primary key.
    let columns: [String]?

    let onDelete: Database.ForeignKeyAction?
    let onUpdate: Database.ForeignKeyAction?
    let isDeferred: Bool

    /// Writes the reference.
    ///
    /// - Parameter count: the number of columns of the foreign key.
    /// - Throws: ``DatabaseError`` when the primary key of the other table has another number of columns.
    func render(to renderer: inout SQLRenderer, columnCount count: Int, in context: DefinitionContext) throws {
        renderer.append("REFERENCES ")
        renderer.append(identifier: context.localName(table))
        if let columns = try columns ?? primaryKey(columnCount: count, in: context) {
            renderer.append(" ")
            renderer.append(parenthesizedNames: columns)
        }
        if let onDelete { renderer.append(" ON DELETE \(onDelete.rawValue)") }
        if let onUpdate { renderer.append(" ON UPDATE \(onUpdate.rawValue)") }
        if isDeferred { renderer.append(" DEFERRABLE INITIALLY DEFERRED") }
    }

    /// Returns the columns of the table's primary key, or nil for a table that does not exist yet: SQLite then looks for the primary key
    /// when it writes rows.
    private func primaryKey(columnCount count: Int, in context: DefinitionContext) throws -> [String]? {
        guard let key = try context.primaryKey(of: table) else { return nil }
        guard !key.isEmpty else { throw Self.noPrimaryKey(table, referredToBy: context.tableName) }
        guard key.count == count else {
            throw DatabaseError.misuse(
                "the primary key of table \(table) has the columns \(key.map(\.name).joined(separator: ", ")), and a "
                    + "foreign key of table \(context.tableName) has \(count)",
                advice: "Pass both sides to foreignKey(_:references:columns:).")
        }
        return key.map(\.name)
    }

    static func noPrimaryKey(_ table: String, referredToBy other: String) -> DatabaseError {
        .misuse(
            "a foreign key of table \(other) refers to table \(table), which has no primary key",
            advice: "Give the table a primary key, or name columns that are unique.")
    }
}
