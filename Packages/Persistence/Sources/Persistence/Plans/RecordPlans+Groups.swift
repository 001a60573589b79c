import QueryInterface

// Which insertions are written in groups. A group must do what its records would do one by one, so there are none
// - with callbacks that get the connection: they would run before the rows of earlier records exist,
// - for views and virtual tables, and for tables with triggers, which may read and write anything,
// - for tables with a foreign key to themselves: SQLite checks it at the end of the statement, when a later row may have been inserted,
// - with IGNORE, and for tables whose constraints declare a conflict clause: SQLite does not report which rows it has skipped,
// - with FAIL and ROLLBACK, which keep rows or end the transaction when a record can't be written,
// - for tables with a default such as `changes()`, which differs from statement to statement,
// - with columns to read back: SQLite does not promise the order of RETURNING's rows,
// - for engines, which run statements elsewhere.
//
// Others would take longer in a group:
// - For a table that foreign keys refer to, SQLite looks for rows that refer to each of several new rows, if need be in the whole other
//   table. REPLACE could also delete a row that others refer to, and insert it again later in the statement.
// - Foreign keys and upserts may have to undo the statement, so that SQLite copies the pages that it changes: for tables with indexes,
//   these are many.

/// The group that a batch uses, and the plan that keeps it for later batches.
@usableFromInline
struct GroupUse {
    let plan: RecordPlan
    @usableFromInline let group: RecordGroup

    /// Ends the use of the group, and keeps it.
    func end() {
        group.end()
        plan.group = group
    }
}

extension RecordPlans {
    /// Returns the group for the next records of a batch.
    ///
    /// - Parameters:
    ///   - previous: the group of the previous records. If another one is returned, or none, it must be given back.
    ///   - singleCount: set to the number of records to write one by one before asking again, if there is no group.
    @usableFromInline
    func group(
        after previous: GroupUse?, _ details: WriteDetails?, _ resolution: Database.ConflictResolution, _ db: Database,
        singleCount: inout Int
    ) throws -> GroupUse? {
        singleCount = Int.max
        takeNotes()
        let known = details == nil ? try current(state.pointee.insertion, resolution, db) : try known(details, resolution, db)
        guard let plan = known else {
            // The first record makes the plan, and shows which callbacks the type has.
            singleCount = 1
            return nil
        }
        guard leavesOut(.aroundInsertions), let insertion = plan.insertion else { return nil }
        var group = previous?.plan === plan ? previous?.group : plan.group
        if group?.schemaGeneration != db.ownSchemaGeneration {
            guard let contents = state.pointee.contents, contents.state.pointee.layout == plan.layout else {
                singleCount = 1
                return nil
            }
            group = try makeGroup(plan, insertion, PersistenceContainer(contents: contents), details, db)
        }
        guard let group else { return nil }
        group.state.pointee.needsRowIDs = !leavesOut(.afterInsertions)
        plan.group = group
        // A callback may turn out to be left out later.
        if !group.canServe { singleCount = group.statement == nil ? Int.max : RecordGroup.maximumCount }
        guard group.canServe else { return nil }
        singleCount = 0
        // A batch inside an encoding of this one must have another group.
        plan.group = nil
        return GroupUse(plan: plan, group: group)
    }

    private func makeGroup(
        _ plan: RecordPlan, _ insertion: InsertionSQL, _ template: PersistenceContainer, _ details: WriteDetails?, _ db: Database
    ) throws -> RecordGroup {
        let generation = db.ownSchemaGeneration
        let none = RecordGroup(nil, [], contents: [], .unknown, schemaGeneration: generation)
        let verb = plan.resolution == .abort && details?.upsert == nil ? "INSERT OR FAIL" : nil
        let argumentCount = plan.statement.parameterCount - insertion.columnCount
        let count = min(RecordGroup.maximumCount, insertion.maximumRowCount(db, argumentCount: argumentCount))
        guard count >= RecordGroup.minimumCount, try allowsGroups(plan, template, details, db),
            // The limits of compiled statements are not known beforehand.
            let statement = try? db.makeStatement(sql: insertion.sql(rowCount: count, verb: verb)), statement.columnCount == 0
        else { return none }
        let plans = (0..<count).map { RecordPlan($0, of: statement, like: plan, columnCount: insertion.columnCount) }
        return RecordGroup(
            statement, plans, contents: plans.map { _ in template.contents.copy() }, try rowIDs(plan, template, details, db),
            schemaGeneration: generation)
    }

    private func allowsGroups(
        _ plan: RecordPlan, _ template: PersistenceContainer, _ details: WriteDetails?, _ db: Database
    ) throws -> Bool {
        guard !db.hasEngine, plan.resolution == .abort || plan.resolution == .replace, details?.selection == nil,
            details?.notesOutcome != true
        else { return false }
        let table = try resolvedTable(db)
        guard try table.insertsRowsAlone(db), try !table.hasTriggers(db) else { return false }
        if try table.isReferenced(db) { return false }
        let mayBeUndone = try details?.upsert != nil || !db.foreignKeys(on: table.name, in: table.schema).isEmpty
        return try !mayBeUndone || db.indexes(on: table.name, in: table.schema).isEmpty
    }

