extension Database {
    /// Inserts the objects of a JSON array, or objects that follow each other.
    ///
    /// ```swift
    /// try db.load(
    ///     json: #"[{"id": 1, "name": "Arthur"}, {"id": 2, "name": null}]"#, into: "player")
    /// try db.load(json: .file(url), into: "player")
    /// ```
    ///
    /// The SQL is `INSERT INTO "player" ("id", "name") VALUES (?, ?)`, with the members of the objects as columns. Columns that an object
    /// lacks get their default values, or NULL.
    ///
    /// In a TEXT column, a number is stored with the digits of the file; in a REAL column, as the nearest real number. `INTEGER`, `NUMERIC`
    /// and similar columns store integers exactly, and other numbers as the nearest REAL. In a column without a type or of the type `BLOB`,
    /// numbers with a fraction or an exponent are REAL, and others INTEGER. `true` and `false` become 1 and 0. Objects and arrays in an
    /// object are stored as JSON, as they are written in the file, except for the objects that ``JSONDumpFormat`` writes for blobs and
    /// infinities: `{"$base64":"AP8="}` and `{"$real":"inf"}`. All values of a dump are therefore restored exactly. The file is read in
    /// chunks, and may have any size. A member can be the hidden row id, under a name such as `rowid`. Members for generated columns are
    /// skipped.
    ///
    /// Either all rows are inserted, or none, except for rejected records: see ``LoadOptions``. A large file is better loaded in portions, by
    /// the method of the same name of queues and pools.
    ///
    /// - Parameters:
    ///   - source: a file, a string or bytes: an array of objects, or objects one after the other.
    ///   - table: the name of a table or view.
    ///   - member: the name of the member of an object that has the array; nil if the file is the array.
    ///   - blobs: how blobs are written. With an encoding other than ``CSVFormat/BlobEncoding/marked``, all strings for columns with the
    ///     declared type `BLOB` are blobs.
    ///   - options: how texts become values, whether the table is created, and where objects go that can't be loaded. Numbers and truth
    ///     values are texts, too.
    ///   - conflict: the conflict resolution; nil for the table's own.
    ///   - upsert: by which columns rows are found that are updated; nil to insert all records. Updated rows count, too.
    ///   - progress: called after each 1,000 objects and at the end. An error that it throws ends the load.
    /// - Returns: the number of rows that were inserted, without ignored rows.
    /// - Throws: ``LoadError`` with the number of the line, for example for an integer of more than 64 bits in a column that is neither
    ///   TEXT nor REAL, and for a number that is too large for a REAL; ``DatabaseError``; the error of the file, or of `progress`.
    @discardableResult
    public func load(
        json source: TextSource, into table: String, at member: String? = nil, blobs: CSVFormat.BlobEncoding = .marked,
        options: LoadOptions = LoadOptions(),
        onConflict conflict: ConflictResolution? = nil, upsert: LoadUpsert? = nil, progress: ((LoadProgress) throws -> Void)? = nil
    ) throws -> Int {
        try run(
            .json(source, isLines: false, at: member, blobs), into: table, options, ConflictRule(resolution: conflict, upsert: upsert),
            progress)
    }

    /// Inserts the objects of JSON Lines, also called NDJSON: each line has one object.
    ///
    /// ```swift
    /// // {"id": 1, "name": "Arthur"}
    /// // {"id": 2, "name": null}
    /// try db.load(jsonLines: .file(url), into: "player")
    /// ```
    ///
    /// Objects become rows as with ``load(json:into:at:blobs:options:onConflict:upsert:progress:)``, which reads such files, too. Here, a line that is
    /// not an object can be rejected (``LoadOptions/rejects``), as the next object begins in the next line. Empty lines are skipped.
    ///
    /// Source: <https://jsonlines.org>
    ///
    /// - Parameters:
    ///   - source: a file, a string or bytes.
    ///   - table: the name of a table or view.
    ///   - blobs: how blobs are written. With an encoding other than ``CSVFormat/BlobEncoding/marked``, all strings for columns with the
    ///     declared type `BLOB` are blobs.
    ///   - options: how texts become values, whether the table is created, and where objects go that can't be loaded. Numbers and truth
    ///     values are texts, too.
    ///   - conflict: the conflict resolution; nil for the table's own.
    ///   - upsert: by which columns rows are found that are updated; nil to insert all records. Updated rows count, too.
    ///   - progress: called after each 1,000 objects and at the end. An error that it throws ends the load.
    /// - Returns: the number of rows that were inserted, without ignored rows.
    /// - Throws: ``LoadError``; ``DatabaseError``; the error of the file, or of `progress`.
    @discardableResult
    public func load(
        jsonLines source: TextSource, into table: String, blobs: CSVFormat.BlobEncoding = .marked, options: LoadOptions = LoadOptions(),
        onConflict conflict: ConflictResolution? = nil, upsert: LoadUpsert? = nil, progress: ((LoadProgress) throws -> Void)? = nil
    ) throws -> Int {
        try run(
            .json(source, isLines: true, at: nil, blobs), into: table, options, ConflictRule(resolution: conflict, upsert: upsert), progress
        )
    }
}
