import QueryInterface

extension RecordPlans {
    /// Inserts or upserts a record.
    ///
    /// - Parameter details: nil for a plain insertion.
    /// - Returns: the success, which may be of a skipped row.
    @inlinable
    func insert<Record: EncodableRecord>(
        _ record: Record, _ db: Database, _ resolution: Database.ConflictResolution, _ details: WriteDetails?
    ) throws -> InsertionSuccess {
        if let details {
            let known = try known(details, resolution, db)
            return InsertionSuccess(try written(encode(record, for: known)) { try insertAndRead($0, db, resolution, details, known) })
        }
        let known = try current(state.pointee.insertion.take(), resolution, db)
        defer { putBack(known, in: &state.pointee.insertion) }
        return InsertionSuccess(try written(encode(record, for: known)) { try insertEncoded($0, db, resolution, known) })
    }

    /// Inserts an encoded record.
    ///
    /// - Parameter known: the plan that it was encoded for.
    @usableFromInline
    func insertEncoded(
        _ container: PersistenceContainer, _ db: Database, _ resolution: Database.ConflictResolution, _ known: RecordPlan?
    ) throws -> WrittenRow {
        guard known.fits(container.contents, resolution) else { return try insertByNewPlan(container, db, resolution) }
        return try runInsertion(of: container, db, resolution, by: known!)
    }

    @inline(never)
    private func insertByNewPlan(
        _ container: PersistenceContainer, _ db: Database, _ resolution: Database.ConflictResolution
    ) throws -> WrittenRow {
        try runInsertion(of: container, db, resolution, by: makeInsertionPlan(db, container, resolution))
    }

    @inline(__always)
    private func runInsertion(
        of container: PersistenceContainer, _ db: Database, _ resolution: Database.ConflictResolution, by plan: RecordPlan
    ) throws -> WrittenRow {
        let isInserted = try plan.run(container.contents, in: db)
        if !isInserted { return plan.skippedRow }
        if plan.statement.repreparationCount != plan.repreparationCount {
            return try insertedInNewSchema(container, db, resolution)
        }
        return plan.row(db.lastInsertedRowID)
    }

    /// Handles an insertion after which the statement turns out to have been prepared again, because the schema may have changed. The
    /// inserted row is correct because the statement names its columns, but the plan's name of the row ID may be outdated.
    @inline(never)
    private func insertedInNewSchema(
        _ container: PersistenceContainer, _ db: Database, _ resolution: Database.ConflictResolution
    ) throws -> WrittenRow {
        let plan = try makeInsertionPlan(db, container, resolution)
        // The plan can be the same: SQLite also recompiles statements for other reasons, such as an added function.
        plan.repreparationCount = plan.statement.repreparationCount
        return plan.row(db.lastInsertedRowID)
    }

    /// Returns the plan for encoding a record with details, if it exists already.
    @usableFromInline
    func known(
        _ details: WriteDetails?, _ resolution: Database.ConflictResolution, _ db: Database
    ) throws -> RecordPlan? {
        let plan = details?.plan(of: self) ?? (details?.isPlainUpsert == true ? state.pointee.upsert : nil)
        return try current(plan, resolution, db)
    }

    /// Writes an encoded record, and reads back the columns that the details select.
    @inline(never)
    @usableFromInline
    func insertAndRead(
        _ container: PersistenceContainer, _ db: Database, _ resolution: Database.ConflictResolution, _ details: WriteDetails,
        _ known: RecordPlan?
    ) throws -> WrittenRow {
        let plan: RecordPlan
        if let known, known.fits(container.contents, resolution) {
            plan = known
        } else {
            plan = try makeDetailedInsertionPlan(db, container, resolution, details)
        }
        let outcome = try details.notesOutcome ? writeNotingOutcome(container, plan, details, db) : write(container, plan, details, db)
        guard outcome.isWritten else {
            if let upsert = details.upsert, upsert.isConditional, let selection = details.selection {
                details.result = try conflictingRow(container, details, selecting: selection, db)
            }
            return plan.skippedRow
        }
        return plan.row(outcome.rowID ?? db.lastInsertedRowID)
    }

