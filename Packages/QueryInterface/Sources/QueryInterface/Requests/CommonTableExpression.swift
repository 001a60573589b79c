import RowDecoding

/// A query with a name, which other queries use like a table.
///
/// ```swift
/// // WITH "best" AS (SELECT * FROM "player" ORDER BY "score" DESC LIMIT 10) SELECT * FROM "best" WHERE "team" = 'Red'
/// let best = CommonTableExpression<Player>(
///     named: "best", request: Player.order(Column("score").desc).limit(10))
/// let request = best.all().with(best).filter(Column("team") == "Red")
/// ```
///
/// A recursive one refers to itself by its name:
///
/// ```swift
/// let counter = CommonTableExpression<Int>(
///     recursive: true, named: "counter", columns: ["n"],
///     literal: "SELECT 1 UNION ALL SELECT n + 1 FROM counter WHERE n < \(10)")
/// let numbers = try counter.all().with(counter).fetchAll(db)
/// ```
///
/// Source: <https://www.sqlite.org/lang_with.html>
public struct CommonTableExpression<RowDecoder>: Sendable {
    let table: CommonTable

    /// The name.
    public var tableName: String { table.name }

    /// Makes a common table expression of a request.
    ///
    /// - Parameters:
    ///   - recursive: whether the query may refer to itself.
    ///   - name: the name.
    ///   - columns: names for the columns of the query; those that it gives them by default.
    ///   - request: the query.
    public init(recursive: Bool = false, named name: String, columns: [String]? = nil, request: some SQLSubqueryable) {
        table = CommonTable(name: name, columns: columns, isRecursive: recursive, query: request.sqlSubquery)
    }

    /// Makes a common table expression of SQL.
    ///
    /// - Parameters:
    ///   - recursive: whether the query may refer to itself.
    ///   - name: the name.
    ///   - columns: names for the columns of the query; those that it gives them by default.
    ///   - literal: the query.
    public init(recursive: Bool = false, named name: String, columns: [String]? = nil, literal: SQL) {
        self.init(
            recursive: recursive, named: name, columns: columns, request: SQLSubquery { try literal.render(to: &$0) })
    }

    /// Makes a common table expression of SQL.
    ///
    /// - Parameters:
    ///   - recursive: whether the query may refer to itself.
    ///   - name: the name.
    ///   - columns: names for the columns of the query; those that it gives them by default.
    ///   - sql: the query.
    ///   - arguments: the values of its parameters.
    public init(
        recursive: Bool = false, named name: String, columns: [String]? = nil, sql: String,
        arguments: StatementArguments = StatementArguments()
    ) {
        self.init(recursive: recursive, named: name, columns: columns, literal: SQL(sql: sql, arguments: arguments))
    }

    /// A request for all rows of the expression: `SELECT * FROM "best"`.
    ///
    /// It needs the expression itself: `best.all().with(best)`.
    public func all() -> QueryInterfaceRequest<RowDecoder> {
        QueryInterfaceRequest(
            relation: Relation(
                source: .commonTable(table), recordType: RowDecoder.self, selection: Relation.Selection([AllColumns().sqlSelection])))
    }

    /// Whether an expression has one of the values of a common table expression that has one column: `"id" IN "best"`.
    public func contains(_ element: some SQLExpressible) -> SQLExpression {
        SQLExpression(CommonTableMembershipNode(operand: element.sqlExpression, name: tableName))
    }

    /// An association to another common table expression, joined by a condition on both.
    ///
    /// - Parameters:
    ///   - destination: the expression that is joined.
    ///   - condition: makes the condition of aliases of this expression and of the other one.
    public func association<Destination>(
        to destination: CommonTableExpression<Destination>,
        on condition: @escaping @Sendable (_ left: TableAlias<Void>, _ right: TableAlias<Void>) -> any SQLExpressible
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(to: destination, on: condition)
    }

    /// An association to another common table expression, any row with any row.
    public func association<Destination>(
        to destination: CommonTableExpression<Destination>
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(to: destination, on: nil)
    }

    /// An association to a table, joined by a condition on both.
    ///
    /// - Parameters:
    ///   - destination: the table that is joined.
    ///   - condition: makes the condition of aliases of this expression and of the table.
    public func association<Destination>(
        to destination: Table<Destination>,
        on condition: @escaping @Sendable (_ left: TableAlias<Void>, _ right: TableAlias<Void>) -> any SQLExpressible
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(to: destination.relation, on: condition)
    }
}

extension CommonTableExpression where RowDecoder == Row {
    /// Makes a common table expression of a request, with plain rows.
    public init(recursive: Bool = false, named name: String, columns: [String]? = nil, request: some SQLSubqueryable) {
        table = CommonTable(name: name, columns: columns, isRecursive: recursive, query: request.sqlSubquery)
    }

    /// Makes a common table expression of SQL, with plain rows.
    public init(recursive: Bool = false, named name: String, columns: [String]? = nil, literal: SQL) {
        self.init(
            recursive: recursive, named: name, columns: columns, request: SQLSubquery { try literal.render(to: &$0) })
    }

    /// Makes a common table expression of SQL, with plain rows.
    public init(
        recursive: Bool = false, named name: String, columns: [String]? = nil, sql: String,
        arguments: StatementArguments = StatementArguments()
    ) {
        self.init(recursive: recursive, named: name, columns: columns, literal: SQL(sql: sql, arguments: arguments))
    }
}

/// `IN` with the name of a common table expression.
private struct CommonTableMembershipNode: CompositeNode, NegatableNode {
    let operand: SQLExpression
    let name: String
    var isNegated = false

    var operands: [SQLExpression] { [operand] }

    var precedence: SQLPrecedence { .equality }

    var negation: SQLExpression? {
        SQLExpression(CommonTableMembershipNode(operand: operand, name: name, isNegated: !isNegated))
    }

    func render(to renderer: inout SQLRenderer) throws {
        try renderer.append(operand, atLeast: .comparison)
        renderer.append(isNegated ? " NOT IN " : " IN ")
        renderer.append(identifier: name)
    }
}
