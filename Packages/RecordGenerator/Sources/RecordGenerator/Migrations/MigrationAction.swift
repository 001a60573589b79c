import Migrations

/// What a line of a migration asks for that SQL can't say well.
///
/// ```sql
/// -- @rebuild note
/// -- @drops note.rank
/// CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT NOT NULL CHECK (title <> ''), body TEXT);
/// -- @index note_ft ON note (title, body, tokenize = 'porter')
/// ```
struct MigrationAction {
    enum Kind {
        /// A table gets the definition of the `CREATE TABLE` below the line, and keeps its rows, indexes and triggers.
        case rebuild(table: String, TableRebuildPlan)
        /// A full-text index is made where the line is. `definition` has its columns and options in parentheses.
        case index(name: String, table: String, definition: String)
        /// A full-text index is dropped where the line is.
        case dropIndex(name: String)
    }

    let kind: Kind

    /// The place of the line.
    let range: Range<Int>

    /// The number of the statement that a rebuild replaces, or of the first one below the line of an index.
    let statement: Int

    var isRebuild: Bool { if case .rebuild = kind { true } else { false } }

    /// The actions of a file, in the order in which they run, and what is wrong with its lines.
    static func all(in part: SchemaScript.Part) -> (actions: [MigrationAction], problems: [(message: String, range: Range<Int>)]) {
        let directives = SQLDirective.all(in: part.tokens).filter { $0.problem == nil }
        let items = directives.filter { $0.meaning == .drops }.flatMap(\.items)
        var actions: [MigrationAction] = []
        var problems: [(String, Range<Int>)] = []
        for directive in directives {
            let isInside = part.statements.contains {
                $0.lowerBound < directive.nextToken && directive.nextToken <= $0.upperBound && directive.nextToken < part.tokens.count
            }
            let number = part.statements.firstIndex { $0.lowerBound >= directive.nextToken } ?? part.statements.count
            let words = directive.arguments
            switch directive.meaning {
            case .rebuild:
                guard !isInside, let definition = part.definition(of: words.name(0), number) else {
                    problems.append(("@rebuild \(words.text(0)) belongs above CREATE TABLE \(words.text(0)) (…)", directive.range))
                    continue
                }
                var plan = TableRebuildPlan(definition: definition)
                plan.droppedColumns = Set(items.compactMap { $0.column(of: words.name(0)) })
                actions.append(MigrationAction(kind: .rebuild(table: words.name(0), plan), range: directive.range, statement: number))
            case .index, .dropIndex:
                if isInside { problems.append(("\(directive.word) belongs between statements", directive.range)) }
                actions.append(MigrationAction(kind: directive.indexKind, range: directive.range, statement: number))
            case .drops, nil: continue
            }
        }
        for action in actions {
            guard case .index(let name, let table, _) = action.kind, part.definition(of: table, action.statement) != nil,
                !actions.contains(where: { $0.isRebuild && $0.statement == action.statement })
            else { continue }
            problems.append(("@index \(name) belongs below CREATE TABLE \(table) (…)", action.range))
        }
        // The lines above a statement come before it.
        return (actions.sorted { ($0.statement, $0.isRebuild ? 1 : 0) < ($1.statement, $1.isRebuild ? 1 : 0) }, problems)
    }

    /// Does what the line asks for.
    ///
    /// - Throws: `DatabaseError`.
    func run(_ db: Database) throws {
        switch kind {
        case .rebuild(let table, let plan): try db.rebuild(table: table, in: "main", with: plan)
        case .index(let name, let table, let definition): try db.create(fullTextIndex: name, on: table, definition: definition)
        case .dropIndex(let name): try db.drop(fullTextIndex: name)
        }
    }
}

extension SQLDirective {
    /// Whether the line is as in `-- @index note_ft ON note (title, body)`.
    var isIndex: Bool {
        arguments.keyword(1) == "ON" && arguments.count > 5 && arguments.indexOfClosing(3) == arguments.count - 1
            && [0, 2].allSatisfy { [.word, .quotedName].contains(arguments[$0].kind) }
    }

    fileprivate var indexKind: MigrationAction.Kind {
        let name = arguments.name(0)
        if meaning == .dropIndex { return .dropIndex(name: name) }
        return .index(name: name, table: arguments.name(2), definition: arguments.sql(3..<arguments.count))
    }
}

extension SQLTokens {
    /// The column of a table that an item of a line `-- @drops note.rank` names; nil for other items.
    fileprivate func column(of table: String) -> String? {
        count == 3 && text(1) == "." && SchemaName(name(0)) == SchemaName(table) ? name(2) : nil
    }
}

extension SchemaScript.Part {
    /// What follows the name of the table in a `CREATE TABLE note (…)`; nil for other statements.
    fileprivate func definition(of table: String, _ number: Int) -> String? {
        guard number < statements.count else { return nil }
        let statement = statements[number]
        var index = statement.lowerBound
        guard tokens.keyword(index) == "CREATE", tokens.keyword(index + 1) == "TABLE" else { return nil }
        index += tokens.text(index + 3) == "." && SchemaName(tokens.name(index + 2)) == SchemaName("main") ? 4 : 2
        guard index + 1 < statement.upperBound, SchemaName(tokens.name(index)) == SchemaName(table), tokens[index + 1].kind == .open else {
            return nil
        }
        return tokens.text(tokens[index + 1].range.lowerBound..<tokens[statement.upperBound - 1].range.upperBound)
    }
}
