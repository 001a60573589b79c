extension Database {
    /// Prepares a statement.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(
    ///     sql: "INSERT INTO player (name, score) VALUES (:name, :score)")
    /// try statement.execute(arguments: ["name": "Arthur", "score": 1000])
    /// ```
    ///
    /// - Parameter sql: one statement, with comments if you like.
    /// - Returns: a new statement. To reuse a prepared statement that runs often, call ``cachedStatement(sql:)``.
    /// - Throws: ``DatabaseError`` if the SQL does not compile, contains no statement, or more than one.
    public func makeStatement(sql: String) throws -> Statement {
        checkAccess()
        let script = try SQLScript(sql)
        guard let statement = try script.nextStatement(self) else { throw DatabaseError.misuse("empty statement", sql: sql) }
        guard script.isAtEnd(self) else {
            throw DatabaseError.misuse(
                "multiple statements found", sql: sql, advice: "Run them with execute(sql:), or prepare each of them.")
        }
        return statement
    }

    /// Returns a prepared statement from the connection's cache, and prepares it first if it is not there.
    ///
    /// ```swift
    /// let statement = try db.cachedStatement(sql: "INSERT INTO player (name) VALUES (?)")
    /// ```
    ///
    /// The statement, with its arguments and rows, is yours as long as you keep a reference to it. Meanwhile, a call with the same SQL
    /// prepares another statement, which replaces yours in the cache: don't keep it longer than needed. It has no arguments of an earlier
    /// use.
    ///
    /// - Parameter sql: one statement, with comments if you like.
    /// - Throws: ``DatabaseError`` if the SQL does not compile, contains no statement, or more than one.
    /// - Complexity: O(n) in the length of the SQL, if the statement is in the cache.
    public func cachedStatement(sql: String) throws -> Statement {
        let statement = try reusedStatement(sql: sql)
        if statement.parameterCount > 0 { statement.removeArguments() }
        return statement
    }

    /// Returns a statement from the cache as ``cachedStatement(sql:)`` does, for callers that set all arguments: it may have those of an
    /// earlier use.
    package func reusedStatement(sql: String) throws -> Statement {
        checkAccess()
        if let statement = statementCache.statement(for: sql)?.freeStatement {
            statementCache.countHit()
            return statement
        }
        let statement = try makeStatement(sql: sql)
        statementCache.insert(CachedStatement(statement), for: sql)
        return statement
    }

    /// Returns the cache's entry for some SQL, or nil, for callers that keep the entry: see ``cachedStatement(sql:)``.
    package func keptStatement(sql: String) -> CachedStatement? { statementCache.statement(for: sql) }

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
    ///   - arguments: the arguments of all statements. Each statement takes as many of the positional arguments as it needs, in order,
    ///     and the named arguments that it names.
    /// - Throws: ``DatabaseError``. The statements before the failed one have run: use a transaction to undo them. A single
    ///   statement does not run at all if its arguments don't fit.
    public func execute(sql: String, arguments: StatementArguments = StatementArguments()) throws {
        checkAccess()
        var statements = try ScriptStatements(sql: sql, arguments: arguments)
        while let statement = try statements.next(self) { try statement.run() }
    }

    // MARK: - Rows

    /// Returns the values of the rows of a query, without nils.
    package func values<Value>(
        _ sql: String, _ arguments: StatementArguments = [], _ value: (Statement) throws -> Value?
    ) throws -> [Value] {
        let statement = try makeStatement(sql: sql)
        try statement.setArguments(arguments)
        var values: [Value] = []
        while try statement.step() { if let value = try value(statement) { values.append(value) } }
        return values
    }
}
