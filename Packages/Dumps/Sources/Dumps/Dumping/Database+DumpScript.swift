extension Database {
    /// Writes SQL that recreates the database.
    ///
    /// Tables and views come first, then the rows, so that each table exists when a foreign key refers to it. Indexes and triggers come
    /// last: triggers must not run again for existing rows. The contents of virtual tables come after the rows that they may be based on:
    /// see ``VirtualTableContent``.
    func dumpScript(format: some DumpFormat, to output: inout DumpStream) throws {
        let all = try allSchemaObjects()
        let objects =
            ["table", "view"].flatMap { type in all.filter { $0.type == type } } + all.filter { !["table", "view"].contains($0.type) }
        let contents = try virtualTableContents(objects)
        // Without its module, it is not known which tables a virtual table creates.
        let dependentTables = contents.flatMap(\.shadowTables).filter { !$0.isShadow }
        let dependentNames = Set(dependentTables.map { SchemaName($0.name) })
        let isTransaction = (format as? InsertDumpFormat)?.transaction ?? true

        writeNote(onShadowTablesOf: contents, to: &output)
        var check = CompletenessCheck(objects: objects.filter { !$0.isShadow })
        try writePragmas(beginning: isTransaction ? "BEGIN;\n" + check.beginning : "", to: &output)

        let tables = objects.filter { $0.type == "table" && !$0.isShadow && !dependentNames.contains(SchemaName($0.name)) }
        for table in tables { output.write(table.statement) }
        for table in dependentTables { output.write(table.statementIfNeeded) }
        // If SQLite itself rolls back, for example on a full disk, the shell runs the rest outside the transaction. The rest then fails,
        // because it needs the tables. Views, which come before the rest, don't need them.
        for view in objects where view.type == "view" { output.write(view.statement) }
        for table in try inOrderOfForeignKeys(tables.filter { !$0.isVirtual }.map(\.name)) {
            let count = try dump(table: table, format: format, stableOrder: false, keepsRowIDs: true, to: &output)
            check.add(count, in: "main.\(table.quotedDatabaseIdentifier)")
        }
        // An index may be built from another virtual table.
        let isIndex = { (content: VirtualTableContent) in if case .index = content.form { true } else { false } }
        for content in contents.filter({ !isIndex($0) }) + contents.filter(isIndex) {
            try dump(content, format: format, check: &check, to: &output)
        }
        let names = objects.filter { $0.type == "table" }.map(\.name.sqlLiteral).joined(separator: ", ")
        for (table, column, beginning) in [("sqlite_sequence", "name", ""), ("sqlite_stat1", "tbl", "ANALYZE sqlite_master;\n")]
        where try tableExists(table, in: "main") {
            output.write(beginning + "DELETE FROM \"\(table)\" WHERE \"\(column)\" IN (\(names));\n")
            try dump(table: table, format: format, stableOrder: false, to: &output)
        }

        for object in objects where !["table", "view"].contains(object.type) { output.write(object.statement) }
        if isTransaction { output.write(check.end + "COMMIT;\n") }
    }

    /// Writes the settings of the database, and the beginning of the transaction.
    private func writePragmas(beginning: String, to output: inout DumpStream) throws {
        // The encoding comes before the transaction, in which it can't be set.
        if let encoding = try string("PRAGMA main.encoding"), encoding != "UTF-8" {
            output.write("PRAGMA encoding = \(encoding.sqlLiteral);\n")
        }
        output.write(beginning + "PRAGMA defer_foreign_keys = ON;\n")
        for pragma in ["user_version", "application_id"] {
            if let value = try string("PRAGMA main.\(pragma)"), value != "0" { output.write("PRAGMA \(pragma) = \(value);\n") }
        }
    }

    /// Writes which virtual tables defensive connections can't restore, and how to restore them, as comments.
    private func writeNote(onShadowTablesOf contents: [VirtualTableContent], to output: inout DumpStream) {
        let names = contents.filter { if case .shadowTables = $0.form { true } else { false } }.map(\.table.name.withVisibleControls)
        if names.isEmpty { return }
        output.write(
            """
            -- This script writes the shadow tables of virtual tables whose rows can't be read. SQLite refuses this in defensive mode, the
            -- default on Apple platforms ("table may not be modified"). There, restore the script with db.load(sql:) of Strata, with
            -- strata sql --write, or in SQLite's shell after the command .dbconfig defensive off. The virtual tables are:
            \(names.map { "-- \($0)\n" }.joined())
            """)
    }

    /// Writes SQL that restores the content of a virtual table.
    private func dump(
        _ content: VirtualTableContent, format: some DumpFormat, check: inout CompletenessCheck, to output: inout DumpStream
    ) throws {
        let name = content.table.name
        if case .shadowTables = content.form {
            // A module may keep the changes of a transaction in memory until a savepoint begins.
            return try inSavepoint {
                for table in content.shadowTables {
                    output.write("DELETE FROM \(table.name.quotedDatabaseIdentifier);\n")
                    let count = try dump(table: table.name, format: format, stableOrder: false, keepsRowIDs: true, to: &output)
                    check.add(count, in: "main.\(table.name.quotedDatabaseIdentifier)")
                }
                return .commit
            }
        }
        if let settings = content.settings {
            let count = try dump(makeStatement(sql: settings.selection), table: name, format: format, to: &output)
            if count > 0 { check.add(count, in: settings.rows) }
        }
        if case .rows(let condition) = content.form {
            let count = try dump(
                table: name, format: format, stableOrder: false, keepsRowIDs: content.hasHiddenRowIDs,
                hiddenColumns: content.hiddenColumns, condition: condition, to: &output)
            check.add(count, in: content.countedTable)
        } else {
            let table = name.quotedDatabaseIdentifier
            output.write("INSERT INTO \(table) (\(table)) VALUES ('rebuild');\n")
            check.add(Int(try string("SELECT count(*) FROM \(content.countedTable)") ?? "") ?? 0, in: content.countedTable)
        }
    }

    private func string(_ sql: String) throws -> String? {
        try values(sql) { $0.databaseValue(at: 0).plainText(nullValue: "") }.first
    }
}

