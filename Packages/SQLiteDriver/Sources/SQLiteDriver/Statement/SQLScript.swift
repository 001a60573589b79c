import CSQLiteShims

/// SQL whose statements are compiled one after the other, in time proportional to its length.
///
/// SQLite copies SQL that does not end with a NUL. Compiling the statements of a long script one by one would copy the rest of the
/// script for each of them.
final class SQLScript {
    private let characters: UnsafeMutablePointer<CChar>
    private let count: Int
    private var position = 0

    /// Copies some SQL.
    ///
    /// - Throws: ``DatabaseError`` if the SQL contains a NUL, where SQLite would stop and ignore the rest, or has 2 GiB or more, as
    ///   SQLite counts the bytes of a token in 32 bits.
    init(_ sql: some StringProtocol) throws {
        count = sql.utf8.count
        guard count <= Int32.max else {
            // The error does not contain the SQL: copies of it would fill the memory.
            throw DatabaseError(
                code: .SQLITE_TOOBIG, message: "the SQL has \(count) bytes: SQLite reads \(Int32.max) at most", sql: nil, advice: nil)
        }
        characters = .allocate(capacity: count + 1)
        UnsafeMutableRawBufferPointer(start: characters, count: count).copyBytes(from: sql.utf8)
        characters[count] = 0
        if UnsafeBufferPointer(start: characters, count: count).contains(0) {
            throw DatabaseError.misuse("the SQL contains a NUL character", sql: String(sql))
        }
    }

    deinit {
        characters.deallocate()
    }

    /// Compiles the next statement.
    ///
    /// - Returns: nil if only white space and comments are left.
    /// - Throws: ``DatabaseError``, with the rest of the script as its SQL.
    func nextStatement(_ database: Database) throws -> Statement? {
        let connection = try database.openHandle()
        defer { database.authorizer.didCompile() }
        let start = characters + position
        var handle: SQLiteStatement?
        var tail: UnsafePointer<CChar>?
        var code = Self.compile(database, start, &handle, &tail)
        if code == SQLITE_ERROR {
            let error = database.makeError(code, sql: String(cString: start))
            // A table may be missing because SQLite has rolled back the transaction that created it: this throws the error of the
            // rollback. Otherwise, the schema that SQLite has last read may be outdated, because SQLite checks for a schema change
            // when a statement runs, and not always when it is compiled: the SQL may fit the current schema.
            try database.checkTransactionFailure(sql: String(cString: start))
            let isOutdated = try Self.readSchemaAgain(database) || database.renewEngineSchema()
            guard isOutdated else { throw database.namingMissingCollation(error) }
            // If it fails again, the error is about the current schema.
            code = Self.compile(database, start, &handle, &tail)
        }
        guard code == SQLITE_OK else {
            let error = database.makeError(code, sql: String(cString: start))
            database.noteRollback(by: error)
            throw database.namingMissingCollation(error)
        }
        guard let handle, let tail else {
            position = count
            return nil
        }
        let length = tail - UnsafePointer(start)
        position += length
        let sql = String(decoding: UnsafeRawBufferPointer(start: start, count: length), as: UTF8.self).trimmedSQL
        let effects = database.authorizer.effects(of: sql)
        // SQLite runs this PRAGMA when it compiles it.
        if effects.logPragma == .automaticCheckpoints { database.logProtection.install(on: connection, of: database) }
        return try database.makeStatement(handle, sql: sql, effects: effects)
    }

    /// Compiles a statement, and waits while another connection to the same database in memory is changing the schema.
    private static func compile(
        _ database: Database, _ start: UnsafePointer<CChar>, _ handle: inout SQLiteStatement?, _ tail: inout UnsafePointer<CChar>?
    ) -> CInt {
        var numberOfTries = 0
        while true {
            database.authorizer.reset()
            let code = sqlite3_prepare_v2(database.sqliteConnection, start, -1, &handle, &tail)
            guard code == ResultCode.SQLITE_LOCKED_SHAREDCACHE.rawValue, database.waitsForLock(numberOfTries: numberOfTries) else {
                return code
            }
            numberOfTries += 1
        }
    }

    /// Makes SQLite compare the schema that it knows with the schema of the file.
    ///
    /// - Returns: whether they were different.
    /// - Throws: ``DatabaseError`` if memory runs out, which may have made SQLite roll back the transaction. The statements that follow
    ///   report other errors, such as a damaged schema.
    @discardableResult
    static func readSchemaAgain(_ database: Database, schema: String = "main") throws -> Bool {
        guard let connection = database.sqliteConnection else { return false }
        var handle: SQLiteStatement?
        let sql = "PRAGMA \(schema.quotedDatabaseIdentifier).table_info(sqlite_master)"
        var code = sqlite3_prepare_v2(connection, sql, -1, &handle, nil)
        // The end of the statement is an event of traces, too.
        defer { database.withInternalStatements { _ = sqlite3_finalize(handle) } }
        if code == SQLITE_OK { code = database.withInternalStatements { database.withoutInterruption { sqlite3_step(handle) } } }
        if code != SQLITE_ROW, code != SQLITE_DONE {
            let error = database.makeError(code, sql: sql)
            if database.noteRollback(by: error) || error.resultCode == .SQLITE_NOMEM { throw error }
        }
        guard let handle else { return false }
        return sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0) > 0
    }

    /// Returns whether a failed statement may succeed when run again, because SQLite compiled it for an outdated schema.
    ///
    /// SQLite compiles a statement again in the first step of a run, for the schema that it has last read. Another connection may
    /// have changed the schema since, for example by dropping a trigger that refers to a missing column. A statement that does not
    /// compile has done nothing yet, and can begin again. A statement that failed later, possibly after its caller has seen rows, does
    /// compile.
    static func readsAnotherSchema(compiling sql: String, _ database: Database) -> Bool {
        guard let connection = database.sqliteConnection else { return false }
        database.authorizer.reset()
        defer { database.authorizer.didCompile() }
        var handle: SQLiteStatement?
        let code = sqlite3_prepare_v2(connection, sql, -1, &handle, nil)
        sqlite3_finalize(handle)
        guard code == SQLITE_ERROR else { return false }
        // If memory runs out, the caller throws its first error.
        return (try? readSchemaAgain(database)) ?? false
    }

    /// Returns whether only white space, semicolons and comments are left.
    func isAtEnd(_ database: Database) -> Bool {
        let start = position
        defer { position = start }
        // SQL that does not compile is not blank. The next call of `nextStatement(_:)` throws its error.
        guard start < count, let statement = try? nextStatement(database) else { return position == count }
        return withExtendedLifetime(statement) { false }
    }
}
