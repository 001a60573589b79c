import RowDecoding

extension RequestSource where DerivedRequest: FilteredRequest {
    /// Keeps the rows where an expression is true. Adds to the previous filters, by AND.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "score" > 1000
    /// let players = try Player.all().filter(Column("score") > 1000).fetchAll(db)
    /// ```
    ///
    /// The SQL of `Player.all().filter(Column("score") > 1000)` is `SELECT * FROM "player" WHERE "score" > 1000`. A constant keeps either
    /// all rows or none: `filter(true)`.
    public func filter(_ predicate: any SQLExpressible) -> DerivedRequest {
        applying(RequestChange(kind: .filter(Deferred(predicate.sqlExpression))))
    }

    /// Keeps the rows where the expression that a closure returns is true. The closure is called when the request generates its SQL.
    public func filterWhenConnected(_ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible) -> DerivedRequest {
        applying(RequestChange(kind: .filter(Deferred { try predicate($0).sqlExpression })))
    }

    /// Keeps the rows where SQL is true: `filter(literal: "score > \(1000)")`.
    public func filter(literal: SQL) -> DerivedRequest { filter(literal) }

    /// Keeps the rows where SQL is true: `filter(sql: "score > ?", arguments: [1000])`.
    ///
    /// ```swift
    /// let players = try Player.all().filter(sql: "score > ?", arguments: [1000]).fetchAll(db)
    /// ```
    public func filter(sql: String, arguments: StatementArguments = StatementArguments()) -> DerivedRequest {
        filter(SQL(sql: sql, arguments: arguments))
    }

    /// Keeps no rows.
    ///
    /// The SQL of `Player.none()` is `SELECT * FROM "player" WHERE 0`.
    public func none() -> DerivedRequest { filter(literal: "0") }
}

extension RequestSource where Self: TypedRequest, DerivedRequest: FilteredRequest, RowDecoder: TableRecord {
    /// Keeps the rows where an expression on the columns of the record type is true: `filter { $0.score > 1000 }`.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE ("score" > 1000) AND ("team" = 'Reds')
    /// let players = try Player.all()
    ///     .filter { $0.score > 1000 }
    ///     .filter { $0.team == "Reds" }
    ///     .fetchAll(db)
    /// ```
    public func filter(_ predicate: (DatabaseComponents) throws -> any SQLExpressible) rethrows -> DerivedRequest {
        try filter(predicate(RowDecoder.databaseComponents).sqlExpression)
    }
}
