import ValueConversion

/// The columns of rows, shared by all rows that have them, and what is made of them once for all these rows.
///
/// A row that reads from a statement takes its names from there, and has here what an adapter made of them, and its core. A copied row has
/// all of it here: the copies that one run of a statement leaves share one object.
///
/// It is not Sendable, as rows are not: rows that share one stay on one thread at a time. Rows that are to part get
/// ``duplicate()``s.
final class RowColumns {
    /// The columns of the row and of its scopes, where an adapter has changed them.
    let layout: RowLayout?

    /// The names of the layout's scopes, in its order.
    let scopeNames: [String]

    /// Whether scopes have scopes.
    let hasScopesInScopes: Bool

    /// The names of a copied row's columns, in the order of the statement's columns.
    let baseNames: [String]

    /// The query of a copied row, for error messages. Its arguments are kept only when messages may show them.
    let origin: RowOrigin?

    /// The core of a row that reads from a statement, or of copied rows. Those have no use for more than one: all it holds are the hints of
    /// where columns are, and what the layers above keep with copied rows, from one to the next.
    let core = OwnedMemory(RowCore())

    /// The columns of the scopes of copied rows, in the order of the layout's scopes, once they were asked for.
    private var scopes: [RowColumns?] = []

    init(layout: RowLayout?, baseNames: [String] = [], origin: RowOrigin? = nil) {
        self.layout = layout
        scopeNames = layout?.scopes.map(\.name) ?? []
        hasScopesInScopes = layout?.scopes.contains { !$0.layout.scopes.isEmpty } ?? false
        self.baseNames = baseNames
        self.origin = origin
    }

    deinit {
        core.pointee.forgetHints()
    }

    /// The same columns, for rows that go elsewhere.
    func duplicate() -> sending RowColumns {
        RowColumns(layout: layout, baseNames: baseNames, origin: origin)
    }

    /// The columns of a scope of copied rows.
    ///
    /// - Parameter index: the index of one of the layout's scopes.
    func scope(at index: Int) -> RowColumns {
        guard let layout else { fatalError("The row has no scopes.") }
        if scopes.isEmpty {
            scopes = Array(repeating: nil, count: layout.scopes.count)
        }
        if let columns = scopes[index] { return columns }
        let columns = RowColumns(layout: layout.scopes[index].layout, baseNames: baseNames, origin: origin)
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
