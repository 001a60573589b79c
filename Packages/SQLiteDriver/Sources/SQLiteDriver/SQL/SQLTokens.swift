/// The tokens of some SQL, without white space and comments.
package struct SQLTokens: Sendable {
    package struct Token: Sendable {
        package let kind: SQLLexer.Kind
        /// Its range, in bytes of UTF-8.
        package let range: Range<Int>
        /// The number of parentheses around it.
        package let depth: Int
    }

    /// A comment, and the index of the token that follows it.
    package struct Comment: Sendable {
        package let kind: SQLLexer.Kind
        package let range: Range<Int>
        package let nextToken: Int
    }

    package let bytes: [UInt8]
    package private(set) var tokens: [Token] = []
    package private(set) var comments: [Comment] = []

    package init(_ sql: some StringProtocol) {
        self.init(sql.utf8)
    }

    package init(_ sql: some Sequence<UInt8>) {
        var lexer = SQLLexer(sql)
        bytes = lexer.bytes
        var depth = 0
        while let token = lexer.next() {
            switch token.kind {
            case .space:
                continue
            case .lineComment, .blockComment:
                comments.append(Comment(kind: token.kind, range: token.range, nextToken: tokens.count))
            default:
                if token.kind == .close { depth -= 1 }
                tokens.append(Token(kind: token.kind, range: token.range, depth: depth))
                if token.kind == .open { depth += 1 }
            }
        }
    }

    package var count: Int { tokens.count }

    package subscript(index: Int) -> Token { tokens[index] }

    package func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// Returns the range of a comment without its marks, the last of which may be missing.
    package func content(of comment: Comment) -> Range<Int> {
        let range = comment.range.lowerBound + 2..<comment.range.upperBound
        let isClosed = comment.kind == .blockComment && bytes[range].suffix(2).elementsEqual("*/".utf8)
        return isClosed ? range.lowerBound..<range.upperBound - 2 : range
    }

    /// Returns the SQL of a token; an empty string after the last one.
    package func text(_ index: Int) -> String { tokens.indices.contains(index) ? text(tokens[index].range) : "" }

    /// Returns a word in capitals; an empty string for other tokens, and after the last one.
    package func keyword(_ index: Int) -> String {
        tokens.indices.contains(index) && tokens[index].kind == .word ? text(index).uppercased() : ""
    }

    /// Returns the name that a token stands for, without its quotes.
    package func name(_ index: Int) -> String { text(index).unquotedSQLName }

    /// Returns the index of the parenthesis that closes the one at an index.
    package func indexOfClosing(_ open: Int) -> Int? {
        guard tokens.indices.contains(open), tokens[open].kind == .open else { return nil }
        return tokens[open...].firstIndex { $0.kind == .close && $0.depth == tokens[open].depth }
    }

    /// Returns the parts of a range of tokens that commas of a depth separate.
    package func split(_ range: Range<Int>, atCommasOfDepth depth: Int) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        var start = range.lowerBound
        for index in range where tokens[index].depth == depth && tokens[index].kind == .sign && text(index) == "," {
            parts.append(start..<index)
            start = index + 1
        }
        return parts + [start..<range.upperBound]
    }

    /// Returns the SQL of some tokens. Comments become spaces, because a line comment would hide what follows.
    package func sql(_ range: Range<Int>) -> String {
        range.reduce(into: "") { sql, index in
            let isApart = index > range.lowerBound && self[index - 1].range.upperBound < self[index].range.lowerBound
            sql += (isApart ? " " : "") + text(index)
        }
    }

    /// The SQL without the comments at its end, the last of which may be unterminated.
    package var trimmedSQL: String { text(0..<(tokens.last?.range.upperBound ?? 0)) }
}
