import SQLiteDriver

/// A type whose values can be used in SQL expressions.
///
/// Values are expressions, as are the columns, operators and functions of the layers above.
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
/// Copying expressions, and combining two of them, takes constant time. Expressions are nested 60 levels deep at most: a deeper one throws
/// ``DatabaseError`` when its SQL is written. A chain of operators of one precedence, such as `a + b - c`, is one level, up to 100,000 operands.
/// SQLite has limits of its own: see ``SQLRenderer/checkLimits()``.
public struct SQLExpression: Sendable {
    // A single reference: expressions are copied several times on their way into a request and into SQL.
    package let tree: any SQLTree

    /// Creates an expression from its content.
    package init(tree: some SQLTree) {
        self.tree = tree.depth.isExcessive ? RefusedTree() : tree
    }

    /// Creates an expression from a node.
    ///
    /// Expressions in the node's stored properties count as its operands.
    ///
    /// - Complexity: O(*n*) where *n* is the number of values in the stored properties.
    public init(_ node: some SQLExpressionNode) {
        self.init(node, depth: SQLDepth(reflecting: node), isHandwritten: true)
    }

    /// Creates an expression from a node.
    ///
    /// - Parameters:
    ///   - depth: the depth of the expressions that the node contains.
    ///   - isHandwritten: whether the SQL may contain anything.
    package init(_ node: some SQLExpressionNode, depth: SQLDepth, isHandwritten: Bool = false) {
        self.init(tree: CustomTree(node, depth: depth.next, isHandwritten: isHandwritten))
    }

    /// Creates an expression from a value, or from an error that is thrown when the expression is rendered.
    public init(value: Result<DatabaseValue, any Error>) {
        self.init(tree: ValueTree(value))
    }

    /// Creates an expression from a value that record types may store in their own way.
    ///
    /// - Parameter value: the ``DatabaseValueConvertible/columnEncodableValue`` of a value. Unless a column of a record's table encodes it,
    ///   the argument is its database value.
    @usableFromInline
    package init(columnEncodable value: any DatabaseValueConvertible & Sendable) {
        self.init(tree: ColumnEncodableTree(value))
    }

    /// The precedence of the expression's outermost operator.
    public var precedence: SQLPrecedence { tree.precedence }

    /// The constant value of the expression, or nil if the expression is not constant.
    public var value: DatabaseValue? { tree.value }

    /// Returns the expression with its Swift values encoded for a column: see ``SQLExpressionNode/encodingValues(by:)``.
    public func encodingValues(
        by encode: (any DatabaseValueConvertible & Sendable) throws -> DatabaseValue?
    ) throws -> SQLExpression? {
        try tree.encoded { value in try encode(value).map { EncodedValue($0, encoder: nil) } }
    }

    /// The value NULL.
    public static let null = SQLExpression(value: .success(.null))
}

/// A selection of one or several result columns.
public struct SQLSelection: Sendable {
    /// The content of the selection.
    package enum Content: Sendable {
        /// An expression. Handwritten SQL may select several columns.
        case expression(SQLExpression)
        /// A selection that the layers above define.
        case tree(any SQLSelectionTree, SQLDepth)
        /// A selection that programs define. The SQL may contain anything.
        case node(any SQLSelectionNode, SQLDepth)
    }

    /// The content of the selection.
    package let content: Content

    /// Creates a selection from a node.
    ///
    /// Expressions in the node's stored properties count as its operands.
    public init(_ node: some SQLSelectionNode) {
        let depth = SQLDepth(reflecting: node)
        content = depth.isExcessive ? Self.refused : .node(node, depth)
    }

    /// Creates a selection of a kind that a layer above defines.
    ///
    /// - Parameters:
    ///   - tree: the content.
    ///   - depth: the depth of the expressions that it contains.
    package init(_ tree: some SQLSelectionTree, depth: SQLDepth) {
        content = depth.isExcessive ? Self.refused : .tree(tree, depth)
    }

    private static var refused: Content { .expression(SQLExpression(tree: RefusedTree())) }

    package init(_ expression: SQLExpression) {
        content = .expression(expression)
    }

