import RowDecoding

/// The first of several values that is not NULL.
struct CoalesceNode: CompositeNode {
    /// The operands, at least two.
    let operands: [SQLExpression]

    /// Whether the expression was made by `??`. A chain of `??` becomes one call, because SQLite's parser limits the nesting of calls.
    let isOperator: Bool

    func render(to renderer: inout SQLRenderer) throws {
        let arguments = try renderer.operandsComparedWithOneAnother(isOperator ? alternatives : operands)
        if isOperator, arguments.count == 2 {
            renderer.append("ifnull(")
            try renderer.append(arguments, separator: ", ") { try $0.append($1) }
            renderer.append(")")
        } else {
            let limit = arguments.count < 8 ? 0 : renderer.database.limit(.functionArgumentCount)
            try render(arguments[...], limit: limit > 1 ? limit : arguments.count, to: &renderer)
        }
    }

    /// Writes a call. If there are more arguments than SQLite allows, groups of them become nested calls.
    private func render(_ arguments: ArraySlice<SQLExpression>, limit: Int, to renderer: inout SQLRenderer) throws {
        var size = 1
        while arguments.count > size * limit { size *= limit }
        renderer.append("coalesce(")
        var rest = arguments
        while !rest.isEmpty {
            if rest.startIndex != arguments.startIndex { renderer.append(", ") }
            let group = rest.prefix(size)
            rest = rest.dropFirst(size)
            if group.count == 1, let argument = group.first {
                try renderer.append(argument)
            } else {
                try render(group, limit: limit, to: &renderer)
            }
        }
        renderer.append(")")
    }

    /// The operands, with nested `coalesce` and `??` replaced by their own operands.
    private var alternatives: [SQLExpression] {
        var alternatives: [SQLExpression] = []
        // A stack, with the next operand at the end.
        var remaining: [SQLExpression] = operands.reversed()
        while let operand = remaining.popLast() {
            guard let node = operand.node as? CoalesceNode else {
                alternatives.append(operand)
                continue
            }
            if node.isOperator {
                remaining += node.operands.reversed()
            } else {
                alternatives += node.operands
            }
        }
        return alternatives
    }
}
