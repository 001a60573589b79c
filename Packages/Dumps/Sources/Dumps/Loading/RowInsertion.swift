/// Inserts the rows that a reader returns, in one savepoint.
struct RowInsertion {
    private let db: Database
    private let table: String
    private let verb: String
    private let columns: [String]

    init(_ db: Database, table: String, columns: [String], onConflict conflict: Database.ConflictResolution?) {
        self.db = db
        self.table = table
        self.columns = columns
        verb = "INSERT " + (conflict.map { "OR \($0.rawValue) " } ?? "")
    }

    /// Inserts all rows.
    ///
    /// - Parameter next: returns the values of the next row, the number of its line and the number of bytes read; nil at the end.
    func run(
        progress: ((LoadProgress) throws -> Void)?, next: () throws -> (values: [DatabaseValue], line: Int, byteCount: Int)?
    ) throws -> Int {
        try run(progress: progress) {
            try next().map { (columns, $0.values, $0.line, $0.byteCount) }
        }
    }

    /// Inserts all rows.
    ///
    /// - Parameter next: returns the columns and values of the next row, the number of its line and the number of bytes read; nil at the end.
    func run(
        progress: ((LoadProgress) throws -> Void)?,
        next: () throws -> (columns: [String], values: [DatabaseValue], line: Int, byteCount: Int)?
    ) throws -> Int {
        var rowCount = 0
        var readCount = 0
        var byteCount = 0
        // Few files have records with more than one set of columns.
        var statements: [[String]: Statement] = [:]
        try db.inSavepoint {
            while let row = try next() {
                do {
                    let statement = try statements[row.columns] ?? db.makeStatement(sql: sql(row.columns))
                    if statements.count < 100 { statements[row.columns] = statement }
                    let before = db.totalChangesCount
                    try statement.execute(arguments: StatementArguments(row.values))
                    if db.totalChangesCount != before { rowCount += 1 }
                } catch let error as DatabaseError {
                    throw LoadError(
                        line: row.line, column: nil, message: error.message ?? error.description, advice: error.advice,
                        underlyingError: error)
                }
                readCount += 1
                byteCount = row.byteCount
                if readCount.isMultiple(of: 1000) { try progress?(LoadProgress(rowCount: rowCount, byteCount: byteCount)) }
            }
            try progress?(LoadProgress(rowCount: rowCount, byteCount: byteCount))
            return .commit
        }
        return rowCount
    }

    private func sql(_ columns: [String]) -> String {
        let beginning = "\(verb)INTO \(table.quotedDatabaseIdentifier)"
        if columns.isEmpty { return beginning + " DEFAULT VALUES" }
        let names = columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
        return "\(beginning) (\(names)) VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))"
    }
}

/// The columns that rows can be loaded into.
struct LoadTargets {
    /// A column, or the hidden row id.
    struct Target {
        let affinity: ColumnAffinity

        /// Whether the declared type is `BLOB`.
        let isBlob: Bool
    }

    private var targets: [SchemaName: Target] = [:]

    init(_ db: Database, table: String) throws {
        // The view or table that the name refers to without a database. A view is not strict.
        let schemas = try db.tableExists(table, in: "temp") ? ["temp", "main"] : ["main"]
        let isStrict = try schemas.first.map { try db.isStrictTable(table, in: $0) } ?? false
        for column in try db.columns(in: table) {
            targets[SchemaName(column.name)] = Target(
                affinity: ColumnAffinity(column.type, isStrict: isStrict), isBlob: column.type.uppercased() == "BLOB")
        }
        // A row id that other tables may refer to.
        if try db.tableExists(table), let rowID = try db.primaryKey(table).rowIDName.map(SchemaName.init), targets[rowID] == nil {
            targets[rowID] = Target(affinity: .integer, isBlob: false)
        }
    }

    /// Returns a column, regardless of case; nil if the table does not have it.
    subscript(_ name: String) -> Target? { targets[SchemaName(name)] }
}
