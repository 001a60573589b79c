/// A line of a migration that is more than a comment: `-- @drops note_audit`.
///
/// It is a comment that has its line for itself, and begins with `@` and a letter. All other comments mean nothing.
package struct SQLDirective {
    /// The first word, such as `@drops`.
    package let word: String

    /// The place of the comment.
    package let range: Range<Int>

    /// What follows the first word.
    package let arguments: SQLTokens

    /// The index of the token after the comment.
    package let nextToken: Int

    /// Returns nil for an ordinary comment.
    private init?(_ comment: SQLTokens.Comment, in tokens: SQLTokens) {
        guard comment.kind == .lineComment else { return nil }
        (range, nextToken) = (comment.range, comment.nextToken)
        let before = tokens.bytes[..<range.lowerBound].reversed().prefix { $0 != 0x0A }
        let content = tokens.text(tokens.content(of: comment)).drop(while: \.isWhitespace)
        guard before.allSatisfy({ $0 == 0x20 || $0 == 0x09 }), content.first == "@", content.dropFirst().first?.isLetter == true else {
            return nil
        }
        word = String(content.prefix { !$0.isWhitespace })
        arguments = SQLTokens(content.dropFirst(word.count))
    }

    /// Returns the directives of some SQL.
    package static func all(in tokens: SQLTokens) -> [SQLDirective] {
        tokens.comments.compactMap { SQLDirective($0, in: tokens) }
    }

    /// The items of the list behind the first word.
    package var items: [SQLTokens] {
        arguments.split(0..<arguments.count, atCommasOfDepth: 0).filter { !$0.isEmpty }.map { range in
            SQLTokens(arguments.text(arguments[range.lowerBound].range.lowerBound..<arguments[range.upperBound - 1].range.upperBound))
        }
    }
}
