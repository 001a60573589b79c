import RowDecoding

/// The columns by which rows of a table that is created belong to rows of another one.
///
/// ```swift
/// // "teamId" INTEGER NOT NULL REFERENCES "team" ("id")
/// t.belongsTo("team").notNull()
/// ```
public final class ForeignKeyDefinition {
    let name: String
    let table: String
    let isIndexed: Bool

    private let onDelete: Database.ForeignKeyAction?
    private let onUpdate: Database.ForeignKeyAction?
    private let isDeferred: Bool
    private var isNotNull = false
    private var notNullConflict: Database.ConflictResolution?

    /// Whether no two rows belong to the same one.
    private(set) var isUnique = false

    init(
        name: String, table: String, onDelete: Database.ForeignKeyAction?, onUpdate: Database.ForeignKeyAction?, isDeferred: Bool,
        isIndexed: Bool
    ) {
        self.name = name
        self.table = table
        self.onDelete = onDelete
        self.onUpdate = onUpdate
        self.isDeferred = isDeferred
        self.isIndexed = isIndexed
    }

    /// Lets no row belong to none: the columns are `NOT NULL`.
    ///
    /// - Parameter onConflict: what happens to a row with NULL in one of the columns.
    @discardableResult
    public func notNull(onConflict: Database.ConflictResolution? = nil) -> Self {
        isNotNull = true
        notNullConflict = onConflict
        return self
    }

    /// Lets no two rows belong to the same one: the column is `UNIQUE`, or several columns are so together.
    ///
    /// The constraint has an index of its own, and no other one is created.
    @discardableResult
    public func unique() -> Self {
        isUnique = true
        return self
    }

    func requireNotNull() {
        isNotNull = true
    }

    // MARK: - SQL

    /// A column of the foreign key, the column that it refers to, and the type of both.
    struct Part {
        let name: String
        let destination: String
        let type: Database.ColumnType?
    }

    /// The columns of the foreign key, which follow from the primary key of the table that it refers to.
    ///
    /// - Throws: ``DatabaseError`` when that is not known.
    func parts(in context: DefinitionContext) throws -> [Part] {
        guard let key = try context.primaryKey(of: table) else {
            throw DatabaseError(
                resultCode: .SQLITE_ERROR,
                message: context.isOwnTable(table)
                    ? "belongsTo(\"\(name)\") refers to the primary key of table \(table), which is hidden in SQL: "
                        + "define the key by methods, or the reference by foreignKey(_:references:columns:)"
                    : "belongsTo(\"\(name)\") of table \(context.tableName) refers to table \(table), which does not exist: "
                        + "create that one first, or give the name of another one to inTable:")
        }
        guard !key.isEmpty else {
            throw ForeignKeyReference.noPrimaryKey(table, referredToBy: context.tableName)
        }
        return key.map { column in
            Part(name: name + column.name.withFirstLetterUppercased, destination: column.name, type: column.type)
        }
    }

    /// The columns, each with its part of the definition.
    func columns(in context: DefinitionContext) throws -> [ColumnDefinition] {
        let parts = try parts(in: context)
        return parts.map { part in
            let column = ColumnDefinition(name: part.name, type: part.type)
            if isNotNull { column.notNull(onConflict: notNullConflict) }
            if parts.count == 1 {
                if isUnique { column.unique() }
                column.addReference(reference(to: parts))
            }
            return column
        }
    }

    /// The constraints of the table that go with the columns.
    func constraints(in context: DefinitionContext) throws -> [TableDefinition.Constraint] {
        let parts = try parts(in: context)
        guard parts.count > 1 else { return [] }
        let columns = parts.map(\.name)
        let foreignKey = TableDefinition.Constraint.foreignKey(columns, reference(to: parts))
        return isUnique ? [.uniqueKey(columns, nil), foreignKey] : [foreignKey]
    }

    private func reference(to parts: [Part]) -> ForeignKeyReference {
        ForeignKeyReference(
            table: table, columns: parts.map(\.destination), onDelete: onDelete, onUpdate: onUpdate, isDeferred: isDeferred)
    }
}

extension String {
    /// The text with its first letter as a capital: the second word of `teamId`.
    fileprivate var withFirstLetterUppercased: String {
        prefix(1).uppercased() + dropFirst()
    }
}
