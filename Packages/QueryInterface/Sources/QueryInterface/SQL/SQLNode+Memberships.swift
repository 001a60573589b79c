import RowDecoding

extension SQLRenderer {
    /// Writes the condition that an expression has one of the values of a list.
    mutating func append(_ operand: SQLExpression, in values: [SQLExpression], isNegated: Bool) throws {
        let encoded = try values.first.map { try self.operand(operand, comparedWith: $0) } ?? operand
        let values = try operands(values, comparedWith: operand)
        let test = isNegated ? " NOT IN " : " IN "
        let constants = packsLists && !writesLiterals ? values.compactMap(\.value) : []
        guard constants.count > 1 else { return try append(encoded, test, list: values) }
        guard constants.count < values.count else { return try append(encoded, test, packed: constants) }
        // Only constants can be packed. Two lists combined by OR (AND for NOT IN) have the same result as one, also with NULLs.
        append("(")
        try append(encoded, test, packed: constants)
        append(isNegated ? " AND " : " OR ")
        try append(encoded, test, list: values.filter { $0.value == nil })
        append(")")
    }

    private mutating func append(_ operand: SQLExpression, _ test: String, list: [SQLExpression]) throws {
        try append(operand, test)
        append("(")
        try append(list: list)
        append(")")
    }

    private mutating func append(_ operand: SQLExpression, _ test: String, packed constants: [DatabaseValue]) throws {
        try append(operand, test)
        try PackedValues(rows: constants.map { [$0] }, columnCount: 1).render(to: &self)
    }
}

extension SQLNode.RowMembership {
    func write(to renderer: inout SQLRenderer) throws {
        if columns.count == 1 {
            return try renderer.append(columns[0], in: rows.map { $0[0].sqlExpression }, isNegated: isNegated)
        }
        renderer.append("(")
        try renderer.append(list: columns)
        renderer.append(isNegated ? ") NOT IN " : ") IN ")
        if rows.isEmpty {
            // SQL has no VALUES without rows, and SQLite does not accept `()` for rows.
            renderer.append(query: "(SELECT \(columns.map { _ in "NULL" }.joined(separator: ", ")) WHERE FALSE)")
        } else if isPacked || renderer.packsLists, !renderer.writesLiterals {
            try PackedValues(rows: rows, columnCount: columns.count).render(to: &renderer)
        } else {
            renderer.append("(VALUES ")
            renderer.append(rows, separator: ", ") { renderer, row in
                renderer.parenthesize { $0.append(row, separator: ", ") { $0.append(argument: $1) } }
            }
            renderer.append(")")
        }
    }
}
