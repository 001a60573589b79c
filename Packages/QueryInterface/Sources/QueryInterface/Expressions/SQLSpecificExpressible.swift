import RowDecoding

/// An expression of SQL that is not a mere Swift value: a column, or what operators and functions make of it.
///
/// The operators of this layer need one on at least one side, so that those of plain Swift values stay what they are.
public protocol SQLSpecificExpressible: SQLExpressible, SQLSelectable, SQLOrderingTerm {}

extension SQLSpecificExpressible {
    /// The expression, selected.
    public var sqlSelection: SQLSelection { sqlExpression.sqlSelection }

    /// The expression in ascending order.
    public var sqlOrdering: SQLOrdering { sqlExpression.sqlOrdering }
}

extension SQLExpression: SQLSpecificExpressible {}

// SQL that was written by hand can stand wherever an expression can, and a request in parentheses is the value of its first row.

extension SQL: SQLSpecificExpressible {}
extension QueryInterfaceRequest: SQLSpecificExpressible {}

extension SQLSubquery: SQLSpecificExpressible {}

extension SQLRequest: SQLSpecificExpressible {}

extension CompoundRequest: SQLSpecificExpressible {}
