import SQLiteDriver

/// Generates SQL with its arguments. Expressions, selections and requests write themselves into a renderer.
///
/// ```swift
/// var renderer = SQLRenderer(database: db)
/// renderer.append("SELECT ")
/// try renderer.append(expression)
/// let statement = try db.makeStatement(sql: renderer.sql)
/// try statement.setArguments(renderer.arguments)
/// ```
public struct SQLRenderer {
    /// The connection, for SQL that depends on the schema.
    public let database: Database

    /// The SQL that has been written.
    public var sql: String { text.string }

    private var text = SQLText()

    /// The number of bytes of the SQL.
    var sqlLength: Int { text.count }

    /// The arguments passed to ``append(sql:arguments:)``, and all arguments before them.
    private var earlierArguments = StatementArguments()

    /// The values passed to ``append(argument:)`` since the last call of ``append(sql:arguments:)``. ``arguments`` contains all arguments.
    package private(set) var values: [DatabaseValue] = []

    /// Where each of the ``arguments`` comes from. Nil if the caller does not request it, or if it is unknown.
    package var origins: [ArgumentOrigin]?

    /// The scope that resolves names at the current position.
    package var scope = SQLScope()

    /// Whether values are written as literals, because SQLite allows no parameters, as in the definitions of tables and views.
    package var writesLiterals = false

    /// Whether long lists of values are packed into one argument, because the SQL would have more parameters than SQLite allows.
    package var packsLists = false

    /// The values of places in the query, and in the queries around it.
    package var places: [PlaceValues] = []

    /// The facts about the SQL that has been written.
    package var counts = Counts()

    /// Whether to collect ``Counts/handwritten``. By default, this is true while accesses are being recorded.
    package var keepsHandwrittenSQL: Bool

    /// The depth of the current position in SQLite's expression tree, as far as it is known: see ``checkLimits()``.
    package private(set) var expressionDepth = 0

    /// The number of nested expressions that are being written.
    private var level = 0

    /// Facts about the written SQL, so that it need not be parsed for them.
    package struct Counts {
        /// The number of parameters written by ``SQLRenderer/append(argument:)``.
        package internal(set) var parameters = 0

        /// The greatest ``SQLRenderer/expressionDepth`` that has been reached.
        package internal(set) var expressionDepth = 0

        /// How often the SQL reads the rows of tables: the number of queries, without the queries in ``handwritten``.
        package internal(set) var queries = 0

        /// The pieces of SQL that programs have written, if ``SQLRenderer/keepsHandwrittenSQL``.
        package internal(set) var handwritten: [String] = []

        /// The scopes of all queries with joins, for advice about errors.
        package var joins: [[any SQLScopeTable]] = []

        /// The names of the tables that the SQL refers to by their aliases.
        package var referencedTables: Set<String> = []
    }

    /// Creates a renderer without SQL.
    public init(database: Database) {
        self.database = database
        keepsHandwrittenSQL = database.isRecordingAccesses
    }

    /// The arguments of the SQL that has been written.
    public var arguments: StatementArguments {
        earlierArguments.isEmpty ? StatementArguments(values) : earlierArguments &+ StatementArguments(values)
    }

    /// Writes SQL.
    public mutating func append(_ text: String) {
        self.text.append(text)
    }

    /// Writes the beginning of a query, or other SQL that reads the rows of tables, and counts it.
    package mutating func append(query sql: String) {
        append(sql)
        counts.queries += 1
    }

    /// Writes a minus sign, followed by a space if the next character is another minus sign: two of them begin a comment.
    package mutating func appendMinusSign() {
        text.appendMinusSign()
    }

    /// Writes SQL with arguments.
    ///
    /// - Parameters:
    ///   - sql: SQL, which may have parameters.
    ///   - arguments: the values of the parameters, by position or by name.
    /// - Throws: ``DatabaseError`` when a named parameter already has another value.
    public mutating func append(sql: String, arguments: StatementArguments) throws {
        append(sql)
        guard !arguments.isEmpty else { return }
        origins = nil
        if writesLiterals {
            throw DatabaseError.misuse(
                "the parameters of SQL can't have values here", sql: sql, advice: "Interpolate the values into an SQL literal.")
        }
        if !values.isEmpty {
            earlierArguments.append(contentsOf: StatementArguments(values))
            values = []
        }
        let replaced = earlierArguments.append(contentsOf: arguments)
        if !replaced.isEmpty {
            var replacing = arguments
            let old: [String: (any StatementBinding)?] = replaced.mapValues { $0 }
            let new = replacing.append(contentsOf: StatementArguments(old))
            if let name = replaced.keys.sorted().first(where: { new[$0] != replaced[$0] }) {
                throw DatabaseError.misuse("two values for the statement argument \(name)", sql: self.sql)
            }
        }
    }

    /// An empty renderer at the same position, for SQL that is examined instead of run.
    package var probe: SQLRenderer {
        var probe = self
        probe.text = SQLText()
        probe.earlierArguments = StatementArguments()
        probe.values = []
        probe.origins = nil
        probe.counts = Counts()
        probe.level += 1
        return probe
    }

    /// Writes SQL, and replaces it by other SQL.
    ///
    /// - Parameters:
    ///   - write: writes the SQL.
    ///   - rewrite: returns the SQL that replaces it, with the same parameters.
    package mutating func append(_ write: (inout SQLRenderer) throws -> Void, rewriting rewrite: (String) -> String) rethrows {
        let start = text.count
        try write(&self)
        text.replace(from: start, rewrite)
    }

