import QueryInterface

extension RecordPlans {
    /// Inserts a record.
    ///
    /// - Returns: whether a row was inserted: `INSERT OR IGNORE` may leave it out.
    @inlinable
    func insert<Record: EncodableRecord>(
        _ record: Record, _ db: Database, _ resolution: Database.ConflictResolution
    ) throws -> (success: InsertionSuccess, isInserted: Bool) {
        let plan = try current(state.pointee.insertion, resolution, db)
        let container = try encode(record, for: plan)
        defer { giveBack(container) }
        if let plan, plan.fits(container.contents, resolution) {
            try plan.run(container.contents)
            if !plan.statement.columnsDidChange() {
                return inserted(db, plan, container)
            }
            // The schema has changed since the plan was made. The statement names its columns, and was right all the same;
            // what the plan says of the row id may not be.
            return inserted(db, try makeInsertionPlan(db, container, resolution), container)
        }
        let made = try makeInsertionPlan(db, container, resolution)
        try made.run(container.contents)
        return inserted(db, made, container)
    }

    @inlinable
    func inserted(
        _ db: Database, _ plan: RecordPlan, _ container: PersistenceContainer
    ) -> (success: InsertionSuccess, isInserted: Bool) {
        let success = InsertionSuccess(
            rowID: db.lastInsertedRowID, rowIDColumn: plan.rowIDColumn, persistenceContainer: container)
        return (success, plan.resolution != .ignore || db.changesCount > 0)
    }

    @inline(never)
    @usableFromInline
    func makeInsertionPlan(
        _ db: Database, _ container: PersistenceContainer, _ resolution: Database.ConflictResolution
    ) throws -> RecordPlan {
        let columns = container.map { $0.0.quotedDatabaseIdentifier }
        let verb = resolution == .abort ? "INSERT" : "INSERT OR \(resolution.rawValue)"
        let values =
            columns.isEmpty
            ? "DEFAULT VALUES"
            : "(\(columns.joined(separator: ", "))) VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))"
        let statement = try db.makeStatement(sql: "\(verb) INTO \(table.quotedDatabaseIdentifier) \(values)")
        _ = statement.columnsDidChange()
        container.contents.state.pointee.isBound = false
        let plan = RecordPlan(
            shape: container.contents.state.pointee.shape, statement: statement, resolution: resolution,
            generation: try db.schemaGeneration(), rowIDColumn: try db.primaryKey(table).rowIDColumn,
            parameters: columns.indices.map { CInt($0 + 1) })
        state.pointee.insertion = plan
        return plan
    }
}
