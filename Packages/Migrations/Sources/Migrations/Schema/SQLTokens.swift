/// The tokens of some SQL, without white space and comments.
///
/// Source: <https://www.sqlite.org/lang_keywords.html>, <https://www.sqlite.org/lang_comment.html>
struct SQLTokens {
    /// A token.
    struct Token {
        /// The token in one spelling: names without quotes, names and keywords in lower case.
        let meaning: String
        /// The token as written in the SQL.
        let text: Substring
    }

    private(set) var tokens: [Token] = []

    init(_ sql: String) {
        let bytes = sql.utf8
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let start = index
            let kind = Self.skip(bytes, &index)
            let text = sql[start..<index]
            switch kind {
            case .blank: break
            case .name: tokens.append(Token(meaning: Self.unquoted(text), text: text))
            case .word: tokens.append(Token(meaning: Self.folded(text), text: text))
            case .other: tokens.append(Token(meaning: String(text), text: text))
            }
        }
    }

    /// The SQL in one spelling, for comparisons and digests.
    var normalized: String { tokens.map(\.meaning).joined(separator: "\u{1F}") }

    private enum Kind {
        case blank, name, word, other
    }

    /// Moves an index past the token, white space or comment that begins there.
    private static func skip(_ bytes: String.UTF8View, _ index: inout String.Index) -> Kind {
        let first = bytes[index]
        bytes.formIndex(after: &index)
        switch first {
        case UInt8(ascii: " "), 0x09...0x0D:
            while index < bytes.endIndex, bytes[index] == 0x20 || (0x09...0x0D).contains(bytes[index]) { bytes.formIndex(after: &index) }
            return .blank
        case UInt8(ascii: "-") where index < bytes.endIndex && bytes[index] == UInt8(ascii: "-"):
            while index < bytes.endIndex, bytes[index] != UInt8(ascii: "\n") { bytes.formIndex(after: &index) }
            return .blank
        case UInt8(ascii: "/") where index < bytes.endIndex && bytes[index] == UInt8(ascii: "*"):
            bytes.formIndex(after: &index)
            var last: UInt8 = 0
            while index < bytes.endIndex {
                let byte = bytes[index]
                bytes.formIndex(after: &index)
                if last == UInt8(ascii: "*"), byte == UInt8(ascii: "/") { break }
                last = byte
            }
            return .blank
        case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
            skipQuoted(bytes, &index, until: first)
            return first == UInt8(ascii: "'") ? .other : .name
        case UInt8(ascii: "["):
            while index < bytes.endIndex, bytes[index] != UInt8(ascii: "]") { bytes.formIndex(after: &index) }
            if index < bytes.endIndex { bytes.formIndex(after: &index) }
            return .name
        case _ where isWord(first):
            while index < bytes.endIndex, isWord(bytes[index]) { bytes.formIndex(after: &index) }
            return .word
        default:
            return .other
        }
    }

    /// Moves an index to the end of a quoted token, which may contain doubled quotes.
    private static func skipQuoted(_ bytes: String.UTF8View, _ index: inout String.Index, until quote: UInt8) {
        while index < bytes.endIndex {
            let byte = bytes[index]
            bytes.formIndex(after: &index)
            guard byte == quote else { continue }
            guard index < bytes.endIndex, bytes[index] == quote else { return }
            bytes.formIndex(after: &index)
        }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
            true
        default: false
        }
    }

    /// Returns the name without its quotes or brackets.
    private static func unquoted(_ text: Substring) -> String {
        let quote = text.utf8.first!
        let content = text.utf8.dropFirst().dropLast(text.utf8.count > 1 ? 1 : 0)
        var bytes: [UInt8] = []
        var isEscaped = false
        for byte in content {
            if byte == quote, quote != UInt8(ascii: "["), !isEscaped {
                isEscaped = true
                continue
            }
            isEscaped = false
            bytes.append(byte)
        }
        return folded(String(decoding: bytes, as: UTF8.self))
    }

    /// Returns the text with its ASCII letters in lower case. SQLite ignores the case of ASCII letters only.
    private static func folded(_ text: some StringProtocol) -> String {
        String(decoding: text.utf8.map { $0 &- UInt8(ascii: "A") < 26 ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
