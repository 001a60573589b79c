import RowDecoding

extension Relation {
    /// The clauses that few requests have, in a separate allocation: every method copies the request, and small values copy faster.
    indirect enum RareClauses: Sendable {
        case some(Clauses)
    }

    struct Clauses: Sendable {
        var aliases: [TableAliasBase] = []
        var groups = Deferred<[SQLExpression]>([])
        var havings = Chain<Deferred<SQLExpression>>()
        var usesAggregates: Bool?
        var windows: [(name: String, definition: WindowDefinition)] = []
        var ordering = Ordering()
        var commonTables: [CommonTable] = []
        var joins: [Join] = []
        var prefetches: [Prefetch] = []
        var depth = 0
        var misuse: DatabaseError?
    }

    private var clauses: Clauses {
        get { if case .some(let clauses)? = rareClauses { clauses } else { Clauses() } }
        set { rareClauses = .some(newValue) }
    }

    var aliases: [TableAliasBase] {
        get { rareClauses == nil ? [] : clauses.aliases }
        set { clauses.aliases = newValue }
    }

    var groups: Deferred<[SQLExpression]> {
        get { rareClauses == nil ? Deferred([]) : clauses.groups }
        set { clauses.groups = newValue }
    }

    var havings: Chain<Deferred<SQLExpression>> {
        get { rareClauses == nil ? Chain() : clauses.havings }
        set { clauses.havings = newValue }
    }

    /// Whether the relation uses aggregates of associations, or nil if that depends on its filters and its selection. Joins then don't repeat
    /// its rows: see ``ResolvedTable/rowsAreRepeated``.
    var usesAggregates: Bool? {
        get { rareClauses == nil ? nil : clauses.usesAggregates }
        set { if newValue != nil || rareClauses != nil { clauses.usesAggregates = newValue } }
    }

    var windows: [(name: String, definition: WindowDefinition)] {
        get { rareClauses == nil ? [] : clauses.windows }
        set { clauses.windows = newValue }
    }

    var ordering: Ordering {
        get { rareClauses == nil ? Ordering() : clauses.ordering }
        set { clauses.ordering = newValue }
    }

    var commonTables: [CommonTable] {
        get { rareClauses == nil ? [] : clauses.commonTables }
        set { if !newValue.isEmpty || rareClauses != nil { clauses.commonTables = newValue } }
    }

    /// The tables joined to this one, in the order of the query.
    var joins: [Join] {
        get { rareClauses == nil ? [] : clauses.joins }
        set { clauses.joins = newValue }
    }

    /// The prefetched associations.
    var prefetches: [Prefetch] {
        get { rareClauses == nil ? [] : clauses.prefetches }
        set { clauses.prefetches = newValue }
    }

    /// The number of nested levels of associations below this table.
    var depth: Int {
        get { rareClauses == nil ? 0 : clauses.depth }
        set { clauses.depth = newValue }
    }

    /// A mistake of the user in building the relation. The error is thrown when the relation is used.
    var misuse: DatabaseError? {
        get { rareClauses == nil ? nil : clauses.misuse }
        set { if newValue != nil || rareClauses != nil { clauses.misuse = newValue } }
    }

}
