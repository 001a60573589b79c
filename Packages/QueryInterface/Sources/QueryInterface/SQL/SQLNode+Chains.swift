import Foundation
import RowDecoding

// Operators of the same precedence are written as a chain, without recursion.

extension SQLRenderer {
    /// The length above which a chain is written in groups, if the connection allows fewer levels.
    static let maximumUngroupedCount = 40

    /// The maximum number of operands in a group. SQLite's parser needs stack space for each operand.
    private static let maximumGroupCount = 400

    /// Writes a comparison.
    mutating func append(_ left: SQLExpression, _ operation: SQLOperator, _ right: SQLExpression) throws {
        let (first, second) = try encoded(left, operation, right)
        // `a = b = c` is hard to read as `(a = b) = c`: both operands get parentheses.
        try append(first, atLeast: operation.precedence.next)
        append(operation.sql)
        try append(second, atLeast: operation.precedence.next)
    }

    /// Returns two operands with their values encoded for each other's column.
    private func encoded(
        _ left: SQLExpression, _ operation: SQLOperator, _ right: SQLExpression
    ) throws -> (SQLExpression, SQLExpression) {
        guard operation.encodesOperands else { return (left, right) }
        return (try operand(left, comparedWith: right), try operand(right, comparedWith: left))
    }

    /// Writes a chain of an associative operator.
    mutating func append(chain operands: [SQLExpression], _ operation: SQLOperator) throws {
        let operands = operation.flattened(operands)
        if operands.count <= Self.maximumUngroupedCount, operands[0].node?.kind.sequencePrecedence == operation.precedence {
            // Other operators of the same precedence come first.
            return try append(sequence: operands[0], operands.dropFirst().map { (operation, $0) })
        }
        try append(group: encoded(operands, operation)[...], width: groupWidth(operands.count), operation)
    }

    /// Returns the operands of a chain, the first two of them encoded for each other's column.
    private func encoded(_ operands: [SQLExpression], _ operation: SQLOperator) throws -> [SQLExpression] {
        guard operation.encodesOperands else { return operands }
        var operands = operands
        (operands[0], operands[1]) = try encoded(operands[0], operation, operands[1])
        return operands
    }

    /// Writes operators of one precedence, from left to right.
    mutating func append(sequence first: SQLExpression, _ rest: [(operation: SQLOperator, operand: SQLExpression)]) throws {
        let precedence = rest[0].operation.precedence
        var first = first
        // From right to left, with the operators of the sequences and chains with which this one begins.
        var rest: [(operation: SQLOperator, operand: SQLExpression)] = rest.reversed()
        while let kind = first.node?.kind, kind.sequencePrecedence == precedence {
            if case .sequence(let inner, let operators) = kind {
                rest += operators.reversed()
                first = inner
            } else if case .chain(let operation, let operands) = kind {
                let operands = operation.flattened(operands)
                rest += operands.dropFirst().reversed().map { (operation, $0) }
                first = operands[0]
            }
        }
        let end = rest.count - 1
        (first, rest[end].operand) = try encoded(first, rest[end].operation, rest[end].operand)
        // The first operands are the deepest ones in SQLite's tree.
        try append(levelsBelow: end) { try $0.append(first, atLeast: precedence) }
        for (index, (operation, operand)) in rest.enumerated().reversed() {
            append(operation.sql)
            // Operators are left-associative, so a right operand of the same precedence needs parentheses.
            try append(levelsBelow: index) { try $0.append(operand, atLeast: precedence.next) }
        }
    }

    // MARK: - Groups

