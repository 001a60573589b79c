import SQLiteDriver

extension SQLParser {
    mutating func term() throws -> SQLTerm { try nested { try $0.disjunction() } }

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

    mutating func disjunction() throws -> SQLTerm { try binary(["OR"]) { try $0.conjunction() } }

    mutating func conjunction() throws -> SQLTerm { try binary(["AND"]) { try $0.negation() } }

    mutating func negation() throws -> SQLTerm {
        let start = index
        // `NOT EXISTS` and `NOT x` are the same here.
        guard take("NOT") else { return try equality() }
        let operand = try nested { try $0.negation() }
        return SQLTerm(kind: .prefix("NOT", operand), range: range(from: start))
    }

    mutating func equality() throws -> SQLTerm {
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

    mutating func membership(_ left: SQLTerm, _ start: Int) throws -> SQLTerm? {
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
            guard take("(") else { return SQLTerm(kind: .inQuery(left, try wholeTable()), range: range(from: start)) }
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

    /// A table, or a table-valued function, as the right operand of IN: a query of all its columns.
    mutating func wholeTable() throws -> SQLQueryTree {
        let start = index
        var names = [try name()]
        if take(".") { names.append(try name()) }
        var arguments: [SQLTerm]?
        if take("(") {
            arguments = peek() == ")" ? [] : try list { try $0.term() }
            try expect(")")
        }
        let source = SQLSource.table(
            schema: names.count > 1 ? names[0] : nil, name: names[names.count - 1], alias: nil, arguments: arguments)
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

    mutating func primary() throws -> SQLTerm {
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
            // Where an expression begins, SQLite takes any other word as a name, also LEFT and LIKE.
            default: break
            }
        case .quotedName: break
        default: throw NotUnderstood()
        }
        if peek(1) == "(" { return try call(start) }
        var names = [try name()]
        while peek() == "." {
            index += 1
            names.append(try name())
        }
        let isDoubleQuoted = token.kind == .quotedName && token.text.utf8.first == UInt8(ascii: "\"") && names.count == 1
        guard names.count <= 3 else { throw NotUnderstood() }
        return made(
            .column(table: names.count > 1 ? names[names.count - 2] : nil, name: names[names.count - 1], isDoubleQuoted: isDoubleQuoted))
    }

    mutating func conditional(_ start: Int) throws -> SQLTerm {
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

    mutating func call(_ start: Int) throws -> SQLTerm {
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
