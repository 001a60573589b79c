import QueryInterface

// Reads back the written row with a RETURNING clause.
//
// SQLite's RETURNING does not return what triggers change in the row afterwards (<https://www.sqlite.org/lang_returning.html>). If the
// table has triggers, the statement returns only the row's key, and a SELECT statement then fetches the row by that key.

extension RecordPlans {
    /// Renders the RETURNING clause that the details need, if any.
    ///
    /// An upsert returns the row ID because updates do not change SQLite's last inserted row ID. In a table without row IDs, it returns the
    /// primary key, if the program asks for its outcome.
    func renderReturning(_ details: WriteDetails, to renderer: inout SQLRenderer) throws -> RowReading {
        let db = renderer.database
        let table = try resolvedTable(db)
        let key = try table.knownPrimaryKey(db)
        let tableRowIDName = key?.rowIDName
        let rowIDName = details.upsert == nil ? nil : tableRowIDName
        var reading = RowReading()
        var columns: [String] = []
        guard let selection = details.selection else {
            if rowIDName == nil, details.notesOutcome { reading.key = key?.columns ?? [] }
            reading.hasRowID = rowIDName != nil
            let names = rowIDName.map { [$0] } ?? reading.key
            if !names.isEmpty { renderer.append(" RETURNING \(names.map(\.quotedDatabaseIdentifier).joined(separator: ", "))") }
            return reading
        }
        if selection.isEmpty { throw DatabaseError.misuse("nothing to fetch from table \(self.table): the selection is empty") }
        renderer.append(" RETURNING ")
        if let key, key.tableHasRowID || !key.isRowID, try hasTriggers(table, db), try !table.isView(db) {
            // Prefers the row ID, because several rows can have NULL in a primary key that is not the row ID.
            reading.key = tableRowIDName.map { [$0] } ?? key.columns
            columns = reading.key.map(\.quotedDatabaseIdentifier)
        } else {
            try renderer.append(selection, separator: ", ") { try $0.append($1) }
        }
        if !reading.key.isEmpty, key?.isRowID == true || tableRowIDName != nil {
            reading.keyIsRowID = true
        } else if let rowIDName {
            reading.hasRowID = true
            if reading.key.isEmpty { renderer.append(", ") }
            columns.append(rowIDName.quotedDatabaseIdentifier)
        }
        renderer.append(columns.joined(separator: ", "))
        return reading
    }

    /// Runs a plan with an encoded record, and reads back the columns that the details select.
    ///
    /// - Returns: the row ID, if the statement returns it, and whether a row was written.
    @inline(never)
    @usableFromInline
    func write(
        _ container: PersistenceContainer, _ plan: RecordPlan, _ details: WriteDetails, _ db: Database
    ) throws -> (rowID: Int64?, isWritten: Bool) {
        guard plan.returnsRows else {
            return (nil, try plan.run(container.contents, details.arguments, in: db))
        }
        guard details.selection != nil || !plan.reading.key.isEmpty else {
            return try plan.runReadingRowID(container.contents, details.arguments)
        }
        let row = try plan.runReading(container.contents, details.arguments)
        var rowID: DatabaseValue?
        if plan.reading.hasRowID {
            rowID = row?.unadapted.databaseValues.last
        } else if plan.reading.keyIsRowID {
            rowID = row?.databaseValues.first
        }
        if plan.reading.key.isEmpty || details.selection == nil {
            details.result = WriteDetails.Result(columnNames: plan.columnNames, row: row)
        } else {
            details.result = try select(details, plan.reading.key, row, db)
        }
        return (rowID.flatMap { Int64.fromDatabaseValue($0) }, row != nil)
    }

    /// Selects a row by the key values that a statement returned.
    private func select(
        _ details: WriteDetails, _ key: [String], _ keyRow: Row?, _ db: Database
    ) throws -> WriteDetails.Result {
        var renderer = try renderer(db)
        renderer.append("SELECT ")
        try renderer.append(details.selection ?? [], separator: ", ") { try $0.append($1) }
        renderer.append(" FROM \(try resolvedTable(db).sql) WHERE ")
        let values = keyRow.map { Array($0.databaseValues) } ?? key.map { _ in .null }
        // If no row was written, the statement selects none, but it still provides the names of the columns.
        if keyRow == nil { renderer.append("0 AND ") }
        renderer.append(zip(key, values), separator: " AND ") { renderer, column in
            renderer.append(identifier: column.0)
            if column.1.isNull {
                renderer.append(" IS NULL")
            } else {
                renderer.append(" = ")
                renderer.append(argument: column.1)
            }
        }
        let statement = try db.reusedStatement(sql: renderer.sql)
        try statement.setArguments(renderer.arguments)
        return WriteDetails.Result(columnNames: statement.columnNames, row: try Row.fetchAll(statement).first)
    }

    private func hasTriggers(_ table: TableReference, _ db: Database) throws -> Bool {
        let generation = try db.schemaGeneration()
        if let known = state.pointee.hasTriggers, known.generation == generation { return known.hasTriggers }
        let hasTriggers = try table.hasTriggers(db)
        state.pointee.hasTriggers = (generation, hasTriggers)
        return hasTriggers
    }
}
