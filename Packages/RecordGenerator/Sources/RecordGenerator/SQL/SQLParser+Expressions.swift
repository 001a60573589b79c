import SQLiteDriver

extension SQLParser {
    /// Parses an expression. Each function below parses the operators of one precedence, those that bind least first.
    ///
    /// Source: <https://www.sqlite.org/lang_expr.html#operators_and_parse_affecting_attributes>
    mutating func term() throws -> SQLTerm { try nested { try $0.binary(["OR"]) { try $0.binary(["AND"]) { try $0.negation() } } } }

    mutating func binary(
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

    mutating func negation() throws -> SQLTerm {
        let start = index
        // `NOT EXISTS` and `NOT x` are the same here.
        guard take("NOT") else { return try equality() }
        let operand = try nested { try $0.negation() }
        return SQLTerm(kind: .prefix("NOT", operand), range: range(from: start))
    }

    private mutating func equality() throws -> SQLTerm {
        let start = index
        var left = try comparison()
        while let kind = try test(left, start) { left = SQLTerm(kind: kind, range: range(from: start)) }
        return left
    }

    /// The test of an operand that follows it; nil if none does. All tests have the same precedence.
    private mutating func test(_ left: SQLTerm, _ start: Int) throws -> SQLTerm.Kind? {
        let word = peek()
        switch word {
        case "=", "==", "<>", "!=", "ISNULL", "NOTNULL", "NOT", "IS", "BETWEEN", "IN", "LIKE", "GLOB", "MATCH", "REGEXP": index += 1
        default: return nil
        }
        switch word {
        case "ISNULL", "NOTNULL": return .nullTest(left, isNegated: word == "NOTNULL")
        case "NOT":
            if take("NULL") { return .nullTest(left, isNegated: true) }
            guard let kind = try test(left, start) else { throw NotUnderstood() }
            return .prefix("NOT", SQLTerm(kind: kind, range: range(from: start)))
        case "IS":
            var isNegated = take("NOT")
            if take("DISTINCT", "FROM") { isNegated.toggle() }
            let right = try comparison()
            if case .null = right.kind { return .nullTest(left, isNegated: isNegated) }
            return .identity(left, right, isNegated: isNegated)
        case "BETWEEN":
            let low = try comparison()
            try expect("AND")
            return .between(left, low, try comparison())
        case "LIKE", "GLOB", "MATCH", "REGEXP":
            let pattern = try comparison()
            return .like(word, left, pattern, escape: take("ESCAPE") ? try comparison() : nil)
        case "IN":
            if peek() != "(" { return .inQuery(left, try wholeTable()) }
            if let query = try parenthesizedQuery() { return .inQuery(left, query) }
            return .inList(left, try arguments() ?? [])
        default: return .binary(word, left, try comparison())
        }
    }

    /// A table, or a table-valued function, as the right operand of IN: a query of all its columns.
    mutating func wholeTable() throws -> SQLQueryTree {
        let start = index
        let (schema, name) = try qualifiedName()
        let source = SQLSource.table(schema: schema, name: name, alias: nil, arguments: try arguments())
        let query = SQLQueryTree()
        query.cores = [SQLCore(columns: [SQLResult(kind: .star(table: nil), range: range(from: start))], source: source)]
        return query
    }

    mutating func comparison() throws -> SQLTerm { try binary(["<", "<=", ">", ">="]) { try $0.bits() } }

    mutating func bits() throws -> SQLTerm { try binary(["&", "|", "<<", ">>"]) { try $0.sum() } }

    mutating func sum() throws -> SQLTerm { try binary(["+", "-"]) { try $0.product() } }

    mutating func product() throws -> SQLTerm { try binary(["*", "/", "%"]) { try $0.concatenation() } }

    mutating func concatenation() throws -> SQLTerm { try binary(["||", "->", "->>"]) { try $0.collation() } }

    mutating func collation() throws -> SQLTerm {
        let start = index
        var operand = try unary()
        while take("COLLATE") {
            _ = try name()
            operand = SQLTerm(kind: .collate(operand), range: range(from: start))
        }
        return operand
    }

    mutating func unary() throws -> SQLTerm {
        let start = index
        for sign in ["-", "+", "~"] where take(sign) {
            let operand = try nested { try $0.unary() }
            return SQLTerm(kind: .prefix(sign, operand), range: range(from: start))
        }
        return try primary()
    }

    /// An operand: a literal, a parameter, a name, a call, or something in parentheses.
    private mutating func primary() throws -> SQLTerm {
        let start = index
        guard let token else { throw NotUnderstood() }
        let isCall = peek(1) == "("
        let kind: SQLTerm.Kind
        switch (token.kind, token.keyword) {
        case (.number, _), (.string, _), (.blob, _), (.word, "NULL"), (.word, "CURRENT_TIMESTAMP"), (.word, "CURRENT_DATE"),
            (.word, "CURRENT_TIME"):
            kind = token.literal
            index += 1
        case (.parameter, _):
            guard let number = parameterNumbers[index] else { throw NotUnderstood() }
            kind = .parameter(number)
            index += 1
        case (.sign, _): kind = try parenthesis()
        case (.word, "CAST") where isCall: kind = try cast()
        case (.word, "CASE"): kind = try conditional()
        case (.word, "EXISTS") where isCall:
            index += 1
            guard let query = try parenthesizedQuery() else { throw NotUnderstood() }
            kind = .exists(query)
        // Where an expression begins, SQLite takes any other word as a name, also LEFT and LIKE.
        case (.word, _), (.quotedName, _): kind = isCall ? .call(try call()) : try column()
        }
        return SQLTerm(kind: kind, range: range(from: start))
    }

    /// An expression, a row value or a query in parentheses. The parentheses around an expression belong to its range.
    private mutating func parenthesis() throws -> SQLTerm.Kind {
        if let query = try parenthesizedQuery() { return .subquery(query) }
        let items = try parenthesized { try $0.list { try $0.term() } }
        return items.count == 1 ? items[0].kind : .row(items)
    }

    private mutating func cast() throws -> SQLTerm.Kind {
        index += 1
        return try parenthesized { parser in
            let operand = try parser.term()
            try parser.expect("AS")
            let start = parser.index
            // A type such as DECIMAL(10, 2).
            var level = 0
            while parser.index < parser.tokens.count, level > 0 || parser.peek() != ")" {
                level += parser.peek() == "(" ? 1 : parser.peek() == ")" ? -1 : 0
                parser.index += 1
            }
            return .cast(operand, type: parser.tokens[start..<parser.index].map(\.text).joined(separator: " "))
        }
    }

    /// A column, perhaps with the names of its table and its schema. A single name in double quotes is a string if no column has it.
    ///
    /// Source: <https://www.sqlite.org/quirks.html#double_quoted_string_literals_are_accepted>
    private mutating func column() throws -> SQLTerm.Kind {
        let isDoubleQuoted = token?.kind == .quotedName && token?.text.utf8.first == UInt8(ascii: "\"")
        var names = [try name()]
        while take(".") { names.append(try name()) }
        guard names.count <= 3 else { throw NotUnderstood() }
        return .column(table: names.dropLast().last, name: names[names.count - 1], isDoubleQuoted: isDoubleQuoted && names.count == 1)
    }

    private mutating func conditional() throws -> SQLTerm.Kind {
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
        return .conditional(operand, branches, otherwise: otherwise)
    }

    private mutating func call() throws -> SQLCall {
        var call = SQLCall(name: try name().foldingASCIICase, arguments: [])
        try expect("(")
        if !take("*"), peek() != ")" {
            _ = take("DISTINCT")
            call.arguments = try list { try $0.term() }
            // Since SQLite 3.44, aggregates can be ordered.
            if take("ORDER", "BY") { _ = try list { try $0.ordering() } }
        }
        try expect(")")
        if peek() == "FILTER", peek(1) == "(" {
            index += 1
            call.filter = try parenthesized { parser in
                try parser.expect("WHERE")
                return try parser.term()
            }
        }
        if take("OVER") {
            if peek() == "(" {
                call.window = try window()
            } else {
                _ = try name()
                call.window = SQLWindow(terms: [], mayBeEmpty: true)
            }
        }
        return call
    }

    mutating func window() throws -> SQLWindow {
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

    mutating func bound() throws -> [SQLTerm] {
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

extension SQLParser.Token {
    /// The literal that the token is.
    ///
    /// Source: <https://www.sqlite.org/lang_expr.html#literal_values_constants_>
    fileprivate var literal: SQLTerm.Kind {
        switch kind {
        case .string: return .string(text.unquotedSQLName)
        case .blob: return .blob
        case .word: return keyword == "NULL" ? .null : .currentTime
        default: break
        }
        let text = text.lowercased().replacing("_", with: "")
        if text.hasPrefix("0x") { return .integer(UInt64(text.dropFirst(2), radix: 16).map { Int64(bitPattern: $0) }) }
        // An integer that does not fit is a real number.
        if text.allSatisfy(\.isNumber), let value = Int64(text) { return .integer(value) }
        return .real(Double(text) ?? .infinity)
    }
}
