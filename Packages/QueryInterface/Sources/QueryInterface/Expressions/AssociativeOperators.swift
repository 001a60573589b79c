import RowDecoding

extension SQLExpression {
    /// An operator that joins any number of operands: see `Sequence.joined(operator:)`.
    public struct AssociativeBinaryOperator: Sendable {
        let sql: String
        let precedence: SQLPrecedence

        /// The result for no operands. Joining it to other operands does not change their result.
        let neutralValue: DatabaseValue

        /// Whether `(a op b) op c` always equals `a op (b op c)`. It does not for sums and products, because reals are rounded.
        let isExact: Bool

        private init(_ sql: String, _ precedence: SQLPrecedence, neutral: some DatabaseValueConvertible, isExact: Bool = true) {
            self.sql = sql
            self.precedence = precedence
            neutralValue = neutral.databaseValue
            self.isExact = isExact
        }

        /// Addition, `+`. For no operands, the value is 0.
        public static let add = Self(" + ", .addition, neutral: 0, isExact: false)

        /// Multiplication, `*`. For no operands, the value is 1.
        public static let multiply = Self(" * ", .multiplication, neutral: 1, isExact: false)

        /// Conjunction, `AND`. For no operands, the value is true.
        public static let and = Self(" AND ", .and, neutral: true)

        /// Disjunction, `OR`. For no operands, the value is false.
        public static let or = Self(" OR ", .or, neutral: false)

        /// Concatenation, `||`. For no operands, the value is the empty text.
        public static let concat = Self(" || ", .concatenation, neutral: "")

        /// Bitwise and, `&`. For no operands, the value is -1, which has all bits set.
        public static let bitwiseAnd = Self(" & ", .bitwise, neutral: -1)

        /// Bitwise or, `|`. For no operands, the value is 0.
        public static let bitwiseOr = Self(" | ", .bitwise, neutral: 0)
    }
}

/// Operands joined by one operator.
struct AssociativeNode: CompositeNode {
    let operation: SQLExpression.AssociativeBinaryOperator
    let operands: [SQLExpression]

    var precedence: SQLPrecedence { operation.precedence }

    /// Joins operands. When the SQL is generated, operands that use the same operator are inlined.
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

    /// The operands, with those that use the same operator replaced by their own operands. If the operator rounds its results, only
    /// the first operand is replaced, which keeps the order of evaluation.
    private var row: [SQLExpression] {
        var row: [SQLExpression] = []
        // A stack, with the next operand at the end.
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

extension Sequence where Element: SQLOperand {
    /// Joins the expressions with an operator.
    ///
    /// ```swift
    /// // "firstName" || ' ' || "lastName"
    /// [Column("firstName"), " ", Column("lastName")].joined(operator: .concat)
    ///
    /// // SELECT * FROM "player" WHERE "score" > 500 AND "team" = 'Reds'
    /// Player.filter(conditions.joined(operator: .and))
    /// ```
    ///
    /// - Parameter operation: the operator. Its documentation states the value for an empty sequence.
    /// - Complexity: O(*n*), where *n* is the number of expressions.
    public func joined(operator operation: SQLExpression.AssociativeBinaryOperator) -> SQLExpression {
        AssociativeNode.expression(operation, map(\.sqlExpression))
    }
}

extension Sequence<any SQLExpressible> {
    /// Joins the expressions with an operator.
    ///
    /// The SQL of `[Column("firstName"), " ", Column("lastName")].joined(operator: .concat)` is
    /// `"firstName" || ' ' || "lastName"`.
    ///
    /// - Parameter operation: the operator. Its documentation states the value for an empty sequence.
    /// - Complexity: O(*n*), where *n* is the number of expressions.
    public func joined(operator operation: SQLExpression.AssociativeBinaryOperator) -> SQLExpression {
        AssociativeNode.expression(operation, map(\.sqlExpression))
    }
}

extension Sequence<any SQLSpecificExpressible> {
    /// Joins the expressions with an operator.
    ///
    /// The SQL of `[Column("a"), Column("b") * 2].joined(operator: .add)` is `"a" + "b" * 2`.
    ///
    /// - Parameter operation: the operator. Its documentation states the value for an empty sequence.
    /// - Complexity: O(*n*), where *n* is the number of expressions.
    public func joined(operator operation: SQLExpression.AssociativeBinaryOperator) -> SQLExpression {
        AssociativeNode.expression(operation, map(\.sqlExpression))
    }
}
