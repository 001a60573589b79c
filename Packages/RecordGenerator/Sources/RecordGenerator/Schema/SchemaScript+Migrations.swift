import Migrations

extension SchemaScript.Part {
    /// The pragmas that SQLite ignores in a transaction, and that don't change an existing database.
    private static let ignoredPragmas: Set<String> = ["AUTO_VACUUM", "FOREIGN_KEYS", "JOURNAL_MODE", "PAGE_SIZE"]

    /// Returns diagnostics of the pragmas that silently do nothing in a migration.
    ///
    /// Source: <https://www.sqlite.org/pragma.html>
    func pragmasWithoutEffect(areWarnings: Bool) -> [QueryDiagnostic] {
        statements.compactMap { statement in
            guard tokens.keyword(statement.lowerBound) == "PRAGMA" else { return nil }
            let name = tokens.name(pragmaName(statement))
            guard Self.ignoredPragmas.contains(name.uppercased()), pragmaName(statement) + 1 < statement.upperBound else { return nil }
            return source.diagnostic(
                "PRAGMA \(name) does nothing in a migration, which runs in a transaction: remove it", at: place(of: statement),
                isWarning: areWarnings)
        }
    }

    // MARK: - What goes

    /// Whether the file has statements that drop parts of tables and views.
    var mayDropParts: Bool {
        statements.contains { tokens.keyword($0.lowerBound) == "DROP" && ["TABLE", "VIEW"].contains(tokens.keyword($0.lowerBound + 1)) }
    }

    /// Returns warnings about what the file drops without naming it, in a `DROP` or in a line `-- @drops`.
    func warnings(about dropped: DroppedParts, _ db: Database) throws -> [QueryDiagnostic] {
        try dropped.missing(db, acceptingThoseOf: [tokens]).map { part, statement in
            source.diagnostic(
                part.report, at: statement.map { place(of: statements[$0]) } ?? 0..<1, isWarning: true)
        }
    }

    // MARK: - Rows

    /// Throws if a statement adds a column that a table with rows can't have.
    ///
    /// The migration runs on made-up rows, and is rolled back: one in each empty table that it alters and has not created. Only the addition of
    /// columns is judged, because other statements may depend on the values of the rows. Nothing is said if a function of the program is called.
    ///
    /// Source: <https://www.sqlite.org/lang_altertable.html#alter_table_add_column>
    ///
    /// - Throws: ``QueryErrors`` with the statement.
    func checkWithRows(_ db: Database, _ settings: RecordSettings) throws {
        let tables = Set(statements.compactMap(alteration).map { SchemaName($0.table) })
        guard statements.contains(where: { alteration($0)?.addition != nil }) else { return }
        settings.addFunctions(to: db, refusingCalls: true)
        defer { settings.addFunctions(to: db) }
        var problem: QueryDiagnostic?
        try db.inSavepoint {
            let areValid = try tables.map { try addRow(to: $0.text, db) }.allSatisfy(\.self)
            for (number, statement) in statements.enumerated() {
                guard let failure = try run(number, db) else { continue }
                if try isCertain(failure.message, of: statement, areValid, db) { problem = failure }
                break
            }
            return .rollback
        }
        if let problem { throw QueryErrors(diagnostics: [problem]) }
    }

    /// The table that a statement alters, and the tokens of the column that it adds, from its name on.
    private func alteration(_ statement: Range<Int>) -> (table: String, addition: Range<Int>?)? {
        guard tokens.keyword(statement.lowerBound) == "ALTER" else { return nil }
        let name = statement.lowerBound + (tokens.text(statement.lowerBound + 3) == "." ? 4 : 2)
        guard tokens.keyword(name + 1) == "ADD" else { return (tokens.name(name), nil) }
        let column = name + (tokens.keyword(name + 2) == "COLUMN" ? 3 : 2)
        return (tokens.name(name), min(column, statement.upperBound)..<statement.upperBound)
    }

    /// Inserts a row into a table that has none, if the table exists and accepts one.
    ///
    /// - Returns: whether all rows fulfil the constraints of the table.
    private func addRow(to table: String, _ db: Database) throws -> Bool {
        let quoted = table.quotedDatabaseIdentifier
        guard case .statement = try db.compile("SELECT 1 FROM main.\(quoted)") else { return true }
        let rows = try db.makeStatement(sql: "SELECT 1 FROM main.\(quoted) LIMIT 1")
        if try rows.step() { return true }
        rows.reset()
        var generator = RowGenerator(seed: 1)
        func insertRow() throws -> Bool {
            do { return try generator.insertRow(db, table) } catch is DatabaseError { return false }
        }
        if try insertRow() { return true }
        // Such as CHECK (email LIKE '%@%').
        try db.execute(sql: "PRAGMA ignore_check_constraints = ON")
        let isInserted = try insertRow()
        try db.execute(sql: "PRAGMA ignore_check_constraints = OFF")
        return !isInserted
    }

    /// Returns whether a failed statement adds a column, and fails with any rows.
    ///
    /// A constraint of the new column may depend on the values of others.
    private func isCertain(_ message: String, of statement: Range<Int>, _ rowsAreValid: Bool, _ db: Database) throws -> Bool {
        guard let alteration = alteration(statement), let addition = alteration.addition else { return false }
        if message.lowercased().hasPrefix("cannot add ") { return true }
        guard message.hasSuffix("constraint failed") else { return false }
        let name = SchemaName(tokens.name(addition.lowerBound))
        let others = try db.columns(in: alteration.table).map { SchemaName($0.name) }.filter { $0 != name }
        return rowsAreValid && !addition.contains { others.contains(SchemaName(tokens.name($0))) }
    }
}
