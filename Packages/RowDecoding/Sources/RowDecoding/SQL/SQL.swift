import ValueConversion

/// A piece of SQL, with the values that are in it.
///
/// Interpolation makes an argument of each value, so that no value can be taken for SQL:
///
/// ```swift
/// let name = "O'Brien"
/// let query: SQL = "SELECT * FROM player WHERE name = \(name)"
/// let (sql, arguments) = try query.build(db)
/// // sql: SELECT * FROM player WHERE name = ?
/// // arguments: ["O'Brien"]
/// ```
///
/// See ``SQLInterpolation`` for what can be interpolated. Pieces can be put together:
///
/// ```swift
/// var query: SQL = "SELECT * FROM player"
/// if let minimum {
///     query += " WHERE score >= \(minimum)"
/// }
/// let players = try SQLRequest<Player>(literal: query).fetchAll(db)
/// ```
public struct SQL: Sendable {
    /// What the piece is made of, in order.
    private(set) var fragments: [Fragment]

    /// A part of the SQL.
    enum Fragment: Sendable {
        /// SQL as it is, with the values of its parameters.
        case text(String, StatementArguments)
        /// Whatever writes itself, also a piece of many fragments.
        case expression(SQLExpression)
    }

    /// How many fragments of another piece become fragments of this one. A piece with more becomes one fragment, so that putting a piece
    /// together of many takes no longer when it is large already.
    private static let maximumSharedCount = 32

    init(fragments: [Fragment]) {
        self.fragments = fragments
    }

    /// Makes a piece of SQL that is not a literal of the program.
    ///
    /// - Parameters:
    ///   - sql: SQL, in which values that are not known to be safe are parameters.
    ///   - arguments: the values of its parameters.
    public init(sql: String, arguments: StatementArguments = StatementArguments()) {
        fragments = [.text(sql, arguments)]
    }

    /// Makes a piece of SQL of an expression. Of a value, it is a parameter with this value.
    public init(_ expression: some SQLExpressible) {
        fragments = [.expression(expression.sqlExpression)]
    }

    /// Makes a piece of SQL that is written late, when the connection is known.
    ///
    /// It serves layers whose types write themselves, and extend ``SQLInterpolation`` with them.
    ///
    /// - Parameter render: writes the SQL.
    public init(rendering render: @escaping @Sendable (inout SQLRenderer) throws -> Void) {
        fragments = [.expression(SQLExpression(WrittenNode(write: render)))]
    }

    /// Whether there is no SQL in it.
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

    /// The SQL, and the values of its parameters.
    ///
    /// - Parameter db: a connection, for what depends on its schema.
    /// - Throws: the error of a value that can't be stored, or ``DatabaseError`` when two values have the same name.
    public func build(_ db: Database) throws -> (sql: String, arguments: StatementArguments) {
        var renderer = SQLRenderer(database: db)
        try render(to: &renderer)
        return (renderer.sql, renderer.arguments)
    }

    /// The SQL of one statement, and the values of its parameters.
    ///
    /// - Throws: also ``DatabaseError`` when the connection has limits that the statement exceeds.
    func buildStatement(_ db: Database) throws -> (sql: String, arguments: StatementArguments) {
        var renderer = SQLRenderer(database: db)
        try render(to: &renderer)
        try renderer.checkLimits()
        return (renderer.sql, renderer.arguments)
    }
}

// MARK: - Putting SQL together

extension SQL {
    /// Both pieces, one after the other, with nothing in between.
    public static func + (lhs: SQL, rhs: SQL) -> SQL {
        if lhs.fragments.count <= maximumSharedCount {
            var sql = lhs
            sql += rhs
            return sql
        }
        var sql = SQL(fragments: [lhs.asFragment])
        sql += rhs
        return sql
    }

    /// Adds a piece at the end, with nothing in between.
    public static func += (lhs: inout SQL, rhs: SQL) {
        if rhs.fragments.count <= maximumSharedCount {
            lhs.fragments += rhs.fragments
        } else {
            lhs.fragments.append(rhs.asFragment)
        }
    }

    private var asFragment: Fragment { .expression(sqlExpression) }

    /// Adds a piece at the end, with nothing in between.
    ///
    /// ```swift
    /// query.append(literal: " WHERE id = \(id)")
    /// ```
    public mutating func append(literal: SQL) {
        self += literal
    }

    /// Adds SQL that is not a literal of the program.
    ///
    /// - Parameters:
    ///   - sql: SQL, in which values that are not known to be safe are parameters.
    ///   - arguments: the values of its parameters.
    public mutating func append(sql: String, arguments: StatementArguments = StatementArguments()) {
        self += SQL(sql: sql, arguments: arguments)
    }
}

extension Sequence<SQL> {
    /// All pieces in one.
    ///
    /// ```swift
    /// let conditions: [SQL] = ["score > \(1000)", "name IS NOT NULL"]
    /// let query: SQL = "SELECT * FROM player WHERE \(conditions.joined(separator: " AND "))"
    /// ```
    ///
    /// - Parameter separator: SQL that is put between the pieces.
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
    /// Makes a piece of SQL of a literal text.
    public init(unicodeScalarLiteral text: String) {
        self.init(sql: text)
    }

    /// Makes a piece of SQL of a literal text.
    public init(extendedGraphemeClusterLiteral text: String) {
        self.init(sql: text)
    }

    /// Makes a piece of SQL of a literal text.
    public init(stringLiteral text: String) {
        self.init(sql: text)
    }

    /// Makes a piece of SQL of a literal text with interpolations.
    public init(stringInterpolation interpolation: SQLInterpolation) {
        self = interpolation.sql
    }
}

// MARK: - As an expression

extension SQL: SQLExpressible, SQLSelectable, SQLOrderingTerm {
    /// The SQL as an expression, which goes into parentheses where it is an operand.
    public var sqlExpression: SQLExpression { SQLExpression(SQLLiteralNode(literal: self)) }

    /// The SQL, selected.
    public var sqlSelection: SQLSelection { SQLSelection(SQLLiteralNode(literal: self)) }

    /// The SQL as an ordering term. It can't be reversed, as it is not known which way it orders.
    public var sqlOrdering: SQLOrdering { SQLOrdering(SQLLiteralNode(literal: self)) }
}

/// SQL that a closure writes.
struct WrittenNode: SQLExpressionNode {
    let write: @Sendable (inout SQLRenderer) throws -> Void

    var precedence: SQLPrecedence { .unknown }

    func render(to renderer: inout SQLRenderer) throws {
        try write(&renderer)
    }
}

/// SQL that stands for an expression, a selection, or an ordering term.
private struct SQLLiteralNode: SQLExpressionNode, SQLSelectionNode, SQLOrderingNode {
    let literal: SQL

    /// Nothing is known of what the SQL holds.
    var precedence: SQLPrecedence { .unknown }

    func render(to renderer: inout SQLRenderer) throws {
        // How deep in SQLite's tree the expressions in it are is not known.
        let depth = renderer.expressionDepth
        renderer.expressionDepth = 0
        try literal.render(to: &renderer)
        renderer.expressionDepth = depth
    }

    var reversed: SQLOrdering { SQLOrdering(IrreversibleOrderingNode(literal: literal)) }
}

/// The error of an ordering that was to be reversed, thrown when it is used.
private struct IrreversibleOrderingNode: SQLOrderingNode {
    let literal: SQL

    func render(to renderer: inout SQLRenderer) throws {
        let sql = try literal.build(renderer.database).sql
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "an ordering by SQL can't be reversed: \(sql). Order by an expression with asc or desc instead")
    }

    var reversed: SQLOrdering { literal.sqlOrdering }
}
