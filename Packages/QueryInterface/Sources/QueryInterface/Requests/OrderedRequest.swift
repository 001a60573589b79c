import RowDecoding

extension OrderedRequest {
    /// Orders the rows. The order that there was before is not any more.
    ///
    /// The SQL of `Player.order(Column("score").desc, Column("name"))` is
    /// `SELECT * FROM "player" ORDER BY "score" DESC, "name"`.
    public func order(_ orderings: any SQLOrderingTerm...) -> Self { order(orderings) }

    /// Orders the rows. The order that there was before is not any more.
    public func order(_ orderings: [any SQLOrderingTerm]) -> Self {
        let orderings = orderings.map(\.sqlOrdering)
        return orderWhenConnected { _ in orderings }
    }

    /// Orders the rows by SQL: `order(literal: "score DESC, name")`.
    public func order(literal: SQL) -> Self { order(literal) }

    /// Orders the rows by SQL: `order(sql: "score DESC, name")`.
    public func order(sql: String, arguments: StatementArguments = StatementArguments()) -> Self {
        order(SQL(sql: sql, arguments: arguments))
    }
}

extension OrderedRequest where Self: TypedRequest, RowDecoder: TableRecord {
    /// The columns of the record type, for closures.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// Orders the rows by a column of the record type: `order { $0.score.desc }` or `order(\.score)`.
    public func order(_ ordering: (DatabaseComponents) throws -> any SQLOrderingTerm) rethrows -> Self {
        try order([ordering(RowDecoder.databaseComponents)])
    }

    /// Orders the rows by columns of the record type: `order { [$0.score.desc, $0.name] }`.
    @_disfavoredOverload
    public func order(_ orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]) rethrows -> Self {
        try order(orderings(RowDecoder.databaseComponents))
    }
}