    /// Writes a quoted identifier.
    public mutating func append(identifier: String) {
        text.append(identifier: identifier)
    }

    /// Writes a parameter, and stores its value. Where SQLite allows no parameters, writes the value as a literal.
    public mutating func append(argument value: DatabaseValue) {
        append(argument: value, from: .unknown)
    }

    mutating func append(argument value: DatabaseValue, from origin: ArgumentOrigin) {
        if writesLiterals {
            append(value.sqlLiteral)
            return
        }
        append("?")
        counts.parameters += 1
        values.append(value)
        origins?.append(origin)
    }

    /// Writes the parameter of a value that SQLite may not be able to store.
    ///
    /// - Parameters:
    ///   - leaf: the expression of the value.
    ///   - encoder: the column that has encoded the value, if any.
    ///   - value: the value.
    mutating func append(argumentOf leaf: some SQLTree, encoder: (any ValueEncoder)? = nil, _ value: () throws -> DatabaseValue) throws {
        do {
            append(argument: try value(), from: .value(ObjectIdentifier(leaf), encoder))
        } catch let error as DatabaseError {
            throw error.showingValues(database.configuration.publicStatementArguments)
        }
    }

    /// Writes an expression.
    ///
    /// - Throws: an error stored in the expression, or one that depends on the schema; ``DatabaseError`` when expressions, requests and
    ///   pieces of SQL are nested more than 60 levels deep.
    public mutating func append(_ expression: SQLExpression) throws {
        let outerDepth = expressionDepth
        expressionDepth += expression.tree.levelCount
        counts.expressionDepth = max(counts.expressionDepth, expressionDepth)
        level += 1
        defer { (expressionDepth, level) = (outerDepth, level - 1) }
        if level > SQLDepth.maximumLevels { throw SQLDepth.error }
        try expression.tree.write(to: &self)
    }

    /// Writes an operand, in parentheses if its precedence is lower than the precedence of the operator.
    ///
    /// - Parameters:
    ///   - expression: the operand.
    ///   - precedence: the lowest precedence of an operand without parentheses.
    public mutating func append(_ expression: SQLExpression, atLeast precedence: SQLPrecedence) throws {
        let hasParentheses = expression.precedence < precedence
        if hasParentheses { append("(") }
        try append(expression)
        if hasParentheses { append(")") }
    }

    /// Writes a selection.
    public mutating func append(_ selection: SQLSelection) throws {
        switch selection.content {
        case .expression(let expression): try append(expression)
        case .tree(let tree, _): try tree.render(to: &self)
        case .node(let node, _): try append(handwritten: node.render)
        }
    }

    /// Writes an ordering term.
    public mutating func append(_ ordering: SQLOrdering) throws {
        switch ordering.content {
        case .expression(let expression, let direction, let nulls):
            try append(expression)
            if let direction { append(" \(direction.rawValue)") }
            if let nulls { append(" NULLS \(nulls.rawValue)") }
        case .tree(let tree, _): try tree.render(to: &self)
        case .node(let node, _): try append(handwritten: node.render)
        }
    }

    /// Writes items with a separator between them.
    @inlinable
    public mutating func append<Item>(
        _ items: some Sequence<Item>, separator: String, _ write: (inout SQLRenderer, Item) throws -> Void
    ) rethrows {
        var isFirst = true
        for item in items {
            if !isFirst { append(separator) }
            isFirst = false
            try write(&self, item)
        }
    }

    // MARK: - Positions

    /// Writes SQL in another scope.
    package mutating func append(in scope: SQLScope, _ write: (inout SQLRenderer) throws -> Void) rethrows {
        let outer = self.scope
        self.scope = scope
        defer { self.scope = outer }
        try write(&self)
    }

    /// Writes operands that are some levels further down in SQLite's expression tree.
    package mutating func append(levelsBelow count: Int, _ write: (inout SQLRenderer) throws -> Void) rethrows {
        expressionDepth += count
        counts.expressionDepth = max(counts.expressionDepth, expressionDepth)
        defer { expressionDepth -= count }
        try write(&self)
    }

    /// Writes SQL whose expressions are in an expression tree of their own, such as a subquery, or whose depth is unknown.
    package mutating func append(atNewRoot write: (inout SQLRenderer) throws -> Void) rethrows {
        let outer = expressionDepth
        expressionDepth = 0
        defer { expressionDepth = outer }
        try write(&self)
    }

    /// Writes SQL of a program.
    mutating func append(handwritten write: (inout SQLRenderer) throws -> Void) rethrows {
        guard keepsHandwrittenSQL else { return try write(&self) }
        let (start, queries, texts) = (text.count, counts.queries, counts.handwritten.count)
        try write(&self)
        // The handwritten SQL and the queries inside it are part of its text.
        counts.queries = queries
        counts.handwritten.removeSubrange(texts...)
        counts.handwritten.append(text.string(from: start))
    }
}

extension SQLRenderer.Counts {
    /// Returns whether the SQL contains at most `count` queries. Handwritten SQL is searched for queries.
    package func reads(queries count: Int) -> Bool {
        var count = count - queries
        for sql in handwritten {
            let tokens = SQLTokens(sql)
            // `IN "table"` reads a table without a SELECT.
            guard tokens.comments.isEmpty,
                !tokens.tokens.indices.contains(where: { tokens.keyword($0) == "IN" && tokens.text($0 + 1) != "(" })
            else { return false }
            count -= tokens.tokens.indices.count { tokens.keyword($0) == "SELECT" }
        }
        return count == 0
    }
}
