import RowDecoding

// How values are encoded for columns. Expressions keep Swift values until the SQL is generated, because only then is the table of
// each column known, and with it the record type that defines how the column stores values.

/// The origin of an expression's values, for expressions that return values of a column unchanged.
indirect enum StoredValues {
    /// A column of the current table, to which unqualified columns belong.
    case column(String)
    /// The origin of another expression's values.
    case same(SQLExpression)
    /// The origin of another expression's values, in the table of an alias.
    case qualified(SQLExpression, TableAliasBase)
    /// The origin of another expression's values, in the table of another query.
    case query(SQLExpression, Relation)
}

/// An expression that may return stored values unchanged.
protocol StoredValueNode: SQLExpressionNode {
    /// Returns the origin of the values, or nil if the expression computes them.
    ///
    /// - Throws: an error when the schema is needed and can't be read.
    func storedValues(_ db: Database) throws -> StoredValues?
}

/// A column, and the record type that defines how it stores values.
private struct EncodingColumn {
    let name: String
    let type: any ColumnValueEncoding.Type
}

extension SQLRenderer {
    /// Returns an operand encoded for the comparison with another operand: a `Date` becomes the value that the column stores for it.
    ///
    /// - Throws: an error when the column can't store the value.
    func operand(_ operand: SQLExpression, comparedWith other: SQLExpression) throws -> SQLExpression {
        try encodedOperand(operand, comparedWith: other) ?? operand
    }

    /// Returns an operand encoded for the comparison with another operand, or nil if encoding does not change it.
    ///
    /// - Throws: an error when the column can't store the value.
    func encodedOperand(_ operand: SQLExpression, comparedWith other: SQLExpression) throws -> SQLExpression? {
        try operand.encodingValues { value in
            try encodingColumn(of: other).flatMap { try $0.type.databaseValue(of: value, inColumn: $0.name) }
        }
    }

    /// Returns an expression encoded for the assignment to a column of the current table.
    ///
    /// - Throws: an error when the column can't store the value.
    func expression(_ expression: SQLExpression, assignedTo column: String) throws -> SQLExpression {
        try expression.encodingValues { value in
            guard let type = sourceRecordType as? any ColumnValueEncoding.Type else { return nil }
            return try type.databaseValue(of: value, inColumn: tableName(of: column, among: sourceColumns))
        } ?? expression
    }

    /// Returns operands encoded for the comparison with another operand.
    ///
    /// - Throws: an error when the column can't store a value.
    func operands(_ operands: [SQLExpression], comparedWith other: SQLExpression) throws -> [SQLExpression] {
        try encode(operands) { try encodingColumn(of: other) }
    }

    /// Returns operands that are compared with each other, encoded for the first of them that has the values of a column.
    ///
    /// - Throws: an error when the column can't store a value.
    func operandsComparedWithOneAnother(_ operands: [SQLExpression]) throws -> [SQLExpression] {
        try encode(operands) {
            for operand in operands {
                if let column = try encodingColumn(of: operand) { return column }
            }
            return nil
        }
    }

    /// Encodes values for a column. Looks for the column only if there are values to encode.
    private func encode(_ operands: [SQLExpression], for column: () throws -> EncodingColumn?) throws -> [SQLExpression] {
        var encoded: [SQLExpression]?
        var known: EncodingColumn??
        for (index, operand) in operands.enumerated() {
            let expression = try operand.encodingValues { value in
                if known == nil { known = .some(try column()) }
                return try known?.flatMap { try $0.type.databaseValue(of: value, inColumn: $0.name) }
            }
            guard let expression else { continue }
            // Copy the array only if an operand changes, which is rare.
            if encoded == nil { encoded = operands }
            encoded?[index] = expression
        }
        return encoded ?? operands
    }

