import SQLiteDriver

// Rendering of expressions. Shallow expressions are rendered by recursion, which is fastest. In deep ones, the operands of an expression
// are deferred until its `render` method has returned, and then rendered in their places. SQL after a deferred operand is deferred as
// well, which keeps everything in order.

extension SQLRenderer {
    /// The number of expressions that are rendered by recursion before others are deferred. A query inside an expression needs the most
    /// stack, about four kilobytes.
    private static let maximumRecursionDepth = 24

    /// The greatest number of nested renderers, each of which can recurse to that depth.
    private static let maximumNestingDepth = 32

    /// A deferred step.
    enum Step {
        case text(String)
        case identifier(String)
        case minusSign
        case argument(DatabaseValue, Context)
        case sql(String, StatementArguments, Context)
        case expression(SQLExpression, Context)
        case beginRewriting
        case endRewriting((String) -> String)
    }

    /// Writes an expression.
    ///
    /// - Throws: an error stored in the expression, or one that depends on the schema. The errors of a deep expression's operands are
    ///   thrown by the call that writes the outermost expression.
    public mutating func append(_ expression: SQLExpression) throws {
        let tree = expression.tree
        if tree.isLeaf ? !steps.isEmpty : defersNodes {
            steps.append(.expression(expression, context))
        } else if tree.isLeaf {
            try tree.node.render(to: &self)
        } else if recursionDepth < Self.maximumRecursionDepth {
            recursionDepth += 1
            defer { recursionDepth -= 1 }
            try render(tree)
        } else {
            try renderWithoutRecursion(expression)
        }
    }

    private mutating func render(_ tree: ExpressionTree) throws {
        let outer = context.expressionDepth
        expressionDepth = outer + tree.levelCount
        defer { context.expressionDepth = outer }
        try tree.node.render(to: &self)
    }

    private mutating func renderWithoutRecursion(_ expression: SQLExpression) throws {
        guard nestingDepth < Self.maximumNestingDepth else {
            throw DatabaseError(
                resultCode: .SQLITE_TOOBIG, message: "SQL is nested too deeply: more than \(Self.maximumNestingDepth) levels of renderers")
        }
        let outer = context
        defer {
            context = outer
            defersNodes = false
            steps = []
        }
        defersNodes = true
        // A stack of the remaining steps, with the next one at the end.
        var remaining: [Step] = [.expression(expression, context)]
        while let step = remaining.popLast() {
            try perform(step)
            if steps.isEmpty { continue }
            remaining.append(contentsOf: steps.reversed())
            steps.removeAll(keepingCapacity: true)
        }
    }

    private mutating func perform(_ step: Step) throws {
        switch step {
        case .text(let text): append(text)
        case .identifier(let name): append(identifier: name)
        case .minusSign: appendMinusSign()
        case .argument(let value, let context):
            self.context = context
            append(argument: value)
        case .sql(let sql, let arguments, let context):
            self.context = context
            try append(sql: sql, arguments: arguments)
        case .expression(let expression, let context):
            self.context = context
            try render(expression.tree)
        case .beginRewriting: rewritingStarts.append(text.count)
        case .endRewriting(let rewrite): endRewriting(rewrite)
        }
    }

    // MARK: - Rewriting

    /// Writes SQL, and transforms it when it is complete.
    ///
    /// - Parameters:
    ///   - write: writes the SQL.
    ///   - rewrite: transforms the SQL. It must keep the parameters and their order.
    package mutating func append(
        _ write: (inout SQLRenderer) throws -> Void, rewriting rewrite: @escaping (String) -> String
    ) rethrows {
        if steps.isEmpty { rewritingStarts.append(text.count) } else { steps.append(.beginRewriting) }
        try write(&self)
        if steps.isEmpty { endRewriting(rewrite) } else { steps.append(.endRewriting(rewrite)) }
    }

    private mutating func endRewriting(_ rewrite: (String) -> String) {
        guard let start = rewritingStarts.popLast() else { return }
        text.replace(from: start, rewrite)
    }
}
