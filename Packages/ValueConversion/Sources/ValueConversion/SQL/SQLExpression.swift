import SQLiteDriver

/// A type whose values can stand in SQL expressions.
///
/// Values are expressions, and so are the columns, operators and functions of the layers above.
public protocol SQLExpressible {
    /// The value as an SQL expression.
    var sqlExpression: SQLExpression { get }
}

/// A type whose values can be selected, as the result columns of a query.
public protocol SQLSelectable {
    /// The value as a selection.
    var sqlSelection: SQLSelection { get }
}

/// A type whose values can order the results of a query.
public protocol SQLOrderingTerm {
    /// The value as an ordering term.
    var sqlOrdering: SQLOrdering { get }
}

/// An SQL expression.
///
/// This layer knows of one kind, a value that becomes an argument. The layers above add theirs, and so can you, with types
/// that conform to ``SQLExpressionNode``:
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
/// Expressions can be nested to any depth. Making one of others takes no longer for large ones, and writing and freeing one takes time in
/// proportion to its size and no more stack for a deep one than for a flat one. SQLite does have limits, see
/// ``SQLRenderer/checkLimits()``.
public struct SQLExpression: Sendable {
    @usableFromInline
    enum Storage: Sendable {
        /// A node that holds no other expressions.
        case leaf(any SQLExpressionNode)
        /// Any node.
        case tree(ExpressionTree)
    }

    @usableFromInline let storage: Storage

    /// Makes an expression of a node.
    @inlinable
    public init(_ node: some SQLExpressionNode) {
        storage = .tree(ExpressionTree(node))
    }

    /// Makes an expression of a node that holds no other expressions, no requests, no closures, and no values that a column may encode:
    /// such as that of a column. It is a little faster.
    @inlinable
    public init(leaf node: some SQLExpressionNode) {
        storage = .leaf(node)
        assert(!node.encodesValues, "a leaf has a value that a column may encode")
    }

    /// Makes the expression of a value, or of the error that is thrown when the expression is used.
    public init(value: Result<DatabaseValue, any Error>) {
        self.init(leaf: SQLValueNode(value: value))
    }

    /// What the expression is made of.
    public var node: any SQLExpressionNode {
        switch storage {
        case .leaf(let node): node
        case .tree(let tree): tree.node
        }
    }

    /// How tightly the expression holds together.
    public var precedence: SQLPrecedence {
        switch storage {
        case .leaf(let node): node.precedence
        case .tree(let tree): tree.precedence
        }
    }

    /// The value that the expression is, for an expression that is one.
    public var value: DatabaseValue? {
        switch storage {
        case .leaf(let node): node.value
        case .tree(let tree): tree.node.value
        }
    }

    /// Makes the expression of a value that record types may store in ways of their own.
    ///
    /// - Parameter value: what ``DatabaseValueConvertible/columnEncodableValue`` is. Unless a column of a record's table says how it is
    ///   stored, the argument is its database value.
    public init(columnEncodable value: any DatabaseValueConvertible & Sendable) {
        self.init(ColumnEncodableValueNode(swiftValue: value))
    }

    /// The expression with its Swift values encoded: see ``SQLExpressionNode/encodingValues(by:)``.
    public func encodingValues(
        by encode: (any DatabaseValueConvertible & Sendable) throws -> DatabaseValue?
    ) throws -> SQLExpression? {
        switch storage {
        case .leaf: nil
        case .tree(let tree): try tree.node.encodingValues(by: encode)
        }
    }

    /// NULL.
    public static let null = SQLExpression(value: .success(.null))
}

/// What can be selected: one column, or several.
public struct SQLSelection: Sendable {
    /// What the selection is made of.
    public let node: any SQLSelectionNode

    /// Makes a selection of a node.
    public init(_ node: some SQLSelectionNode) {
        self.node = node
    }
}

/// What a query's results are ordered by.
public struct SQLOrdering: Sendable {
    /// What the ordering term is made of.
    public let node: any SQLOrderingNode

    /// Makes an ordering term of a node.
    public init(_ node: some SQLOrderingNode) {
        self.node = node
    }
}

// MARK: - Nodes

/// How tightly an expression holds together, from loose to tight: an operand that is looser than its operator goes into
/// parentheses.
///
/// Source: <https://www.sqlite.org/lang_expr.html#operators>
public struct SQLPrecedence: RawRepresentable, Comparable, Sendable {
    /// A larger number holds tighter.
    public let rawValue: Int

