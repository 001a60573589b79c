import SQLiteDriver

/// A line of a migration that the build reads: `-- @drops note_audit`.
///
/// It is a comment that has its line for itself, and begins with `@` and a letter. All other comments mean nothing.
struct MigrationDirective {
    enum Word: String, CaseIterable {
        /// Names what the migration drops on purpose: see ``DroppedParts``.
        case drops = "@drops"
    }

    /// The first word as it is written.
    let text: String

    /// The place of the comment.
    let range: Range<Int>

    /// What follows the first word.
    let arguments: SQLTokens

    /// What the first word means; nil if it is not known.
    var word: Word? { Word(rawValue: text) }

    /// Returns nil for an ordinary comment.
    private init?(_ comment: SQLTokens.Comment, in tokens: SQLTokens) {
        guard comment.kind == .lineComment else { return nil }
        range = comment.range
        let before = tokens.bytes[..<range.lowerBound].reversed().prefix { $0 != 0x0A }
        let content = tokens.text(tokens.content(of: comment)).trimmed
        guard before.allSatisfy({ $0 == 0x20 || $0 == 0x09 }), content.first == "@", content.dropFirst().first?.isLetter == true else {
            return nil
        }
        text = String(content.prefix { !$0.isWhitespace })
        arguments = SQLTokens(content.dropFirst(text.count))
    }

    /// Returns the directives of a migration.
    static func all(in tokens: SQLTokens) -> [MigrationDirective] {
        tokens.comments.compactMap { MigrationDirective($0, in: tokens) }
    }

    /// What is wrong with the line; nil if it is right.
    var problem: String? {
        switch word {
        case nil:
            let words = Word.allCases.map(\.rawValue)
            let suggestion = text.suggestion(in: words)
            return "\(text) is not known\(suggestion.isEmpty ? ": the words of migrations are \(words.joined(separator: ", "))" : suggestion)"
        case .drops: return arguments.count == 0 ? "@drops needs the names of what may go: -- @drops note_audit" : nil
        }
    }

    /// The items of the list behind the first word.
    var items: [SQLTokens] {
        arguments.split(0..<arguments.count, atCommasOfDepth: 0).filter { !$0.isEmpty }.map { range in
            SQLTokens(arguments.text(arguments[range.lowerBound].range.lowerBound..<arguments[range.upperBound - 1].range.upperBound))
        }
    }
}
