import SQLiteDriver

/// A type whose values can be used in SQL expressions.
///
/// Values are such expressions, and so are the columns, operators and functions of the layers above.
public protocol SQLExpressible {
    /// The value as an SQL expression.
    var sqlExpression: SQLExpression { get }
}

/// A type whose values can be selected, as one or several result columns of a query.
public protocol SQLSelectable {
    /// The value as a selection.
    var sqlSelection: SQLSelection { get }
}

/// A type whose values can order the rows of a query.
public protocol SQLOrderingTerm {
    /// The value as an ordering term.
    var sqlOrdering: SQLOrdering { get }
}

/// An SQL expression.
///
/// This layer defines a single kind of expression: a value that becomes an argument. The layers above define others, and you can define
/// your own with types that conform to ``SQLExpressionNode``:
///
/// ```swift
/// struct Random: SQLExpressionNode {
///     func render(to renderer: inout SQLRenderer) throws {
///         renderer.append("random()")
///     }
/// }
///
/// let expression = SQLExpression(Random())
/// ```
///
/// Expressions can be nested to any depth. Combining expressions takes constant time. Rendering and freeing an expression takes time in
/// proportion to its size, and a bounded amount of stack, however deep the expression is. SQLite has limits, however: see
/// ``SQLRenderer/checkLimits()``.
public struct SQLExpression: Sendable {
    // A single reference: expressions are copied several times on their way into a request and into SQL.
    @usableFromInline let tree: ExpressionTree

    /// Creates an expression from a node.
    @inlinable
    public init(_ node: some SQLExpressionNode) {
        tree = ExpressionTree(node, isLeaf: false)
    }

    /// Creates an expression from a node that contains no other expressions, no requests, no closures, and no values that a column may
    /// encode, such as the node of a column. This is a little faster.
    @inlinable
    package init(leaf node: some SQLExpressionNode) {
        tree = ExpressionTree(node, isLeaf: true)
        assert(!node.encodesValues, "a leaf has a value that a column may encode")
    }

    /// Creates an expression from a value, or from an error that is thrown when the expression is rendered.
    public init(value: Result<DatabaseValue, any Error>) {
        self.init(leaf: SQLValueNode(value: value))
    }

    /// The node of the expression.
    package var node: any SQLExpressionNode { tree.node }

    /// The precedence of the expression's outermost operator.
    public var precedence: SQLPrecedence { tree.precedence }

    /// The constant value of the expression, or nil if the expression is not constant.
    public var value: DatabaseValue? { tree.node.value }

    /// Creates an expression from a value that record types may store in their own way.
    ///
    /// - Parameter value: the ``DatabaseValueConvertible/columnEncodableValue`` of a value. Unless a column of a record's table encodes it,
    ///   the argument is its database value.
    package init(columnEncodable value: any DatabaseValueConvertible & Sendable) {
        self.init(ColumnEncodableValueNode(swiftValue: value))
    }

    /// Returns the expression with its Swift values encoded for a column: see ``SQLExpressionNode/encodingValues(by:)``.
    public func encodingValues(
        by encode: (any DatabaseValueConvertible & Sendable) throws -> DatabaseValue?
    ) throws -> SQLExpression? {
        tree.isLeaf ? nil : try tree.node.encodingValues(by: encode)
    }

    /// The value NULL.
    public static let null = SQLExpression(value: .success(.null))
}

/// A selection of one or several result columns.
public struct SQLSelection: Sendable {
    /// The node of the selection.
    package let node: any SQLSelectionNode

    /// Creates a selection from a node.
    public init(_ node: some SQLSelectionNode) {
        self.node = node
    }
}

/// An ordering term, by which a query orders its rows.
public struct SQLOrdering: Sendable {
    /// The node of the ordering term.
    package let node: any SQLOrderingNode

    /// Creates an ordering term from a node.
    public init(_ node: some SQLOrderingNode) {
        self.node = node
    }
}

// MARK: - Nodes

/// The precedence of an operator. An operand whose precedence is lower than that of its operator is put in parentheses.
///
/// Source: <https://www.sqlite.org/lang_expr.html#operators>
public struct SQLPrecedence: RawRepresentable, Comparable, Sendable {
    /// The precedence as a number. A higher precedence has a larger number.
    public let rawValue: Int

