import Migrations

/// A table that gets the definition of a `CREATE TABLE` below `-- @rebuild note`, and keeps its rows, indexes and triggers.
///
/// ```sql
/// -- @rebuild note
/// -- @drops note.rank
/// CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT NOT NULL CHECK (title <> ''), body TEXT);
/// ```
struct MigrationRebuild {
    /// The number of the statement.
    let statement: Int

    let table: String

    /// What the program runs.
    let plan: TableRebuildPlan

    /// The rebuilds of a file, and what is wrong with its lines.
    static func all(in part: SchemaScript.Part) -> (rebuilds: [MigrationRebuild], problems: [(message: String, range: Range<Int>)]) {
        let directives = SQLDirective.all(in: part.tokens).filter { $0.problem == nil }
        let items = directives.filter { $0.meaning == .drops }.flatMap(\.items)
        var rebuilds: [MigrationRebuild] = []
        var problems: [(String, Range<Int>)] = []
        for directive in directives where directive.meaning == .rebuild {
            let table = directive.arguments.name(0)
            guard let number = part.statements.firstIndex(where: { $0.lowerBound == directive.nextToken }),
                let definition = part.definition(of: table, in: part.statements[number])
            else {
                problems.append(
                    (
                        "@rebuild \(directive.arguments.text(0)) belongs above CREATE TABLE \(directive.arguments.text(0)) (…)",
                        directive.range
                    ))
                continue
            }
            var plan = TableRebuildPlan(definition: definition)
            plan.droppedColumns = Set(items.compactMap { $0.column(of: table) })
            rebuilds.append(MigrationRebuild(statement: number, table: table, plan: plan))
        }
        return (rebuilds, problems)
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
    fileprivate func definition(of table: String, in statement: Range<Int>) -> String? {
        var index = statement.lowerBound
        guard tokens.keyword(index) == "CREATE", tokens.keyword(index + 1) == "TABLE" else { return nil }
        index += tokens.text(index + 3) == "." && SchemaName(tokens.name(index + 2)) == SchemaName("main") ? 4 : 2
        guard index + 1 < statement.upperBound, SchemaName(tokens.name(index)) == SchemaName(table), tokens[index + 1].kind == .open else {
            return nil
        }
        return tokens.text(tokens[index + 1].range.lowerBound..<tokens[statement.upperBound - 1].range.upperBound)
    }
}
