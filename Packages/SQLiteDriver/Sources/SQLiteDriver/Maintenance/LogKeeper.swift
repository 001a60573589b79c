import CSQLiteShims

/// A second connection to a database file, whose read transaction keeps the write-ahead log from being reset.
///
/// It is used on the thread of the access to the first connection, and never writes.
final class LogKeeper {
    private let database: Database

    private var beginning: SQLiteStatement?
    private var reading: SQLiteStatement?
    private var ending: SQLiteStatement?

    /// Opens the connection.
    ///
    /// - Parameters:
    ///   - schema: the name of the database, main or attached.
    ///   - owner: the connection to which it is attached.
    /// - Throws: ``DatabaseError``, if the file has been moved or can't be opened again.
    init(schema: String, of owner: Database) throws {
        let handle = try owner.openHandle()
        // If the file was moved or deleted, the path leads to another file, or to none.
        var hasMoved: CInt = 0
        sqlite3_file_control(handle, schema, SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        guard hasMoved == 0, let file = sqlite3_db_filename(handle, schema) else { throw Self.error(schema, owner) }
        var configuration = Configuration()
        configuration.busyMode = .immediateError
        database = try Database(path: Self.path(of: file, schema, owner), configuration: configuration)
        // The connection is opened like its owner, with permission to write, because it may be the last to be closed. It only reads.
        let reader = try database.openHandle()
        guard let other = sqlite3_db_filename(reader, "main"), strcmp(file, other) == 0,
            Self.vfs(of: reader, "main") == Self.vfs(of: handle, schema)
        else { throw Self.error(schema, owner) }
        sqlite3_extended_result_codes(reader, 1)
        // An encrypted file needs its key, which the program's preparations set.
        if begin() == SQLITE_NOTADB {
            database.beginAccess()
            defer { database.endAccess() }
            try owner.configuration.prepare(database)
        }
        end()
    }

    /// Returns a path that opens a file as it was opened, with a private cache.
    ///
    /// With a shared cache, SQLite would treat both connections as one.
    private static func path(of file: UnsafePointer<CChar>, _ schema: String, _ owner: Database) throws -> String {
        if schema == "main", owner.location.hasPrefix("file:") {
            let path = owner.location.prefix { $0 != "#" }
            return path + (path.contains("?") ? "&" : "?") + "cache=private"
        }
        var path = "file:\(String(cString: file).percentEncodedForURI)?cache=private"
        if let name = vfs(of: try owner.openHandle(), schema)?.pointee.zName {
            path += "&vfs=\(String(cString: name).percentEncodedForURI)"
        }
        return path
    }

    private static func vfs(of handle: SQLiteConnection, _ schema: String) -> UnsafeMutablePointer<sqlite3_vfs>? {
        var vfs: UnsafeMutablePointer<sqlite3_vfs>?
        sqlite3_file_control(handle, schema, SQLITE_FCNTL_VFS_POINTER, &vfs)
        return vfs
    }

    private static func error(_ schema: String, _ owner: Database) -> DatabaseError {
        DatabaseError(
            code: .SQLITE_CANTOPEN, message: "the file of the database \(schema) can't be opened a second time for a checkpoint",
            advice: "Check that the file was not moved or deleted since it was opened.")
    }

    deinit {
        for statement in [beginning, reading, ending].compactMap({ $0 }) { sqlite3_finalize(statement) }
    }

    /// Begins a read transaction.
    ///
    /// - Returns: SQLite's result code. It is SQLITE_OK only if the transaction holds a read lock of the log.
    func begin() -> CInt {
        guard let handle = database.sqliteConnection else { return SQLITE_MISUSE }
        var code = run("BEGIN", &beginning)
        // The PRAGMA reads the first page of the file, and does not parse the schema.
        if code == SQLITE_OK { code = run("PRAGMA main.schema_version", &reading) }
        if code == SQLITE_OK, sqlite3_txn_state(handle, "main") == SQLITE_TXN_READ { return SQLITE_OK }
        end()
        return code == SQLITE_OK ? SQLITE_INTERNAL : code
    }

    /// Ends the read transaction, if there is one.
    func end() {
        guard let handle = database.sqliteConnection, sqlite3_get_autocommit(handle) == 0 else { return }
        _ = run("COMMIT", &ending)
    }

    /// Runs a statement, which is prepared before its first run.
    private func run(_ sql: String, _ statement: inout SQLiteStatement?) -> CInt {
        if statement == nil {
            let code = sqlite3_prepare_v2(database.sqliteConnection, sql, -1, &statement, nil)
            if code != SQLITE_OK { return code }
        }
        while sqlite3_step(statement) == SQLITE_ROW {}
        return sqlite3_reset(statement)
    }
}
