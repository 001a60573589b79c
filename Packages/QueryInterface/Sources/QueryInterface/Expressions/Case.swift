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
    private var node: CaseNode

    /// Begins a `CASE` expression with a condition.
    ///
    /// - Parameters:
    ///   - condition: a condition.
    ///   - value: the value if the condition is true.
    public init(when condition: any SQLOperand, then value: (any SQLExpressible)?) {
        node = CaseNode(base: nil)
        self = when(condition, then: value)
    }

    /// Begins a `CASE` expression that compares a base expression.
    ///
    /// - Parameters:
    ///   - expression: the base expression.
    ///   - match: a value to compare with the base expression.
    ///   - value: the value if they are equal.
    public init(_ expression: any SQLExpressible, when match: any SQLExpressible, then value: (any SQLExpressible)?) {
        node = CaseNode(base: expression.sqlExpression)
        self = when(match, then: value)
    }

    /// Adds a condition, or a value to compare with the base expression.
    ///
    /// - Parameters:
    ///   - match: the condition, or the value.
    ///   - value: the value if the condition is true, or the match is equal, and no previous one was.
    public func when(_ match: any SQLExpressible, then value: (any SQLExpressible)?) -> Case {
        var copy = self
        copy.node.add(match.sqlExpression, value?.sqlExpression ?? .null)
        return copy
    }

    /// Completes the `CASE` expression with an `ELSE`.
    ///
    /// - Parameter value: the value if nothing matches.
    public func `else`(_ value: (any SQLExpressible)?) -> SQLExpression {
        var node = node
        node.setAlternative(value?.sqlExpression ?? .null)
        return SQLExpression(node)
    }

    /// The `CASE` expression without an `ELSE`.
    public var sqlExpression: SQLExpression { SQLExpression(node) }
}

/// `CASE`.
private struct CaseNode: CompositeNode {
    let base: SQLExpression?
    private var branches = Chain<(match: SQLExpression, value: SQLExpression)>()
    private var alternative: SQLExpression?

    /// The number of levels of `CASE` expressions nested in results.
    private var depth = 1

    init(base: SQLExpression?) {
        self.base = base
    }

    mutating func add(_ match: SQLExpression, _ value: SQLExpression) {
        branches.append((match, value))
        depth = max(depth, 1 + Self.depth(of: value))
    }

    mutating func setAlternative(_ value: SQLExpression) {
        alternative = value
        depth = max(depth, 1 + Self.depth(of: value))
    }

    private static func depth(of expression: SQLExpression) -> Int {
        (((expression.node as? QualifiedNode)?.innermost.content ?? expression).node as? CaseNode)?.depth ?? 0
    }

    /// Encodes the values of the results.
    func encodingValues(
        by encode: (any DatabaseValueConvertible & Sendable) throws -> DatabaseValue?
    ) throws -> SQLExpression? {
        // Each level uses stack space. SQLite's parser rejects CASE expressions nested so deeply anyway.
        guard depth <= 100 else { return nil }
        var node = self
        var isEncoded = false
        func encoded(_ expression: SQLExpression) throws -> SQLExpression {
            guard let encoded = try expression.encodingValues(by: encode) else { return expression }
            isEncoded = true
            return encoded
        }
        node.branches = Chain(try branches.map { (match: $0.match, value: try encoded($0.value)) })
        node.alternative = try alternative.map(encoded)
        return isEncoded ? SQLExpression(node) : nil
    }

    var operands: [SQLExpression] {
        [base, alternative].compactMap { $0 } + branches.flatMap { [$0.match, $0.value] }
    }

    func render(to renderer: inout SQLRenderer) throws {
        // The keywords separate the parts, so they need no parentheses.
        renderer.append("CASE")
        var matches = branches.map(\.match)
        if let base {
            renderer.append(" ")
            try renderer.append(matches.first.map { try renderer.operand(base, comparedWith: $0) } ?? base)
            matches = try renderer.operands(matches, comparedWith: base)
        }
        for (branch, match) in zip(branches, matches) {
            renderer.append(" WHEN ")
            try renderer.append(match)
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
