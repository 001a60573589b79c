import CSQLiteShims

/// Splits SQL into tokens, comments and white space, as SQLite does. Invalid SQL has tokens, too.
///
/// `SELECT 'it''s' -- a string` gives a word, a string and a line comment, with white space between them.
///
/// A number with a decimal point and an operator of two characters are several tokens: `1.5` is a word, a sign and a word.
///
/// Source: <https://www.sqlite.org/draft/tokenreq.html>
package struct SQLLexer: Sequence, IteratorProtocol {
    /// The kinds of tokens.
    package enum Kind: Sendable {
        /// A keyword, an unquoted name, or a number without a point.
        case word
        /// A string literal in single quotes. Where only a name is allowed, SQLite reads it as a name.
        case string
        /// A name in double quotes, grave accents or brackets.
        case quotedName
        /// A parenthesis.
        case open, close
        /// Punctuation: `,`, `.`, `;`, or a character of an operator or of a parameter.
        case sign
        /// White space.
        case space
        /// A comment up to the end of its line, without that end.
        case lineComment
        /// A comment in `/* */`. At the end of the SQL, `*/` may be missing.
        case blockComment
    }

    /// A token and its range, in bytes of UTF-8.
    package struct Token: Sendable {
        package let kind: Kind
        package let range: Range<Int>
    }

    package let bytes: [UInt8]
    private var position = 0

    package init(_ sql: some StringProtocol) {
        self.init(sql.utf8)
    }

    package init(_ sql: some Sequence<UInt8>) {
        bytes = Array(sql)
    }

    package mutating func next() -> Token? {
        guard position < bytes.count else { return nil }
        let start = position
        let kind = skipToken()
        return Token(kind: kind, range: start..<position)
    }

    /// Moves past the token at the current position, and returns its kind.
    private mutating func skipToken() -> Kind {
        let byte = bytes[position]
        position += 1
        switch byte {
        // A vertical tab is white space inside white space only.
        case UInt8(ascii: " "), 0x09, 0x0A, 0x0C, 0x0D:
            skip { $0 == UInt8(ascii: " ") || (0x09...0x0D).contains($0) }
            return .space
        case UInt8(ascii: "-") where isNext("-"):
            skip { $0 != 0x0A }
            return .lineComment
        case UInt8(ascii: "/") where isNext("*"):
            position += 1
            while position < bytes.count {
                position += 1
                if bytes[position - 1] == UInt8(ascii: "*"), isNext("/") {
                    position += 1
                    break
                }
            }
            return .blockComment
        case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
            skipQuoted(by: byte)
            return byte == UInt8(ascii: "'") ? .string : .quotedName
        case UInt8(ascii: "["):
            skip { $0 != UInt8(ascii: "]") }
            position = Swift.min(position + 1, bytes.count)
            return .quotedName
        case UInt8(ascii: "("): return .open
        case UInt8(ascii: ")"): return .close
        case _ where byte.isPartOfSQLWord:
            skip { $0.isPartOfSQLWord }
            return .word
        default:
            return .sign
        }
    }

    private func isNext(_ character: Unicode.Scalar) -> Bool {
        position < bytes.count && bytes[position] == UInt8(ascii: character)
    }

    private mutating func skip(while isMeant: (UInt8) -> Bool) {
        while position < bytes.count, isMeant(bytes[position]) { position += 1 }
    }

    /// Moves past the end of a quoted token, in which quotes are doubled.
    private mutating func skipQuoted(by quote: UInt8) {
        while position < bytes.count {
            position += 1
            guard bytes[position - 1] == quote else { continue }
            guard position < bytes.count, bytes[position] == quote else { return }
            position += 1
        }
    }
}

extension UInt8 {
    /// Whether the byte belongs to keywords, unquoted names and numbers.
    package var isPartOfSQLWord: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
            true
        default: false
        }
    }
}

extension String {
    /// The name that a token stands for: the text without the quotes that it begins with, as SQLite reads them, or the text itself.
    package var unquotedSQLName: String {
        guard let first = utf8.first, [UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"), UInt8(ascii: "[")].contains(first)
        else { return self }
        let end = first == UInt8(ascii: "[") ? UInt8(ascii: "]") : first
        var result: [UInt8] = []
        var rest = utf8.dropFirst()
        while let byte = rest.popFirst() {
            if byte == end {
                // Brackets have no escape.
                guard first == end, rest.first == end else { break }
                rest.removeFirst()
            }
            result.append(byte)
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns whether SQL contains a keyword, regardless of case.
    ///
    /// - Parameters:
    ///   - keyword: the keyword, in capitals.
    ///   - isMeant: returns whether an occurrence counts, given the kind of the next token; nil at the end.
    func hasKeyword(_ keyword: String, where isMeant: (SQLLexer.Kind?) -> Bool = { _ in true }) -> Bool {
        // Each compiled statement is searched, and few contain the word at all.
        if withCString({ sqlite3_strlike("%\(keyword)%", $0, 0) }) != 0 { return false }
        var lexer = SQLLexer(self)
        var isFound = false
        while let token = lexer.next() {
            switch token.kind {
            case .space, .lineComment, .blockComment: continue
            case let kind where isFound && isMeant(kind): return true
            case .word:
                isFound =
                    token.range.count == keyword.utf8.count
                    && zip(lexer.bytes[token.range], keyword.utf8).allSatisfy { $0 & 0xDF == $1 }
            default: isFound = false
            }
        }
        return isFound && isMeant(nil)
    }

    /// Whether SQL may have the conflict clause REPLACE, and not only the function `replace()`.
    var hasReplaceClause: Bool { hasKeyword("REPLACE") { $0 != .open } }

    /// Whether SQL may have a join that compares columns of the same name without naming them for each table.
    var hasJoinByColumnNames: Bool { hasKeyword("USING") || hasKeyword("NATURAL") }

    /// Whether SQL creates a virtual table.
    var isVirtualTable: Bool { prefix(20).uppercased().hasPrefix("CREATE VIRTUAL") }
}
