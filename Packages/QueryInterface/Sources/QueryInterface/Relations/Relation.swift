import RowDecoding

/// The clauses of a request or an association for one table, and the tables joined to it.
///
/// A relation records the clauses as they were given. ``ResolvedQuery`` resolves the names of tables, the columns of foreign keys, and so
/// on, when the SQL is generated.
struct Relation: Sendable {
    /// The origin of the rows.
    enum Source: Sendable {
        /// A table or a view, by its name in the record type.
        case table(String)
        /// A common table expression.
        indirect case commonTable(CommonTable)

        /// The name, as it was given.
        var name: String {
            switch self {
            case .table(let name): name
            case .commonTable(let table): table.name
            }
        }
    }

    /// The greatest number of rows, and the number of rows to skip first.
    struct Limit: Sendable {
        let count: Int
        let offset: Int?

        /// The limit of a query that is used for its first row only. Without it, SQLite may sort, or choose a plan, for all rows.
        static let one = Limit(count: 1, offset: nil)

        func render(to renderer: inout SQLRenderer) {
            renderer.append(" LIMIT \(count)")
            if let offset { renderer.append(" OFFSET \(offset)") }
        }
    }

    /// The selected expressions.
    struct Selection: Sendable {
        private var base: Deferred<[SQLSelection]>
        /// The expressions added by `annotated(with:)`.
        private(set) var additions = Chain<Deferred<[SQLSelection]>>()

        init(_ selection: Deferred<[SQLSelection]>) {
            base = selection
        }

        init(_ selection: [SQLSelection]) {
            base = Deferred(selection)
        }

        mutating func add(_ selection: Deferred<[SQLSelection]>) {
            additions.append(selection)
        }

        func resolve(_ db: Database) throws -> [SQLSelection] {
            var selection = try base.resolve(db)
            if additions.isEmpty { return selection }
            for addition in additions { selection += try addition.resolve(db) }
            return selection
        }
    }

    /// The order of the rows.
    struct Ordering: Sendable {
        var terms: [Deferred<[SQLOrdering]>] = []
        var isReversed = false
        /// Whether the primary key decides between rows that are otherwise equal.
        var isStable = false
    }

    var source: Source

    /// The record type of the source, or nil if it is unknown. It may define how values are stored.
    let recordType: Any.Type?

    var selection: Selection
    var isDistinct = false
    var filters = Chain<Deferred<SQLExpression>>()
    var limit: Limit?

    /// The clauses that few requests have, or nil if the relation has none of them.
    var rareClauses: RareClauses?

    /// The greatest number of nested associations. SQLite joins at most 64 tables: <https://www.sqlite.org/limits.html#max_join>.
    static let maximumDepth = 64

    init(source: Source, recordType: Any.Type?, selection: Selection) {
        self.source = source
        // `Row` is not a record type.
        self.recordType = recordType == Row.self ? nil : recordType
        self.selection = selection
    }

    init(table: String, recordType: Any.Type, selection: [any SQLSelectable]) {
        self.init(source: .table(table), recordType: recordType, selection: Selection(selection.map(\.sqlSelection)))
    }
}

/// A joined table.
struct Join: Sendable {
    /// The key of the association. Joins with the same key are merged.
    let key: String
    /// Whether the join is a JOIN, which skips rows without a match, or a LEFT JOIN.
    var isRequired: Bool
    /// Whether the columns are selected, in a row scope.
    var isIncluded: Bool
    /// Whether the association whose columns are selected leads to this table, or through it.
    var leadsToIncluded: Bool
    let condition: JoinCondition
    let cardinality: AssociationPath.Cardinality
    var relation: Relation
}

/// A prefetched association, whose rows are fetched by a separate query.
struct Prefetch: Sendable {
    /// The key of the association. Prefetches with the same key are merged.
    let key: String
    var path: AssociationPath
}

// MARK: - Building

extension Relation {
    private func with(_ change: (inout Relation) -> Void) -> Relation {
        var relation = self
        change(&relation)
        return relation
    }

    func selecting(_ selection: Deferred<[SQLSelection]>) -> Relation {
        with { $0.replaceSelection(Selection(selection)) }
    }

