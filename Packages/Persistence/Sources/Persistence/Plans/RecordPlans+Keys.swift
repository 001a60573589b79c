import QueryInterface

// Statements that find their row by the primary key: updates, deletions and existence checks.

extension RecordPlans {
    /// Updates the row of a record's primary key.
    ///
    /// - Parameters:
    ///   - columns: the columns to update; nil for all but the primary key.
    ///   - details: the columns to read back; nil for none.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` if there is no such row.
    @inlinable
    func update<Record: EncodableRecord>(
        _ record: Record, _ db: Database, _ resolution: Database.ConflictResolution, columns: ColumnSet?, _ details: WriteDetails?
    ) throws -> PersistenceSuccess {
        let isPlain = columns == nil && details == nil
        let known = try isPlain ? current(state.pointee.update.take(), resolution, db) : known(columns, details, resolution, db)
        defer { if isPlain { putBack(known, in: &state.pointee.update) } }
        let written = try written(encode(record, for: known)) { container in
            try update(container, db, resolution, columns: columns, details, known)
            return WrittenRow()
        }
        return PersistenceSuccess(written)
    }

    /// Updates the row of an encoded record.
    ///
    /// - Parameter known: the plan that it was encoded for.
    @usableFromInline
    func update(
        _ container: PersistenceContainer, _ db: Database, _ resolution: Database.ConflictResolution, columns: ColumnSet?,
        _ details: WriteDetails?, _ known: RecordPlan?
    ) throws {
        guard known.fits(container.contents, resolution) else {
            return try updateByNewPlan(container, db, resolution, columns: columns, details)
        }
        try update(container, db, details, by: known!)
    }

    @inline(never)
    private func updateByNewPlan(
        _ container: PersistenceContainer, _ db: Database, _ resolution: Database.ConflictResolution, columns: ColumnSet?,
        _ details: WriteDetails?
    ) throws {
        try update(container, db, details, by: makeUpdatePlan(db, container, resolution, columns: columns, details))
    }

    @inline(__always)
    private func update(
        _ container: PersistenceContainer, _ db: Database, _ details: WriteDetails?, by plan: RecordPlan
    ) throws {
        let isWritten =
            if let details {
                try write(container, plan, details, db).isWritten
            } else {
                try plan.run(container.contents, in: db)
            }
        if !isWritten { try checkRow(of: container, plan, db, version: details?.versionColumn) }
    }

    /// Throws if there is no row to update. An existing row that a conflict or a trigger left unchanged is not an error, unless the update
    /// is for a version, which the record would count as its own.
    @inline(never)
    private func checkRow(of container: PersistenceContainer, _ plan: RecordPlan, _ db: Database, version: String?) throws {
        if try !rowExists(of: container, db) {
            throw RecordError.recordNotFound(databaseTableName: table, key: plan.keyValues(of: container))
        }
        guard let version, let slot = container.contents.index(of: version) else { return }
        let conditions = (plan.keySlots.map { container[$0].0 } + [version]).map { "\($0.quotedDatabaseIdentifier) IS ?" }
        let hasVersion = try Bool.fetchOne(
            db, sql: "SELECT EXISTS (SELECT 1 FROM \(resolvedTable(db).sql) WHERE \(conditions.joined(separator: " AND ")))",
            arguments: StatementArguments((plan.keySlots + [slot]).map { container[$0].1 }))
        if hasVersion != true {
            throw RecordError.recordChanged(databaseTableName: table, key: plan.keyValues(of: container))
        }
        throw DatabaseError(
            resultCode: .SQLITE_CONSTRAINT, message: "the update of a record of table \(table) was left out by a trigger or by a conflict",
            sql: plan.statement.sql)
    }

