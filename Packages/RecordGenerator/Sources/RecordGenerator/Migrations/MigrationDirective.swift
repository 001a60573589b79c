import Migrations

/// What the directives of files with migrations mean.
enum MigrationDirective: String, CaseIterable {
    /// Names what the migration drops on purpose: see ``DroppedParts``.
    case drops = "@drops"
    /// Drops a full-text index: see ``MigrationAction``.
    case dropIndex = "@drop-index"
    /// Makes a full-text index of a table: see ``MigrationAction``.
    case index = "@index"
    /// Makes the `CREATE TABLE` below it the new definition of a table: see ``MigrationAction``.
    case rebuild = "@rebuild"
}

extension SQLDirective {
    /// What the first word means; nil if it is not known.
    var meaning: MigrationDirective? { MigrationDirective(rawValue: word) }

    /// What is wrong with the line; nil if it is right.
    var problem: String? {
        switch meaning {
        case nil:
            let words = MigrationDirective.allCases.map(\.rawValue)
            let suggestion = word.suggestion(in: words)
            return
                "\(word) is not known\(suggestion.isEmpty ? ": the words of migrations are \(words.joined(separator: ", "))" : suggestion)"
        case .index:
            return isIndex ? nil : "@index needs a name, a table, and columns in parentheses: -- @index note_ft ON note (title, body)"
        case .dropIndex: return arguments.count == 1 ? nil : "@drop-index needs the name of a full-text index: -- @drop-index note_ft"
        case .rebuild: return arguments.count == 1 ? nil : "@rebuild needs the name of a table: -- @rebuild note"
        case .drops: return arguments.count == 0 ? "@drops needs the names of what may go: -- @drops note_audit" : nil
        }
    }
}
