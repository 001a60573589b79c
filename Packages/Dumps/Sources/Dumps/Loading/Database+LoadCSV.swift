extension Database {
    /// Inserts the records of a CSV file.
    ///
    /// ```swift
    /// // id,name,score
    /// // 1,Arthur,500
    /// try db.load(csv: .file(url), into: "player")
    ///
    /// // Full name;Points
    /// // Arthur;500
    /// try db.load(
    ///     csv: .file(url), into: "player", format: CSVFormat(separator: ";"),
    ///     columns: .renaming(["Full name": "name", "Points": "score"]))
    /// ```
    ///
    /// The SQL is `INSERT INTO "player" ("id", "name", "score") VALUES (?, ?, ?)`.
    ///
    /// Fields are stored as strings, except for numbers in columns of numeric types. A REAL column stores the nearest real number;
    /// `INTEGER`, `NUMERIC` and similar columns store integers exactly. A field that is not quoted is NULL if it equals the null value of
    /// the format, a blob if it is written as `X'00FF'`, and, in a column without a type or of the type `BLOB`, a number if it has the form
    /// in which ``CSVDumpFormat`` writes numbers. All values of a dump are therefore restored exactly. The file is read in chunks, and may
    /// have any size. A column can be the hidden row id, under a name such as `rowid`. Fields of generated columns are skipped.
    ///
    /// Either all rows are inserted, or none, except for rejected records: see ``LoadOptions``. A large file is better loaded in portions, by
    /// the method of the same name of queues and pools.
    ///
    /// - Parameters:
    ///   - source: a file, a string or bytes.
    ///   - table: the name of a table or view.
    ///   - format: how the fields are written.
    ///   - columns: the columns that the fields are stored in. By default, the first line of the file names them.
    ///   - options: how texts become values, whether the table is created, and where records go that can't be loaded.
    ///   - conflict: the conflict resolution; nil for the table's own.
    ///   - upsert: by which columns rows are found that are updated; nil to insert all records. Updated rows count, too.
    ///   - progress: called after each 1,000 records and at the end. An error that it throws ends the load.
    /// - Returns: the number of rows that were inserted, without ignored rows.
    /// - Throws: ``LoadError`` with the number of the line, for example for an integer of more than 64 bits in an `INTEGER` or `NUMERIC`
    ///   column, and for a number that is too large for a REAL; ``DatabaseError``; the error of the file, or of `progress`.
    @discardableResult
    public func load(
        csv source: TextSource, into table: String, format: CSVFormat = CSVFormat(), columns: LoadColumns = .fromHeader,
        options: LoadOptions = LoadOptions(), onConflict conflict: ConflictResolution? = nil, upsert: LoadUpsert? = nil,
        progress: ((LoadProgress) throws -> Void)? = nil
    ) throws -> Int {
        try run(.csv(source, format, columns), into: table, options, ConflictRule(resolution: conflict, upsert: upsert), progress)
    }
}
