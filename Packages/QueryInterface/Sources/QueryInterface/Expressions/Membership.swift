import RowDecoding

extension Sequence where Element: SQLExpressible {
    /// Returns whether the sequence contains the value of an expression: `"id" IN (1, 2, 3)`.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "team" IN ('Reds', 'Blues')
    /// Player.filter(["Reds", "Blues"].contains(Column("team")))
    /// ```
    ///
    /// The sequence can contain more values than SQLite allows parameters: a long list becomes a single argument. If the sequence
    /// contains NULL, but not the expression's value, the result is NULL, which is neither true nor false.
    ///
    /// - Complexity: O(*n*), where *n* is the number of values.
    public func contains(_ expression: any SQLSpecificExpressible) -> SQLExpression {
        SQLExpression(.membership(expression.sqlExpression, in: map(\.sqlExpression), isNegated: false))
    }
}

// Lists of values and expressions of different types, as in `[alias[Column("id")], Column("parentId"), 42].contains(Column("id"))`.

extension Sequence<any SQLExpressible> {
    /// Returns whether the sequence contains the value of an expression: `"id" IN ("p"."id", "parentId", 42)`.
    ///
    /// If the sequence contains NULL, but not the expression's value, the result is NULL, which is neither true nor false.
    ///
    /// - Complexity: O(*n*), where *n* is the number of values.
    public func contains(_ expression: any SQLSpecificExpressible) -> SQLExpression {
        map(\.sqlExpression).contains(expression)
    }
}

extension Sequence<any SQLSpecificExpressible> {
    /// Returns whether the sequence contains the value of an expression: `"id" IN ("p"."id", "parentId")`.
    ///
    /// If the sequence contains NULL, but not the expression's value, the result is NULL, which is neither true nor false.
    ///
    /// - Complexity: O(*n*), where *n* is the number of values.
    public func contains(_ expression: any SQLSpecificExpressible) -> SQLExpression {
        map(\.sqlExpression).contains(expression)
    }
}

extension Sequence<any DatabaseValueConvertible> {
    /// Returns whether the sequence contains the value of an expression: `"code" IN (1, 'a')`.
    ///
    /// If the sequence contains NULL, but not the expression's value, the result is NULL, which is neither true nor false.
    ///
    /// - Complexity: O(*n*), where *n* is the number of values.
    public func contains(_ expression: any SQLSpecificExpressible) -> SQLExpression {
        map(\.sqlExpression).contains(expression)
    }
}

extension Sequence<DatabaseValue> {
    /// Returns whether the sequence contains a value. Swift compares the values; for SQL, see ``contains(_:)`` with a column.
    public func contains(_ value: DatabaseValue) -> Bool {
        contains { $0 == value }
    }
}

extension SQLSubqueryable {
    /// Returns whether the query, which must have one column, contains the value of an expression: `"teamId" IN (SELECT …)`.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "teamId" IN
    /// // (SELECT "id" FROM "team" WHERE "color" = 'red')
    /// let teams = Team.filter(Column("color") == "red").select(Column("id"))
    /// Player.filter(teams.contains(Column("teamId")))
    /// ```
    public func contains(_ expression: any SQLExpressible) -> SQLExpression {
        SQLExpression(.queryMembership(expression.sqlExpression, in: sqlSubquery, sqlExpression, isNegated: false))
    }

    /// Returns whether the query has any rows: `EXISTS (SELECT …)`.
    public func exists() -> SQLExpression {
        SQLExpression(.queryExists(sqlSubquery, isNegated: false))
    }
}
