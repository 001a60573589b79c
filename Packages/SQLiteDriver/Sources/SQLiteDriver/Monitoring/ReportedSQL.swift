/// The SQL of a statement as monitors see it: without literals and comments.
final class ReportedSQL: Sendable {
    /// The SQL with `?` in place of each literal.
    let text: String
    /// What the statement does, in capitals.
    let operationName: String
    /// The first table that the statement names.
    let tableName: String?

    /// - Parameters:
    ///   - sql: the SQL of a statement that SQLite has compiled.
    ///   - isName: whether a text in double quotes is a name and not a literal.
    init(_ sql: String, isName: (String) -> Bool) {
        let tokens = SQLTokens(sql)
        text = Self.text(tokens, isName)
        let operations: Set = ["SELECT", "INSERT", "REPLACE", "UPDATE", "DELETE", "VALUES"]
        let first = tokens.keyword(0)
        let operation =
            first == "WITH"
            ? tokens.tokens.indices.first { tokens[$0].depth == 0 && operations.contains(tokens.keyword($0)) } : nil
        operationName = operation.map(tokens.keyword) ?? first
        tableName = Self.tableName(tokens, from: operation ?? 0)
    }

    private static func text(_ tokens: SQLTokens, _ isName: (String) -> Bool) -> String {
        var text = ""
        var end = 0
        var index = 0
        while index < tokens.count {
            let token = tokens[index]
            if token.range.lowerBound > end, !text.isEmpty { text += " " }
            if let literalEnd = endOfLiteral(at: index, tokens, isName) {
                text += "?"
                end = tokens[literalEnd - 1].range.upperBound
                index = literalEnd
            } else {
                text += tokens.text(index)
                end = token.range.upperBound
                index += 1
            }
        }
        return text
    }

    /// Returns the index after the literal that begins at an index; nil if there is no literal.
    private static func endOfLiteral(at index: Int, _ tokens: SQLTokens, _ isName: (String) -> Bool) -> Int? {
        func touchesNext(_ index: Int) -> Bool {
            tokens.tokens.indices.contains(index + 1) && tokens[index].range.upperBound == tokens[index + 1].range.lowerBound
        }
        func isNumber(_ index: Int) -> Bool {
            guard tokens.tokens.indices.contains(index), tokens[index].kind == .word else { return false }
            return (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(tokens.bytes[tokens[index].range.lowerBound])
        }
        switch tokens[index].kind {
        case .string:
            return index + 1
        case .quotedName:
            return tokens.text(index).hasPrefix("\"") && !isName(tokens.name(index)) ? index + 1 : nil
        case .word where tokens.keyword(index) == "X" && touchesNext(index) && tokens[index + 1].kind == .string:
            return index + 2
        case .word where isNumber(index):
            // The number of a parameter: `?1`.
            if index > 0, touchesNext(index - 1), "?:@$#".contains(tokens.text(index - 1)) { return nil }
            return endOfNumber(at: index, tokens, touchesNext, isNumber)
        case .sign where tokens.text(index) == "." && touchesNext(index) && isNumber(index + 1):
            return endOfNumber(at: index + 1, tokens, touchesNext, isNumber)
        default:
            return nil
        }
    }

    /// Returns the index after a number, whose point and signed exponent are tokens of their own.
    private static func endOfNumber(
        at index: Int, _ tokens: SQLTokens, _ touchesNext: (Int) -> Bool, _ isNumber: (Int) -> Bool
    ) -> Int {
        var last = index
        if touchesNext(last), tokens.text(last + 1) == "." {
            last += 1
            if touchesNext(last), tokens[last + 1].kind == .word { last += 1 }
        }
        let text = tokens.keyword(last)
        if text.hasSuffix("E"), !text.hasPrefix("0X"), touchesNext(last), ["+", "-"].contains(tokens.text(last + 1)), touchesNext(last + 1),
            isNumber(last + 2)
        {
            last += 2
        }
        return last + 1
    }

    private static func tableName(_ tokens: SQLTokens, from start: Int) -> String? {
        func name(at index: Int) -> String? {
            guard index < tokens.count, tokens[index].kind == .word || tokens[index].kind == .quotedName else { return nil }
            return tokens.text(index + 1) == "." && index + 2 < tokens.count ? tokens.name(index + 2) : tokens.name(index)
        }
        switch tokens.keyword(start) {
        case "INSERT", "REPLACE":
            return tokens.tokens.indices.dropFirst(start).first { tokens.keyword($0) == "INTO" }.flatMap { name(at: $0 + 1) }
        case "UPDATE":
            return name(at: tokens.keyword(start + 1) == "OR" ? start + 3 : start + 1)
        case "SELECT", "DELETE":
            let depth = tokens[start].depth
            return tokens.tokens.indices.dropFirst(start)
                .first { tokens[$0].depth == depth && tokens.keyword($0) == "FROM" }.flatMap { name(at: $0 + 1) }
        default:
            return nil
        }
    }
}

extension Statement {
    /// Returns the SQL as monitors see it.
    ///
    /// Where SQLite takes a text in double quotes that names nothing for a string literal, only names of tables and columns are names. Aliases
    /// are not recognized.
    func makeReportedSQL() -> ReportedSQL {
        guard database.configuration.acceptsDoubleQuotedStringLiterals else { return ReportedSQL(sql) { _ in true } }
        let names = effects.region.names.union(effects.unqualifiedTables).union(effects.writes.flatMap { [$0.key.table] + Array($0.value) })
        return ReportedSQL(sql) { names.contains(SchemaName($0)) }
    }
}
