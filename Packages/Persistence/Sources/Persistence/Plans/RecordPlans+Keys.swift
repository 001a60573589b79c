import QueryInterface

// Updates, deletions and questions of existence: statements that find their row by the primary key.

extension RecordPlans {
    /// Updates the row of a record's primary key.
    ///
    /// - Parameter columns: the columns to update; all but the primary key when nil.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row.
    @inlinable
    func update<Record: EncodableRecord>(
        _ record: Record, _ db: Database, _ resolution: Database.ConflictResolution, columns: Set<String>?
    ) throws -> PersistenceSuccess {
        let known = columns == nil ? try current(state.pointee.update, resolution, db) : nil
        let container = try encode(record, for: known)
        defer { giveBack(container) }
        let plan: RecordPlan
        if let known, known.fits(container.contents, resolution) {
            plan = known
        } else {
            plan = try makeUpdatePlan(db, container, resolution, columns: columns)
        }
        try plan.run(container.contents)
        if db.changesCount == 0 {
            // A row that stays as it is because of a conflict is there all the same.
            if try resolution != .ignore || !rowExists(of: container, db) { throw plan.recordNotFound(table, container) }
        }
        return PersistenceSuccess(persistenceContainer: container)
    }

    /// Deletes the row of a record's primary key.
    ///
    /// - Returns: whether there was such a row.
    @inlinable
    func delete<Record: EncodableRecord>(_ record: Record, _ db: Database) throws -> Bool {
        let known = try current(state.pointee.deletion, .abort, db)
        let container = try encode(record, for: known)
        defer { giveBack(container) }
        if let known, known.fits(container.contents, .abort) {
            try known.run(container.contents)
        } else {
            try makeDeletionPlan(db, container).run(container.contents)
        }
        return db.changesCount > 0
    }

    /// Whether there is a row of a record's primary key; false for a record without a primary key value.
    func exists(_ record: some EncodableRecord, _ db: Database) throws -> Bool {
        let known = try current(state.pointee.existence, .abort, db)
        let container = try encode(record, for: known)
        defer { giveBack(container) }
        return try rowExists(of: container, known, db)
    }

    /// Whether there is a row of the primary key of a record that was encoded to be written.
    @inline(never)
    @usableFromInline
    func rowExists(of container: PersistenceContainer, _ db: Database) throws -> Bool {
        // What is bound is bound to the statement that has written it.
        container.contents.state.pointee.isBound = false
        return try rowExists(of: container, try current(state.pointee.existence, .abort, db), db)
    }

    private func rowExists(of container: PersistenceContainer, _ known: RecordPlan?, _ db: Database) throws -> Bool {
        let plan: RecordPlan
        if let known, known.fits(container.contents, .abort) {
            plan = known
        } else {
            let key = try db.primaryKey(table).columns
            guard key.allSatisfy({ container.contents.index(of: $0) != nil }) else { return false }
            plan = try makeKeyedPlan(db, container, .abort, columns: []) { key, _ in
                "SELECT 1 FROM \(table.quotedDatabaseIdentifier) WHERE \(key)"
            }
            state.pointee.existence = plan
        }
        if plan.keySlots.contains(where: { container[$0].1.isNull }) { return false }
        if !container.contents.state.pointee.isBound { try container.contents.bindAll(to: plan) }
        defer { plan.statement.reset() }
        return try plan.statement.step()
    }

    /// A plan, if it was made for the schema of now.
    @inlinable
    func current(_ plan: RecordPlan?, _ resolution: Database.ConflictResolution, _ db: Database) throws -> RecordPlan? {
        guard let plan, plan.resolution == resolution, plan.generation == (try db.schemaGeneration()) else { return nil }
        return plan
    }

    // MARK: - Statements

    @inline(never)
    @usableFromInline
    func makeUpdatePlan(
        _ db: Database, _ container: PersistenceContainer, _ resolution: Database.ConflictResolution, columns: Set<String>?
    ) throws -> RecordPlan {
        if let missing = columns?.first(where: { container.contents.index(of: $0) == nil }) {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "column \(missing) can't be updated: the record of table \(table) does not encode it")
        }
        let key = try db.primaryKey(table).columns
        let slots = container.indices.filter { slot in
            let name = container[slot].0
            func isName(_ other: String) -> Bool { other.isEqualIgnoringASCIICase(to: name) }
            return !key.contains(where: isName) && columns?.contains(where: isName) ?? true
        }
        let verb = resolution == .abort ? "UPDATE" : "UPDATE OR \(resolution.rawValue)"
        let plan = try makeKeyedPlan(db, container, resolution, columns: slots) { condition, assignments in
            // Where there is nothing to change, assigning the key to itself still tells whether the row is there.
            let assignments = assignments.isEmpty ? "\(key[0].quotedDatabaseIdentifier) = \(key[0].quotedDatabaseIdentifier)" : assignments
            return "\(verb) \(table.quotedDatabaseIdentifier) SET \(assignments) WHERE \(condition)"
        }
        if columns == nil { state.pointee.update = plan }
        return plan
    }

    @inline(never)
    @usableFromInline
    func makeDeletionPlan(_ db: Database, _ container: PersistenceContainer) throws -> RecordPlan {
        let plan = try makeKeyedPlan(db, container, .abort, columns: []) { key, _ in
            "DELETE FROM \(table.quotedDatabaseIdentifier) WHERE \(key)"
        }
        state.pointee.deletion = plan
        return plan
    }

    /// Makes a statement whose parameters are some columns, and after them the primary key.
    private func makeKeyedPlan(
        _ db: Database, _ container: PersistenceContainer, _ resolution: Database.ConflictResolution, columns: [Int],
        sql: (_ key: String, _ assignments: String) -> String
    ) throws -> RecordPlan {
        let generation = try db.schemaGeneration()
        let key = try db.primaryKey(table).columns
        let keySlots = try key.map { column in
            guard let slot = container.contents.index(of: column) else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message: "the record of table \(table) does not encode \(column), a column of the primary key, "
                        + "and so its row can't be found")
            }
            return slot
        }
        func equations(_ names: [String], separator: String) -> String {
            names.map { "\($0.quotedDatabaseIdentifier) = ?" }.joined(separator: separator)
        }
        let statement = try db.makeStatement(
            sql: sql(
                equations(key, separator: " AND "), equations(columns.map { container[$0].0 }, separator: ", ")))
        var parameters = [CInt](repeating: 0, count: container.count)
        for (index, slot) in (columns + keySlots).enumerated() {
            parameters[slot] = CInt(index + 1)
        }
        container.contents.state.pointee.isBound = false
        return RecordPlan(
            shape: container.contents.state.pointee.shape, statement: statement, resolution: resolution,
            generation: generation, parameters: parameters, keySlots: keySlots)
    }
}
