import ValueConversion

/// A piece of SQL, with the values of its parameters.
///
/// Interpolated values become arguments, so that SQLite never interprets a value as SQL:
///
/// ```swift
/// let name = "O'Brien"
/// let query: SQL = "SELECT * FROM player WHERE name = \(name)"
/// let (sql, arguments) = try query.build(db)
/// // sql: SELECT * FROM player WHERE name = ?
/// // arguments: ["O'Brien"]
/// ```
///
/// See ``SQLInterpolation`` for what can be interpolated. Pieces can be concatenated:
///
/// ```swift
/// var query: SQL = "SELECT * FROM player"
/// if let minimum {
///     query += " WHERE score >= \(minimum)"
/// }
/// let players = try SQLRequest<Player>(literal: query).fetchAll(db)
/// ```
public struct SQL: Sendable {
    // Described: see "Kept plans" in CONTRIBUTING.md before you add a property.
    /// The fragments of the piece, in order.
    private(set) var fragments: [Fragment]

    /// A part of the SQL.
    enum Fragment: Sendable {
        /// SQL text, with the values of its parameters.
        case text(String, StatementArguments)
        /// An expression that renders itself, such as a nested piece of many fragments.
        case expression(SQLExpression)
    }

    /// The maximum number of fragments to copy from an appended piece. A piece with more fragments is appended as one fragment, so that
    /// appending takes constant time however large the pieces are.
    private static let maximumSharedCount = 1_000

    init(fragments: [Fragment]) {
        self.fragments = fragments
    }

    /// Creates a piece of SQL from a string.
    ///
    /// - Parameters:
    ///   - sql: SQL. Use parameters for values that are not known to be safe.
    ///   - arguments: the values of its parameters.
    public init(sql: String, arguments: StatementArguments = StatementArguments()) {
        fragments = [.text(sql, arguments)]
    }

    /// Creates a piece of SQL from pieces, with nothing in between.
    ///
    /// ```swift
    /// var elements: [SQL] = ["SELECT * FROM player"]
    /// if let minimum { elements.append(" WHERE score >= \(minimum)") }
    /// let query = SQL(elements: elements)
    /// ```
    ///
    /// - Parameter elements: the pieces. ``Swift/Sequence/joined(separator:)`` puts a separator between them.
    public init(elements: some Sequence<SQL>) {
        self = elements.joined()
    }

    /// Creates a piece of SQL from an expression. A value becomes a parameter with this value.
    public init(_ expression: some SQLExpressible) {
        fragments = [.expression(expression.sqlExpression)]
    }

    /// Creates a piece of SQL that is rendered later, when the connection is known.
    ///
    /// It serves layers that extend ``SQLInterpolation`` with types that render themselves.
    ///
    /// - Parameters:
    ///   - depth: the depth of the expressions that the closure writes.
    ///   - render: writes the SQL.
    package init(depth: SQLDepth = SQLDepth(), rendering render: @escaping @Sendable (inout SQLRenderer) throws -> Void) {
        fragments = [.expression(SQLExpression(WrittenNode(write: render), depth: depth))]
    }

    /// How deeply the expressions of the piece are nested.
    package var depth: SQLDepth {
        var depth = SQLDepth()
        for case .expression(let expression) in fragments { depth.formMaximum(expression.tree.depth) }
        return depth
    }

    /// Whether the piece contains no SQL.
    public var isEmpty: Bool {
        fragments.allSatisfy {
            if case .text("", _) = $0 { true } else { false }
        }
    }

    /// Writes the SQL.
    ///
    /// - Throws: the error of a value that can't be stored, or ``DatabaseError`` when two values have the same name.
    public func render(to renderer: inout SQLRenderer) throws {
        for fragment in fragments {
            switch fragment {
            case .text(let sql, let arguments): try renderer.append(sql: sql, arguments: arguments)
            case .expression(let expression): try renderer.append(expression)
            }
        }
    }

    /// Builds the SQL, and the values of its parameters.
    ///
    /// - Parameter db: a connection, whose schema the SQL may depend on.
    /// - Throws: the error of a value that can't be stored, or ``DatabaseError`` when two values have the same name.
    public func build(_ db: Database) throws -> (sql: String, arguments: StatementArguments) {
        var renderer = SQLRenderer(database: db)
        try render(to: &renderer)
        return (renderer.sql, renderer.arguments)
    }

    /// Describes the SQL.
    func describe(to shape: inout SQLShape) throws {
        try shape.append(fragments) { shape, fragment in
            switch fragment {
            case .text(let sql, let arguments):
                // Arguments can have names.
                if !arguments.isEmpty { shape.refuse() }
                shape.append(sql)
            // No description of an expression begins like one of a text.
            case .expression(let expression): try shape.append(expression)
            }
        }
    }

    /// Builds the SQL of one statement, and the values of its parameters.
    ///
    /// - Throws: the errors of ``build(_:)``, or ``DatabaseError`` when the statement exceeds a limit of the connection.
    func buildStatement(_ db: Database) throws -> (sql: String, arguments: StatementArguments) {
        var renderer = SQLRenderer(database: db)
        try render(to: &renderer)
        try renderer.checkLimits()
        return (renderer.sql, renderer.arguments)
    }
}

