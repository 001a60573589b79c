import RowDecoding

// The description of a query in its shape: everything that its SQL, and the layout of its rows, depend on.

extension Relation {
    func describe(to shape: inout SQLShape) throws {
        switch source {
        case .table(let name):
            shape.append(false)
            shape.append(name)
        case .commonTable(let table):
            shape.append(true)
            try table.describe(to: &shape)
        }
        shape.append(recordType)
        // The other clauses that exist, in one word.
        shape.append((isDistinct ? 1 : 0) | (limit == nil ? 0 : 2) | (limit?.offset == nil ? 0 : 4) | (rareClauses == nil ? 0 : 8))
        try selection.describe(to: &shape)
        try filters.describe(to: &shape)
        if let limit {
            shape.append(limit.count)
            if let offset = limit.offset { shape.append(offset) }
        }
        if case .some(let clauses)? = rareClauses { try clauses.describe(to: &shape) }
    }

    /// Returns the relation with the results of its closures. Without closures, it is the relation itself. Groups stay as they are: an
    /// association whose groups a closure returns is grouped, even if there are none.
    func computed(_ db: Database) throws -> Relation {
        var relation = self
        relation.selection = try selection.computed(db)
        relation.filters = try filters.computed(db)
        guard rareClauses != nil else { return relation }
        relation.havings = try self.havings.computed(db)
        relation.ordering.terms = try self.ordering.terms.map { try $0.computed(db) }
        for index in self.joins.indices { relation.joins[index].relation = try self.joins[index].relation.computed(db) }
        return relation
    }
}

extension Relation.Selection {
    fileprivate func describe(to shape: inout SQLShape) throws {
        try shape.append(computed: base) { try $0.append($1) }
        shape.append(additions.count)
        if additions.isEmpty { return }
        for addition in additions { try shape.append(computed: addition) { try $0.append($1) } }
    }

    fileprivate func computed(_ db: Database) throws -> Self {
        var selection = Relation.Selection(try base.computed(db))
        for addition in additions { selection.add(try addition.computed(db)) }
        return selection
    }
}

extension Chain<Deferred<SQLExpression>> {
    fileprivate func describe(to shape: inout SQLShape) throws {
        shape.append(count)
        if let only { return try shape.append(computed: only) { try $0.append($1) } }
        for predicate in self { try shape.append(computed: predicate) { try $0.append($1) } }
    }

    fileprivate func computed(_ db: Database) throws -> Self {
        Chain(try map { try $0.computed(db) })
    }
}

extension Deferred {
    fileprivate func computed(_ db: Database) throws -> Self {
        constant == nil ? Deferred(try resolve(db)) : self
    }
}

extension SQLShape {
    fileprivate mutating func append(_ selection: [SQLSelection]) throws {
        append(selection.count)
        for item in selection { try append(item) }
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
    fileprivate func describe(to shape: inout SQLShape) throws {
        if misuse != nil { return shape.refuse() }
        shape.append(aliases) { $1.describe(to: &$0) }
        shape.append(groups.isConstantlyEmpty)
        try shape.append(computed: groups) { try $0.append($1) }
        try havings.describe(to: &shape)
        shape.append(usesAggregates.map { $0 ? 1 : 0 })
        try shape.append(windows) { shape, window in
            shape.append(window.name)
            try window.definition.describe(to: &shape)
        }
        try shape.append(ordering.terms) { shape, terms in
            try shape.append(computed: terms) { shape, terms in try shape.append(terms) { try $0.append($1) } }
        }
        shape.append(absentTables) { shape, table in
            shape.append(table.name)
            shape.append(table.reason)
        }
        shape.append(ordering.isReversed)
        shape.append(ordering.isStable)
        try shape.append(commonTables) { try $1.describe(to: &$0) }
        try shape.append(joins) { try $1.describe(to: &$0) }
        // Their rows are fetched by other queries, which need the columns of their keys.
        try shape.append(prefetches) { shape, prefetch in
            shape.append(prefetch.key)
            try prefetch.path.steps[0].condition.describe(to: &shape)
        }
    }
}

extension Join {
    fileprivate func describe(to shape: inout SQLShape) throws {
        shape.append(key)
        shape.append(isRequired)
        shape.append(isIncluded)
        shape.append(leadsToIncluded)
        shape.append(cardinality == .toOne)
        try condition.describe(to: &shape)
        try relation.describe(to: &shape)
    }
}

extension JoinCondition {
    fileprivate func describe(to shape: inout SQLShape) throws {
        switch self {
        case .foreignKey(let request, let originIsLeft):
            shape.append(0)
            shape.append(originIsLeft)
            shape.append(request.origin)
            shape.append(request.destination)
            shape.append(request.key == nil)
            guard let key = request.key else { return }
            shape.append(key.originColumns) { $0.append($1) }
            shape.append(key.destinationColumns == nil)
            shape.append(key.destinationColumns ?? []) { $0.append($1) }
        case .expression(nil): shape.append(1)
        case .expression(let predicate?):
            shape.append(2)
            let (left, right) = (TableAlias(), TableAlias())
            left.describe(to: &shape)
            right.describe(to: &shape)
            let count = shape.values.count
            try shape.append(predicate.expression(left: left, right: right))
            // The writer calls the closure again, and gets other objects for the values.
            if shape.values.count > count { shape.refuse() }
        }
    }
}

extension AssociationPath {
    func describe(to shape: inout SQLShape) throws {
        try shape.append(steps) { shape, step in
            shape.append(step.key.name(for: .toOne))
            shape.append(step.cardinality == .toOne)
            try step.condition.describe(to: &shape)
            try step.relation.describe(to: &shape)
        }
    }
}

extension CommonTable {
    fileprivate func describe(to shape: inout SQLShape) throws {
        shape.append(name)
        shape.append(columns ?? []) { $0.append($1) }
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
