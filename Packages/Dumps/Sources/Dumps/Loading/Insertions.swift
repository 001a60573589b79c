/// The statements that insert the rows of a load, by their columns.
final class Insertions {
    private let db: Database
    private let table: String
    private let conflict: Database.ConflictResolution?

    /// The columns by which an upsert finds rows; nil for insertions.
    private let key: [String]?

    /// The maximum number of rows of a statement.
    private let maximumRowCount: Int

    private struct Key: Hashable {
        let columns: [String]
        let rowCount: Int
        var isUpdate = false
    }

    private var statements: [Key: Statement] = [:]

    /// The statement that was used last, which is compared without computing a hash.
    private var last: (key: Key, statement: Statement)?

    init(_ db: Database, into table: String, _ rule: ConflictRule) throws {
        (self.db, self.table, conflict) = (db, table, rule.resolution)
        key = try rule.upsert?.columns(db, table)
        maximumRowCount = conflict == .rollback ? 1 : try db.maximumInsertionRowCount(table)
    }

    /// Checks that rows have the columns by which an upsert finds them.
    func check(_ columns: [String], line: Int = 1) throws(LoadError) {
        let missing = key?.first { name in !columns.contains { $0.isEqualIgnoringASCIICase(to: name) } }
        guard let missing else { return }
        throw LoadError(
            line: line, column: missing, message: "the record lacks the column by which the row to update is found",
            advice: "Name the columns of another unique index, or insert the records.")
    }

    /// Inserts or updates one row.
    ///
    /// - Parameters:
    ///   - columns: its columns.
    ///   - bind: binds their values.
    func insert(_ columns: [String], line: Int, _ bind: (Statement) throws -> Void) throws {
        try check(columns, line: line)
        let statement = try statement(columns)
        try bind(statement)
        do {
            try statement.insert(line: line)
        } catch let error as LoadError {
            // SQLite looks for missing values of NOT NULL columns before it finds the row that has them.
            guard key != nil, (error.underlyingError as? DatabaseError)?.extendedResultCode == .SQLITE_CONSTRAINT_NOTNULL,
                db.isInsideTransaction
            else { throw error }
            let update = try updateStatement(columns)
            try bind(update)
            try update.insert(line: line)
            if db.changesCount == 0 { throw error }
        }
    }

    /// Returns the number of rows with some columns to insert by one statement.
    func groupSize(columnCount: Int) -> Int {
        columnCount == 0 ? 1 : max(1, min(maximumRowCount, db.limit(.parameterCount) / columnCount))
    }

    /// Returns a statement, which may have been used before. All its parameters must be bound.
    func statement(_ columns: [String], rowCount: Int = 1) throws -> Statement {
        try statement(Key(columns: columns, rowCount: rowCount)) { sql(columns, rowCount: rowCount) }
    }

    /// Returns a statement that updates the row with the same key, with the same parameters.
    private func updateStatement(_ columns: [String]) throws -> Statement {
        func parameters(_ names: [String], separator: String) -> String {
            columns.enumerated().filter { names.contains($1) }.map { "\($1.quotedDatabaseIdentifier) = ?\($0 + 1)" }
                .joined(separator: separator)
        }
        return try statement(Key(columns: columns, rowCount: 1, isUpdate: true)) {
            "UPDATE \(table.quotedDatabaseIdentifier) SET \(parameters(updatedColumns(columns), separator: ", ")) "
                + "WHERE \(parameters(columns.filter(isKey), separator: " AND "))"
        }
    }

    /// The columns that an upsert sets. A row that has a key only is updated, too: it counts, and triggers run.
    private func updatedColumns(_ columns: [String]) -> [String] {
        let others = columns.filter { !isKey($0) }
        return others.isEmpty ? columns : others
    }

    private func isKey(_ column: String) -> Bool { key?.contains { $0.isEqualIgnoringASCIICase(to: column) } == true }

    private func statement(_ key: Key, sql: () -> String) throws -> Statement {
        if let last, last.key == key { return last.statement }
        let statement = try statements[key] ?? db.makeStatement(sql: sql())
        last = (key, statement)
        // Few files have objects with more than one set of columns that have default values.
        if statements.count < 100 { statements[key] = statement }
        return statement
    }

    private func sql(_ columns: [String], rowCount: Int) -> String {
        let beginning = "INSERT \(conflict.map { "OR \($0.rawValue) " } ?? "")INTO \(table.quotedDatabaseIdentifier)"
        if columns.isEmpty { return beginning + " DEFAULT VALUES" }
        let names = columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
        let row = "(\(columns.map { _ in "?" }.joined(separator: ", ")))"
        return "\(beginning) (\(names)) VALUES \(Array(repeating: row, count: rowCount).joined(separator: ", "))\(upsertClause(columns))"
    }

    private func upsertClause(_ columns: [String]) -> String {
        guard let key else { return "" }
        let target = key.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
        let assignments = updatedColumns(columns).map { "\($0.quotedDatabaseIdentifier) = excluded.\($0.quotedDatabaseIdentifier)" }
        return " ON CONFLICT (\(target)) DO UPDATE SET \(assignments.joined(separator: ", "))"
    }
}

extension Database {
    /// The maximum number of rows to insert into a table by one statement.
    ///
    /// In a transaction, SQLite begins a savepoint for each statement that runs triggers, and FTS5 writes what it has indexed to the database
    /// when the savepoint ends: inserting rows one by one takes several times as long. Without triggers, a few rows save the work that each
    /// statement has; SQLite copies the pages that such a statement changes, so there should not be many.
    ///
    /// Immediate foreign keys are checked at the end of a statement, so rows that may refer to others of the table are inserted one by
    /// one: otherwise, it would depend on their positions in the file whether they are accepted. So are rows that may end the transaction:
    /// only then is it known which one it was.
    fileprivate func maximumInsertionRowCount(_ table: String) throws -> Int {
        // A conflict resolution or a trigger may roll back if the word occurs.
        guard try tableExists(table), try !hasObject("sql LIKE '%ROLLBACK%'") else { return 1 }
        if try foreignKeys(on: table).contains(where: { $0.destinationTable.isEqualIgnoringASCIICase(to: table) }) { return 1 }
        return try hasObject("type = 'trigger' AND tbl_name = ? COLLATE NOCASE", [table]) ? 100 : 8
    }

    /// Whether a condition is true for an object of the main or the temporary schema.
    private func hasObject(_ condition: String, _ arguments: StatementArguments = []) throws -> Bool {
        try ["sqlite_master", "sqlite_temp_master"].contains { schema in
            try values("SELECT EXISTS (SELECT 1 FROM \(schema) WHERE \(condition))", arguments) { $0.int64(at: 0) } == [1]
        }
    }
}