    /// Creates a precedence.
    @inlinable
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Returns whether the precedence of `lhs` is lower than that of `rhs`.
    @inlinable
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

    /// The precedence of opaque SQL, which always needs parentheses as an operand.
    @inlinable public static var unknown: Self { Self(rawValue: 0) }
    /// `OR`.
    @inlinable public static var or: Self { Self(rawValue: 1) }
    /// `AND`.
    @inlinable public static var and: Self { Self(rawValue: 2) }
    /// `NOT`.
    @inlinable public static var not: Self { Self(rawValue: 3) }
    /// `=`, `<>`, `IS`, `IN`, `LIKE`, `BETWEEN`, `MATCH`.
    @inlinable public static var equality: Self { Self(rawValue: 4) }
    /// `<`, `<=`, `>`, `>=`.
    @inlinable public static var comparison: Self { Self(rawValue: 5) }
    /// `&`, `|`, `<<`, `>>`.
    @inlinable public static var bitwise: Self { Self(rawValue: 6) }
    /// `+`, `-`.
    @inlinable public static var addition: Self { Self(rawValue: 7) }
    /// `*`, `/`, `%`.
    @inlinable public static var multiplication: Self { Self(rawValue: 8) }
    /// `||`, `->`, `->>`.
    @inlinable public static var concatenation: Self { Self(rawValue: 9) }
    /// `COLLATE`.
    @inlinable public static var collation: Self { Self(rawValue: 10) }
    /// `~`, and the signs `+` and `-`.
    @inlinable public static var prefix: Self { Self(rawValue: 11) }
    /// Values, columns, function calls, and everything in parentheses.
    @inlinable public static var primary: Self { Self(rawValue: 12) }
}

/// A type that implements a kind of expression.
///
/// A property of a node must not compute its value from the same property of the operands each time, as for the precedence: store it when
/// the node is created. Otherwise, deep expressions would overflow the stack.
public protocol SQLExpressionNode: Sendable {
    /// Writes the expression's SQL.
    ///
    /// In a deep expression, the operands are rendered after this method has returned, and inserted at their places. Their SQL is not yet
    /// in ``SQLRenderer/sql`` when this method runs.
    ///
    /// - Throws: an error stored in the expression, or one that depends on the schema.
    func render(to renderer: inout SQLRenderer) throws

    /// The precedence of the expression's outermost operator. By default ``SQLPrecedence/primary``.
    var precedence: SQLPrecedence { get }

    /// The constant value of the expression, or nil if the expression is not constant.
    var value: DatabaseValue? { get }

    /// Returns the expression with its Swift values encoded for a column with which it is compared, or to which it is assigned.
    ///
    /// Only values that can be the result of the expression are encoded: a constant value, or the results of a `CASE`. By default, none.
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
    /// Whether the node contains a value that a column may encode.
    @usableFromInline
    var encodesValues: Bool {
        var isAsked = false
        _ = try? encodingValues { _ in
            isAsked = true
            return nil
        }
        return isAsked
    }

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

    /// Returns the number of selected columns, or nil if only SQLite knows it. By default nil.
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

/// A value that becomes an argument.
struct SQLValueNode: SQLExpressionNode {
    let result: Result<DatabaseValue, any Error>

    init(value: Result<DatabaseValue, any Error>) {
        result = value
    }

    var value: DatabaseValue? { try? result.get() }

    func render(to renderer: inout SQLRenderer) throws {
        try renderer.append(argumentOf: result.get)
    }
}

/// A value that becomes an argument, after a column may have encoded it.
private struct ColumnEncodableValueNode: SQLExpressionNode {
    let swiftValue: any DatabaseValueConvertible & Sendable

    var value: DatabaseValue? { try? swiftValue.bindingValue() }

    func render(to renderer: inout SQLRenderer) throws {
        try renderer.append(argumentOf: swiftValue.bindingValue)
    }

    func encodingValues(
        by encode: (any DatabaseValueConvertible & Sendable) throws -> DatabaseValue?
    ) throws -> SQLExpression? {
        try encode(swiftValue).map { SQLExpression(value: .success($0)) }
    }
}
