import SQLiteDriver

/// The words of some SQL, with the comments before and after them.
///
/// Source: <https://www.sqlite.org/lang_comment.html>, <https://www.sqlite.org/lang_keywords.html>
package struct CommentedSQL: Sendable {
    /// A word, number, string, name or sign.
    struct Token: Sendable, Equatable {
        /// The token as it is in the SQL, with its quotes.
        var text: String

        /// The comments between the previous token and this one, without their marks.
        var commentsBefore: [Comment] = []

        /// The name that the token stands for, without quotes.
        var name: String { text.unquotedSQLName }

        /// Returns whether the token is a keyword, in upper case, or a sign.
        func `is`(_ keyword: String) -> Bool { text.uppercased() == keyword }

        /// Whether an item of a table that begins with the token is a constraint, and not a column.
        var beginsConstraint: Bool { ["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"].contains(text.uppercased()) }
    }

    /// A comment.
    struct Comment: Sendable, Equatable {
        /// The text without `--`, `/*` and `*/`.
        var text: String
        /// Whether the comment follows something on its line.
        var followsOnSameLine: Bool
    }

    /// The SQL itself.
    let sql: String
    private(set) var tokens: [Token] = []

    /// The comments after the last token.
    private(set) var commentsAtEnd: [Comment] = []

    /// Splits SQL into tokens. Invalid SQL has tokens, too.
    package init(_ sql: String) {
        self.sql = sql
        let lexed = SQLTokens(sql)
        var comments = lexed.comments[...]
        var end = 0
        for (index, token) in lexed.tokens.enumerated() {
            let before = comments.prefix { $0.nextToken == index }
            comments = comments.dropFirst(before.count)
            let text = lexed.text(index)
            // A number with a decimal point is one token here.
            if token.range.lowerBound == end, before.isEmpty, let last = tokens.last?.text, last.startsWithDigit,
                text == "." || last.hasSuffix("."), text.allSatisfy({ $0 == "." || $0.isASCIILetterOrDigit })
            {
                tokens[tokens.count - 1].text += text
            } else {
                tokens.append(Token(text: text, commentsBefore: before.map { Comment($0, in: lexed) }))
            }
            end = token.range.upperBound
        }
        commentsAtEnd = comments.map { Comment($0, in: lexed) }
    }

    /// The SQL without comments, with one space between tokens.
    package var normalized: String { tokens.map(\.text).joined(separator: " ") }
}

extension CommentedSQL.Comment {
    fileprivate init(_ comment: SQLTokens.Comment, in sql: SQLTokens) {
        let start = comment.range.lowerBound
        text = sql.text(sql.content(of: comment))
        // Whether a token or another comment is between it and the last line feed before it.
        let lineStart = sql.bytes[..<start].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        followsOnSameLine = comment.nextToken > 0 && sql[comment.nextToken - 1].range.upperBound > lineStart
    }
}

extension Character {
    fileprivate var isASCIILetterOrDigit: Bool { isASCII && (isLetter || isNumber) }
}
