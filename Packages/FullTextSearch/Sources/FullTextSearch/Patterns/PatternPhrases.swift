import QueryInterface

/// The words and phrases in a pattern of FTS5.
///
/// Source: <https://www.sqlite.org/fts5.html#full_text_query_syntax>
struct PatternPhrases {
    /// The phrases as strings, without empty ones.
    private(set) var texts: [String] = []

    /// Whether a row matches if each of the phrases is anywhere in it: the pattern has no operators, and no filters for columns.
    private(set) var areAllRequired = true

    init(_ pattern: FTS5Pattern) {
        // Strings and words have the syntax of SQL.
        let tokens = SQLTokens(pattern.rawPattern)
        var isInColumnList = false
        for index in tokens.tokens.indices {
            switch (tokens[index].kind, tokens.text(index)) {
            case (.sign, "*"): break
            case (.sign, "{"), (.sign, "}"):
                isInColumnList = tokens.text(index) == "{"
                areAllRequired = false
            case (.word, "AND"), (.word, "OR"), (.word, "NOT"): areAllRequired = false
            case (.word, "NEAR") where tokens.text(index + 1) == "(": areAllRequired = false
            // The distance of NEAR.
            case (.word, _) where index > 0 && tokens.text(index - 1) == ",": break
            case (.word, _), (.quotedName, _):
                if !isInColumnList, tokens.text(index + 1) != ":", !tokens.name(index).isEmpty { texts.append(tokens.name(index)) }
            default: areAllRequired = false
            }
        }
    }
}
