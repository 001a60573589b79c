import QueryInterface

/// A pattern for FTS5 tables.
///
/// ```swift
/// let pattern = FTS5Pattern(matchingAllTokensIn: searchField.text)
/// let documents = try Document.matching(pattern).order(Column.rank).fetchAll(db)
/// ```
///
/// Every string with words makes a valid pattern: characters that have a meaning in the syntax of patterns separate the words. For texts
/// without words, the initializers return nil. For operators, see ``FTS5Query``, or use a raw pattern, which is checked.
///
/// In a table with the tokenizer `trigram`, words of fewer than three characters have conditions: see
/// ``FTS5TokenizerDescriptor/trigram(caseSensitive:removesDiacritics:)``.
///
/// Source: <https://www.sqlite.org/fts5.html#full_text_query_syntax>
public struct FTS5Pattern: Hashable, Sendable {
    /// The pattern in the syntax of FTS5.
    public let rawPattern: String

    /// Whether all rows may be searched for words that the index does not have.
    private(set) var allowsScan = false

    /// Creates a pattern without a check.
    init(unchecked rawPattern: String) {
        self.rawPattern = rawPattern
    }

    /// Returns a pattern that may search all rows, if it has only words of fewer than three characters and the index has the tokenizer
    /// `trigram`.
    ///
    /// ```swift
    /// // Reads all rows.
    /// let pattern = FTS5Pattern(matchingAllTokensIn: "ok")?.allowingScan()
    /// let documents = try Document.matching(pattern).fetchAll(db)
    /// ```
    ///
    /// The index of such a table has no words of fewer than three characters. In rows that have the longer words of a pattern, short
    /// words are found in the rows. A pattern without a longer word is an error, unless it allows a scan.
    public func allowingScan() -> FTS5Pattern {
        changed(self) { $0.allowsScan = true }
    }

    /// Creates a pattern that matches rows with at least one of the words of a string: `"swift" OR "sqlite"`.
    ///
    /// - Returns: nil if the text has no words.
    public init?(matchingAnyTokenIn string: String) {
        self.init(PatternTokens(string).tokens, separator: " OR ") { $0.fts5Phrase }
    }

    /// Creates a pattern that matches rows with all words of a string, in any order: `"swift" "sqlite"`.
    ///
    /// ```swift
    /// if let pattern = FTS5Pattern(matchingAllTokensIn: searchField.text) {
    ///     let documents = try Document.matching(pattern).fetchAll(db)
    /// }
    /// ```
    ///
    /// - Returns: nil if the text has no words.
    public init?(matchingAllTokensIn string: String) {
        self.init(PatternTokens(string).tokens, separator: " ") { $0.fts5Phrase }
    }

    /// Creates a pattern that matches rows with words that begin with the words of a string, in any order: `"swi"* "sql"*`.
    ///
    /// ```swift
    /// let pattern = FTS5Pattern(matchingAllPrefixesIn: "swi sql")
    /// ```
    ///
    /// - Returns: nil if the text has no words.
    public init?(matchingAllPrefixesIn string: String) {
        self.init(PatternTokens(string).tokens, separator: " ") { $0.fts5Phrase + "*" }
    }

    /// Creates a pattern that matches rows with the words of a string, one after the other: `"full text"`.
    ///
    /// - Returns: nil if the text has no words.
    public init?(matchingPhrase string: String) {
        let tokens = PatternTokens(string).tokens
        if tokens.isEmpty { return nil }
        self.init(unchecked: tokens.joined(separator: " ").fts5Phrase)
    }

    /// Creates a pattern that matches rows whose text begins with the words of a string, one after the other: `^"full text"`.
    ///
    /// - Returns: nil if the text has no words.
    public init?(matchingPrefixPhrase string: String) {
        guard let phrase = FTS5Pattern(matchingPhrase: string) else { return nil }
        self.init(unchecked: "^" + phrase.rawPattern)
    }

    /// Creates a pattern for a text that the user is still typing: it matches rows with all words of the text, and for the last one also
    /// rows with a word that begins with it: `"swift" "sql"*`.
    ///
    /// ```swift
    /// let pattern = FTS5Pattern(matchingTypedText: searchField.text)
    /// ```
    ///
    /// If the text ends in a space or in another separator, its last word is complete: `"swift" "sql"`.
    ///
    /// - Returns: nil if the text has no words.
    public init?(matchingTypedText string: String) {
        let words = PatternTokens(string)
        guard let pattern = FTS5Pattern(matchingAllTokensIn: string) else { return nil }
        self.init(unchecked: pattern.rawPattern + (words.endsInToken ? "*" : ""))
    }

    /// Creates a pattern from a text in the syntax of FTS5.
    ///
    /// ```swift
    /// try FTS5Pattern(
    ///     rawPattern: "title : (swift NOT sqlite)", allowedColumns: ["title", "body"])
    /// try FTS5Pattern(rawPattern: "swift AND")  // throws: fts5: syntax error near ""
    /// ```
    ///
    /// - Parameters:
    ///   - rawPattern: the pattern.
    ///   - allowedColumns: the names of the columns that the pattern may have filters for.
    /// - Throws: ``DatabaseError`` if the pattern is invalid, or has a filter for another column.
    public init(rawPattern: String, allowedColumns: [String] = []) throws {
        try checkForNUL([rawPattern], in: "a pattern")
        let columns = allowedColumns.isEmpty ? ["strata_column"] : allowedColumns
        try DatabaseQueue().write { db in
            try db.create(virtualTable: "document", using: FTS5()) { t in
                for column in columns { t.column(column) }
            }
            _ = try Row.fetchOne(db, sql: "SELECT rowid FROM document WHERE document MATCH ?", arguments: [rawPattern])
        }
        self.init(unchecked: rawPattern)
    }

    private init?(_ tokens: [String], separator: String, _ pattern: (String) -> String) {
        if tokens.isEmpty { return nil }
        self.init(unchecked: tokens.map(pattern).joined(separator: separator))
    }
}

extension String {
    /// The text as a string in FTS5's syntax. FTS5 reads a pattern up to the first NUL, which would leave the string unterminated.
    var fts5Phrase: String { "\"\(doublingQuotes("\"").replacing("\0", with: " "))\"" }
}

extension FTS5Pattern: DatabaseValueConvertible {
    /// The raw pattern.
    public var databaseValue: DatabaseValue { rawPattern.databaseValue }

    /// Returns the pattern of a text, or nil if the text is not a valid pattern.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> FTS5Pattern? {
        String.fromDatabaseValue(dbValue).flatMap { try? FTS5Pattern(rawPattern: $0) }
    }
}

extension Database {
    /// Creates a pattern from a text in the syntax of FTS5, which may have filters for the columns of a table.
    ///
    /// ```swift
    /// let pattern = try db.makeFTS5Pattern(
    ///     rawPattern: "title : swift", forTable: "document")
    /// ```
    ///
    /// - Throws: ``DatabaseError`` if the pattern is invalid, or if the table does not exist.
    public func makeFTS5Pattern(rawPattern: String, forTable table: String) throws -> FTS5Pattern {
        let reference = try TableReference(table, in: self)
        return try FTS5Pattern(
            rawPattern: rawPattern, allowedColumns: columns(in: reference.name, in: reference.schema).map(\.name))
    }
}
