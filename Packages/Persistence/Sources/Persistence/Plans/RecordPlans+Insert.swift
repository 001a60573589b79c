import QueryInterface

extension RecordPlans {
    /// Inserts a record, or upserts it.
    ///
    /// - Parameter details: nil for a plain insertion.
    /// - Returns: whether a row was inserted or updated: `INSERT OR IGNORE`, or a trigger, may leave it out.
    @inlinable
    func insert<Record: EncodableRecord>(
        _ record: Record, _ db: Database, _ resolution: Database.ConflictResolution, _ details: WriteDetails?
    ) throws -> (success: InsertionSuccess, isInserted: Bool) {
        let known = details == nil ? try current(state.pointee.insertion, resolution, db) : try known(details, resolution, db)
        return try takingBack(encode(record, for: known)) { container in
            if let details { return try insert(container, db, resolution, details, known) }
            return try insert(container, db, resolution, known)
        }
    }

    /// Inserts a record that was encoded.
    ///
    /// - Parameter known: the plan that it was encoded for.
    @usableFromInline
    func insert(
        _ container: PersistenceContainer, _ db: Database, _ resolution: Database.ConflictResolution, _ known: RecordPlan?
    ) throws -> (success: InsertionSuccess, isInserted: Bool) {
        guard known.fits(container.contents, resolution) else { return try insertByNewPlan(container, db, resolution) }
        return try insert(container, db, resolution, by: known.unsafelyUnwrapped)
    }

    @inline(never)
    private func insertByNewPlan(
        _ container: PersistenceContainer, _ db: Database, _ resolution: Database.ConflictResolution
    ) throws -> (success: InsertionSuccess, isInserted: Bool) {
        try insert(container, db, resolution, by: makeInsertionPlan(db, container, resolution))
    }

    @inline(__always)
    private func insert(
        _ container: PersistenceContainer, _ db: Database, _ resolution: Database.ConflictResolution, by plan: RecordPlan
    ) throws -> (success: InsertionSuccess, isInserted: Bool) {
        let isInserted = try plan.run(container.contents, in: db)
        if !isInserted { return (notInserted(plan, container), false) }
        if plan.statement.repreparationCount != plan.repreparationCount {
            return (try insertedInNewSchema(container, db, resolution), true)
        }
        return (inserted(plan, container, db.lastInsertedRowID), true)
    }

    /// The schema has changed since the plan was made. The statement names its columns, and was right all the same; what the plan
    /// says of the row ID may not be.
    @inline(never)
    private func insertedInNewSchema(
        _ container: PersistenceContainer, _ db: Database, _ resolution: Database.ConflictResolution
    ) throws -> InsertionSuccess {
        let plan = try makeInsertionPlan(db, container, resolution)
        // It may be the same plan: SQLite also compiles statements again when a function is added, for one.
        plan.repreparationCount = plan.statement.repreparationCount
        return inserted(plan, container, db.lastInsertedRowID)
    }

    @inline(__always)
    private func inserted(_ plan: RecordPlan, _ container: PersistenceContainer, _ rowID: Int64) -> InsertionSuccess {
        InsertionSuccess(
            WrittenRecord(
                container: container, rowID: plan.hasRowID ? rowID : 0, rowIDColumn: plan.rowIDColumn, rowIDName: plan.rowIDName))
    }

    /// For `aroundInsert`, which is called for rows that are left out, too: SQLite's last row ID is that of another row.
    @inline(never)
    private func notInserted(_ plan: RecordPlan, _ container: PersistenceContainer) -> InsertionSuccess {
        InsertionSuccess(WrittenRecord(container: container, rowIDColumn: plan.rowIDColumn))
    }

    /// The plan that a record with details is encoded for, if there is one already.
    @usableFromInline
    func known(
        _ details: WriteDetails?, _ resolution: Database.ConflictResolution, _ db: Database
    ) throws -> RecordPlan? {
        let plan = details?.plan(of: self) ?? (details?.isPlainUpsert == true ? state.pointee.upsert : nil)
        return try current(plan, resolution, db)
    }

    /// Writes a record that was encoded, and reads back what the details ask for.
    @inline(never)
    @usableFromInline
    func insert(
        _ container: PersistenceContainer, _ db: Database, _ resolution: Database.ConflictResolution, _ details: WriteDetails,
        _ known: RecordPlan?
    ) throws -> (success: InsertionSuccess, isInserted: Bool) {
        let plan: RecordPlan
        if let known, known.fits(container.contents, resolution) {
            plan = known
        } else {
            plan = try makeDetailedInsertionPlan(db, container, resolution, details)
        }
        let outcome = try write(container, plan, details, db)
        if !outcome.isWritten { return (notInserted(plan, container), false) }
        return (inserted(plan, container, outcome.rowID ?? db.lastInsertedRowID), true)
    }

    // MARK: - Statements

    private func makeInsertionPlan(
        _ db: Database, _ container: PersistenceContainer, _ resolution: Database.ConflictResolution
    ) throws -> RecordPlan {
        let plan = try makeInsertionPlan(db, container, resolution, clauses: "", RowReading())
        state.pointee.insertion = plan
        return plan
    }

