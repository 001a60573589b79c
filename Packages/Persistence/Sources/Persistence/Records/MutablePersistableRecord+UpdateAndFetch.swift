import QueryInterface

// Each method has three forms, as `update` does: see MutablePersistableRecord+Update.swift.

extension MutablePersistableRecord {
    /// Updates the row that has the record's primary key, and fetches it.
    ///
    /// ```swift
    /// player.score = 200
    /// let updated = try player.updateAndFetch(db)
    /// ```
    ///
    /// The SQL is `UPDATE "player" SET "score" = 200 WHERE "id" = 1 RETURNING *`. If the table has triggers, which may change the
    /// row afterwards, the statement ends with `RETURNING "id"`, and `SELECT * FROM "player" WHERE "id" = 1` fetches the row.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution; by default, the record type's policy decides.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row, or when `.ignore` prevented the
    ///   update; ``DatabaseError``, or the error of a callback, of the record's encoding, or of the initializer of the fetched
    ///   record.
    public mutating func updateAndFetch(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws -> Self where Self: FetchableRecord {
        try write(db, Update(conflictResolution), as: type(of: self))
    }

    /// Updates the row that has the record's primary key, and fetches it as a record of another type.
    ///
    /// The SQL is `UPDATE "player" SET "score" = 200 WHERE "id" = 1 RETURNING *`. If the table has triggers, which may change the
    /// row afterwards, the statement ends with `RETURNING "id"`, and `SELECT * FROM "player" WHERE "id" = 1` fetches the row.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution; by default, the record type's policy decides.
    ///   - type: the type of the fetched record. Its `databaseSelection` determines the selected columns.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row, or when `.ignore` prevented the
    ///   update; ``DatabaseError``, or the error of a callback, of the record's encoding, or of the initializer of the fetched
    ///   record.
    public mutating func updateAndFetch<Fetched: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        as type: Fetched.Type
    ) throws -> Fetched {
        try write(db, Update(conflictResolution), as: type)
    }

    /// Updates the row that has the record's primary key, and fetches some of its columns.
    ///
    /// The SQL is `UPDATE "player" SET "name" = 'Arthur', "score" = 200 WHERE "id" = 1 RETURNING "score"`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution; by default, the record type's policy decides.
    ///   - selection: the columns or expressions to select.
    ///   - fetch: fetches from a statement that returns the row, or no row when `.ignore` prevented the update.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row, ``DatabaseError``, or the error of a
    ///   callback, of the record's encoding, or of the closure.
    public mutating func updateAndFetch<Value>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable], fetch: (Statement) throws -> Value
    ) throws -> Value {
        try write(db, Update(conflictResolution), selection: selection, fetch: fetch)
    }

    /// Updates some columns of the row that has the record's primary key, and fetches some of its columns.
    ///
    /// ```swift
    /// let score = try player.updateAndFetch(
    ///     db, columns: ["name"], selection: [Column("score")]
    /// ) { try Int.fetchOne($0) }
    /// ```
    ///
    /// The SQL is `UPDATE "player" SET "name" = 'Arthur' WHERE "id" = 1 RETURNING "score"`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution; by default, the record type's policy decides.
    ///   - columns: the names of the columns to update, which the record encodes.
    ///   - selection: the columns or expressions to select.
    ///   - fetch: fetches from a statement that returns the row, or no row when `.ignore` prevented the update.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row, ``DatabaseError``, or the error of a
    ///   callback, of the record's encoding, or of the closure.
    public mutating func updateAndFetch<Value>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: some Collection<String>, selection: [any SQLSelectable], fetch: (Statement) throws -> Value
    ) throws -> Value {
        try write(db, Update(conflictResolution, columns, \.self), selection: selection, fetch: fetch)
    }

    /// Updates some columns of the row that has the record's primary key, and fetches some of its columns.
    ///
    /// The SQL is `UPDATE "player" SET "name" = 'Arthur' WHERE "id" = 1 RETURNING "score"`.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row, ``DatabaseError``, or the error of a
    ///   callback, of the record's encoding, or of the closure.
    public mutating func updateAndFetch<Value>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: [any NamedColumn], selection: [any SQLSelectable], fetch: (Statement) throws -> Value
    ) throws -> Value {
        try write(db, Update(conflictResolution, columns, \.name), selection: selection, fetch: fetch)
    }

    /// Updates some columns of the row that has the record's primary key, and fetches some of its columns.
    ///
    /// The SQL is `UPDATE "player" SET "name" = 'Arthur' WHERE "id" = 1 RETURNING "score"`.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row, ``DatabaseError``, or the error of a
    ///   callback, of the record's encoding, or of the closure.
    public mutating func updateAndFetch<Value>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: some Collection<Column>, selection: [any SQLSelectable], fetch: (Statement) throws -> Value
    ) throws -> Value {
        try write(db, Update(conflictResolution, columns, \.name), selection: selection, fetch: fetch)
    }
}

