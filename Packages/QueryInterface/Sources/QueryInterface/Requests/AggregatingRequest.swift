import RowDecoding

extension RequestSource where DerivedRequest: AggregatingRequest {
    /// Groups the rows by expressions. Replaces the previous groups.
    ///
    /// ```swift
    /// let rows = try Player.select(Column("team"), max(Column("score")))
    ///     .group(Column("team"))
    ///     .asRequest(of: Row.self)
    ///     .fetchAll(db)
    /// ```
    ///
    /// The SQL of `Player.select(Column("team"), max(Column("score"))).group(Column("team"))` is
    /// `SELECT "team", max("score") FROM "player" GROUP BY "team"`.
    public func group(_ expressions: any SQLExpressible...) -> DerivedRequest { group(expressions) }

    /// Groups the rows by expressions. Replaces the previous groups.
    public func group(_ expressions: [any SQLExpressible]) -> DerivedRequest {
        applying(RequestChange(kind: .group(Deferred(expressions.map(\.sqlExpression)))))
    }

    /// Groups the rows by the expressions that a closure returns. Replaces the previous groups.
    ///
    /// The closure is called when the request generates its SQL.
    public func groupWhenConnected(_ expressions: @escaping @Sendable (Database) throws -> [any SQLExpressible]) -> DerivedRequest {
        applying(RequestChange(kind: .group(Deferred { try expressions($0).map(\.sqlExpression) })))
    }

    /// Groups the rows by SQL: `group(literal: "team, year")`. Replaces the previous groups.
    public func group(literal: SQL) -> DerivedRequest { group(literal) }

    /// Groups the rows by SQL: `group(sql: "team, year")`. Replaces the previous groups.
    public func group(sql: String, arguments: StatementArguments = StatementArguments()) -> DerivedRequest {
        group(SQL(sql: sql, arguments: arguments))
    }

    /// Keeps the groups where an expression is true. Adds to the previous conditions on groups, by AND.
    ///
    /// The SQL of `….group(Column("team")).having(max(Column("score")) > 1000)` ends in
    /// `GROUP BY "team" HAVING max("score") > 1000`.
    ///
    /// A condition with aggregates of associations, and without aggregate functions, is a condition on rows, as in `filter(_:)`:
    ///
    /// ```swift
    /// // SELECT * FROM "author" WHERE
    /// // (SELECT count(*) FROM "book" WHERE "book"."authorId" = "author"."id") >= 20
    /// Author.having(Author.books.count >= 20)
    /// ```
    public func having(_ predicate: any SQLExpressible) -> DerivedRequest {
        let predicate = predicate.sqlExpression
        return applying(RequestChange(kind: predicate.isConditionOnRows ? .filter(Deferred(predicate)) : .having(Deferred(predicate))))
    }

    /// Keeps the groups where the expression that a closure returns is true. The closure is called when the request generates its SQL.
    public func havingWhenConnected(_ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible) -> DerivedRequest {
        applying(RequestChange(kind: .having(Deferred { try predicate($0).sqlExpression })))
    }

    /// Keeps the groups where SQL is true: `having(literal: "max(score) > \(1000)")`.
    public func having(literal: SQL) -> DerivedRequest { having(literal) }

    /// Keeps the groups where SQL is true: `having(sql: "max(score) > ?", arguments: [1000])`.
    public func having(sql: String, arguments: StatementArguments = StatementArguments()) -> DerivedRequest {
        having(SQL(sql: sql, arguments: arguments))
    }
}

extension RequestSource where Self: TypedRequest, DerivedRequest: AggregatingRequest, RowDecoder: TableRecord {
    /// Groups the rows by a column of the record type: `group { $0.team }` or `group(\.team)`. Replaces the previous groups.
    public func group(_ expression: (DatabaseComponents) throws -> any SQLOperand) rethrows -> DerivedRequest {
        try group([expression(RowDecoder.databaseComponents)])
    }

    /// Groups the rows by columns of the record type: `group { [$0.team, $0.year] }`. Replaces the previous groups.
    @_disfavoredOverload
    public func group(_ expressions: (DatabaseComponents) throws -> [any SQLExpressible]) rethrows -> DerivedRequest {
        try group(expressions(RowDecoder.databaseComponents))
    }

    /// Keeps the groups where an expression on columns of the record type is true: `having { max($0.score) > 1000 }`.
    public func having(_ predicate: (DatabaseComponents) throws -> any SQLExpressible) rethrows -> DerivedRequest {
        try having(predicate(RowDecoder.databaseComponents).sqlExpression)
    }
}
