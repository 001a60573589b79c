import ValueConversion

extension Row: Hashable {
    /// Whether two rows have the same columns in the same order, the same values, the same scopes, and the same prefetched rows.
    ///
    /// The names of columns are compared with their case.
    public static func == (lhs: Row, rhs: Row) -> Bool {
        if lhs === rhs { return true }
        guard lhs.columnNames == rhs.columnNames, lhs.databaseValues == rhs.databaseValues else { return false }
        let names = lhs.scopes.names
        guard names.count == rhs.scopes.names.count, names.allSatisfy({ lhs.scopes[$0] == rhs.scopes[$0] }) else { return false }
        let (associations, others) = (lhs.prefetched?.associations ?? [], rhs.prefetched)
        return associations.count == others?.associations.count ?? 0
            && associations.allSatisfy { others?.rows(forKey: $0.key) == $0.rows }
    }

    /// Hashes the columns and the values.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(columnNames)
        hasher.combine(databaseValues)
    }
}
