import ValueConversion

/// The columns of rows, and the state that is computed once for all rows with these columns.
///
/// A row that reads from a statement takes its column names from the statement, and stores only its layout and its core here. A copied row
/// stores the names, too; all copies of one run of a statement share one object.
///
/// Like rows, it is not Sendable: rows that share it stay on one thread at a time. A row that goes to another thread gets a
/// ``duplicate()``.
final class RowColumns: RowCoreOwner {
    /// The columns of the row and of its scopes as an adapter presents them; nil without an adapter.
    let layout: RowLayout?

    /// The names of the layout's scopes, in its order.
    let scopeNames: [String]

    /// Whether any scope has scopes, too.
    let hasScopesInScopes: Bool

    /// The names of a copied row's columns, in the order of the statement's columns.
    let baseNames: [String]

    /// The query of a copied row, for error messages. Its arguments are kept only when messages may show them.
    let origin: RowOrigin?

    /// The names of scopes and the keys of associations that lead from the row of a query to these rows.
    var path: [String]

    /// The columns of the scopes of copied rows, in the order of the layout's scopes, filled when they are first read.
    private var scopes: [RowColumns?] = []

    init(layout: RowLayout?, baseNames: [String] = [], origin: RowOrigin? = nil, path: [String] = []) {
        self.layout = layout
        self.path = path
        scopeNames = layout?.scopes.map(\.name) ?? []
        hasScopesInScopes = layout?.scopes.contains { !$0.layout.scopes.isEmpty } ?? false
        self.baseNames = baseNames
        self.origin = origin
    }

    /// Returns a copy of the columns, for a row that goes to another thread.
    func duplicate() -> sending RowColumns {
        RowColumns(layout: layout, baseNames: baseNames, origin: origin, path: path)
    }

    /// Returns the columns of a scope of copied rows.
    ///
    /// - Parameter index: the index of one of the layout's scopes.
    func scope(at index: Int) -> RowColumns {
        guard let layout else { fatalError("The row has no scopes.") }
        if scopes.isEmpty {
            scopes = Array(repeating: nil, count: layout.scopes.count)
        }
        if let columns = scopes[index] { return columns }
        let columns = RowColumns(
            layout: layout.scopes[index].layout, baseNames: baseNames, origin: origin, path: path + [scopeNames[index]])
        scopes[index] = columns
        return columns
    }
}

/// The query that a row comes from.
struct RowOrigin: Sendable {
    let sql: String
    let arguments: StatementArguments?

    /// Whether messages may show the arguments.
    let publicArguments: Bool
}
