import SQLiteDriver

// How expressions are written. Those that are not deep are written by recursion, which is fastest. Of those that are, each is put off
// until the one around it has returned: what it has put off is then written in its place. The texts that come after an expression that
// was put off are put off too, so that all comes in its order.

extension SQLRenderer {
    /// How many expressions are written by recursion before they are put off. A query inside of an expression takes the most stack, about
    /// four kilobytes.
    private static let maximumRecursionDepth = 24

    /// How many renderers may be nested in others that are as deep as that.
    private static let maximumNestingDepth = 32

    /// Something that was put off.
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
    /// - Throws: an error that was kept in the expression, or one that depends on the schema. What the operands of a deep expression
    ///   throw is thrown where the outermost one is written.
    public mutating func append(_ expression: SQLExpression) throws {
        switch expression.storage {
        case .leaf(let node): try append(leaf: node, of: expression)
        case .tree(let tree):
            if putsOff {
                steps.append(.expression(expression, context))
            } else if recursionDepth < Self.maximumRecursionDepth {
                recursionDepth += 1
                defer { recursionDepth -= 1 }
                try render(tree)
            } else {
                try renderWithoutRecursion(expression)
            }
        }
    }

    mutating func append(leaf node: any SQLExpressionNode, of expression: SQLExpression) throws {
        if steps.isEmpty { try node.render(to: &self) } else { steps.append(.expression(expression, context)) }
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
                resultCode: .SQLITE_TOOBIG, message: "SQL is nested too deeply: more than \(Self.maximumNestingDepth) renderers in others")
        }
        let outer = context
        defer {
            context = outer
            putsOff = false
            steps = []
        }
        putsOff = true
        // What remains to be written, the next at the end.
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
            switch expression.storage {
            case .leaf(let node): try node.render(to: &self)
            case .tree(let tree): try render(tree)
            }
        case .beginRewriting: rewritingStarts.append(text.count)
        case .endRewriting(let rewrite): endRewriting(rewrite)
        }
    }

    // MARK: - Rewriting

    /// Writes SQL that is changed when it is complete.
    ///
    /// ```swift
    /// try renderer.append({ try query.render(to: &$0) }, rewriting: { $0.trimmingCharacters(in: .whitespaces) })
    /// ```
    ///
    /// - Parameters:
    ///   - write: writes the SQL.
    ///   - rewrite: changes it. The parameters must stay, in their order.
    public mutating func append(
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
