import RowDecoding

/// An error about a record.
public enum RecordError: Error, Sendable {
    /// The table has no row with a key.
    ///
    /// - Parameters:
    ///   - databaseTableName: the name of the table.
    ///   - key: the columns of the key with their values, which may be private.
    case recordNotFound(databaseTableName: String, key: [String: DatabaseValue])

    /// A row has another version than the record: it was changed after the record was read.
    ///
    /// - Parameters:
    ///   - databaseTableName: the name of the table.
    ///   - key: the columns of the key with their values, which may be private.
    case recordChanged(databaseTableName: String, key: [String: DatabaseValue])
}

extension RecordError: CustomStringConvertible {
    /// The error in one sentence, without the values of the key: `no row in table player with this id`.
    ///
    /// An error does not know the configuration of a connection: ``expandedDescription`` shows the values.
    public var description: String {
        description { "this \($0.key)" }
    }

    /// The same as ``description``, with the values of the key: `no row in table player with id = 42`.
    public var expandedDescription: String {
        description { "\($0.key) = \($0.value)" }
    }

    private func description(_ condition: ((key: String, value: DatabaseValue)) -> String) -> String {
        func conditions(_ key: [String: DatabaseValue]) -> String {
            key.sorted { $0.key < $1.key }.map(condition).joined(separator: " and ")
        }
        return switch self {
        case .recordNotFound(let table, let key): "no row in table \(table) with \(conditions(key))"
        case .recordChanged(let table, let key): "the row in table \(table) with \(conditions(key)) has changed since it was read"
        }
    }
}
