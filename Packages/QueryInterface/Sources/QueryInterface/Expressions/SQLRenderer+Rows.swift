import Foundation
import RowDecoding

extension SQLRenderer {
    /// How many operands stand side by side. SQLite takes them for a tree, which must not be deeper than 1,000, and walks it by recursion:
    /// <https://www.sqlite.org/limits.html#max_expr_depth>.
    private static let maximumRowCount = 400

    /// Writes operands with one operator between each two: `a OR b OR c`, and where there are many, groups of them, so that SQLite's tree
    /// of them has few levels: `(a OR b …) OR (k OR l …) OR …`.
    ///
    /// The node that writes its row this way counts for one level.
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
            // Operators group to the left: the first operands are the deepest.
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

    /// How many operands, or groups of them, stand side by side, so that the tree has few levels where there are many operands.
    private func rowWidth(_ count: Int) -> Int {
        if count <= 40 { return Swift.max(count, 2) }
        let limit = database.limit(.expressionDepth)
        // Half of what remains is left for the operands.
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
