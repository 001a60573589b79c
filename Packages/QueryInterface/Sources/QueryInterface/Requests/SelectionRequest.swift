import RowDecoding

extension SelectionRequest {
    /// Selects columns, or other expressions. Replaces the previous selection.
    ///
    /// The SQL of `Player.all().select(Column("id"), Column("name"))` is `SELECT "id", "name" FROM "player"`.
    public func select(_ selection: any SQLSelectable...) -> Self { select(selection) }

    /// Selects columns, or other expressions. Replaces the previous selection.
    public func select(_ selection: [any SQLSelectable]) -> Self {
        applying(RequestChange(.select(Deferred(selection.map(\.sqlSelection)))))
    }

    /// Selects what a closure returns, which is called when the query is written. Replaces the previous selection.
    public func selectWhenConnected(_ selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]) -> Self {
        applying(RequestChange(.select(Deferred { try selection($0).map(\.sqlSelection) })))
    }

    /// Selects SQL: `select(literal: "id, upper(name) AS name")`.
    public func select(literal: SQL) -> Self { select(literal) }

    /// Selects SQL: `select(sql: "id, upper(name) AS name")`.
    public func select(sql: String, arguments: StatementArguments = StatementArguments()) -> Self {
        select(SQL(sql: sql, arguments: arguments))
    }

    /// Selects columns, or other expressions, beside what is selected already.
    ///
    /// The SQL of `Player.annotated(with: (Column("score") + Column("bonus")).forKey("total"))` is
    /// `SELECT *, "score" + "bonus" AS "total" FROM "player"`.
    public func annotated(with selection: any SQLSelectable...) -> Self { annotated(with: selection) }

    /// Selects columns, or other expressions, beside what is selected already.
    public func annotated(with selection: [any SQLSelectable]) -> Self {
        applying(RequestChange(.annotate(Deferred(selection.map(\.sqlSelection)))))
    }

    /// Selects, beside what is selected already, what a closure returns, which is called when the query is written.
    public func annotatedWhenConnected(
        with selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]
    ) -> Self {
        applying(RequestChange(.annotate(Deferred { try selection($0).map(\.sqlSelection) })))
    }
}

extension SelectionRequest where Self: TypedRequest, RowDecoder: TableRecord {
    /// The columns of the record type, for closures.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// Selects a column of the record type: `select { $0.name }` or `select(\.name)`.
    public func select(_ selection: (DatabaseComponents) throws -> any SQLSelectable) rethrows -> Self {
        try select([selection(RowDecoder.databaseComponents)])
    }

    /// Selects columns of the record type: `select { [$0.id, $0.name] }`.
    @_disfavoredOverload
    public func select(_ selection: (DatabaseComponents) throws -> [any SQLSelectable]) rethrows -> Self {
        try select(selection(RowDecoder.databaseComponents))
    }

    /// Selects an expression on columns of the record type, beside what is selected already:
    /// `annotated { ($0.score + $0.bonus).forKey("total") }`.
    public func annotated(with selection: (DatabaseComponents) throws -> any SQLSelectable) rethrows -> Self {
        try annotated(with: [selection(RowDecoder.databaseComponents)])
    }

    /// Selects expressions on columns of the record type, beside what is selected already.
    @_disfavoredOverload
    public func annotated(with selection: (DatabaseComponents) throws -> [any SQLSelectable]) rethrows -> Self {
        try annotated(with: selection(RowDecoder.databaseComponents))
    }
}
