/// Gives a table a new definition: <https://www.sqlite.org/lang_altertable.html#otheralter>.
struct TableRebuilder {
    /// An index or a trigger that is dropped with the table and created again.
    private struct Dependent: Hashable {
        let schema: String
        let type: String
        let name: String
        let sql: String
    }

    private let db: Database
    private let table: DatabaseObjectID
    private let plan: TableRebuildPlan
    private let progress: ((TableRebuildProgress) throws -> Void)?

    /// The name of the new table until it replaces the old one.
    private let temporaryName: String

    private var schema: String { table.schemaID.name }
    private var schemaTable: String { table.schemaID.schemaTableName }

    init(
        _ db: Database, table: DatabaseObjectID, isView: Bool, plan: TableRebuildPlan,
        progress: ((TableRebuildProgress) throws -> Void)?
    ) throws {
        self.db = db
        self.table = table
        self.plan = plan
        self.progress = progress
        let reason: String? =
            if isView {
                "it is a view"
            } else if Database.isSQLiteInternalTable(table.name) {
                "it is an internal table of SQLite"
            } else if try db.isVirtualTable(table) {
                "it is a virtual table"
            } else {
                nil
            }
        if let reason { throw DatabaseError.misuse("can't rebuild \(table.name): \(reason)") }
        var number = 0
        var name = TableRebuildPlan.temporaryName
        while try db.locateTable(name, in: table.schemaID.name) != nil {
            number += 1
            name = "\(TableRebuildPlan.temporaryName)_\(number)"
        }
        temporaryName = name
    }

    private func sql(_ name: String) -> String {
        "\(schema.quotedDatabaseIdentifier).\(name.quotedDatabaseIdentifier)"
    }

    // MARK: - Foreign keys

    /// Throws if dropping the table would delete rows that refer to it.
    func checkEnforcement() throws {
        guard db.enforcesForeignKeys else { return }
        let tables = try db.tablesReferring(to: table)
        guard let first = tables.first else { return }
        throw DatabaseError.misuse(
            "can't rebuild \(table.name) in a transaction while foreign keys are enforced: \(first) refers to it, "
                + "and dropping the old table would delete or change its rows",
            advice: "Rebuild it in a migration with deferred foreign key checks, or in writeWithoutTransaction.")
    }

    private func checkForeignKeys() throws {
        for name in try Set(db.tablesReferring(to: table)).union([table.name]).sorted() {
            try db.checkForeignKeys(in: name, in: schema)
        }
    }

    // MARK: - The procedure

    func run(checksForeignKeys: Bool) throws {
        try db.inSavepoint {
            let schemaIDs = Array(Set([table.schemaID, .temp]))
            let health = try SchemaHealth(db, schemaIDs)
            try renameColumns()
            let copy = try makeTable()
            try copyRows(copy)
            try replaceTable()
            try checkHealth(SchemaHealth(db, schemaIDs), since: health)
            try db.didChangeWithoutTriggers(table)
            if checksForeignKeys { try checkForeignKeys() }
            return .commit
        }
    }

    /// Throws if a view or a trigger no longer works.
    private func checkHealth(_ health: SchemaHealth, since before: SchemaHealth) throws {
        guard let problem = health.problems(since: before).first(where: { $0.kind == .view || $0.kind == .trigger }) else { return }
        throw DatabaseError(
            message: "\(problem)",
            advice: "Drop the view or the trigger before the rebuild, and create it again afterwards.")
    }

    private func renameColumns() throws {
        for (name, newName) in plan.renamedColumns {
            try db.execute(
                sql: "ALTER TABLE \(sql(table.name)) RENAME COLUMN \(name.quotedDatabaseIdentifier) TO \(newName.quotedDatabaseIdentifier)")
        }
    }

    /// Creates the new table, and the copy that fills its columns.
    private func makeTable() throws -> TableCopy {
        try namingTable {
            try db.makeStatement(sql: "CREATE TABLE \(sql(temporaryName)) \(plan.definition)").execute()
        }
        return try TableCopy(db, from: table.name, to: temporaryName, in: schema, plan: plan)
    }

    private func copyRows(_ copy: TableCopy) throws {
        try namingTable {
            if let progress { try copy.run(progress) } else { try copy.run() }
        }
        try copy.checkConversions()
    }

    /// Drops the old table, renames the new one, and recreates what was dropped with the old one.
    private func replaceTable() throws {
        let sequence = try sequence()
        let statistics = try TableStatistics(db, table: table)
        let before = try dependents()
        try db.execute(sql: "DROP TABLE \(sql(table.name))")
        let lost = try before.filter { try !exists($0) }
        try db.withLegacyAlterTable {
            try db.execute(sql: "ALTER TABLE \(sql(temporaryName)) RENAME TO \(table.name.quotedDatabaseIdentifier)")
        }
        if let sequence { try restore(sequence: sequence) }
        for dependent in lost { try create(dependent) }
        for index in plan.indexes { try db.makeStatement(sql: index.sql).execute() }
        try statistics.restore(db)
    }

    /// Runs a closure, and replaces the new table's temporary name by the table's name in the message of its error.
    private func namingTable(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as DatabaseError {
            guard let message = error.message, message.contains(temporaryName) else { throw error }
            throw DatabaseError(
                code: error.extendedResultCode, message: Self.replacing(temporaryName, by: table.name, in: message), sql: error.sql,
                advice: error.advice)
        }
    }

    private static func replacing(_ name: String, by other: String, in text: String) -> String {
        text.split(separator: name, omittingEmptySubsequences: false).joined(separator: other)
    }

    // MARK: - Indexes and triggers

