import ValueConversion

/// The columns of rows, shared by all rows that have them.
///
/// A row that reads from a statement takes its names from there, and has here what an adapter made of them. A copied row has all
/// of it here: the copies that one run of a statement leaves share one object.
final class RowColumns: Sendable {
    /// The columns of the row and of its scopes, where an adapter has changed them.
    let layout: RowLayout?

    /// The names of a copied row's columns, in the order of the statement's columns.
    let baseNames: [String]

    /// The query of a copied row, for error messages. Its arguments are kept only when messages may show them.
    let origin: RowOrigin?

    init(layout: RowLayout?, baseNames: [String] = [], origin: RowOrigin? = nil) {
        self.layout = layout
        self.baseNames = baseNames
        self.origin = origin
    }

    /// The columns of rows that read from a statement as it is, and of rows that have none.
    static let none = RowColumns(layout: nil)
}

/// The query that a row comes from.
struct RowOrigin: Sendable {
    let sql: String
    let arguments: StatementArguments?

    /// Whether messages may show the arguments.
    let publicArguments: Bool
}

/// What few rows have, allocated when one does.
final class RowExtras {
    /// Rows that requests with associations have fetched for this one.
    var prefetched: PrefetchedRowsStorage?

    /// What layers above keep with a copied row.
    var storage: TypedStorage?

    /// The rows of the scopes that were asked for, in the order of the layout's scopes.
    var scopeRows: [Row?] = []
}