    /// How deeply the selected expressions are nested.
    package var depth: SQLDepth {
        switch content {
        case .expression(let expression): expression.tree.depth
        case .tree(_, let depth), .node(_, let depth): depth
        }
    }

    /// The selected expression, if the selection is a single expression without an alias.
    package var expression: SQLExpression? {
        if case .expression(let expression) = content { expression } else { nil }
    }

    /// Returns the number of selected columns, or nil if only SQLite can determine it.
    ///
    /// - Parameter renderer: the context in which the selection will be rendered.
    /// - Throws: ``DatabaseError`` when the schema can't be read.
    package func columnCount(in renderer: SQLRenderer) throws -> Int? {
        switch content {
        case .expression(let expression): expression.precedence == .unknown ? nil : 1
        case .tree(let tree, _): try tree.columnCount(in: renderer)
        case .node(let node, _): try node.columnCount(in: renderer)
        }
    }
}

/// An ordering term, by which a query orders its rows.
public struct SQLOrdering: Sendable {
    // Described: see "Kept plans" in CONTRIBUTING.md before you add a property.
    /// The direction of an ordering term.
    package enum Direction: String, Sendable {
        /// From the least to the greatest.
        case ascending = "ASC"
        /// From the greatest to the least.
        case descending = "DESC"
    }

    /// Where an ordering term puts NULL.
    package enum Nulls: String, Sendable {
        /// Before all other values.
        case first = "FIRST"
        /// After all other values.
        case last = "LAST"
    }

    /// The content of the term.
    package enum Content: Sendable {
        /// An expression. If no direction is written, the order is ascending.
        case expression(SQLExpression, Direction?, Nulls?)
        /// A term that the layers above define.
        case tree(any SQLOrderingTree, SQLDepth)
        /// A term that programs define. The SQL may contain anything.
        case node(any SQLOrderingNode, SQLDepth)
    }

    /// The content of the term.
    package let content: Content

    /// Creates an ordering term from a node.
    ///
    /// Expressions in the node's stored properties count as its operands.
    public init(_ node: some SQLOrderingNode) {
        let depth = SQLDepth(reflecting: node)
        content = depth.isExcessive ? Self.refused : .node(node, depth)
    }

    /// Creates an ordering term of a kind that a layer above defines.
    ///
    /// - Parameters:
    ///   - tree: the content.
    ///   - depth: the depth of the expressions that it contains.
    package init(_ tree: some SQLOrderingTree, depth: SQLDepth) {
        content = depth.isExcessive ? Self.refused : .tree(tree, depth)
    }

    private static var refused: Content { .expression(SQLExpression(tree: RefusedTree()), nil, nil) }

    /// Creates an ordering by an expression.
    ///
    /// - Parameters:
    ///   - expression: the expression.
    ///   - direction: the direction to write after the expression, or nil to write none, which means ascending.
    ///   - nulls: where NULL goes, or nil for SQLite's order: NULL is less than any value.
    package init(_ expression: SQLExpression, _ direction: Direction? = nil, nulls: Nulls? = nil) {
        content = .expression(expression, direction, nulls)
    }

    /// How deeply the expressions of the term are nested.
    package var depth: SQLDepth {
        switch content {
        case .expression(let expression, _, _): expression.tree.depth
        case .tree(_, let depth), .node(_, let depth): depth
        }
    }

    /// The expression of the ordering term, if it is an expression with or without a direction.
    package var expression: SQLExpression? {
        if case .expression(let expression, _, _) = content { expression } else { nil }
    }

    /// Whether the greatest value comes first.
    package var isDescending: Bool {
        if case .expression(_, .descending, _) = content { true } else { false }
    }

    /// The term for the opposite order.
    package var reversed: SQLOrdering {
        switch content {
        case .expression(let expression, let direction, let nulls):
            SQLOrdering(
                expression, direction == .descending ? .ascending : .descending, nulls: nulls.map { $0 == .first ? .last : .first })
        case .tree(let tree, _): tree.reversed
        case .node(let node, _): node.reversed
        }
    }
}
