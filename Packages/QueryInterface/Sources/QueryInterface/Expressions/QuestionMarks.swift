/// Returns parameters for a number of values, separated by commas: "?,?,?" for 3.
///
/// ```swift
/// let ids = [1, 2, 3]
/// let sql = "SELECT * FROM player WHERE id IN (\(databaseQuestionMarks(count: ids.count)))"
/// let players = try Player.fetchAll(db, sql: sql, arguments: StatementArguments(ids))
/// ```
///
/// With `SQL` interpolation, `\(ids)` writes the parameters and binds the values.
///
/// - Parameter count: the number of parameters. For 0, and for negative numbers, the string is empty.
public func databaseQuestionMarks(count: Int) -> String {
    count > 0 ? String(repeating: "?,", count: count - 1) + "?" : ""
}
