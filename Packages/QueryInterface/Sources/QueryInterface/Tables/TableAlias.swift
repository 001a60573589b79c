import RowDecoding

/// The base class of table aliases, without the type of the rows.
///
/// Aliases are compared by identity: each instance stands for a different table of a request.
public class TableAliasBase: Hashable, @unchecked Sendable {
    // Described: see "Kept plans" in CONTRIBUTING.md before you add a property.
    // Sendable: the properties are immutable, and the only subclass adds none.

    /// The name that SQL uses for the table, or nil if the request chooses one.
    let explicitName: String?

    /// The record type of the table.
    let recordType: Any.Type

    /// The keys of the joins that lead from the current table to this one, or nil if a request gives the alias to a table.
    let joinKeys: [String]?

    init(explicitName: String?, recordType: Any.Type, joinKeys: [String]? = nil) {
        self.explicitName = explicitName
        self.recordType = recordType
        self.joinKeys = joinKeys
    }

    /// Returns whether two aliases are the same object.
    public static func == (lhs: TableAliasBase, rhs: TableAliasBase) -> Bool { lhs === rhs }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }

    /// Returns an expression on the columns of this table: `alias[Column("score")]` is `"p"."score"`.
    public subscript(_ expression: some SQLOperand) -> SQLExpression {
        let expression = expression.sqlExpression
        // Keep the table of an expression that is already qualified, unless it is found from this table.
        if case .qualified(let alias, _)? = expression.node?.kind, alias.joinKeys == nil { return expression }
        return SQLExpression(.qualified(self, expression))
    }

    /// Returns a column of this table: `alias[TypedColumn<Int64>("score")]` is `"p"."score"`.
    public subscript<Value>(_ column: TypedColumn<Value>) -> TypedColumn<Value> {
        TypedColumn(column.name, self[column.sqlExpression])
    }

    /// Returns a JSON expression on the columns of this table: `alias[JSONColumn("info")]["country"]` is `"p"."info" ->> 'country'`.
    public subscript(_ expression: some SQLJSONExpressible) -> AnySQLJSONExpressible {
        let qualified: SQLExpression = self[expression.sqlExpression]
        return AnySQLJSONExpressible(known: qualified)
    }

    /// Returns a selection of this table: `alias[AllColumns()]` is `"p".*`.
    @_disfavoredOverload
    public subscript(_ selection: some SQLSelectable) -> SQLSelection {
        let selection = selection.sqlSelection
        if let alias = selection.alias, alias.joinKeys == nil { return selection }
        return SQLSelection(.qualified(self, selection))
    }

    /// Returns an ordering by columns of this table: `alias[Column("score").desc]` is `"p"."score" DESC`.
    @_disfavoredOverload
    public subscript(_ ordering: some SQLOrderingTerm) -> SQLOrdering {
        let ordering = ordering.sqlOrdering
        if let alias = ordering.alias, alias.joinKeys == nil { return ordering }
        return SQLOrdering(qualified: ordering, by: self)
    }

    /// Returns a column of this table: `alias["score"]` is `"p"."score"`.
    public subscript(_ column: String) -> SQLExpression {
        self[Column(column)]
    }
}

/// A name for a table of a request, which expressions use to refer to that table.
///
/// ```swift
/// // SELECT "book".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId"
/// // WHERE "author"."birthYear" < "book"."year" - 80
/// let author = TableAlias<Author>()
/// let request = Book
///     .joining(required: Book.author.aliased(author))
///     .filter { author.birthYear < $0.year - 80 }
/// ```
///
/// The request chooses the names of its tables, unless the alias was created with a name.
///
/// ``Association/columns`` gives the columns of a joined table without an alias of its own.
@dynamicMemberLookup
public final class TableAlias<RowDecoder>: TableAliasBase, @unchecked Sendable {
    /// Creates an alias for a table of records.
    ///
    /// - Parameters:
    ///   - name: the name that SQL uses, or nil if the request chooses one.
    ///   - type: the record type.
    public init(name: String? = nil, for type: RowDecoder.Type = RowDecoder.self) {
        super.init(explicitName: name, recordType: type)
    }

    init(name: String, recordType: Any.Type?) {
        super.init(explicitName: name, recordType: recordType ?? RowDecoder.self)
    }

    /// Creates an alias for a table of a query that is being written.
    convenience init(table: any SQLScopeTable) {
        self.init(name: table.name, recordType: nil)
    }

    init(joinedBy path: AssociationPath) {
        super.init(
            explicitName: nil, recordType: path.destination.recordType ?? RowDecoder.self,
            joinKeys: path.steps.map { $0.key.name(for: .toOne) })
    }

    /// An expression that is true if a table joined by `joining(optional:)` or `including(optional:)` has a matching row.
    ///
    /// The SQL is `"author"."id" IS NOT NULL`, where `id` is the table's primary key.
    public var exists: SQLExpression { SQLExpression(.rowExists(self, isNegated: false)) }
}

extension TableAlias where RowDecoder: TableRecord {
    /// Returns a column of this table, by its name in the record type: `alias.score` is `"p"."score"`.
    public subscript<Expression: SQLOperand>(
        dynamicMember keyPath: KeyPath<RowDecoder.DatabaseComponents, Expression>
    ) -> SQLExpression {
        self[RowDecoder.databaseComponents[keyPath: keyPath]]
    }

