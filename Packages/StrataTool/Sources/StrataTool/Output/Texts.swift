extension String {
    /// The text with spaces in place of newlines, and with other control characters escaped.
    var inOneLine: String {
        split(whereSeparator: \.isNewline).joined(separator: " ").withoutControlCharacters
    }

    /// The text with control characters and invisible characters escaped as in Swift: `\n`, `\u{1B}`.
    var withoutControlCharacters: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            default:
                switch scalar.properties.generalCategory {
                // Some emoji contain the zero-width joiner.
                case .format where scalar == "\u{200D}":
                    text.unicodeScalars.append(scalar)
                // The category "format" contains the marks that change the direction of writing.
                case .control, .lineSeparator, .paragraphSeparator, .format:
                    text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
                default:
                    text.unicodeScalars.append(scalar)
                }
            }
        }
    }

    /// Returns the text, or, if it is wider than a limit, its beginning with an ellipsis.
    func shortened(toWidth limit: Int) -> String {
        guard displayWidth > limit else { return self }
        var start = self
        while start.displayWidth > limit - 1 { start.removeLast() }
        return start.withoutSpacesAtEnd + "…"
    }

    /// The width of the text in columns of a terminal.
    var displayWidth: Int { reduce(0) { $0 + $1.displayWidth } }

    /// The text with spaces after it, up to a width.
    func padded(toWidth width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - displayWidth))
    }

    var withoutSpacesAtEnd: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}

extension Character {
    /// The width of the character in columns of a terminal: two for East Asian scripts and emoji, one for others.
    ///
    /// Source: approximately the ranges of <https://www.unicode.org/Public/UCD/latest/ucd/EastAsianWidth.txt>.
    var displayWidth: Int {
        guard let scalar = unicodeScalars.first else { return 0 }
        if scalar.properties.isEmojiPresentation || unicodeScalars.contains("\u{FE0F}") { return 2 }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
            return 2
        default:
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark, .format: return 0
            default: return 1
            }
        }
    }
}
