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

    var text = SQLText()

    /// The arguments passed to ``append(sql:arguments:)``, and all those before them.
    private var earlierArguments = StatementArguments()

    /// The values passed to ``append(argument:)`` since the last call of ``append(sql:arguments:)``. ``arguments`` contains all arguments.
    package private(set) var values: [DatabaseValue] = []

    /// The number of parameters written by ``append(argument:)``.
    package private(set) var parameterCount = 0

    /// The greatest ``expressionDepth`` that has been reached.
    package internal(set) var maximumExpressionDepth = 0

    /// The state that depends on the position in the query.
    var context = Context()

    /// The tables of all rendered queries with joins, in the form of the layer that joins them, for advice about errors.
    package var joinedQueries: [AnyObject] = []

    /// The names of the tables that the SQL refers to by their aliases; nil unless the layer that joins tables asks for them.
    package var referencedTables: Set<String>?

    /// The steps deferred until the current node's `render` method returns. Empty unless an expression was deferred.
    var steps: [Step] = []

    /// Whether expressions are deferred, instead of being rendered by recursion.
    var defersNodes = false

    /// The number of nested expressions that are being rendered by recursion.
    var recursionDepth = 0

    /// The number of renderers in which this one is nested.
    var nestingDepth = 0

    /// The beginnings of the texts to be rewritten.
    var rewritingStarts: [Int] = []

    /// Creates a renderer without SQL.
    public init(database: Database) {
        self.database = database
    }

    /// The arguments of the SQL that has been written.
    public var arguments: StatementArguments {
        earlierArguments.isEmpty ? StatementArguments(values) : earlierArguments &+ StatementArguments(values)
    }

    /// Writes SQL.
    public mutating func append(_ text: String) {
        if steps.isEmpty { self.text.append(text) } else { steps.append(.text(text)) }
    }

    /// Writes a minus sign, followed by a space if the next character is another minus sign: two of them begin a comment.
    package mutating func appendMinusSign() {
        if steps.isEmpty { text.appendMinusSign() } else { steps.append(.minusSign) }
    }

    /// Writes SQL with arguments.
    ///
    /// - Parameters:
    ///   - sql: SQL, which may have parameters.
    ///   - arguments: the values of the parameters, by position or by name.
    /// - Throws: ``DatabaseError`` when a named parameter already has another value.
    public mutating func append(sql: String, arguments: StatementArguments) throws {
        guard steps.isEmpty else {
            steps.append(.sql(sql, arguments, context))
            return
        }
        append(sql)
        guard !arguments.isEmpty else { return }
        if writesLiterals {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "the parameters of SQL can't have values here: interpolate the values into an SQL literal", sql: sql)
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
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE, message: "two values for the statement argument \(name)", sql: self.sql)
            }
        }
    }

    /// Returns an empty renderer with the same context, for SQL to transform before it becomes part of this renderer's SQL.
    package func nested() -> SQLRenderer {
        var nested = self
        nested.text = SQLText()
        nested.earlierArguments = StatementArguments()
        nested.values = []
        nested.parameterCount = 0
        nested.maximumExpressionDepth = context.expressionDepth
        nested.steps = []
        nested.defersNodes = false
        nested.rewritingStarts = []
        nested.nestingDepth += 1
        return nested
    }

    /// Writes the SQL of a nested renderer, with its arguments.
    ///
    /// - Parameters:
    ///   - nested: the renderer returned by ``nested()``.
    ///   - sql: the SQL to write, with the same parameters as that of the nested renderer.
    /// - Throws: ``DatabaseError`` when a named parameter already has another value.
    package mutating func append(_ nested: SQLRenderer, as sql: String) throws {
        try append(sql: sql, arguments: nested.arguments)
        parameterCount += nested.parameterCount
        maximumExpressionDepth = max(maximumExpressionDepth, nested.maximumExpressionDepth)
        joinedQueries += nested.joinedQueries
        if let tables = nested.referencedTables { referencedTables?.formUnion(tables) }
    }

    /// Writes a quoted identifier.
    public mutating func append(identifier: String) {
        if steps.isEmpty { text.append(identifier: identifier) } else { steps.append(.identifier(identifier)) }
    }

    /// Writes a parameter, and stores its value. Where SQLite allows no parameters, writes the value as a literal.
    public mutating func append(argument value: DatabaseValue) {
        guard steps.isEmpty else {
            steps.append(.argument(value, context))
            return
        }
        if writesLiterals {
            append(value.sqlLiteral)
            return
        }
        append("?")
        parameterCount += 1
        values.append(value)
    }

    /// Writes the parameter of a value that SQLite may not be able to store.
    mutating func append(argumentOf value: () throws -> DatabaseValue) throws {
        do {
            append(argument: try value())
        } catch let error as DatabaseError {
            throw error.showingValues(database.configuration.publicStatementArguments)
        }
    }

    /// Writes an operand, in parentheses if its precedence is lower than that of the operator.
    ///
    /// - Parameters:
    ///   - expression: the operand.
    ///   - precedence: the lowest precedence of an operand without parentheses.
    public mutating func append(_ expression: SQLExpression, atLeast precedence: SQLPrecedence) throws {
        if expression.precedence < precedence {
            append("(")
            try append(expression)
            append(")")
        } else {
            try append(expression)
        }
    }

    /// Writes a selection.
    public mutating func append(_ selection: SQLSelection) throws {
        try selection.node.render(to: &self)
    }

    /// Writes an ordering term.
    public mutating func append(_ ordering: SQLOrdering) throws {
        try ordering.node.render(to: &self)
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
}
