import RowDecoding

// Functions of SQLite that take the values of one row. Those whose first argument is what they are about are properties and methods, so that
// global names such as `replace` stay free; the others have the names that SQL gives them.
// Source: <https://www.sqlite.org/lang_corefunc.html>

/// The absolute value: `abs("score")`.
public func abs(_ value: some SQLSpecificExpressible) -> SQLExpression {
    call("abs", value)
}

/// The number of characters of a text, or of bytes of a blob: `length("name")`.
public func length(_ value: some SQLSpecificExpressible) -> SQLExpression {
    call("length", value)
}

/// The first value that is not NULL: `coalesce("nickname", "name", '?')`.
///
/// - Parameter values: expressions and values. One alone is itself, and none is NULL.
public func coalesce(_ values: some Collection<any SQLExpressible>) -> SQLExpression {
    coalesce(values.map(\.sqlExpression))
}

/// The first value that is not NULL: `coalesce("nickname", "name")`.
///
/// - Parameter values: expressions. One alone is itself, and none is NULL.
public func coalesce(_ values: some Collection<some SQLSpecificExpressible>) -> SQLExpression {
    coalesce(values.map(\.sqlExpression))
}

private func coalesce(_ values: [SQLExpression]) -> SQLExpression {
    // SQLite wants two arguments at least.
    switch values.count {
    case 0: .null
    case 1: values[0]
    default: SQLExpression(CoalesceNode(operands: values, isOperator: false))
    }
}

/// The greatest of several values of one row: `max("score", "best", 0)`, or NULL if one of them is.
///
/// The greatest value of many rows is another function, with one argument.
public func max(
    _ first: some SQLSpecificExpressible, _ second: some SQLExpressible, _ others: any SQLExpressible...
) -> SQLExpression {
    SQLExpression(
        FunctionNode(name: "max", arguments: [first.sqlExpression, second.sqlExpression] + others.map(\.sqlExpression)))
}

/// The least of several values of one row: `min("score", "best", 0)`, or NULL if one of them is.
///
/// The least value of many rows is another function, with one argument.
public func min(
    _ first: some SQLSpecificExpressible, _ second: some SQLExpressible, _ others: any SQLExpressible...
) -> SQLExpression {
    SQLExpression(
        FunctionNode(name: "min", arguments: [first.sqlExpression, second.sqlExpression] + others.map(\.sqlExpression)))
}

// MARK: - Functions as methods

extension SQLSpecificExpressible {
    /// The number, rounded: `round("score", 2)`. The result is always a REAL.
    ///
    /// - Parameter digits: how many digits are left after the decimal point, 30 at most.
    public func rounded(toDigits digits: Int = 0) -> SQLExpression {
        digits == 0 ? call("round", self) : call("round", self, digits)
    }

    /// NULL when the expression equals a value, and the expression otherwise: `nullif("score", 0)`.
    public func nullIf(_ value: some SQLExpressible) -> SQLExpression {
        call("nullif", self, value)
    }

    /// The storage class of the value: `typeof("score")`, which is one of 'null', 'integer', 'real', 'text' and 'blob'.
    public var storageClass: SQLExpression { call("typeof", self) }
}

extension SQLExpression {
    /// A random integer of 64 bits, another one for each row: `random()`.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY random() LIMIT 1
    /// Player.order(SQLExpression.random).limit(1)
    /// ```
    public static var random: SQLExpression { call("random") }
}

// MARK: - Custom functions

extension DatabaseFunction {
    /// The call of the function, by its name in quotes: `"initials"("name")`.
    ///
    /// ```swift
    /// let initials = DatabaseFunction("initials", argumentCount: 1, pure: true) { ... }
    ///
    /// // SELECT * FROM "player" WHERE "initials"("name") = 'AM'
    /// Player.filter(initials(Column("name")) == "AM")
    /// ```
    ///
    /// The function must have been added to the connection that runs the request, see `Database.add(function:)`.
    public func callAsFunction(_ arguments: any SQLExpressible...) -> SQLExpression {
        SQLExpression(CustomFunctionNode(name: name, arguments: arguments.map(\.sqlExpression)))
    }
}

/// The call of a user's function. It may be an aggregate, which is not known of it: it is no ``CompositeNode``.
struct CustomFunctionNode: SQLExpressionNode {
    let name: String
    let arguments: [SQLExpression]

    var levelCount: Int { arguments.isEmpty ? 0 : 1 }

    func render(to renderer: inout SQLRenderer) throws {
        try renderer.checkArgumentCount(arguments.count, of: name)
        renderer.append(identifier: name)
        renderer.append("(")
        try renderer.append(arguments, separator: ", ") { try $0.append($1) }
        renderer.append(")")
    }
}

// MARK: - Casts

/// The value as a storage class: `CAST("score" AS REAL)`.
///
/// ```swift
/// // SELECT CAST("score" AS REAL) / "gameCount" FROM "player"
/// Player.select(cast(Column("score"), as: .real) / Column("gameCount"))
/// ```
///
/// What becomes of a value that does not fit is described at <https://www.sqlite.org/lang_expr.html#castexpr>: the text 'abc' as an
/// INTEGER is 0.
public func cast(_ value: some SQLExpressible, as storageClass: Database.StorageClass) -> SQLExpression {
    SQLExpression(CastNode(operand: value.sqlExpression, storageClass: storageClass))
}

/// The value, turned into one of the affinity of a column type: `CAST("score" AS NUMERIC)`.
///
/// A storage class does for most casts; among the types, `.numeric` has none.
///
/// Source: <https://www.sqlite.org/lang_expr.html#castexpr>
@_disfavoredOverload
public func cast(_ value: some SQLExpressible, as type: Database.ColumnType) -> SQLExpression {
    cast(value, as: Database.StorageClass(rawValue: type.rawValue))
}

/// `CAST`.
private struct CastNode: CompositeNode {
    let operand: SQLExpression
    let storageClass: Database.StorageClass

    var operands: [SQLExpression] { [operand] }

    func render(to renderer: inout SQLRenderer) throws {
        renderer.append("CAST(")
        try renderer.append(operand)
        renderer.append(" AS \(storageClass.rawValue))")
    }
}
