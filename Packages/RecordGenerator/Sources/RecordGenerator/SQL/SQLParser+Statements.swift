import SQLiteDriver

extension SQLParser {
    /// Parses a whole statement.
    ///
    /// - Throws: ``NotUnderstood``, with the first token that is not understood.
    mutating func statement() throws -> SQLStatementTree {
        do {
            let statement = try wholeStatement()
            if index < tokens.count { throw NotUnderstood() }
            return statement
        } catch let error as NotUnderstood { throw error.placed(at: tokens.isEmpty ? nil : tokens[min(index, tokens.count - 1)].range) }
    }

    private mutating func wholeStatement() throws -> SQLStatementTree {
        var statement = SQLStatementTree()
        let start = index
        statement.tables = try commonTables()
        let word = peek()
        switch word {
        case "SELECT", "VALUES":
            index = start
            statement.query = try query()
        case "INSERT", "REPLACE": try parseInsert(&statement)
        case "UPDATE", "DELETE":
            index += 1
            statement.kind = word == "UPDATE" ? .update : .delete
            if word == "UPDATE" { try parseConflict(&statement) } else { try expect("FROM") }
            try parseTable(&statement)
            if take("SET") {
                statement.assignments = try assignments()
                if take("FROM") { statement.source = try source() }
            }
            if take("WHERE") { statement.condition = try term() }
            if take("RETURNING") { statement.returning = try results() }
            if take("ORDER", "BY") { statement.orders = try list { try $0.ordering() } }
            (statement.limit, statement.offset) = try limit()
        default: throw NotUnderstood()
        }
        return statement
    }

    mutating func parseConflict(_ statement: inout SQLStatementTree) throws {
        guard take("OR") else { return }
        statement.mayIgnore = peek() == "IGNORE"
        index += 1
    }

    mutating func parseTable(_ statement: inout SQLStatementTree) throws {
        statement.table = try qualifiedName().name
        if statement.kind == .insert {
            if take("AS") { statement.alias = try name() }
        } else {
            statement.alias = try alias()
            try skipIndex()
        }
    }

    mutating func parseInsert(_ statement: inout SQLStatementTree) throws {
        statement.kind = .insert
        if !take("REPLACE") {
            try expect("INSERT")
            try parseConflict(&statement)
        }
        try expect("INTO")
        try parseTable(&statement)
        statement.columns = try columnNames()
        if !take("DEFAULT", "VALUES") { statement.query = try query() }
        while take("ON", "CONFLICT") {
            var upsert = SQLUpsert(targets: [], assignments: [])
            if peek() == "(" {
                upsert.targets = try parenthesized { try $0.list { try $0.ordering() } }
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

    mutating func assignments() throws -> [SQLAssignment] {
        try list { parser in
            let columns = try parser.columnNames() ?? [parser.name()]
            try parser.expect("=")
            return SQLAssignment(columns: columns, value: try parser.term())
        }
    }

    /// Parses the query of `CREATE VIEW name (columns) AS SELECT …`.
    mutating func view() throws -> SQLQueryTree {
        try expect("CREATE")
        while !take("VIEW") {
            if index >= tokens.count { throw NotUnderstood() }
            index += 1
        }
        _ = take("IF", "NOT", "EXISTS")
        _ = try qualifiedName()
        _ = try columnNames()
        try expect("AS")
        let query = try query()
        guard index == tokens.count else { throw NotUnderstood() }
        return query
    }
}

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

    mutating func limit() throws -> (SQLTerm?, SQLTerm?) {
        guard take("LIMIT") else { return (nil, nil) }
        let first = try term()
        if take("OFFSET") { return (first, try term()) }
        // `LIMIT offset, count`.
        if take(",") { return (try term(), first) }
        return (first, nil)
    }

    mutating func commonTables() throws -> [SQLCommonTable] {
        guard take("WITH") else { return [] }
        _ = take("RECURSIVE")
        return try list { parser in
            let name = try parser.name()
            let columns = try parser.columnNames() ?? []
            try parser.expect("AS")
            if !parser.take("MATERIALIZED") { _ = parser.take("NOT", "MATERIALIZED") }
            return SQLCommonTable(name: name, columns: columns, query: try parser.parenthesized { try $0.query() })
        }
    }

    mutating func core() throws -> SQLCore {
        var core = SQLCore()
        if take("VALUES") {
            core.rows = try list { try $0.parenthesized { try $0.list { try $0.term() } } }
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
            core.windowTerms = try list { parser in
                _ = try parser.name()
                try parser.expect("AS")
                return try parser.window().terms
            }.flatMap { $0 }
        }
        return core
    }

    mutating func results() throws -> [SQLResult] {
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

    mutating func source() throws -> SQLSource {
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
                    join.columns = try parser.columnNames() ?? []
                }
                left = .join(left, right, join)
            }
        }
    }

    mutating func table() throws -> SQLSource {
        if let query = try parenthesizedQuery() {
            query.end = tokens[index - 1].range.upperBound
            return .query(query, alias: try alias())
        }
        if peek() == "(" {
            let source = try parenthesized { try $0.source() }
            // An alias would name the join as a whole.
            if try alias() != nil { throw NotUnderstood() }
            return source
        }
        let (schema, name) = try qualifiedName()
        let arguments = try arguments()
        let alias = try alias()
        try skipIndex()
        return .table(schema: schema, name: name, alias: alias, arguments: arguments)
    }

    mutating func skipIndex() throws {
        if take("INDEXED", "BY") { _ = try name() } else { _ = take("NOT", "INDEXED") }
    }

    // MARK: - Parts

    /// Parses what stands between parentheses.
    mutating func parenthesized<Value>(_ body: (inout SQLParser) throws -> Value) throws -> Value {
        try expect("(")
        let value = try body(&self)
        try expect(")")
        return value
    }

    /// A query in parentheses; nil if something else comes next.
    mutating func parenthesizedQuery() throws -> SQLQueryTree? {
        guard peek() == "(", ["SELECT", "VALUES", "WITH"].contains(peek(1)) else { return nil }
        return try parenthesized { try $0.query() }
    }

    /// The arguments of a table-valued function, or the items of IN; nil if no parenthesis comes next.
    mutating func arguments() throws -> [SQLTerm]? {
        guard peek() == "(" else { return nil }
        return try parenthesized { try $0.peek() == ")" ? [] : $0.list { try $0.term() } }
    }

    /// A list of names in parentheses; nil if no parenthesis comes next.
    mutating func columnNames() throws -> [String]? {
        guard peek() == "(" else { return nil }
        return try parenthesized { try $0.list { try $0.name() } }
    }

    /// The name of a table, perhaps with that of its schema.
    mutating func qualifiedName() throws -> (schema: String?, name: String) {
        let first = try name()
        return take(".") ? (first, try name()) : (nil, first)
    }
}
