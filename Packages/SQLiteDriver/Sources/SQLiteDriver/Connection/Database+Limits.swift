import CSQLiteShims

extension Database {
    /// A limit of a connection on the size of statements and values.
    ///
    /// Source: <https://www.sqlite.org/c3ref/c_limit_attached.html>
    public struct Limit: RawRepresentable, Hashable, Sendable {
        /// SQLite's number.
        public let rawValue: CInt

        /// Creates a limit from SQLite's number.
        public init(rawValue: CInt) {
            self.rawValue = rawValue
        }

        /// The number of bytes of a string, a blob or a row.
        public static var length: Self { Self(rawValue: SQLITE_LIMIT_LENGTH) }
        /// The number of bytes of an SQL statement.
        public static var sqlLength: Self { Self(rawValue: SQLITE_LIMIT_SQL_LENGTH) }
        /// The number of columns of a table, an index or a result, of assignments of an UPDATE, and of terms of GROUP BY or ORDER
        /// BY.
        public static var columnCount: Self { Self(rawValue: SQLITE_LIMIT_COLUMN) }
        /// The depth of an expression tree.
        public static var expressionDepth: Self { Self(rawValue: SQLITE_LIMIT_EXPR_DEPTH) }
        /// The number of terms of a compound SELECT statement, with UNION, INTERSECT and EXCEPT.
        public static var compoundSelectCount: Self { Self(rawValue: SQLITE_LIMIT_COMPOUND_SELECT) }
        /// The number of instructions of a compiled statement.
        public static var instructionCount: Self { Self(rawValue: SQLITE_LIMIT_VDBE_OP) }
        /// The number of arguments of a function.
        public static var functionArgumentCount: Self { Self(rawValue: SQLITE_LIMIT_FUNCTION_ARG) }
        /// The number of attached databases.
        public static var attachedDatabaseCount: Self { Self(rawValue: SQLITE_LIMIT_ATTACHED) }
        /// The number of bytes of a pattern of LIKE or GLOB.
        public static var patternLength: Self { Self(rawValue: SQLITE_LIMIT_LIKE_PATTERN_LENGTH) }
        /// The number of parameters of a statement.
        public static var parameterCount: Self { Self(rawValue: SQLITE_LIMIT_VARIABLE_NUMBER) }
        /// The depth of triggers that fire each other.
        public static var triggerDepth: Self { Self(rawValue: SQLITE_LIMIT_TRIGGER_DEPTH) }
        /// The number of threads that help a statement sort.
        public static var workerThreadCount: Self { Self(rawValue: SQLITE_LIMIT_WORKER_THREADS) }
    }

    /// Returns a limit of the connection.
    ///
    /// ```swift
    /// let maximum = db.limit(.parameterCount)     // 32766 in a stock build
    /// ```
    ///
    /// Source: <https://www.sqlite.org/c3ref/limit.html>
    public func limit(_ limit: Limit) -> Int {
        // A negative value only reads the limit.
        accessedConnection.map { Int(sqlite3_limit($0, limit.rawValue, -1)) } ?? 0
    }

    /// Lowers or raises a limit of the connection.
    ///
    /// ```swift
    /// // SQL from others must not combine more than ten queries.
    /// db.setLimit(.compoundSelectCount, to: 10)
    /// ```
    ///
    /// A negative value changes nothing. A value above the maximum that SQLite was built with sets that maximum.
    ///
    /// - Returns: the previous value.
    ///
    /// Source: <https://www.sqlite.org/c3ref/limit.html>
    @discardableResult
    public func setLimit(_ limit: Limit, to value: Int) -> Int {
        guard let connection = accessedConnection else { return 0 }
        // Statements that layers above have made and kept may exceed the new limit.
        if value >= 0 { schemaDidChange() }
        return Int(sqlite3_limit(connection, limit.rawValue, CInt(clamping: value)))
    }
}