    /// Writes a chain of an associative operator.
    ///
    /// Long chains are written in groups, in parentheses: SQLite's expression tree is as deep as a chain is long, and its depth is limited.
    private mutating func append(group operands: ArraySlice<SQLExpression>, width: Int, _ operation: SQLOperator) throws {
        var size = 1
        while operands.count > size * width { size *= width }
        let groupCount = (operands.count + size - 1) / size
        var rest = operands
        for index in 0..<groupCount {
            if index > 0 { append(operation.sql) }
            let group = rest.prefix(size)
            rest = rest.dropFirst(size)
            // Operators are left-associative: the first operands are the deepest ones in the tree.
            try append(levelsBelow: groupCount - 1 - Swift.max(index, 1)) { renderer in
                if group.count == 1, let operand = group.first {
                    let precedence = operation.precedence
                    return try renderer.append(operand, atLeast: index == 0 ? precedence : precedence.next)
                }
                renderer.append("(")
                try renderer.append(levelsBelow: 1) { try $0.append(group: group, width: width, operation) }
                renderer.append(")")
            }
        }
    }

    /// Returns the number of operands, or groups of operands, to write in a row.
    private func groupWidth(_ count: Int) -> Int {
        if count <= Self.maximumUngroupedCount { return Swift.max(count, 2) }
        let limit = database.limit(.expressionDepth)
        // Keep half of the remaining depth for the operands.
        let budget = limit == 0 ? Self.maximumGroupCount : Swift.min(Self.maximumGroupCount, (limit - expressionDepth) / 2)
        if count <= budget { return count }
        var (best, bestDepth) = (count, count)
        for levels in 2...16 {
            let width = Swift.max(2, Int(pow(Double(count), 1 / Double(levels)).rounded(.up)))
            if levels * width < bestDepth { (best, bestDepth) = (width, levels * width) }
            if bestDepth <= budget / 2 { break }
        }
        return best
    }

    // MARK: - Coalesce

    /// Writes a chain of `??`, or a call of `coalesce`.
    mutating func append(coalesce operands: [SQLExpression], isOperator: Bool) throws {
        let arguments = try operandsComparedWithOneAnother(isOperator ? Self.alternatives(operands) : operands)
        if isOperator, arguments.count == 2 {
            append("ifnull(")
            try append(list: arguments)
            append(")")
        } else {
            let limit = arguments.count < 8 ? 0 : database.limit(.functionArgumentCount)
            try append(coalesce: arguments[...], limit: limit > 1 ? limit : arguments.count)
        }
    }

    /// Writes a call with at most a number of arguments. More arguments are put in groups.
    private mutating func append(coalesce arguments: ArraySlice<SQLExpression>, limit: Int) throws {
        var size = 1
        while arguments.count > size * limit { size *= limit }
        append("coalesce(")
        var rest = arguments
        while !rest.isEmpty {
            if rest.startIndex != arguments.startIndex { append(", ") }
            let group = rest.prefix(size)
            rest = rest.dropFirst(size)
            if group.count == 1, let argument = group.first {
                try append(argument)
            } else {
                try append(coalesce: group, limit: limit)
            }
        }
        append(")")
    }

    /// Returns the operands of a chain of `??`, with inner calls replaced by their operands.
    private static func alternatives(_ operands: [SQLExpression]) -> [SQLExpression] {
        var alternatives: [SQLExpression] = []
        // A stack, with the next operand at the end.
        var remaining: [SQLExpression] = operands.reversed()
        while let operand = remaining.popLast() {
            switch operand.node?.kind {
            case .coalesce(let inner, isOperator: true): remaining += inner.reversed()
            case .coalesce(let inner, isOperator: false): alternatives += inner
            default: alternatives.append(operand)
            }
        }
        return alternatives
    }
}

extension SQLOperator {
    /// Returns the operands of a chain, with inner chains replaced by their operands.
    func flattened(_ operands: [SQLExpression]) -> [SQLExpression] {
        var flat: [SQLExpression] = []
        // A stack, with the next operand at the end.
        var remaining: [SQLExpression] = operands.reversed()
        while let operand = remaining.popLast() {
            if isExact || flat.isEmpty, let inner = operand.node?.kind.chain(of: self) {
                remaining += inner.reversed()
            } else {
                flat.append(operand)
            }
        }
        return flat
    }
}
