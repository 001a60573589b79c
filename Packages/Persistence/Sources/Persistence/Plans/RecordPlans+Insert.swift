import QueryInterface

extension RecordPlans {
    /// Inserts what a container holds.
    ///
    /// - Returns: whether a row was inserted: `INSERT OR IGNORE` may leave it out.
    @inlinable
    func insert(
        _ db: Database, _ container: PersistenceContainer, _ resolution: Database.ConflictResolution
    ) throws -> (success: InsertionSuccess, isInserted: Bool) {
        let plan: InsertionPlan
        if let known = state.pointee.insertion, known.shape == container.contents.state.pointee.shape,
            known.resolution == resolution
        {
            plan = known
        } else {
            plan = try makeInsertionPlan(db, container, resolution)
        }
        try container.contents.bindAll(to: plan.statement)
        try plan.statement.run()
        if plan.statement.columnsDidChange() {
            // The schema has changed since the plan was made. The statement names its columns, and was right all the same;
            // what the plan says of the row id may not be.
            return try inserted(db, try makeInsertionPlan(db, container, resolution), container)
        }
        return try inserted(db, plan, container)
    }

    @inlinable
    func inserted(
        _ db: Database, _ plan: InsertionPlan, _ container: PersistenceContainer
    ) throws -> (success: InsertionSuccess, isInserted: Bool) {
        let success = InsertionSuccess(
            rowID: db.lastInsertedRowID, rowIDColumn: plan.rowIDColumn, persistenceContainer: container)
        return (success, plan.resolution != .ignore || db.changesCount > 0)
    }

    @inline(never)
    @usableFromInline
    func makeInsertionPlan(
        _ db: Database, _ container: PersistenceContainer, _ resolution: Database.ConflictResolution
    ) throws -> InsertionPlan {
        let columns = container.map { $0.0.quotedDatabaseIdentifier }
        let verb = resolution == .abort ? "INSERT" : "INSERT OR \(resolution.rawValue)"
        let values =
            columns.isEmpty
            ? "DEFAULT VALUES"
            : "(\(columns.joined(separator: ", "))) VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))"
        let sql = "\(verb) INTO \(table.quotedDatabaseIdentifier) \(values)"
        let statement = try db.cachedStatement(sql: sql)
        _ = statement.columnsDidChange()
        let plan = InsertionPlan(
            shape: container.contents.state.pointee.shape, statement: statement, resolution: resolution,
            rowIDColumn: try db.primaryKey(table).rowIDColumn)
        state.pointee.insertion = plan
        return plan
    }
}
