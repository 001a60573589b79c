import Foundation
import SQLiteDriver

extension URL: DatabaseValueConvertible, StatementColumnConvertible {
    /// The TEXT of the absolute URL: one that is relative to a base is stored with it.
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .string(absoluteString)) }

    /// A TEXT, or a BLOB that is valid UTF-8, if `URL(string:)` accepts it: it percent-encodes most of what URLs exclude, and
    /// refuses the empty text.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> URL? {
        dbValue.string.flatMap { URL(string: $0) }
    }

    /// A TEXT, or a BLOB that is valid UTF-8, if `URL(string:)` accepts it.
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> URL? {
        statement.string(atUnchecked: index).flatMap { URL(string: $0) }
    }
}
