import RowDecoding

/// SQL's `CASE` expression.
///
/// With conditions, the first one that is true determines the value:
///
/// ```swift
/// // CASE WHEN "score" > 1000 THEN 'high' WHEN "score" > 500 THEN 'middle'
/// // ELSE 'low' END
/// let rank = Case(when: Column("score") > 1000, then: "high")
///     .when(Column("score") > 500, then: "middle")
///     .else("low")
/// ```
///
/// With a base expression, the first match that equals it determines the value:
///
/// ```swift
/// // CASE "team" WHEN 'Reds' THEN 1 WHEN 'Blues' THEN 2 ELSE 3 END
/// let order = Case(Column("team"), when: "Reds", then: 1)
///     .when("Blues", then: 2)
///     .else(3)
/// ```
///
/// Without an `else`, the value is NULL if nothing matches. NULL never equals a match, not even NULL: test for it with a condition.
///
/// Source: <https://www.sqlite.org/lang_expr.html#the_case_expression>
public struct Case: SQLSpecificExpressible, Sendable {
    private var choice: SQLNode.Choice

    /// Begins a `CASE` expression with a condition.
    ///
    /// - Parameters:
    ///   - condition: a condition.
    ///   - value: the value if the condition is true.
    public init(when condition: any SQLOperand, then value: (any SQLExpressible)?) {
        choice = SQLNode.Choice(base: nil)
        self = when(condition, then: value)
    }

    /// Begins a `CASE` expression that compares a base expression.
    ///
    /// - Parameters:
    ///   - expression: the base expression.
    ///   - match: a value to compare with the base expression.
    ///   - value: the value if they are equal.
    public init(_ expression: any SQLExpressible, when match: any SQLExpressible, then value: (any SQLExpressible)?) {
        choice = SQLNode.Choice(base: expression.sqlExpression)
        self = when(match, then: value)
    }

    /// Adds a condition, or a value to compare with the base expression.
    ///
    /// - Parameters:
    ///   - match: the condition, or the value.
    ///   - value: the value if the condition is true, or the match is equal, and no previous one was.
    public func when(_ match: any SQLExpressible, then value: (any SQLExpressible)?) -> Case {
        changed(self) { $0.choice.branches.append((match.sqlExpression, value?.sqlExpression ?? .null)) }
    }

    /// Completes the `CASE` expression with an `ELSE`.
    ///
    /// - Parameter value: the value if nothing matches.
    public func `else`(_ value: (any SQLExpressible)?) -> SQLExpression {
        var choice = choice
        choice.alternative = value?.sqlExpression ?? .null
        return SQLExpression(.choice(choice))
    }

    /// The `CASE` expression without an `ELSE`.
    public var sqlExpression: SQLExpression { SQLExpression(.choice(choice)) }
}
