import ValueConversion

/// A request written in SQL.
///
/// ```swift
/// let request: SQLRequest<Player> = """
///     SELECT * FROM player WHERE score > \(1000)
///     """
/// let players = try request.fetchAll(db)
/// ```
///
/// Interpolated values become arguments: see ``SQLInterpolation``.
public struct SQLRequest<RowDecoder>: FetchRequest {
    /// The row adapter, if any.
    public var adapter: (any RowAdapter)?

    private let literal: SQL
    private let cached: Bool

    /// Creates a request from SQL and arguments.
    ///
    /// ```swift
    /// let request = SQLRequest<Player>(
    ///     sql: "SELECT * FROM player WHERE name = ?", arguments: ["Arthur"])
    /// ```
    ///
    /// - Parameters:
    ///   - sql: a query.
    ///   - arguments: the query's arguments.
    ///   - adapter: changes the columns of the rows, or adds scopes.
    ///   - cached: whether the connection caches the prepared statement.
    public init(
        sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil, cached: Bool = false
    ) {
        self.init(literal: SQL(sql: sql, arguments: arguments), adapter: adapter, cached: cached)
    }

    /// Creates a request from SQL with interpolations.
    ///
    /// ```swift
    /// let request = SQLRequest<Player>(
    ///     literal: "SELECT * FROM player WHERE name = \(name)")
    /// ```
    ///
    /// - Parameters:
    ///   - literal: a query.
    ///   - adapter: changes the columns of the rows, or adds scopes.
    ///   - cached: whether the connection caches the prepared statement.
    public init(literal: SQL, adapter: (any RowAdapter)? = nil, cached: Bool = false) {
        self.literal = literal
        self.adapter = adapter
        self.cached = cached
    }

    /// Returns the same query with results of another type.
    public func asRequest<Other>(of type: Other.Type) -> SQLRequest<Other> {
        SQLRequest<Other>(literal: literal, adapter: adapter, cached: cached)
    }

    /// Prepares the query.
    ///
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    public func makePreparedRequest(_ db: Database, forSingleResult: Bool) throws -> PreparedRequest {
        let statement = cached ? try db.cachedStatement(literal: literal) : try db.makeStatement(literal: literal)
        return PreparedRequest(statement: statement, adapter: adapter)
    }

    /// The query, without the white space and the semicolons at its end.
    public var sqlSubquery: SQLSubquery {
        let literal = literal
        return SQLSubquery(depth: literal.depth, isHandwritten: true) { renderer in
            try renderer.append({ try literal.render(to: &$0) }, rewriting: \.asSubquery)
        }
    }
}

extension SQLRequest where RowDecoder == Row {
    /// Creates a request for rows.
    ///
    /// - Parameters:
    ///   - sql: a query.
    ///   - arguments: the query's arguments.
    ///   - adapter: changes the columns of the rows, or adds scopes.
    ///   - cached: whether the connection caches the prepared statement.
    public init(
        sql: String, arguments: StatementArguments = StatementArguments(), adapter: (any RowAdapter)? = nil, cached: Bool = false
    ) {
        self.init(literal: SQL(sql: sql, arguments: arguments), adapter: adapter, cached: cached)
    }

    /// Creates a request for rows.
    ///
    /// - Parameters:
    ///   - literal: a query.
    ///   - adapter: changes the columns of the rows, or adds scopes.
    ///   - cached: whether the connection caches the prepared statement.
    public init(literal: SQL, adapter: (any RowAdapter)? = nil, cached: Bool = false) {
        self = SQLRequest<Never>(literal: literal, adapter: adapter, cached: cached).asRequest(of: Row.self)
    }
}

extension SQLRequest: ExpressibleByStringInterpolation {
    /// Creates a request from a string literal.
    public init(stringLiteral text: String) {
        self.init(literal: SQL(sql: text), adapter: nil, cached: false)
    }

    /// Creates a request from a string literal with interpolations.
    public init(stringInterpolation interpolation: SQLInterpolation) {
        self.init(literal: interpolation.sql, adapter: nil, cached: false)
    }
}

extension String {
    /// The SQL in a form that can be followed by a closing parenthesis.
    fileprivate var asSubquery: String {
        var text = self[...]
        while let last = text.last, last.isWhitespace || last == ";" { text.removeLast() }
        // A comment at the end of the SQL would hide the parenthesis.
        return text.contains("--") ? text + "\n" : String(text)
    }
}
