import SQLiteDriver

/// A node that may hold other expressions, on the heap, where it is freed without recursion.
@usableFromInline
final class ExpressionTree: @unchecked Sendable {
    // Sendable: the node changes only when nobody has the expression any more.
    // Unchecked: it is read until the tree is freed, and written when it is.
    @exclusivity(unchecked) private var content: (any SQLExpressionNode)?

    // Asked for each time that the expression is written.
    let precedence: SQLPrecedence
    let levelCount: Int

    @usableFromInline
    init(_ node: some SQLExpressionNode) {
        content = node
        precedence = node.precedence
        levelCount = node.levelCount
    }

    deinit {
        FlatRelease.release(&content)
    }

    var node: any SQLExpressionNode { content! }
}
