import QueryInterface

/// A tokenizer of FTS5 tables, and its arguments.
///
/// ```swift
/// try db.create(virtualTable: "document", using: FTS5()) { t in
///     t.tokenizer = .porter(wrapping: .unicode61(diacritics: .remove))
///     t.column("body")
/// }
/// ```
///
/// A tokenizer written in Swift has a descriptor, too: see ``FTS5CustomTokenizer/tokenizerDescriptor(arguments:)``.
///
/// Source: <https://www.sqlite.org/fts5.html#tokenizers>
public struct FTS5TokenizerDescriptor: Hashable, Sendable {
    /// The name of the tokenizer, and its arguments.
    public let components: [String]

    /// Creates a descriptor.
    ///
    /// - Parameter components: the name of the tokenizer, and its arguments. It must not be empty.
    public init(components: [String]) {
        self.components = components
    }

    /// The name of the tokenizer.
    var name: String { components.first ?? "" }

    /// The arguments of the tokenizer.
    var arguments: [String] { Array(components.dropFirst()) }

    /// Splits text at ASCII characters that are neither letters nor digits, and ignores the case of ASCII letters.
    ///
    /// - Parameters:
    ///   - separators: ASCII characters that are separators as well.
    ///   - tokenCharacters: ASCII characters that are part of tokens as well.
    public static func ascii(
        separators: Set<Character> = [], tokenCharacters: Set<Character> = []
    ) -> FTS5TokenizerDescriptor {
        FTS5TokenizerDescriptor(components: ["ascii"] + characterArguments(separators, tokenCharacters))
    }

    /// Reduces the tokens of another tokenizer to the stems of English words: "running" matches "run".
    ///
    /// - Parameter base: the other tokenizer; by default unicode61.
    public static func porter(wrapping base: FTS5TokenizerDescriptor? = nil) -> FTS5TokenizerDescriptor {
        FTS5TokenizerDescriptor(components: ["porter"] + (base?.components ?? []))
    }

    /// Splits text at characters that are neither letters nor digits in Unicode 6.1, and ignores case. The default of FTS5.
    ///
    /// - Parameters:
    ///   - diacritics: whether letters lose their diacritics; ``FTS5/Diacritics/remove`` needs SQLite 3.27.
    ///   - categories: the Unicode categories of the characters in tokens, separated by spaces, such as `"L* N* Co"`; by default,
    ///     SQLite's. Needs SQLite 3.25.
    ///   - separators: characters that are separators as well.
    ///   - tokenCharacters: characters that are part of tokens as well.
    public static func unicode61(
        diacritics: FTS5.Diacritics = .removeLegacy, categories: String = "", separators: Set<Character> = [],
        tokenCharacters: Set<Character> = []
    ) -> FTS5TokenizerDescriptor {
        var components = ["unicode61"]
        switch diacritics {
        case .removeLegacy: break
        case .keep: components += ["remove_diacritics", "0"]
        case .remove: components += ["remove_diacritics", "2"]
        }
        if !categories.isEmpty { components += ["categories", categories] }
        return FTS5TokenizerDescriptor(components: components + characterArguments(separators, tokenCharacters))
    }

    /// Makes a token of each three consecutive characters, so that patterns find parts of words. Needs SQLite 3.34.
    ///
    /// The index has no words of fewer than three characters. A pattern that requires all of its words, such as
    /// ``FTS5Pattern/init(matchingAllTokensIn:)`` or a search, finds the rows that have its longer words in the index, and looks for the
    /// short ones in the text of these rows. Without a longer word, it is an error, or reads all rows: see
    /// ``FTS5Pattern/allowingScan()``. Short words in patterns with operators, and in tables that don't store their text, are errors, too.
    ///
    /// - Parameters:
    ///   - caseSensitive: whether the case of letters matters.
    ///   - removesDiacritics: whether letters lose their diacritics, which needs SQLite 3.45.
    public static func trigram(caseSensitive: Bool = false, removesDiacritics: Bool = false) -> FTS5TokenizerDescriptor {
        var components = ["trigram"]
        if caseSensitive { components += ["case_sensitive", "1"] }
        if removesDiacritics { components += ["remove_diacritics", "1"] }
        return FTS5TokenizerDescriptor(components: components)
    }

    private static func characterArguments(_ separators: Set<Character>, _ tokenCharacters: Set<Character>) -> [String] {
        var arguments: [String] = []
        if !separators.isEmpty { arguments += ["separators", separators.text] }
        if !tokenCharacters.isEmpty { arguments += ["tokenchars", tokenCharacters.text] }
        return arguments
    }

    /// The value of the option `tokenize`.
    ///
    /// - Throws: an error if there is no name, or if the SQLite library lacks a tokenizer or an option.
    func specification() throws -> String {
        try check()
        return components.map(\.sqlStringLiteral).joined(separator: " ")
    }

    /// Throws if there is no name, or if the SQLite library lacks a tokenizer or an option.
    func check(version: CInt = Database.sqliteLibVersionNumber) throws {
        if components.isEmpty { throw DatabaseError.misuse("a tokenizer descriptor needs the name of a tokenizer") }
        try checkForNUL(components, in: "the arguments of a tokenizer")
        var tokenizer = ""
        for (index, component) in components.enumerated() {
            switch component {
            case "porter", "unicode61", "ascii": if index == 0 || tokenizer == "porter" { tokenizer = component }
            case "trigram" where index == 0 || tokenizer == "porter":
                tokenizer = component
                try SQLiteFeature.trigram.check(version: version)
            case "remove_diacritics" where tokenizer == "trigram": try SQLiteFeature.trigramDiacritics.check(version: version)
            case "remove_diacritics" where tokenizer == "unicode61":
                if components.dropFirst(index + 1).first == "2" { try SQLiteFeature.diacritics.check(version: version) }
            case "categories" where tokenizer == "unicode61": try SQLiteFeature.categories.check(version: version)
            default: break
            }
        }
    }
}

extension Set<Character> {
    /// The characters as a text, always in the same order.
    var text: String { String(sorted()) }
}
