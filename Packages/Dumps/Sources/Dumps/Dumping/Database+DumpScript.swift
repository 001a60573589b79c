extension Database {
    /// Writes SQL that recreates the database.
    ///
    /// Tables and views come first, then the rows, so that each table exists when a foreign key refers to it. Indexes and triggers come
    /// last: triggers must not run again for existing rows. The rows of a virtual table are those of its shadow tables.
    func dumpScript(format: some DumpFormat, to output: inout DumpStream) throws {
        let all = try allSchemaObjects()
        let objects =
            ["table", "view"].flatMap { type in all.filter { $0.type == type } } + all.filter { !["table", "view"].contains($0.type) }
        let isTransaction = (format as? InsertDumpFormat)?.transaction ?? true
        // The encoding comes before the transaction, in which it can't be set.
        if let encoding = try string("PRAGMA main.encoding"), encoding != "UTF-8" {
            output.write("PRAGMA encoding = \(encoding.sqlLiteral);\n")
        }
        var check = CompletenessCheck(objects: objects.filter { !$0.isShadow })
        if isTransaction { output.write("BEGIN;\n" + check.beginning) }
        output.write("PRAGMA defer_foreign_keys = ON;\n")
        for pragma in ["user_version", "application_id"] {
            if let value = try string("PRAGMA main.\(pragma)"), value != "0" { output.write("PRAGMA \(pragma) = \(value);\n") }
        }

        let tables = objects.filter { $0.type == "table" && !$0.isShadow }
        for table in tables { output.write(table.statement) }
        // If SQLite itself rolls back, for example on a full disk, the shell runs the rest outside the transaction. The rest then fails,
        // because it needs the tables. Views, which come before it, don't need them.
        for view in objects where view.type == "view" { output.write(view.statement) }
        for table in try inOrderOfForeignKeys(tables.filter { !$0.isVirtual }.map(\.name)) {
            check.rowCounts.append(
                (table, try dump(table: table, format: format, stableOrder: false, keepsRowIDs: true, to: &output)))
        }
        for table in objects where table.isShadow {
            output.write("DELETE FROM \(table.name.quotedDatabaseIdentifier);\n")
            check.rowCounts.append(
                (table.name, try dump(table: table.name, format: format, stableOrder: false, keepsRowIDs: true, to: &output)))
        }
        let names = objects.filter { $0.type == "table" }.map(\.name.sqlLiteral).joined(separator: ", ")
        if try tableExists("sqlite_sequence", in: "main") {
            output.write("DELETE FROM \"sqlite_sequence\" WHERE \"name\" IN (\(names));\n")
            try dump(table: "sqlite_sequence", format: format, stableOrder: false, to: &output)
        }
        if try tableExists("sqlite_stat1", in: "main") {
            output.write("ANALYZE sqlite_master;\nDELETE FROM \"sqlite_stat1\" WHERE \"tbl\" IN (\(names));\n")
            try dump(table: "sqlite_stat1", format: format, stableOrder: false, to: &output)
        }

        for object in objects where !["table", "view"].contains(object.type) { output.write(object.statement) }
        if isTransaction { output.write(check.end + "COMMIT;\n") }
    }

    private func string(_ sql: String) throws -> String? {
        let statement = try makeStatement(sql: sql)
        guard try statement.step() else { return nil }
        return statement.databaseValue(at: 0).plainText(nullValue: "")
    }
}

/// SQL by which a script rolls back its own transaction unless each of its statements has succeeded.
///
/// SQLite's shell continues after an error, and would commit the rest. A check that fails rolls back by `OR ROLLBACK`; the statements after
/// it then fail, too, because the table of the checks no longer exists.
private struct CompletenessCheck {
    /// The tables that the script fills, and the numbers of their rows.
    var rowCounts: [(table: String, count: Int)] = []

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
        var checks = ["(SELECT count(*) FROM \(table)) = 1 AND \(objectCount) = \(objects.count)"]
        checks += rowCounts.map { "(SELECT count(*) FROM main.\($0.table.quotedDatabaseIdentifier)) = \($0.count)" }
        return checks.map { "INSERT OR ROLLBACK INTO \(table) VALUES (\($0));\n" }.joined() + "DROP TABLE \(table);\n"
    }
}
