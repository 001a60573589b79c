import RowDecoding

extension Relation {
    /// Deletes the rows of the relation, and returns their number.
    func delete(_ db: Database) throws -> Int {
        try deleteStatement(db, returning: countedSelection(db)).countingChanges()
    }

    /// Updates the rows of the relation, and returns their number.
    func update(
        _ db: Database, _ assignments: [ColumnAssignment], onConflict conflictResolution: Database.ConflictResolution?
    ) throws -> Int {
        try updateStatement(db, assignments, onConflict: conflictResolution, returning: countedSelection(db)).countingChanges()
    }

    /// Returns the selection of a RETURNING clause that counts the changed rows of a view, for which SQLite does not count them.
    private func countedSelection(_ db: Database) throws -> [SQLSelection]? {
        guard case .table(let name) = source, try TableReference(name, in: db).isView(db) else { return nil }
        return [SQL("1").sqlSelection]
    }

    /// Returns a statement that deletes the rows of the relation.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - returned: the selection of the RETURNING clause, or nil for none.
    func deleteStatement(_ db: Database, returning returned: [SQLSelection]? = nil) throws -> Statement {
        try changeStatement(db, returning: returned) { renderer, table in
            renderer.append("DELETE FROM ")
            table(&renderer)
        }
    }

    /// Returns a statement that updates the rows of the relation.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - assignments: the assignments, at least one.
    ///   - conflictResolution: how to treat rows that violate a constraint; nil means the record type's policy.
    ///   - returned: the selection of the RETURNING clause, or nil for none.
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
        let query = try ResolvedQuery(relation, db)
        return try db.cachedStatement { renderer in
            try query.renderChange(to: &renderer, action: action, returning: returned)
        }
    }

    /// Returns a relation of the same rows that has only a WHERE clause: stock SQLite does not support joins, groups and limits in UPDATE
    /// and DELETE.
    private func changeable(_ db: Database) throws -> Relation {
        guard case .table(let name) = source else {
            throw DatabaseError.misuse(
                "the rows of the common table expression \(source.name) can't be changed: they do not belong to a table")
        }
        let groups = try self.groups.resolve(db)
        guard !isDistinct, groups.isEmpty ? self.havings.isEmpty : try groupsContainKey(groups, name, db) else {
            throw DatabaseError.misuse(
                "the rows of a grouped or distinct request of \(name) can't be changed: they are not the rows of the table",
                advice: "Group by the primary key, or use a filter.")
        }
        if self.joins.isEmpty, limit == nil, groups.isEmpty, try !filtersByAliases(db) { return self }
        return try pickedByKey(name, db)
    }

    /// Returns whether a condition on rows may refer to a selected expression by its alias, which UPDATE and DELETE don't have.
    private func filtersByAliases(_ db: Database) throws -> Bool {
        guard !filters.isEmpty, try selection.resolve(db).contains(where: { $0.name != nil }) else { return false }
        return try ResolvedQuery(self, db).filtersByAliases()
    }

    /// Returns whether each group contains one row of the table, with the rows joined to it: the groups contain the primary key.
    private func groupsContainKey(_ groups: [SQLExpression], _ name: String, _ db: Database) throws -> Bool {
        guard let key = try TableReference(name, in: db).knownPrimaryKey(db) else { return false }
        let columns = try groups.compactMap { expression -> String? in
            guard case .qualified(let alias, let content)? = expression.node?.kind else {
                return try joinedRelation(of: expression.columnTable, db) == nil ? expression.columnName : nil
            }
            return self.aliases.contains(alias) ? content.columnName : nil
        }
        func contains(_ name: String) -> Bool { columns.contains { $0.isEqualIgnoringASCIICase(to: name) } }
        return key.columns.allSatisfy(contains) || key.rowIDName.map(contains) == true || (key.tableHasRowID && contains("rowid"))
    }

    /// Returns a relation that selects its rows by their keys, with a subquery: `WHERE "id" IN (SELECT "id" FROM …)`.
    private func pickedByKey(_ name: String, _ db: Database) throws -> Relation {
        guard let key = try TableReference(name, in: db).knownPrimaryKey(db), key.tableHasRowID || !key.isRowID else {
            throw DatabaseError.misuse(
                "the rows of the view \(name) can't be changed by a request with a limit or a join: a view has no primary key")
        }
        // Prefer the row ID: the primary key of a table with row IDs can contain NULL.
        let columns = key.rowIDName.map { [$0] } ?? key.columns
        var inner = self
        inner.prefetches = []
        var outer = Relation(source: source, recordType: recordType, selection: selection)
        outer.commonTables = allCommonTables
        outer.absentTables = joinedTableNames.map {
            AbsentTable(name: $0, reason: "a change finds its rows by their keys, without the joined tables")
        }
        outer.filters.append(Deferred(SQLExpression(.picked(columns: columns, by: inner.withoutCommonTables()))))
        return outer
    }

    /// The names of the joined tables.
    var joinedTableNames: [String] { self.joins.flatMap { [$0.relation.source.name] + $0.relation.joinedTableNames } }
}

extension SQLRenderer {
    /// Writes a condition on the rows that a relation selects.
    ///
    /// - Parameters:
    ///   - relation: a relation of the same table.
    ///   - columns: the columns of the table's key.
    mutating func append(keyOf relation: Relation, _ columns: [String]) throws {
        if columns.count > 1 { append("(") }
        append(columns: columns)
        if columns.count > 1 { append(")") }
        append(" IN (")
        try append(in: scope.withoutTable) { try ResolvedQuery(relation, $0.database, in: $0).render(key: columns, to: &$0) }
        append(")")
    }
}
