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
        // A record type gets no values but those that the program stores.
        EncodedValue(value is PlaceStandIn ? nil : try databaseValue(of: value), encoder: self)
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
        try expression.tree.encoded { try encodingColumn(column, of: nil, nil, nil)?.encoded($0) } ?? expression
    }

    /// Returns operands encoded for the comparison with another operand.
    ///
    /// - Throws: an error when the column can't store a value.
    func operands(_ operands: [SQLExpression], comparedWith other: SQLExpression) throws -> [SQLExpression] {
        try encode(operands) { try encodingColumn(of: other) }
    }

    /// Returns operands that are compared with each other, encoded for the first operand that has the values of a column.
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
            // The alias of a selected expression: the table's record type encodes the value, without looking for that expression.
            case .column(let name, of: let table): return try encodingColumn(name, of: table, alias, relation)
            case .outputColumn(let name): return try encodingColumn(name, of: nil, alias, relation)
            case .qualified(let innerAlias, let content): (expression, alias) = (content, innerAlias)
            case .collated(let operand, by: _), .json(let operand), .windowed(let operand, _): expression = operand
            case .coalesce(let operands, isOperator: _): expression = operands[0]
            case .function(let call) where call.returnsArgument: expression = call.arguments[0]
            case .aggregate(let aggregate) where ["min", "max"].contains(aggregate.name) && aggregate.arguments.count == 1:
                expression = aggregate.arguments[0]
            case .associationAggregate(let aggregate):
                guard case .function(let name, let operand) = aggregate.function, name == "min" || name == "max" else { return nil }
                // A query of the rows, as the aggregate writes it.
                (expression, relation, alias) = (operand, aggregate.path.seenFromDestination { _ in .null }, nil)
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
    ///   - columnTable: the table that the column knows, if any.
    ///   - alias: the alias of its table, if any.
    ///   - relation: the query of which it is a column, if it is not the current one.
    private func encodingColumn(
        _ name: String, of columnTable: ColumnTable?, _ alias: TableAliasBase?, _ relation: Relation?
    ) throws -> EncodingColumn? {
        if let alias {
            // The request can use a table without a record type, with an alias that has one.
            let type = scope.table(withAlias: ObjectIdentifier(alias))?.recordType ?? alias.recordType
            return (type as? any ColumnValueEncoding.Type).map { EncodingColumn(name: name, type: $0) }
        }
        guard let relation else {
            if let columnTable, case .other(let table) = try owner(of: columnTable) {
                return try encodingColumn(name, of: table, declaredIn: columnTable)
            }
            return try scope.table.flatMap { try encodingColumn(name, of: $0, declaredIn: columnTable) }
        }
        let source = try relation.joinedRelation(of: columnTable, database) ?? relation
        let isDeclared = try columnTable.map { try source.source.isTable($0.name, database) } ?? false
        if !isDeclared, let columnTable, try !source.owns(columnTable, database) {
            // The query is a part of the current one, whose columns it can use.
            switch try owner(of: columnTable) {
            case .current, .other: return try encodingColumn(name, of: columnTable, nil, nil)
            case .ambiguous, .hidden, .none: break
            }
        }
        let type = source.recordType ?? (isDeclared ? columnTable?.recordType : nil)
        return try encodingColumn(name, type) { try source.source.columnNames($0) }
    }

    /// Returns a column of a table.
    ///
    /// - Parameters:
    ///   - name: the name of the column.
    ///   - table: the table.
    ///   - columnTable: the table that the column knows. Its record type counts for a table that the request uses without one.
    private func encodingColumn(
        _ name: String, of table: any SQLScopeTable, declaredIn columnTable: ColumnTable? = nil
    ) throws -> EncodingColumn? {
        var type = table.recordType
        if type == nil, let columnTable, try table.isTable(columnTable.name, database) { type = columnTable.recordType }
        return try encodingColumn(name, type, table.columnNames)
    }

    /// Returns a column of a record type.
    private func encodingColumn(
        _ name: String, _ type: Any.Type?, _ columnNames: (Database) throws -> [String]
    ) throws -> EncodingColumn? {
        guard let type = type as? any ColumnValueEncoding.Type else { return nil }
        let name = try columnNames(database).first { $0.isEqualIgnoringASCIICase(to: name) } ?? name
        return EncodingColumn(name: name, type: type)
    }
}
