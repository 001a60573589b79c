import RowDecoding

extension SQLOperand {
    /// Returns the expression with a collation for comparisons and ordering: `"name" COLLATE NOCASE`.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "name" COLLATE NOCASE = 'arthur'
    /// Player.filter(Column("name").collating(.nocase) == "arthur")
    /// ```
    ///
    /// The collation of a condition is that of its comparisons:
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "name" COLLATE NOCASE IN ('arthur', 'barbara')
    /// Player.filter(["arthur", "barbara"].contains(Column("name")).collating(.nocase))
    /// ```
    public func collating(_ collation: Database.CollationName) -> SQLExpression {
        sqlExpression.collated(by: collation.rawValue)
    }

    /// Returns the expression with a Swift collation for comparisons and ordering: `"name" COLLATE "swiftLocalizedCompare"`.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY "name" COLLATE "swiftLocalizedCompare"
    /// Player.order(Column("name").collating(.localizedCompare))
    /// ```
    ///
    /// Your own collations must be added to the connection that runs the request, see `Database.add(collation:)`, or to
    /// `DatabaseRegistry`. All connections have those of this package, such as `.localizedCompare`. The collation of a condition is that of
    /// its comparisons.
    public func collating(_ collation: DatabaseCollation) -> SQLExpression {
        sqlExpression.collated(by: collation.name)
    }
}

/// A `COLLATE` expression.
struct CollatedNode: CompositeNode {
    let operand: SQLExpression
    let name: String

    private static let builtInNames: Set = ["BINARY", "NOCASE", "RTRIM"]

    var precedence: SQLPrecedence { .collation }
    var operands: [SQLExpression] { [operand] }

    func render(to renderer: inout SQLRenderer) throws {
        try renderer.append(operand, atLeast: .collation)
        renderer.append(" COLLATE ")
        if Self.builtInNames.contains(name) {
            renderer.append(name)
        } else {
            renderer.append(identifier: name)
        }
    }
}

// MARK: - Conditions

/// A condition that may compare texts. SQLite compares them by the collation of an operand, preferably of the left one. A collation of the
/// condition itself, which is a number, has no effect.
///
/// Source: <https://www.sqlite.org/datatype3.html#assigning_collating_sequences_from_sql>
protocol ComparisonNode: SQLExpressionNode {
    /// Returns the condition with a collation for its comparison, or nil if it does not compare its operands.
    ///
    /// - Parameter collate: returns an operand with the collation.
    func collated(_ collate: (SQLExpression) -> SQLExpression) -> SQLExpression?
}

extension SQLExpression {
    /// Returns the expression with a collation. In a condition, the operands of comparisons get it.
    fileprivate func collated(by name: String) -> SQLExpression {
        enum Step {
            case visit(SQLExpression)
            /// Combines the last results by AND or OR.
            case join(SQLExpression.AssociativeBinaryOperator, count: Int)
            case not
            case qualify(TableAliasBase)
        }
        func collate(_ operand: SQLExpression) -> SQLExpression { SQLExpression(CollatedNode(operand: operand, name: name)) }
        // Stacks, with the next step and the last result at the end: a condition may be nested to any depth.
        var steps = [Step.visit(self)]
        var results: [SQLExpression] = []
        var isCondition = false
        while let step = steps.popLast() {
            switch step {
            case .visit(let expression):
                switch expression.node {
                case let node as AssociativeNode where node.operation.precedence <= .and:
                    steps.append(.join(node.operation, count: node.operands.count))
                    steps += node.operands.reversed().map { .visit($0) }
                    isCondition = true
                case let node as PrefixNode where node.precedence == .not:
                    steps += [.not, .visit(node.operand)]
                    isCondition = true
                case let node as QualifiedNode:
                    steps += [.qualify(node.alias), .visit(node.content)]
                case let node as any ComparisonNode:
                    let comparison = node.collated(collate)
                    if comparison != nil { isCondition = true }
                    results.append(comparison ?? expression)
                default:
                    results.append(expression)
                }
            case .join(let operation, let count):
                let operands = Array(results.suffix(count))
                results.removeLast(count)
                results.append(AssociativeNode.expression(operation, operands))
            case .not:
                results.append(SQLExpression(PrefixNode(operation: "NOT ", operand: results.removeLast(), precedence: .not)))
            case .qualify(let alias):
                results.append(alias[results.removeLast()])
            }
        }
        return isCondition ? results[0] : collate(self)
    }
}

extension BinaryNode: ComparisonNode {
    func collated(_ collate: (SQLExpression) -> SQLExpression) -> SQLExpression? {
        guard precedence == .equality || precedence == .comparison else { return nil }
        // Without a collation of the left operand, that of the right one counts. A value gets none, so that its column can encode it.
        let collatesRight = left.value != nil && right.value == nil
        return SQLExpression(
            BinaryNode(
                left: collatesRight ? left : collate(left), operation: operation, right: collatesRight ? collate(right) : right,
                precedence: precedence))
    }
}

extension BetweenNode: ComparisonNode {
    func collated(_ collate: (SQLExpression) -> SQLExpression) -> SQLExpression? {
        SQLExpression(BetweenNode(operand: collate(operand), lower: lower, upper: upper, isNegated: isNegated))
    }
}

extension MembershipNode: ComparisonNode {
    func collated(_ collate: (SQLExpression) -> SQLExpression) -> SQLExpression? {
        SQLExpression(MembershipNode(operand: collate(operand), values: values, isNegated: isNegated))
    }
}

extension SubqueryMembershipNode: ComparisonNode {
    func collated(_ collate: (SQLExpression) -> SQLExpression) -> SQLExpression? {
        SQLExpression(SubqueryMembershipNode(operand: collate(operand), subquery: subquery, rows: rows, isNegated: isNegated))
    }
}
