import RowDecoding

extension RequestSource where DerivedRequest: SelectionRequest {
    /// Selects columns, or other expressions. Replaces the previous selection.
    ///
    /// ```swift
    /// // SELECT "id", "name" FROM "player"
    /// let rows = try Player.all()
    ///     .select(Column("id"), Column("name"))
    ///     .asRequest(of: Row.self)
    ///     .fetchAll(db)
    /// ```
    public func select(_ selection: any SQLSelectable...) -> DerivedRequest { select(selection) }

    /// Selects columns, or other expressions. Replaces the previous selection.
    public func select(_ selection: [any SQLSelectable]) -> DerivedRequest {
        applying(RequestChange(kind: .select(Deferred(selection.map(\.selectionWithDefaultKey)))))
    }

    /// Selects the expressions that a closure returns. Replaces the previous selection.
    ///
    /// The closure is called when the request generates its SQL.
    public func selectWhenConnected(_ selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]) -> DerivedRequest {
        applying(RequestChange(kind: .select(Deferred { try selection($0).map(\.selectionWithDefaultKey) })))
    }

    /// Selects SQL expressions: `select(literal: "id, upper(name) AS name")`. Replaces the previous selection.
    public func select(literal: SQL) -> DerivedRequest { select(literal) }

    /// Selects SQL expressions: `select(sql: "id, upper(name) AS name")`. Replaces the previous selection.
    public func select(sql: String, arguments: StatementArguments = StatementArguments()) -> DerivedRequest {
        select(SQL(sql: sql, arguments: arguments))
    }

    /// Selects columns, or other expressions, in addition to the previous selection.
    ///
    /// ```swift
    /// // SELECT *, "score" + "bonus" AS "total" FROM "player"
    /// let total = (Column("score") + Column("bonus")).forKey("total")
    /// let rows = try Player.annotated(with: total).asRequest(of: Row.self).fetchAll(db)
    /// ```
    public func annotated(with selection: any SQLSelectable...) -> DerivedRequest { annotated(with: selection) }

    /// Selects columns, or other expressions, in addition to the previous selection.
    public func annotated(with selection: [any SQLSelectable]) -> DerivedRequest {
        applying(RequestChange(kind: .annotate(Deferred(selection.map(\.selectionWithDefaultKey)))))
    }

    /// Selects the expressions that a closure returns, in addition to the previous selection.
    ///
    /// The closure is called when the request generates its SQL.
    public func annotatedWhenConnected(
        with selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]
    ) -> DerivedRequest {
        applying(RequestChange(kind: .annotate(Deferred { try selection($0).map(\.selectionWithDefaultKey) })))
    }
}

extension RequestSource where Self: TypedRequest, DerivedRequest: SelectionRequest, RowDecoder: TableRecord {
    /// Selects a column of the record type: `select { $0.name }` or `select(\.name)`. Replaces the previous selection.
    public func select(_ selection: (DatabaseComponents) throws -> any SQLSelectable) rethrows -> DerivedRequest {
        try select([selection(RowDecoder.databaseComponents)])
    }

    /// Selects columns of the record type: `select { [$0.id, $0.name] }`. Replaces the previous selection.
    @_disfavoredOverload
    public func select(_ selection: (DatabaseComponents) throws -> [any SQLSelectable]) rethrows -> DerivedRequest {
        try select(selection(RowDecoder.databaseComponents))
    }

    /// Selects an expression on columns of the record type, in addition to the previous selection:
    /// `annotated { ($0.score + $0.bonus).forKey("total") }`.
    public func annotated(with selection: (DatabaseComponents) throws -> any SQLSelectable) rethrows -> DerivedRequest {
        try annotated(with: [selection(RowDecoder.databaseComponents)])
    }

    /// Selects expressions on columns of the record type, in addition to the previous selection.
    @_disfavoredOverload
    public func annotated(with selection: (DatabaseComponents) throws -> [any SQLSelectable]) rethrows -> DerivedRequest {
        try annotated(with: selection(RowDecoder.databaseComponents))
    }
}
