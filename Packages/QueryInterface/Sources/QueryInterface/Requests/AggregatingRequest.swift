import RowDecoding

extension AggregatingRequest {
    /// Makes one row of those that have the same values of some expressions. Replaces the previous groups.
    ///
    /// The SQL of `Player.select(Column("team"), max(Column("score"))).group(Column("team"))` is
    /// `SELECT "team", max("score") FROM "player" GROUP BY "team"`.
    public func group(_ expressions: any SQLExpressible...) -> Self { group(expressions) }

    /// Makes one row of those that have the same values of some expressions. Replaces the previous groups.
    public func group(_ expressions: [any SQLExpressible]) -> Self {
        applying(RequestChange(.group(Deferred(expressions.map(\.sqlExpression)))))
    }

    /// Makes one row of those that have the same values of the expressions that a closure returns, which is called when the query is
    /// written. Replaces the previous groups.
    public func groupWhenConnected(_ expressions: @escaping @Sendable (Database) throws -> [any SQLExpressible]) -> Self {
        applying(RequestChange(.group(Deferred { try expressions($0).map(\.sqlExpression) })))
    }

    /// Groups by SQL: `group(literal: "team, year")`.
    public func group(literal: SQL) -> Self { group(literal) }

    /// Groups by SQL: `group(sql: "team, year")`.
    public func group(sql: String, arguments: StatementArguments = StatementArguments()) -> Self {
        group(SQL(sql: sql, arguments: arguments))
    }

    /// Keeps the groups for which an expression is true, of those that the request has.
    ///
    /// The SQL of `….group(Column("team")).having(max(Column("score")) > 1000)` ends in
    /// `GROUP BY "team" HAVING max("score") > 1000`. A second condition is added by AND.
    public func having(_ predicate: some SQLSpecificExpressible) -> Self {
        applying(RequestChange(.having(Deferred(predicate.sqlExpression))))
    }

    /// Keeps the groups for which the expression is true that a closure returns, which is called when the query is written.
    public func havingWhenConnected(_ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible) -> Self {
        applying(RequestChange(.having(Deferred { try predicate($0).sqlExpression })))
    }

    /// Keeps the groups for which SQL is true: `having(literal: "max(score) > \(1000)")`.
    public func having(literal: SQL) -> Self { having(literal) }

    /// Keeps the groups for which SQL is true: `having(sql: "max(score) > ?", arguments: [1000])`.
    public func having(sql: String, arguments: StatementArguments = StatementArguments()) -> Self {
        having(SQL(sql: sql, arguments: arguments))
    }
}

extension AggregatingRequest where Self: TypedRequest, RowDecoder: TableRecord {
    /// The columns of the record type, for closures.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// Groups by a column of the record type: `group { $0.team }` or `group(\.team)`.
    public func group(_ expression: (DatabaseComponents) throws -> any SQLSpecificExpressible) rethrows -> Self {
        try group([expression(RowDecoder.databaseComponents)])
    }

    /// Groups by columns of the record type: `group { [$0.team, $0.year] }`.
    @_disfavoredOverload
    public func group(_ expressions: (DatabaseComponents) throws -> [any SQLExpressible]) rethrows -> Self {
        try group(expressions(RowDecoder.databaseComponents))
    }

    /// Keeps the groups for which an expression on columns of the record type is true: `having { max($0.score) > 1000 }`.
    public func having(_ predicate: (DatabaseComponents) throws -> any SQLSpecificExpressible) rethrows -> Self {
        try having(predicate(RowDecoder.databaseComponents).sqlExpression)
    }
}
