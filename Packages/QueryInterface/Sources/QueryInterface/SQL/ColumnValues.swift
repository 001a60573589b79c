import RowDecoding

// How values are encoded for columns. Expressions keep Swift values until the SQL is generated, because only then is the table of
// each column known, and with it the record type that defines how the column stores values.

/// A column of a record type that defines how it stores values.
private struct EncodingColumn: ValueEncoder {
    let name: String
    private let type: Any.Type

    /// - Parameters:
    ///   - name: the name of the column, as the table defines it.
    ///   - type: the record type.
    init(name: String, type: any ColumnValueEncoding.Type) {
        (self.name, self.type) = (name, type)
    }

    func databaseValue(of value: any DatabaseValueConvertible & Sendable) throws -> DatabaseValue? {
        try (type as? any ColumnValueEncoding.Type)?.databaseValue(of: value, inColumn: name)
    }

    /// Returns what the column stores for a value.
    func encoded(_ value: any DatabaseValueConvertible & Sendable) throws -> EncodedValue {
        EncodedValue(try databaseValue(of: value), encoder: self)
    }
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
        try operand.tree.encoded { try encodingColumn(of: other)?.encoded($0) }
    }

    /// Returns an expression encoded for the assignment to a column of the current table.
    ///
    /// - Throws: an error when the column can't store the value.
    func expression(_ expression: SQLExpression, assignedTo column: String) throws -> SQLExpression {
        try expression.tree.encoded { try encodingColumn(column, nil, nil)?.encoded($0) } ?? expression
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
            let expression = try operand.tree.encoded { value in
                if known == nil { known = .some(try column()) }
                return try known?.flatMap { try $0.encoded(value) }
            }
            guard let expression else { continue }
            // Copy the array only if an operand changes, which is rare.
            if encoded == nil { encoded = operands }
            encoded?[index] = expression
        }
        return encoded ?? operands
    }

    /// Returns the column whose values an expression returns unchanged, or nil if it computes them or no record type encodes the column.
    private func encodingColumn(of expression: SQLExpression) throws -> EncodingColumn? {
        var expression = expression
        var alias: TableAliasBase?
        var relation: Relation?
        while let node = expression.node {
            switch node.kind {
            // The alias of a selected expression: ask the table's record type, without looking for that expression.
            case .column(let name), .outputColumn(let name):
                return try encodingColumn(name, alias, relation)
            case .qualified(let innerAlias, let content): (expression, alias) = (content, innerAlias)
            case .collated(let operand, by: _), .json(let operand), .windowed(let operand, _): expression = operand
            case .coalesce(let operands, isOperator: _): expression = operands[0]
            case .function(let call) where call.returnsArgument: expression = call.arguments[0]
            case .aggregate(let aggregate) where ["min", "max"].contains(aggregate.name) && aggregate.arguments.count == 1:
                expression = aggregate.arguments[0]
            case .associationAggregate(let aggregate):
                guard case .function(let name, let operand) = aggregate.function, name == "min" || name == "max" else { return nil }
                (expression, relation, alias) = (operand, aggregate.path.destination, nil)
            case .request(let inner, _):
                let selection = try inner.selection.resolve(database)
                guard selection.count == 1, let operand = selection[0].selectedExpression else { return nil }
                (expression, relation, alias) = (operand, inner, nil)
            default: return nil
            }
        }
        return nil
    }

    /// Returns a column.
    ///
    /// - Parameters:
    ///   - name: the name of the column.
    ///   - alias: the alias of its table, if any.
    ///   - relation: the query of which it is a column, if it is not the current one.
    private func encodingColumn(_ name: String, _ alias: TableAliasBase?, _ relation: Relation?) throws -> EncodingColumn? {
        if let alias {
            // The request can use a table without a record type, with an alias that has one.
            let type = scope.table(withAlias: ObjectIdentifier(alias))?.recordType ?? alias.recordType
            return (type as? any ColumnValueEncoding.Type).map { EncodingColumn(name: name, type: $0) }
        }
        if let relation {
            guard let type = relation.recordType as? any ColumnValueEncoding.Type else { return nil }
            let columns = try relation.source.columnNames(database)
            return EncodingColumn(name: Self.name(of: name, among: columns), type: type)
        }
        guard let table = scope.table, let type = table.columnValueEncoding else { return nil }
        return EncodingColumn(name: Self.name(of: name, among: try table.columnNames(database)), type: type)
    }

    /// Returns the name of a column as the table defines it. SQLite ignores the case of names, and record types may not.
    private static func name(of column: String, among columns: [String]) -> String {
        columns.first { $0.isEqualIgnoringASCIICase(to: column) } ?? column
    }
}
