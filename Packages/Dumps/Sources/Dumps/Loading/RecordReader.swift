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

    /// Whether these bytes are UTF-8 that was made of the file's bytes.
    var isDecoded: Bool { get }

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

    /// Returns the number of records from an index on that one statement can insert, after ``prepare(_:areTypesFound:)``; 1 if the record
    /// must be inserted on its own.
    func groupSize(from first: Int) throws -> Int

    /// Inserts records by one statement.
    ///
    /// - Parameter count: what ``groupSize(from:)`` has returned.
    /// - Returns: the number of inserted rows.
    /// - Throws: ``LoadError`` if one of the records can't be loaded. The statement may then have left changes.
    func insertGroup(from first: Int, count: Int, _ db: Database) throws -> Int

    /// Called after the records were inserted, or after an error.
    func finish()

    /// A record for the file of rejected records, without a line end.
    func rejectedLine(_ index: Int, _ error: LoadError) -> String

    /// The first lines of the file of rejected records.
    var rejectsHeader: String { get }

    /// A record as it is in the file.
    func text(_ index: Int) -> String
}

extension Dictionary where Key == String {
    /// The values by names of columns, whose case does not matter.
    var byColumn: [SchemaName: Value] { .init(map { (SchemaName($0), $1) }, uniquingKeysWith: { first, _ in first }) }
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
        [.SQLITE_CONSTRAINT, .SQLITE_MISMATCH, .SQLITE_TOOBIG, .SQLITE_ERROR].contains(resultCode)
    }

    func loadError(line: Int) -> LoadError {
        LoadError(line: line, column: nil, message: message ?? description, advice: advice, underlyingError: self)
    }
}
