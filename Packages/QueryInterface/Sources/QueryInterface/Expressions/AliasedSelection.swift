import RowDecoding

extension SQLSpecificExpressible {
    /// The expression, selected under a name.
    ///
    /// ```swift
    /// // SELECT "score" + "bonus" AS "total" FROM "player"
    /// Player.select((Column("score") + Column("bonus")).forKey("total"))
    /// ```
    ///
    /// - Parameter key: the name of the column in rows.
    public func forKey(_ key: String) -> SQLSelection {
        SQLSelection(AliasedSelectionNode(expression: sqlExpression, key: key))
    }

    /// The expression, selected under the name of a coding key.
    ///
    /// The SQL of `Column("score").forKey(CodingKeys.total)` is `"score" AS "total"`.
    ///
    /// - Parameter key: its text is the name of the column in rows.
    public func forKey(_ key: some CodingKey) -> SQLSelection {
        forKey(key.stringValue)
    }
}

/// An expression that is selected under a name.
struct AliasedSelectionNode: SQLSelectionNode {
    let expression: SQLExpression
    let key: String

    func columnCount(in renderer: SQLRenderer) -> Int? { 1 }

    func render(to renderer: inout SQLRenderer) throws {
        try renderer.append(expression)
        renderer.append(" AS ")
        renderer.append(identifier: key)
    }
}

extension SQLSelectable {
    /// Whether an aggregate function is selected, which makes one row of many. True for what can't be looked into, such as
    /// a ``SQLSelection`` of an expression: ask before it is made one.
    var selectsAggregate: Bool {
        if let expression = self as? any SQLSpecificExpressible { return expression.sqlExpression.containsAggregate }
        if self is AllColumns { return false }
        return (sqlSelection.node as? AliasedSelectionNode)?.expression.containsAggregate ?? true
    }
}
