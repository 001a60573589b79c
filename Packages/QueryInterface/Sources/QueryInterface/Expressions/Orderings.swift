import RowDecoding

extension SQLOperand {
    /// An ascending ordering by the expression.
    ///
    /// The SQL of `Column("score").asc` is `"score" ASC`. NULL comes first.
    public var asc: SQLOrdering { directed(.ascending, nulls: nil) }

    /// A descending ordering by the expression.
    ///
    /// The SQL of `Column("score").desc` is `"score" DESC`. NULL comes last.
    public var desc: SQLOrdering { directed(.descending, nulls: nil) }

    /// An ascending ordering by the expression, with NULL at the end.
    ///
    /// The SQL of `Column("score").ascNullsLast` is `"score" ASC NULLS LAST`.
    public var ascNullsLast: SQLOrdering { directed(.ascending, nulls: .last) }

    /// A descending ordering by the expression, with NULL at the beginning.
    ///
    /// The SQL of `Column("score").descNullsFirst` is `"score" DESC NULLS FIRST`.
    public var descNullsFirst: SQLOrdering { directed(.descending, nulls: .first) }

    private func directed(_ direction: SQLOrdering.Direction, nulls: DirectedOrderingNode.Nulls?) -> SQLOrdering {
        SQLOrdering(DirectedOrderingNode(expression: sqlExpression, direction: direction, nulls: nulls))
    }
}

/// An ordering by an expression, with a direction.
struct DirectedOrderingNode: SQLOrderingNode {
    enum Nulls: String {
        case first = "FIRST"
        case last = "LAST"
    }

    let expression: SQLExpression
    let direction: SQLOrdering.Direction
    /// The position of NULL, or nil for SQLite's default.
    let nulls: Nulls?

    func render(to renderer: inout SQLRenderer) throws {
        try renderer.append(expression)
        renderer.append(" \(direction.rawValue)")
        if let nulls { renderer.append(" NULLS \(nulls.rawValue)") }
    }

    var reversed: SQLOrdering {
        let nulls: Nulls? = nulls.map { $0 == .first ? .last : .first }
        return SQLOrdering(
            DirectedOrderingNode(
                expression: expression, direction: direction == .ascending ? .descending : .ascending, nulls: nulls))
    }
}

extension SQLRenderer {
    /// Returns whether an ordering term would be written as a plain number. SQLite would interpret that as the position of a result
    /// column, but a parameter in its place has no effect on the order.
    func writesConstant(_ term: SQLOrdering) throws -> Bool {
        guard writesLiterals else { return false }
        if let isConstant = term.isConstant { return isConstant }
        var attempt = nested()
        attempt.writesLiterals = false
        try attempt.append(term)
        // SQLite ignores signs, parentheses and collations here.
        let parameter = attempt.sql.drop { "-+ (".contains($0) }
        guard parameter.hasPrefix("?") else { return false }
        let rest = parameter.dropFirst().drop { $0 == ")" }
        return rest.isEmpty || [" COLLATE ", " ASC", " DESC", " NULLS "].contains { rest.hasPrefix($0) }
    }

    /// Returns a term with the same order that SQLite does not replace by a number, which it would take for the position of a result
    /// column.
    func unfolded(_ term: SQLOrdering) -> SQLOrdering {
        guard writesLiterals else { return term }
        if let node = term.node as? DirectedOrderingNode {
            let expression = unfolded(node.expression)
            return SQLOrdering(DirectedOrderingNode(expression: expression, direction: node.direction, nulls: node.nulls))
        }
        guard let expression = term.expression.map(unfolded) else { return term }
        return switch term.direction {
        case .ascending: expression.asc
        case .descending: expression.desc
        case nil: expression.sqlOrdering
        }
    }

    /// Returns an expression with the same value that SQLite does not replace by a number.
    ///
    /// SQLite does so with `x AND 0`, and since 3.51 with `1 IS NULL`.
    func unfolded(_ expression: SQLExpression) -> SQLExpression {
        guard writesLiterals, expression.isFoldable else { return expression }
        return SQLExpression(BinaryNode(left: expression, operation: " + ", right: 0.sqlExpression, precedence: .addition))
    }
}

extension SQLExpression {
    /// Whether SQLite may replace the expression by a number when it compiles it: if it is a conjunction or a test for NULL, apart from
    /// signs and collations.
    fileprivate var isFoldable: Bool {
        var node = node
        while let operand = node.transparentOperand { node = operand.node }
        return switch node {
        case is NullTestNode: true
        case let node as AssociativeNode: node.operation.sql == " AND "
        case let node as BinaryNode: [" AND ", " IS ", " IS NOT "].contains(node.operation)
        default: false
        }
    }
}

extension SQLExpressionNode {
    /// The operand of a node that does not change what SQLite takes for the position of a column, or nil for other nodes.
    fileprivate var transparentOperand: SQLExpression? {
        guard let node = self as? any CompositeNode, node.operands.count == 1 else { return nil }
        let isTransparent = node is QualifiedNode || node is JSONNode || node is CollatedNode || (node as? PrefixNode)?.operation == "-"
        return isTransparent ? node.operands[0] : nil
    }
}

extension SQLOrdering {
    /// Whether the term is a constant, apart from signs and collations, or nil if that is unknown.
    fileprivate var isConstant: Bool? {
        var next = expression ?? (node as? DirectedOrderingNode)?.expression
        while let expression = next {
            if expression.value != nil { return true }
            let node = expression.node
            if node is ColumnNode { return false }
            guard node is any CompositeNode else { return nil }
            guard let operand = node.transparentOperand else { return false }
            next = operand
        }
        return nil
    }
}

extension SQLOrderingTerm {
    /// The expression of the term, or nil if it is unknown.
    var orderedExpression: SQLExpression? {
        if let expression = self as? any SQLOperand { return expression.sqlExpression }
        return (sqlOrdering.node as? DirectedOrderingNode)?.expression
    }
}
