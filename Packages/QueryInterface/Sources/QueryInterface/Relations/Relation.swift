import RowDecoding

/// The clauses of a request or an association for one table, and the tables joined to it.
///
/// A relation records the clauses as they were given. ``ResolvedQuery`` resolves the names of tables, the columns of foreign keys, and so
/// on, when the SQL is generated.
@dynamicMemberLookup
struct Relation: Sendable {
    // Described: see "Kept plans" in CONTRIBUTING.md before you add a property.
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
        // Described: see "Kept plans" in CONTRIBUTING.md before you add a property.
        /// The expressions, or nil for `*`, which most record types select.
        let list: Deferred<[SQLSelection]>?
        /// The expressions added by `annotated(with:)`.
        var additions: [Deferred<[SQLSelection]>] = []

        static let all = Selection(list: nil)

        private static let allColumns = [AllColumns().sqlSelection]

        func resolve(_ db: Database) throws -> [SQLSelection] {
            let first = try list?.resolve(db) ?? Self.allColumns
            return try additions.reduce(first) { try $0 + $1.resolve(db) }
        }
    }

    /// The order of the rows.
    struct Ordering: Sendable {
        // Described: see "Kept plans" in CONTRIBUTING.md before you add a property.
        var terms: Deferred<[SQLOrdering]>?
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

    /// The clauses that few requests have: one element, or none if the relation has none of them. An array changes in place if it is not
    /// shared.
    var rareClauses: [Clauses] = []

    /// The greatest number of nested associations. SQLite joins at most 64 tables: <https://www.sqlite.org/limits.html#max_join>.
    static let maximumDepth = 64

    init(source: Source, recordType: Any.Type?, selection: Selection) {
        self.source = source
        // `Row` is not a record type.
        self.recordType = recordType == Row.self ? nil : recordType
        self.selection = selection
    }

    init(table: String, recordType: Any.Type, selection: [any SQLSelectable]) {
        let isAll = selection.count == 1 && type(of: selection[0]) == AllColumns.self
        let list = isAll ? nil : Deferred(selection.map(\.sqlSelection))
        self.init(source: .table(table), recordType: recordType, selection: Selection(list: list))
    }
}

/// A joined table.
struct Join: Sendable {
    // Described: see "Kept plans" in CONTRIBUTING.md before you add a property.
    /// The key of the association. Joins with the same key are merged.
    let key: String
    /// Whether the join is a JOIN, which skips rows without a match, or a LEFT JOIN.
    var isRequired: Bool
    /// Whether the columns are selected, in a row scope.
    var isIncluded: Bool
    /// Whether the association whose columns are selected leads to this table, or through it.
    var leadsToIncluded: Bool
    var condition: JoinCondition
    let cardinality: AssociationPath.Cardinality
    var relation: Relation

    /// The join of one query, with the condition that its closure returns.
    var computed: Join {
        guard condition.isClosure else { return self }
        return changed(self) { $0.condition = condition.computed }
    }
}

/// A prefetched association, whose rows are fetched by a separate query.
struct Prefetch: Sendable {
    /// The key of the association. Prefetches with the same key are merged.
    let key: String
    var path: AssociationPath
}

// MARK: - Building

extension Relation {
    /// Returns the relation with a clause or a joined table added.
    func applying(_ change: RequestChange) -> Relation {
        changed(self) { $0.apply(change.kind) }
    }

    private mutating func apply(_ change: RequestChange.Kind) {
        switch change {
        case .select(let selection): replaceSelection(Selection(list: selection))
        case .annotate(let additions): selection.additions.append(additions)
        case .filter(let predicate): filters.append(predicate)
        case .group(let expressions): self.groups = expressions
        case .having(let predicate): self.havings.append(predicate)
        case .order(let terms): self.ordering = Ordering(terms: terms)
        case .reverse: forEachTable { $0.ordering.isReversed.toggle() }
        case .unorder: forEachTable { $0.ordering = Ordering() }
        case .stabilizeOrder: self.ordering.isStable = true
        case .removeDuplicates: isDistinct = true
        case .limit(let limit): self.limit = limit
        case .alias(let alias): if !self.aliases.contains(alias) { self.aliases.append(alias) }
        case .window(let name, let definition):
            self.windows.removeAll { $0.name.isEqualIgnoringASCIICase(to: name) }
            self.windows.append((name, definition))
        case .define(let table):
            self.commonTables.removeAll { $0.key == table.key }
            self.commonTables.append(table)
        case .join(let path, .prefetched): prefetch(path)
        case .join(let path, let kind): join(path.steps[...], isRequired: kind.isRequired, isIncluded: kind.isIncluded)
        }
    }

    /// Replaces the selection. Aggregates of associations that were added to the previous one still count as used.
    private mutating func replaceSelection(_ selection: Selection) {
        for addition in self.selection.additions where addition.constant?.contains(where: { $0.aggregatesAssociation() }) == true {
            self.usesAggregates = self.usesAggregates ?? true
        }
        self.selection = selection
    }

