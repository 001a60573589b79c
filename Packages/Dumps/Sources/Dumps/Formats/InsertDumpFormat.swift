/// SQL that inserts the rows again.
///
/// ```swift
/// // INSERT INTO "player" ("id", "name") VALUES (1, 'Arthur');
/// // INSERT INTO "player" ("id", "name") VALUES (2, NULL);
/// try db.dumpTables(["player"], format: .insert())
/// ```
///
/// Strata and SQLite's shell insert exactly the same values. Tables are dumped in the order of their foreign keys. Hidden row IDs, of
/// tables without an `INTEGER PRIMARY KEY`, are omitted: rows get new ones in the table that they are inserted into.
///
/// ``Database/dumpContent(format:to:)`` writes a script that recreates the whole database, with the row IDs:
///
/// ```swift
/// var script = ""
/// try source.dumpContent(format: .insert(), to: &script)
/// try copy.writeWithoutTransaction { db in try db.load(sql: script) }
/// ```
public struct InsertDumpFormat: DumpFormat, Sendable {
    /// The name of the table; nil for the table that is dumped.
    public var table: String?

    /// Whether ``Database/dumpContent(format:to:)`` writes `BEGIN` and `COMMIT`. A script without them can run in a transaction.
    public var transaction: Bool

    private var beginning = ""

    /// The number of bytes of a statement that SQLite accepts by default: <https://www.sqlite.org/limits.html#max_sql_length>.
    private static let maximumLength = 1_000_000_000

    /// Creates a format.
    ///
    /// - Parameters:
    ///   - table: the name of the table that the rows are inserted into; nil for the table that is dumped. Other queries need a name.
    ///   - transaction: whether a script for a whole database contains `BEGIN` and `COMMIT`.
    public init(into table: String? = nil, transaction: Bool = true) {
        self.table = table
        self.transaction = transaction
    }

    /// Returns true.
    public var writesSQL: Bool { true }

    /// Prepares the statements.
    ///
    /// - Throws: ``DatabaseError`` with the code `SQLITE_MISUSE` if a query returned the rows, and ``table`` is nil.
    public mutating func prepare(_ db: Database, statement: Statement, table: String?, to stream: inout DumpStream) throws {
        guard let table = self.table ?? table else {
            if statement.columnCount == 0 { return }
            throw DatabaseError.misuse(
                "INSERT statements need a table, and the rows of a query have none", sql: statement.sql,
                advice: "Name a table, as in .insert(into: \"player\").")
        }
        let columns = statement.columnNames.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
        beginning = "INSERT INTO \(table.quotedDatabaseIdentifier) (\(columns)) VALUES ("
    }

    /// Writes a row.
    ///
    /// - Throws: ``DatabaseError`` with the code `SQLITE_TOOBIG` if the SQL of the row would have a billion bytes or more.
    public func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) throws {
        let values = try (0..<statement.columnCount).map { try statement.exactSQL(at: $0, db) }.joined(separator: ", ")
        guard beginning.utf8.count + values.utf8.count < Self.maximumLength else {
            throw DatabaseError(
                resultCode: .SQLITE_TOOBIG,
                message: "a row is too large for SQL: a statement has at most \(Self.maximumLength) bytes", sql: statement.sql,
                advice: "Copy the database with a backup.")
        }
        stream.write(beginning)
        stream.write(values)
        stream.write(");\n")
    }
}

extension DumpFormat where Self == InsertDumpFormat {
    /// SQL that inserts the rows again. See ``InsertDumpFormat``.
    ///
    /// - Parameters:
    ///   - table: the name of the table that the rows are inserted into; nil for the table that is dumped. Other queries need a name.
    ///   - transaction: whether a script for a whole database contains `BEGIN` and `COMMIT`.
    public static func insert(into table: String? = nil, transaction: Bool = true) -> Self {
        InsertDumpFormat(into: table, transaction: transaction)
    }
}
