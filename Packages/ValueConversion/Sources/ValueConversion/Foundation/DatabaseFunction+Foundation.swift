import Foundation
import SQLiteDriver

// SQLite's own `lower` and `upper` know only ASCII letters. These functions know all scripts. Their names are those that GRDB
// gives the same functions: a database file whose schema has them can be opened with either.

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
    /// Locales differ from one process to another: it is no pure function, and can't be used in indexes.
    public static let localizedCapitalize = DatabaseFunction("swiftLocalizedCapitalizedString", pure: false) {
        $0.localizedCapitalized
    }

    /// `swiftLocalizedLowercaseString(text)`: the text in lowercase, by the rules of the current locale.
    ///
    /// Locales differ from one process to another: it is no pure function, and can't be used in indexes.
    public static let localizedLowercase = DatabaseFunction("swiftLocalizedLowercaseString", pure: false) {
        $0.localizedLowercase
    }

    /// `swiftLocalizedUppercaseString(text)`: the text in uppercase, by the rules of the current locale.
    ///
    /// Locales differ from one process to another: it is no pure function, and can't be used in indexes.
    public static let localizedUppercase = DatabaseFunction("swiftLocalizedUppercaseString", pure: false) {
        $0.localizedUppercase
    }

    /// Makes a function of a text, NULL for what is none.
    private convenience init(_ name: String, pure: Bool, _ transform: @escaping @Sendable (String) -> String) {
        self.init(name, argumentCount: 1, pure: pure) { values in
            values[0].string.map(transform)
        }
    }
}
