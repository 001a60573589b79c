extension SQLTokens {
    /// The SQL in one spelling, for comparisons and digests: without white space, comments and quotes of names, and in lower case, except
    /// in string literals.
    ///
    /// Digests are stored: after a change of this spelling, all migrations would count as edited.
    package var normalized: ExactString { ExactString(tokens.indices.map(meaning).joined(separator: "\u{1F}")) }

    /// Returns a token in that spelling.
    func meaning(_ index: Int) -> String {
        switch tokens[index].kind {
        case .word: text(index).foldingASCIICase
        case .quotedName: name(index).foldingASCIICase
        default: text(index)
        }
    }
}