    /// Returns a column of this table with the type of its values, by its name in the record type.
    public subscript<Value>(
        dynamicMember keyPath: KeyPath<RowDecoder.DatabaseComponents, TypedColumn<Value>>
    ) -> TypedColumn<Value> {
        self[RowDecoder.databaseComponents[keyPath: keyPath]]
    }

    /// Returns a column of this table that holds JSON, by its name in the record type.
    public subscript<JSON: SQLJSONExpressible>(
        dynamicMember keyPath: KeyPath<RowDecoder.DatabaseComponents, JSON>
    ) -> AnySQLJSONExpressible {
        self[RowDecoder.databaseComponents[keyPath: keyPath]]
    }
}

extension TableAlias where RowDecoder == Void {
    /// Creates an alias for any table.
    ///
    /// - Parameter name: the name that SQL uses, or nil if the request chooses one.
    public convenience init(name: String? = nil) {
        self.init(name: name, for: Void.self)
    }
}

extension SQLRenderer {
    /// Writes SQL whose unqualified columns are columns of the table of an alias.
    ///
    /// - Throws: ``DatabaseError`` when the request does not have the table.
    mutating func qualified(by alias: TableAliasBase, _ write: (inout SQLRenderer) throws -> Void) throws {
        let table = try table(of: alias)
        counts.referencedTables.insert(table.name)
        try append(in: scope.qualified(by: table), write)
    }

    /// Returns the table of an alias.
    ///
    /// - Throws: ``DatabaseError`` when the request does not have the table.
    func table(of alias: TableAliasBase) throws -> any SQLScopeTable {
        if let table = try joinedTable(of: alias) { return table }
        let table = scope.table(withAlias: ObjectIdentifier(alias)) ?? alias.explicitName.flatMap { scope.table(named: $0) }
        if let table, table.recordType != nil { return table }
        if let name = table?.name ?? alias.explicitName { return AliasedTable(name, recordType: alias.recordType, table: table) }
        throw DatabaseError.misuse(
            "a table alias is used in a request that does not have it", sql: sql,
            advice: "Add the alias to a table of the request with aliased(_:).")
    }

    /// Returns the table that associations join to the current one, or nil if the alias does not belong to an association.
    ///
    /// - Throws: ``DatabaseError`` when the request does not join the associations.
    private func joinedTable(of alias: TableAliasBase) throws -> (any SQLScopeTable)? {
        guard let keys = alias.joinKeys else { return nil }
        if let table = keys.reduce(scope.table, { table, key in table?.table(joinedBy: key) }) { return table }
        throw DatabaseError.misuse(
            "a request uses columns of the association \(keys.joined(separator: ".")), but does not join it to "
                + (scope.table?.name ?? "a table"), sql: sql, advice: "Add joining(optional:), joining(required:), or an including method.")
    }

    /// Writes a condition that is true if a joined table has a row.
    mutating func append(existenceOf alias: TableAliasBase, isNegated: Bool) throws {
        let table = try joinedTable(of: alias) ?? scope.table(withAlias: ObjectIdentifier(alias))
        guard let table, case let columns = try table.presenceColumns(database), !columns.isEmpty else {
            throw DatabaseError.misuse("the existence of a table alias is checked in a request that does not have it", sql: sql)
        }
        // Without a primary key, the row exists if any of its columns has a value.
        if columns.count > 1 { append("(") }
        try qualified(by: alias) { renderer in
            renderer.append(columns, separator: isNegated ? " AND " : " OR ") { renderer, column in
                renderer.append(column: column)
                renderer.append(isNegated ? " IS NULL" : " IS NOT NULL")
            }
        }
        if columns.count > 1 { append(")") }
    }
}

/// A table as an alias sees it: the record type of the alias defines how columns store values, if the request knows none.
private final class AliasedTable: SQLScopeTable {
    let name: String
    let recordType: Any.Type?
    private let table: (any SQLScopeTable)?

    /// - Parameters:
    ///   - name: the name in the SQL.
    ///   - recordType: the record type of the alias.
    ///   - table: the table, or nil for a name that no table of the request has.
    init(_ name: String, recordType: Any.Type, table: (any SQLScopeTable)?) {
        (self.name, self.recordType, self.table) = (name, recordType, table)
    }

    var databaseTableName: String { table?.databaseTableName ?? (recordType as? any TableRecord.Type)?.databaseTableName ?? name }

    func isTable(_ name: String, _ db: Database) throws -> Bool { try table?.isTable(name, db) ?? false }
    func hasAlias(_ alias: ObjectIdentifier) -> Bool { table?.hasAlias(alias) ?? false }
    func table(joinedBy key: String) -> (any SQLScopeTable)? { table?.table(joinedBy: key) }

    func columnNames(_ db: Database) throws -> [String] {
        if let table { return try table.columnNames(db) }
        guard let type = recordType as? any TableRecord.Type else { return [] }
        return try TableReference(type.databaseTableName, in: db).columnNames(db)
    }

    func presenceColumns(_ db: Database) throws -> [String] { try table?.presenceColumns(db) ?? columnNames(db) }
}
