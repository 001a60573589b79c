import RowDecoding

/// A named query that other queries use like a table.
///
/// ```swift
/// // WITH "best" AS (SELECT * FROM "player" ORDER BY "score" DESC LIMIT 10)
/// // SELECT * FROM "best" WHERE "team" = 'Red'
/// let best = CommonTableExpression<Player>(
///     named: "best", request: Player.order(Column("score").desc).limit(10))
/// let request = best.all().with(best).filter(Column("team") == "Red")
/// ```
///
/// A recursive common table expression refers to itself by its name:
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

    /// Creates a common table expression from a request.
    ///
    /// - Parameters:
    ///   - recursive: whether the query can refer to itself.
    ///   - name: the name.
    ///   - columns: the names of the columns; by default, or if there are none, the columns of the query.
    ///   - request: the query.
    public init(recursive: Bool = false, named name: String, columns: [String]? = nil, request: some SQLSubqueryable) {
        table = CommonTable(name: name, columns: columns, isRecursive: recursive, query: request.sqlSubquery)
    }

    /// Creates a common table expression from SQL.
    ///
    /// - Parameters:
    ///   - recursive: whether the query can refer to itself.
    ///   - name: the name.
    ///   - columns: the names of the columns; by default, or if there are none, the columns of the query.
    ///   - literal: the query.
    public init(recursive: Bool = false, named name: String, columns: [String]? = nil, literal: SQL) {
        self.init(
            recursive: recursive, named: name, columns: columns,
            request: SQLSubquery(depth: literal.depth, isHandwritten: true, rendering: literal.render))
    }

    /// Creates a common table expression from SQL.
    ///
    /// - Parameters:
    ///   - recursive: whether the query can refer to itself.
    ///   - name: the name.
    ///   - columns: the names of the columns; by default, or if there are none, the columns of the query.
    ///   - sql: the query.
    ///   - arguments: the arguments of the query.
    public init(
        recursive: Bool = false, named name: String, columns: [String]? = nil, sql: String,
        arguments: StatementArguments = StatementArguments()
    ) {
        self.init(recursive: recursive, named: name, columns: columns, literal: SQL(sql: sql, arguments: arguments))
    }

    /// Returns a request for all rows of the common table expression: `SELECT * FROM "best"`.
    ///
    /// The request must define the common table expression: `best.all().with(best)`.
    public func all() -> QueryInterfaceRequest<RowDecoder> {
        QueryInterfaceRequest(
            relation: Relation(
                source: .commonTable(table), recordType: RowDecoder.self, selection: .all))
    }

    /// Returns whether a common table expression with one column contains a value: `"id" IN "best"`.
    public func contains(_ element: some SQLExpressible) -> SQLExpression {
        SQLExpression(.tableMembership(element.sqlExpression, in: tableName, isNegated: false))
    }

    /// Returns an association to another common table expression.
    ///
    /// - Parameters:
    ///   - destination: the other common table expression.
    ///   - condition: returns the join condition, given aliases of this common table expression and of the other one. It is called once
    ///     for each query. Nil joins every row with every row.
    public func association<Destination>(
        to destination: CommonTableExpression<Destination>,
        on condition: (@Sendable (_ left: TableAlias<RowDecoder>, _ right: TableAlias<Destination>) -> any SQLExpressible)? = nil
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(to: destination.all().relation, on: condition)
    }

    /// Returns an association to a table.
    ///
    /// - Parameters:
    ///   - destination: the table.
    ///   - condition: returns the join condition, given aliases of this common table expression and of the table. It is called once for
    ///     each query. Nil joins every row with every row.
    public func association<Destination>(
        to destination: Table<Destination>,
        on condition: (@Sendable (_ left: TableAlias<RowDecoder>, _ right: TableAlias<Destination>) -> any SQLExpressible)? = nil
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(to: destination.relation, on: condition)
    }

    /// Returns an association to the table of a record type.
    ///
    /// ```swift
    /// // WITH "best" AS (…) SELECT "best".*, "team".* FROM "best"
    /// // JOIN "team" ON "team"."id" = "best"."teamId"
    /// let association = best.association(
    ///     to: Team.self, on: { best, team in team["id"] == best["teamId"] })
    /// let request = best.all().with(best).including(required: association)
    /// ```
    ///
    /// - Parameters:
    ///   - destination: the record type.
    ///   - condition: returns the join condition, given aliases of this common table expression and of the table. It is called once for
    ///     each query. Nil joins every row with every row.
    public func association<Destination: TableRecord>(
        to destination: Destination.Type,
        on condition: (@Sendable (_ left: TableAlias<RowDecoder>, _ right: TableAlias<Destination>) -> any SQLExpressible)? = nil
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(to: destination.all().relation, on: condition)
    }
}

extension CommonTableExpression where RowDecoder == Row {
    /// Creates a common table expression from a request. Its rows are fetched as ``Row``.
    public init(recursive: Bool = false, named name: String, columns: [String]? = nil, request: some SQLSubqueryable) {
        table = CommonTable(name: name, columns: columns, isRecursive: recursive, query: request.sqlSubquery)
    }

    /// Creates a common table expression from SQL. Its rows are fetched as ``Row``.
    public init(recursive: Bool = false, named name: String, columns: [String]? = nil, literal: SQL) {
        self.init(
            recursive: recursive, named: name, columns: columns,
            request: SQLSubquery(depth: literal.depth, isHandwritten: true, rendering: literal.render))
    }

    /// Creates a common table expression from SQL. Its rows are fetched as ``Row``.
    public init(
        recursive: Bool = false, named name: String, columns: [String]? = nil, sql: String,
        arguments: StatementArguments = StatementArguments()
    ) {
        self.init(recursive: recursive, named: name, columns: columns, literal: SQL(sql: sql, arguments: arguments))
    }
}