extension EncodableRecord where Self: MutablePersistableRecord {
    /// Updates the row that has the record's primary key, and fetches it.
    ///
    /// The SQL is `UPDATE "player" SET "score" = 200 WHERE "id" = 1 RETURNING *`. If the table has triggers, which may change the
    /// row afterwards, the statement ends with `RETURNING "id"`, and `SELECT * FROM "player" WHERE "id" = 1` fetches the row.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row, or when `.ignore` prevented the
    ///   update; ``DatabaseError``, or the error of a callback, of the record's encoding, or of the initializer of the fetched
    ///   record.
    public func updateAndFetch(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws -> Self where Self: FetchableRecord {
        try onCopy { try $0.write(db, Update(conflictResolution), as: type(of: self)) }
    }

    /// Updates the row that has the record's primary key, and fetches it as a record of another type.
    ///
    /// The SQL is `UPDATE "player" SET "score" = 200 WHERE "id" = 1 RETURNING *`. If the table has triggers, which may change the
    /// row afterwards, the statement ends with `RETURNING "id"`, and `SELECT * FROM "player" WHERE "id" = 1` fetches the row.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row, or when `.ignore` prevented the
    ///   update; ``DatabaseError``, or the error of a callback, of the record's encoding, or of the initializer of the fetched
    ///   record.
    public func updateAndFetch<Fetched: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        as type: Fetched.Type
    ) throws -> Fetched {
        try onCopy { try $0.write(db, Update(conflictResolution), as: type) }
    }

    /// Updates the row that has the record's primary key, and fetches some of its columns.
    ///
    /// The SQL is `UPDATE "player" SET "name" = 'Arthur', "score" = 200 WHERE "id" = 1 RETURNING "score"`.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row, ``DatabaseError``, or the error of a
    ///   callback, of the record's encoding, or of the closure.
    public func updateAndFetch<Value>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable], fetch: (Statement) throws -> Value
    ) throws -> Value {
        try onCopy { try $0.write(db, Update(conflictResolution), selection: selection, fetch: fetch) }
    }

    /// Updates some columns of the row that has the record's primary key, and fetches some of its columns.
    ///
    /// The SQL is `UPDATE "player" SET "name" = 'Arthur' WHERE "id" = 1 RETURNING "score"`.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row, ``DatabaseError``, or the error of a
    ///   callback, of the record's encoding, or of the closure.
    public func updateAndFetch<Value>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: some Collection<String>, selection: [any SQLSelectable], fetch: (Statement) throws -> Value
    ) throws -> Value {
        try onCopy { try $0.write(db, Update(conflictResolution, columns, \.self), selection: selection, fetch: fetch) }
    }

    /// Updates some columns of the row that has the record's primary key, and fetches some of its columns.
    ///
    /// The SQL is `UPDATE "player" SET "name" = 'Arthur' WHERE "id" = 1 RETURNING "score"`.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row, ``DatabaseError``, or the error of a
    ///   callback, of the record's encoding, or of the closure.
    public func updateAndFetch<Value>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: [any NamedColumn], selection: [any SQLSelectable], fetch: (Statement) throws -> Value
    ) throws -> Value {
        try onCopy { try $0.write(db, Update(conflictResolution, columns, \.name), selection: selection, fetch: fetch) }
    }

    /// Updates some columns of the row that has the record's primary key, and fetches some of its columns.
    ///
    /// The SQL is `UPDATE "player" SET "name" = 'Arthur' WHERE "id" = 1 RETURNING "score"`.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row, ``DatabaseError``, or the error of a
    ///   callback, of the record's encoding, or of the closure.
    public func updateAndFetch<Value>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: some Collection<Column>, selection: [any SQLSelectable], fetch: (Statement) throws -> Value
    ) throws -> Value {
        try onCopy { try $0.write(db, Update(conflictResolution, columns, \.name), selection: selection, fetch: fetch) }
    }
}

