import QueryInterface

/// The index of an FTS5 table, and the commands that maintain it.
///
/// ```swift
/// let index = FTS5Index("document_ft")
/// try index.optimize(db)
/// try index.checkIntegrity(db)
/// ```
///
/// Source: <https://www.sqlite.org/fts5.html#special_insert_commands>
public struct FTS5Index: Hashable, Sendable {
    /// The name of the table.
    public let tableName: String

    /// Creates a handle for a table.
    public init(_ tableName: String) {
        self.tableName = tableName
    }

    /// Deletes the index, and builds it from the content of the table: `INSERT INTO t (t) VALUES ('rebuild')`.
    ///
    /// If the table is synchronized with another table, this also writes its triggers again, if an earlier version has
    /// written them, or if unique indexes were created since.
    ///
    /// - Throws: ``DatabaseError``, for example if the table is contentless.
    public func rebuild(_ db: Database) throws { try db.rebuildFullTextTable(tableName) }

    /// Merges the whole index into one structure, which makes queries faster: `INSERT INTO t (t) VALUES ('optimize')`.
    ///
    /// This takes long for a large index. ``merge(_:pages:)`` does the same step by step.
    ///
    /// - Throws: ``DatabaseError``.
    public func optimize(_ db: Database) throws { try run(db, "optimize") }

    /// Checks that the index is consistent, and that it matches the content: `INSERT INTO t (t, rank) VALUES ('integrity-check', 1)`.
    ///
    /// With `comparesContent`, the index of a table with external content is compared with that content. In other tables, both are always
    /// compared.
    ///
    /// - Throws: ``DatabaseError`` with the code `SQLITE_CORRUPT_VTAB` if they do not match.
    public func checkIntegrity(_ db: Database, comparesContent: Bool = true) throws {
        try run(db, "integrity-check", comparesContent ? 1 : 0)
    }

    /// Does part of the work of ``optimize(_:)``: `INSERT INTO t (t, rank) VALUES ('merge', 500)`.
    ///
    /// ```swift
    /// try index.merge(db, pages: -500)        // Begins to merge everything.
    /// while try index.merge(db, pages: 500) {}
    /// ```
    ///
    /// It writes about as many pages as `pages`. A negative number begins to merge structures of different sizes as well.
    ///
    /// - Returns: whether there may be more to merge.
    /// - Throws: ``DatabaseError``.
    @discardableResult
    public func merge(_ db: Database, pages: Int) throws -> Bool {
        let before = try Int.fetchOne(db, sql: "SELECT total_changes()") ?? 0
        try run(db, "merge", pages)
        // SQLite documents that a merge that had nothing to do changes less than two rows.
        return try (Int.fetchOne(db, sql: "SELECT total_changes()") ?? 0) - before >= 2
    }

    /// Deletes the whole index of a contentless table, or of a table with external content: `INSERT INTO t (t) VALUES ('delete-all')`.
    ///
    /// - Throws: ``DatabaseError`` if the table stores its content itself.
    public func deleteAll(_ db: Database) throws { try run(db, "delete-all") }

    /// Removes a row from the index of a contentless table, or of a table with external content: `INSERT INTO t (t, rowid, title) VALUES
    /// ('delete', 1, 'old')`.
    ///
    /// `values` are the values that were indexed, by column. With other values, the index becomes inconsistent.
    ///
    /// - Throws: ``DatabaseError`` if the table stores its content itself.
    public func delete(_ db: Database, rowID: Int64, values: [String: (any DatabaseValueConvertible)?]) throws {
        let table = try TableReference(tableName, in: db)
        let columns = values.keys.sorted()
        let names = ([table.name, "rowid"] + columns).map(\.quotedDatabaseIdentifier).joined(separator: ", ")
        let arguments: [(any DatabaseValueConvertible)?] = ["delete", rowID] + columns.map { values[$0] ?? nil }
        let parameters = arguments.map { _ in "?" }.joined(separator: ", ")
        try db.execute(sql: "INSERT INTO \(table.sql) (\(names)) VALUES (\(parameters))", arguments: StatementArguments(arguments))
    }

    // MARK: Options, which the table stores

    /// Sets how many structures of one size are merged when rows are written, from 0 for none to 16. By default 4.
    public func setAutomerge(_ db: Database, _ count: Int) throws { try run(db, "automerge", count) }

    /// Sets how many structures of one size can exist before a write merges all of them. By default 16.
    public func setCrisisMerge(_ db: Database, _ count: Int) throws { try run(db, "crisismerge", count) }

