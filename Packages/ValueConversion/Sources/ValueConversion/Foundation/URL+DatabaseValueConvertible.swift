import Foundation
import SQLiteDriver

extension URL: DatabaseValueConvertible, StatementColumnConvertible {
    /// The absolute URL as a TEXT. A relative URL is stored together with its base.
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .string(absoluteString)) }

    /// Reads a TEXT, or a BLOB that is valid UTF-8, if `URL(string:)` accepts it. `URL(string:)` percent-encodes most characters that are
    /// invalid in URLs, and refuses the empty string.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> URL? {
        dbValue.string.flatMap { URL(string: $0) }
    }

    /// Reads a TEXT, or a BLOB that is valid UTF-8, if `URL(string:)` accepts it.
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> URL? {
        statement.string(atUnchecked: index).flatMap { URL(string: $0) }
    }
}
