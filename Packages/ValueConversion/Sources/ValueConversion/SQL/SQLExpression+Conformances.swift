import SQLiteDriver

// Expressions can be selected, and can order rows.

extension SQLExpression: SQLExpressible {
    /// The expression itself.
    public var sqlExpression: SQLExpression { self }
}

extension SQLExpression: SQLSelectable {
    /// A selection of the expression.
    public var sqlSelection: SQLSelection { SQLSelection(ExpressionSelectionNode(expression: self)) }
}

extension SQLExpression: SQLOrderingTerm {
    /// An ascending ordering by the expression.
    public var sqlOrdering: SQLOrdering { ordering(nil) }

    /// Returns an ordering by the expression.
    ///
    /// - Parameter direction: the direction to write after the expression, or nil to write none, which means ascending.
    package func ordering(_ direction: SQLOrdering.Direction?) -> SQLOrdering {
        SQLOrdering(ExpressionOrderingNode(expression: self, direction: direction))
    }
}

// A database value can be selected. As an ordering term, it has no effect on the order.

extension DatabaseValue: SQLSelectable {
    /// A selection of the value.
    public var sqlSelection: SQLSelection { sqlExpression.sqlSelection }
}

extension DatabaseValue: SQLOrderingTerm {
    /// An ascending ordering by the value.
    public var sqlOrdering: SQLOrdering { sqlExpression.sqlOrdering }
}

// nil becomes NULL, as in expressions.

extension Optional: SQLSelectable where Wrapped: SQLSelectable {
    /// The selection of the wrapped value, or of NULL.
    public var sqlSelection: SQLSelection {
        self?.sqlSelection ?? SQLExpression.null.sqlSelection
    }
}

extension Optional: SQLOrderingTerm where Wrapped: SQLOrderingTerm {
    /// The ordering term of the wrapped value, or NULL, which has no effect on the order.
    public var sqlOrdering: SQLOrdering {
        self?.sqlOrdering ?? SQLExpression.null.sqlOrdering
    }
}

extension SQLSelection {
    /// The selected expression, if the selection is a single expression without an alias.
    package var expression: SQLExpression? { (node as? ExpressionSelectionNode)?.expression }
}

extension SQLOrdering {
    /// The expression of the ordering term, if it is an expression with or without a direction.
    package var expression: SQLExpression? { (node as? ExpressionOrderingNode)?.expression }

    /// The direction that is written after ``expression``, if any.
    package var direction: Direction? { (node as? ExpressionOrderingNode)?.direction }
}

extension SQLSelection: SQLSelectable {
    /// The selection itself.
    public var sqlSelection: SQLSelection { self }
}

extension SQLOrdering: SQLOrderingTerm {
    /// The ordering term itself.
    public var sqlOrdering: SQLOrdering { self }
}

extension SQLOrdering {
    /// The direction of an ordering term.
    package enum Direction: String, Sendable {
        /// From the least to the greatest.
        case ascending = "ASC"
        /// From the greatest to the least.
        case descending = "DESC"
    }
}

private struct ExpressionSelectionNode: SQLSelectionNode {
    let expression: SQLExpression

    func columnCount(in renderer: SQLRenderer) -> Int? {
        // Handwritten SQL may select several columns.
        expression.precedence == .unknown ? nil : 1
    }

    func render(to renderer: inout SQLRenderer) throws {
        try renderer.append(expression)
    }
}

private struct ExpressionOrderingNode: SQLOrderingNode {
    let expression: SQLExpression
    let direction: SQLOrdering.Direction?

    func render(to renderer: inout SQLRenderer) throws {
        try renderer.append(expression)
        if let direction { renderer.append(" \(direction.rawValue)") }
    }

    var reversed: SQLOrdering {
        expression.ordering(direction == .descending ? .ascending : .descending)
    }
}
