/// Copies the rows of a table into a table with another definition.
struct TableCopy {
    /// A new column that takes the values of an old column unchanged.
    private struct Plain {
        let column: ColumnInfo
        let source: ColumnInfo
    }

    private let db: Database
    private let source: String
    private let destination: String
    private let sourceName: String
    private let sourceKey: PrimaryKeyInfo
    private let destinationKey: PrimaryKeyInfo
    private let isStrict: (source: Bool, destination: Bool)

    /// The columns of the new table that get values, and the SQL of these values.
    private var targets: [String] = []
    private var values: [String] = []
    private var plains: [Plain] = []

    /// Whether rows keep their row IDs.
    private var keepsRowIDs = false

    init(_ db: Database, from sourceName: String, to destinationName: String, in schema: String, plan: TableRebuildPlan) throws {
        self.db = db
        self.sourceName = sourceName
        source = "\(schema.quotedDatabaseIdentifier).\(sourceName.quotedDatabaseIdentifier)"
        destination = "\(schema.quotedDatabaseIdentifier).\(destinationName.quotedDatabaseIdentifier)"
        sourceKey = try db.primaryKey(sourceName, in: schema)
        destinationKey = try db.primaryKey(destinationName, in: schema)
        isStrict = (try db.isStrictTable(sourceName, in: schema), try db.isStrictTable(destinationName, in: schema))

        let oldColumns = try db.columns(in: sourceName, in: schema)
        let newColumns = try db.columns(in: destinationName, in: schema)
        try Self.checkNames(plan, table: sourceName, oldColumns: oldColumns, newColumns: newColumns)
        for column in newColumns where !column.isGenerated {
            let old = oldColumns.first { $0.name.isEqualIgnoringASCIICase(to: column.name) }
            if let sql = plan.expressions.first(where: { $0.key.isEqualIgnoringASCIICase(to: column.name) })?.value {
                add(column.name, "(\(sql)\n)")
            } else if let old {
                add(column.name, old.name.quotedDatabaseIdentifier)
                plains.append(Plain(column: column, source: old))
                if column.name == destinationKey.rowIDColumn, old.name == sourceKey.rowIDColumn { keepsRowIDs = true }
            } else if column.name == destinationKey.rowIDColumn, let rowID = sourceKey.rowIDName {
                add(column.name, rowID.quotedDatabaseIdentifier)
                keepsRowIDs = true
            }
        }
        // Copies row IDs that have no column.
        if destinationKey.tableHasRowID, destinationKey.rowIDColumn == nil, let target = destinationKey.rowIDName,
            let rowID = sourceKey.rowIDName
        {
            add(target, rowID.quotedDatabaseIdentifier)
            keepsRowIDs = true
        }
    }

    private mutating func add(_ column: String, _ value: String) {
        targets.append(column.quotedDatabaseIdentifier)
        values.append(value)
    }

    // MARK: - Checking the plan

    private static func checkNames(
        _ plan: TableRebuildPlan, table: String, oldColumns: [ColumnInfo], newColumns: [ColumnInfo]
    ) throws {
        func contains(_ names: some Sequence<String>, _ name: String) -> Bool {
            names.contains { $0.isEqualIgnoringASCIICase(to: name) }
        }
        let written = newColumns.filter { !$0.isGenerated }.map(\.name)
        for name in plan.expressions.keys.sorted() where !contains(written, name) {
            throw DatabaseError.misuse(
                "can't rebuild \(table): a value is given for the column \(name), which the new definition does not have, or generates")
        }
        for name in plan.droppedColumns.sorted() where !contains(oldColumns.map(\.name), name) {
            throw DatabaseError.misuse("can't rebuild \(table): it has no column \(name) to drop")
        }
        for name in plan.droppedColumns.sorted() where contains(written, name) && !contains(plan.expressions.keys, name) {
            throw DatabaseError.misuse(
                "can't rebuild \(table): the column \(name) is both dropped and in the new definition",
                advice: "Give it a value, or don't drop it.")
        }
        let lost = oldColumns.filter { column in
            !column.isGenerated && !contains(written, column.name) && !contains(plan.droppedColumns, column.name)
        }.map(\.name)
        if !lost.isEmpty {
            throw DatabaseError.misuse(
                "can't rebuild \(table): the new definition lacks \(lost.count == 1 ? "the column" : "the columns") "
                    + "\(lost.joined(separator: ", ")), whose values would be lost",
                advice: "Drop or rename them in the rebuild.")
        }
    }

    // MARK: - Copying

    /// Returns the SQL of the copy. `OR ABORT` overrides the conflict clauses of the new definition, which could ignore or replace
    /// rows.
    private func insertion(where condition: String = "") -> String {
        guard !targets.isEmpty else { return "INSERT OR ABORT INTO \(destination) SELECT NULL FROM \(source) WHERE 0" }
        return "INSERT OR ABORT INTO \(destination) (\(targets.joined(separator: ", "))) "
            + "SELECT \(values.joined(separator: ", ")) FROM \(source)\(condition)"
    }

    func run() throws {
        try execute(db.makeStatement(sql: insertion()))
    }

