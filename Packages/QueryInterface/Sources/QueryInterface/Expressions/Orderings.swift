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

    private func directed(_ direction: SQLOrdering.Direction, nulls: SQLOrdering.Nulls?) -> SQLOrdering {
        SQLOrdering(sqlExpression, direction, nulls: nulls)
    }
}

/// An ordering term whose columns belong to a table.
struct QualifiedOrderingNode: SQLOrderingTree {
    // Described: see "Kept plans" in CONTRIBUTING.md before you add a property.
    let alias: TableAliasBase
    let content: SQLOrdering

    func render(to renderer: inout SQLRenderer) throws {
        try renderer.qualified(by: alias) { try $0.append($0.unfolded(content)) }
    }

    func describe(to shape: inout SQLShape) throws {
        alias.describe(to: &shape)
        try shape.append(content)
    }

    var reversed: SQLOrdering { SQLOrdering(qualified: content.reversed, by: alias) }
}

extension SQLOrdering {
    init(qualified content: SQLOrdering, by alias: TableAliasBase) {
        self.init(QualifiedOrderingNode(alias: alias, content: content), depth: content.depth.next)
    }

    /// The table whose columns order the rows, if the term names it.
    var alias: TableAliasBase? {
        if case .tree(let tree, _) = content { (tree as? QualifiedOrderingNode)?.alias } else { nil }
    }
}

extension SQLRenderer {
    /// Returns whether an ordering term would be written as a plain number. SQLite would interpret that as the position of a result
    /// column, but a parameter in its place has no effect on the order.
    func writesConstant(_ term: SQLOrdering) throws -> Bool {
        guard writesLiterals else { return false }
        if let isConstant = term.expression?.isConstant { return isConstant }
        var probe = probe
        probe.writesLiterals = false
        try probe.append(term)
        // SQLite ignores signs, parentheses and collations here.
        let parameter = probe.sql.drop { "-+ (".contains($0) }
        guard parameter.hasPrefix("?") else { return false }
        let rest = parameter.dropFirst().drop { $0 == ")" }
        return rest.isEmpty || [" COLLATE ", " ASC", " DESC", " NULLS "].contains { rest.hasPrefix($0) }
    }

    /// Returns a term with the same order that SQLite does not replace by a number, which it would take for the position of a result
    /// column.
    func unfolded(_ term: SQLOrdering) -> SQLOrdering {
        guard writesLiterals else { return term }
        guard case .expression(let expression, let direction, let nulls) = term.content else { return term }
        return SQLOrdering(unfolded(expression), direction, nulls: nulls)
    }

    /// Returns an expression with the same value that SQLite does not replace by a number.
    ///
    /// SQLite replaces `x AND 0`, and since 3.51 `1 IS NULL`.
    func unfolded(_ expression: SQLExpression) -> SQLExpression {
        guard writesLiterals, expression.isFoldable else { return expression }
        return .binary(expression, .add, 0)
    }
}

extension SQLExpression {
    /// Whether SQLite may replace the expression by a number when it compiles it: if it is a conjunction or a test for NULL, apart from
    /// signs and collations.
    fileprivate var isFoldable: Bool {
        var expression = self
        while let operand = expression.transparentOperand { expression = operand }
        return switch expression.node?.kind {
        case .nullTest, .chain(.and, _), .comparison(_, .identical, _), .comparison(_, .notIdentical, _): true
        default: false
        }
    }

    /// The operand of an expression, such as a sign or a collation, that SQLite ignores when it recognizes the position of a column. Nil
    /// for other expressions.
    fileprivate var transparentOperand: SQLExpression? {
        switch node?.kind {
        case .qualified(_, let operand), .json(let operand), .collated(let operand, by: _), .prefix(.minus, let operand): operand
        default: nil
        }
    }

    /// Whether the value is a constant, apart from signs and collations, or nil if that is unknown.
    fileprivate var isConstant: Bool? {
        if value != nil { return true }
        if let operand = transparentOperand { return operand.isConstant }
        switch node?.kind {
        case nil, .request, .key, .picked: return nil
        case .function(let call) where call.isCustom: return nil
        default: return false
        }
    }
}

extension SQLOrderingTerm {
    /// The expression of the term, or nil if it is unknown.
    var orderedExpression: SQLExpression? {
        if let expression = self as? any SQLOperand { return expression.sqlExpression }
        return sqlOrdering.expression
    }
}