    private func makeDetailedInsertionPlan(
        _ db: Database, _ container: PersistenceContainer, _ resolution: Database.ConflictResolution, _ details: WriteDetails
    ) throws -> RecordPlan {
        var renderer = renderer(db)
        if let upsert = details.upsert {
            try render(upsert, container, to: &renderer)
        }
        let reading = try renderReturning(details, to: &renderer)
        details.arguments = renderer.arguments
        let plan = try makeInsertionPlan(db, container, resolution, clauses: renderer.sql, reading)
        details.setPlan(plan, of: self)
        if details.isPlainUpsert { state.pointee.upsert = plan }
        return plan
    }

    private func makeInsertionPlan(
        _ db: Database, _ container: PersistenceContainer, _ resolution: Database.ConflictResolution, clauses: String,
        _ reading: RowReading
    ) throws -> RecordPlan {
        let planKey = PlanKey(
            operation: .insert, resolution: resolution, clauses: clauses, reading: reading, shape: container.contents.state.pointee.shape)
        if let plan = try cached(planKey, for: container, db) { return plan }
        let generation = try db.schemaGeneration()
        let table = try resolvedTable(db)
        // Columns that SQLite computes can be read, and so are often encoded, too; but they can't be written.
        let generated = table.generatedColumns
        var parameters: [CInt] = []
        var columns: [String] = []
        for (name, _) in container {
            if generated.contains(where: { $0._isEqualIgnoringASCIICase(to: name) }) {
                parameters.append(0)
            } else {
                columns.append(name.quotedDatabaseIdentifier)
                parameters.append(CInt(columns.count))
            }
        }
        let verb = resolution == .abort ? "INSERT" : "INSERT OR \(resolution.rawValue)"
        let values =
            columns.isEmpty
            ? "DEFAULT VALUES"
            : "(\(columns.joined(separator: ", "))) VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))"
        let statement = try db.makeStatement(sql: "\(verb) INTO \(table.sql) \(values)\(clauses)")
        container.contents.state.pointee.isBound = false
        let key = try table.primaryKey(db)
        let plan = RecordPlan(
            shape: planKey.shape, statement: statement, resolution: resolution, generation: generation,
            rowIDColumn: key.rowIDColumn, rowIDName: try rowIDName(in: container, table, db), isView: try table.isView(db),
            hasRowID: key.tableHasRowID, parameters: parameters, reading: reading)
        state.pointee.plans[planKey] = plan
        return plan
    }

    /// The name by which a record calls the row ID, or that of the column for a record that does not encode it.
    private func rowIDName(in container: PersistenceContainer, _ table: RecordTable, _ db: Database) throws -> RowIDName {
        let key = try table.primaryKey(db)
        guard key.tableHasRowID else { return .none }
        if let column = key.rowIDColumn, container.contents.index(of: column) != nil { return .column }
        // SQLite's own names for it, of which a table may have ordinary columns.
        let columns = try table.columnNames(db)
        let alias = RowIDName.aliases.first { rowIDName in
            guard let name = rowIDName.alias, container.contents.index(of: name) != nil else { return false }
            return !columns.contains { $0._isEqualIgnoringASCIICase(to: name) }
        }
        return alias ?? (key.rowIDColumn == nil ? .none : .column)
    }

    /// Writes the clause of an upsert.
    private func render(
        _ upsert: WriteDetails.Upsert, _ container: PersistenceContainer, to renderer: inout SQLRenderer
    ) throws {
        // The type of an object may be another one than that of the variable, by which the alias was made.
        renderer.aliasRecordTypes[ObjectIdentifier(upsert.excluded)] = state.pointee.recordType
        let table = try resolvedTable(renderer.database)
        let generated = table.generatedColumns
        let columns = container.map(\.0).filter { name in !generated.contains { $0._isEqualIgnoringASCIICase(to: name) } }
        // SQLite takes no such clause after DEFAULT VALUES.
        guard let first = columns.first else { return }
        renderer.setSource(table)
        renderer.append(" ON CONFLICT")
        if !upsert.target.isEmpty {
            renderer.append("(\(upsert.target.map(\.quotedDatabaseIdentifier).joined(separator: ", ")))")
        }
        renderer.append(" DO UPDATE SET ")
        let assignments = upsert.assignments.filter { $0.value != nil }
        let settled = try table.primaryKey(renderer.database).columns + upsert.target + upsert.assignments.map(\.columnName)
        let overwritten = columns.filter { name in !settled.contains { $0._isEqualIgnoringASCIICase(to: name) } }
        if assignments.isEmpty, overwritten.isEmpty {
            // There is nothing to change, but only an update returns the row.
            let column = first.quotedDatabaseIdentifier
            return renderer.append("\(column) = \(column)")
        }
        try renderer.append(assignments, separator: ", ") { try $1.render(to: &$0) }
        if !assignments.isEmpty, !overwritten.isEmpty { renderer.append(", ") }
        renderer.append(overwritten, separator: ", ") { renderer, name in
            let column = name.quotedDatabaseIdentifier
            renderer.append("\(column) = \"excluded\".\(column)")
        }
    }
}