    /// Returns the indexes and the triggers that are dropped with the table, except those that the plan drops. Temporary triggers
    /// may belong to tables of other databases.
    private func dependents() throws -> [Dependent] {
        var dependents: [Dependent] = []
        for each in Set([schema, "temp"].map(SchemaName.init)).map(\.text).sorted() {
            dependents += try db.values(
                """
                SELECT type, name, sql FROM \(DatabaseSchemaID.attached(each).schemaTableName)
                WHERE type IN ('index', 'trigger') AND sql IS NOT NULL AND tbl_name = ? COLLATE NOCASE
                ORDER BY type, rowid
                """, [table.name]
            ) { Dependent(schema: each, type: $0.string(at: 0) ?? "", name: $0.string(at: 1) ?? "", sql: $0.string(at: 2) ?? "") }
        }
        for (type, names) in [("index", plan.droppedIndexes), ("trigger", plan.droppedTriggers)] {
            for name in names
            where !dependents.contains(where: { $0.type == type && $0.name.isEqualIgnoringASCIICase(to: name) }) {
                throw DatabaseError.misuse("can't rebuild \(table.name): it has no \(type) \(name) to drop")
            }
        }
        return dependents
    }

    private func exists(_ dependent: Dependent) throws -> Bool {
        try !db.values(
            "SELECT 1 FROM \(DatabaseSchemaID.attached(dependent.schema).schemaTableName) WHERE type = ? AND name = ?",
            [dependent.type, dependent.name]
        ) { $0.int64(at: 0) }.isEmpty
    }

    private func create(_ dependent: Dependent) throws {
        func isNamed(in names: some Sequence<String>) -> Bool {
            names.contains { $0.isEqualIgnoringASCIICase(to: dependent.name) }
        }
        if dependent.type == "index", isNamed(in: plan.droppedIndexes) || isNamed(in: plan.indexes.map(\.name)) { return }
        if dependent.type == "trigger", isNamed(in: plan.droppedTriggers) { return }
        // SQLite writes the beginning of the SQL itself, up to the name, and without the name of the database:
        // https://www.sqlite.org/schematab.html
        guard let start = ["CREATE INDEX ", "CREATE UNIQUE INDEX ", "CREATE TRIGGER "].first(where: dependent.sql.hasPrefix) else {
            throw DatabaseError.misuse(
                "can't rebuild \(table.name): the SQL of the \(dependent.type) \(dependent.name) is not as SQLite writes it")
        }
        let sql = "\(start)\(dependent.schema.quotedDatabaseIdentifier).\(dependent.sql.dropFirst(start.count))"
        do {
            try db.makeStatement(sql: sql).execute()
        } catch let error as DatabaseError {
            throw DatabaseError(
                resultCode: error.extendedResultCode,
                message: "can't rebuild \(table.name): its \(dependent.type) \(dependent.name) does not fit the new definition: "
                    + (error.message ?? ""), sql: sql, advice: "Drop it in the rebuild, and create it again.")
        }
    }

    // MARK: - Facts from SQLite's own tables

    /// Returns the highest row ID that `AUTOINCREMENT` has assigned: <https://www.sqlite.org/autoinc.html>.
    private func sequence() throws -> Int64? {
        guard try db.locateTable("sqlite_sequence", in: schema) != nil, try db.isAutoincremented(temporaryName, in: schema) else {
            return nil
        }
        return try db.values("SELECT max(seq) FROM \(sql("sqlite_sequence")) WHERE name = ?", [table.name]) { $0.int64(at: 0) }.first
    }

    private func restore(sequence: Int64) throws {
        // A table without rows has no row in `sqlite_sequence` yet, and a name may have several rows.
        try db.execute(
            sql: """
                INSERT INTO \(sql("sqlite_sequence")) (name, seq)
                    SELECT ?1, 0 WHERE NOT EXISTS (SELECT 1 FROM \(sql("sqlite_sequence")) WHERE name = ?1);
                """, arguments: [table.name])
        try db.execute(
            sql: "UPDATE \(sql("sqlite_sequence")) SET seq = max(seq, ?) WHERE name = ?", arguments: [sequence, table.name])
    }
}

extension Database {
    /// Returns the tables with foreign keys that refer to a table, including the table itself.
    package func tablesReferring(to table: DatabaseObjectID) throws -> [String] {
        try values(
            """
            SELECT DISTINCT t.name FROM \(table.schemaID.schemaTableName) AS t, pragma_foreign_key_list(t.name, ?) AS f
            WHERE t.type = 'table' AND f."table" = ? COLLATE NOCASE
            """, [table.schemaID.name, table.name]
        ) { $0.string(at: 0) ?? "" }
    }

    func isVirtualTable(_ table: DatabaseObjectID) throws -> Bool {
        try values("SELECT rootpage FROM \(table.schemaID.schemaTableName) WHERE type = 'table' AND name = ?", [table.name]) {
            $0.int64(at: 0) ?? 0
        }.contains(0)
    }

    /// Returns whether a table without a row in `sqlite_sequence` is `AUTOINCREMENT`.
    fileprivate func isAutoincremented(_ name: String, in schema: String) throws -> Bool {
        let definitions = try values(
            "SELECT sql FROM \(DatabaseSchemaID.attached(schema).schemaTableName) WHERE type = 'table' AND name = ?", [name]
        ) { $0.string(at: 0) ?? "" }
        let tokens = SQLTokens(definitions.first ?? "")
        // SQLite accepts the word without quotes only as the keyword.
        return tokens.tokens.indices.contains { tokens.keyword($0) == "AUTOINCREMENT" }
    }
}
