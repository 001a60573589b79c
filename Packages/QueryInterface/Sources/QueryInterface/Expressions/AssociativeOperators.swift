import RowDecoding

extension SQLExpression {
    /// An operator that joins any number of operands: see `Sequence.joined(operator:)`.
    public struct AssociativeBinaryOperator: Sendable {
        let operation: SQLOperator

        /// The result for no operands. Joining it to other operands does not change their result.
        private let neutralValue: DatabaseValue

        private init(_ operation: SQLOperator, neutral: some DatabaseValueConvertible) {
            self.operation = operation
            neutralValue = neutral.databaseValue
        }

        /// Joins operands. When the SQL is generated, operands that use the same operator are inlined.
        func joined(_ operands: [SQLExpression]) -> SQLExpression {
            if operands.isEmpty { return neutralValue.sqlExpression }
            // The order of operations on bits does not matter.
            guard operation == .bitAnd || operation == .bitOr else { return .chain(operation, operands) }
            return .chain(operation, operands.flatMap { $0.node?.kind.chain(of: operation) ?? [$0] })
        }

        /// Addition, `+`. For no operands, the value is 0.
        public static let add = Self(.add, neutral: 0)

        /// Multiplication, `*`. For no operands, the value is 1.
        public static let multiply = Self(.multiply, neutral: 1)

        /// Conjunction, `AND`. For no operands, the value is true.
        public static let and = Self(.and, neutral: true)

        /// Disjunction, `OR`. For no operands, the value is false.
        public static let or = Self(.or, neutral: false)

        /// Concatenation, `||`. For no operands, the value is the empty string.
        public static let concat = Self(.concatenate, neutral: "")

        /// Bitwise and, `&`. For no operands, the value is -1, which has all bits set.
        public static let bitwiseAnd = Self(.bitAnd, neutral: -1)

        /// Bitwise or, `|`. For no operands, the value is 0.
        public static let bitwiseOr = Self(.bitOr, neutral: 0)
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
        operation.joined(map(\.sqlExpression))
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
        operation.joined(map(\.sqlExpression))
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
        operation.joined(map(\.sqlExpression))
    }
}
