import RowDecoding

// How values meet columns. A value is kept as Swift has it until the SQL is written: only then is it known to which table a column
// belongs, and so which record type says how the column stores values.

/// Where the values of an expression are stored, for expressions that have stored values just as they are.
indirect enum StoredValues {
    /// In a column of the table to which columns belong that name none.
    case column(String)
    /// Where those of another expression are.
    case same(SQLExpression)
    /// Where those of another expression are, in the table of an alias.
    case qualified(SQLExpression, TableAliasBase)
    /// Where those of another expression are, in the table of another query.
    case query(SQLExpression, Relation)
}

/// An expression that may have stored values, just as they are.
protocol StoredValueNode: SQLExpressionNode {
    /// Where they are stored; nil when the expression computes its values.
    ///
    /// - Throws: an error when that depends on the schema, which can't be read.
    func storedValues(_ db: Database) throws -> StoredValues?
}

/// A column, and the record type that says how it stores values.
private struct EncodingColumn {
    let name: String
    let type: any ColumnValueEncoding.Type
}

extension SQLRenderer {
    /// An operand in the form in which it is compared with another one: the values of a `Date` as the column stores dates.
    ///
    /// - Throws: an error when the column can't store the value.
    func operand(_ operand: SQLExpression, comparedWith other: SQLExpression) throws -> SQLExpression {
        try encodedOperand(operand, comparedWith: other) ?? operand
    }

    /// An operand in the form in which it is compared with another one; nil when that is its own.
    ///
    /// - Throws: an error when the column can't store the value.
    func encodedOperand(_ operand: SQLExpression, comparedWith other: SQLExpression) throws -> SQLExpression? {
        try operand.encodingValues { value in
            try encodingColumn(of: other).flatMap { try $0.type.databaseValue(of: value, inColumn: $0.name) }
        }
    }

    /// An expression in the form in which it is assigned to a column of the table to which columns belong that name none.
    ///
    /// - Throws: an error when the column can't store the value.
    func expression(_ expression: SQLExpression, assignedTo column: String) throws -> SQLExpression {
        try expression.encodingValues { value in
            guard let type = sourceRecordType as? any ColumnValueEncoding.Type else { return nil }
            return try type.databaseValue(of: value, inColumn: tableName(of: column, among: sourceColumns))
        } ?? expression
    }

    /// Operands in the form in which they are compared with another one.
    ///
    /// - Throws: an error when the column can't store a value.
    func operands(_ operands: [SQLExpression], comparedWith other: SQLExpression) throws -> [SQLExpression] {
        try encode(operands) { try encodingColumn(of: other) }
    }

    /// Operands that are compared with one another, in the form of the first of them that has the values of a column.
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

    /// Encodes values for a column, which is looked for when there is one.
    private func encode(_ operands: [SQLExpression], for column: () throws -> EncodingColumn?) throws -> [SQLExpression] {
        var encoded: [SQLExpression]?
        var known: EncodingColumn??
        for (index, operand) in operands.enumerated() {
            let expression = try operand.encodingValues { value in
                if known == nil { known = .some(try column()) }
                return try known?.flatMap { try $0.type.databaseValue(of: value, inColumn: $0.name) }
            }
            guard let expression else { continue }
            // Most operands stay as they are, and are not copied.
            if encoded == nil { encoded = operands }
            encoded?[index] = expression
        }
        return encoded ?? operands
    }

    /// The column in which the values of an expression are stored; nil when it computes them, or when no record type has a say.
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

    /// The record type that says how the table of an alias stores values.
    private func encodingType(of alias: TableAliasBase) -> (any ColumnValueEncoding.Type)? {
        // A table without a record type may have an alias with one.
        (aliasRecordTypes[ObjectIdentifier(alias)] ?? alias.recordType) as? any ColumnValueEncoding.Type
    }

    /// The name of a column as the table has it: SQLite does not care for the case of letters, a record type may.
    private func tableName(of column: String, among columns: (@Sendable (Database) throws -> [String])?) throws -> String {
        try columns?(database).first { $0.isEqualIgnoringASCIICase(to: column) } ?? column
    }
}

// MARK: - Expressions with stored values

extension ColumnNode: StoredValueNode {
    func storedValues(_ db: Database) -> StoredValues? { .column(name) }
}

extension DetachedColumnNode: StoredValueNode {
    // The name of a result. What it is the name of is not looked for: the table's record type is asked.
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
    /// The functions that return one of their arguments, which have the values of a column if the first one has.
    private static let choices: Set = ["nullif", "min", "max", "lag", "lead"]
    private static let picks: Set = ["first_value", "last_value", "nth_value"]

    /// Whether the function compares its arguments with one another, or returns one in the place of another.
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

/// A request that stands in an expression: the value of its first row.
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
    /// The expression that is selected, under a name or without one.
    fileprivate var selectedExpression: SQLExpression? { expression ?? (node as? AliasedSelectionNode)?.expression }
}
