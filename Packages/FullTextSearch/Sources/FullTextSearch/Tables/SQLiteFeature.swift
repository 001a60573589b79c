import QueryInterface

/// A feature of SQLite's full-text modules that older versions of SQLite lack.
struct SQLiteFeature {
    /// The name of the feature in error messages.
    let name: String

    /// The version of SQLite that introduced it, as a number: 3034000 for 3.34.
    let version: CInt

    static let diacritics = SQLiteFeature(name: "the option remove_diacritics=2", version: 3_027_000)
    static let categories = SQLiteFeature(name: "the option categories of unicode61", version: 3_025_000)
    static let trigram = SQLiteFeature(name: "the tokenizer trigram", version: 3_034_000)
    static let trigramDiacritics = SQLiteFeature(name: "the option remove_diacritics of trigram", version: 3_045_000)
    static let secureDelete = SQLiteFeature(name: "the option secure-delete", version: 3_042_000)
    static let contentlessDelete = SQLiteFeature(name: "the option contentless_delete", version: 3_043_000)
    static let contentlessUnindexed = SQLiteFeature(name: "the option contentless_unindexed", version: 3_047_000)
    static let locale = SQLiteFeature(name: "the option locale", version: 3_047_000)

    /// Throws if SQLite lacks the feature.
    func check(version current: CInt = Database.sqliteLibVersionNumber) throws {
        if current >= version { return }
        throw DatabaseError(
            message: "\(name) needs SQLite \(Self.text(version)) or later, and this is SQLite \(Self.text(current))")
    }

    private static func text(_ version: CInt) -> String {
        "\(version / 1_000_000).\(version / 1000 % 1000).\(version % 1000)"
    }
}

extension String {
    /// The text as an SQL string literal.
    var sqlStringLiteral: String { "'\(doublingQuotes("'"))'" }

    /// Returns the text with each quote doubled.
    func doublingQuotes(_ quote: Unicode.Scalar) -> String {
        // By scalars: a quote and a combining mark after it are one character.
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            text.append(scalar)
            if scalar == quote { text.append(scalar) }
        }
        return String(text)
    }
}

/// Throws if one of the strings, which become part of SQL, contains a NUL character: SQLite would ignore what follows.
func checkForNUL(_ texts: some Sequence<String>, in subject: String) throws {
    if texts.contains(where: { $0.utf8.contains(0) }) {
        throw DatabaseError.misuse("\(subject) must not contain NUL characters")
    }
}