// MARK: - Putting SQL together

extension SQL {
    /// Concatenates two pieces, with nothing in between.
    public static func + (lhs: SQL, rhs: SQL) -> SQL {
        changed(lhs.fragments.count <= maximumSharedCount ? lhs : SQL(fragments: [lhs.asFragment])) { $0 += rhs }
    }

    /// Appends a piece, with nothing in between.
    public static func += (lhs: inout SQL, rhs: SQL) {
        if rhs.fragments.count <= maximumSharedCount {
            lhs.fragments += rhs.fragments
        } else {
            lhs.fragments.append(rhs.asFragment)
        }
    }

    private var asFragment: Fragment { .expression(sqlExpression) }

    /// Appends a piece, with nothing in between.
    ///
    /// ```swift
    /// query.append(literal: " WHERE id = \(id)")
    /// ```
    public mutating func append(literal: SQL) {
        self += literal
    }

    /// Appends SQL from a string.
    ///
    /// - Parameters:
    ///   - sql: SQL. Use parameters for values that are not known to be safe.
    ///   - arguments: the values of its parameters.
    public mutating func append(sql: String, arguments: StatementArguments = StatementArguments()) {
        self += SQL(sql: sql, arguments: arguments)
    }
}

extension Sequence<SQL> {
    /// Returns the concatenation of all pieces.
    ///
    /// ```swift
    /// let conditions: [SQL] = ["score > \(1000)", "name IS NOT NULL"]
    /// let query: SQL =
    ///     "SELECT * FROM player WHERE \(conditions.joined(separator: " AND "))"
    /// ```
    ///
    /// - Parameter separator: SQL to insert between the pieces.
    public func joined(separator: String = "") -> SQL {
        var fragments: [SQL.Fragment] = []
        for (index, sql) in enumerated() {
            if index > 0 { fragments.append(.text(separator, StatementArguments())) }
            fragments += sql.fragments
        }
        return SQL(fragments: fragments)
    }
}

// MARK: - Literals

extension SQL: ExpressibleByStringInterpolation {
    /// Creates a piece of SQL from a string literal.
    public init(stringLiteral text: String) {
        self.init(sql: text)
    }

    /// Creates a piece of SQL from a string literal with interpolations.
    public init(stringInterpolation interpolation: SQLInterpolation) {
        self = interpolation.sql
    }
}

// MARK: - As an expression

extension SQL: SQLExpressible, SQLSelectable, SQLOrderingTerm {
    /// The SQL as an expression. As an operand, it is in parentheses.
    public var sqlExpression: SQLExpression { SQLExpression(SQLLiteralNode(literal: self), depth: depth, isHandwritten: true) }

    /// The SQL as a selection.
    public var sqlSelection: SQLSelection { sqlExpression.sqlSelection }

    /// The SQL as an ordering term. It can't be reversed, because its direction is unknown.
    public var sqlOrdering: SQLOrdering { SQLOrdering(LiteralOrderingNode(literal: self), depth: depth) }
}

/// SQL that a closure renders.
struct WrittenNode: SQLExpressionNode {
    let write: @Sendable (inout SQLRenderer) throws -> Void

    var precedence: SQLPrecedence { .unknown }

    func render(to renderer: inout SQLRenderer) throws {
        try write(&renderer)
    }
}

/// SQL that stands for an expression or a selection.
private struct SQLLiteralNode: SQLDescribedNode {
    let literal: SQL

    func describe(to shape: inout SQLShape) throws { try literal.describe(to: &shape) }

    /// The precedence of the SQL's operators is unknown.
    var precedence: SQLPrecedence { .unknown }

    func render(to renderer: inout SQLRenderer) throws {
        // The depth of the SQL's expressions in SQLite's expression tree is unknown.
        try renderer.append(atNewRoot: literal.render)
    }
}

/// SQL that stands for an ordering term. Its direction is unknown.
private struct LiteralOrderingNode: SQLOrderingTree {
    let literal: SQL

    func describe(to shape: inout SQLShape) throws { try literal.describe(to: &shape) }

    func render(to renderer: inout SQLRenderer) throws {
        try renderer.append(literal.sqlExpression)
    }

    var reversed: SQLOrdering { SQLOrdering(IrreversibleOrderingNode(literal: literal), depth: literal.depth) }
}

/// An ordering that can't be reversed. It throws an error when it is rendered.
private struct IrreversibleOrderingNode: SQLOrderingTree {
    let literal: SQL

    func describe(to shape: inout SQLShape) { shape.refuse() }

    func render(to renderer: inout SQLRenderer) throws {
        let sql = try literal.build(renderer.database).sql
        throw DatabaseError.misuse(
            "an ordering by SQL can't be reversed: \(sql)", advice: "Order by an expression with asc or desc instead.")
    }

    var reversed: SQLOrdering { literal.sqlOrdering }
}
