/// The rows that a REPLACE deletes, as conditions of triggers: those with the same key in a unique index of the table.
struct ReplacedRows {
    private let columns: [Column]
    private let indexes: [Index]

    private struct Column {
        let name: String
        /// The default value as SQL, if it replaces NULL in a REPLACE.
        let replacement: String?
        /// The expression of a generated column.
        let expression: String?
    }

    private struct Index {
        let name: String
        let sql: String?
        /// The name of the column, or nil for an expression, and the collation.
        let terms: [(column: String?, collation: String)]
    }

    init(of table: String, in schema: String, _ db: Database) throws {
        let list = DatabaseSchemaID.attached(schema).schemaTableName
        let query = InternalQuery("SELECT sql FROM \(list) WHERE type = 'table' AND name = ? COLLATE NOCASE", [table])
        let definition = try query.first(in: db) { $0.string(at: 0) }
        let generated = IndexedExpressions.generatedColumns(definition ?? "")
        columns = try InternalQuery("SELECT name, \"notnull\", dflt_value FROM pragma_table_xinfo(?, ?)", [table, schema]).values(in: db) {
            let name = $0.string(at: 0) ?? ""
            let value = $0.int64(at: 1) == 1 ? $0.string(at: 2) : nil
            return Column(name: name, replacement: value.map { "(\($0))" }, expression: generated[SchemaName(name)])
        }
        let names = InternalQuery(
            """
            SELECT name, (SELECT sql FROM \(list) WHERE type = 'index' AND name = list.name)
            FROM pragma_index_list(?, ?) AS list WHERE "unique" ORDER BY seq
            """, [table, schema])
        indexes = try names.values(in: db) { (name: $0.string(at: 0) ?? "", sql: $0.string(at: 1)) }.map { name, sql in
            let terms = InternalQuery("SELECT cid, name, coll FROM pragma_index_xinfo(?, ?) WHERE key ORDER BY seqno", [name, schema])
            return Index(
                name: name, sql: sql,
                terms: try terms.values(in: db) { ($0.int64(at: 0) == -2 ? nil : $0.string(at: 1), $0.string(at: 2) ?? "BINARY") })
        }
    }

    /// Returns conditions that are true for the rows that have the same key as the new row, one for each index.
    ///
    /// The condition of a partial index comes last: without it, SQLite can't use the index, and reads all rows.
    ///
    /// - Parameter refuse: creates an error from a reason.
    func conditions(_ refuse: (String) -> DatabaseError) throws -> [String] {
        try indexes.map { index in
            let definition = index.sql.map(IndexedExpressions.init)
            var expressions: [String] = []
            if index.terms.contains(where: { $0.column == nil }) {
                expressions = definition?.expressions ?? []
                guard expressions.count == index.terms.count else {
                    throw refuse("its unique index \(index.name) has expressions that the triggers can't evaluate")
                }
            }
            let equalities = index.terms.indices.map { position in
                let (name, collation) = index.terms[position]
                let (left, right): (String, String)
                if let name {
                    let known = columns.first { $0.name.isEqualIgnoringASCIICase(to: name) }
                    let column = known ?? Column(name: name, replacement: nil, expression: nil)
                    (left, right) = (name.quotedDatabaseIdentifier, newValue(of: column))
                } else {
                    (left, right) = ("(\(expressions[position]))", newValue(of: expressions[position]))
                }
                return "\(left) = \(right) COLLATE \(collation.quotedDatabaseIdentifier)"
            }
            return (equalities + [partialCondition(definition)].compactMap { $0.map { "(\($0))" } }).joined(separator: " AND ")
        }
    }

    /// Returns the condition of a partial index; nil if a trigger may understand it in another way.
    ///
    /// SQLite reads a name in double quotes that is not a column as a string where the schema was allowed to have such strings.
    private func partialCondition(_ definition: IndexedExpressions?) -> String? {
        guard let condition = definition?.condition else { return nil }
        let tokens = SQLTokens(condition)
        let names = Set(columns.map { SchemaName($0.name) })
        let areColumns = tokens.tokens.indices.allSatisfy {
            !tokens.text($0).hasPrefix("\"") || names.contains(SchemaName(tokens.name($0)))
        }
        return areColumns ? condition : nil
    }

    /// Returns SQL for the value of a column in the new row.
    ///
    /// SQLite replaces NULL in a NOT NULL column after it has called the triggers: <https://www.sqlite.org/lang_conflict.html>. In BEFORE
    /// UPDATE triggers, it computes generated columns from only those columns that the triggers name. So the triggers evaluate their
    /// expressions.
    private func newValue(of column: Column) -> String {
        if let expression = column.expression { return newValue(of: expression) }
        let value = "new.\(column.name.quotedDatabaseIdentifier)"
        return column.replacement.map { "coalesce(\(value), \($0))" } ?? value
    }

    /// Returns SQL for the value of an expression in the new row: it selects the expression from a row with the same column names.
    private func newValue(of expression: String) -> String {
        let tokens = SQLTokens(expression)
        let names = Set(tokens.tokens.indices.map { SchemaName(tokens.name($0)) })
        // Only columns that the expression may use: SQLite refuses to drop a column that a trigger uses.
        let used = columns.filter { names.contains(SchemaName($0.name)) }
        let values = used.map { "\(newValue(of: $0)) AS \($0.name.quotedDatabaseIdentifier)" }
        let row = values.isEmpty ? "SELECT 1" : "SELECT \(values.joined(separator: ", "))"
        return "(SELECT \(expression) FROM (\(row)))"
    }
}

/// The expressions of a definition of an index: `CREATE INDEX i ON t (lower(a) DESC, b) WHERE a > 1` has `lower(a)` and `b`, and the condition
/// `a > 1`.
struct IndexedExpressions {
    private(set) var expressions: [String] = []

    /// The condition of a partial index.
    private(set) var condition: String?

    init(_ sql: String) {
        let tokens = SQLTokens(sql)
        guard let open = tokens.tokens.firstIndex(where: { $0.kind == .open }), let close = tokens.indexOfClosing(open) else { return }
        expressions = tokens.split((open + 1)..<close, atCommasOfDepth: 1).map { range in
            let hasOrder = range.count > 1 && ["ASC", "DESC"].contains(tokens.keyword(range.upperBound - 1))
            return tokens.sql(hasOrder ? range.dropLast() : range)
        }
        if tokens.keyword(close + 1) == "WHERE" { condition = tokens.sql((close + 2)..<tokens.count) }
    }

    /// Returns the expressions of the generated columns of a definition of a table: `g AS (a + 1)` has `a + 1`.
    static func generatedColumns(_ sql: String) -> [SchemaName: String] {
        let tokens = SQLTokens(sql)
        guard let open = tokens.tokens.firstIndex(where: { $0.kind == .open }), let close = tokens.indexOfClosing(open) else { return [:] }
        var expressions: [SchemaName: String] = [:]
        for part in tokens.split((open + 1)..<close, atCommasOfDepth: 1) {
            let isExpression = { (index: Int) in
                tokens.keyword(index - 1) == "AS" && tokens[index].kind == .open && tokens[index].depth == 1
            }
            guard let first = part.dropFirst().first(where: isExpression), let last = tokens.indexOfClosing(first) else { continue }
            expressions[SchemaName(tokens.name(part.lowerBound))] = tokens.sql((first + 1)..<last)
        }
        return expressions
    }
}
