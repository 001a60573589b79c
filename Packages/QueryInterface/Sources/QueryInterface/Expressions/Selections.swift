import RowDecoding

/// All columns of a table.
public struct AllColumns: SQLSelectable, Sendable {
    /// Makes the selection.
    public init() {}

    /// `*`, qualified by the table where a query has several.
    public var sqlSelection: SQLSelection { SQLSelection(AllColumnsNode()) }
}

private struct AllColumnsNode: SQLSelectionNode {
    func render(to renderer: inout SQLRenderer) throws {
        if let qualifier = renderer.qualifier {
            renderer.append(identifier: qualifier)
            renderer.append(".")
        }
        renderer.append("*")
    }
}
