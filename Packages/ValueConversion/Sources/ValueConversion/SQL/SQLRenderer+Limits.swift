import SQLiteDriver

extension SQLRenderer {
    /// Checks SQLite's limits, as far as possible: the number of parameters, the depth of expressions, and the length of the SQL.
    ///
    /// For handwritten SQL, only the length is known.
    ///
    /// - Throws: ``DatabaseError``, with the exceeded limit in its message.
    ///
    /// Source: <https://www.sqlite.org/limits.html>
    public func checkLimits() throws {
        try check(counts.parameters, atMost: .parameterCount, advice: "Use fewer values, or pass them as a list to contains(_:).") {
            "the SQL has \($0) parameters, and the connection's limit is \($1)"
        }
        // The operand of the deepest operator is a value or a column.
        try check(counts.expressionDepth + 1, atMost: .expressionDepth, advice: SQLDepth.advice) {
            "an expression is \($0) levels deep, and the connection's limit is \($1)"
        }
        try check(sqlLength, atMost: .sqlLength) {
            "the SQL has \($0) bytes, and the connection's limit is \($1)"
        }
    }

    /// Checks a number against one of the connection's limits.
    ///
    /// - Parameters:
    ///   - count: the number.
    ///   - limit: the limit. 0 means no limit.
    ///   - advice: what to do about the error.
    ///   - message: returns the message of the error, given the number and the limit.
    /// - Throws: ``DatabaseError`` when the number exceeds the limit.
    package func check(
        _ count: Int, atMost limit: Database.Limit, advice: String? = nil, _ message: (_ count: Int, _ maximum: Int) -> String
    ) throws {
        let maximum = database.limit(limit)
        guard maximum > 0, count > maximum else { return }
        throw DatabaseError(resultCode: .SQLITE_TOOBIG, message: message(count, maximum), advice: advice)
    }
}
