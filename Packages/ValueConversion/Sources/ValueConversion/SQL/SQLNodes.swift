import SQLiteDriver

// Protocols for programs and upper layers that write SQL of their own.

/// A type that implements a kind of expression.
///
/// Its operands are ``SQLExpression`` values in stored properties, of any type that contains some: an array, an optional value, a structure.
public protocol SQLExpressionNode: Sendable {
    /// Writes the expression's SQL.
    ///
    /// - Throws: an error stored in the expression, or one that depends on the schema.
    func render(to renderer: inout SQLRenderer) throws

    /// The precedence of the expression's outermost operator. By default ``SQLPrecedence/primary``.
    var precedence: SQLPrecedence { get }

    /// The constant value of the expression, or nil if the expression is not constant.
    var value: DatabaseValue? { get }

    /// Returns the expression with its Swift values encoded for a column with which it is compared, or to which it is assigned.
    ///
    /// Only values that can be the result of the expression are encoded: a constant value, or the results of a `CASE`. By default, no value
    /// is encoded.
    ///
    /// - Parameter encode: returns the database value that the column stores for a Swift value, or nil for the value's own database value.
    /// - Returns: the encoded expression, or nil if encoding does not change it.
    /// - Throws: the error of `encode`.
    func encodingValues(
        by encode: (any DatabaseValueConvertible & Sendable) throws -> DatabaseValue?
    ) throws -> SQLExpression?

    /// The number of levels that the expression adds to SQLite's expression tree, or a lower number if that is unknown. An operator adds
    /// one level. By default 0.
    ///
    /// Source: <https://www.sqlite.org/limits.html#max_expr_depth>
    var levelCount: Int { get }
}

extension SQLExpressionNode {
    /// 0, for an unknown number of levels.
    public var levelCount: Int { 0 }

    /// The highest precedence.
    public var precedence: SQLPrecedence { .primary }

    /// nil, for an expression that is not constant.
    public var value: DatabaseValue? { nil }

    /// Returns nil: the expression has no values to encode.
    public func encodingValues(
        by encode: (any DatabaseValueConvertible & Sendable) throws -> DatabaseValue?
    ) throws -> SQLExpression? { nil }
}

/// A type that implements a kind of selection.
public protocol SQLSelectionNode: Sendable {
    /// Writes the selection's SQL, for the list between SELECT and FROM.
    func render(to renderer: inout SQLRenderer) throws

    /// Returns the number of selected columns, or nil if only SQLite can determine it. By default nil.
    ///
    /// - Parameter renderer: the context in which the selection will be rendered.
    /// - Throws: ``DatabaseError`` when the schema can't be read.
    func columnCount(in renderer: SQLRenderer) throws -> Int?
}

extension SQLSelectionNode {
    /// Returns nil, for an unknown number of columns.
    public func columnCount(in renderer: SQLRenderer) throws -> Int? { nil }
}

/// A type that implements a kind of ordering term.
public protocol SQLOrderingNode: Sendable {
    /// Writes the term's SQL, for an ORDER BY clause.
    func render(to renderer: inout SQLRenderer) throws

    /// The term for the opposite order.
    var reversed: SQLOrdering { get }
}
