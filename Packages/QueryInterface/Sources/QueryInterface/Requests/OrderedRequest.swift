import RowDecoding

extension RequestSource where DerivedRequest: OrderedRequest {
    /// Orders the rows. Replaces the previous order.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY "score" DESC, "name"
    /// let players = try Player.all().order(Column("score").desc, Column("name")).fetchAll(db)
    /// ```
    public func order(_ orderings: any SQLOrderingTerm...) -> DerivedRequest { order(orderings) }

    /// Orders the rows. Replaces the previous order.
    public func order(_ orderings: [any SQLOrderingTerm]) -> DerivedRequest {
        applying(RequestChange(kind: .order(Deferred(orderings.map(\.sqlOrdering)))))
    }

    /// Orders the rows by the terms that a closure returns. Replaces the previous order.
    ///
    /// The closure is called when the request generates its SQL.
    public func orderWhenConnected(_ orderings: @escaping @Sendable (Database) throws -> [any SQLOrderingTerm]) -> DerivedRequest {
        applying(RequestChange(kind: .order(Deferred { try orderings($0).map(\.sqlOrdering) })))
    }

    /// Orders the rows by SQL: `order(literal: "score DESC, name")`. Replaces the previous order.
    public func order(literal: SQL) -> DerivedRequest { order(literal) }

    /// Orders the rows by SQL: `order(sql: "score DESC, name")`. Replaces the previous order.
    public func order(sql: String, arguments: StatementArguments = StatementArguments()) -> DerivedRequest {
        order(SQL(sql: sql, arguments: arguments))
    }

    /// Reverses the order of the rows and of the joined tables. Has no effect if there is no order.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY "score" DESC
    /// let players = try Player.order(Column("score")).reversed().fetchAll(db)
    /// ```
    public func reversed() -> DerivedRequest { applying(RequestChange(kind: .reverse)) }

    /// Removes the order of the rows and of the joined tables.
    public func unordered() -> DerivedRequest { applying(RequestChange(kind: .unorder)) }

    /// Makes the order of the rows stable: the primary key decides between rows that are otherwise equal.
    ///
    /// The SQL of `Player.order(Column("score")).withStableOrder()` is `SELECT * FROM "player" ORDER BY "score", "id"`.
    ///
    /// The key comes after the orders of joined tables. The keys of joined tables that may have several rows for one row of the request
    /// follow. Views and common table expressions, which have no key, are ordered by all columns.
    public func withStableOrder() -> DerivedRequest { applying(RequestChange(kind: .stabilizeOrder)) }
}

extension RequestSource where Self: TypedRequest, DerivedRequest: OrderedRequest, RowDecoder: TableRecord {
    /// Orders the rows by a column of the record type: `order { $0.score.desc }` or `order(\.score)`. Replaces the previous order.
    ///
    /// ```swift
    /// let players = try Player.all().order { $0.score.desc }.fetchAll(db)
    /// ```
    public func order(_ ordering: (DatabaseComponents) throws -> any SQLOrderingTerm) rethrows -> DerivedRequest {
        try order([ordering(RowDecoder.databaseComponents)])
    }

    /// Orders the rows by columns of the record type: `order { [$0.score.desc, $0.name] }`. Replaces the previous order.
    ///
    /// ```swift
    /// let players = try Player.all().order { [$0.score.desc, $0.name] }.fetchAll(db)
    /// ```
    @_disfavoredOverload
    public func order(_ orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]) rethrows -> DerivedRequest {
        try order(orderings(RowDecoder.databaseComponents))
    }
}
