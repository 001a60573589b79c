import RowDecoding

/// An aggregate of the rows of an association.
struct AggregatedAssociation: Sendable {
    // Described: see "Kept plans" in CONTRIBUTING.md before you add a property.
    let path: AssociationPath
    let function: AssociationFunction

    /// The type of the rows that have the association.
    let origin: Any.Type

    /// The alias of the value in a selection, or nil to select it without one.
    var key: String?

    /// The opposite condition, or nil if the aggregate is not a condition.
    var negation: AggregatedAssociation? {
        guard case .exists(let isNegated) = function else { return nil }
        return AggregatedAssociation(path: path, function: .exists(isNegated: !isNegated), origin: origin)
    }

    /// Writes a subquery on the rows of the association, correlated with a row of the outer query.
    ///
    /// - Throws: ``DatabaseError`` when there is no outer query, or when its rows don't have the association.
    func write(to renderer: inout SQLRenderer) throws {
        guard let table = renderer.scope.table else {
            throw DatabaseError.misuse("an association aggregate is used outside a request", sql: renderer.sql)
        }
        try checkRows(of: table, in: renderer)
        if path.steps.contains(where: { $0.relation.limit != nil }) {
            throw DatabaseError.misuse(
                "an aggregate of the association \(path.key(for: .toMany)) can't have a limit", sql: renderer.sql,
                advice: "Fetch the association with including(all:), or aggregate it without the limit.")
        }
        let outer = TableAlias<Void>(table: table)
        // An alias qualifies the columns of the association's table, in case both tables have columns of the same name.
        let alias = TableAlias()
        var path = path
        path.steps[0].relation.aliases.append(alias)
        // Groups would split the aggregate into several values.
        path.destination.usesAggregates = false
        let relation = path.seenFromDestination { pairs in
            let equalities = pairs.map { alias[Column($0.right)] == outer[Column($0.left)] }
            return equalities.dropFirst().reduce(equalities[0]) { $0 && $1 }
        }
        try renderer.append(in: renderer.scope.reservingTableName) { try function.write(relation, to: &$0) }
    }

    /// Checks that the rows of a table of the outer query have the association: the association belongs to the table, or to its record
    /// type. The rows of a view or of a common table expression without a record type can be rows of any table.
    private func checkRows(of table: any SQLScopeTable, in renderer: SQLRenderer) throws {
        guard let required = path.steps[0].condition.leftTable else { return }
        let db = renderer.database
        let reference = try TableReference(table.databaseTableName, in: db)
        if try SchemaName(reference.name) == SchemaName(TableReference(required, in: db).name) { return }
        let recordType = table.recordType
        if recordType == origin, origin != Row.self { return }
        guard try recordType is any TableRecord.Type || db.tableExists(reference.name, in: reference.schema) else { return }
        throw DatabaseError.misuse(
            "an aggregate of the association \(path.key(for: .toMany)) of \(required) is used for rows of \(reference.name), "
                + "which don't have it", sql: renderer.sql,
            advice: "Use the aggregate in a request of \(required), or join \(required) and give the aggregate the "
                + "alias of that table, as in alias[aggregate].")
    }
}

/// The function that an aggregate computes over the associated rows.
enum AssociationFunction: Sendable {
    case exists(isNegated: Bool)
    case count
    case function(String, SQLExpression)

    var precedence: SQLPrecedence {
        if case .exists(isNegated: true) = self { .not } else { .primary }
    }

    /// Writes a subquery on the associated rows.
    fileprivate func write(_ relation: Relation, to renderer: inout SQLRenderer) throws {
        let query = try ResolvedQuery(relation, renderer.database, in: renderer)
        switch self {
        case .exists(let isNegated):
            renderer.append(isNegated ? "NOT EXISTS (" : "EXISTS (")
            try query.render(to: &renderer, isOrdered: false) { $0.append("1") }
            renderer.append(")")
        case .count where relation.isDistinct || !relation.groups.isConstantlyEmpty:
            renderer.append(query: "(SELECT count(*) FROM (")
            try query.render(to: &renderer)
            renderer.append("))")
        case .count:
            try renderer.parenthesize { try Self.writeCount(of: query, to: &$0) }
        case .function(let name, let expression):
            renderer.append("(")
            try query.render(to: &renderer, isOrdered: false) { renderer in
                renderer.append("\(name)(")
                try renderer.append(expression)
                renderer.append(")")
            }
            renderer.append(")")
        }
    }

    /// Writes a query that counts rows. Joins can find a row several times: it is counted once.
    private static func writeCount(of query: ResolvedQuery, to renderer: inout SQLRenderer) throws {
        let key = query.root.rowsAreRepeated ? try query.root.identifyingColumns(renderer.database) : []
        if key.count > 1 {
            renderer.append(query: "SELECT count(*) FROM (")
            try query.render(to: &renderer, isOrdered: false) { renderer in
                renderer.append("DISTINCT ")
                renderer.append(columns: key)
            }
            renderer.append(")")
        } else {
            try query.render(to: &renderer, isOrdered: false) { renderer in
                guard let column = key.first else { return renderer.append("count(*)") }
                renderer.append("count(DISTINCT ")
                renderer.append(column: column)
                renderer.append(")")
            }
        }
    }
}
