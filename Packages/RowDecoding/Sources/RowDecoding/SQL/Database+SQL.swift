import ValueConversion

// The driver's methods for SQL strings and arguments, for ``SQL`` literals.

extension Database {
    /// Runs one or more statements.
    ///
    /// ```swift
    /// try db.execute(literal: "UPDATE player SET name = \(name) WHERE id = \(id)")
    /// ```
    ///
    /// - Parameter literal: statements separated by semicolons.
    /// - Throws: the error of a value that can't be stored, before anything runs, or ``DatabaseError``. Statements before the failed
    ///   statement have run: use a transaction to undo them.
    public func execute(literal: SQL) throws {
        let (sql, arguments) = try literal.build(self)
        try execute(sql: sql, arguments: arguments)
    }

    /// Prepares a statement, and sets its arguments.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(
    ///     literal: "SELECT * FROM player WHERE score > \(1000)")
    /// ```
    ///
    /// If the literal has parameters and no values, as in `"… WHERE score > ?"`, the statement needs arguments before it runs.
    ///
    /// - Parameter literal: one statement; comments are allowed.
    /// - Returns: a new statement, which the connection does not share.
    /// - Throws: the error of a value that can't be stored, or ``DatabaseError`` when the SQL does not compile, holds no statement,
    ///   or more than one.
    public func makeStatement(literal: SQL) throws -> Statement {
        let (sql, arguments) = try literal.buildStatement(self)
        let statement = try makeStatement(sql: sql)
        if !arguments.isEmpty { try statement.setArguments(arguments) }
        return statement
    }

    /// Returns a prepared statement from the connection's cache, with its arguments set.
    ///
    /// ```swift
    /// let statement = try db.cachedStatement(
    ///     literal: "INSERT INTO player (name) VALUES (\(name))")
    /// ```
    ///
    /// If the literal has parameters and no values, the statement needs arguments before it runs.
    ///
    /// - Parameter literal: one statement; comments are allowed.
    /// - Throws: the error of a value that can't be stored, or ``DatabaseError`` when the SQL does not compile, holds no statement,
    ///   or more than one.
    public func cachedStatement(literal: SQL) throws -> Statement {
        let (sql, arguments) = try literal.buildStatement(self)
        let statement = try reusedStatement(sql: sql)
        if arguments.isEmpty { statement.removeArguments() } else { try statement.setArguments(arguments) }
        return statement
    }

    /// Returns a cursor over the statements of some SQL. It prepares them one by one, and sets their arguments.
    ///
    /// ```swift
    /// let statements = try db.allStatements(literal: """
    ///     INSERT INTO player (name) VALUES (\(name));
    ///     INSERT INTO team (name) VALUES (\(team));
    ///     """)
    /// try statements.forEach { try $0.execute() }
    /// ```
    ///
    /// If the literal has parameters and no values, each statement needs arguments before it runs.
    ///
    /// - Parameter literal: statements separated by semicolons.
    /// - Returns: a cursor that must be used in this database access.
    /// - Throws: the error of a value that can't be stored.
    public func allStatements(literal: SQL) throws -> SQLStatementCursor {
        let (sql, arguments) = try literal.build(self)
        return try allStatements(sql: sql, arguments: arguments.isEmpty ? nil : arguments)
    }
}
