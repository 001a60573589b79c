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

    private func compared(_ operation: SQLOperator, to other: SQLRowValue) -> SQLExpression {
        SQLExpression(.rowComparison(elements, operation, other.elements))
    }

    /// Compares two row values: `("score", "name") < (1000, 'Arthur')`.
    public static func < (lhs: SQLRowValue, rhs: SQLRowValue) -> SQLExpression { lhs.compared(.less, to: rhs) }

    /// Compares two row values: `("score", "name") <= (1000, 'Arthur')`.
    public static func <= (lhs: SQLRowValue, rhs: SQLRowValue) -> SQLExpression { lhs.compared(.lessOrEqual, to: rhs) }

    /// Compares two row values: `("score", "name") > (1000, 'Arthur')`.
    public static func > (lhs: SQLRowValue, rhs: SQLRowValue) -> SQLExpression { lhs.compared(.greater, to: rhs) }

    /// Compares two row values: `("score", "name") >= (1000, 'Arthur')`.
    public static func >= (lhs: SQLRowValue, rhs: SQLRowValue) -> SQLExpression { lhs.compared(.greaterOrEqual, to: rhs) }

    /// Compares two row values: `("score", "name") = (1000, 'Arthur')`.
    public static func == (lhs: SQLRowValue, rhs: SQLRowValue) -> SQLExpression { lhs.compared(.equal, to: rhs) }

    /// Compares two row values: `("score", "name") <> (1000, 'Arthur')`.
    public static func != (lhs: SQLRowValue, rhs: SQLRowValue) -> SQLExpression { lhs.compared(.notEqual, to: rhs) }
}

/// Returns several values that are compared as one: see ``SQLRowValue``.
///
/// - Parameter elements: columns, expressions, or values; at least two.
public func rowValue(_ elements: (any SQLExpressible)?...) -> SQLRowValue {
    SQLRowValue(elements: elements.map { $0?.sqlExpression ?? .null })
}
