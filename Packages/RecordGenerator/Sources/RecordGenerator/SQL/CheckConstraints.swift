import Migrations

extension SQLParser {
    /// Parses an expression; nil if it is not understood.
    static func expression(_ sql: String) -> (term: SQLTerm, parser: SQLParser)? {
        var parser = SQLParser(sql)
        guard let term = try? parser.term(), parser.index == parser.tokens.count else { return nil }
        return (term, parser)
    }

    /// Returns the columns that the CHECK constraints of a table limit to a single value, apart from NULL, such as `CHECK (id = 1)`.
    ///
    /// - Parameter sql: a `CREATE TABLE`.
    static func constantColumns(_ sql: String) -> Set<SchemaName> {
        guard let definition = CommentedSQL(sql).tableDefinition else { return [] }
        return Set(definition.checks.flatMap(\.conjuncts).compactMap(\.constantColumn))
    }
}

extension CommentedSQL.TableDefinition {
    /// The conditions of the CHECK constraints. Those that are not understood prove nothing, and are left out.
    var checks: [SQLTerm] { SQLTokens(sql).clauses("CHECK").compactMap { SQLParser.expression($0.text)?.term } }
}

extension SQLTerm {
    /// The name of the column that the expression is; nil for others.
    var columnName: SchemaName? { if case .column(_, let name, _) = kind { SchemaName(name) } else { nil } }

    /// The string or the integer that the expression is, perhaps with a sign; nil for others.
    var constant: DatabaseValue? {
        switch kind {
        case .string(let text): return DatabaseValue(storage: .string(text))
        case .integer(let number?): return DatabaseValue(storage: .int64(number))
        case .prefix("+", let operand): return operand.constant
        case .prefix("-", let operand):
            // The lowest integer has no positive one.
            if case .real(0x1p63) = operand.kind { return DatabaseValue(storage: .int64(.min)) }
            guard case .int64(let number) = operand.constant?.storage else { return nil }
            return DatabaseValue(storage: .int64(0 &- number))
        default: return nil
        }
    }

    /// The column that has one value, apart from NULL, where the condition does not fail: it is compared with a literal.
    fileprivate var constantColumn: SchemaName? {
        switch kind {
        case .binary("=", let left, let right), .binary("==", let left, let right), .identity(let left, let right, isNegated: false):
            right.constant != nil ? left.columnName : left.constant != nil ? right.columnName : nil
        case .inList(let column, let values) where values.count == 1 && values[0].constant != nil: column.columnName
        default: nil
        }
    }
}

extension CommentedSQL.TableDefinition {
    /// The values that constraints such as `CHECK (state IN ('queued', 'running'))` allow, by the names of the columns.
    ///
    /// NULL passes a CHECK. If it is one of the listed values, every value passes. The same is true of strings that differ only in case, if
    /// the column has a collation of its own. Such constraints are skipped, as are constraints with values other than strings and integers,
    /// and with values that the column would convert.
    ///
    /// Source: <https://www.sqlite.org/lang_createtable.html#check_constraints>, <https://www.sqlite.org/datatype3.html#affinity>
    var allowedValues: [SchemaName: [DatabaseValue]] {
        var columns: [SchemaName: ArraySlice<CommentedSQL.Token>] = [:]
        for item in items {
            if let first = item.first, !first.beginsConstraint { columns[SchemaName(first.name)] = item.dropFirst() }
        }
        var result: [SchemaName: [DatabaseValue]] = [:]
        for check in checks {
            guard let (name, values) = check.listedValues, let column = columns[name], result[name] == nil, keeps(values, column)
            else { continue }
            result[name] = values
        }
        return result
    }

    /// Returns whether a column stores the values as they are listed, and compares them byte by byte.
    private func keeps(_ values: [DatabaseValue], _ column: ArraySlice<CommentedSQL.Token>) -> Bool {
        let words = column.map { $0.text.uppercased() }
        if let index = words.firstIndex(of: "COLLATE"), words.dropFirst(index + 1).first?.unquotedSQLName != "BINARY" { return false }
        let end = words.firstIndex {
            ["CONSTRAINT", "PRIMARY", "NOT", "NULL", "UNIQUE", "CHECK", "DEFAULT", "COLLATE", "REFERENCES", "GENERATED", "AS"].contains($0)
        }
        let type = words[..<(end ?? words.count)].joined(separator: " ")
        let affinity = ColumnAffinity(type, isStrict: tail.contains { $0.is("STRICT") })
        return values.allSatisfy { value in
            switch value.storage {
            case .string(let text): affinity == .text || affinity == .blob || Double(text.filter { !$0.isWhitespace }) == nil
            case .int64: affinity == .integer
            default: false
            }
        }
    }
}

extension SQLTerm {
    /// The column and the values of `name IN (…)`, which may have `name IS NULL OR` before it or `OR name IS NULL` after it.
    fileprivate var listedValues: (column: SchemaName, values: [DatabaseValue])? {
        switch kind {
        case .inList(let operand, let items):
            let constants = items.compactMap(\.constant)
            guard let column = operand.columnName, constants.count == items.count, !items.isEmpty else { return nil }
            return (column, constants.reduce(into: []) { values, value in if !values.contains(value) { values.append(value) } })
        case .binary("OR", let left, let right):
            for (test, list) in [(left, right), (right, left)] {
                if case .nullTest(let operand, isNegated: false) = test.kind, let listed = list.listedValues,
                    operand.columnName == listed.column
                {
                    return listed
                }
            }
            return nil
        default: return nil
        }
    }
}
