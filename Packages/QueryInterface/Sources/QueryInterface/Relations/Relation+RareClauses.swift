import RowDecoding

extension Relation {
    /// The clauses that few requests have, in a separate allocation: every method copies the request, and small values copy faster.
    struct Clauses: Sendable {
        // Described: see "Kept plans" in CONTRIBUTING.md before you add a property.
        fileprivate static let none = Clauses()

        var aliases: [TableAliasBase] = []
        var groups = Deferred<[SQLExpression]>([])
        var havings = Chain<Deferred<SQLExpression>>()
        /// Whether the relation uses aggregates of associations, or nil if that depends on its filters and its selection. Joins then don't
        /// repeat its rows: see ``ResolvedTable/rowsAreRepeated``.
        var usesAggregates: Bool?
        var windows: [(name: String, definition: WindowDefinition)] = []
        var ordering = Ordering()
        var commonTables: [CommonTable] = []
        /// The tables joined to this one, in the order of the query.
        var joins: [Join] = []
        /// The prefetched associations.
        var prefetches: [Prefetch] = []
        /// The tables whose columns the clauses could use in other queries, and not in this one.
        var absentTables: [AbsentTable] = []
        /// The values of places, if templates have made the relation. Described with each place.
        var places: [PlaceValues] = []
        /// The number of nested levels of associations below this table.
        var depth = 0
        /// A mistake of the user in building the relation. The error is thrown when the relation is used.
        var misuse: DatabaseError?
    }

    /// Whether the relation has rare clauses.
    var hasRareClauses: Bool { !rareClauses.isEmpty }

    /// One of the rare clauses.
    subscript<Value>(dynamicMember clause: WritableKeyPath<Clauses, Value>) -> Value {
        @inline(__always) get { hasRareClauses ? rareClauses[0][keyPath: clause] : Clauses.none[keyPath: clause] }
        @inline(__always) _modify {
            if rareClauses.isEmpty { rareClauses = [Clauses()] }
            yield &rareClauses[0][keyPath: clause]
        }
    }
}

/// A table that a query does not read, where programs may take it for one of its tables.
struct AbsentTable: Sendable {
    /// The name, as a request or a record type has it.
    let name: String
    /// The reason why the query does not read it.
    let reason: String
}

extension AbsentTable {
    /// - Parameter name: the name of a table of the rows that have an association, whose rows are fetched.
    init(ofRowsWithAssociation name: String) {
        let reason = "the rows of an association are fetched here by a query of their own, which does not read that table"
        self.init(name: name, reason: reason)
    }
}
