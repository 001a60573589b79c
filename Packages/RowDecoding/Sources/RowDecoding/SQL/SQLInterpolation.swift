import ValueConversion

/// The interpolations of ``SQL`` and ``SQLRequest``.
///
/// ```swift
/// let name = "Arthur"
/// let ids = [1, 2, 3]
/// let order: SQL = "ORDER BY name"
/// let query: SQL = """
///     SELECT * FROM \(identifier: "player")
///     WHERE name = \(name) AND id IN \(ids) \(order)
///     """
/// // SELECT * FROM "player"
/// // WHERE name = ? AND id IN (?, ?, ?) ORDER BY name
/// ```
///
/// | interpolation | its SQL |
/// |---|---|
/// | a value, an optional value | `?` |
/// | a sequence of values | `(?, ?, ?)`; for an empty one, a subquery without rows |
/// | an expression, a selection, an ordering term | its SQL; NULL for a selection that is nil |
/// | a request | `SELECT …`, without parentheses |
/// | other ``SQL``, with or without `literal:` | as it is |
/// | a collation | its name |
/// | `identifier:` | the name, quoted |
/// | `sql:arguments:` | as it is |
///
/// Upper layers add their types in extensions that append ``SQL``.
public struct SQLInterpolation: StringInterpolationProtocol {
    /// The SQL so far.
    private(set) var sql: SQL

    /// Creates an empty interpolation.
    public init(literalCapacity: Int, interpolationCount: Int) {
        sql = SQL(fragments: [])
    }

    /// Adds the text between two interpolations.
    public mutating func appendLiteral(_ text: String) {
        guard !text.isEmpty else { return }
        sql.append(sql: text)
    }

    // MARK: - Values and expressions

    /// Adds a value, which becomes an argument, or an expression: `\(name)`.
    ///
    /// A value that SQLite can't hold throws when the SQL is built.
    public mutating func appendInterpolation(_ expression: any SQLExpressible) {
        sql += SQL(expression)
    }

    /// Adds a value, which becomes an argument, or an expression, or NULL for nil: `\(name)`.
    ///
    /// A value that SQLite can't hold throws when the SQL is built.
    public mutating func appendInterpolation<Expression: SQLExpressible>(_ expression: Expression?) {
        sql += SQL(expression)
    }

    /// Adds values, which become arguments, in parentheses: `WHERE id IN \(ids)`.
    ///
    /// An empty sequence is `(SELECT NULL WHERE NULL)`: `IN` is false, and `NOT IN` is true, for any value.
    @_disfavoredOverload
    public mutating func appendInterpolation<Elements: Sequence>(_ elements: Elements) where Elements.Element: SQLExpressible {
        append(list: elements.map(\.sqlExpression))
    }

    /// Adds values of different types, which become arguments, in parentheses: `WHERE id IN \(ids)`.
    ///
    /// An empty sequence is `(SELECT NULL WHERE NULL)`: `IN` is false, and `NOT IN` is true, for any value.
    @_disfavoredOverload
    public mutating func appendInterpolation(_ elements: some Sequence<any SQLExpressible>) {
        append(list: elements.map(\.sqlExpression))
    }

    /// Adds values of different types, which become arguments, in parentheses: `WHERE id IN \(ids)`.
    ///
    /// An empty sequence is `(SELECT NULL WHERE NULL)`: `IN` is false, and `NOT IN` is true, for any value.
    @_disfavoredOverload
    public mutating func appendInterpolation(_ elements: some Sequence<any DatabaseValueConvertible>) {
        append(list: elements.map(\.sqlExpression))
    }

    private mutating func append(list: [SQLExpression]) {
        if list.isEmpty {
            // `x IN (NULL)` would be NULL, and so would `x NOT IN (NULL)`.
            sql.append(sql: "(SELECT NULL WHERE NULL)")
            return
        }
        sql += SQL(depth: SQLDepth(of: list)) { renderer in
            renderer.append("(")
            try renderer.append(list, separator: ", ") { try $0.append($1) }
            renderer.append(")")
        }
    }

    /// Adds a selection.
    @_disfavoredOverload
    public mutating func appendInterpolation(_ selectable: any SQLSelectable) {
        let selection = selectable.sqlSelection
        sql += SQL(depth: selection.depth) { try $0.append(selection) }
    }

    /// Adds a selection, or NULL for nil.
    @_disfavoredOverload
    public mutating func appendInterpolation(_ selectable: (any SQLSelectable)?) {
        guard let selectable else { return appendInterpolation(SQLExpression.null) }
        appendInterpolation(selectable)
    }

    /// Adds an ordering term.
    @_disfavoredOverload
    public mutating func appendInterpolation(_ term: any SQLOrderingTerm) {
        let ordering = term.sqlOrdering
        sql += SQL(depth: ordering.depth) { try $0.append(ordering) }
    }

    /// Adds the name of a collation: `ORDER BY name COLLATE \(.nocase)`. Names are quoted, except the names of SQLite's own collations.
    public mutating func appendInterpolation(_ collation: Database.CollationName) {
        if [.binary, .nocase, .rtrim].contains(collation) {
            sql.append(sql: collation.rawValue)
        } else {
            appendInterpolation(identifier: collation.rawValue)
        }
    }

    /// Adds the name of a Swift collation, quoted: `ORDER BY name COLLATE \(.localizedCompare)`.
    public mutating func appendInterpolation(_ collation: DatabaseCollation) {
        appendInterpolation(identifier: collation.name)
    }

    /// Adds the column of a coding key, quoted: `\(CodingKeys.name)`.
    @_disfavoredOverload
    public mutating func appendInterpolation(_ key: some CodingKey) {
        appendInterpolation(identifier: key.stringValue)
    }

    /// Adds the query of a request, without parentheses: `SELECT * FROM (\(request))`.
    ///
    /// An expression that contains a request writes the parentheses itself: `SELECT \(Column("score") == request)`.
    public mutating func appendInterpolation(_ request: any SQLSubqueryable) {
        let subquery = request.sqlSubquery
        sql += SQL(depth: subquery.depth) { try subquery.render(to: &$0) }
    }

    // MARK: - SQL

    /// Adds the name of a table, a column or the like, quoted: `\(identifier: "player")`.
    public mutating func appendInterpolation(identifier: String) {
        sql += SQL { $0.append(identifier: identifier) }
    }

    /// Adds other SQL, with its arguments: `\(condition)`.
    public mutating func appendInterpolation(_ sql: SQL) {
        self.sql += sql
    }

    /// Adds other SQL, with its arguments: `\(literal: "score > \(1000)")`.
    public mutating func appendInterpolation(literal sql: SQL) {
        self.sql += sql
    }

    /// Adds SQL from a string: `\(sql: condition, arguments: [1000])`.
    ///
    /// - Parameters:
    ///   - text: SQL. Use parameters for values that are not known to be safe.
    ///   - arguments: the values of its parameters.
    public mutating func appendInterpolation(sql text: String, arguments: StatementArguments = StatementArguments()) {
        sql.append(sql: text, arguments: arguments)
    }
}
