import SQLiteDriver

/// Writes SQL and collects its arguments: the context in which expressions, selections and requests are rendered.
///
/// ```swift
/// var renderer = SQLRenderer(database: db)
/// renderer.append("SELECT ")
/// try renderer.append(expression)
/// let statement = try db.makeStatement(sql: renderer.sql)
/// try statement.setArguments(renderer.arguments)
/// ```
public struct SQLRenderer {
    /// The connection, for what depends on its schema.
    public let database: Database

    /// The SQL that was written so far.
    public var sql: String { text.string }

    var text = SQLText()

    /// The arguments that came with SQL of their own, and those before them.
    private var earlierArguments = StatementArguments()

    /// The arguments that were written one by one, in order, since ``append(sql:arguments:)`` was last used. ``arguments`` has all.
    public private(set) var values: [DatabaseValue] = []

    /// The number of parameters that were written one by one.
    public private(set) var parameterCount = 0

    /// The greatest ``expressionDepth`` so far.
    public internal(set) var maximumExpressionDepth = 0

    /// What depends on the place in the query.
    var context = Context()

    /// What is put off until the node that writes has returned. It is empty where nothing was.
    var steps: [Step] = []

    /// Whether expressions are put off, instead of being written by recursion.
    var putsOff = false

    /// How many expressions are being written by recursion, one inside of the other.
    var recursionDepth = 0

    /// How many renderers this one is nested in.
    var nestingDepth = 0

    /// Where the texts begin that are to be rewritten.
    var rewritingStarts: [Int] = []

    /// Makes a renderer that has written nothing.
    public init(database: Database) {
        self.database = database
    }

    /// The arguments of the SQL that was written so far.
    public var arguments: StatementArguments {
        earlierArguments.isEmpty ? StatementArguments(values) : earlierArguments &+ StatementArguments(values)
    }

    /// Writes SQL as it is.
    public mutating func append(_ text: String) {
        if steps.isEmpty { self.text.append(text) } else { steps.append(.text(text)) }
    }

    /// Writes a minus sign, and a space after it where another minus sign follows: two of them begin a comment.
    public mutating func appendMinusSign() {
        if steps.isEmpty { text.appendMinusSign() } else { steps.append(.minusSign) }
    }

    /// Writes SQL as it is, and keeps the values of its parameters.
    ///
    /// - Parameters:
    ///   - sql: SQL, maybe with parameters.
    ///   - arguments: their values, by position or by name.
    /// - Throws: ``DatabaseError`` when a name has another value already.
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

    /// A renderer in the same context that has written nothing, for SQL that is changed before it becomes part of this one's.
    ///
    /// ```swift
    /// var nested = renderer.nested()
    /// try request.render(to: &nested)
    /// try renderer.append(nested, as: nested.sql.uppercased())
    /// ```
    public func nested() -> SQLRenderer {
        var nested = self
        nested.text = SQLText()
        nested.earlierArguments = StatementArguments()
        nested.values = []
        nested.parameterCount = 0
        nested.maximumExpressionDepth = context.expressionDepth
        nested.steps = []
        nested.putsOff = false
        nested.rewritingStarts = []
        nested.nestingDepth += 1
        return nested
    }

    /// Writes what a nested renderer has written, with its arguments.
    ///
    /// - Parameters:
    ///   - nested: what ``nested()`` returned.
    ///   - sql: its SQL as it is to be written, with the same parameters.
    /// - Throws: ``DatabaseError`` when a name has another value already.
    public mutating func append(_ nested: SQLRenderer, as sql: String) throws {
        try append(sql: sql, arguments: nested.arguments)
        parameterCount += nested.parameterCount
        maximumExpressionDepth = max(maximumExpressionDepth, nested.maximumExpressionDepth)
    }

    /// Writes a name in double quotes.
    public mutating func append(identifier: String) {
        if steps.isEmpty { text.append(identifier: identifier) } else { steps.append(.identifier(identifier)) }
    }

    /// Writes a parameter, and keeps its value; or writes the value, see ``writesLiterals``.
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

    /// Writes an expression that is an operand, in parentheses if it is looser than the operator.
    ///
    /// - Parameters:
    ///   - expression: the operand.
    ///   - precedence: the least that the operand may have without parentheses.
    public mutating func append(_ expression: SQLExpression, atLeast precedence: SQLPrecedence) throws {
        if case .leaf(let node) = expression.storage, node.precedence >= precedence {
            try append(leaf: node, of: expression)
        } else if expression.precedence < precedence {
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
