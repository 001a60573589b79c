import RowDecoding

// The description of a query in its shape: everything that its SQL, and the layout of its rows, depend on.

extension Relation {
    func describe(to shape: inout SQLShape) throws {
        guard hasRareClauses, !rareClauses[0].places.isEmpty else { return try describeClauses(to: &shape) }
        let outerPlaces = shape.places
        shape.places += rareClauses[0].places
        try describeClauses(to: &shape)
        shape.places = outerPlaces
    }

    private func describeClauses(to shape: inout SQLShape) throws {
        // The clauses that exist, in one word.
        var clauses = selection.kindNumber << 5 | filters.count << 32
        if case .commonTable = source { clauses |= 1 }
        if isDistinct { clauses |= 2 }
        if let limit { clauses |= limit.offset == nil ? 4 : 8 }
        if hasRareClauses { clauses |= 16 }
        shape.append(clauses)
        switch source {
        case .table(let name): shape.append(name)
        case .commonTable(let table): try table.describe(to: &shape)
        }
        shape.append(recordType)
        try selection.describe(to: &shape)
        try filters.describe(to: &shape)
        if let limit {
            shape.append(limit.count)
            if let offset = limit.offset { shape.append(offset) }
        }
        if hasRareClauses { try rareClauses[0].describe(to: &shape) }
    }

    /// Whether closures make parts of the query that ``computed(_:)`` replaces by their results.
    var hasClosures: Bool {
        if selection.hasClosures || filters.hasClosures { return true }
        guard hasRareClauses else { return false }
        if rareClauses[0].havings.hasClosures || rareClauses[0].ordering.terms?.isConstant == false { return true }
        return rareClauses[0].joins.contains { $0.condition.isClosure || $0.relation.hasClosures }
    }

    /// Returns the relation with the results of its closures, each of which it calls once, so that all that is found out about the query
    /// fits what is written. A closure that fails stays as it is: the writer calls it again, if it needs the part. So do groups: an
    /// association whose groups a closure returns is grouped, even if there are none.
    func computed(_ db: Database) throws -> Relation {
        guard hasClosures else { return self }
        var relation = self
        relation.selection = try selection.computed(db)
        relation.filters = try filters.computed(db)
        guard hasRareClauses else { return relation }
        relation.havings = try self.havings.computed(db)
        relation.ordering.terms = try self.ordering.terms?.computed(db)
        for (index, join) in self.joins.enumerated() {
            relation.joins[index] = join.computed
            relation.joins[index].relation = try join.relation.computed(db)
        }
        return relation
    }
}

extension Relation.Selection {
    /// A number that differs for each kind of selection, and for each number of additions.
    fileprivate var kindNumber: Int { (list == nil ? 0 : 1) + 2 * additions.count }

    fileprivate func describe(to shape: inout SQLShape) throws {
        if let list { try shape.append(computed: list) { try $0.append($1) } }
        for addition in additions { try shape.append(computed: addition) { try $0.append($1) } }
    }

    fileprivate var hasClosures: Bool { list?.isConstant == false || additions.contains { !$0.isConstant } }

    fileprivate func computed(_ db: Database) throws -> Self {
        try Self(list: list?.computed(db), additions: additions.map { try $0.computed(db) })
    }
}

extension Chain<Deferred<SQLExpression>> {
    /// Describes the expressions. Their number is a part of the caller's description.
    fileprivate func describe(to shape: inout SQLShape) throws {
        switch self {
        case .empty: break
        case .one(let predicate): try shape.append(computed: predicate) { try $0.append($1) }
        case .several(let predicates):
            for predicate in predicates {
                try shape.append(computed: predicate) { try $0.append($1) }
            }
        }
    }

    fileprivate var hasClosures: Bool {
        switch self {
        case .empty: false
        case .one(let predicate): !predicate.isConstant
        case .several(let predicates): predicates.contains { !$0.isConstant }
        }
    }

    fileprivate func computed(_ db: Database) throws -> Self {
        Chain(try map { try $0.computed(db) })
    }
}

extension Deferred {
    fileprivate func computed(_ db: Database) throws -> Self {
        if isConstant { return self }
        do {
            return Deferred(try resolve(db))
        } catch let error where error.isRepeatable {
            return self
        }
    }
}

extension SQLShape {
    fileprivate mutating func append(_ selection: [SQLSelection]) throws {
        try append(selection) { try $0.append($1) }
    }

    /// Adds a value that a closure may compute.
    fileprivate mutating func append<Value>(
        computed value: Deferred<Value>, _ describe: (inout SQLShape, Value) throws -> Void
    ) throws {
        if let constant = value.constant { return try describe(&self, constant) }
        addComputedPart()
        guard let database else { return refuse() }
        try describe(&self, try value.resolve(database))
    }
}

