import Foundation
import SQLiteDriver

// SQLite's `lower` and `upper` convert only ASCII letters. These functions convert letters of all scripts. They have the same names as in
// GRDB, so both libraries can open a database file whose schema uses them.

extension DatabaseFunction {
    /// `swiftCapitalizedString(text)`: the text with the first letter of each word in uppercase, the others in lowercase.
    public static let capitalize = DatabaseFunction("swiftCapitalizedString", pure: true) { $0.capitalized }

    /// `swiftLowercaseString(text)`: the text in lowercase.
    public static let lowercase = DatabaseFunction("swiftLowercaseString", pure: true) { $0.lowercased() }

    /// `swiftUppercaseString(text)`: the text in uppercase.
    public static let uppercase = DatabaseFunction("swiftUppercaseString", pure: true) { $0.uppercased() }

    /// `swiftLocalizedCapitalizedString(text)`: the text with the first letter of each word in uppercase, by the rules of the
    /// current locale.
    ///
    /// The function is not pure, because locales may differ between processes. It can't be used in indexes.
    public static let localizedCapitalize = DatabaseFunction("swiftLocalizedCapitalizedString", pure: false) { $0.localizedCapitalized }

    /// `swiftLocalizedLowercaseString(text)`: the text in lowercase, by the rules of the current locale.
    ///
    /// The function is not pure, because locales may differ between processes. It can't be used in indexes.
    public static let localizedLowercase = DatabaseFunction("swiftLocalizedLowercaseString", pure: false) { $0.localizedLowercase }

    /// `swiftLocalizedUppercaseString(text)`: the text in uppercase, by the rules of the current locale.
    ///
    /// The function is not pure, because locales may differ between processes. It can't be used in indexes.
    public static let localizedUppercase = DatabaseFunction("swiftLocalizedUppercaseString", pure: false) { $0.localizedUppercase }

    /// Creates a function that transforms strings, and returns NULL for other values.
    private convenience init(_ name: String, pure: Bool, _ transform: @escaping @Sendable (String) -> String) {
        self.init(name, argumentCount: 1, pure: pure) { values in values[0].string.map(transform) }
    }
}
