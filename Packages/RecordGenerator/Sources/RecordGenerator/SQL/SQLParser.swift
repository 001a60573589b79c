import ValueConversion

/// Parses statements that SQLite has accepted, to find out what their columns and parameters are.
///
/// SQLite alone decides what is legal. Whatever this parser does not understand is an error that makes the types unknown, and nothing else.
///
/// Source: <https://www.sqlite.org/lang_expr.html>, <https://www.sqlite.org/lang_select.html>
struct SQLParser {
    /// The statement, or a part of it, is not understood.
    struct NotUnderstood: Error {}

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

    private var parameterNumbers: [Int: Int] = [:]
    private var index = 0
    private var depth = 0

    init(_ sql: String) {
        let lexed = SQLTokens(sql)
        var position = 0
        while position < lexed.count { tokens.append(Self.token(lexed, &position)) }
        for (index, token) in tokens.enumerated() where token.kind == .parameter { number(token, at: index) }
    }

    // MARK: - Tokens

    private static let operators = ["->>", "->", "||", "<=", ">=", "<>", "<<", ">>", "==", "!="]

    private static func token(_ sql: SQLTokens, _ position: inout Int) -> Token {
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
        case .word where text.hasPrefix("$"): return make(.parameter, position)
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

    /// Numbers a parameter as SQLite does.
    private mutating func number(_ token: Token, at index: Int) {
        var number = parameters.count
        var name: String?
        if token.text.hasPrefix("?") {
            if let given = Int(token.text.dropFirst()), (1...250_000).contains(given) { number = given - 1 }
        } else {
            name = String(token.text.dropFirst())
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

    private func sign(_ parameter: Parameter) -> Character? {
        tokens.first { $0.range == parameter.occurrences[0] }?.text.first
    }

    private var token: Token? { index < tokens.count ? tokens[index] : nil }

    private func peek(_ distance: Int = 0) -> String {
        let position = index + distance
        guard position < tokens.count else { return "" }
        let token = tokens[position]
        return token.kind == .word ? token.keyword : token.kind == .sign ? token.text : ""
    }

    private mutating func take(_ words: String...) -> Bool {
        for (distance, word) in words.enumerated() where peek(distance) != word { return false }
        index += words.count
        return true
    }

    private mutating func expect(_ word: String) throws {
        if !take(word) { throw NotUnderstood() }
    }

    private func range(from start: Int) -> Range<Int> {
        guard start < index, start < tokens.count else { return 0..<0 }
        return tokens[start].range.lowerBound..<tokens[index - 1].range.upperBound
    }

    /// A name: a word, or something in quotes.
    private mutating func name() throws -> String {
        guard let token, [.word, .quotedName, .string].contains(token.kind) else { throw NotUnderstood() }
        index += 1
        return token.text.unquotedSQLName
    }

    /// Words that end a result column or a table without an alias.
    private static let following: Set<String> = [
        "AS", "FROM", "WHERE", "GROUP", "HAVING", "WINDOW", "ORDER", "LIMIT", "OFFSET", "UNION", "INTERSECT", "EXCEPT", "ON", "USING",
        "JOIN",
        "LEFT", "RIGHT", "FULL", "INNER", "CROSS", "NATURAL", "OUTER", "INDEXED", "NOT", "SET", "RETURNING", "VALUES", "SELECT", "DEFAULT",
        "IS", "AND", "OR", "IN", "BETWEEN", "LIKE", "GLOB", "MATCH", "REGEXP", "COLLATE", "ISNULL", "NOTNULL", "ESCAPE", "THEN", "WHEN",
        "ELSE", "END", "FILTER", "OVER",
    ]

    private mutating func alias() throws -> String? {
        if take("AS") { return try name() }
        guard let token else { return nil }
        if token.kind == .string || token.kind == .quotedName || token.kind == .word && !Self.following.contains(token.keyword) {
            return try name()
        }
        return nil
    }

    /// Guards the stack.
    private mutating func nested<Value>(_ body: (inout SQLParser) throws -> Value) throws -> Value {
        depth += 1
        defer { depth -= 1 }
        if depth > 120 { throw NotUnderstood() }
        return try body(&self)
    }

    private mutating func list<Item>(_ item: (inout SQLParser) throws -> Item) throws -> [Item] {
        var items = [try item(&self)]
        while take(",") { items.append(try item(&self)) }
        return items
    }
}

// MARK: - Expressions

extension SQLParser {
    mutating func term() throws -> SQLTerm { try nested { try $0.disjunction() } }

    private mutating func binary(
        _ operators: Set<String>, _ operand: (inout SQLParser) throws -> SQLTerm
    ) throws -> SQLTerm {
        let start = index
        var left = try operand(&self)
        while operators.contains(peek()) {
            let sign = peek()
            index += 1
            let right = try operand(&self)
            left = SQLTerm(kind: .binary(sign, left, right), range: range(from: start))
        }
        return left
    }

    private mutating func disjunction() throws -> SQLTerm { try binary(["OR"]) { try $0.conjunction() } }

    private mutating func conjunction() throws -> SQLTerm { try binary(["AND"]) { try $0.negation() } }

    private mutating func negation() throws -> SQLTerm {
        let start = index
        // `NOT EXISTS` and `NOT x` are the same here.
        guard take("NOT") else { return try equality() }
        let operand = try nested { try $0.negation() }
        return SQLTerm(kind: .prefix("NOT", operand), range: range(from: start))
    }

    private mutating func equality() throws -> SQLTerm {
        let start = index
        var left = try comparison()
        while true {
            let sign = peek()
            switch sign {
            case "=", "==", "<>", "!=":
                index += 1
                let right = try comparison()
                left = SQLTerm(kind: .binary(sign, left, right), range: range(from: start))
            case "ISNULL", "NOTNULL":
                index += 1
                left = SQLTerm(kind: .nullTest(left, isNegated: sign == "NOTNULL"), range: range(from: start))
            case "NOT" where peek(1) == "NULL":
                index += 2
                left = SQLTerm(kind: .nullTest(left, isNegated: true), range: range(from: start))
            case "IS":
                index += 1
                var isNegated = take("NOT")
                if take("DISTINCT", "FROM") { isNegated.toggle() }
                let right = try comparison()
                if case .null = right.kind {
                    left = SQLTerm(kind: .nullTest(left, isNegated: isNegated), range: range(from: start))
                } else {
                    left = SQLTerm(kind: .identity(left, right, isNegated: isNegated), range: range(from: start))
                }
            case "NOT", "BETWEEN", "IN", "LIKE", "GLOB", "MATCH", "REGEXP":
                let isNegated = take("NOT")
                guard let test = try membership(left, start) else { throw NotUnderstood() }
                left = isNegated ? SQLTerm(kind: .prefix("NOT", test), range: test.range) : test
            default: return left
            }
        }
    }

    private mutating func membership(_ left: SQLTerm, _ start: Int) throws -> SQLTerm? {
        let word = peek()
        index += 1
        switch word {
        case "BETWEEN":
            let low = try comparison()
            try expect("AND")
            let high = try comparison()
            return SQLTerm(kind: .between(left, low, high), range: range(from: start))
        case "LIKE", "GLOB", "MATCH", "REGEXP":
            let pattern = try comparison()
            let escape = take("ESCAPE") ? try comparison() : nil
            return SQLTerm(kind: .like(word, left, pattern, escape: escape), range: range(from: start))
        case "IN":
            guard take("(") else { throw NotUnderstood() }
            if ["SELECT", "VALUES", "WITH"].contains(peek()) {
                let query = try query()
                try expect(")")
                return SQLTerm(kind: .inQuery(left, query), range: range(from: start))
            }
            var items: [SQLTerm] = []
            if !take(")") {
                items = try list { try $0.term() }
                try expect(")")
            }
            return SQLTerm(kind: .inList(left, items), range: range(from: start))
        default: return nil
        }
    }

    private mutating func comparison() throws -> SQLTerm { try binary(["<", "<=", ">", ">="]) { try $0.bits() } }

    private mutating func bits() throws -> SQLTerm { try binary(["&", "|", "<<", ">>"]) { try $0.sum() } }

    private mutating func sum() throws -> SQLTerm { try binary(["+", "-"]) { try $0.product() } }

    private mutating func product() throws -> SQLTerm { try binary(["*", "/", "%"]) { try $0.concatenation() } }

    private mutating func concatenation() throws -> SQLTerm { try binary(["||", "->", "->>"]) { try $0.collation() } }

    private mutating func collation() throws -> SQLTerm {
        let start = index
        var operand = try unary()
        while take("COLLATE") {
            _ = try name()
            operand = SQLTerm(kind: .collate(operand), range: range(from: start))
        }
        return operand
    }

    private mutating func unary() throws -> SQLTerm {
        let start = index
        for sign in ["-", "+", "~"] where take(sign) {
            let operand = try nested { try $0.unary() }
            return SQLTerm(kind: .prefix(sign, operand), range: range(from: start))
        }
        return try primary()
    }

    private mutating func primary() throws -> SQLTerm {
        let start = index
        guard let token else { throw NotUnderstood() }
        func made(_ kind: SQLTerm.Kind) -> SQLTerm { SQLTerm(kind: kind, range: range(from: start)) }
        switch token.kind {
        case .number:
            index += 1
            let text = token.text.lowercased().replacing("_", with: "")
            if text.hasPrefix("0x") { return made(.integer(UInt64(text.dropFirst(2), radix: 16).map { Int64(bitPattern: $0) })) }
            if text.allSatisfy(\.isNumber) {
                if let value = Int64(text) { return made(.integer(value)) }
            }
            return made(.real(Double(text) ?? .infinity))
        case .string:
            index += 1
            return made(.string(token.text.unquotedSQLName))
        case .blob:
            index += 1
            return made(.blob)
        case .parameter:
            let number = parameterNumbers[index]
            index += 1
            guard let number else { throw NotUnderstood() }
            return made(.parameter(number))
        case .sign where token.text == "(":
            index += 1
            if ["SELECT", "VALUES", "WITH"].contains(peek()) {
                let query = try query()
                try expect(")")
                return made(.subquery(query))
            }
            let items = try list { try $0.term() }
            try expect(")")
            return items.count == 1 ? SQLTerm(kind: items[0].kind, range: range(from: start)) : made(.row(items))
        case .word:
            switch token.keyword {
            case "NULL":
                index += 1
                return made(.null)
            case "CURRENT_TIMESTAMP", "CURRENT_DATE", "CURRENT_TIME":
                index += 1
                return made(.currentTime)
            case "CAST" where peek(1) == "(":
                index += 2
                let operand = try term()
                try expect("AS")
                let typeStart = index
                var level = 0
                while index < tokens.count, level > 0 || peek() != ")" {
                    level += peek() == "(" ? 1 : peek() == ")" ? -1 : 0
                    index += 1
                }
                let type = tokens[typeStart..<index].map(\.text).joined(separator: " ")
                try expect(")")
                return made(.cast(operand, type: type))
            case "CASE": return try conditional(start)
            case "EXISTS" where peek(1) == "(":
                index += 2
                let query = try query()
                try expect(")")
                return made(.exists(query))
            case _ where Self.following.contains(token.keyword) && peek(1) != "(" && peek(1) != ".":
                throw NotUnderstood()
            default: break
            }
        case .quotedName: break
        default: throw NotUnderstood()
        }
        if token.kind == .word, peek(1) == "(" { return try call(start) }
        var names = [try name()]
        while peek() == "." {
            index += 1
            names.append(try name())
        }
        let isDoubleQuoted = token.kind == .quotedName && token.text.hasPrefix("\"") && names.count == 1
        guard names.count <= 3 else { throw NotUnderstood() }
        return made(
            .column(table: names.count > 1 ? names[names.count - 2] : nil, name: names[names.count - 1], isDoubleQuoted: isDoubleQuoted))
    }

    private mutating func conditional(_ start: Int) throws -> SQLTerm {
        try expect("CASE")
        let operand = peek() == "WHEN" ? nil : try term()
        var branches: [(when: SQLTerm, then: SQLTerm)] = []
        while take("WHEN") {
            let when = try term()
            try expect("THEN")
            branches.append((when, try term()))
        }
        let otherwise = take("ELSE") ? try term() : nil
        try expect("END")
        return SQLTerm(kind: .conditional(operand, branches, otherwise: otherwise), range: range(from: start))
    }

    private mutating func call(_ start: Int) throws -> SQLTerm {
        var call = SQLCall(name: try name().foldingASCIICase, arguments: [])
        try expect("(")
        if take("*") {
            call.hasStar = true
        } else if peek() != ")" {
            _ = take("DISTINCT")
            call.arguments = try list { try $0.term() }
            // Since SQLite 3.44, aggregates can be ordered.
            if take("ORDER", "BY") { _ = try list { try $0.ordering() } }
        }
        try expect(")")
        if peek() == "FILTER", peek(1) == "(" {
            index += 2
            try expect("WHERE")
            call.filter = try term()
            try expect(")")
        }
        if peek() == "OVER" {
            index += 1
            if peek() == "(" {
                call.window = try window()
            } else {
                _ = try name()
                call.window = SQLWindow(terms: [], mayBeEmpty: true)
            }
        }
        return SQLTerm(kind: .call(call), range: range(from: start))
    }

    private mutating func window() throws -> SQLWindow {
        var window = SQLWindow(terms: [], mayBeEmpty: false)
        try expect("(")
        if !["PARTITION", "ORDER", "ROWS", "RANGE", "GROUPS", ")"].contains(peek()) {
            // The window that it is based on may have a frame.
            _ = try name()
            window.mayBeEmpty = true
        }
        if take("PARTITION", "BY") { window.terms += try list { try $0.term() } }
        if take("ORDER", "BY") { window.terms += try list { try $0.ordering() } }
        if ["ROWS", "RANGE", "GROUPS"].contains(peek()) {
            window.mayBeEmpty = true
            index += 1
            if take("BETWEEN") {
                window.terms += try bound()
                try expect("AND")
            }
            window.terms += try bound()
            if take("EXCLUDE") {
                guard take("NO", "OTHERS") || take("CURRENT", "ROW") || take("GROUP") || take("TIES") else { throw NotUnderstood() }
            }
        }
        try expect(")")
        return window
    }

    private mutating func bound() throws -> [SQLTerm] {
        if take("CURRENT", "ROW") || take("UNBOUNDED", "PRECEDING") || take("UNBOUNDED", "FOLLOWING") { return [] }
        let distance = try term()
        guard take("PRECEDING") || take("FOLLOWING") else { throw NotUnderstood() }
        return [distance]
    }

    mutating func ordering() throws -> SQLTerm {
        let result = try term()
        _ = take("ASC") || take("DESC")
        if take("NULLS") { guard take("FIRST") || take("LAST") else { throw NotUnderstood() } }
        return result
    }
}

// MARK: - Queries

extension SQLParser {
    mutating func query() throws -> SQLQueryTree {
        try nested { parser in
            let query = SQLQueryTree()
            query.tables = try parser.commonTables()
            query.cores = [try parser.core()]
            while ["UNION", "INTERSECT", "EXCEPT"].contains(parser.peek()) {
                var name = parser.peek()
                parser.index += 1
                if parser.take("ALL") { name += " ALL" }
                query.operators.append(name)
                query.cores.append(try parser.core())
            }
            if parser.take("ORDER", "BY") { query.orders = try parser.list { try $0.ordering() } }
            (query.limit, query.offset) = try parser.limit()
            return query
        }
    }

    private mutating func limit() throws -> (SQLTerm?, SQLTerm?) {
        guard take("LIMIT") else { return (nil, nil) }
        let first = try term()
        if take("OFFSET") { return (first, try term()) }
        // `LIMIT offset, count`.
        if take(",") { return (try term(), first) }
        return (first, nil)
    }

    private mutating func commonTables() throws -> [SQLCommonTable] {
        guard take("WITH") else { return [] }
        _ = take("RECURSIVE")
        return try list { parser in
            let name = try parser.name()
            var columns: [String] = []
            if parser.take("(") {
                columns = try parser.list { try $0.name() }
                try parser.expect(")")
            }
            try parser.expect("AS")
            if !parser.take("MATERIALIZED") { _ = parser.take("NOT", "MATERIALIZED") }
            try parser.expect("(")
            let query = try parser.query()
            try parser.expect(")")
            return SQLCommonTable(name: name, columns: columns, query: query)
        }
    }

    private mutating func core() throws -> SQLCore {
        var core = SQLCore()
        if take("VALUES") {
            core.rows = try list { parser in
                try parser.expect("(")
                let row = try parser.list { try $0.term() }
                try parser.expect(")")
                return row
            }
            return core
        }
        try expect("SELECT")
        if !take("DISTINCT") { _ = take("ALL") }
        core.columns = try results()
        if take("FROM") { core.source = try source() }
        if take("WHERE") { core.condition = try term() }
        if take("GROUP", "BY") { core.groups = try list { try $0.term() } }
        if take("HAVING") { core.having = try term() }
        if take("WINDOW") {
            for terms in try list({ parser in
                _ = try parser.name()
                try parser.expect("AS")
                return try parser.window().terms
            }) { core.windowTerms += terms }
        }
        return core
    }

    private mutating func results() throws -> [SQLResult] {
        try list { parser in
            let start = parser.index
            if parser.take("*") { return SQLResult(kind: .star(table: nil), range: parser.range(from: start)) }
            if parser.peek(1) == ".", parser.peek(2) == "*" {
                let table = try parser.name()
                parser.index += 2
                return SQLResult(kind: .star(table: table), range: parser.range(from: start))
            }
            let term = try parser.term()
            let range = parser.range(from: start)
            return SQLResult(kind: .term(term, alias: try parser.alias()), range: range)
        }
    }

    private mutating func source() throws -> SQLSource {
        try nested { parser in
            var left = try parser.table()
            while true {
                var join = SQLJoin()
                if parser.take(",") {
                    left = .join(left, try parser.table(), join)
                    continue
                }
                guard ["NATURAL", "LEFT", "RIGHT", "FULL", "INNER", "CROSS", "JOIN"].contains(parser.peek()) else { return left }
                // SQLite takes these words in any order.
                while !parser.take("JOIN") {
                    switch parser.peek() {
                    case "NATURAL": join.isNatural = true
                    case "LEFT": join.rightMayBeMissing = true
                    case "RIGHT": join.leftMayBeMissing = true
                    case "FULL": (join.leftMayBeMissing, join.rightMayBeMissing) = (true, true)
                    case "OUTER", "INNER", "CROSS": break
                    default: throw NotUnderstood()
                    }
                    parser.index += 1
                }
                let right = try parser.table()
                if parser.take("ON") {
                    join.condition = try parser.term()
                } else if parser.take("USING") {
                    try parser.expect("(")
                    join.columns = try parser.list { try $0.name() }
                    try parser.expect(")")
                }
                left = .join(left, right, join)
            }
        }
    }

    private mutating func table() throws -> SQLSource {
        if take("(") {
            if ["SELECT", "VALUES", "WITH"].contains(peek()) {
                let query = try query()
                try expect(")")
                return .query(query, alias: try alias())
            }
            let source = try source()
            try expect(")")
            // An alias would name the join as a whole.
            if try alias() != nil { throw NotUnderstood() }
            return source
        }
        var schema: String?
        var name = try name()
        if take(".") { (schema, name) = (name, try self.name()) }
        var arguments: [SQLTerm]?
        if take("(") {
            arguments = peek() == ")" ? [] : try list { try $0.term() }
            try expect(")")
        }
        let alias = try alias()
        try skipIndex()
        return .table(schema: schema, name: name, alias: alias, arguments: arguments)
    }

    private mutating func skipIndex() throws {
        if take("INDEXED", "BY") { _ = try name() } else { _ = take("NOT", "INDEXED") }
    }

    // MARK: - Statements

    /// Parses a whole statement.
    mutating func statement() throws -> SQLStatementTree {
        var statement = SQLStatementTree()
        let start = index
        let tables = try commonTables()
        switch peek() {
        case "SELECT", "VALUES":
            index = start
            statement.query = try query()
        case "INSERT", "REPLACE":
            statement.tables = tables
            try parseInsert(&statement)
        case "UPDATE":
            statement.tables = tables
            index += 1
            try parseConflict(&statement)
            statement.kind = .update
            try parseTable(&statement)
            try expect("SET")
            statement.assignments = try assignments()
            if take("FROM") { statement.source = try source() }
            try parseEnd(&statement)
        case "DELETE":
            statement.tables = tables
            index += 1
            statement.kind = .delete
            try expect("FROM")
            try parseTable(&statement)
            try parseEnd(&statement)
        default: throw NotUnderstood()
        }
        guard index == tokens.count else { throw NotUnderstood() }
        return statement
    }

    private mutating func parseConflict(_ statement: inout SQLStatementTree) throws {
        guard take("OR") else { return }
        statement.mayIgnore = peek() == "IGNORE"
        index += 1
    }

    private mutating func parseTable(_ statement: inout SQLStatementTree) throws {
        statement.table = try name()
        if take(".") { (statement.schema, statement.table) = (statement.table, try name()) }
        if statement.kind == .insert {
            if take("AS") { statement.alias = try name() }
        } else {
            statement.alias = try alias()
            try skipIndex()
        }
    }

    private mutating func parseInsert(_ statement: inout SQLStatementTree) throws {
        statement.kind = .insert
        if !take("REPLACE") {
            try expect("INSERT")
            try parseConflict(&statement)
        }
        try expect("INTO")
        try parseTable(&statement)
        if take("(") {
            statement.columns = try list { try $0.name() }
            try expect(")")
        }
        if !take("DEFAULT", "VALUES") { statement.query = try query() }
        while take("ON", "CONFLICT") {
            var upsert = SQLUpsert(targets: [], assignments: [])
            if take("(") {
                upsert.targets = try list { try $0.ordering() }
                try expect(")")
                if take("WHERE") { upsert.targetCondition = try term() }
            }
            try expect("DO")
            if take("NOTHING") {
                statement.mayIgnore = true
            } else {
                try expect("UPDATE")
                try expect("SET")
                upsert.assignments = try assignments()
                if take("WHERE") {
                    upsert.condition = try term()
                    statement.mayIgnore = true
                }
            }
            statement.upserts.append(upsert)
        }
        if take("RETURNING") { statement.returning = try results() }
    }

    private mutating func assignments() throws -> [SQLAssignment] {
        try list { parser in
            var columns: [String] = []
            if parser.take("(") {
                columns = try parser.list { try $0.name() }
                try parser.expect(")")
            } else {
                columns = [try parser.name()]
            }
            try parser.expect("=")
            return SQLAssignment(columns: columns, value: try parser.term())
        }
    }

    private mutating func parseEnd(_ statement: inout SQLStatementTree) throws {
        if take("WHERE") { statement.condition = try term() }
        if take("RETURNING") { statement.returning = try results() }
        if take("ORDER", "BY") { statement.orders = try list { try $0.ordering() } }
        (statement.limit, statement.offset) = try limit()
    }

    /// Parses the query of `CREATE VIEW name (columns) AS SELECT …`.
    mutating func view() throws -> (columns: [String], query: SQLQueryTree) {
        try expect("CREATE")
        while !take("VIEW") {
            if index >= tokens.count { throw NotUnderstood() }
            index += 1
        }
        _ = take("IF", "NOT", "EXISTS")
        _ = try name()
        if take(".") { _ = try name() }
        var columns: [String] = []
        if take("(") {
            columns = try list { try $0.name() }
            try expect(")")
        }
        try expect("AS")
        let query = try query()
        guard index == tokens.count else { throw NotUnderstood() }
        return (columns, query)
    }
}
