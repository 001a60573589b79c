import ValueConversion

extension Row: Hashable {
    /// Whether two rows have the same columns in the same order, the same values, and the same scopes.
    public static func == (lhs: Row, rhs: Row) -> Bool {
        if lhs === rhs { return true }
        guard lhs.columnNames == rhs.columnNames, lhs.databaseValues == rhs.databaseValues else { return false }
        let names = lhs.scopes.names
        return names.count == rhs.scopes.names.count && names.allSatisfy { lhs.scopes[$0] == rhs.scopes[$0] }
    }

    /// Hashes the columns and the values.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(columnNames)
        hasher.combine(databaseValues)
    }
}
