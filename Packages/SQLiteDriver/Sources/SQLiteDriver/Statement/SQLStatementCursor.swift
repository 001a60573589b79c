extension Database {
    /// Returns the statements of some SQL, which are prepared one by one.
    ///
    /// ```swift
    /// let statements = try db.allStatements(
    ///     sql: """
    ///         INSERT INTO player (name) VALUES (?);
    ///         INSERT INTO team (name) VALUES (?);
    ///         """,
    ///     arguments: ["Arthur", "Reds"])
    /// while let statement = try statements.next() {
    ///     try statement.execute()
    /// }
    /// ```
    ///
    /// A statement is prepared when the cursor reaches it: it may use tables that the previous statements have created.
    ///
    /// - Parameters:
    ///   - sql: statements separated by semicolons. Comments and empty statements are skipped.
    ///   - arguments: the arguments of all statements. Each statement takes as many of the positional arguments as it needs, in order,
    ///     and the named arguments that it names. When nil, the statements get no arguments.
    /// - Returns: a cursor over the statements, which must be used in this database access.
    public func allStatements(sql: String, arguments: StatementArguments? = nil) throws -> SQLStatementCursor {
        checkAccess()
        return try SQLStatementCursor(database: self, sql: sql, arguments: arguments)
    }
}

/// A cursor over the statements of some SQL, which are prepared one by one.
///
/// It must be used in the database access in which it was created. After an error, it has no more statements.
public final class SQLStatementCursor {
    private let database: Database
    private var statements: ScriptStatements
    private var hasFailed = false

    init(database: Database, sql: String, arguments: StatementArguments?) throws {
        self.database = database
        statements = try ScriptStatements(sql: sql, arguments: arguments)
    }

    /// Returns the next statement, with its arguments, or nil after the last one.
    ///
    /// - Throws: ``DatabaseError`` if the statement does not compile, if arguments are missing or can't be stored, and, for the
    ///   last statement, if unused arguments are left.
    public func next() throws -> Statement? {
        database.checkAccess()
        if hasFailed { return nil }
        do {
            return try statements.next(database)
        } catch {
            hasFailed = true
            throw error
        }
    }
}

/// The statements of some SQL, with their arguments. It is not an object, so that running SQL allocates none for it.
struct ScriptStatements: ~Copyable {
    private let sql: String
    private let arguments: StatementArguments?
    private let script: SQLScript
    private var positions: ArraySlice<StatementArguments.Argument>

    init(sql: String, arguments: StatementArguments?) throws {
        self.sql = sql
        self.arguments = arguments
        script = try SQLScript(sql)
        positions = arguments?.values[...] ?? []
    }

    /// Returns the next statement, with its arguments: see ``SQLStatementCursor/next()``.
    mutating func next(_ database: Database) throws -> Statement? {
        let statement = try script.nextStatement(database)
        guard let arguments else { return statement }
        let values = try statement?.resolve(arguments, positions: &positions) ?? []
        if !positions.isEmpty, statement == nil || script.isAtEnd(database) {
            let given = arguments.values.count + arguments.namedValues.count
            throw DatabaseError(
                code: .SQLITE_MISUSE,
                message: "wrong number of statement arguments: \(given - positions.count) expected, \(given) given",
                sql: sql, arguments: arguments, publicStatementArguments: database.configuration.publicStatementArguments,
                advice: "Pass one value for each parameter.")
        }
        try statement?.bind(values, from: arguments)
        return statement
    }
}
