extension CommentedSQL {
    /// The definition of a table, taken apart.
    struct TableDefinition {
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
        var definition = TableDefinition(head: head, items: [[]], tail: [], comments: [], itemComments: [[]])
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
        func word(_ index: Int) -> String { index < 0 ? "" : lexed.text(index).uppercased() }
        return lexed.tokens.indices.dropLast().compactMap { index in
            guard lexed[index].depth == 1, word(index) == "CHECK", lexed[index + 1].kind == .open,
                let end = lexed.tokens[(index + 2)...].firstIndex(where: { $0.kind == .close && $0.depth == 1 })
            else { return nil }
            let condition = lexed.text(lexed[index + 1].range.upperBound..<lexed[end].range.lowerBound)
            let name = word(index - 2) == "CONSTRAINT" ? lexed.text(index - 1).unquotedSQLName : nil
            // Lines become one.
            return (name, condition.split(whereSeparator: \.isNewline).map { $0.trimmed }.joined(separator: " ").trimmed)
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
    fileprivate var trimmed: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
