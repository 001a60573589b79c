import RowDecoding

extension SQLExpression {
    /// An operator that joins any number of operands, see `Sequence.joined(operator:)`.
    public struct AssociativeBinaryOperator: Sendable {
        let sql: String
        let precedence: SQLPrecedence

        /// What joining nothing gives, and what joining changes nothing.
        let neutralValue: DatabaseValue

        /// Whether `(a op b) op c` and `a op (b op c)` are the very same. Sums and products of reals are rounded.
        let isExact: Bool

        private init(_ sql: String, _ precedence: SQLPrecedence, neutral: some DatabaseValueConvertible, isExact: Bool = true) {
            self.sql = sql
            self.precedence = precedence
            neutralValue = neutral.databaseValue
            self.isExact = isExact
        }

        /// Addition, `+`. Of nothing, it is 0.
        public static let add = Self(" + ", .addition, neutral: 0, isExact: false)

        /// Multiplication, `*`. Of nothing, it is 1.
        public static let multiply = Self(" * ", .multiplication, neutral: 1, isExact: false)

        /// Conjunction, `AND`. Of nothing, it is true.
        public static let and = Self(" AND ", .and, neutral: true)

        /// Disjunction, `OR`. Of nothing, it is false.
        public static let or = Self(" OR ", .or, neutral: false)

        /// Concatenation, `||`. Of nothing, it is the empty text.
        public static let concat = Self(" || ", .concatenation, neutral: "")

        /// Bitwise and, `&`. Of nothing, it is -1, which has all bits.
        public static let bitwiseAnd = Self(" & ", .bitwise, neutral: -1)

        /// Bitwise or, `|`. Of nothing, it is 0.
        public static let bitwiseOr = Self(" | ", .bitwise, neutral: 0)
    }
}

/// Operands with one operator between each two.
struct AssociativeNode: CompositeNode {
    let operation: SQLExpression.AssociativeBinaryOperator
    let operands: [SQLExpression]

    /// How many operands stand side by side. SQLite takes them for a tree, which must not be deeper than 1,000:
    /// <https://www.sqlite.org/limits.html#max_expr_depth>.
    private static let maximumCount = 400

    var precedence: SQLPrecedence { operation.precedence }

    /// Joins operands. Those that are joined by the same operator themselves become part of the new row of operands.
    static func expression(
        _ operation: SQLExpression.AssociativeBinaryOperator, _ operands: [SQLExpression]
    ) -> SQLExpression {
        switch operands.count {
        case 0: return operation.neutralValue.sqlExpression
        case 1: return operands[0]
        default: break
        }
        guard operation.isExact else { return SQLExpression(AssociativeNode(operation: operation, operands: operands)) }
        var flat: [SQLExpression] = []
        for operand in operands {
            if let node = operand.node as? AssociativeNode, node.operation.sql == operation.sql {
                if flat.isEmpty { flat = node.operands } else { flat += node.operands }
            } else {
                flat.append(operand)
            }
        }
        return SQLExpression(AssociativeNode(operation: operation, operands: flat))
    }

    func render(to renderer: inout SQLRenderer) throws {
        try render(operands[...], to: &renderer)
    }

    private func render(_ operands: ArraySlice<SQLExpression>, to renderer: inout SQLRenderer) throws {
        if operands.count <= Self.maximumCount {
            for (index, operand) in operands.enumerated() {
                if index > 0 { renderer.append(operation.sql) }
                // What is joined by the same operator is no operand any more, unless it is rounded.
                try renderer.append(operand, atLeast: index == 0 ? precedence : precedence.next)
            }
            return
        }
        // A tree of few levels, with parentheses, in place of a deep one.
        let size = max(Self.maximumCount, (operands.count + Self.maximumCount - 1) / Self.maximumCount)
        var rest = operands
        while !rest.isEmpty {
            if rest.startIndex != operands.startIndex { renderer.append(operation.sql) }
            renderer.append("(")
            try render(rest.prefix(size), to: &renderer)
            renderer.append(")")
            rest = rest.dropFirst(size)
        }
    }
}

extension Sequence where Element: SQLSpecificExpressible {
    /// The expressions with an operator between each two.
    ///
    /// ```swift
    /// // "firstName" || ' ' || "lastName"
    /// [Column("firstName"), " ", Column("lastName")].joined(operator: .concat)
    ///
    /// // SELECT * FROM "player" WHERE "score" > 500 AND "team" = 'Reds'
    /// Player.filter(conditions.joined(operator: .and))
    /// ```
    ///
    /// - Parameter operation: the operator. An empty sequence has a result too, which the operator documents.
    /// - Complexity: O(*n*), where *n* is the number of expressions.
    public func joined(operator operation: SQLExpression.AssociativeBinaryOperator) -> SQLExpression {
        AssociativeNode.expression(operation, map(\.sqlExpression))
    }
}

extension Sequence<any SQLExpressible> {
    /// The expressions with an operator between each two.
    ///
    /// The SQL of `[Column("firstName"), " ", Column("lastName")].joined(operator: .concat)` is
    /// `"firstName" || ' ' || "lastName"`.
    ///
    /// - Parameter operation: the operator. An empty sequence has a result too, which the operator documents.
    /// - Complexity: O(*n*), where *n* is the number of expressions.
    public func joined(operator operation: SQLExpression.AssociativeBinaryOperator) -> SQLExpression {
        AssociativeNode.expression(operation, map(\.sqlExpression))
    }
}

extension Sequence<any SQLSpecificExpressible> {
    /// The expressions with an operator between each two.
    ///
    /// The SQL of `[Column("a"), Column("b") * 2].joined(operator: .add)` is `"a" + "b" * 2`.
    ///
    /// - Parameter operation: the operator. An empty sequence has a result too, which the operator documents.
    /// - Complexity: O(*n*), where *n* is the number of expressions.
    public func joined(operator operation: SQLExpression.AssociativeBinaryOperator) -> SQLExpression {
        AssociativeNode.expression(operation, map(\.sqlExpression))
    }
}
