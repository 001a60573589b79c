/// The statements that insert the rows of a load, by their columns.
final class Insertions {
    private let db: Database
    private let table: String
    private let conflict: Database.ConflictResolution?

    /// The maximum number of rows of a statement.
    private let maximumRowCount: Int

    private struct Key: Hashable {
        let columns: [String]
        let rowCount: Int
    }

    private var statements: [Key: Statement] = [:]

    /// The statement that was used last, which is compared without computing a hash.
    private var last: (key: Key, statement: Statement)?

    init(_ db: Database, into table: String, _ conflict: Database.ConflictResolution?) throws {
        (self.db, self.table, self.conflict) = (db, table, conflict)
        maximumRowCount = conflict == .rollback ? 1 : try db.maximumInsertionRowCount(table)
    }

    /// Returns the number of rows with some columns to insert by one statement.
    func groupSize(columnCount: Int) -> Int {
        columnCount == 0 ? 1 : max(1, min(maximumRowCount, db.limit(.parameterCount) / columnCount))
    }

    /// Returns a statement, which may have been used before. All its parameters must be bound.
    func statement(_ columns: [String], rowCount: Int = 1) throws -> Statement {
        let key = Key(columns: columns, rowCount: rowCount)
        if let last, last.key == key { return last.statement }
        let statement = try statements[key] ?? db.makeStatement(sql: sql(columns, rowCount: rowCount))
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
        return "\(beginning) (\(names)) VALUES \(Array(repeating: row, count: rowCount).joined(separator: ", "))"
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
        guard try tableExists(table), try !mayRollBack() else { return 1 }
        if try foreignKeys(on: table).contains(where: { $0.destinationTable.isEqualIgnoringASCIICase(to: table) }) { return 1 }
        return try hasTriggers(table) ? 100 : 8
    }

    /// Whether the schema has a conflict resolution or a trigger that rolls back. It may also be true if the word occurs in it.
    private func mayRollBack() throws -> Bool {
        try Bool.fetchOne(
            self,
            sql: """
                SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE sql LIKE '%ROLLBACK%')
                    OR EXISTS (SELECT 1 FROM sqlite_temp_master WHERE sql LIKE '%ROLLBACK%')
                """) ?? false
    }

    private func hasTriggers(_ table: String) throws -> Bool {
        try Bool.fetchOne(
            self,
            sql: """
                SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ?1 COLLATE NOCASE)
                    OR EXISTS (SELECT 1 FROM sqlite_temp_master WHERE type = 'trigger' AND tbl_name = ?1 COLLATE NOCASE)
                """, arguments: [table]) ?? false
    }
}
