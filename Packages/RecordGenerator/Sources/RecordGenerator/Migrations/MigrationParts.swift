import SQLiteDriver

/// The parts of a migration that was written for another tool.
struct MigrationParts {
    /// The tool; nil if the file has no annotations.
    private(set) var tool: MigrationAnnotation.Tool?

    /// Why it can't be told what the tool runs, or why it can't be run here, with places in the file.
    private(set) var problems: [(message: String, range: Range<Int>)] = []

    /// The first token of a down part, if there is one.
    private(set) var downToken: Range<Int>?

    private var annotations: [Range<Int>] = []

    /// A comment that begins as annotations of dbmate do.
    private var unknown: Range<Int>?
    private var downParts: [Range<Int>] = []
    private let source: SourceText

    init(_ source: SourceText) {
        self.source = source
        let tokens = SQLTokens(source.text)
        let all = tokens.comments.compactMap { comment in
            MigrationAnnotation(comment, in: tokens).map { (annotation: $0, nextToken: comment.nextToken) }
        }
        guard let tool = all.first(where: { $0.annotation.kind != .unknown })?.annotation.tool else {
            for comment in tokens.comments { readOther(comment, tokens) }
            return
        }
        self.tool = tool
        var section = Section()
        for (annotation, nextToken) in all {
            if annotation.tool != tool {
                if annotation.kind == .unknown { continue }
                let (one, other) = (tool.rawValue, annotation.tool.rawValue)
                problems.append(("this file has annotations of \(one), and this one of \(other): keep those of one tool", annotation.range))
            } else {
                read(annotation, nextToken, tokens, &section)
            }
        }
        finish(section, tokens)
    }

    /// Adds problems with lines that sqlx, Atlas, node-sqlite, MyBatis or tern reads, and that could also be comments.
    private mutating func readOther(_ comment: SQLTokens.Comment, _ tokens: SQLTokens) {
        let start = comment.range.lowerBound
        guard start == 0 || tokens.bytes[start - 1] == 0x0A else { return }
        let line = tokens.text(comment.range).split(whereSeparator: \.isWhitespace).joined(separator: " ").lowercased()
        if start == 0 && line.hasPrefix("-- no-transaction") || line == "-- atlas:txmode none" {
            problems.append(("another tool runs this migration without a transaction, which a DatabaseMigrator can't", comment.range))
        }
        let isLast = comment.nextToken == tokens.count
        if !isLast, ["-- down", "-- //@undo", "---- create above / drop below ----"].contains(line) {
            problems.append(
                ("it is not clear whether this line begins a down part: remove what must not run, or reword the comment", comment.range))
        }
    }

    /// The part of a file that an annotation belongs to.
    private struct Section {
        var kind: MigrationAnnotation.Kind?
        var start = 0
        var startToken = 0
        var hadUp = false
        var hadDown = false
        /// The StatementBegin whose end is missing.
        var statement: Range<Int>?
    }

    private mutating func read(_ annotation: MigrationAnnotation, _ nextToken: Int, _ tokens: SQLTokens, _ section: inout Section) {
        let (tool, range) = (annotation.tool, annotation.range)
        let isAboutDown = annotation.kind == .down || annotation.kind == .setting && annotation.isAboutFollowing && section.kind == .down
        if let unsupported = annotation.unsupported, !isAboutDown {
            problems.append(("\(tool.rawValue) runs this migration \(unsupported), which a DatabaseMigrator can't", range))
        }
        switch annotation.kind {
        case .unknown where tool == .dbmate:
            unknown = unknown ?? range
            return
        case .unclear, .unknown:
            problems.append((Self.unclear(tool), range))
            return
        case .setting: break
        case .statementBegin:
            if section.statement != nil || section.kind == nil { problems.append(("a statement can't begin here", range)) }
            section.statement = range
        case .statementEnd:
            if section.statement == nil { problems.append(("\(tool.annotation(.statementBegin)) is missing before this line", range)) }
            section.statement = nil
        case .up, .down:
            end(section, at: range.lowerBound, nextToken, tokens)
            begin(annotation, nextToken, &section)
        }
        annotations.append(range)
    }

    /// Begins a section. In a file of sql-migrate, each kind may have several.
    private mutating func begin(_ annotation: MigrationAnnotation, _ nextToken: Int, _ section: inout Section) {
        let (tool, range) = (annotation.tool, annotation.range)
        let isUp = annotation.kind == .up
        if !isUp, !section.hadUp, tool != .sqlMigrate {
            problems.append(("\(tool.rawValue) expects \"\(tool.annotation(.up))\" before this line", range))
        } else if isUp ? section.hadUp : section.hadDown, tool != .sqlMigrate {
            problems.append(("this is a second line \"\(tool.annotation(annotation.kind))\": keep one", range))
        }
        (section.kind, section.start, section.startToken, section.statement) = (annotation.kind, range.upperBound, nextToken, nil)
        if isUp { section.hadUp = true } else { section.hadDown = true }
    }

    /// Ends a section before an annotation, or at the end of the file.
    private mutating func end(_ section: Section, at end: Int, _ nextToken: Int, _ tokens: SQLTokens) {
        if let statement = section.statement { problems.append(("the end of this statement is missing", statement)) }
        let first = section.startToken < nextToken ? tokens[section.startToken].range : nil
        if section.kind == nil, let first, let tool {
            problems.append(("this statement is in no part: move it below a line \"\(tool.annotation(.up))\"", first))
        }
        guard section.kind == .down else { return }
        downParts.append(section.start..<end)
        downToken = downToken ?? first
    }

    private mutating func finish(_ section: Section, _ tokens: SQLTokens) {
        if section.kind != nil || section.statement != nil { end(section, at: tokens.bytes.count, tokens.count, tokens) }
        // A file of dbmate has both parts: the line may be a misspelled one.
        if let unknown, !section.hadDown { problems.append((Self.unclear(.dbmate), unknown)) }
        if let tool, !section.hadUp, problems.isEmpty {
            problems.append(("this file has no line \"\(tool.annotation(.up))\"", annotations.first ?? 0..<1))
        }
    }

    private static func unclear(_ tool: MigrationAnnotation.Tool) -> String {
        "it is not clear whether \(tool.rawValue) reads this line: begin the line as in \"\(tool.annotation(.down))\", or reword the comment"
    }

    /// The SQL that runs. Lines that don't run are empty, so that places stay the same.
    ///
    /// - Parameter isWhole: whether the down parts run, too.
    func script(isWhole: Bool) -> SourceText {
        let hidden = (annotations + (isWhole ? [] : downParts)).sorted { $0.lowerBound < $1.lowerBound }
        let bytes = Array(source.text.utf8)
        var script: [UInt8] = []
        var position = 0
        // Annotations, and the parts between them, are whole lines. A down part may contain annotations.
        for range in hidden where range.lowerBound >= position {
            script += bytes[position..<range.lowerBound] + bytes[range].filter { $0 == 0x0A }
            position = range.upperBound
        }
        return SourceText(String(decoding: script + bytes[position...], as: UTF8.self), file: source.file)
    }
}

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
    enum Tool: String, CaseIterable {
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
        guard let first = words.first, let tool = Tool.allCases.first(where: { first.hasPrefixIgnoringASCIICase($0.mark) })
        else { return nil }
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
