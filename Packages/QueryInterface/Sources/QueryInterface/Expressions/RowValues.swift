import RowDecoding

/// Several values that are compared as one: `("score", "name")`.
///
/// Comparisons go from left to right: the first pair of different values decides.
///
/// ```swift
/// // SELECT * FROM "player" WHERE ("score", "name") > (1000, 'Arthur')
/// Player.filter { rowValue($0.score, $0.name) > rowValue(1000, "Arthur") }
/// ```
///
/// SQLite can search an index on these columns for the range. If NULL decides, the result is NULL.
///
/// Source: <https://www.sqlite.org/rowvalue.html>
public struct SQLRowValue: Sendable {
    let elements: [SQLExpression]

    init(_ elements: [SQLExpression]) {
        self.elements = elements
    }

    private func compared(_ operation: String, to other: SQLRowValue, _ precedence: SQLPrecedence) -> SQLExpression {
        SQLExpression(RowComparisonNode(left: elements, operation: operation, right: other.elements, precedence: precedence))
    }

    /// Compares two row values: `("score", "name") < (1000, 'Arthur')`.
    public static func < (lhs: SQLRowValue, rhs: SQLRowValue) -> SQLExpression { lhs.compared(" < ", to: rhs, .comparison) }

    /// Compares two row values: `("score", "name") <= (1000, 'Arthur')`.
    public static func <= (lhs: SQLRowValue, rhs: SQLRowValue) -> SQLExpression { lhs.compared(" <= ", to: rhs, .comparison) }

    /// Compares two row values: `("score", "name") > (1000, 'Arthur')`.
    public static func > (lhs: SQLRowValue, rhs: SQLRowValue) -> SQLExpression { lhs.compared(" > ", to: rhs, .comparison) }

    /// Compares two row values: `("score", "name") >= (1000, 'Arthur')`.
    public static func >= (lhs: SQLRowValue, rhs: SQLRowValue) -> SQLExpression { lhs.compared(" >= ", to: rhs, .comparison) }

    /// Compares two row values: `("score", "name") = (1000, 'Arthur')`.
    public static func == (lhs: SQLRowValue, rhs: SQLRowValue) -> SQLExpression { lhs.compared(" = ", to: rhs, .equality) }

    /// Compares two row values: `("score", "name") <> (1000, 'Arthur')`.
    public static func != (lhs: SQLRowValue, rhs: SQLRowValue) -> SQLExpression { lhs.compared(" <> ", to: rhs, .equality) }
}

/// Returns several values that are compared as one: see ``SQLRowValue``.
///
/// - Parameter elements: columns, expressions, or values; at least two.
public func rowValue(_ elements: (any SQLExpressible)?...) -> SQLRowValue {
    SQLRowValue(elements.map { $0?.sqlExpression ?? .null })
}

/// The comparison of two row values.
private struct RowComparisonNode: CompositeNode, ComparisonNode {
    let left: [SQLExpression]
    let operation: String
    let right: [SQLExpression]
    let precedence: SQLPrecedence

    var operands: [SQLExpression] { left + right }

    func render(to renderer: inout SQLRenderer) throws {
        guard left.count == right.count, left.count > 1 else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "row values have the same number of elements, at least two: \(left.count) and \(right.count) are compared")
        }
        let pairs = try zip(left, right).map { left, right in
            (try renderer.operand(left, comparedWith: right), try renderer.operand(right, comparedWith: left))
        }
        try append(pairs.map(\.0), to: &renderer)
        renderer.append(operation)
        try append(pairs.map(\.1), to: &renderer)
    }

    func collated(_ collate: (SQLExpression) -> SQLExpression) -> SQLExpression? {
        SQLExpression(RowComparisonNode(left: left.map(collate), operation: operation, right: right, precedence: precedence))
    }

    private func append(_ elements: [SQLExpression], to renderer: inout SQLRenderer) throws {
        renderer.append("(")
        for (index, element) in elements.enumerated() {
            if index > 0 { renderer.append(", ") }
            try renderer.append(element)
        }
        renderer.append(")")
    }
}
