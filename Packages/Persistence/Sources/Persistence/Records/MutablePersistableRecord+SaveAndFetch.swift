import QueryInterface

extension MutablePersistableRecord {
    /// Saves the record, and fetches its row.
    ///
    /// ```swift
    /// let player = try Player(id: nil, name: "Arthur").saveAndFetch(db)
    /// ```
    ///
    /// The SQL is `SELECT 1 FROM "player" WHERE "id" = 1`, followed by an `INSERT` or `UPDATE` with `RETURNING *`. If the table has
    /// triggers, which may change the row afterwards, the statement ends with `RETURNING "id"`, and `SELECT * FROM "player" WHERE
    /// "id" = 1` fetches the row.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution; by default, the record type's policy decides.
    /// - Returns: the row as a record of this type. The record itself does not change.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when `.ignore` prevented the write; ``DatabaseError``, or
    ///   the error of a callback, of the record's encoding, or of the initializer of the fetched record.
    public func saveAndFetch(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws -> Self where Self: FetchableRecord {
        try onCopy { try $0.write(db, Save(conflictResolution), as: type(of: self)) }
    }

    /// Saves the record, and fetches its row as a record of another type.
    ///
    /// ```swift
    /// let full = try partial.saveAndFetch(db, as: FullPlayer.self)
    /// ```
    ///
    /// The SQL is `SELECT 1 FROM "player" WHERE "id" = 1`, followed by an `INSERT` or `UPDATE` with `RETURNING *`. If the table has
    /// triggers, which may change the row afterwards, the statement ends with `RETURNING "id"`, and `SELECT * FROM "player" WHERE
    /// "id" = 1` fetches the row.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution; by default, the record type's policy decides.
    ///   - type: the type of the fetched record. Its `databaseSelection` determines the selected columns.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when `.ignore` prevented the write; ``DatabaseError``, or
    ///   the error of a callback, of the record's encoding, or of the initializer of the fetched record.
    public mutating func saveAndFetch<Fetched: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        as type: Fetched.Type
    ) throws -> Fetched {
        try write(db, Save(conflictResolution), as: type)
    }

    /// Saves the record, and fetches some columns of its row.
    ///
    /// ```swift
    /// let id = try player.saveAndFetch(db, selection: [Column("id")]) {
    ///     try Int64.fetchOne($0)
    /// }
    /// ```
    ///
    /// The SQL ends with `RETURNING "id"`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution; by default, the record type's policy decides.
    ///   - selection: the columns or expressions to select.
    ///   - fetch: fetches from a statement that returns the row, or no row when `.ignore` prevented the write.
    /// - Throws: ``DatabaseError``, or the error of a callback, of the record's encoding, or of the closure.
    public mutating func saveAndFetch<Value>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable], fetch: (Statement) throws -> Value
    ) throws -> Value {
        try write(db, Save(conflictResolution), selection: selection, fetch: fetch)
    }
}

extension PersistableRecord {
    /// Saves the record, and fetches its row as a record of another type.
    ///
    /// ```swift
    /// let full = try partial.saveAndFetch(db, as: FullPlayer.self)
    /// ```
    ///
    /// The SQL is `SELECT 1 FROM "player" WHERE "id" = 1`, followed by an `INSERT` or `UPDATE` with `RETURNING *`. If the table has
    /// triggers, which may change the row afterwards, the statement ends with `RETURNING "id"`, and `SELECT * FROM "player" WHERE
    /// "id" = 1` fetches the row.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution; by default, the record type's policy decides.
    ///   - type: the type of the fetched record. Its `databaseSelection` determines the selected columns.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when `.ignore` prevented the write; ``DatabaseError``, or
    ///   the error of a callback, of the record's encoding, or of the initializer of the fetched record.
    public func saveAndFetch<Fetched: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        as type: Fetched.Type
    ) throws -> Fetched {
        try onCopy { try $0.write(db, Save(conflictResolution), as: type) }
    }

    /// Saves the record, and fetches some columns of its row.
    ///
    /// ```swift
    /// let id = try player.saveAndFetch(db, selection: [Column("id")]) {
    ///     try Int64.fetchOne($0)
    /// }
    /// ```
    ///
    /// The SQL ends with `RETURNING "id"`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution; by default, the record type's policy decides.
    ///   - selection: the columns or expressions to select.
    ///   - fetch: fetches from a statement that returns the row, or no row when `.ignore` prevented the write.
    /// - Throws: ``DatabaseError``, or the error of a callback, of the record's encoding, or of the closure.
    public func saveAndFetch<Value>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable], fetch: (Statement) throws -> Value
    ) throws -> Value {
        try onCopy { try $0.write(db, Save(conflictResolution), selection: selection, fetch: fetch) }
    }
}
