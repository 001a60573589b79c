import QueryInterface

/// A pattern for FTS3 and FTS4 tables.
///
/// ```swift
/// let pattern = FTS3Pattern(matchingAllTokensIn: searchField.text)
/// let documents = try Document.matching(pattern).fetchAll(db)
/// ```
///
/// Every string with words makes a valid pattern: characters that have a meaning in the syntax of patterns separate the words. For texts
/// without words, the initializers return nil. A raw pattern is checked.
///
/// Source: <https://www.sqlite.org/fts3.html#full_text_index_queries>
public struct FTS3Pattern: Hashable, Sendable {
    /// The pattern in the syntax of FTS3.
    public let rawPattern: String

    private init(unchecked rawPattern: String) {
        self.rawPattern = rawPattern
    }

    /// Creates a pattern that matches rows with at least one of the words of a string: `"swift" OR "sqlite"`.
    ///
    /// - Returns: nil if the text has no words.
    public init?(matchingAnyTokenIn string: String) {
        // Without quotes, a word in which the table's tokenizer finds no token would leave an OR without an operand.
        self.init(PatternTokens(string).tokens.map { "\"\($0)\"" }, separator: " OR ")
    }

    /// Creates a pattern that matches rows with all words of a string, in any order: `swift sqlite`.
    ///
    /// - Returns: nil if the text has no words.
    public init?(matchingAllTokensIn string: String) {
        self.init(PatternTokens(string).tokens.map(\.asciiLowercased), separator: " ")
    }

    /// Creates a pattern that matches rows with words that begin with the words of a string, in any order: `swi* sql*`.
    ///
    /// - Returns: nil if the text has no words.
    public init?(matchingAllPrefixesIn string: String) {
        self.init(PatternTokens(string).tokens.map { $0.asciiLowercased + "*" }, separator: " ")
    }

    /// Creates a pattern that matches rows with the words of a string, one after the other: `"full text"`.
    ///
    /// - Returns: nil if the text has no words.
    public init?(matchingPhrase string: String) {
        let tokens = PatternTokens(string).tokens
        if tokens.isEmpty { return nil }
        self.init(unchecked: "\"\(tokens.joined(separator: " "))\"")
    }

    /// Creates a pattern from a text in the syntax of FTS3.
    ///
    /// ```swift
    /// try FTS3Pattern(rawPattern: "sqlite OR database")
    /// try FTS3Pattern(rawPattern: "sqlite OR")
    /// // throws: malformed MATCH expression: [sqlite OR]
    /// ```
    ///
    /// - Throws: ``DatabaseError`` if the pattern is invalid.
    public init(rawPattern: String) throws {
        try checkForNUL([rawPattern], in: "a pattern")
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE document USING fts3")
            _ = try Row.fetchOne(db, sql: "SELECT rowid FROM document WHERE document MATCH ?", arguments: [rawPattern])
        }
        self.init(unchecked: rawPattern)
    }

    private init?(_ tokens: [String], separator: String) {
        if tokens.isEmpty { return nil }
        self.init(unchecked: tokens.joined(separator: separator))
    }
}

extension FTS3Pattern: DatabaseValueConvertible {
    /// The raw pattern.
    public var databaseValue: DatabaseValue { rawPattern.databaseValue }

    /// Returns the pattern of a text, or nil if the text is not a valid pattern.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> FTS3Pattern? {
        String.fromDatabaseValue(dbValue).flatMap { try? FTS3Pattern(rawPattern: $0) }
    }
}