extension Relation.Clauses {
    /// The clauses that exist, a bit for each, and the number of conditions on groups.
    private var existing: Int {
        var clauses = havings.count << 16
        if !aliases.isEmpty { clauses |= 1 }
        if !groups.isConstantlyEmpty { clauses |= 2 }
        if let usesAggregates { clauses |= usesAggregates ? 4 : 8 }
        if !windows.isEmpty { clauses |= 16 }
        if ordering.terms != nil { clauses |= 32 }
        if ordering.isReversed { clauses |= 64 }
        if ordering.isStable { clauses |= 128 }
        if !absentTables.isEmpty { clauses |= 256 }
        if !commonTables.isEmpty { clauses |= 512 }
        if !joins.isEmpty { clauses |= 1_024 }
        if !prefetches.isEmpty { clauses |= 2_048 }
        return clauses
    }

    fileprivate func describe(to shape: inout SQLShape) throws {
        if misuse != nil { return shape.refuse() }
        shape.append(existing)
        if !aliases.isEmpty { shape.append(aliases) { $1.describe(to: &$0) } }
        if !groups.isConstantlyEmpty { try shape.append(computed: groups) { try $0.append($1) } }
        try havings.describe(to: &shape)
        if !windows.isEmpty {
            try shape.append(windows) { shape, window in
                shape.append(window.name)
                try window.definition.describe(to: &shape)
            }
        }
        if let terms = ordering.terms {
            try shape.append(computed: terms) { shape, terms in try shape.append(terms) { try $0.append($1) } }
        }
        if !absentTables.isEmpty {
            // If the query uses one of their columns, it is an error, and not kept.
            shape.append(absentTables) { $0.append($1.name) }
        }
        if !commonTables.isEmpty { try shape.append(commonTables) { try $1.describe(to: &$0) } }
        if !joins.isEmpty { try shape.append(joins) { try $1.describe(to: &$0) } }
        if !prefetches.isEmpty {
            // Their rows are fetched by other queries, which need the columns of their keys.
            try shape.append(prefetches) { shape, prefetch in
                let condition = prefetch.path.steps[0].condition
                shape.append(prefetch.key)
                shape.append(condition.kindNumber)
                try condition.describe(to: &shape)
            }
        }
    }
}

extension Join {
    fileprivate func describe(to shape: inout SQLShape) throws {
        let flags = (isRequired ? 1 : 0) | (isIncluded ? 2 : 0) | (leadsToIncluded ? 4 : 0) | (cardinality == .toOne ? 8 : 0)
        shape.append(condition.kindNumber << 4 | flags)
        shape.append(key)
        try condition.describe(to: &shape)
        try relation.describe(to: &shape)
    }
}

extension HiddenKey {
    func describe(to shape: inout SQLShape) throws {
        switch self {
        // The description of the relation, whose filters begin with the condition on these columns, determines them.
        case .joined: break
        case .ordered(let columns): try shape.append(columns)
        }
    }

    /// A number that differs for each kind, and is described by callers.
    var kindNumber: Int {
        switch self {
        case .joined: 1
        case .ordered: 2
        }
    }
}

extension JoinCondition {
    /// A number that differs for each kind, and is described by callers.
    fileprivate var kindNumber: Int {
        switch self {
        case .foreignKey(_, let originIsLeft): originIsLeft ? 0 : 1
        case .closure: 2
        case .expression: 3
        }
    }

    fileprivate func describe(to shape: inout SQLShape) throws {
        switch self {
        case .foreignKey(let request, _): shape.append(request.words)
        case .closure(nil): break
        // The closure of a subquery, which can return something else to the writer.
        case .closure(_?): shape.refuse()
        case .expression(let condition):
            condition.left.describe(to: &shape)
            condition.right.describe(to: &shape)
            try shape.append(condition.expression)
        }
    }
}

extension AssociationPath {
    func describe(to shape: inout SQLShape) throws {
        try shape.append(steps) { shape, step in
            // No SQL depends on its key.
            shape.append(step.condition.kindNumber << 1 | (step.cardinality == .toOne ? 1 : 0))
            try step.condition.describe(to: &shape)
            try step.relation.describe(to: &shape)
        }
    }
}

extension CommonTable {
    fileprivate func describe(to shape: inout SQLShape) throws {
        shape.append(name)
        shape.append(columns) { $0.append($1) }
        shape.append(isRecursive)
        try query.describe(to: &shape)
    }
}

/// The query of a relation, as a subquery.
struct RelationQuery: SQLDescribedNode {
    let relation: Relation

    var precedence: SQLPrecedence { .unknown }

    func render(to renderer: inout SQLRenderer) throws { try relation.render(to: &renderer) }
    func describe(to shape: inout SQLShape) throws { try relation.describe(to: &shape) }
}
