import SQLiteDriver

/// A line of a migration that another tool reads, such as `-- +goose Down`.
///
/// | tool | a line is an annotation |
/// |---|---|
/// | goose | if it begins with `--`, spaces or none, `+goose` and a space; in any case of letters |
/// | dbmate | if it begins with `--`, spaces or none, and `migrate:up` or `migrate:down`, which options such as `transaction:false` may follow |
/// | sql-migrate | if it begins with `-- +migrate ` |
///
/// Lines that are almost one are unclear: versions of a tool differ, or the tool ignores a misspelled line and runs what follows.
///
/// Sources: <https://pressly.github.io/goose/documentation/annotations>, <https://github.com/amacneil/dbmate#migration-options>,
/// <https://github.com/rubenv/sql-migrate#writing-migrations>
struct MigrationAnnotation {
    enum Tool: String {
        case goose
        case dbmate
        case sqlMigrate = "sql-migrate"

        /// What annotations begin with.
        fileprivate var mark: String {
            switch self {
            case .goose: "+goose"
            case .dbmate: "migrate:"
            case .sqlMigrate: "+migrate"
            }
        }

        fileprivate static let all = [goose, dbmate, sqlMigrate]

        /// The annotation of a kind, as the tool's documentation writes it.
        func annotation(_ kind: Kind) -> String {
            self == .dbmate ? "-- \(mark)\(kind.rawValue.lowercased())" : "-- \(mark) \(kind.rawValue)"
        }
    }

    enum Kind: String {
        case up = "Up"
        case down = "Down"
        case statementBegin = "StatementBegin"
        case statementEnd = "StatementEnd"
        /// Something else that the tool does.
        case setting
        /// A line that may be meant as one of the others.
        case unclear
        /// A line with the mark of the tool that is not like any of the others.
        case unknown
    }

    let tool: Tool
    let kind: Kind

    /// What the annotation asks for that migrations here can't do.
    let unsupported: String?

    /// Whether a setting is about the statements that follow, and not about the whole file.
    let isAboutFollowing: Bool

    /// The range of the comment.
    let range: Range<Int>

    /// Returns nil for an ordinary comment.
    init?(_ comment: SQLTokens.Comment, in tokens: SQLTokens) {
        guard comment.kind == .lineComment else { return nil }
        range = comment.range
        let lineStart = tokens.bytes[..<range.lowerBound].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        let indentation = tokens.bytes[lineStart..<range.lowerBound]
        guard indentation.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) else { return nil }
        let line = tokens.text(range)
        let words = line.dropFirst(2).split(whereSeparator: \.isWhitespace).map(String.init)
        guard let first = words.first, let tool = Tool.all.first(where: { first.hasPrefixIgnoringASCIICase($0.mark) }) else { return nil }
        self.tool = tool
        let arguments = [String(first.dropFirst(tool.mark.count))].filter { !$0.isEmpty } + words.dropFirst()
        let hasMark = indentation.isEmpty && first.hasPrefix(tool.mark) && (tool == .dbmate || first == tool.mark)
        let isWritten = hasMark && (tool != .sqlMigrate || line.hasPrefix("-- \(tool.mark) "))
        let exact = isWritten ? Self.exact(tool, arguments) : nil
        kind = exact?.kind ?? (Self.isLikeAnnotation(tool, arguments, first) ? .unclear : .unknown)
        unsupported = exact?.unsupported
        isAboutFollowing = arguments.first?.lowercased() != "no"
    }

    /// The meaning of arguments that the tool understands.
    private static func exact(_ tool: Tool, _ arguments: [String]) -> (kind: Kind, unsupported: String?)? {
        let words = tool == .goose ? arguments.map { $0.lowercased() } : arguments
        guard let word = words.first else { return nil }
        let options = words.dropFirst()
        let kinds: [Kind] = tool == .dbmate ? [.up, .down] : [.up, .down, .statementBegin, .statementEnd]
        let kind = kinds.first { word == (tool == .sqlMigrate ? $0.rawValue : $0.rawValue.lowercased()) }
        switch (tool, kind) {
        case (.goose, nil) where words == ["no", "transaction"]: return (.setting, "without a transaction")
        case (.goose, nil) where words.count == 2 && ["envsub", "envsubst"].contains(word) && ["on", "off"].contains(words[1]):
            return (.setting, "with the values of environment variables")
        case (.dbmate, let kind?) where options.allSatisfy({ $0.contains(":") }):
            return (kind, options.contains("transaction:false") ? "without a transaction" : nil)
        case (.sqlMigrate, .up?) where options == ["notransaction"], (.sqlMigrate, .down?) where options == ["notransaction"]:
            return (kind!, "without a transaction")
        case (_, let kind?) where options.isEmpty: return (kind, nil)
        default: return nil
        }
    }

    /// Whether arguments begin as those that the tool understands.
    private static func isLikeAnnotation(_ tool: Tool, _ arguments: [String], _ first: String) -> Bool {
        let words = arguments.map { $0.prefix(while: \.isLetter).lowercased() }
        switch words.first {
        case "up", "down": return tool != .dbmate || first.utf8.count > tool.mark.utf8.count
        case "statementbegin", "statementend", "envsub", "envsubst": return tool != .dbmate
        case "no": return tool == .goose && words.dropFirst().first == "transaction"
        default: return false
        }
    }
}
