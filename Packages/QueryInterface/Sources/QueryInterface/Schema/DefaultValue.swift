import RowDecoding

/// The value that a column has in rows that are inserted without one.
enum DefaultValue {
    /// A value, or the error that is thrown when the column is created.
    case value(Result<DatabaseValue, any Error>)
    /// SQL that was written by hand.
    case sql(String)

    /// Writes the value as it stands after `DEFAULT`.
    func render(to renderer: inout SQLRenderer) throws {
        let sql =
            switch self {
            case .value(let value): try value.get().sqlLiteral
            case .sql(let sql): sql
            }
        if sql.isDefaultTerm {
            renderer.append(sql)
        } else {
            try renderer.append(parenthesized: SQL(sql: sql).sqlExpression)
        }
    }
}