    /// Replaces the selection. Aggregates of associations that were added to the previous one still count as used.
    private mutating func replaceSelection(_ selection: Selection) {
        for addition in self.selection.additions where addition.constant?.contains(where: { $0.aggregatesAssociation() }) == true {
            usesAggregates = usesAggregates ?? true
        }
        self.selection = selection
    }

    func annotated(with selection: Deferred<[SQLSelection]>) -> Relation {
        with { $0.selection.add(selection) }
    }

    func filtered(by predicate: Deferred<SQLExpression>) -> Relation {
        with { $0.filters.append(predicate) }
    }

    func grouped(by expressions: Deferred<[SQLExpression]>) -> Relation {
        with { $0.groups = expressions }
    }

    func having(_ predicate: Deferred<SQLExpression>) -> Relation {
        with { $0.havings.append(predicate) }
    }

    func windowed(_ name: String, _ definition: WindowDefinition) -> Relation {
        with { relation in
            relation.windows.removeAll { $0.name.isEqualIgnoringASCIICase(to: name) }
            relation.windows.append((name, definition))
        }
    }

    func ordered(by terms: Deferred<[SQLOrdering]>) -> Relation {
        with { $0.ordering = Ordering(terms: [terms]) }
    }

    /// Reverses the order of the table and of the tables joined to it.
    func reversed() -> Relation {
        with { relation in
            relation.ordering.isReversed.toggle()
            for index in relation.joins.indices {
                relation.joins[index].relation = relation.joins[index].relation.reversed()
            }
        }
    }

    /// Removes the order of the table and of the tables joined to it.
    func unordered() -> Relation {
        with { relation in
            relation.ordering = Ordering()
            for index in relation.joins.indices {
                relation.joins[index].relation = relation.joins[index].relation.unordered()
            }
        }
    }

    func stablyOrdered() -> Relation {
        with { $0.ordering.isStable = true }
    }

    func distinct() -> Relation {
        with { $0.isDistinct = true }
    }

    func limited(to limit: Limit) -> Relation {
        with { $0.limit = limit }
    }

    func aliased(_ alias: TableAliasBase) -> Relation {
        with { relation in
            if !relation.aliases.contains(alias) { relation.aliases.append(alias) }
        }
    }

    func with(_ commonTable: CommonTable) -> Relation {
        with { relation in
            relation.commonTables.removeAll { $0.key == commonTable.key }
            relation.commonTables.append(commonTable)
        }
    }

    /// The common table expressions of the query, which has one WITH clause. Of several with the same name, the relation's precedes those
    /// of the joined tables, and a table's precedes those of the tables joined after it.
    var allCommonTables: [CommonTable] {
        var tables = commonTables
        for join in joins {
            for table in join.relation.allCommonTables where !tables.contains(where: { $0.key == table.key }) { tables.append(table) }
        }
        return tables
    }

    /// Returns the relation without the common table expressions of its tables.
    func withoutCommonTables() -> Relation {
        with { relation in
            relation.commonTables = []
            for index in relation.joins.indices {
                relation.joins[index].relation = relation.joins[index].relation.withoutCommonTables()
            }
        }
    }

    /// Joins the tables of an association.
    func joining(_ path: AssociationPath, isRequired: Bool, isIncluded: Bool) -> Relation {
        with { $0.join(path.steps[...], isRequired: isRequired, isIncluded: isIncluded) }
    }

    private mutating func join(_ steps: ArraySlice<AssociationPath.Step>, isRequired: Bool, isIncluded: Bool) {
        guard let step = steps.first else { return }
        if refuses(depth: steps.count, table: step.relation) { return }
        let isLast = steps.count == 1
        var relation = step.relation
        relation.join(steps.dropFirst(), isRequired: isRequired, isIncluded: isIncluded)
        add(
            Join(
                key: step.key.name(for: .toOne), isRequired: isRequired, isIncluded: isIncluded && isLast, leadsToIncluded: isIncluded,
                condition: step.condition, cardinality: step.cardinality, relation: relation))
    }

