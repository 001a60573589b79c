import RowDecoding

extension SQLOperand {
    /// Selects the expression with an alias.
    ///
    /// ```swift
    /// // SELECT "score" + "bonus" AS "total" FROM "player"
    /// Player.select((Column("score") + Column("bonus")).forKey("total"))
    /// ```
    ///
    /// - Parameter key: the alias, which is the name of the column in rows.
    public func forKey(_ key: String) -> SQLSelection {
        SQLSelection(.aliased(sqlExpression, key))
    }

    /// Selects the expression with the name of a coding key as its alias.
    ///
    /// The SQL of `Column("score").forKey(CodingKeys.total)` is `"score" AS "total"`.
    ///
    /// - Parameter key: a coding key. Its string value is the name of the column in rows.
    public func forKey(_ key: some CodingKey) -> SQLSelection {
        forKey(key.stringValue)
    }
}

extension SQLSelectable {
    /// Whether the selection contains an aggregate function, which turns many rows into one. True if the selection is opaque, as an
    /// expression already converted to ``SQLSelection`` is: check before converting.
    var selectsAggregate: Bool {
        if let expression = self as? any SQLOperand { return expression.sqlExpression.containsAggregate }
        if self is AllColumns { return false }
        return sqlSelection.aliasedExpression?.containsAggregate ?? true
    }
}
