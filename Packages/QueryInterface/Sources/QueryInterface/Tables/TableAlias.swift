import RowDecoding

/// The base class of table aliases, without the type of the rows.
///
/// Aliases are compared by identity: each instance stands for a different table of a request.
public class TableAliasBase: Hashable, @unchecked Sendable {
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
        if let node = expression.node as? QualifiedNode, node.alias.joinKeys == nil { return expression }
        return SQLExpression(QualifiedNode(alias: self, content: expression))
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
        if let node = selection.node as? QualifiedSelectionNode, node.alias.joinKeys == nil { return selection }
        return SQLSelection(QualifiedSelectionNode(alias: self, content: selection))
    }

    /// Returns an ordering by columns of this table: `alias[Column("score").desc]` is `"p"."score" DESC`.
    @_disfavoredOverload
    public subscript(_ ordering: some SQLOrderingTerm) -> SQLOrdering {
        let ordering = ordering.sqlOrdering
        if let node = ordering.node as? QualifiedOrderingNode, node.alias.joinKeys == nil { return ordering }
        return SQLOrdering(QualifiedOrderingNode(alias: self, content: ordering))
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

    init(joinedBy path: AssociationPath) {
        super.init(
            explicitName: nil, recordType: path.destination.recordType ?? RowDecoder.self,
            joinKeys: path.steps.map { $0.key.name(for: .toOne) })
    }

    /// Returns an alias with the same explicit name, for rows of another type.
    func typed<Other>() -> TableAlias<Other> {
        TableAlias<Other>(name: explicitName ?? "", recordType: recordType)
    }

    /// An expression that is true if a table joined by `joining(optional:)` or `including(optional:)` has a matching row.
    ///
    /// The SQL is `"author"."id" IS NOT NULL`, where `id` is the table's primary key.
    public var exists: SQLExpression { SQLExpression(RowExistenceNode(alias: self)) }
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
    /// Writes SQL whose unqualified columns belong to the table of an alias.
    mutating func qualified(by alias: TableAliasBase, _ write: (inout SQLRenderer) throws -> Void) throws {
        let outer = (qualifier, outputNames, sourceName, sourceColumns, sourceRecordType)
        let table = try joinedTable(of: alias)
        let name = try table?.name ?? name(of: alias)
        referencedTables?.insert(name)
        (qualifier, outputNames, sourceName) = (name, [], name)
        sourceColumns = table?.sourceColumns ?? aliasColumns[ObjectIdentifier(alias)]
        sourceRecordType = aliasRecordTypes[ObjectIdentifier(alias)] ?? alias.recordType
        try write(&self)
        (qualifier, outputNames, sourceName, sourceColumns, sourceRecordType) = outer
    }

    /// Returns the table to which associations lead from the current table, or nil for an alias that a request gives to a table.
    ///
    /// - Throws: ``DatabaseError`` when the query does not join the associations.
    func joinedTable(of alias: TableAliasBase) throws -> ResolvedTable? {
        guard let keys = alias.joinKeys else { return nil }
        let source = (queryTables as? ResolvedTable)?.tables.first { $0.name == sourceName }
        let table = keys.reduce(source) { table, key in table?.joins.first { $0.join?.key == key } }
        if let table { return table }
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "a request uses columns of the association \(keys.joined(separator: ".")), but does not join it to "
                + "\(sourceName ?? "a table"): add joining(optional:), joining(required:), or an including method",
            sql: sql)
    }

    /// Returns the name that the query gives to the table of an alias.
    ///
    /// - Throws: ``DatabaseError`` when the query has no such table.
    func name(of alias: TableAliasBase) throws -> String {
        if let name = aliasNames[ObjectIdentifier(alias)] ?? alias.explicitName { return name }
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "a table alias is used in a request that does not have it: add it to a table of the request with aliased(_:)",
            sql: sql)
    }
}

/// An expression that is true if an optional table has a row.
private struct RowExistenceNode: CompositeNode, NegatableNode {
    let alias: TableAliasBase
    var isNegated = false

    var operands: [SQLExpression] { [] }

    var precedence: SQLPrecedence { .equality }

    var negation: SQLExpression? { SQLExpression(RowExistenceNode(alias: alias, isNegated: !isNegated)) }

    func render(to renderer: inout SQLRenderer) throws {
        let presenceColumns = try renderer.joinedTable(of: alias)?.presenceColumns ?? renderer.aliasKeys[ObjectIdentifier(alias)]
        guard let columns = try presenceColumns?(renderer.database), !columns.isEmpty else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "the existence of a table alias is checked in a request that does not have it",
                sql: renderer.sql)
        }
        // Without a primary key, the row exists if any of its columns has a value.
        if columns.count > 1 { renderer.append("(") }
        try renderer.qualified(by: alias) { renderer in
            try renderer.append(columns, separator: isNegated ? " AND " : " OR ") { renderer, column in
                try renderer.append(Column(column).sqlExpression)
                renderer.append(isNegated ? " IS NULL" : " IS NOT NULL")
            }
        }
        if columns.count > 1 { renderer.append(")") }
    }
}

/// An expression on the columns of one table.
struct QualifiedNode: CompositeNode, JSONTextNode {
    let alias: TableAliasBase
    let content: SQLExpression
    let isJSONText: Bool
    let value: DatabaseValue?
    let precedence: SQLPrecedence

    init(alias: TableAliasBase, content: SQLExpression) {
        self.alias = alias
        self.content = content
        isJSONText = (content.node as? any JSONTextNode)?.isJSONText == true
        value = content.value
        precedence = content.precedence
    }

    var operands: [SQLExpression] { [content] }
    var levelCount: Int { 0 }

    func encodingValues(
        by encode: (any DatabaseValueConvertible & Sendable) throws -> DatabaseValue?
    ) throws -> SQLExpression? {
        let (alias, content) = innermost
        return try content.encodingValues(by: encode).map { alias[$0] }
    }

    /// The innermost alias and its expression, where an alias is applied to an expression that already has one.
    var innermost: (alias: TableAliasBase, content: SQLExpression) {
        var node = self
        while let inner = node.content.node as? QualifiedNode, inner.alias.joinKeys == nil { node = inner }
        return (node.alias, node.content)
    }

    func render(to renderer: inout SQLRenderer) throws {
        try renderer.qualified(by: alias) { try $0.append(content) }
    }
}

/// A selection of one table.
struct QualifiedSelectionNode: SQLSelectionNode {
    let alias: TableAliasBase
    let content: SQLSelection

    func render(to renderer: inout SQLRenderer) throws {
        try renderer.qualified(by: alias) { try $0.append(content) }
    }
}

/// An ordering by columns of one table.
private struct QualifiedOrderingNode: SQLOrderingNode {
    let alias: TableAliasBase
    let content: SQLOrdering

    func render(to renderer: inout SQLRenderer) throws {
        try renderer.qualified(by: alias) { try $0.append($0.unfolded(content)) }
    }

    var reversed: SQLOrdering {
        SQLOrdering(QualifiedOrderingNode(alias: alias, content: content.node.reversed))
    }
}
