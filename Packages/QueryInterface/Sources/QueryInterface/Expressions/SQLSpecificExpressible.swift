import RowDecoding

/// An operand of SQL operators and functions: an expression, or a column that knows the type of its values.
public protocol SQLOperand: SQLExpressible, SQLSelectable, SQLOrderingTerm {}

extension SQLOperand {
    /// A selection of the expression.
    public var sqlSelection: SQLSelection { sqlExpression.sqlSelection }

    /// An ascending ordering by the expression.
    public var sqlOrdering: SQLOrdering { sqlExpression.sqlOrdering }
}

/// An SQL expression that is not a plain Swift value: a column, or the result of operators and functions.
///
/// The operators of this layer require such an expression on at least one side, so that plain Swift values keep their own operators.
public protocol SQLSpecificExpressible: SQLOperand {}

extension SQLExpression: SQLSpecificExpressible {}

// SQL written by hand can be used wherever an expression can. A request is a subquery, whose value is the value of its first row.

extension SQL: SQLSpecificExpressible {}
extension QueryInterfaceRequest: SQLSpecificExpressible {}

extension SQLSubquery: SQLSpecificExpressible {}

extension SQLRequest: SQLSpecificExpressible {}

// A database value can be any part of a request: `Player.select(value.forKey("rank"))`.

extension DatabaseValue: SQLSpecificExpressible {}

extension CompoundRequest: SQLSpecificExpressible {}
