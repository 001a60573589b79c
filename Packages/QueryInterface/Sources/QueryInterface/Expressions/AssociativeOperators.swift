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

    var precedence: SQLPrecedence { operation.precedence }

    /// Joins operands. Those that are joined by the same operator themselves become part of the new row of operands, when it is written.
    static func expression(
        _ operation: SQLExpression.AssociativeBinaryOperator, _ operands: [SQLExpression]
    ) -> SQLExpression {
        switch operands.count {
        case 0: return operation.neutralValue.sqlExpression
        case 1: return operands[0]
        default: break
        }
        return SQLExpression(AssociativeNode(operation: operation, operands: operands))
    }

    func render(to renderer: inout SQLRenderer) throws {
        try renderer.append(row: row, operation: operation.sql, precedence: precedence)
    }

    /// The operands, those of operands that are joined by the same operator in their place. Where results are rounded, only the first
    /// operand can be such a one.
    private var row: [SQLExpression] {
        var row: [SQLExpression] = []
        // The next one is at the end.
        var remaining: [SQLExpression] = operands.reversed()
        while let operand = remaining.popLast() {
            if operation.isExact || row.isEmpty, let node = operand.node as? AssociativeNode, node.operation.sql == operation.sql {
                remaining += node.operands.reversed()
            } else {
                row.append(operand)
            }
        }
        return row
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
