import RowDecoding

extension FilteredRequest {
    /// Keeps the rows for which an expression is true, of those that the request has.
    ///
    /// The SQL of `Player.all().filter(Column("score") > 1000)` is `SELECT * FROM "player" WHERE "score" > 1000`. A second
    /// filter is added by AND.
    public func filter(_ predicate: some SQLSpecificExpressible) -> Self {
        applying(RequestChange(.filter(Deferred(predicate.sqlExpression))))
    }

    /// Keeps all rows or none, by a value: `filter(true)`.
    ///
    /// The parameter is `any`, and not `some`: Swift would try for seconds whether a closure that follows `filter` is such a value.
    @_disfavoredOverload
    public func filter(_ predicate: any SQLExpressible) -> Self {
        applying(RequestChange(.filter(Deferred(predicate.sqlExpression))))
    }

    /// Keeps the rows for which the expression is true that a closure returns, which is called when the query is written.
    public func filterWhenConnected(_ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible) -> Self {
        applying(RequestChange(.filter(Deferred { try predicate($0).sqlExpression })))
    }

    /// Keeps the rows for which SQL is true: `filter(literal: "score > \(1000)")`.
    public func filter(literal: SQL) -> Self { filter(literal) }

    /// Keeps the rows for which SQL is true: `filter(sql: "score > ?", arguments: [1000])`.
    public func filter(sql: String, arguments: StatementArguments = StatementArguments()) -> Self {
        filter(SQL(sql: sql, arguments: arguments))
    }

    /// Keeps all rows: the request itself.
    public func all() -> Self { self }

    /// Keeps no rows.
    ///
    /// The SQL of `Player.none()` is `SELECT * FROM "player" WHERE 0`.
    public func none() -> Self { filter(literal: "0") }
}

extension FilteredRequest where Self: TypedRequest, RowDecoder: TableRecord {
    /// The columns of the record type, for closures.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// Keeps the rows for which an expression on the columns of the record type is true: `filter { $0.score > 1000 }`.
    public func filter(_ predicate: (DatabaseComponents) throws -> any SQLSpecificExpressible) rethrows -> Self {
        try filter(predicate(RowDecoder.databaseComponents).sqlExpression)
    }
}
