/// The position of a load that can be resumed, in the database that it loads into.
///
/// The table `strata_loads` has a row for each load that has begun and not ended. Each portion updates it in its own transaction: the
/// position is always the one of the rows that are in the database.
///
/// The position has a checksum of the bytes before it, and not of the whole file. A resumed load reads these bytes again, and refuses a
/// file in which they differ. So each row of the file is loaded exactly once, even if rows were appended, or if a mistake after the
/// position was corrected. A checksum of the whole file would promise no more, and each load of a large file, and not only a resumed
/// one, would first read all of it. A stream could not have one.
struct LoadPosition: Equatable {
    /// The number of bytes of the file before the next record.
    var byteCount: Int

    /// The number of the line of the next record.
    var line: Int

    /// The checksum of these bytes: ``SourceChecksum``.
    var checksum: Int64

    var recordCount: Int
    var rowCount: Int
    var rejectedCount: Int

    /// The number of bytes in the file of rejected records; nil if there is no such file.
    var rejectsSize: Int?

    /// The path of that file.
    var rejectsPath: String?

    /// Whether the load has created the table, with types that it has found in the file.
    var areTypesFound: Bool

    /// The position of a load that has committed no portion.
    static let beginning = LoadPosition(
        byteCount: 0, line: 1, checksum: 0, recordCount: 0, rowCount: 0, rejectedCount: 0, areTypesFound: false)

    /// Whether records come before the position.
    var hasRecords: Bool { byteCount > 0 }

    /// The table of positions.
    static let table = "strata_loads"
}

extension Database {
    /// Returns the position of a load; nil if no such load was interrupted.
    func loadPosition(named name: String, into table: String) throws -> LoadPosition? {
        guard try tableExists(LoadPosition.table, in: "main") else { return nil }
        let sql = "SELECT * FROM main.\(LoadPosition.table.quotedDatabaseIdentifier) WHERE name = ? AND tableName = ?"
        guard let row = try Row.fetchOne(self, sql: sql, arguments: [name, table]) else { return nil }
        return LoadPosition(
            byteCount: try row.decode(forColumn: "byteCount"), line: try row.decode(forColumn: "line"),
            checksum: try row.decode(forColumn: "checksum"), recordCount: try row.decode(forColumn: "recordCount"),
            rowCount: try row.decode(forColumn: "rowCount"), rejectedCount: try row.decode(forColumn: "rejectedCount"),
            rejectsSize: try row.decodeIfPresent(forColumn: "rejectsSize"),
            rejectsPath: try row.decodeIfPresent(forColumn: "rejectsPath"), areTypesFound: try row.decode(forColumn: "areTypesFound"))
    }

    func storeLoadPosition(_ position: LoadPosition, named name: String, into table: String) throws {
        let positions = "main.\(LoadPosition.table.quotedDatabaseIdentifier)"
        if try !tableExists(LoadPosition.table, in: "main") {
            try execute(
                sql: """
                    CREATE TABLE \(positions) (
                        name TEXT NOT NULL, tableName TEXT NOT NULL COLLATE NOCASE,
                        byteCount INTEGER NOT NULL, line INTEGER NOT NULL, checksum INTEGER NOT NULL,
                        recordCount INTEGER NOT NULL, rowCount INTEGER NOT NULL, rejectedCount INTEGER NOT NULL,
                        rejectsSize INTEGER, rejectsPath TEXT, areTypesFound INTEGER NOT NULL,
                        PRIMARY KEY (name, tableName)
                    ) WITHOUT ROWID
                    """)
        }
        try execute(
            sql: "INSERT OR REPLACE INTO \(positions) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            arguments: [
                name, table, position.byteCount, position.line, position.checksum, position.recordCount, position.rowCount,
                position.rejectedCount, position.rejectsSize, position.rejectsPath, position.areTypesFound,
            ])
    }

    /// Forgets the position of an interrupted load, whose rows stay in the table: the next load of this name begins at the beginning of its
    /// file.
    ///
    /// ```swift
    /// try db.forgetLoad(named: "players.csv", into: "player")
    /// ```
    ///
    /// The SQL is `DELETE FROM strata_loads WHERE name = 'players.csv' AND tableName = 'player'`.
    ///
    /// - Parameters:
    ///   - name: the name of the load.
    ///   - table: the name of the table that it inserts into.
    /// - Throws: ``DatabaseError``.
    public func forgetLoad(named name: String, into table: String) throws {
        guard try tableExists(LoadPosition.table, in: "main") else { return }
        let sql = "DELETE FROM main.\(LoadPosition.table.quotedDatabaseIdentifier) WHERE name = ? AND tableName = ?"
        try execute(sql: sql, arguments: [name, table])
    }

    /// Returns the progress of an interrupted load; nil if no load of this name was interrupted after a portion.
    ///
    /// ```swift
    /// if let progress = try db.interruptedLoad(named: "players.csv", into: "player") {
    ///     print("\(progress.rowCount) rows are loaded")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name of the load.
    ///   - table: the name of the table that it inserts into.
    /// - Throws: ``DatabaseError``.
    public func interruptedLoad(named name: String, into table: String) throws -> LoadProgress? {
        guard let position = try loadPosition(named: name, into: table), position.hasRecords else { return nil }
        return LoadProgress(
            rowCount: position.rowCount, byteCount: position.byteCount, totalByteCount: nil, recordCount: position.recordCount,
            rejectedCount: position.rejectedCount, isLast: false)
    }
}
