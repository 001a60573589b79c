import SQLiteDriver

/// Parses statements that SQLite has accepted, to find out what their columns and parameters are.
///
/// SQLite alone decides what is legal. Whatever this parser does not understand is an error that makes the types unknown, and nothing else.
///
/// Source: <https://www.sqlite.org/lang_expr.html>, <https://www.sqlite.org/lang_select.html>
struct SQLParser {
    /// The statement, or a part of it, is not understood.
    struct NotUnderstood: Error {
        /// The place; nil if the part around it knows it.
        var range: Range<Int>?

        func placed(at range: Range<Int>?) -> NotUnderstood { NotUnderstood(range: self.range ?? range) }
    }

    /// A token as the grammar sees it: a number, an operator and a parameter are one token each.
    struct Token {
        enum Kind {
            case word
            case number
            case string
            case blob
            case quotedName
            case parameter
            case sign
        }

        var kind: Kind
        var text: String
        var range: Range<Int>
        /// The text in upper case, for words.
        var keyword: String
    }

    /// A parameter, with the places where it occurs.
    struct Parameter {
        /// The parameter as it is written.
        var text: String
        var occurrences: [Range<Int>] = []
        /// The occurrences that are the only operand of `IN (…)`, with the parentheses.
        var lists: [Range<Int>] = []

        /// The name without its first character; nil for `?` and `?1`.
        var name: String? { text.hasPrefix("?") ? nil : String(decoding: text.utf8.dropFirst(), as: UTF8.self) }
    }

    private(set) var tokens: [Token] = []

    /// The parameters, by their numbers from 0; nil for numbers that are not used.
    private(set) var parameters: [Parameter?] = []

    var parameterNumbers: [Int: Int] = [:]
    var index = 0
    var depth = 0

    init(_ sql: String) {
        var reader = TokenReader(sql: SQLTokens(sql))
        while let token = reader.next() { tokens.append(token) }
        for index in tokens.indices where isName(index) { tokens[index].keyword = "" }
        for (index, token) in tokens.enumerated() where token.kind == .parameter { number(token, at: index) }
    }

    // MARK: - Tokens

    /// Returns whether WINDOW, OVER or FILTER is a name: SQLite decides it by the tokens around it.
    ///
    /// Source: <https://www.sqlite.org/lang_keywords.html>
    private func isName(_ index: Int) -> Bool {
        func token(_ index: Int) -> Token? { tokens.indices.contains(index) ? tokens[index] : nil }
        let (before, after) = (token(index - 1), token(index + 1))
        let isBeforeName = after.map { [.word, .quotedName, .string].contains($0.kind) } ?? false
        let isBehindCall = before?.kind == .sign && before?.text == ")"
        let isBeforeParenthesis = after?.kind == .sign && after?.text == "("
        return switch tokens[index].keyword {
        case "WINDOW": !(isBeforeName && token(index + 2)?.keyword == "AS")
        case "OVER": !(isBehindCall && (isBeforeParenthesis || isBeforeName))
        case "FILTER": !(isBehindCall && isBeforeParenthesis)
        default: false
        }
    }

    /// Numbers a parameter as SQLite does.
    mutating func number(_ token: Token, at index: Int) {
        var number = parameters.count
        if token.text.hasPrefix("?") {
            if let given = Int(token.text.dropFirst()), (1...250_000).contains(given) { number = given - 1 }
        } else if let known = parameters.firstIndex(where: { $0?.text == token.text }) {
            number = known
        }
        while parameters.count <= number { parameters.append(nil) }
        if parameters[number] == nil { parameters[number] = Parameter(text: token.text) }
        parameters[number]!.occurrences.append(token.range)
        parameterNumbers[index] = number
        if index > 1, index + 1 < tokens.count, tokens[index - 2].keyword == "IN", tokens[index - 1].text == "(",
            tokens[index + 1].text == ")"
        {
            parameters[number]!.lists.append(tokens[index - 1].range.lowerBound..<tokens[index + 1].range.upperBound)
        }
    }

    var token: Token? { index < tokens.count ? tokens[index] : nil }

    func peek(_ distance: Int = 0) -> String {
        let position = index + distance
        guard position < tokens.count else { return "" }
        let token = tokens[position]
        return token.kind == .word ? token.keyword : token.kind == .sign ? token.text : ""
    }

    mutating func take(_ words: String...) -> Bool {
        for (distance, word) in words.enumerated() where peek(distance) != word { return false }
        index += words.count
        return true
    }

    mutating func expect(_ word: String) throws {
        if !take(word) { throw NotUnderstood() }
    }

