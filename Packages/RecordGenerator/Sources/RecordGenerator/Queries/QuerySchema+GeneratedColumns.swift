import Migrations

extension QuerySchema {
    /// Finds what is proven about the generated columns of a table.
    ///
    /// STRICT tables don't check what is computed: SQLite 3.40 accepts `total INTEGER AS (name || '!')`, and only converts the value as the
    /// affinity of the column demands. In such a table, a column has its declared type if its expression proves it. In other tables, it is
    /// assumed to have it, like all columns, unless its expression proves another one.
    ///
    /// Source: <https://www.sqlite.org/gencol.html>, <https://www.sqlite.org/datatype3.html#affinity>
    ///
    /// - Parameter isDeclared: whether the settings declare the type of a column.
    func proveGeneratedColumns(of table: inout Table, _ definition: String, isStrict: Bool, isDeclared: (String) -> Bool) {
        let expressions = CommentedSQL.generatedColumns(definition)
        let declared = table.columns
        for index in table.columns.indices where table.columns[index].isGenerated { table.columns[index].value = .unknown }
        // A generated column can use others, also those after it.
        for _ in 0..<expressions.count {
            for index in table.columns.indices {
                guard let expression = expressions[SchemaName(table.columns[index].name)],
                    let (term, parser) = SQLParser.expression(expression)
                else { continue }
                var typing = QueryTyping(self, parser)
                let source = QueryTyping.Source(name: table.name, table: table)
                let value = try? typing.value(of: term, in: QueryTyping.Scope(parent: nil, sources: [source], common: nil))
                let affinity = ColumnAffinity(declared[index].value.origin?.declaredType ?? "", isStrict: isStrict)
                // What JSON functions extract is never a blob.
                let extracted = term.extractsJSON && affinity == .text ? QueryValue(.string) : nil
                table.columns[index].value = (extracted ?? value ?? .unknown).converted(to: affinity)
            }
        }
        for index in table.columns.indices where table.columns[index].isGenerated {
            let proven = table.columns[index].value
            table.columns[index].value = declared[index].value
            (table.columns[index].value.storage, table.columns[index].value.magnitude) = (proven.storage, proven.magnitude)
            if proven.contradicts(declared[index].value.type) {
                // A record of the table could not read it either.
                (table.columns[index].value.type, table.columns[index].value.origin) = (nil, nil)
            } else if isStrict, !proven.proves(declared[index].value.type), !isDeclared(table.columns[index].name) {
                table.columns[index].value.type = nil
            }
        }
    }
}

extension QueryValue {
    private static let basicTypes: [QueryType] = [.int64, .double, .bool, .string, .data]

    /// The value after a column with an affinity has stored it.
    ///
    /// TEXT makes strings of numbers, and REAL real numbers of integers. The affinities of numbers convert strings that look like numbers.
    ///
    /// Source: <https://www.sqlite.org/datatype3.html#type_affinity>
    fileprivate func converted(to affinity: ColumnAffinity) -> QueryValue {
        var result = QueryValue(type, isNullable: isNullable)
        let isNumber = type == .int64 || type == .double || type == .bool
        if affinity == .text, isNumber { result.type = .string }
        switch (affinity, storage) {
        case (.text, .integer), (.text, .real): result.storage = .text
        case (.real, .integer): result.storage = .real
        // Integers that a REAL is equal to, and numbers in a string, may become integers and numbers.
        case (.integer, .real), (.integer, .text), (.numeric, .real), (.numeric, .text), (.real, .text): break
        default: result.storage = storage
        }
        if affinity != .text { result.magnitude = magnitude }
        return result
    }

    /// Whether a column with the value always has a type.
    fileprivate func proves(_ declared: QueryType?) -> Bool {
        guard let declared else { return true }
        guard let type else { return false }
        return type == declared || [.int64, .bool].contains(type) && [.int64, .bool, .double].contains(declared)
    }

    /// Whether the type can't be the one that a column has.
    fileprivate func contradicts(_ declared: QueryType?) -> Bool {
        guard let type, let declared, Self.basicTypes.contains(type), Self.basicTypes.contains(declared) else { return false }
        let isInteger = type == .int64 || type == .bool
        return type != declared && !(isInteger && (declared == .int64 || declared == .bool || declared == .double))
    }
}

extension SQLTerm {
    /// Whether the expression is a value of JSON text.
    fileprivate var extractsJSON: Bool {
        switch kind {
        case .binary("->>", _, _): true
        case .call(let call): call.name == "json_extract"
        default: false
        }
    }
}

extension CommentedSQL {
    /// The expressions of the generated columns of a table's definition, by the names of the columns.
    fileprivate static func generatedColumns(_ sql: String) -> [SchemaName: String] {
        guard CommentedSQL(sql).tableDefinition != nil else { return [:] }
        let lexed = SQLTokens(sql)
        let columns = lexed.clauses("AS").compactMap { index, expression in
            // The column begins after the comma, or after the first parenthesis.
            lexed.tokens[..<index].lastIndex { $0.depth == 0 || $0.depth == 1 && lexed.text($0.range) == "," }.map { start in
                (SchemaName(lexed.name(start + 1)), expression)
            }
        }
        return Dictionary(columns) { _, last in last }
    }
}
