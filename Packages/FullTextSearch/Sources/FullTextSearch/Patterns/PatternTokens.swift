import QueryInterface

/// The words of a text that a user types.
///
/// The table's tokenizer splits each word again. A word may therefore contain separators of that tokenizer, but no characters that have a
/// meaning in the syntax of patterns.
struct PatternTokens {
    /// The words, in the order of the text.
    private(set) var tokens: [String] = []

    /// Whether the text ends in a word, which may be incomplete.
    private(set) var endsInToken = false

    init(_ text: String) {
        var token = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if Self.isTokenScalar(scalar) {
                token.append(scalar)
            } else if !token.isEmpty {
                tokens.append(String(token))
                token = String.UnicodeScalarView()
            }
        }
        endsInToken = !token.isEmpty
        if endsInToken { tokens.append(String(token)) }
    }

    /// Letters, digits, and their marks, as in SQLite's tokenizers. Symbols too: a tokenizer may index emoji.
    private static func isTokenScalar(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII {
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9": return true
            default: return false
            }
        }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark, .spacingMark,
            .enclosingMark, .decimalNumber, .letterNumber, .otherNumber, .privateUse, .mathSymbol, .currencySymbol, .modifierSymbol,
            .otherSymbol:
            return true
        default: return false
        }
    }
}

extension String {
    /// The text with ASCII letters in lowercase, so that no word is an operator.
    var asciiLowercased: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { ("A"..."Z").contains($0) ? Unicode.Scalar($0.value + 32)! : $0 }))
    }
}