    /// Updates the columns in which a record differs from the values that another record encoded.
    ///
    /// The record is encoded once, for the comparison and for the update, so nothing that could change it may run in between.
    ///
    /// - Parameter columns: columns to update even if they did not change.
    /// - Returns: nil if there is nothing to update.
    @inlinable
    func updateChanges<Record: EncodableRecord>(
        of record: Record, from original: PersistenceContainer, and columns: ColumnSet, _ db: Database,
        _ resolution: Database.ConflictResolution
    ) throws -> PersistenceSuccess? {
        let expected = try current(state.pointee.changes.lastPlan, resolution, db)
        return try takingBack(encode(record, for: expected)) {
            try updateChanges(of: $0, from: original, and: columns, db, resolution, expected)
        }
    }

    @usableFromInline
    func updateChanges(
        of container: PersistenceContainer, from original: PersistenceContainer, and columns: ColumnSet, _ db: Database,
        _ resolution: Database.ConflictResolution, _ expected: RecordPlan?
    ) throws -> PersistenceSuccess? {
        var columns = columns
        try add(to: &columns, changesOf: container, from: original, in: db)
        if columns.names.isEmpty { return nil }
        let plan = try known(columns, nil, resolution, db)
        // The values are bound to the expected plan's statement, which updates the columns that changed in the previous record.
        if plan !== expected { container.contents.state.pointee.isBound = false }
        try update(container, db, resolution, columns: columns, nil, plan)
        return PersistenceSuccess(WrittenRecord(container: container))
    }

    /// Returns the plan of an update of some columns, or of an update that returns rows, if one exists for the layout of the previous
    /// record.
    @usableFromInline
    func known(
        _ columns: ColumnSet?, _ details: WriteDetails?, _ resolution: Database.ConflictResolution, _ db: Database
    ) throws -> RecordPlan? {
        if let columns, columns.bits != 0, details == nil {
            let plan = state.pointee.changes.plan(of: columns, try db.schemaGeneration())
            return plan?.resolution == resolution ? plan : nil
        }
        guard let layout = state.pointee.contents?.state.pointee.layout else { return nil }
        let key = try planKey(columns, details, resolution, layout: layout, db)
        return try current(state.pointee.plans[key], resolution, db)
    }

    private func planKey(
        _ columns: ColumnSet?, _ details: WriteDetails?, _ resolution: Database.ConflictResolution, layout: Int, _ db: Database
    ) throws -> PlanKey {
        var clauses = ""
        var reading = RowReading()
        if let details {
            var renderer = try renderer(db)
            reading = try renderReturning(details, to: &renderer)
            details.arguments = renderer.arguments
            clauses = renderer.sql
        }
        return PlanKey(
            operation: .update, resolution: resolution, columns: columns?.names, versionColumn: details?.versionColumn, clauses: clauses,
            reading: reading, layout: layout)
    }

    /// Deletes the row of a record's primary key.
    ///
    /// - Returns: whether the row existed.
    @inlinable
    func delete<Record: EncodableRecord>(_ record: Record, _ db: Database) throws -> Bool {
        let known = try current(state.pointee.deletion.take(), .abort, db)
        defer { putBack(known, in: &state.pointee.deletion) }
        return try takingBack(encodeKey(of: record, for: known)) { try delete($0, db, known) }
    }

    @usableFromInline
    func delete(_ container: PersistenceContainer, _ db: Database, _ known: RecordPlan?) throws -> Bool {
        guard known.fits(container.contents, .abort) else { return try deleteByNewPlan(container, db) }
        return try delete(container, db, by: known!)
    }

    @inline(never)
    private func deleteByNewPlan(_ container: PersistenceContainer, _ db: Database) throws -> Bool {
        try delete(container, db, by: makeDeletionPlan(db, container))
    }

    @inline(__always)
    private func delete(_ container: PersistenceContainer, _ db: Database, by plan: RecordPlan) throws -> Bool {
        try container.contents.checkFailures(of: plan.keySlots)
        return try plan.run(container.contents, in: db)
    }

    /// Returns whether the row of a record's primary key exists; false if the record does not encode the key, or if a value of the key is
    /// NULL.
    @inlinable
    func exists<Record: EncodableRecord>(_ record: Record, _ db: Database) throws -> Bool {
        let known = try current(state.pointee.existence, .abort, db)
        return try takingBack(encodeKey(of: record, for: known)) { try rowExists(of: $0, db, boundTo: known) }
    }

