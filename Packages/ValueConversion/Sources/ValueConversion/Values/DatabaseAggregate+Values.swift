import SQLiteDriver

// Lets aggregates return `(any DatabaseValueConvertible)?` from `finalize()`.

extension DatabaseAggregate where FinalValue == any DatabaseValueConvertible {
    /// Returns the value itself.
    public static func _binding(of value: FinalValue) -> any StatementBinding { value }
}