    /// Returns how the row IDs of a group will be known.
    private func rowIDs(
        _ plan: RecordPlan, _ template: PersistenceContainer, _ details: WriteDetails?, _ db: Database
    ) throws -> RecordGroup.RowIDs {
        let table = try resolvedTable(db)
        let upsert = details?.upsert
        if upsert?.isConditional == true { return .unknown }
        guard plan.hasRowID else { return .none }
        let columns = Set(try table.columnNames(db).map(SchemaName.init))
        let names = Set(RowIDName.aliases.compactMap { $0.alias.map(SchemaName.init) }).subtracting(columns)
            .union(plan.rowIDColumn.map { [SchemaName($0)] } ?? [])
        let slots = template.indices.filter { names.contains(SchemaName(template[$0].0)) }
        if slots.count > 1 { return .unknown }
        guard let upsert else { return slots.first.map { .encoded(slot: $0, orChosen: true) } ?? .chosen }
        // There are no indexes, so the upsert updates the row with the row ID of the record.
        guard let slot = slots.first, names.isDisjoint(with: upsert.assignments.map { SchemaName($0.columnName) }) else { return .unknown }
        return .encoded(slot: slot, orChosen: false)
    }

    /// Runs the statement of a group.
    ///
    /// - Returns: the number of records that were written, from the first one. The others must be written one by one.
    /// - Throws: ``DatabaseError``: the error of a record, or an error that is about none.
    @usableFromInline
    func run(
        _ group: RecordGroup, _ details: WriteDetails?, _ resolution: Database.ConflictResolution, _ db: Database
    ) throws -> Int {
        do {
            return try group.run(details?.arguments ?? StatementArguments(), in: db) {
                let table = try resolvedTable(db)
                guard let name = try table.knownPrimaryKey(db)?.rowIDName else { return Int64.max }
                return try db.withInternalStatements {
                    try Int64.fetchOne(db.reusedStatement(sql: "SELECT max(\(name.quotedDatabaseIdentifier)) FROM \(table.sql)"))
                }
            }
        } catch let error as DatabaseError where error.isAboutValues && db.isInsideTransaction {
            try throwErrorOfRecord(group, details, resolution, db)
            throw error
        }
    }

    /// Throws the error of the record for which a group has failed. Some records may already be written, and violate constraints now.
    private func throwErrorOfRecord(
        _ group: RecordGroup, _ details: WriteDetails?, _ resolution: Database.ConflictResolution, _ db: Database
    ) throws {
        for index in 0..<group.count {
            do {
                _ = try insert(index, of: group, details, resolution, db)
            } catch let other as DatabaseError where other.isCounted && db.isInsideTransaction {
                continue
            }
        }
    }

    /// Returns the success of a record that was written with its group. The record's memory is moved to the success, and must be given back
    /// to the group.
    @usableFromInline
    func success(_ index: Int, of group: RecordGroup) -> InsertionSuccess {
        let rowID = group.rowID(at: index)
        let container = PersistenceContainer(contents: group.state.pointee.contents[index].take()!)
        return InsertionSuccess(WrittenRecord(container: container, row: group.plans[index].row(rowID)))
    }

    /// Writes a record of a group that was not written, with the values that it has encoded.
    @usableFromInline
    func insert(
        _ index: Int, of group: RecordGroup, _ details: WriteDetails?, _ resolution: Database.ConflictResolution, _ db: Database
    ) throws -> InsertionSuccess {
        let container = container(index, of: group)
        // The values are bound to the statement of the group.
        container.contents.state.pointee.isBound = false
        let row =
            if let details {
                try insertAndRead(container, db, resolution, details, known(details, resolution, db))
            } else {
                try insertEncoded(container, db, resolution, current(state.pointee.insertion, resolution, db))
            }
        return InsertionSuccess(WrittenRecord(container: container, row: row))
    }

    private func container(_ index: Int, of group: RecordGroup) -> PersistenceContainer {
        // Each record that was encoded has put its memory there.
        PersistenceContainer(contents: group.state.pointee.contents[index]!)
    }

    /// Encodes a record in the memory of a group.
    ///
    /// - Returns: whether it can be written with the group.
    @inlinable
    func encode<Record: EncodableRecord>(_ record: Record, _ index: Int, of group: RecordGroup) throws -> Bool {
        state.pointee.contents = group.state.pointee.contents[index].take()
        let container = try encode(record, for: group.plans[index])
        return group.add((consume container).contents, at: index)
    }
}

extension TableReference {
    /// Returns whether SQLite inserts each row of the table, or fails, and sets its columns without regard to other statements.
    fileprivate func insertsRowsAlone(_ db: Database) throws -> Bool {
        guard let table = try db.locateTable(name, in: schema), !table.isView else { return false }
        let tokens = try db.definition(of: "table", table.id.name, in: table.id.schemaID)
        guard tokens.count > 1, tokens.keyword(1) != "VIRTUAL" else { return false }
        let excluded: Set = ["CONFLICT", "CHANGES", "TOTAL_CHANGES"]
        return !tokens.tokens.indices.contains { excluded.contains(tokens.keyword($0)) }
    }

    /// Returns whether foreign keys refer to the table: its own, or those of other tables.
    fileprivate func isReferenced(_ db: Database) throws -> Bool {
        guard let id = try db.locateTable(name, in: schema)?.id else { return false }
        // A foreign key refers to a table of its own database.
        return try !db.withInternalStatements { try db.tablesReferring(to: id) }.isEmpty
    }
}
