extension DatabaseCheck {
    /// Compares the full-text indexes of the main database with their tables, which SQLite's integrity check does not.
    ///
    /// ```swift
    /// let findings = try pool.verify([.integrity, .foreignKeys, .fullTextIndexes])
    /// ```
    ///
    /// SQLite's command for this check is an INSERT, although it changes nothing: the check needs the connection that writes.
    ///
    /// Source: <https://www.sqlite.org/fts5.html#the_integrity_check_command>
    public static let fullTextIndexes = DatabaseCheck("full-text indexes", writes: true) { db in
        let names = try String.fetchAll(
            db, sql: "SELECT name FROM main.sqlite_master WHERE type = 'table' AND rootpage = 0 ORDER BY name")
        return try names.compactMap { try db.fullTextTable($0) }.filter { $0.schema == "main" }.compactMap { try db.finding(in: $0) }
    }
}

extension Database {
    /// Returns the finding in a full-text index, if there is one.
    fileprivate func finding(in index: FullTextTable) throws -> String? {
        do {
            if index.module == "fts5" {
                try FTS5Index(index.name).checkIntegrity(self)
            } else {
                try FTS4Index(index.name).checkIntegrity(self)
            }
            return nil
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            let name = index.name.quotedDatabaseIdentifier
            return "\(index.name): the index does not match its content; INSERT INTO \(name) (\(name)) VALUES ('rebuild') builds it again"
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            return "\(index.name) can't be checked: \(error.message ?? error.extendedResultCode.errorString)"
        }
    }
}
