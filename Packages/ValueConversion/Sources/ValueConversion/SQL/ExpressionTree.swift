import SQLiteDriver

/// A heap-allocated node. If it contains other expressions, its deallocation does not recurse into them.
@usableFromInline
final class ExpressionTree: @unchecked Sendable {
    // Sendable: the node changes only in `deinit`, when nothing else refers to the tree.
    // Unchecked: the node is only read until then, and only written in `deinit`.
    @exclusivity(unchecked) private(set) var node: any SQLExpressionNode

    // Stored, because rendering an expression reads them each time.
    let precedence: SQLPrecedence
    let levelCount: Int

    /// Whether the node contains no other expressions.
    let isLeaf: Bool

    @usableFromInline
    init(_ node: consuming some SQLExpressionNode, isLeaf: Bool) {
        precedence = node.precedence
        levelCount = isLeaf ? 0 : node.levelCount
        self.isLeaf = isLeaf
        self.node = node
    }

    deinit {
        if !isLeaf { FlatRelease.releaseContent(of: self) }
    }
}

extension ExpressionTree: FlatlyReleased {
    func releaseContent() {
        node = ReleasedNode()
    }

    func takeContent() -> Any {
        defer { node = ReleasedNode() }
        return node
    }
}

/// Replaces a node that has been released. An optional node would be slower to copy, and each use of a node copies it.
private struct ReleasedNode: SQLExpressionNode {
    func render(to renderer: inout SQLRenderer) {}
}
