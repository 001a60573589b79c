import SQLiteDriver

// Expressions can be selected, and can order rows.

extension SQLExpression: SQLExpressible {
    /// The expression itself.
    public var sqlExpression: SQLExpression { self }
}

extension SQLExpression: SQLSelectable {
    /// A selection of the expression.
    public var sqlSelection: SQLSelection { SQLSelection(self) }
}

extension SQLExpression: SQLOrderingTerm {
    /// An ascending ordering by the expression.
    public var sqlOrdering: SQLOrdering { SQLOrdering(self) }
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

extension SQLSelection: SQLSelectable {
    /// The selection itself.
    public var sqlSelection: SQLSelection { self }
}

extension SQLOrdering: SQLOrderingTerm {
    /// The ordering term itself.
    public var sqlOrdering: SQLOrdering { self }
}
