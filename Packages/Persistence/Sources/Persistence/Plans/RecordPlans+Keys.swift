import QueryInterface

// Updates, deletions and questions of existence: statements that find their row by the primary key.

extension RecordPlans {
    /// Updates the row of the primary key that a container holds.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row.
    @inlinable
    func update(_ db: Database, _ container: PersistenceContainer, _ resolution: Database.ConflictResolution) throws {
        let generation = try db.schemaGeneration()
        let plan: KeyedPlan
        if let known = state.pointee.update, known.fits(container, resolution, generation) {
            plan = known
        } else {
            plan = try makeUpdatePlan(db, container, resolution, columns: nil)
            state.pointee.update = plan
        }
        try run(plan, db, container)
    }

    /// Updates some columns of the row of the primary key that a container holds.
    @usableFromInline
    func update(
        _ db: Database, _ container: PersistenceContainer, _ resolution: Database.ConflictResolution, columns: Set<String>
    ) throws {
        try run(try makeUpdatePlan(db, container, resolution, columns: columns), db, container)
    }

    @inlinable
    func run(_ plan: KeyedPlan, _ db: Database, _ container: PersistenceContainer) throws {
        try plan.bind(container)
        try plan.statement.run()
        if db.changesCount == 0 { throw plan.recordNotFound(table, container) }
    }

    /// Deletes the row of the primary key that a container holds.
    ///
    /// - Returns: whether there was such a row.
    @inlinable
    func delete(_ db: Database, _ container: PersistenceContainer) throws -> Bool {
        let generation = try db.schemaGeneration()
        let plan: KeyedPlan
        if let known = state.pointee.deletion, known.fits(container, .abort, generation) {
            plan = known
        } else {
            plan = try makeKeyedPlan(db, container, .abort, columns: []) { key, _ in
                "DELETE FROM \(table.quotedDatabaseIdentifier) WHERE \(key)"
            }
            state.pointee.deletion = plan
        }
        try plan.bind(container)
        try plan.statement.run()
        return db.changesCount > 0
    }

    /// Whether there is a row of the primary key that a container holds.
    @usableFromInline
    func exists(_ db: Database, _ container: PersistenceContainer) throws -> Bool {
        let plan = try makeKeyedPlan(db, container, .abort, columns: []) { key, _ in
            "SELECT 1 FROM \(table.quotedDatabaseIdentifier) WHERE \(key)"
        }
        try plan.bind(container)
        defer { plan.statement.reset() }
        return try plan.statement.step()
    }

    /// Whether a container holds a value for each column of the primary key.
    @usableFromInline
    func hasPrimaryKey(_ db: Database, _ container: PersistenceContainer) throws -> Bool {
        try db.primaryKey(table).columns.allSatisfy { container.databaseValue(forColumn: $0)?.isNull == false }
    }

    // MARK: - Statements

    @inline(never)
    @usableFromInline
    func makeUpdatePlan(
        _ db: Database, _ container: PersistenceContainer, _ resolution: Database.ConflictResolution, columns: Set<String>?
    ) throws -> KeyedPlan {
        let key = try db.primaryKey(table).columns
        func isKey(_ name: String) -> Bool { key.contains { $0.isEqualIgnoringASCIICase(to: name) } }
        func isWanted(_ name: String) -> Bool {
            guard let columns else { return true }
            return columns.contains { $0.isEqualIgnoringASCIICase(to: name) }
        }
        if let missing = columns?.first(where: { container.contents.index(of: $0) == nil }) {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "column \(missing) can't be updated: the record of table \(table) does not encode it")
        }
        var slots = container.indices.filter { !isKey(container[$0].0) && isWanted(container[$0].0) }
        if slots.isEmpty {
            // There is nothing to change: an assignment of the key to itself still tells whether the row is there.
            slots = container.indices.filter { isKey(container[$0].0) }
        }
        let verb = resolution == .abort ? "UPDATE" : "UPDATE OR \(resolution.rawValue)"
        return try makeKeyedPlan(db, container, resolution, columns: slots) { key, assignments in
            "\(verb) \(table.quotedDatabaseIdentifier) SET \(assignments) WHERE \(key)"
        }
    }

    /// Makes a statement whose parameters are some columns, and after them the primary key.
    @inline(never)
    @usableFromInline
    func makeKeyedPlan(
        _ db: Database, _ container: PersistenceContainer, _ resolution: Database.ConflictResolution, columns: [Int],
        sql: (_ key: String, _ assignments: String) -> String
    ) throws -> KeyedPlan {
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
        let statement = try db.cachedStatement(
            sql: sql(
                equations(key, separator: " AND "), equations(columns.map { container[$0].0 }, separator: ", ")))
        return KeyedPlan(
            shape: container.contents.state.pointee.shape, statement: statement, resolution: resolution,
            generation: generation, slots: columns + keySlots, keyCount: keySlots.count)
    }
}

extension KeyedPlan {
    @inlinable
    func fits(_ container: PersistenceContainer, _ resolution: Database.ConflictResolution, _ generation: Int) -> Bool {
        shape == container.contents.state.pointee.shape && self.resolution == resolution && self.generation == generation
    }

    @inlinable
    func bind(_ container: PersistenceContainer) throws {
        let values = container.contents.state.pointee.slots
        var parameter = 1
        for slot in slots {
            try statement.bind(values[slot].value, at: parameter)
            parameter &+= 1
        }
        statement.didBindArguments()
    }

    @usableFromInline
    func recordNotFound(_ table: String, _ container: PersistenceContainer) -> RecordError {
        let key = slots.suffix(keyCount).map { container[$0] }
        return .recordNotFound(databaseTableName: table, key: Dictionary(key, uniquingKeysWith: { $1 }))
    }
}
