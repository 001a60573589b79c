/// The state of an aggregate function: it receives the rows of a group one by one, and returns the result at the end.
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
///     func finalize() -> String? { text }
/// }
///
/// let longest = DatabaseFunction(
///     "longest", argumentCount: 1, pure: true, aggregate: Longest.self)
/// ```
public protocol DatabaseAggregate {
    /// The type that ``finalize()`` returns, in an optional: a type of values, or `any StatementBinding` for values of several types.
    ///
    /// Swift infers it from the implementation of ``finalize()``.
    associatedtype FinalValue = any StatementBinding

    /// Creates the state before the first row.
    init()

    /// Adds a row of the group.
    ///
    /// - Parameter values: the arguments of the function for this row.
    /// - Throws: an error that fails the statement, as its ``DatabaseError/underlyingError``. SQLite adds no further row, and asks for no
    ///   result.
    mutating func step(_ values: [DatabaseValue]) throws

    /// Returns the result after the last row; nil for NULL. For a group without rows, it is the only method that is called.
    ///
    /// SQLite may also ask for the result when a statement is reset before its end, and then discards it.
    ///
    /// - Throws: an error that fails the statement, as its ``DatabaseError/underlyingError``.
    func finalize() throws -> FinalValue?

    /// Returns the result as a value that SQLite can take.
    ///
    /// Don't implement it. It exists for value types, for `any StatementBinding`, and for the value protocols that upper layers define.
    static func _binding(of value: FinalValue) -> any StatementBinding
}

extension DatabaseAggregate where FinalValue: StatementBinding {
    /// Returns the value itself.
    public static func _binding(of value: FinalValue) -> any StatementBinding { value }
}

extension DatabaseAggregate where FinalValue == any StatementBinding {
    /// Returns the value itself.
    public static func _binding(of value: FinalValue) -> any StatementBinding { value }
}

extension DatabaseAggregate {
    /// Returns the database value of the result after the last row.
    func finalDatabaseValue() throws -> DatabaseValue {
        try finalize().map { try Self._binding(of: $0).bindingValue() } ?? .null
    }
}