    /// Sets how many structures of one size ``merge(_:pages:)`` merges at least, from 2 to 16. By default 4.
    public func setUserMerge(_ db: Database, _ count: Int) throws { try run(db, "usermerge", count) }

    /// Sets the size of the pages of new structures, in bytes. By default 4050.
    public func setPageSize(_ db: Database, _ size: Int) throws { try run(db, "pgsz", size) }

    /// Sets the function that computes ``Column/rank``, with its arguments: `bm25(10.0, 1.0)`.
    public func setRank(_ db: Database, function: String) throws {
        try checkForNUL([function], in: "a rank function")
        try run(db, "rank", function)
    }

    /// Sets whether deleted rows leave no traces in the index. Needs SQLite 3.42.
    ///
    /// - Throws: ``DatabaseError`` when the SQLite in use lacks the option.
    public func setSecureDelete(_ db: Database, _ isOn: Bool) throws {
        try SQLiteFeature.secureDelete.check()
        try run(db, "secure-delete", isOn ? 1 : 0)
    }

    private func run(_ db: Database, _ command: String, _ value: (any DatabaseValueConvertible)? = nil) throws {
        try db.runFullTextCommand(command, value, on: tableName)
    }
}

/// The index of an FTS4 or FTS3 table, and the commands that maintain it.
///
/// Source: <https://www.sqlite.org/fts3.html#commandopts>
public struct FTS4Index: Hashable, Sendable {
    /// The name of the table.
    public let tableName: String

    /// Creates a handle for a table.
    public init(_ tableName: String) {
        self.tableName = tableName
    }

    /// Deletes the index, and builds it from the content of the table: `INSERT INTO t (t) VALUES ('rebuild')`.
    ///
    /// If the table is synchronized with another table, this also writes its triggers again, if an earlier version has
    /// written them, or if unique indexes were created since.
    ///
    /// - Throws: ``DatabaseError``, for example if the table is contentless.
    public func rebuild(_ db: Database) throws { try db.rebuildFullTextTable(tableName) }

    /// Merges the whole index into one structure, which makes queries faster: `INSERT INTO t (t) VALUES ('optimize')`.
    ///
    /// - Throws: ``DatabaseError``.
    public func optimize(_ db: Database) throws { try db.runFullTextCommand("optimize", nil, on: tableName) }

    /// Checks that the index matches the content: `INSERT INTO t (t) VALUES ('integrity-check')`.
    ///
    /// - Throws: ``DatabaseError`` with the code `SQLITE_CORRUPT_VTAB` if they do not match.
    public func checkIntegrity(_ db: Database) throws { try db.runFullTextCommand("integrity-check", nil, on: tableName) }

    /// Does part of the work of ``optimize(_:)``: `INSERT INTO t (t) VALUES ('merge=500,8')`.
    ///
    /// It writes about as many pages as `pages`, and merges at least as many structures as `segments`, 2 or more.
    ///
    /// - Returns: whether there may be more to merge.
    /// - Throws: ``DatabaseError``.
    @discardableResult
    public func merge(_ db: Database, pages: Int, segments: Int = 8) throws -> Bool {
        let before = try Int.fetchOne(db, sql: "SELECT total_changes()") ?? 0
        try db.runFullTextCommand("merge=\(pages),\(segments)", nil, on: tableName)
        return try (Int.fetchOne(db, sql: "SELECT total_changes()") ?? 0) - before >= 2
    }

    /// Sets how many structures of one size are merged when rows are written, 0 for none. By default none.
    public func setAutomerge(_ db: Database, _ count: Int) throws {
        try db.runFullTextCommand("automerge=\(count)", nil, on: tableName)
    }
}

extension Database {
    fileprivate func rebuildFullTextTable(_ tableName: String) throws {
        guard let table = try fullTextTable(tableName) else {
            throw DatabaseError.misuse("\(tableName) is not a full-text table")
        }
        try inSavepoint {
            try rebuildIndex(of: table)
            return .commit
        }
    }

    fileprivate func runFullTextCommand(_ command: String, _ value: (any DatabaseValueConvertible)?, on tableName: String) throws {
        let table = try TableReference(tableName, in: self)
        let column = table.name.quotedDatabaseIdentifier
        if let value {
            try execute(sql: "INSERT INTO \(table.sql) (\(column), \"rank\") VALUES (?, ?)", arguments: [command, value])
        } else {
            try execute(sql: "INSERT INTO \(table.sql) (\(column)) VALUES (?)", arguments: [command])
        }
    }
}
