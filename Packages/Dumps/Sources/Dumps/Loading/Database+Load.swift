extension Database {
    /// Inserts the records of a file.
    ///
    /// ```swift
    /// // id,name,score
    /// // 1,Arthur,500
    /// try db.load(.csv(.file(url)), into: "player")
    ///
    /// try db.load(
    ///     .json(#"[{"id": 1, "name": "Arthur"}, {"id": 2, "name": null}]"#), into: "player")
    ///
    /// // {"id": 1, "name": "Arthur"}
    /// // {"id": 2, "name": null}
    /// try db.load(.jsonLines(.file(url)), into: "player")
    /// ```
    ///
    /// The SQL is `INSERT INTO "player" ("id", "name", "score") VALUES (?, ?, ?)`. ``LoadedFile`` says how records become rows.
    ///
    /// Either all rows are inserted, or none, except for rejected records: see ``LoadOptions``. A large file is better loaded in portions, by
    /// the method of the same name of queues and pools.
    ///
    /// - Parameters:
    ///   - file: a file, a string or bytes, in its format.
    ///   - table: the name of a table or view.
    ///   - options: how texts become values, whether the table is created, and where records go that can't be loaded. Numbers and truth values
    ///     of JSON are texts, too.
    ///   - conflict: the conflict resolution; nil for the table's own.
    ///   - upsert: by which columns rows are found that are updated; nil to insert all records. Updated rows count, too.
    ///   - progress: called after each 1,000 records and at the end. An error that it throws ends the load.
    /// - Returns: the number of rows that were inserted, without ignored rows.
    /// - Throws: ``LoadError`` with the number of the line, for example for an integer of more than 64 bits in an `INTEGER` or `NUMERIC`
    ///   column, and for a number that is too large for a REAL; ``DatabaseError``; the error of the file, or of `progress`.
    @discardableResult
    public func load(
        _ file: LoadedFile, into table: String, options: LoadOptions = LoadOptions(), onConflict conflict: ConflictResolution? = nil,
        upsert: LoadUpsert? = nil, progress: ((LoadProgress) throws -> Void)? = nil
    ) throws -> Int {
        let loader = try file.makeLoader(table, options, ConflictRule(resolution: conflict, upsert: upsert))
        defer { loader.finish() }
        do {
            try inSavepoint {
                try loader.begin(self)
                try loader.open()
                repeat {
                    // As many as fit into the processor's cache.
                    try loader.read(1000, size: 1 << 20)
                    try loader.insert(self)
                    if !loader.isComplete { try progress?(loader.progress) }
                } while !loader.isComplete
                try progress?(loader.progress)
                return .commit
            }
        } catch {
            loader.removeRejects()
            throw error
        }
        return loader.progress.rowCount
    }
}
