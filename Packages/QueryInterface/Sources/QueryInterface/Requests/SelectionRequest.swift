import RowDecoding

extension SelectionRequest {
    /// Selects columns, or other expressions. What was selected before is not any more.
    ///
    /// The SQL of `Player.all().select(Column("id"), Column("name"))` is `SELECT "id", "name" FROM "player"`.
    public func select(_ selection: any SQLSelectable...) -> Self { select(selection) }

    /// Selects columns, or other expressions. What was selected before is not any more.
    public func select(_ selection: [any SQLSelectable]) -> Self {
        let selection = selection.map(\.sqlSelection)
        return selectWhenConnected { _ in selection }
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
        let selection = selection.map(\.sqlSelection)
        return annotatedWhenConnected { _ in selection }
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