    /// Returns whether adding associations would exceed the greatest nesting depth. If so, records the error.
    private mutating func refuses(depth added: Int, table: Relation) -> Bool {
        if added <= Self.maximumDepth { return false }
        misuse = DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "associations to \(table.source.name) are nested more than \(Self.maximumDepth) levels deep: "
                + "fetch the rows with several requests, or with a recursive common table expression")
        return true
    }

    private mutating func add(_ join: Join) {
        if let misuse = join.relation.misuse { self.misuse = misuse }
        if refuses(depth: join.relation.depth + 1, table: join.relation) { return }
        depth = max(depth, join.relation.depth + 1)
        if let index = joins.firstIndex(where: { $0.key == join.key }) {
            joins[index].merge(join)
        } else {
            joins.append(join)
        }
    }

    /// Adds an association whose rows are fetched by a separate query.
    func prefetching(_ path: AssociationPath) -> Relation {
        with { relation in
            let added = path.steps.map(\.relation.depth).reduce(path.steps.count) { max($0, $1 + 1) }
            if let misuse = path.steps.lazy.compactMap(\.relation.misuse).first { relation.misuse = misuse }
            if relation.refuses(depth: added, table: path.destination) { return }
            relation.depth = max(relation.depth, added)
            let key = path.key(for: .toMany)
            if let index = relation.prefetches.firstIndex(where: { $0.key == key }) {
                relation.prefetches[index].path.merge(path)
            } else {
                relation.prefetches.append(Prefetch(key: key, path: path))
            }
        }
    }
}

// MARK: - Merging

extension Relation {
    /// Adds the clauses of another relation of the same table.
    mutating func merge(_ other: Relation, selects: Bool) {
        if source.name != other.source.name {
            misuse = DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "two associations of different tables, \(source.name) and \(other.source.name), have the same key: "
                    + "give one of them another key with forKey(_:)")
        }
        misuse = misuse ?? other.misuse
        for alias in other.aliases where !aliases.contains(alias) { aliases.append(alias) }
        if selects { replaceSelection(other.selection) }
        isDistinct = isDistinct || other.isDistinct
        filters.append(contentsOf: other.filters)
        if !other.groups.isConstantlyEmpty { groups = other.groups }
        usesAggregates = usesAggregates ?? other.usesAggregates
        havings.append(contentsOf: other.havings)
        if !other.ordering.terms.isEmpty { ordering = other.ordering }
        limit = other.limit ?? limit
        for table in other.commonTables { self = with(table) }
        for join in other.joins { add(join) }
        for prefetch in other.prefetches { self = prefetching(prefetch.path) }
    }
}

extension Join {
    /// Merges another join with the same key into this one.
    mutating func merge(_ other: Join) {
        isRequired = isRequired || other.isRequired
        if condition != other.condition {
            relation.misuse = DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "two associations to \(relation.source.name) that join it in different ways have the same key \(key): "
                    + "give one of them another key with forKey(_:)")
        }
        relation.merge(other.relation, selects: other.isIncluded)
        isIncluded = isIncluded || other.isIncluded
        leadsToIncluded = leadsToIncluded || other.leadsToIncluded
    }
}

// MARK: - Depth

extension Relation {
    /// The depth of the expressions of the relation, as far as it is known: what closures return is not.
    var expressionDepth: SQLDepth {
        var depth = selection.depth
        for filter in filters { depth.formMaximum(filter.constant?.tree.depth ?? SQLDepth()) }
        guard rareClauses != nil else { return depth }
        depth.formMaximum(SQLDepth(of: groups.constant ?? []))
        for having in havings { depth.formMaximum(having.constant?.tree.depth ?? SQLDepth()) }
        for terms in ordering.terms { for term in terms.constant ?? [] { depth.formMaximum(term.depth) } }
        for table in commonTables { depth.formMaximum(table.query.depth) }
        for join in joins { depth.formMaximum(join.relation.expressionDepth) }
        return depth
    }
}

extension Relation.Selection {
    fileprivate var depth: SQLDepth {
        var depth = SQLDepth()
        for item in base.constant ?? [] { depth.formMaximum(item.depth) }
        for addition in additions { for item in addition.constant ?? [] { depth.formMaximum(item.depth) } }
        return depth
    }
}

extension AssociationPath {
    /// The depth of a query that computes a function of the associated rows.
    func expressionDepth(with function: AssociationFunction) -> SQLDepth {
        var depth = SQLDepth()
        for step in steps { depth.formMaximum(step.relation.expressionDepth) }
        if case .function(_, let expression) = function { depth.formMaximum(expression.tree.depth) }
        return depth
    }
}
