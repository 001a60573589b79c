import RowDecoding

/// A choice between values: SQL's `CASE`.
///
/// With conditions, the first one that is true decides:
///
/// ```swift
/// // CASE WHEN "score" > 1000 THEN 'high' WHEN "score" > 500 THEN 'middle' ELSE 'low' END
/// let rank = Case(when: Column("score") > 1000, then: "high")
///     .when(Column("score") > 500, then: "middle")
///     .else("low")
/// ```
///
/// With an expression to begin with, the first value that equals it does:
///
/// ```swift
/// // CASE "team" WHEN 'Reds' THEN 1 WHEN 'Blues' THEN 2 ELSE 3 END
/// let order = Case(Column("team"), when: "Reds", then: 1)
///     .when("Blues", then: 2)
///     .else(3)
/// ```
///
/// Without an `else`, the value is NULL when there is no match. NULL equals nothing, not even NULL: test for it by a condition.
///
/// Source: <https://www.sqlite.org/lang_expr.html#the_case_expression>
public struct Case: SQLSpecificExpressible, Sendable {
    private var node: CaseNode

    /// Begins a choice by conditions.
    ///
    /// - Parameters:
    ///   - condition: an expression that is true or not.
    ///   - value: the value when it is true.
    public init(when condition: some SQLSpecificExpressible, then value: (any SQLExpressible)?) {
        node = CaseNode(base: nil, branches: [])
        self = when(condition, then: value)
    }

    /// Begins a choice by the value of an expression.
    ///
    /// - Parameters:
    ///   - expression: what is compared, once with each of the values.
    ///   - match: a value that the expression may equal.
    ///   - value: the value when it does.
    public init(_ expression: some SQLExpressible, when match: some SQLExpressible, then value: (any SQLExpressible)?) {
        node = CaseNode(base: expression.sqlExpression, branches: [])
        self = when(match, then: value)
    }

    /// Adds a condition, or a value that the expression may equal.
    ///
    /// - Parameters:
    ///   - match: the condition or the value.
    ///   - value: the value when it is true or equal, and none before it was.
    public func when(_ match: some SQLExpressible, then value: (any SQLExpressible)?) -> Case {
        var copy = self
        copy.node.branches.append((match.sqlExpression, value?.sqlExpression ?? .null))
        return copy
    }

    /// The whole choice.
    ///
    /// - Parameter value: the value when there is no match.
    public func `else`(_ value: (any SQLExpressible)?) -> SQLExpression {
        var node = node
        node.alternative = value?.sqlExpression ?? .null
        return SQLExpression(node)
    }

    /// The choice without an `else`.
    public var sqlExpression: SQLExpression { SQLExpression(node) }
}

/// `CASE`.
private struct CaseNode: CompositeNode {
    let base: SQLExpression?
    var branches: [(match: SQLExpression, value: SQLExpression)]
    var alternative: SQLExpression?

    var operands: [SQLExpression] {
        [base, alternative].compactMap { $0 } + branches.flatMap { [$0.match, $0.value] }
    }

    func render(to renderer: inout SQLRenderer) throws {
        // The keywords hold the parts apart, whatever these are: no parentheses.
        renderer.append("CASE")
        if let base {
            renderer.append(" ")
            try renderer.append(base)
        }
        for branch in branches {
            renderer.append(" WHEN ")
            try renderer.append(branch.match)
            renderer.append(" THEN ")
            try renderer.append(branch.value)
        }
        if let alternative {
            renderer.append(" ELSE ")
            try renderer.append(alternative)
        }
        renderer.append(" END")
    }
}
