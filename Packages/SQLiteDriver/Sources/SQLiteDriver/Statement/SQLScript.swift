import CSQLiteShims

/// Some SQL, whose statements are compiled one after the other in a time that grows with its length.
///
/// SQLite copies SQL that does not end with a NUL: in a long script, for each statement all that follow it.
final class SQLScript {
    private let characters: UnsafeMutablePointer<CChar>
    private let count: Int
    private var position = 0

    /// Copies some SQL.
    ///
    /// - Throws: ``DatabaseError`` when it contains a NUL, where SQLite would stop and leave out what follows.
    init(_ sql: some StringProtocol) throws {
        count = sql.utf8.count
        characters = .allocate(capacity: count + 1)
        _ = UnsafeMutableBufferPointer(start: characters, count: count)
            .initialize(from: sql.utf8.lazy.map { CChar(bitPattern: $0) })
        characters[count] = 0
        if UnsafeBufferPointer(start: characters, count: count).contains(0) {
            throw DatabaseError(
                code: .SQLITE_MISUSE, message: "the SQL contains a NUL character", sql: String(sql), advice: nil)
        }
    }

    deinit {
        characters.deallocate()
    }

    /// How many bytes of UTF-8 have been compiled.
    var consumedCount: Int { position }

    /// Compiles the next statement.
    ///
    /// - Returns: nil when only white space and comments are left.
    /// - Throws: ``DatabaseError``, with all that is left as its SQL.
    func nextStatement(_ database: Database) throws -> Statement? {
        let connection = try database.openHandle()
        database.authorizer.reset()
        let start = characters + position
        var handle: SQLiteStatement?
        var tail: UnsafePointer<CChar>?
        var code = sqlite3_prepare_v2(connection, start, -1, &handle, &tail)
        var numberOfTries = 0
        // Another connection to the same database in memory is changing the schema.
        while code == ResultCode.SQLITE_LOCKED_SHAREDCACHE.rawValue, database.waitsForLock(numberOfTries: numberOfTries) {
            database.authorizer.reset()
            code = sqlite3_prepare_v2(connection, start, -1, &handle, &tail)
            numberOfTries += 1
        }
        if code == SQLITE_ERROR {
            let error = database.makeError(code, sql: String(cString: start))
            // SQLite looks for a changed schema when a statement runs, and not always when one is compiled: what does not fit the
            // schema that it last read may fit the one that another process has made of it.
            // The table that it does not find may be one that was rolled back.
            try database.checkTransactionFailure(sql: String(cString: start))
            guard Self.readSchemaAgain(connection) else { throw error }
            database.authorizer.reset()
            code = sqlite3_prepare_v2(connection, start, -1, &handle, &tail)
            if code == SQLITE_ERROR { throw error }
        }
        guard code == SQLITE_OK else {
            throw database.makeError(code, sql: String(cString: start))
        }
        guard let handle, let tail else {
            position = count
            return nil
        }
        let length = tail - UnsafePointer(start)
        position += length
        let sql = String(decoding: UnsafeRawBufferPointer(start: start, count: length), as: UTF8.self)
        return Statement(database: database, handle: handle, sql: sql, effects: database.authorizer.effects(of: sql))
    }

    /// Runs a statement that makes SQLite compare the schema that it knows with that of the file.
    ///
    /// - Returns: whether it was another one.
    @discardableResult
    static func readSchemaAgain(_ connection: SQLiteConnection, schema: String = "main") -> Bool {
        var handle: SQLiteStatement?
        let sql = "PRAGMA \(schema.quotedDatabaseIdentifier).table_info(sqlite_master)"
        guard sqlite3_prepare_v2(connection, sql, -1, &handle, nil) == SQLITE_OK else { return false }
        defer { sqlite3_finalize(handle) }
        sqlite3_step(handle)
        return sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0) > 0
    }

    /// Whether a statement that has failed may succeed after all, because SQLite has compiled it for a schema that is no longer that
    /// of the file.
    ///
    /// SQLite compiles a statement again in the first step of a run, for the schema that it last read. Another connection may have
    /// changed the file since: by dropping a trigger that refers to a missing column, for example. A statement that does not
    /// compile has done nothing yet, so that it can begin again. One that failed later, maybe after rows that its caller has seen,
    /// does compile.
    static func readsAnotherSchema(compiling sql: String, _ database: Database) -> Bool {
        guard let connection = database.sqliteConnection else { return false }
        database.authorizer.reset()
        var handle: SQLiteStatement?
        let code = sqlite3_prepare_v2(connection, sql, -1, &handle, nil)
        sqlite3_finalize(handle)
        return code == SQLITE_ERROR && readSchemaAgain(connection)
    }

    /// Whether only white space, semicolons and comments are left.
    func isAtEnd(_ database: Database) -> Bool {
        let start = position
        defer { position = start }
        // SQL that does not compile is no blank, and its own turn will tell what is wrong with it.
        guard let statement = try? nextStatement(database) else { return position == count }
        return withExtendedLifetime(statement) { false }
    }
}
