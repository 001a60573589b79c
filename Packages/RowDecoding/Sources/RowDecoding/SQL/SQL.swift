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
        /// Whatever writes itself.
        case rendered(@Sendable (inout SQLRenderer) throws -> Void)
    }

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
        let expression = expression.sqlExpression
        self.init { try $0.append(expression) }
    }

    /// Makes a piece of SQL that is written late, when the connection is known.
    ///
    /// It serves layers whose types write themselves, and extend ``SQLInterpolation`` with them.
    ///
    /// - Parameter render: writes the SQL.
    public init(rendering render: @escaping @Sendable (inout SQLRenderer) throws -> Void) {
        fragments = [.rendered(render)]
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
            case .rendered(let render): try render(&renderer)
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
}

// MARK: - Putting SQL together

extension SQL {
    /// Both pieces, one after the other, with nothing in between.
    public static func + (lhs: SQL, rhs: SQL) -> SQL {
        SQL(fragments: lhs.fragments + rhs.fragments)
    }

    /// Adds a piece at the end, with nothing in between.
    public static func += (lhs: inout SQL, rhs: SQL) {
        lhs.fragments += rhs.fragments
    }

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

/// SQL that stands for an expression, a selection, or an ordering term.
private struct SQLLiteralNode: SQLExpressionNode, SQLSelectionNode, SQLOrderingNode {
    let literal: SQL

    /// Nothing is known of what the SQL holds.
    var precedence: SQLPrecedence { .unknown }

    func render(to renderer: inout SQLRenderer) throws {
        try literal.render(to: &renderer)
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