    func range(from start: Int) -> Range<Int> {
        guard start < index, start < tokens.count else { return 0..<0 }
        return tokens[start].range.lowerBound..<tokens[index - 1].range.upperBound
    }

    /// A name: a word, or something in quotes.
    mutating func name() throws -> String {
        guard let token, [.word, .quotedName, .string].contains(token.kind) else { throw NotUnderstood() }
        index += 1
        return token.text.unquotedSQLName
    }

    /// Words that follow a result column or a table, and so are no alias without AS. LIKE and END are: where they are keywords, an expression
    /// has taken them.
    static let following: Set<String> = [
        "AS", "FROM", "WHERE", "GROUP", "HAVING", "WINDOW", "ORDER", "LIMIT", "UNION", "INTERSECT", "EXCEPT", "ON", "USING", "JOIN",
        "LEFT", "RIGHT", "FULL", "INNER", "CROSS", "NATURAL", "OUTER", "INDEXED", "NOT", "SET", "RETURNING", "VALUES", "SELECT", "DEFAULT",
    ]

    mutating func alias() throws -> String? {
        if take("AS") { return try name() }
        guard let token, [.string, .quotedName].contains(token.kind) || token.kind == .word && !Self.following.contains(token.keyword)
        else { return nil }
        return try name()
    }

    /// Guards the stack.
    mutating func nested<Value>(_ body: (inout SQLParser) throws -> Value) throws -> Value {
        depth += 1
        defer { depth -= 1 }
        if depth > 120 { throw NotUnderstood() }
        return try body(&self)
    }

    mutating func list<Item>(_ item: (inout SQLParser) throws -> Item) throws -> [Item] {
        var items = [try item(&self)]
        while take(",") { items.append(try item(&self)) }
        return items
    }
}

/// Joins the tokens of SQL to those of the grammar: numbers, blobs, parameters and operators.
///
/// Source: <https://www.sqlite.org/lang_expr.html#literal_values_constants_>, <https://www.sqlite.org/lang_expr.html#parameters>
private struct TokenReader {
    let sql: SQLTokens
    private var position = 0

    /// The operators of several signs, the longest first.
    private static let operators = ["->>", "->", "||", "<=", ">=", "<>", "<<", ">>", "==", "!="]

    init(sql: SQLTokens) { self.sql = sql }

    mutating func next() -> SQLParser.Token? {
        guard position < sql.count else { return nil }
        let start = position
        let kind = skip()
        let range = sql[start].range.lowerBound..<sql[position - 1].range.upperBound
        let text = sql.text(range)
        return SQLParser.Token(kind: kind, text: text, range: range, keyword: kind == .word ? text.uppercased() : "")
    }

    /// Moves past the tokens that are one in the grammar, and returns what they are.
    private mutating func skip() -> SQLParser.Token.Kind {
        let text = sql.text(position)
        let kind = sql[position].kind
        position += 1
        switch kind {
        case .string: return .string
        case .quotedName: return .quotedName
        case .word where text.startsWithDigit, .sign where text == "." && isAdjacent(position) && sql.text(position).startsWithDigit:
            skipNumber(isHexadecimal: text.lowercased().hasPrefix("0x"))
            return .number
        case .word where (text == "x" || text == "X") && isAdjacent(position) && sql[position].kind == .string:
            position += 1
            return .blob
        case .word: return text.utf8.first == UInt8(ascii: "$") ? .parameter : .word
        case .sign where text == "?":
            if isAdjacent(position), sql.text(position).startsWithDigit { position += 1 }
            return .parameter
        case .sign where (text == ":" || text == "@" || text == "#") && isAdjacent(position) && sql[position].kind == .word:
            position += 1
            return .parameter
        default:
            let rest = text + (position..<(position + 2)).prefix { isAdjacent($0) && sql[$0].kind == .sign }.map { sql.text($0) }.joined()
            if let sign = Self.operators.first(where: rest.hasPrefix) { position += sign.utf8.count - 1 }
            return .sign
        }
    }

    /// Moves past the rest of a number: its fraction, and its exponent with a sign.
    private mutating func skipNumber(isHexadecimal: Bool) {
        while isAdjacent(position) {
            let next = sql.text(position)
            let last = sql.text(position - 1).last
            let isExponent = !isHexadecimal && (last == "e" || last == "E") && (next == "+" || next == "-")
            guard sql[position].kind == .word || next == "." || isExponent else { return }
            position += 1
        }
    }

    /// Whether a token follows the one before it without a space.
    private func isAdjacent(_ index: Int) -> Bool {
        index < sql.count && sql[index - 1].range.upperBound == sql[index].range.lowerBound
    }
}

extension String {
    var startsWithDigit: Bool { utf8.first.map { (0x30...0x39).contains($0) } ?? false }
}