    /// Returns the column whose values an expression returns, or nil if it computes them or no record type encodes the column.
    private func encodingColumn(of expression: SQLExpression) throws -> EncodingColumn? {
        var expression = expression
        var alias: TableAliasBase?
        var relation: Relation?
        while let values = try (expression.node as? any StoredValueNode)?.storedValues(database) {
            switch values {
            case .column(let name):
                if let alias {
                    return encodingType(of: alias).map { EncodingColumn(name: name, type: $0) }
                }
                let recordType = relation.map(\.recordType) ?? sourceRecordType
                guard let type = recordType as? any ColumnValueEncoding.Type else { return nil }
                let columns = relation.map { $0.source.columnNames() } ?? sourceColumns
                return EncodingColumn(name: try tableName(of: name, among: columns), type: type)
            case .same(let other):
                expression = other
            case .qualified(let other, let innerAlias):
                (expression, alias) = (other, innerAlias)
            case .query(let other, let inner):
                (expression, relation, alias) = (other, inner, nil)
            }
        }
        return nil
    }

    /// Returns the record type that defines how the table of an alias stores values.
    private func encodingType(of alias: TableAliasBase) -> (any ColumnValueEncoding.Type)? {
        // The request can use a table without a record type, with an alias that has one.
        (aliasRecordTypes[ObjectIdentifier(alias)] ?? alias.recordType) as? any ColumnValueEncoding.Type
    }

    /// Returns the name of a column as the table defines it. SQLite ignores the case of names, and record types may not.
    private func tableName(of column: String, among columns: (@Sendable (Database) throws -> [String])?) throws -> String {
        try columns?(database).first { $0.isEqualIgnoringASCIICase(to: column) } ?? column
    }
}

// MARK: - Expressions with stored values

extension ColumnNode: StoredValueNode {
    func storedValues(_ db: Database) -> StoredValues? { .column(name) }
}

extension DetachedColumnNode: StoredValueNode {
    // The alias of a selected expression. Ask the table's record type, without looking for that expression.
    func storedValues(_ db: Database) -> StoredValues? { .column(name) }
}

extension QualifiedNode: StoredValueNode {
    func storedValues(_ db: Database) -> StoredValues? { .qualified(content, alias) }
}

extension CollatedNode: StoredValueNode {
    func storedValues(_ db: Database) -> StoredValues? { .same(operand) }
}

extension JSONNode: StoredValueNode {
    func storedValues(_ db: Database) -> StoredValues? { .same(content) }
}

extension AggregateNode: StoredValueNode {
    func storedValues(_ db: Database) -> StoredValues? {
        (name == "min" || name == "max") && arguments.count == 1 ? .same(arguments[0]) : nil
    }
}

extension FunctionNode: StoredValueNode {
    /// The functions that return one of their arguments: they return values of a column if their first argument does.
    private static let choices: Set = ["nullif", "min", "max", "lag", "lead"]
    private static let picks: Set = ["first_value", "last_value", "nth_value"]

    /// Whether the function compares its arguments with each other, or returns one in place of another.
    var comparesArguments: Bool { Self.choices.contains(name) }

    func storedValues(_ db: Database) -> StoredValues? {
        guard let first = arguments.first, Self.choices.contains(name) || Self.picks.contains(name) else { return nil }
        return .same(first)
    }
}

extension CoalesceNode: StoredValueNode {
    func storedValues(_ db: Database) -> StoredValues? { .same(operands[0]) }
}

extension WindowNode: StoredValueNode {
    func storedValues(_ db: Database) -> StoredValues? { .same(function) }
}

extension AssociationAggregateNode: StoredValueNode {
    func storedValues(_ db: Database) -> StoredValues? {
        guard case .function(let name, let expression) = function, name == "min" || name == "max" else { return nil }
        return .query(expression, path.destination)
    }
}

/// A request in an expression: the value of its first row.
struct RequestNode: SQLExpressionNode {
    let relation: Relation
    let subquery: SQLExpression

    func render(to renderer: inout SQLRenderer) throws {
        try renderer.append(subquery)
    }
}

extension RequestNode: StoredValueNode {
    func storedValues(_ db: Database) throws -> StoredValues? {
        let selection = try relation.selection.resolve(db)
        guard selection.count == 1, let expression = selection[0].selectedExpression else { return nil }
        return .query(expression, relation)
    }
}

extension SQLSelection {
    /// The selected expression, with or without an alias.
    fileprivate var selectedExpression: SQLExpression? { expression ?? (node as? AliasedSelectionNode)?.expression }
}
