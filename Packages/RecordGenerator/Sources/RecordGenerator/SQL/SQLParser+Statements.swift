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
    mutating func view() throws -> (columns: [String], query: SQLQueryTree) {
        try expect("CREATE")
        while !take("VIEW") {
            if index >= tokens.count { throw NotUnderstood() }
            index += 1
        }
        _ = take("IF", "NOT", "EXISTS")
        _ = try qualifiedName()
        let columns = try columnNames() ?? []
        try expect("AS")
        let query = try query()
        guard index == tokens.count else { throw NotUnderstood() }
        return (columns, query)
    }
}