    /// Runs a step of the copy. Its SQL would not help the program: the errors of rows say what to add to the plan instead.
    private func execute(_ insert: Statement, arguments: StatementArguments = []) throws {
        do {
            try insert.execute(arguments: arguments)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT || error.resultCode == .SQLITE_MISMATCH {
            let newColumn = error.constraint?.columns?.first { !targets.contains($0.quotedDatabaseIdentifier) }
            if error.constraint?.kind == .notNull, let newColumn {
                throw DatabaseError(
                    resultCode: error.extendedResultCode,
                    message: "can't rebuild \(sourceName): the new column \(newColumn) is NOT NULL, and the rows of the table need a value",
                    advice:
                        "Give it a value with fill(\(newColumn.debugDescription), with:) in the closure or expressions of the plan, or a "
                        + "default value.")
            }
            throw DatabaseError(
                resultCode: error.extendedResultCode,
                message: "can't rebuild \(sourceName): a row does not fit the new definition: \(error.message ?? "")",
                advice: "Change the values of the columns with fill(_:with:) in the closure or expressions of the plan.")
        }
    }

    /// Copies the rows in steps, by ranges of row IDs, and reports the progress after each step.
    func run(_ progress: (TableRebuildProgress) throws -> Void) throws {
        let total = try count()
        try progress(TableRebuildProgress(copiedRowCount: 0, totalRowCount: total))
        guard let rowID = sourceKey.rowIDName?.quotedDatabaseIdentifier else {
            try run()
            return try progress(TableRebuildProgress(copiedRowCount: total, totalRowCount: total))
        }
        let stepSize = 10_000
        let next = try db.makeStatement(
            sql: "SELECT max(r) FROM (SELECT \(rowID) AS r FROM \(source) WHERE \(rowID) >= ? ORDER BY \(rowID) LIMIT \(stepSize))")
        let insert = try db.makeStatement(sql: insertion(where: " WHERE \(rowID) BETWEEN ? AND ?"))
        var start = Int64.min
        var copied = 0
        while copied < total {
            try next.setArguments([start])
            let end = try next.step() ? next.int64(at: 0) : nil
            next.reset()
            guard let end else { break }
            try execute(insert, arguments: [start, end])
            copied += db.changesCount
            try progress(TableRebuildProgress(copiedRowCount: copied, totalRowCount: total))
            guard end < Int64.max else { break }
            start = end + 1
        }
    }

    private func count() throws -> Int {
        try db.values("SELECT count(*) FROM \(source)") { Int($0.int64(at: 0) ?? 0) }.first ?? 0
    }

    // MARK: - Conversions

    /// Throws if the type of a new column has changed a value irreversibly, such as '007' into 7.
    func checkConversions() throws {
        for plain in plains {
            let affinity = ColumnAffinity(plain.column.type, isStrict: isStrict.destination)
            guard affinity != .blob, affinity != ColumnAffinity(plain.source.type, isStrict: isStrict.source) else { continue }
            try checkConversion(plain)
        }
    }

    private func checkConversion(_ plain: Plain) throws {
        let name = plain.column.name
        guard let join = joinCondition() else {
            throw DatabaseError.misuse(
                "can't rebuild \(sourceName): the type of the column \(name) changes, and the table has no key by "
                    + "which the old and the new values of its rows can be compared",
                advice: "Give the value of the column, such as CAST(\(name) AS \(plain.column.type)).")
        }
        let old = "+o.\(plain.source.name.quotedDatabaseIdentifier) COLLATE BINARY"
        let new = "+n.\(name.quotedDatabaseIdentifier)"
        let changed = try db.values(
            """
            SELECT \(old) FROM \(source) AS o JOIN \(destination) AS n ON \(join)
            WHERE NOT CASE typeof(\(old))
                WHEN typeof(\(new)) THEN \(new) IS \(old)
                WHEN 'text' THEN CAST(\(new) AS TEXT) IS \(old)
                WHEN 'integer' THEN CAST(\(new) AS INTEGER) IS \(old)
                WHEN 'real' THEN CAST(\(new) AS REAL) IS \(old)
                ELSE 0 END
            LIMIT 1
            """
        ) { $0.databaseValue(at: 0) }
        guard let changed = changed.first else { return }
        let value = db.configuration.publicStatementArguments ? " (\(changed))" : ""
        throw DatabaseError.misuse(
            "can't rebuild \(sourceName): the new type \(plain.column.type) of the column \(name) would change a value\(value) "
                + "irreversibly", advice: "Give the value of the column, such as a CAST.")
    }

    /// Returns the condition that joins the old and the new version of a row, or nil if the rows can't be identified.
    private func joinCondition() -> String? {
        if keepsRowIDs, let old = sourceKey.rowIDName, let new = destinationKey.rowIDName {
            return "n.\(new.quotedDatabaseIdentifier) = o.\(old.quotedDatabaseIdentifier)"
        }
        guard !destinationKey.isRowID else { return nil }
        var conditions: [String] = []
        for name in destinationKey.columns {
            guard let plain = plains.first(where: { $0.column.name == name }),
                ColumnAffinity(plain.column.type, isStrict: isStrict.destination)
                    == ColumnAffinity(plain.source.type, isStrict: isStrict.source)
            else { return nil }
            conditions.append("n.\(name.quotedDatabaseIdentifier) = o.\(plain.source.name.quotedDatabaseIdentifier)")
        }
        return conditions.joined(separator: " AND ")
    }
}
