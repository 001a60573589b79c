import RowDecoding

extension SQLNode {
    /// Conditions that an expression has one of the values of a list.
    struct Membership {
        let operand: SQLExpression
        let values: [SQLExpression]
        let isNegated: Bool

        func write(to renderer: inout SQLRenderer) throws {
            let membership = Membership(
                operand: try values.first.map { try renderer.operand(operand, comparedWith: $0) } ?? operand,
                values: try renderer.operands(values, comparedWith: operand), isNegated: isNegated)
            try membership.writeEncoded(to: &renderer)
        }

        private func writeEncoded(to renderer: inout SQLRenderer) throws {
            guard renderer.packsLists, !renderer.writesLiterals else { return try write(values, to: &renderer) }
            let constants = values.compactMap(\.value)
            guard constants.count > 1 else { return try write(values, to: &renderer) }
            guard constants.count < values.count else { return try writePacked(constants, to: &renderer) }
            // Only constants can be packed. Two lists combined by OR (AND for NOT IN) have the same result as one, also with NULLs.
            renderer.append("(")
            try writePacked(constants, to: &renderer)
            renderer.append(isNegated ? " AND " : " OR ")
            try write(values.filter { $0.value == nil }, to: &renderer)
            renderer.append(")")
        }

        private func write(_ values: [SQLExpression], to renderer: inout SQLRenderer) throws {
            try writeOperand(to: &renderer)
            renderer.append("(")
            try renderer.append(list: values)
            renderer.append(")")
        }

        private func writePacked(_ constants: [DatabaseValue], to renderer: inout SQLRenderer) throws {
            try writeOperand(to: &renderer)
            try PackedValues(rows: constants.map { [$0] }, columnCount: 1).render(to: &renderer)
        }

        private func writeOperand(to renderer: inout SQLRenderer) throws {
            try renderer.append(operand, atLeast: .comparison)
            renderer.append(isNegated ? " NOT IN " : " IN ")
        }
    }
}

extension SQLNode.RowMembership {
    func write(to renderer: inout SQLRenderer) throws {
        if columns.count == 1 {
            let values = rows.map { $0[0].sqlExpression }
            return try SQLNode.Membership(operand: columns[0], values: values, isNegated: isNegated).write(to: &renderer)
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
                renderer.append("(")
                renderer.append(row, separator: ", ") { $0.append(argument: $1) }
                renderer.append(")")
            }
            renderer.append(")")
        }
    }
}
