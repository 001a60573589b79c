import CSQLiteShims

extension Database {
    /// Prepares a statement.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "INSERT INTO player (name, score) VALUES (:name, :score)")
    /// try statement.execute(arguments: ["name": "Arthur", "score": 1000])
    /// ```
    ///
    /// - Parameter sql: one statement, and maybe comments.
    /// - Returns: a statement that is yours alone; ``cachedStatement(sql:)`` saves preparing one that is used often.
    /// - Throws: ``DatabaseError`` when the SQL does not compile, holds no statement, or more than one.
    public func makeStatement(sql: String) throws -> Statement {
        checkAccess()
        let (statement, rest) = try prepareStatement(in: sql[...])
        guard let statement else {
            throw DatabaseError(code: .SQLITE_MISUSE, message: "empty statement", sql: sql, advice: nil)
        }
        if !rest.isEmpty, !isBlank(rest) {
            throw DatabaseError(
                code: .SQLITE_MISUSE, message: "multiple statements found", sql: sql,
                advice: "Run them with execute(sql:), or prepare each of them.")
        }
        return statement
    }

    /// A prepared statement that the connection keeps for the next time.
    ///
    /// ```swift
    /// let statement = try db.cachedStatement(sql: "INSERT INTO player (name) VALUES (?)")
    /// ```
    ///
    /// A statement is yours as long as you refer to it, with its arguments and its rows: whoever asks for the same SQL in the
    /// meantime is given another one, which takes its place with the connection. So hold on to it no longer than need be.
    ///
    /// - Parameter sql: one statement, and maybe comments.
    /// - Throws: ``DatabaseError`` when the SQL does not compile, holds no statement, or more than one.
    /// - Complexity: that of hashing the SQL, when the statement is in the cache.
    public func cachedStatement(sql: String) throws -> Statement {
        checkAccess()
        if let statement = statementCache.statement(for: sql) { return statement }
        let statement = try makeStatement(sql: sql)
        statementCache.insert(statement, for: sql)
        return statement
    }

    /// Runs one or more statements.
    ///
    /// ```swift
    /// try db.execute(sql: """
    ///     INSERT INTO player (name) VALUES (?);
    ///     INSERT INTO team (name) VALUES (?);
    ///     """, arguments: ["Arthur", "Reds"])
    /// ```
    ///
    /// - Parameters:
    ///   - sql: statements separated by semicolons.
    ///   - arguments: the arguments of all statements: each takes its positional ones in turn, and the named ones it asks for.
    /// - Throws: ``DatabaseError``. The statements before the one that failed have run: use a transaction to undo them. A
    ///   single statement does not run at all when its arguments don't fit.
    public func execute(sql: String, arguments: StatementArguments = StatementArguments()) throws {
        checkAccess()
        let script = try SQLScript(sql)
        var positions = arguments.values[...]
        var ranStatement = false
        while let statement = try script.nextStatement(self) {
            let values = try statement.resolve(arguments, positions: &positions)
            if !positions.isEmpty, script.isAtEnd(self) {
                throw unusedArguments(positions.count, of: arguments, sql: sql)
            }
            try statement.bindResolved(values, from: arguments)
            try statement.run()
            ranStatement = true
        }
        if !ranStatement, !positions.isEmpty {
            throw unusedArguments(positions.count, of: arguments, sql: sql)
        }
    }

    func unusedArguments(_ count: Int, of arguments: StatementArguments, sql: String) -> DatabaseError {
        let given = arguments.values.count + arguments.namedValues.count
        return DatabaseError(
            code: .SQLITE_MISUSE,
            message: "wrong number of statement arguments: \(given - count) expected, \(given) given",
            sql: sql, arguments: arguments, publicStatementArguments: configuration.publicStatementArguments,
            advice: "Give one value for each parameter.")
    }

    // MARK: - Compiling

    /// Compiles the first statement of some SQL.
    ///
    /// - Returns: the statement, nil when there is only white space and comments, and the SQL after it.
    func prepareStatement(in sql: Substring) throws -> (Statement?, Substring) {
        let script = try SQLScript(sql)
        let statement = try script.nextStatement(self)
        return (statement, sql[sql.utf8.index(sql.startIndex, offsetBy: script.consumedCount)...])
    }

    /// Whether some SQL holds only white space, semicolons and comments.
    func isBlank(_ sql: Substring) -> Bool {
        // SQL that does not compile is no blank, and its own turn will tell what is wrong with it.
        guard let (statement, _) = try? prepareStatement(in: sql) else { return false }
        return statement == nil
    }
}