    /// Changes the table, and the tables joined to it.
    private mutating func forEachTable(_ change: (inout Relation) -> Void) {
        change(&self)
        if self.joins.isEmpty { return }
        for index in self.joins.indices { self.joins[index].relation.forEachTable(change) }
    }

    func filtered(by predicate: SQLExpression) -> Relation { applying(RequestChange(kind: .filter(Deferred(predicate)))) }

    /// The common table expressions of the query, which has one WITH clause. If several have the same name, the relation's own takes
    /// precedence over a joined table's, and a table's over one of a table joined after it.
    var allCommonTables: [CommonTable] {
        var tables = self.commonTables
        for join in self.joins {
            for table in join.relation.allCommonTables where !tables.contains(where: { $0.key == table.key }) { tables.append(table) }
        }
        return tables
    }

    /// Returns the relation without the common table expressions of its tables.
    func withoutCommonTables() -> Relation {
        changed(self) { $0.forEachTable { if !$0.commonTables.isEmpty { $0.commonTables = [] } } }
    }

    /// Joins the tables of an association.
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
        self.misuse = .misuse(
            "associations to \(table.source.name) are nested more than \(Self.maximumDepth) levels deep",
            advice: "Fetch the rows with several requests, or with a recursive common table expression.")
        return true
    }

    private mutating func add(_ join: Join) {
        if let misuse = join.relation.misuse { self.misuse = misuse }
        if refuses(depth: join.relation.depth + 1, table: join.relation) { return }
        self.depth = max(self.depth, join.relation.depth + 1)
        if let index = self.joins.firstIndex(where: { $0.key == join.key }) {
            self.joins[index].merge(join)
        } else {
            self.joins.append(join)
        }
    }

    /// Adds an association whose rows are fetched by a separate query.
    private mutating func prefetch(_ path: AssociationPath) {
        let added = path.steps.map(\.relation.depth).reduce(path.steps.count) { max($0, $1 + 1) }
        if let misuse = path.steps.lazy.compactMap(\.relation.misuse).first { self.misuse = misuse }
        if refuses(depth: added, table: path.destination) { return }
        self.depth = max(self.depth, added)
        let key = path.key(for: .toMany)
        if let index = self.prefetches.firstIndex(where: { $0.key == key }) {
            self.prefetches[index].path.merge(path)
        } else {
            self.prefetches.append(Prefetch(key: key, path: path))
        }
    }

    // MARK: - Merging

    /// Adds the clauses of another relation of the same table.
    mutating func merge(_ other: Relation, selects: Bool) {
        if source.name != other.source.name {
            self.misuse = .misuse(
                "two associations of different tables, \(source.name) and \(other.source.name), have the same key",
                advice: DatabaseError.adviceAboutKeys)
        }
        self.misuse = self.misuse ?? other.misuse
        for alias in other.aliases where !self.aliases.contains(alias) { self.aliases.append(alias) }
        if selects { replaceSelection(other.selection) }
        isDistinct = isDistinct || other.isDistinct
        filters.append(contentsOf: other.filters)
        if !other.groups.isConstantlyEmpty { self.groups = other.groups }
        self.usesAggregates = self.usesAggregates ?? other.usesAggregates
        self.havings.append(contentsOf: other.havings)
        if other.ordering.terms != nil { self.ordering = other.ordering }
        limit = other.limit ?? limit
        for table in other.commonTables { apply(.define(table)) }
        for join in other.joins { add(join) }
        for prefetch in other.prefetches { self.prefetch(prefetch.path) }
    }
}

extension Join {
    /// Merges another join with the same key into this one.
    mutating func merge(_ other: Join) {
        isRequired = isRequired || other.isRequired
        if condition != other.condition {
            relation.misuse = .misuse(
                "two associations to \(relation.source.name) that join it in different ways have the same key \(key)",
                advice: DatabaseError.adviceAboutKeys)
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
        var depth = SQLDepth()
        for item in selection.list?.constant ?? [] { depth.formMaximum(item.depth) }
        for addition in selection.additions { for item in addition.constant ?? [] { depth.formMaximum(item.depth) } }
        for filter in filters { depth.formMaximum(filter.constant?.tree.depth ?? SQLDepth()) }
        guard hasRareClauses else { return depth }
        depth.formMaximum(SQLDepth(of: self.groups.constant ?? []))
        for having in self.havings { depth.formMaximum(having.constant?.tree.depth ?? SQLDepth()) }
        for term in self.ordering.terms?.constant ?? [] { depth.formMaximum(term.depth) }
        for table in self.commonTables { depth.formMaximum(table.query.depth) }
        for join in self.joins { depth.formMaximum(join.relation.expressionDepth) }
        return depth
    }
}

extension AssociationPath {
    /// The depth of a query that computes a function of the associated rows.
    func expressionDepth(with function: AssociationFunction) -> SQLDepth {
        var depth = steps.reduce(SQLDepth()) { $0.maximum($1.relation.expressionDepth) }
        if case .function(_, let expression) = function { depth.formMaximum(expression.tree.depth) }
        return depth
    }
}

extension DatabaseError {
    /// What to do about two associations that have the same key.
    static let adviceAboutKeys = "Give one of the associations another key with forKey(_:)."
}
