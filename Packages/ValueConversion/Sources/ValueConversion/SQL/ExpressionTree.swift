import SQLiteDriver

/// A heap-allocated node that can contain other expressions. Its deallocation does not recurse into them.
@usableFromInline
final class ExpressionTree: @unchecked Sendable {
    // Sendable: the node changes only in `deinit`, when nothing else refers to the tree.
    // Unchecked: the node is only read until then, and only written in `deinit`.
    @exclusivity(unchecked) private var content: (any SQLExpressionNode)?

    // Stored, because rendering an expression asks for them each time.
    let precedence: SQLPrecedence
    let levelCount: Int

    @usableFromInline
    init(_ node: some SQLExpressionNode) {
        content = node
        precedence = node.precedence
        levelCount = node.levelCount
    }

    deinit {
        FlatRelease.releaseContent(of: self)
    }

    var node: any SQLExpressionNode { content! }
}

extension ExpressionTree: FlatlyReleased {
    func releaseContent() {
        content = nil
    }

    func takeContent() -> Any {
        defer { content = nil }
        return content as Any
    }
}
