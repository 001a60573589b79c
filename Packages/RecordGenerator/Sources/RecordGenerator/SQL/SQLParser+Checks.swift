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
