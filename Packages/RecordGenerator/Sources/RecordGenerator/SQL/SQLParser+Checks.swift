import SQLiteDriver

extension SQLParser {
    /// Returns the columns that the CHECK constraints of a table limit to a single value, apart from NULL, such as `CHECK (id = 1)`.
    ///
    /// - Parameter sql: a `CREATE TABLE`.
    static func constantColumns(_ sql: String) -> Set<SchemaName> {
        var columns: Set<SchemaName> = []
        for check in CommentedSQL.checks(sql) {
            var parser = SQLParser(check.condition)
            // A condition that is not understood proves nothing.
            guard let term = try? parser.term(), parser.index == parser.tokens.count else { continue }
            for condition in term.conjuncts { columns.formUnion(constantColumns(condition)) }
        }
        return columns
    }

    private static func constantColumns(_ condition: SQLTerm) -> Set<SchemaName> {
        switch condition.kind {
        case .binary("=", let left, let right), .binary("==", let left, let right), .identity(let left, let right, isNegated: false):
            equalColumn(left, right).union(equalColumn(right, left))
        case .inList(let column, let values) where values.count == 1: equalColumn(column, values[0])
        default: []
        }
    }

    /// The column, if it is compared with a literal.
    private static func equalColumn(_ column: SQLTerm, _ value: SQLTerm) -> Set<SchemaName> {
        guard case .column(_, let name, _) = column.kind, isLiteral(value) else { return [] }
        return [SchemaName(name)]
    }

    private static func isLiteral(_ term: SQLTerm) -> Bool {
        switch term.kind {
        case .integer, .string: true
        case .prefix("-", let operand): isLiteral(operand)
        default: false
        }
    }
}
