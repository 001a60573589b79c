import RowDecoding

/// What an aggregate of an association computes from the associated rows.
enum AssociationFunction: Sendable {
    case exists(isNegated: Bool)
    case count
    case function(String, SQLExpression)

    /// Writes a subquery on the rows of an association, correlated with a row of the outer query.
    ///
    /// - Throws: ``DatabaseError`` when there is no outer query.
    func write(_ path: AssociationPath, to renderer: inout SQLRenderer) throws {
        guard let origin = renderer.scope.table else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "an association aggregate is used outside a request", sql: renderer.sql)
        }
        let outer = TableAlias<Void>(table: origin)
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
        try renderer.append(in: renderer.scope.reservingTableName) { try write(relation, to: &$0) }
    }

    private func write(_ relation: Relation, to renderer: inout SQLRenderer) throws {
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
            renderer.append("(")
            // Joins can find a row several times: count it once.
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
                    guard let column = key.first else {
                        renderer.append("count(*)")
                        return
                    }
                    renderer.append("count(DISTINCT ")
                    renderer.append(column: column)
                    renderer.append(")")
                }
            }
            renderer.append(")")
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
}
