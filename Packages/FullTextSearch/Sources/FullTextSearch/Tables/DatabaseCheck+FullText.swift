extension DatabaseCheck {
    /// Compares the full-text indexes of the main database with their tables, which SQLite's integrity check does not.
    ///
    /// ```swift
    /// let findings = try pool.verify([.integrity, .foreignKeys, .fullTextIndexes])
    /// ```
    ///
    /// An index whose triggers an earlier version has written is a finding, too: `Database.renewFullTextTriggers()` writes them again.
    ///
    /// SQLite's command for this check is an INSERT, although it changes nothing: the check needs the connection that writes.
    ///
    /// Source: <https://www.sqlite.org/fts5.html#the_integrity_check_command>
    public static let fullTextIndexes = DatabaseCheck("full-text indexes", writes: true) { db in
        try db.fullTextTables(in: "main").flatMap { try db.findings(in: $0) }
    }
}

extension Database {
    /// Returns the full-text tables of a database, by name.
    func fullTextTables(in schema: String) throws -> [FullTextTable] {
        let list = "\(schema.quotedDatabaseIdentifier).sqlite_master"
        let names = try String.fetchAll(self, sql: "SELECT name FROM \(list) WHERE type = 'table' AND rootpage = 0 ORDER BY name")
        return try names.compactMap { try fullTextTable("\(schema).\($0)") }
    }

    /// Returns the findings in a full-text index: its triggers, and the text that it indexes.
    fileprivate func findings(in index: FullTextTable) throws -> [String] {
        let outdated = "\(index.name): an earlier version has written its triggers; Database.renewFullTextTriggers() writes them again"
        let isOutdated = try StoredSynchronization(of: index, self)?.isOutdated == true
        return try (isOutdated ? [outdated] : []) + [finding(in: index)].compactMap { $0 }
    }

    /// Returns the finding in the indexed text of a full-text index, if there is one.
    fileprivate func finding(in index: FullTextTable) throws -> String? {
        do {
            if index.module == "fts5" {
                try FTS5Index(index.name).checkIntegrity(self)
            } else {
                // The index reads copies of rows in place of the rows, and this check compares it with the rows.
                try inSavepoint {
                    try StoredSynchronization(of: index, self)?.deleteCopies(self)
                    try FTS4Index(index.name).checkIntegrity(self)
                    return .rollback
                }
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
