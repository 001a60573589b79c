import Foundation
import RowDecoding

extension SQLRenderer {
    /// The greatest number of operands that are joined without parentheses. SQLite parses them into a tree, processes it recursively, and
    /// limits its depth to 1,000: <https://www.sqlite.org/limits.html#max_expr_depth>.
    private static let maximumRowCount = 400

    /// Writes operands joined by an operator: `a OR b OR c`. Many operands become groups, which keeps SQLite's tree of expressions flat:
    /// `(a OR b …) OR (k OR l …) OR …`.
    ///
    /// A node that calls this method counts as one level.
    mutating func append(row operands: [SQLExpression], operation: String, precedence: SQLPrecedence) throws {
        try append(row: operands[...], width: rowWidth(operands.count), operation: operation, precedence: precedence)
    }

    private mutating func append(
        row operands: ArraySlice<SQLExpression>, width: Int, operation: String, precedence: SQLPrecedence
    ) throws {
        let outer = expressionDepth
        var size = 1
        while operands.count > size * width { size *= width }
        let groupCount = (operands.count + size - 1) / size
        var rest = operands
        for index in 0..<groupCount {
            if index > 0 { append(operation) }
            // Operators are left-associative: the first operands are the deepest ones in the tree.
            expressionDepth = outer + groupCount - 1 - Swift.max(index, 1)
            let group = rest.prefix(size)
            rest = rest.dropFirst(size)
            if group.count == 1, let operand = group.first {
                try append(operand, atLeast: index == 0 ? precedence : precedence.next)
            } else {
                append("(")
                expressionDepth += 1
                try append(row: group, width: width, operation: operation, precedence: precedence)
                append(")")
            }
        }
        expressionDepth = outer
    }

    /// Returns the number of operands, or groups of them, to join without parentheses.
    private func rowWidth(_ count: Int) -> Int {
        if count <= 40 { return Swift.max(count, 2) }
        let limit = database.limit(.expressionDepth)
        // Keep half of the remaining depth for the operands.
        let budget = limit == 0 ? Self.maximumRowCount : Swift.min(Self.maximumRowCount, (limit - expressionDepth) / 2)
        if count <= budget { return count }
        var (best, bestDepth) = (count, count)
        for levels in 2...16 {
            let width = Swift.max(2, Int(pow(Double(count), 1 / Double(levels)).rounded(.up)))
            if levels * width < bestDepth { (best, bestDepth) = (width, levels * width) }
            if bestDepth <= budget / 2 { break }
        }
        return best
    }
}
