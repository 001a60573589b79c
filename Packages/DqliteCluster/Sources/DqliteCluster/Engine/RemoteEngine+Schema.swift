import CDqliteCluster
import SQLiteDriver

// The copy of the cluster's schema.

extension RemoteEngine {
    func renewSchema(of db: Database) throws -> Bool {
        guard !isMirroring else { return false }
        let known = generation
        try interruptible {
            if hasRemoteTransaction { try compareSchemas() } else { try connectAndCompareSchemas() }
        }
        return generation != known
    }

    /// Compares the version of the cluster's schema with the version of the copy, and renews the copy if they differ.
    func compareSchemas() throws {
        let version = try remoteVersion()
        if version != mirroredVersion { try renew(version) }
    }

    private func remoteVersion() throws -> Int64 {
        guard let version = try query("PRAGMA schema_version").int64(row: 0, column: 0) else {
            throw ClusterError.invalidResponse("no schema version")
        }
        return version
    }

    /// Records the version of the schema after a change that also runs here.
    func adoptVersion() throws {
        mirroredVersion = try remoteVersion()
        generation += 1
    }

    /// Records that the transaction was rolled back, with its changes of the schema.
    func restoreVersion() {
        if mirroredVersion != versionBeforeTransaction, versionBeforeTransaction != nil {
            mirroredVersion = versionBeforeTransaction
            generation += 1
        }
        versionBeforeTransaction = nil
    }

    private func renew(_ version: Int64) throws {
        guard let db = database, let handle = db.sqliteConnection else { return }
        // Reading the schema also makes the leader's connection read it again.
        var rows = try query(
            "SELECT type, name, sql FROM sqlite_master WHERE sql NOT NULL "
                + "ORDER BY CASE type WHEN 'table' THEN 0 WHEN 'index' THEN 1 WHEN 'view' THEN 2 ELSE 3 END, rowid")
        var objects: [(type: String, name: String, sql: String)] = []
        while true {
            for row in 0..<rows.count {
                guard let type = rows.text(row: row, column: 0), let name = rows.text(row: row, column: 1),
                    let sql = rows.text(row: row, column: 2)
                else { throw ClusterError.invalidResponse("the schema is not readable") }
                objects.append((type, name, sql))
            }
            if !rows.hasMore { break }
            rows = try moreRows()
        }
        isMirroring = true
        defer { isMirroring = false }
        var foreignKeys: CInt = 0
        strata_sqlite3_db_config_int(handle, SQLITE_DBCONFIG_ENABLE_FKEY, -1, &foreignKeys)
        strata_sqlite3_db_config_int(handle, SQLITE_DBCONFIG_ENABLE_FKEY, 0, nil)
        defer { strata_sqlite3_db_config_int(handle, SQLITE_DBCONFIG_ENABLE_FKEY, foreignKeys, nil) }
        mirroredVersion = nil
        let isInside = sqlite3_get_autocommit(handle) == 0
        do {
            try run("SAVEPOINT strata_mirror", handle)
            try removeAll(handle)
            try create(objects, handle)
            if objects.contains(where: { $0.name == "sqlite_stat1" }) { try run("ANALYZE", handle) }
            try run("RELEASE strata_mirror", handle)
        } catch {
            sqlite3_exec(handle, isInside ? "ROLLBACK TO strata_mirror; RELEASE strata_mirror" : "ROLLBACK", nil, nil, nil)
            throw error
        }
        mirroredVersion = version
        generation += 1
        db.clearSchemaCache()
    }

    /// Creates objects, the tables first.
    ///
    /// A virtual table creates its shadow tables, which have its name before an underscore
    /// (<https://www.sqlite.org/vtab.html#xshadowname>), and may read the columns of an ordinary table. It is therefore created after the
    /// tables with other names, and before the tables with such names.
    private func create(_ objects: [(type: String, name: String, sql: String)], _ handle: SQLiteConnection) throws {
        let own = objects.filter { !$0.name.hasPrefix("sqlite_") }
        let virtualTables = own.filter { $0.type == "table" && $0.sql.prefix(20).uppercased().hasPrefix("CREATE VIRTUAL") }
        let virtualNames = Set(virtualTables.map(\.name))
        let tables = own.filter { $0.type == "table" && !virtualNames.contains($0.name) }
        let mayBeShadow = { (name: String) in virtualNames.contains { name.hasPrefix($0 + "_") } }
        for table in tables where !mayBeShadow(table.name) { try run(table.sql, handle) }
        for table in virtualTables { try run(table.sql, handle) }
        for table in tables where mayBeShadow(table.name) {
            if try !exists(table.name, handle) { try run(table.sql, handle) }
        }
        for object in own where object.type != "table" { try run(object.sql, handle) }
    }

    private func removeAll(_ handle: SQLiteConnection) throws {
        // Dropping a table drops its indexes and triggers; dropping a virtual table drops its shadow tables.
        let list = try names(
            "SELECT type || ' ' || name FROM sqlite_master WHERE type IN ('view', 'table') ORDER BY sql NOT LIKE 'CREATE VIRTUAL%'", handle)
        for each in list {
            let parts = each.split(separator: " ", maxSplits: 1).map(String.init)
            guard parts.count == 2, !parts[1].hasPrefix("sqlite_"), try exists(parts[1], handle) else { continue }
            try run("DROP \(parts[0]) \(parts[1].quotedDatabaseIdentifier)", handle)
        }
        if try exists("sqlite_stat1", handle) { try run("DROP TABLE sqlite_stat1", handle) }
    }

    private func exists(_ name: String, _ handle: SQLiteConnection) throws -> Bool {
        try names(
            "SELECT name FROM sqlite_master WHERE name = '\(name.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''"))'",
            handle
        ).isEmpty == false
    }

    private func names(_ sql: String, _ handle: SQLiteConnection) throws -> [String] {
        var statement: SQLiteStatement?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw mirrorError(sql, handle) }
        var result: [String] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: result.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "")
            case SQLITE_DONE: return result
            // The cancellation of a task may have ended the statement.
            default: throw mirrorError(sql, handle)
            }
        }
    }

    private func run(_ sql: String, _ handle: SQLiteConnection) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw mirrorError(sql, handle) }
    }

    private func mirrorError(_ sql: String, _ handle: SQLiteConnection) -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: sqlite3_extended_errcode(handle)),
            message: "the schema of the cluster can't be copied: \(String(cString: sqlite3_errmsg(handle)))", sql: sql)
    }
}