    // MARK: - Statements

    private func makeInsertionPlan(
        _ db: Database, _ container: PersistenceContainer, _ resolution: Database.ConflictResolution
    ) throws -> RecordPlan {
        let plan = try makeInsertionPlan(db, container, resolution, conflictClause: "", clauses: "", RowReading())
        state.pointee.insertion = plan
        return plan
    }

    private func makeDetailedInsertionPlan(
        _ db: Database, _ container: PersistenceContainer, _ resolution: Database.ConflictResolution, _ details: WriteDetails
    ) throws -> RecordPlan {
        var renderer = try renderer(db, excluded: details.upsert?.excluded)
        if let upsert = details.upsert {
            try render(upsert, container, isFetching: details.selection != nil, to: &renderer)
        }
        let conflictClause = renderer.sql
        let reading = try renderReturning(details, to: &renderer)
        details.arguments = renderer.arguments
        let plan = try makeInsertionPlan(
            db, container, resolution, conflictClause: conflictClause, clauses: renderer.sql, reading)
        details.setPlan(plan, of: self)
        if details.isPlainUpsert { state.pointee.upsert = plan }
        return plan
    }

    private func makeInsertionPlan(
        _ db: Database, _ container: PersistenceContainer, _ resolution: Database.ConflictResolution, conflictClause: String,
        clauses: String, _ reading: RowReading
    ) throws -> RecordPlan {
        let planKey = PlanKey(
            operation: .insert, resolution: resolution, clauses: clauses, reading: reading, layout: container.contents.state.pointee.layout)
        if let plan = try cached(planKey, for: container, db) { return plan }
        let generation = try db.schemaGeneration()
        let table = try resolvedTable(db)
        // Records often encode generated columns because they read them, but generated columns can't be written.
        let generated = try generatedColumns(db)
        var parameters: [CInt] = []
        var columns: [String] = []
        for (name, _) in container {
            if generated.contains(where: { $0.isEqualIgnoringASCIICase(to: name) }) {
                parameters.append(0)
            } else {
                columns.append(name.quotedDatabaseIdentifier)
                parameters.append(CInt(columns.count))
            }
        }
        let verb = resolution == .abort ? "INSERT" : "INSERT OR \(resolution.rawValue)"
        let insertion = InsertionSQL(
            verb: verb, target: " INTO \(table.sql) (\(columns.joined(separator: ", "))) VALUES ", columnCount: columns.count,
            conflictClause: conflictClause)
        let returning = clauses.dropFirst(conflictClause.count)
        let statement = try db.makeStatement(
            sql: columns.isEmpty
                ? "\(verb) INTO \(table.sql) DEFAULT VALUES\(clauses)" : "\(insertion.sql(rowCount: 1))\(returning)")
        container.contents.state.pointee.isBound = false
        let key = try table.knownPrimaryKey(db)
        let plan = RecordPlan(
            layout: planKey.layout, statement: statement, resolution: resolution, generation: generation,
            rowIDColumn: key?.rowIDColumn, rowIDName: try rowIDName(in: container, table, db), isView: try table.isView(db),
            hasRowID: key?.tableHasRowID == true, parameters: parameters, reading: reading,
            insertion: columns.isEmpty ? nil : insertion)
        state.pointee.plans[planKey] = plan
        return plan
    }

    /// Returns the record's name for the row ID; if the record does not encode it, the name of the row ID column, if any.
    private func rowIDName(in container: PersistenceContainer, _ table: TableReference, _ db: Database) throws -> RowIDName {
        guard let key = try table.knownPrimaryKey(db), key.tableHasRowID else { return .none }
        if let column = key.rowIDColumn, container.contents.index(of: column) != nil { return .column }
        // SQLite's own names for the row ID. A table can have ordinary columns of these names, which hide them.
        let columns = try table.columnNames(db)
        let alias = RowIDName.aliases.first { rowIDName in
            guard let name = rowIDName.alias, container.contents.index(of: name) != nil else { return false }
            return !columns.contains { $0.isEqualIgnoringASCIICase(to: name) }
        }
        return alias ?? (key.rowIDColumn == nil ? .none : .column)
    }
}
