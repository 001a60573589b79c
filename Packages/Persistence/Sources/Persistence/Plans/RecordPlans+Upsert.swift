import QueryInterface

extension RecordPlans {
    /// Renders the ON CONFLICT clause of an upsert.
    func render(
        _ upsert: WriteDetails.Upsert, _ container: PersistenceContainer, isFetching: Bool, to renderer: inout SQLRenderer
    ) throws {
        let table = try resolvedTable(renderer.database)
        let generated = try generatedColumns(renderer.database)
        let columns = container.map(\.0).filter { name in !generated.contains { $0.isEqualIgnoringASCIICase(to: name) } }
        // SQLite accepts no ON CONFLICT clause after DEFAULT VALUES.
        guard let first = columns.first else { return }
        if isFetching, upsert.isConditional, upsert.target.isEmpty {
            throw DatabaseError.misuse(
                "a row of \(table.name) that an upsert leaves unchanged can't be fetched without its key",
                advice: "Pass the columns of the key as onConflict.")
        }
        renderer.append(" ON CONFLICT")
        if !upsert.target.isEmpty {
            renderer.append("(\(upsert.target.map(\.quotedDatabaseIdentifier).joined(separator: ", ")))")
            if let condition = try UniqueKey(upsert.target, of: table, renderer.database).condition(renderer.database) {
                renderer.append(" WHERE \(condition)")
            }
        }
        for assignment in upsert.assignments { try assignment.checkColumn(in: renderer) }
        let assignments = upsert.assignments.filter { $0.value != nil }
        let overwritten = try overwrittenColumns(upsert, columns, table, renderer.database)
        if assignments.isEmpty, overwritten.isEmpty, upsert.strategy.isForChanges { return renderer.append(" DO NOTHING") }
        renderer.append(" DO UPDATE SET ")
        if assignments.isEmpty, overwritten.isEmpty {
            // Nothing changes, but RETURNING needs an update to return the row.
            let column = first.quotedDatabaseIdentifier
            renderer.append("\(column) = \(column)")
        }
        try renderer.append(assignments, separator: ", ") { try $1.render(to: &$0) }
        if !assignments.isEmpty, !overwritten.isEmpty { renderer.append(", ") }
        renderer.append(overwritten, separator: ", ") { renderer, name in
            let column = name.quotedDatabaseIdentifier
            renderer.append("\(column) = \"excluded\".\(column)")
        }
        try renderCondition(upsert, assignments, overwritten, to: &renderer)
    }

    /// Returns the columns that take the values of the record.
    private func overwrittenColumns(
        _ upsert: WriteDetails.Upsert, _ columns: [String], _ table: TableReference, _ db: Database
    ) throws -> [String] {
        let assigned = Set(upsert.assignments.map { SchemaName($0.columnName) })
        guard let only = upsert.strategy.columns else {
            let settled = try Set((table.primaryKey(db).columns + upsert.target).map(SchemaName.init)).union(assigned)
            return columns.filter { !settled.contains(SchemaName($0)) }
        }
        if let missing = only.subtracting(columns.map(SchemaName.init)).map(\.text).sorted().first {
            throw DatabaseError.misuse("an upsert into \(table.name) updates the column \(missing), which the record lacks")
        }
        return columns.filter { only.contains(SchemaName($0)) && !assigned.contains(SchemaName($0)) }
    }

    private func renderCondition(
        _ upsert: WriteDetails.Upsert, _ assignments: [ColumnAssignment], _ overwritten: [String], to renderer: inout SQLRenderer
    ) throws {
        guard upsert.isConditional else { return }
        renderer.append(" WHERE ")
        if let condition = upsert.condition { try renderer.parenthesize { try $0.append(condition) } }
        guard upsert.strategy.isForChanges else { return }
        if upsert.condition != nil { renderer.append(" AND (") }
        try renderer.append(assignments, separator: " OR ") { try $1.renderChange(to: &$0) }
        if !assignments.isEmpty, !overwritten.isEmpty { renderer.append(" OR ") }
        renderer.append(overwritten, separator: " OR ") { renderer, name in
            let column = name.quotedDatabaseIdentifier
            renderer.append("\(column) COLLATE BINARY IS NOT \"excluded\".\(column)")
        }
        if upsert.condition != nil { renderer.append(")") }
    }