    /// Returns whether the row of an encoded record's primary key exists.
    ///
    /// - Parameter known: the plan that the record was encoded for, if it was encoded for an existence check.
    @usableFromInline
    func rowExists(of container: PersistenceContainer, _ db: Database, boundTo known: RecordPlan? = nil) throws -> Bool {
        guard let plan = try existencePlan(of: container, db) else { return false }
        let contents = container.contents
        try contents.checkFailures(of: plan.keySlots)
        if plan.keySlots.contains(where: { contents.state.pointee.slots[$0].value.isNull }) { return false }
        if plan !== known || !contents.state.pointee.isBound { try plan.bindKey(of: contents) }
        defer { plan.statement.reset() }
        if db.isRecordingAccesses { try narrow(plan, to: contents, db) }
        return try plan.statement.step()
    }

    /// Records which row an existence check reads, if the primary key is the row ID.
    @inline(never)
    private func narrow(_ plan: RecordPlan, to contents: ContainerStorage, _ db: Database) throws {
        let table = try resolvedTable(db)
        guard try table.primaryKey(db).isRowID, plan.keySlots.count == 1,
            case .int64(let rowID) = contents.state.pointee.slots[plan.keySlots[0]].value.storage
        else { return }
        plan.statement.narrowNextRun(toRows: [rowID], ofTable: table.name)
    }

    /// - Returns: nil if the record does not encode its primary key.
    private func existencePlan(of container: PersistenceContainer, _ db: Database) throws -> RecordPlan? {
        if let plan = try current(state.pointee.existence, .abort, db), plan.fits(container.contents, .abort) { return plan }
        let table = try resolvedTable(db)
        let key = try table.primaryKey(db).columns
        guard key.allSatisfy({ container.contents.index(of: $0) != nil }) else { return nil }
        let planKey = PlanKey(operation: .exists, resolution: .abort, layout: container.contents.state.pointee.layout)
        let plan = try makeKeyedPlan(db, container, planKey, columns: []) { key, _ in
            "SELECT 1 FROM \(table.sql) WHERE \(key)"
        }
        state.pointee.existence = plan
        return plan
    }

    // MARK: - Statements

    private func makeUpdatePlan(
        _ db: Database, _ container: PersistenceContainer, _ resolution: Database.ConflictResolution, columns: ColumnSet?,
        _ details: WriteDetails?
    ) throws -> RecordPlan {
        let isPlain = columns == nil && details == nil
        let layout = container.contents.state.pointee.layout
        let planKey = try planKey(columns, details, resolution, layout: layout, db)
        let plan = try cached(planKey, for: container, db) ?? makeUpdatePlan(db, container, planKey)
        if isPlain {
            state.pointee.update = plan
        } else if let columns, columns.layout == layout, details == nil {
            state.pointee.changes.setPlan(plan, of: columns)
        }
        return plan
    }

    private func makeUpdatePlan(
        _ db: Database, _ container: PersistenceContainer, _ planKey: PlanKey
    ) throws -> RecordPlan {
        let table = try resolvedTable(db)
        let version = planKey.versionColumn
        let slots = try updatedSlots(container, columns: planKey.columns, table, db)
            .filter { version?.isEqualIgnoringASCIICase(to: container[$0].0) != true }
        let key = try table.primaryKey(db).columns
        // An update of a view returns a row if there was one to update, because SQLite does not count the changes.
        let clauses = try planKey.clauses.isEmpty && table.isView(db) ? " RETURNING 1" : planKey.clauses
        let verb = planKey.resolution == .abort ? "UPDATE" : "UPDATE OR \(planKey.resolution.rawValue)"
        let plan = try makeKeyedPlan(db, container, planKey, columns: slots) { condition, assignments in
            if let name = version?.quotedDatabaseIdentifier {
                let assignments = (assignments.isEmpty ? [] : [assignments]) + ["\(name) = \(name) + 1"]
                return "\(verb) \(table.sql) SET \(assignments.joined(separator: ", ")) WHERE \(condition)\(clauses)"
            }
            // If there are no columns to update, assigning the key to itself still shows whether the row exists.
            let assignments = assignments.isEmpty ? "\(key[0].quotedDatabaseIdentifier) = \(key[0].quotedDatabaseIdentifier)" : assignments
            return "\(verb) \(table.sql) SET \(assignments) WHERE \(condition)\(clauses)"
        }
        if planKey.columns == nil, planKey.clauses.isEmpty, version == nil {
            try noteUpdatedColumns(slots.map { container[$0].0 }, db)
        }
        return plan
    }

