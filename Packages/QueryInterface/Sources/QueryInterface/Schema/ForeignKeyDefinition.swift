import RowDecoding

/// The definition of the columns with which a table refers to another table.
///
/// ```swift
/// // "teamId" INTEGER NOT NULL REFERENCES "team" ("id")
/// t.belongsTo("team").notNull()
/// ```
public final class ForeignKeyDefinition {
    let name: String
    let isIndexed: Bool

    /// The name of the other table, or nil for the table that has the name of the foreign key, or its plural.
    private let explicitTable: String?

    private let onDelete: Database.ForeignKeyAction?
    private let onUpdate: Database.ForeignKeyAction?
    private let isDeferred: Bool
    private var isNotNull = false
    private var notNullConflict: Database.ConflictResolution?

    /// Whether at most one row can refer to each row of the other table.
    private(set) var isUnique = false

    init(
        name: String, table: String?, onDelete: Database.ForeignKeyAction?, onUpdate: Database.ForeignKeyAction?, isDeferred: Bool,
        isIndexed: Bool
    ) {
        self.name = name
        explicitTable = table
        self.onDelete = onDelete
        self.onUpdate = onUpdate
        self.isDeferred = isDeferred
        self.isIndexed = isIndexed
    }

    /// Requires each row to refer to a row of the other table: the columns are `NOT NULL`.
    ///
    /// - Parameter onConflict: the conflict resolution for a row with NULL in one of the columns.
    @discardableResult
    public func notNull(onConflict: Database.ConflictResolution? = nil) -> Self {
        isNotNull = true
        notNullConflict = onConflict
        return self
    }

    /// Allows at most one row to refer to each row of the other table: the column is `UNIQUE`, or several columns together are.
    ///
    /// The constraint has an index, so no other index is created.
    @discardableResult
    public func unique() -> Self {
        isUnique = true
        return self
    }

    func requireNotNull() {
        isNotNull = true
    }

    // MARK: - SQL

    /// A column of the foreign key, the column that it refers to, and their type.
    struct Part {
        let name: String
        let destination: String
        let type: Database.ColumnType?
    }

    /// Returns the name of the other table. If no name was given, it is the name of the foreign key, or its plural if such a table exists.
    func table(in context: DefinitionContext) throws -> String {
        if let explicitTable { return explicitTable }
        if try context.hasTable(name) { return name }
        let plural = name.pluralized
        return try context.hasTable(plural) ? plural : name
    }

    /// Returns the columns of the foreign key, derived from the primary key of the other table.
    ///
    /// - Throws: ``DatabaseError`` when that primary key is unknown.
    func parts(in context: DefinitionContext) throws -> [Part] {
        let table = try table(in: context)
        guard let key = try context.primaryKey(of: table) else {
            let alternative = explicitTable == nil && name.pluralized != name ? " or \(name.pluralized)" : ""
            throw context.isOwnTable(table)
                ? DatabaseError(
                    message: "belongsTo(\"\(name)\") refers to the primary key of table \(table), which is defined by SQL",
                    advice: "Define the key with methods, or the reference with foreignKey(_:references:columns:).")
                : DatabaseError(
                    message:
                        "belongsTo(\"\(name)\") of table \(context.tableName) refers to table \(table)\(alternative), which does not exist",
                    advice: "Create the table first, or pass the name of another table to inTable:.")
        }
        guard !key.isEmpty else {
            throw ForeignKeyReference.noPrimaryKey(table, referredToBy: context.tableName)
        }
        return key.map { column in
            Part(name: name + column.name.withFirstLetterUppercased, destination: column.name, type: column.type)
        }
    }

    /// Returns the definitions of the columns.
    func columns(in context: DefinitionContext) throws -> [ColumnDefinition] {
        let parts = try parts(in: context)
        return try parts.map { part in
            let column = ColumnDefinition(name: part.name, type: part.type)
            if isNotNull { column.notNull(onConflict: notNullConflict) }
            if parts.count == 1 {
                if isUnique { column.unique() }
                column.addReference(reference(to: parts, of: try table(in: context)))
            }
            return column
        }
    }

    /// Returns the table constraints that belong to the columns.
    func constraints(in context: DefinitionContext) throws -> [TableDefinition.Constraint] {
        let parts = try parts(in: context)
        guard parts.count > 1 else { return [] }
        let columns = parts.map(\.name)
        let foreignKey = TableDefinition.Constraint.foreignKey(columns, reference(to: parts, of: try table(in: context)))
        return isUnique ? [.uniqueKey(columns, nil), foreignKey] : [foreignKey]
    }

    private func reference(to parts: [Part], of table: String) -> ForeignKeyReference {
        ForeignKeyReference(
            table: table, columns: parts.map(\.destination), onDelete: onDelete, onUpdate: onUpdate, isDeferred: isDeferred)
    }
}

extension String {
    /// The text with its first letter in uppercase, to append it to a name: the "Id" of `teamId`.
    fileprivate var withFirstLetterUppercased: String {
        prefix(1).uppercased() + dropFirst()
    }
}
