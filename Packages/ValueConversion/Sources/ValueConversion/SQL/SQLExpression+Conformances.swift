import SQLiteDriver

// An expression can be selected, and it can order.

extension SQLExpression: SQLExpressible {
    /// Itself.
    public var sqlExpression: SQLExpression { self }
}

extension SQLExpression: SQLSelectable {
    /// The expression, selected.
    public var sqlSelection: SQLSelection { SQLSelection(ExpressionSelectionNode(expression: self)) }
}

extension SQLExpression: SQLOrderingTerm {
    /// The expression in ascending order.
    public var sqlOrdering: SQLOrdering { ordering(nil) }

    /// The expression in an order.
    ///
    /// - Parameter direction: written after the expression; nil writes nothing, which is ascending.
    public func ordering(_ direction: SQLOrdering.Direction?) -> SQLOrdering {
        SQLOrdering(ExpressionOrderingNode(expression: self, direction: direction))
    }
}

// In place of what is missing stands NULL, as in expressions.

extension Optional: SQLSelectable where Wrapped: SQLSelectable {
    /// The value's selection, or NULL.
    public var sqlSelection: SQLSelection {
        self?.sqlSelection ?? SQLExpression.null.sqlSelection
    }
}

extension Optional: SQLOrderingTerm where Wrapped: SQLOrderingTerm {
    /// The value's ordering term, or NULL, which orders nothing.
    public var sqlOrdering: SQLOrdering {
        self?.sqlOrdering ?? SQLExpression.null.sqlOrdering
    }
}

extension SQLSelection {
    /// The expression that is selected, where it is one, without a name of its own.
    public var expression: SQLExpression? { (node as? ExpressionSelectionNode)?.expression }
}

extension SQLOrdering {
    /// The expression that orders, where the term is an expression, maybe with a direction.
    public var expression: SQLExpression? { (node as? ExpressionOrderingNode)?.expression }
}

extension SQLSelection: SQLSelectable {
    /// Itself.
    public var sqlSelection: SQLSelection { self }
}

extension SQLOrdering: SQLOrderingTerm {
    /// Itself.
    public var sqlOrdering: SQLOrdering { self }
}

extension SQLOrdering {
    /// The direction of an ordering term.
    public enum Direction: String, Sendable {
        /// From the least to the greatest.
        case ascending = "ASC"
        /// From the greatest to the least.
        case descending = "DESC"
    }
}

private struct ExpressionSelectionNode: SQLSelectionNode {
    let expression: SQLExpression

    func columnCount(in renderer: SQLRenderer) -> Int? {
        // Nothing is known of SQL that was written by hand: it may hold several columns.
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
