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

    private var text = SQLText()

    /// The arguments that came with SQL of their own, and those before them.
    private var earlierArguments = StatementArguments()

    /// The arguments that were written one by one, in order, since ``append(sql:arguments:)`` was last used. ``arguments`` has all.
    public private(set) var values: [DatabaseValue] = []

    /// The number of parameters that were written one by one.
    public private(set) var parameterCount = 0

    /// The name by which columns that name no table are qualified, or nil where there is one table only.
    public var qualifier: String?

    /// The name of the table to which columns belong that name none, whether they are qualified or not.
    public var sourceName: String?

    /// The columns that `*` stands for where the query has one table, or in the part of it that belongs to one table.
    public var sourceColumns: (@Sendable (Database) throws -> [String])?

    /// The type of the records that the table holds, where it is known: it may have a say in how values are stored in the table's columns.
    public var sourceRecordType: Any.Type?

    /// The names that the query gives to results, in lower case: columns that only look like those of a table.
    public var outputNames: Set<String> = []

    /// The names of the tables of this query and of those around it that subqueries must not use for theirs.
    public var reservedNames: Set<String> = []

    /// Whether values are written into the SQL: where SQLite takes no parameters, as in the definitions of tables and views.
    public var writesLiterals = false

    /// Whether a long list of values becomes one argument, so that their number does not exceed the one that SQLite allows.
    public var packsLists = false

    /// The names that stand for table aliases in this query. An alias is an object, whose name is decided here, late, so that
    /// the same one can be used in several requests.
    public var aliasNames: [ObjectIdentifier: String] = [:]

    /// For each table alias of this query, the columns of which one at least is not NULL in every row of its table.
    public var aliasKeys: [ObjectIdentifier: @Sendable (Database) throws -> [String]] = [:]

    /// For each table alias of this query, the type of the records that its table holds.
    public var aliasRecordTypes: [ObjectIdentifier: Any.Type] = [:]

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
        self.text.append(text)
    }

    /// Writes SQL as it is, and keeps the values of its parameters.
    ///
    /// - Parameters:
    ///   - sql: SQL, maybe with parameters.
    ///   - arguments: their values, by position or by name.
    /// - Throws: ``DatabaseError`` when a name has another value already.
    public mutating func append(sql: String, arguments: StatementArguments) throws {
        append(sql)
        guard !arguments.isEmpty else { return }
        if writesLiterals {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "the parameters of SQL can't have values here: interpolate the values into an SQL literal", sql: sql)
        }
        var merged = self.arguments
        let replaced = merged.append(contentsOf: arguments)
        if !replaced.isEmpty {
            var replacing = arguments
            let old: [String: (any StatementBinding)?] = replaced.mapValues { $0 }
            let new = replacing.append(contentsOf: StatementArguments(old))
            if let name = replaced.keys.sorted().first(where: { new[$0] != replaced[$0] }) {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE, message: "two values for the statement argument \(name)", sql: self.sql)
            }
        }
        earlierArguments = merged
        values = []
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
    }

    /// Writes a name in double quotes.
    public mutating func append(identifier: String) {
        text.append(identifier: identifier)
    }

    /// Writes a parameter, and keeps its value; or writes the value, see ``writesLiterals``.
    public mutating func append(argument value: DatabaseValue) {
        if writesLiterals {
            append(value.sqlLiteral)
            return
        }
        append("?")
        parameterCount += 1
        values.append(value)
    }

    /// Writes an expression.
    public mutating func append(_ expression: SQLExpression) throws {
        try expression.node.render(to: &self)
    }

    /// Writes an expression that is an operand, in parentheses if it is looser than the operator.
    ///
    /// - Parameters:
    ///   - expression: the operand.
    ///   - precedence: the least that the operand may have without parentheses.
    public mutating func append(_ expression: SQLExpression, atLeast precedence: SQLPrecedence) throws {
        if expression.node.precedence < precedence {
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
