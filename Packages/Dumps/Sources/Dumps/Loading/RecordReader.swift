/// Reads the records of a file, and inserts them into a table.
///
/// The records that were read last are kept until the next ones are read: they can be inserted again after a rollback.
protocol RecordReader: AnyObject {
    /// The number of records that were read last.
    var recordCount: Int { get }

    /// The number of records that the format skips, among those read last.
    var skippedCount: Int { get }

    /// The number of bytes of the file that were used.
    var byteCount: Int { get }

    /// The number of the line after the records that were read last.
    var line: Int { get }

    /// The checksum of the bytes that were used.
    var checksum: Int64 { get }

    /// The columns and their types of a new table, if the format can create one.
    ///
    /// - Parameter source: the same file, if it can be opened again; or else the types are found in the records that were read last.
    func definition(of table: LoadedTable, named name: String, again source: TextSource?) throws -> String

    /// Called before the records are inserted, in the transaction.
    ///
    /// - Parameter areTypesFound: whether the types of the columns were found in the file.
    func prepare(_ db: Database, areTypesFound: Bool) throws

    /// Reads the next records, in place of the last ones.
    ///
    /// - Parameters:
    ///   - maximum: the maximum number of records.
    ///   - size: the number of bytes after which no further record is read.
    /// - Returns: whether more records may follow.
    func read(_ maximum: Int, size: Int) throws -> Bool

    /// Continues a load at an offset where a line begins.
    ///
    /// - Returns: false if the file ends before the offset.
    func skip(to offset: Int, line: Int) throws -> Bool

    /// Inserts a record.
    ///
    /// - Throws: ``LoadError`` for a record that can't be loaded.
    func insert(_ index: Int, _ db: Database) throws

    /// The number of records that one statement can insert, after ``prepare(_:areTypesFound:)``.
    var groupSize: Int { get }

    /// Inserts ``groupSize`` records by one statement.
    ///
    /// - Returns: the number of inserted rows; nil if records must be inserted one by one.
    /// - Throws: ``LoadError`` if one of the records can't be loaded. The statement may then have left changes.
    func insertGroup(from first: Int, _ db: Database) throws -> Int?

    /// Called after the records were inserted, or after an error.
    func finish()

    /// A record for the file of rejected records, without a line end.
    func rejectedLine(_ index: Int, _ error: LoadError) -> String

    /// The first lines of the file of rejected records.
    var rejectsHeader: String { get }

    /// A record as it is in the file.
    func text(_ index: Int) -> String
}

/// The columns that rows can be loaded into.
struct LoadTargets {
    /// A column, or the hidden row id.
    struct Target {
        let affinity: ColumnAffinity

        /// Whether the declared type is `BLOB`.
        let isBlob: Bool

        /// Whether SQLite computes the value, and accepts no other.
        let isGenerated: Bool
    }

    private let table: String
    private var targets: [SchemaName: Target] = [:]

    init(_ db: Database, table: String) throws {
        self.table = table
        // The view or table that the name refers to without a database. A view is not strict.
        let schemas = try db.tableExists(table, in: "temp") ? ["temp", "main"] : ["main"]
        let isStrict = try schemas.first.map { try db.isStrictTable(table, in: $0) } ?? false
        for column in try db.columns(in: table) {
            targets[SchemaName(column.name)] = Target(
                affinity: ColumnAffinity(column.type, isStrict: isStrict), isBlob: column.type.uppercased() == "BLOB",
                isGenerated: column.isGenerated)
        }
        // A row id that other tables may refer to.
        if try db.tableExists(table), let rowID = try db.primaryKey(table).rowIDName.map(SchemaName.init), targets[rowID] == nil {
            targets[rowID] = Target(affinity: .integer, isBlob: false, isGenerated: false)
        }
    }

    /// Returns a column, regardless of case; nil if the table does not have it.
    subscript(_ name: String) -> Target? { targets[SchemaName(name)] }

    /// Returns the conversions by the names of columns.
    ///
    /// - Throws: ``LoadError`` for a column that the table does not have.
    func conversions(_ columns: [String: LoadedColumn]) throws -> [SchemaName: LoadedColumn] {
        for name in columns.keys.sorted() where self[name] == nil {
            throw LoadError(line: 1, column: name, message: "the table \(table.debugDescription) has no such column")
        }
        return columns.byColumn
    }
}

extension Dictionary where Key == String {
    /// The values by names of columns, whose case does not matter.
    var byColumn: [SchemaName: Value] { .init(map { (SchemaName($0), $1) }, uniquingKeysWith: { first, _ in first }) }
}

extension Database.ConflictResolution? {
    /// Returns SQL that inserts rows.
    func insertionSQL(into table: String, _ columns: [String], rowCount: Int = 1) -> String {
        let beginning = "INSERT \(map { "OR \($0.rawValue) " } ?? "")INTO \(table.quotedDatabaseIdentifier)"
        if columns.isEmpty { return beginning + " DEFAULT VALUES" }
        let names = columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
        let row = "(\(columns.map { _ in "?" }.joined(separator: ", ")))"
        return "\(beginning) (\(names)) VALUES \(Array(repeating: row, count: rowCount).joined(separator: ", "))"
    }
}

extension Database {
    /// The number of rows to insert into a table by one statement.
    ///
    /// In a transaction, SQLite begins a savepoint for each statement that runs triggers, and FTS5 writes what it has indexed to the database
    /// when the savepoint ends: inserting rows one by one takes several times as long. Without triggers, a few rows save the work that each
    /// statement has; SQLite copies the pages that such a statement changes, so there should not be many.
    ///
    /// Immediate foreign keys are checked at the end of a statement, so rows that may refer to others of the table are inserted one by
    /// one: otherwise, it would depend on their positions in the file whether they are accepted. So are rows that may end the transaction:
    /// only then is it known which one it was.
    func insertionGroupSize(_ table: String, columnCount: Int) throws -> Int {
        guard columnCount > 0, try tableExists(table), try !mayRollBack() else { return 1 }
        if try foreignKeys(on: table).contains(where: { $0.destinationTable.isEqualIgnoringASCIICase(to: table) }) { return 1 }
        return try max(1, min(hasTriggers(table) ? 100 : 8, limit(.parameterCount) / columnCount))
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

extension Statement {
    /// Runs an insertion whose parameters are bound.
    ///
    /// - Throws: ``LoadError`` if the row is to blame; ``DatabaseError``.
    func insert(line: Int) throws {
        do {
            didBindArguments()
            try run()
        } catch let error as DatabaseError {
            throw error.isOfRow ? error.loadError(line: line) : error
        }
    }
}

extension DatabaseError {
    /// Whether another row may be inserted: the row violates a constraint, its values don't fit, or a function of the schema refuses it.
    var isOfRow: Bool {
        switch resultCode {
        case .SQLITE_CONSTRAINT, .SQLITE_MISMATCH, .SQLITE_TOOBIG, .SQLITE_ERROR: true
        default: false
        }
    }

    func loadError(line: Int) -> LoadError {
        LoadError(line: line, column: nil, message: message ?? description, advice: advice, underlyingError: self)
    }
}
