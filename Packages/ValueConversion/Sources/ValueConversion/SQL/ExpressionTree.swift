import SQLiteDriver

/// A node that may hold other expressions, on the heap, where it is freed without recursion.
@usableFromInline
class ExpressionTree: @unchecked Sendable {
    // Sendable: see the one subclass.

    @usableFromInline
    init() {}

    @usableFromInline
    var node: any SQLExpressionNode { fatalError("an expression without a node") }

    @usableFromInline
    var precedence: SQLPrecedence { .unknown }

    @usableFromInline
    var value: DatabaseValue? { nil }

    @usableFromInline
    var levelCount: Int { 0 }

    @usableFromInline
    func render(to renderer: inout SQLRenderer) throws {}
}

/// A node of a known type.
@usableFromInline
final class TypedExpressionTree<Node: SQLExpressionNode>: ExpressionTree, @unchecked Sendable {
    // Sendable: the node changes only when nobody has the expression any more.
    @usableFromInline var content: Node?

    @inlinable
    init(_ node: Node) {
        content = node
    }

    @inlinable
    deinit {
        FlatRelease.release(&content)
    }

    @inlinable
    override var node: any SQLExpressionNode { content! }

    @inlinable
    override var precedence: SQLPrecedence { content!.precedence }

    @inlinable
    override var value: DatabaseValue? { content!.value }

    @inlinable
    override var levelCount: Int { content!.levelCount }

    @inlinable
    override func render(to renderer: inout SQLRenderer) throws {
        try content!.render(to: &renderer)
    }
}
