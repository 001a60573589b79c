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
        /// The name without its first character; nil for `?` and `?1`.
        var name: String?
        var occurrences: [Range<Int>]
        /// The occurrences that are the only operand of `IN (…)`, with the parentheses.
        var lists: [Range<Int>] = []
    }

    private(set) var tokens: [Token] = []

    /// The parameters, by their numbers from 0; nil for numbers that are not used.
    private(set) var parameters: [Parameter?] = []

    var parameterNumbers: [Int: Int] = [:]
    var index = 0
    var depth = 0

    init(_ sql: String) {
        let lexed = SQLTokens(sql)
        var position = 0
        while position < lexed.count { tokens.append(Self.token(lexed, &position)) }
        for index in tokens.indices where isName(index) { tokens[index].keyword = "" }
        for (index, token) in tokens.enumerated() where token.kind == .parameter { number(token, at: index) }
    }

    // MARK: - Tokens

    static let operators = ["->>", "->", "||", "<=", ">=", "<>", "<<", ">>", "==", "!="]

    static func token(_ sql: SQLTokens, _ position: inout Int) -> Token {
        let start = position
        let first = sql[start]
        position += 1
        func isAdjacent(_ index: Int) -> Bool {
            index < sql.count && sql[index - 1].range.upperBound == sql[index].range.lowerBound
        }
        func make(_ kind: Token.Kind, _ end: Int) -> Token {
            let range = first.range.lowerBound..<sql[end - 1].range.upperBound
            let text = sql.text(range)
            return Token(kind: kind, text: text, range: range, keyword: kind == .word ? text.uppercased() : "")
        }
        let text = sql.text(start)
        let isDigit = { (text: String) in text.utf8.first.map { (0x30...0x39).contains($0) } ?? false }
        switch first.kind {
        case .string: return make(.string, position)
        case .quotedName: return make(.quotedName, position)
        case .word where isDigit(text), .sign where text == "." && isAdjacent(position) && isDigit(sql.text(position)):
            while isAdjacent(position) {
                let next = sql.text(position)
                let isHexadecimal = text.lowercased().hasPrefix("0x")
                let last = sql.text(position - 1).last
                let isExponent = !isHexadecimal && (last == "e" || last == "E") && (next == "+" || next == "-")
                guard sql[position].kind == .word || next == "." || isExponent else { break }
                position += 1
            }
            return make(.number, position)
        case .word where (text == "x" || text == "X") && isAdjacent(position) && sql[position].kind == .string:
            position += 1
            return make(.blob, position)
        case .word where text.utf8.first == UInt8(ascii: "$"): return make(.parameter, position)
        case .word: return make(.word, position)
        case .sign where text == "?":
            if isAdjacent(position), isDigit(sql.text(position)) { position += 1 }
            return make(.parameter, position)
        case .sign where (text == ":" || text == "@" || text == "#") && isAdjacent(position) && sql[position].kind == .word:
            position += 1
            return make(.parameter, position)
        default:
            for sign in operators where sign.hasPrefix(text) {
                let count = sign.utf8.count
                let isWhole = (1..<count).allSatisfy { isAdjacent(start + $0) && sql[start + $0].kind == .sign }
                if isWhole, (0..<count).map({ sql.text(start + $0) }).joined() == sign {
                    position = start + count
                    return make(.sign, position)
                }
            }
            return make(.sign, position)
        }
    }

    /// Returns whether WINDOW, OVER or FILTER is a name: SQLite decides it by the tokens around it.
    ///
    /// Source: <https://www.sqlite.org/lang_keywords.html>
    private func isName(_ index: Int) -> Bool {
        func isNameLike(_ index: Int) -> Bool {
            tokens.indices.contains(index) && [.word, .quotedName, .string].contains(tokens[index].kind)
        }
        func isSign(_ index: Int, _ sign: String) -> Bool {
            tokens.indices.contains(index) && tokens[index].kind == .sign && tokens[index].text == sign
        }
        return switch tokens[index].keyword {
        case "WINDOW": !(isNameLike(index + 1) && tokens.indices.contains(index + 2) && tokens[index + 2].keyword == "AS")
        case "OVER": !(isSign(index - 1, ")") && (isSign(index + 1, "(") || isNameLike(index + 1)))
        case "FILTER": !(isSign(index - 1, ")") && isSign(index + 1, "("))
        default: false
        }
    }

    /// Numbers a parameter as SQLite does.
    mutating func number(_ token: Token, at index: Int) {
        var number = parameters.count
        var name: String?
        if token.text.hasPrefix("?") {
            if let given = Int(token.text.dropFirst()), (1...250_000).contains(given) { number = given - 1 }
        } else {
            name = String(decoding: token.text.utf8.dropFirst(), as: UTF8.self)
            if let known = parameters.indices.first(where: {
                parameters[$0].map { $0.name == name && sign($0) == token.text.first } ?? false
            }) {
                number = known
            }
        }
        while parameters.count <= number { parameters.append(nil) }
        if parameters[number] == nil {
            parameters[number] = Parameter(name: name, occurrences: [token.range])
        } else {
            parameters[number]!.occurrences.append(token.range)
        }
        parameterNumbers[index] = number
        if index > 1, index + 1 < tokens.count, tokens[index - 2].keyword == "IN", tokens[index - 1].text == "(",
            tokens[index + 1].text == ")"
        {
            parameters[number]!.lists.append(tokens[index - 1].range.lowerBound..<tokens[index + 1].range.upperBound)
        }
    }

    func sign(_ parameter: Parameter) -> Character? {
        tokens.first { $0.range == parameter.occurrences[0] }?.text.first
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
        guard let token else { return nil }
        if token.kind == .string || token.kind == .quotedName || token.kind == .word && !Self.following.contains(token.keyword) {
            return try name()
        }
        return nil
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
