extension Database {
    /// Writes SQL that creates the database again.
    ///
    /// Tables come first, then the rows, so that each table exists when a foreign key refers to it. Indexes, triggers and views come last:
    /// triggers must not run for rows that they have seen already. The rows of a virtual table are those of its shadow tables.
    func dumpScript(format: some DumpFormat, to output: inout DumpStream) throws {
        let objects = try allSchemaObjects()
        let isTransaction = (format as? InsertDumpFormat)?.transaction ?? true
        // Encoding and transaction come first, as the first can't be set in the second.
        if let encoding = try string("PRAGMA main.encoding"), encoding != "UTF-8" {
            output.write("PRAGMA encoding = \(encoding.sqlLiteral);\n")
        }
        if isTransaction { output.write("BEGIN;\n") }
        output.write("PRAGMA defer_foreign_keys = ON;\n")
        for pragma in ["user_version", "application_id"] {
            if let value = try string("PRAGMA main.\(pragma)"), value != "0" { output.write("PRAGMA \(pragma) = \(value);\n") }
        }

        let tables = objects.filter { $0.type == "table" && !$0.isShadow }
        for table in tables { output.write(table.statement) }
        for table in try inOrderOfForeignKeys(tables.filter { !$0.isVirtual }.map(\.name)) {
            try dump(table: table, format: format, stableOrder: false, to: &output)
        }
        for table in objects where table.isShadow { try replaceRows(of: table.name, format: format, to: &output) }
        if try tableExists("sqlite_sequence", in: "main") { try replaceRows(of: "sqlite_sequence", format: format, to: &output) }
        if try tableExists("sqlite_stat1", in: "main") {
            output.write("ANALYZE sqlite_master;\n")
            try replaceRows(of: "sqlite_stat1", format: format, to: &output)
        }

        for object in objects where object.type != "table" { output.write(object.statement) }
        if isTransaction { output.write("COMMIT;\n") }
    }

    private func replaceRows(of table: String, format: some DumpFormat, to output: inout DumpStream) throws {
        output.write("DELETE FROM \(table.quotedDatabaseIdentifier);\n")
        try dump(table: table, format: format, stableOrder: false, to: &output)
    }

    private func string(_ sql: String) throws -> String? {
        let statement = try makeStatement(sql: sql)
        guard try statement.step() else { return nil }
        return statement.databaseValue(at: 0).plainText(nullValue: "")
    }
}