    /// Returns the positions of the columns that an update writes.
    private func updatedSlots(
        _ container: PersistenceContainer, columns: Set<String>?, _ table: TableReference, _ db: Database
    ) throws -> [Int] {
        if let missing = columns?.sorted().first(where: { container.contents.index(of: $0) == nil }) {
            throw DatabaseError.misuse("column \(missing) can't be updated: the record of table \(self.table) does not encode it")
        }
        let key = try table.primaryKey(db).columns
        let generated = try generatedColumns(db)
        return try container.indices.filter { slot in
            let name = container[slot].0
            func isName(_ other: String) -> Bool { other.isEqualIgnoringASCIICase(to: name) }
            if key.contains(where: isName) { return false }
            if generated.contains(where: isName) {
                if columns?.contains(where: isName) != true { return false }
                throw DatabaseError.misuse("column \(name) can't be updated: table \(self.table) computes it")
            }
            return try columns?.contains(where: isName) ?? !isMissing(name, db)
        }
    }

    private func makeDeletionPlan(_ db: Database, _ container: PersistenceContainer) throws -> RecordPlan {
        let table = try resolvedTable(db)
        let clauses = try table.isView(db) ? " RETURNING 1" : ""
        let planKey = PlanKey(operation: .delete, resolution: .abort, layout: container.contents.state.pointee.layout)
        let plan = try makeKeyedPlan(db, container, planKey, columns: []) { key, _ in
            "DELETE FROM \(table.sql) WHERE \(key)\(clauses)"
        }
        state.pointee.deletion = plan
        return plan
    }

    /// Creates a plan whose statement's parameters are some columns, followed by the primary key.
    private func makeKeyedPlan(
        _ db: Database, _ container: PersistenceContainer, _ planKey: PlanKey, columns: [Int],
        sql: (_ key: String, _ assignments: String) -> String
    ) throws -> RecordPlan {
        if let plan = try cached(planKey, for: container, db) { return plan }
        let generation = try db.schemaGeneration()
        func slot(_ column: String, orElse reason: (String) -> String) throws -> Int {
            if let slot = container.contents.index(of: column) { return slot }
            throw DatabaseError.misuse(reason("the record of table \(table) does not encode \(column)"))
        }
        let keySlots = try resolvedTable(db).primaryKey(db).columns.map { column in
            try slot(column) { "the row can't be found: \($0), a column of the primary key" }
        }
        func equations(_ names: [String], separator: String) -> String {
            names.map { "\($0.quotedDatabaseIdentifier) = ?" }.joined(separator: separator)
        }
        var conditionSlots = keySlots
        if let version = planKey.versionColumn {
            conditionSlots.append(try slot(version) { "\($0), the column of its version" })
        }
        let statement = try db.makeStatement(
            sql: sql(
                equations(conditionSlots.map { container[$0].0 }, separator: " AND "),
                equations(columns.map { container[$0].0 }, separator: ", ")))
        let isOfKeyAlone = planKey.operation == .delete || planKey.operation == .exists
        var parameters = [CInt](repeating: isOfKeyAlone ? RecordPlan.leftOut : 0, count: container.count)
        for (index, slot) in (columns + conditionSlots).enumerated() {
            parameters[slot] = CInt(index + 1)
        }
        container.contents.state.pointee.isBound = false
        let plan = RecordPlan(
            layout: planKey.layout, statement: statement, resolution: planKey.resolution,
            generation: generation, parameters: parameters, keySlots: keySlots, reading: planKey.reading)
        state.pointee.plans[planKey] = plan
        return plan
    }
}
