/// An aggregate function in the making: it sees the rows of a group one by one, and has a result at the end.
///
/// ```swift
/// struct Longest: DatabaseAggregate {
///     var text: String?
///
///     mutating func step(_ values: [DatabaseValue]) {
///         guard case .string(let candidate) = values[0].storage else { return }
///         if candidate.count > text?.count ?? -1 { text = candidate }
///     }
///
///     func finalize() -> (any StatementBinding)? { text }
/// }
///
/// let longest = DatabaseFunction("longest", argumentCount: 1, pure: true, aggregate: Longest.self)
/// ```
public protocol DatabaseAggregate {
    /// Makes the state before the first row.
    init()

    /// Takes in a row.
    ///
    /// - Parameter values: the arguments of the function for this row.
    /// - Throws: an error that fails the statement. No other row is taken in, and there is no result.
    mutating func step(_ values: [DatabaseValue]) throws

    /// The result, after the last row, nil for NULL. Without any row, it is the only method that is called.
    ///
    /// SQLite may also ask for the result when a statement is given up before its end, and throws it away then.
    ///
    /// - Throws: an error that fails the statement.
    func finalize() throws -> (any StatementBinding)?
}