    /// Makes a precedence.
    @inlinable
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Whether `lhs` is looser than `rhs`.
    @inlinable
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

    /// SQL of which nothing is known.
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
    /// Values, columns, function calls, and all that is in parentheses.
    @inlinable public static var primary: Self { Self(rawValue: 12) }
}

/// A kind of expression.
///
/// A node must not ask its operands for something that they ask of theirs, such as their precedence, each time that it is asked itself:
/// keep it when the node is made. Deep expressions could not be walked otherwise.
public protocol SQLExpressionNode: Sendable {
    /// Writes the expression's SQL.
    ///
    /// The operands of a deep expression are written after this method has returned, in their place. What they write is then not yet in
    /// ``SQLRenderer/sql``.
    ///
    /// - Throws: an error that was kept in the expression, or one that depends on the schema.
    func render(to renderer: inout SQLRenderer) throws

    /// How tightly the expression holds together; ``SQLPrecedence/primary`` by default.
    var precedence: SQLPrecedence { get }

    /// The value that the expression is, for an expression that is one.
    var value: DatabaseValue? { get }

    /// The expression with its Swift values encoded, for where it is compared with a column, or stored in one; nil by default.
    ///
    /// Only values that the expression may have as its own are meant: the value that it is, or the results between which it chooses.
    ///
    /// - Parameter encode: returns the database value of a Swift value in that column; nil when it is the value's own.
    /// - Returns: nil when the expression has no such value.
    /// - Throws: the error of `encode`.
    func encodingValues(
        by encode: (any DatabaseValueConvertible & Sendable) throws -> DatabaseValue?
    ) throws -> SQLExpression?

    /// How many levels the expression adds to the tree that SQLite makes of it, or less when that is not known; 0 by default. An
    /// operator adds one.
    ///
    /// Source: <https://www.sqlite.org/limits.html#max_expr_depth>
    var levelCount: Int { get }
}

extension SQLExpressionNode {
    /// Whether the node has a value that a column may encode.
    @usableFromInline
    var encodesValues: Bool {
        var isAsked = false
        _ = try? encodingValues { _ in
            isAsked = true
            return nil
        }
        return isAsked
    }

    /// Not known.
    public var levelCount: Int { 0 }

    /// Tightest.
    public var precedence: SQLPrecedence { .primary }

    /// No value.
    public var value: DatabaseValue? { nil }

    /// No values.
    public func encodingValues(
        by encode: (any DatabaseValueConvertible & Sendable) throws -> DatabaseValue?
    ) throws -> SQLExpression? { nil }
}

/// A kind of selection.
public protocol SQLSelectionNode: Sendable {
    /// Writes the selection's SQL, as it stands between SELECT and FROM.
    func render(to renderer: inout SQLRenderer) throws

    /// The number of columns that the selection gives, where it is known without asking SQLite; nil by default.
    ///
    /// - Parameter renderer: the context in which the selection is to be written.
    /// - Throws: ``DatabaseError`` when the schema can't be read.
    func columnCount(in renderer: SQLRenderer) throws -> Int?
}

extension SQLSelectionNode {
    /// Not known.
    public func columnCount(in renderer: SQLRenderer) throws -> Int? { nil }
}

/// A kind of ordering term.
public protocol SQLOrderingNode: Sendable {
    /// Writes the term's SQL, as it stands after ORDER BY.
    func render(to renderer: inout SQLRenderer) throws

    /// The term that orders the other way round.
    var reversed: SQLOrdering { get }
}

/// A value, which becomes an argument.
struct SQLValueNode: SQLExpressionNode {
    let result: Result<DatabaseValue, any Error>

    init(value: Result<DatabaseValue, any Error>) {
        result = value
    }

    var value: DatabaseValue? { try? result.get() }

    func render(to renderer: inout SQLRenderer) throws {
        renderer.append(argument: try result.get())
    }
}

/// A value, which becomes an argument, and which a column may encode before that.
private struct ColumnEncodableValueNode: SQLExpressionNode {
    let swiftValue: any DatabaseValueConvertible & Sendable

    var value: DatabaseValue? { try? swiftValue.bindingValue() }

    func render(to renderer: inout SQLRenderer) throws {
        renderer.append(argument: try swiftValue.bindingValue())
    }

    func encodingValues(
        by encode: (any DatabaseValueConvertible & Sendable) throws -> DatabaseValue?
    ) throws -> SQLExpression? {
        try encode(swiftValue).map { SQLExpression(value: .success($0)) }
    }
}
