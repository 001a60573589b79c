import Foundation
import SQLiteDriver

extension URL: DatabaseValueConvertible, StatementColumnConvertible {
    /// The absolute URL as a TEXT. A relative URL is stored together with its base.
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .string(absoluteString)) }

    /// Reads a TEXT, or a BLOB that is valid UTF-8, if `URL(string:)` accepts it. `URL(string:)` percent-encodes most characters that are
    /// invalid in URLs, and refuses the empty string.
    ///
    /// A JSON string such as `"https:\/\/example.com"` is read, too: on Linux, GRDB stores URLs in this form. No URL begins with a quote.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> URL? {
        dbValue.string.flatMap { URL(stored: $0) }
    }

    /// Reads a TEXT, or a BLOB that is valid UTF-8, if `URL(string:)` accepts it.
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> URL? {
        statement.string(atUnchecked: index).flatMap { URL(stored: $0) }
    }

    private init?(stored text: String) {
        let json = text.utf8.first == UInt8(ascii: "\"") ? try? JSONDecoder().decode(String.self, from: Data(text.utf8)) : nil
        self.init(string: json ?? text)
    }
}