/// SQL by which a script rolls back its own transaction unless each of its statements has succeeded.
///
/// SQLite's shell continues after an error, and would commit the rest. A check that fails rolls back by `OR ROLLBACK`; the statements after
/// it then fail, too, because the table of the checks no longer exists.
private struct CompletenessCheck {
    /// SQL that is true once the script has inserted its rows.
    private var rowChecks: [String] = []

    private let objects: [String]

    /// The name of a temporary table. In the script, it would hide a table of the same name.
    private let name: String

    private var table: String { "temp.\(name.quotedDatabaseIdentifier)" }

    init(objects: [SchemaObject]) {
        self.objects = objects.map { "\($0.type) \($0.name)" }
        let names = Set(objects.map { SchemaName($0.name) })
        var name = "strata_restore"
        while names.contains(SchemaName(name)) { name += "_" }
        self.name = name
    }

    /// Adds the number of rows that the script inserts.
    ///
    /// - Parameter rows: SQL for a table, and perhaps a condition.
    mutating func add(_ count: Int, in rows: String) {
        rowChecks.append("(SELECT count(*) FROM \(rows)) = \(count)")
    }

    /// SQL for the number of objects in the schema that the script creates.
    private var objectCount: String {
        "(SELECT count(*) FROM main.sqlite_master WHERE type || ' ' || name IN (\(objects.map(\.sqlLiteral).joined(separator: ", "))))"
    }

    /// SQL for the beginning of the transaction.
    var beginning: String {
        """
        CREATE TEMP TABLE \(name.quotedDatabaseIdentifier) ("isComplete" CONSTRAINT "the script restores its objects and rows" CHECK ("isComplete"));
        INSERT INTO \(table) VALUES (\(objectCount) = 0);

        """
    }

    /// SQL for the end of the transaction.
    ///
    /// The first check finds missing tables: SQLite would not compile the checks that count their rows, and would not roll back.
    var end: String {
        let checks = ["(SELECT count(*) FROM \(table)) = 1 AND \(objectCount) = \(objects.count)"] + rowChecks
        return checks.map { "INSERT OR ROLLBACK INTO \(table) VALUES (\($0));\n" }.joined() + "DROP TABLE \(table);\n"
    }
}
