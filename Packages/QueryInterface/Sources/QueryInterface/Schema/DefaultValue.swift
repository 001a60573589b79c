import RowDecoding

/// The default value of a column.
enum DefaultValue {
    /// A value, or the error to throw when the column is created.
    case value(Result<DatabaseValue, any Error>)
    /// SQL written by hand.
    case sql(String)

    /// Writes the value for a `DEFAULT` clause.
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
