import RowDecoding

extension Relation {
    /// The statement that deletes the rows of the relation.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - returned: what is returned of each row, nothing when nil.
    func deleteStatement(_ db: Database, returning returned: [SQLSelection]? = nil) throws -> Statement {
        try changeStatement(db, returning: returned) { renderer, table in
            renderer.append("DELETE FROM ")
            table(&renderer)
        }
    }

    /// The statement that updates the rows of the relation.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - assignments: what is stored; not empty.
    ///   - conflictResolution: what happens to rows that violate a constraint; the record type's policy decides when nil.
    ///   - returned: what is returned of each row, nothing when nil.
    func updateStatement(
        _ db: Database, _ assignments: [ColumnAssignment], onConflict conflictResolution: Database.ConflictResolution?,
        returning returned: [SQLSelection]? = nil
    ) throws -> Statement {
        try changeStatement(db, returning: returned) { renderer, table in
            renderer.append("UPDATE ")
            let resolution = self.conflictResolution(conflictResolution)
            if resolution != .abort { renderer.append("OR \(resolution.rawValue) ") }
            table(&renderer)
            renderer.append(" SET ")
            try renderer.checkColumnCount(assignments.count, of: source.name)
            try renderer.append(assignments, separator: ", ") { try $1.render(to: &$0) }
        }
    }

    private func changeStatement(
        _ db: Database, returning returned: [SQLSelection]?,
        action: (inout SQLRenderer, (inout SQLRenderer) -> Void) throws -> Void
    ) throws -> Statement {
        let relation = try changeable(db)
        let query = try ResolvedQuery(relation, in: SQLRenderer(database: db))
        return try db.cachedStatement { renderer in
            try query.renderChange(to: &renderer, action: action)
            guard let returned else { return }
            renderer.append(" RETURNING ")
            renderer.sourceName = query.root.name
            renderer.sourceColumns = query.root.sourceColumns
            renderer.sourceRecordType = relation.recordType
            try renderer.append(returned, separator: ", ") { try $0.append($1) }
        }
    }

    /// The same rows by a relation whose conditions are all in its WHERE clause, which is all that stock SQLite takes.
    private func changeable(_ db: Database) throws -> Relation {
        guard case .table(let name) = source else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "the rows of the common table expression \(source.name) can't be changed: they belong to no table")
        }
        guard groups.isConstantlyEmpty, havings.isEmpty, !isDistinct else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "a request of \(name) with groups or without duplicates can't be changed: its rows are not those of the table")
        }
        return joins.isEmpty && limit == nil ? self : try pickedByKey(name, db)
    }

    /// The rows by their keys, which a subquery finds.
    private func pickedByKey(_ name: String, _ db: Database) throws -> Relation {
        let key = try TableReference(name, in: db).primaryKey(db)
        // The primary key of a table with row ids may be NULL, the row id is not.
        let columns = key.rowIDName.map { [$0] } ?? key.columns
        guard key.tableHasRowID || !key.isRowID else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "rows of the view \(name) can't be picked by a limit or a join: a view has no key")
        }
        var inner = self
        inner.prefetches = []
        inner.commonTables = []
        var outer = Relation(source: source, recordType: recordType, selection: selection)
        outer.commonTables = commonTables
        let picked = inner
        outer.filters.append(
            Deferred(
                SQLExpression(
                    KeySubqueryNode(columns: columns) { renderer in
                        let query = try ResolvedQuery(picked, in: renderer)
                        try query.render(to: &renderer, isOrdered: picked.limit != nil) { renderer in
                            try renderer.append(columns, separator: ", ") { try $0.append(Column($1).sqlExpression) }
                        }
                    })))
        return outer
    }
}

/// A key, of one column or several, that is one of those that a subquery finds.
private struct KeySubqueryNode: SQLExpressionNode {
    let columns: [String]
    let subquery: @Sendable (inout SQLRenderer) throws -> Void

    var precedence: SQLPrecedence { .equality }

    func render(to renderer: inout SQLRenderer) throws {
        if columns.count > 1 { renderer.append("(") }
        try renderer.append(columns, separator: ", ") { try $0.append(Column($1).sqlExpression) }
        if columns.count > 1 { renderer.append(")") }
        let qualifier = renderer.qualifier
        renderer.qualifier = nil
        renderer.append(" IN (")
        try subquery(&renderer)
        renderer.append(")")
        renderer.qualifier = qualifier
    }
}
