import Migrations

extension CommentedSQL {
    /// The definition of a table, taken apart.
    struct TableDefinition {
        /// The whole definition.
        var sql: String

        /// The tokens before the first parenthesis, such as `CREATE TABLE player`.
        var head: [Token]

        /// The items between the parentheses, which commas separate: columns, then constraints. Each token has the comments before it.
        var items: [[Token]]

        /// The tokens after the last parenthesis, such as `WITHOUT ROWID`.
        var tail: [Token]

        /// The comments after the name, before the parenthesis, and after the parenthesis in the same line.
        var comments: [Comment]

        /// For each item, the comments that belong to it: before it, and after it in the same line.
        var itemComments: [[Comment]]
    }

    /// The parts of a `CREATE TABLE`; nil if this is something else.
    var tableDefinition: TableDefinition? {
        guard tokens.first?.is("CREATE") == true, let start = tokens.firstIndex(where: { $0.text == "(" }) else { return nil }
        let head = Array(tokens[..<start])
        guard head.contains(where: { $0.is("TABLE") }), !head.contains(where: { $0.is("VIRTUAL") || $0.is("AS") }) else { return nil }
        var definition = TableDefinition(sql: sql, head: head, items: [[]], tail: [], comments: [], itemComments: [[]])
        definition.comments = head.dropFirst().flatMap(\.commentsBefore) + tokens[start].commentsBefore
        var depth = 1
        var index = start + 1
        while index < tokens.count {
            let token = tokens[index]
            // A comment in the line of the previous token belongs to that token.
            let behind = token.commentsBefore.prefix(while: \.followsOnSameLine)
            let before = token.commentsBefore.dropFirst(behind.count)
            let previous = tokens[index - 1].text
            if index == start + 1 {
                definition.comments += behind
            } else if previous == ",", depth == 1, definition.items.count > 1 {
                definition.itemComments[definition.items.count - 2] += behind
            } else {
                definition.itemComments[definition.items.count - 1] += behind
            }
            definition.itemComments[definition.items.count - 1] += before
            if token.text == "(" { depth += 1 }
            if token.text == ")" {
                depth -= 1
                if depth == 0 { break }
            }
            if token.text == ",", depth == 1 {
                definition.items.append([])
                definition.itemComments.append([])
            } else {
                definition.items[definition.items.count - 1].append(token)
            }
            index += 1
        }
        if index < tokens.count { definition.tail = Array(tokens[(index + 1)...]) }
        return definition
    }

    /// The conditions of the CHECK constraints of a table's definition, as they are written, and the constraints' names.
    package static func checks(_ sql: String) -> [(name: String?, condition: String)] {
        guard CommentedSQL(sql).tableDefinition != nil else { return [] }
        let lexed = SQLTokens(sql)
        return lexed.clauses("CHECK").map { index, condition in
            let isNamed = index > 1 && lexed.text(index - 2).uppercased() == "CONSTRAINT"
            // Lines become one.
            let lines = condition.split(whereSeparator: \.isNewline).map(\.trimmed)
            return (isNamed ? lexed.name(index - 1) : nil, lines.joined(separator: " ").trimmed)
        }
    }

    /// The definition in lines: one for each column and constraint of a table, or one for anything else. Comments and white space are left
    /// out.
    package var definitionLines: [String] {
        guard let definition = tableDefinition else { return [normalized] }
        func line(_ tokens: [Token]) -> String { tokens.map(\.text).joined(separator: " ") }
        return [line(definition.head)] + definition.items.map(line) + (definition.tail.isEmpty ? [] : [line(definition.tail)])
    }
}

extension StringProtocol {
    /// The text without spaces at its ends.
    var trimmed: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