extension PersistableRecord {
    /// Updates the row that has the record's primary key, and fetches it.
    ///
    /// The SQL is `UPDATE "player" SET "score" = 200 WHERE "id" = 1 RETURNING *`. If the table has triggers, which may change the
    /// row afterwards, the statement ends with `RETURNING "id"`, and `SELECT * FROM "player" WHERE "id" = 1` fetches the row.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row, or when `.ignore` prevented the
    ///   update; ``DatabaseError``, or the error of a callback, of the record's encoding, or of the initializer of the fetched
    ///   record.
    public func updateAndFetch(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws -> Self where Self: FetchableRecord {
        try onCopy { try $0.write(db, Update(conflictResolution), as: type(of: self)) }
    }

    /// Updates the row that has the record's primary key, and fetches it as a record of another type.
    ///
    /// The SQL is `UPDATE "player" SET "score" = 200 WHERE "id" = 1 RETURNING *`. If the table has triggers, which may change the
    /// row afterwards, the statement ends with `RETURNING "id"`, and `SELECT * FROM "player" WHERE "id" = 1` fetches the row.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row, or when `.ignore` prevented the
    ///   update; ``DatabaseError``, or the error of a callback, of the record's encoding, or of the initializer of the fetched
    ///   record.
    public func updateAndFetch<Fetched: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        as type: Fetched.Type
    ) throws -> Fetched {
        try onCopy { try $0.write(db, Update(conflictResolution), as: type) }
    }

    /// Updates the row that has the record's primary key, and fetches some of its columns.
    ///
    /// The SQL is `UPDATE "player" SET "name" = 'Arthur', "score" = 200 WHERE "id" = 1 RETURNING "score"`.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row, ``DatabaseError``, or the error of a
    ///   callback, of the record's encoding, or of the closure.
    public func updateAndFetch<Value>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable], fetch: (Statement) throws -> Value
    ) throws -> Value {
        try onCopy { try $0.write(db, Update(conflictResolution), selection: selection, fetch: fetch) }
    }

    /// Updates some columns of the row that has the record's primary key, and fetches some of its columns.
    ///
    /// The SQL is `UPDATE "player" SET "name" = 'Arthur' WHERE "id" = 1 RETURNING "score"`.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row, ``DatabaseError``, or the error of a
    ///   callback, of the record's encoding, or of the closure.
    public func updateAndFetch<Value>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: some Collection<String>, selection: [any SQLSelectable], fetch: (Statement) throws -> Value
    ) throws -> Value {
        try onCopy { try $0.write(db, Update(conflictResolution, columns, \.self), selection: selection, fetch: fetch) }
    }

    /// Updates some columns of the row that has the record's primary key, and fetches some of its columns.
    ///
    /// The SQL is `UPDATE "player" SET "name" = 'Arthur' WHERE "id" = 1 RETURNING "score"`.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row, ``DatabaseError``, or the error of a
    ///   callback, of the record's encoding, or of the closure.
    public func updateAndFetch<Value>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: [any NamedColumn], selection: [any SQLSelectable], fetch: (Statement) throws -> Value
    ) throws -> Value {
        try onCopy { try $0.write(db, Update(conflictResolution, columns, \.name), selection: selection, fetch: fetch) }
    }

    /// Updates some columns of the row that has the record's primary key, and fetches some of its columns.
    ///
    /// The SQL is `UPDATE "player" SET "name" = 'Arthur' WHERE "id" = 1 RETURNING "score"`.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row, ``DatabaseError``, or the error of a
    ///   callback, of the record's encoding, or of the closure.
    public func updateAndFetch<Value>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: some Collection<Column>, selection: [any SQLSelectable], fetch: (Statement) throws -> Value
    ) throws -> Value {
        try onCopy { try $0.write(db, Update(conflictResolution, columns, \.name), selection: selection, fetch: fetch) }
    }
}
