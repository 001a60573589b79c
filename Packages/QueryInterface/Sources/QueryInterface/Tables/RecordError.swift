import RowDecoding

/// An error about a record.
public enum RecordError: Error, Sendable {
    /// The table has no row with a key.
    ///
    /// - Parameters:
    ///   - databaseTableName: the name of the table.
    ///   - key: the columns of the key with their values.
    case recordNotFound(databaseTableName: String, key: [String: DatabaseValue])
}

extension RecordError: CustomStringConvertible {
    /// The error in one sentence: `no row in table player with id = 42`.
    public var description: String {
        switch self {
        case .recordNotFound(let table, let key):
            let columns = key.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }.joined(separator: " and ")
            return "no row in table \(table) with \(columns)"
        }
    }
}
