/// The words of some SQL, with the comments before and after them.
///
/// ```swift
/// let tokens = SQLTokens("SELECT  1 -- one\n")
/// tokens.normalized   // SELECT 1
/// ```
///
/// Source: <https://www.sqlite.org/lang_comment.html>, <https://www.sqlite.org/lang_keywords.html>
public struct SQLTokens: Sendable {
    /// A word, number, text, name or sign.
    struct Token: Sendable, Equatable {
        /// The token as it is in the SQL, with its quotes.
        var text: String

        /// The comments between the previous token and this one, without their marks.
        var commentsBefore: [Comment] = []

        /// The name that the token stands for, without quotes.
        var name: String {
            guard let quote = text.utf8.first, text.utf8.count >= 2 else { return text }
            let end: UInt8
            switch quote {
            case UInt8(ascii: "\""), UInt8(ascii: "`"), UInt8(ascii: "'"): end = quote
            case UInt8(ascii: "["): end = UInt8(ascii: "]")
            default: return text
            }
            var bytes: [UInt8] = []
            var isDoubled = false
            for byte in text.utf8.dropFirst().dropLast() {
                if byte == end, quote == end, !isDoubled {
                    isDoubled = true
                    continue
                }
                isDoubled = false
                bytes.append(byte)
            }
            return String(decoding: bytes, as: UTF8.self)
        }

        /// Returns whether the token is a keyword, in upper case, or a sign.
        func `is`(_ keyword: String) -> Bool { text.uppercased() == keyword }
    }

    /// A comment.
    struct Comment: Sendable, Equatable {
        /// The text without `--`, `/*` and `*/`.
        var text: String
        /// Whether the comment follows something on its line.
        var followsOnSameLine: Bool
    }

    private(set) var tokens: [Token] = []

    /// The comments after the last token.
    private(set) var commentsAtEnd: [Comment] = []

    /// Takes SQL apart. What is no SQL gives tokens, too.
    public init(_ sql: String) {
        let bytes = Array(sql.utf8)
        var index = 0
        var comments: [Comment] = []
        var lineHasContent = false

        func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        func add(_ end: Int) {
            tokens.append(Token(text: text(index..<end), commentsBefore: comments))
            comments = []
            lineHasContent = true
            index = end
        }
        while index < bytes.count {
            let byte = bytes[index]
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0
            switch byte {
            case UInt8(ascii: "\n"):
                lineHasContent = false
                index += 1
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), 0x0C:
                index += 1
            case UInt8(ascii: "-") where next == UInt8(ascii: "-"):
                let end = bytes[index...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
                comments.append(Comment(text: text(index + 2..<end), followsOnSameLine: lineHasContent))
                index = end
            case UInt8(ascii: "/") where next == UInt8(ascii: "*"):
                var end = index + 2
                while end < bytes.count, !(bytes[end] == UInt8(ascii: "*") && end + 1 < bytes.count && bytes[end + 1] == UInt8(ascii: "/"))
                {
                    end += 1
                }
                comments.append(Comment(text: text(min(index + 2, end)..<end), followsOnSameLine: lineHasContent))
                index = min(bytes.count, end + 2)
            case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
                var end = index + 1
                while end < bytes.count {
                    if bytes[end] == byte {
                        if end + 1 < bytes.count, bytes[end + 1] == byte { end += 1 } else { break }
                    }
                    end += 1
                }
                add(min(bytes.count, end + 1))
            case UInt8(ascii: "["):
                let end = bytes[index...].firstIndex(of: UInt8(ascii: "]")) ?? bytes.count
                add(min(bytes.count, end + 1))
            default:
                var end = index
                let isNumber = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                while end < bytes.count, bytes[end].isPartOfWord || (isNumber && bytes[end] == UInt8(ascii: ".")) { end += 1 }
                add(max(end, index + 1))
            }
        }
        commentsAtEnd = comments
    }

    /// The SQL without comments, with one space between tokens.
    public var normalized: String { tokens.map(\.text).joined(separator: " ") }
}

extension UInt8 {
    fileprivate var isPartOfWord: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
            true
        default: false
        }
    }
}