    // MARK: - The outcome

    /// Runs an upsert, and notes in the details whether it has inserted or updated the row.
    ///
    /// SQLite reports that a row was written, but not how. Only an insertion changes the connection's last row ID, so it is set beforehand
    /// to a row ID that the record does not get. Tables without row IDs, and engines that run the statement elsewhere, need a query.
    @inline(never)
    func writeNotingOutcome(
        _ container: PersistenceContainer, _ plan: RecordPlan, _ details: WriteDetails, _ db: Database
    ) throws -> (rowID: Int64?, isWritten: Bool) {
        let previous = db.lastInsertedRowID
        let name = plan.rowIDName.alias ?? plan.rowIDColumn
        // SQLite never assigns the smallest row ID on its own.
        let isSmallest = name.flatMap { container.contents.index(of: $0) }.map { container[$0].1 == Int64.min.databaseValue } ?? false
        let otherRowID = isSmallest ? 0 : Int64.min
        guard plan.hasRowID, db.setLastInsertedRowID(otherRowID) else {
            let primaryKey = try resolvedTable(db).primaryKey(db)
            let key = primaryKey.rowIDName.map { [$0] } ?? primaryKey.columns
            let existing = try conflictingRow(container, details, selecting: key.map { Column($0).sqlSelection }, db).row?.databaseValues
            let outcome = try write(container, plan, details, db)
            let written = outcome.rowID.map { [$0.databaseValue] } ?? details.result?.row.map { Array($0.databaseValues) } ?? []
            let isInserted = try existing.map { try areDifferentRows(key, Array($0), written, db) } ?? true
            details.outcome = outcome.isWritten ? (isInserted ? .inserted : .updated) : .unchanged
            return outcome
        }
        var isInserted = false
        defer { if !isInserted { _ = db.setLastInsertedRowID(previous) } }
        let outcome = try write(container, plan, details, db)
        isInserted = outcome.isWritten && db.lastInsertedRowID != otherRowID
        details.outcome = outcome.isWritten ? (isInserted ? .inserted : .updated) : .unchanged
        return outcome
    }

    /// Returns whether the row that existed before an upsert still exists, beside the written row.
    ///
    /// A new row that is not in the partial index of the conflict target does not conflict with the row in the index.
    private func areDifferentRows(_ key: [String], _ existing: [DatabaseValue], _ written: [DatabaseValue], _ db: Database) throws -> Bool {
        if existing == written || written.isEmpty { return false }
        // The update may have changed the key, or written an equal one.
        let condition = key.map { "\($0.quotedDatabaseIdentifier) = ?" }.joined(separator: " AND ")
        let count = try Int.fetchOne(
            db, sql: "SELECT count(*) FROM \(resolvedTable(db).sql) WHERE \(condition) OR \(condition)",
            arguments: StatementArguments(existing + written))
        return count == 2
    }

    /// Selects the row that conflicts with a record.
    func conflictingRow(
        _ container: PersistenceContainer, _ details: WriteDetails, selecting selection: [SQLSelection], _ db: Database
    ) throws -> WriteDetails.Result {
        let table = try resolvedTable(db)
        let key = try UniqueKey(details.upsert?.target ?? [], of: table, db)
        var renderer = try renderer(db)
        renderer.append("SELECT ")
        try renderer.append(selection, separator: ", ") { try $0.append($1) }
        renderer.append(" FROM \(table.sql) WHERE ")
        try renderer.append(key.columns(db), separator: " AND ") { renderer, column in
            guard let index = container.contents.index(of: column.name) else {
                throw DatabaseError.misuse(
                    "an upsert into \(table.name) needs the value of the column \(column.name), which the record lacks")
            }
            renderer.append(identifier: column.name)
            renderer.append(" = ")
            renderer.append(argument: container[index].1)
            if let collation = column.collation { renderer.append(" COLLATE \(collation.quotedDatabaseIdentifier)") }
        }
        if let condition = try key.condition(db) { renderer.append(" AND (\(condition))") }
        let statement = try db.reusedStatement(sql: renderer.sql)
        try statement.setArguments(renderer.arguments)
        return WriteDetails.Result(columnNames: statement.columnNames, row: try Row.fetchAll(statement).first)
    }
}
