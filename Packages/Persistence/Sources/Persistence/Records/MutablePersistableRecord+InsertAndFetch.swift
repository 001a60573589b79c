import QueryInterface

extension MutablePersistableRecord {
    /// Inserts the record, and fetches its row.
    ///
    /// ```swift
    /// let player = try Player(id: nil, name: "Arthur").insertAndFetch(db)
    /// ```
    ///
    /// The SQL is `INSERT INTO "player" ("id", "name") VALUES (NULL, 'Arthur') RETURNING *`. If the table has triggers, which may
    /// change the row afterwards, the statement ends with `RETURNING "id"`, and `SELECT * FROM "player" WHERE "id" = 1` fetches the
    /// row.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution; by default, the record type's policy decides.
    /// - Returns: the row as a record of this type. The record itself does not change.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when `.ignore` prevented the write; ``DatabaseError``, or
    ///   the error of a callback, of the record's encoding, or of the initializer of the fetched record.
    public func insertAndFetch(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws -> Self where Self: FetchableRecord {
        try onCopy { try $0.write(db, Insertion(conflictResolution), as: type(of: self)) }
    }

    /// Inserts the record, and fetches its row as a record of another type.
    ///
    /// ```swift
    /// let full = try partial.insertAndFetch(db, as: FullPlayer.self)
    /// ```
    ///
    /// The SQL is `INSERT INTO "player" ("id", "name") VALUES (NULL, 'Arthur') RETURNING *`. If the table has triggers, which may
    /// change the row afterwards, the statement ends with `RETURNING "id"`, and `SELECT * FROM "player" WHERE "id" = 1` fetches the
    /// row.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution; by default, the record type's policy decides.
    ///   - type: the type of the fetched record. Its `databaseSelection` determines the selected columns.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when `.ignore` prevented the write; ``DatabaseError``, or
    ///   the error of a callback, of the record's encoding, or of the initializer of the fetched record.
    public mutating func insertAndFetch<Fetched: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        as type: Fetched.Type
    ) throws -> Fetched {
        try write(db, Insertion(conflictResolution), as: type)
    }

    /// Inserts the record, and fetches some columns of its row.
    ///
    /// ```swift
    /// let id = try player.insertAndFetch(db, selection: [Column("id")]) {
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
    public mutating func insertAndFetch<Value>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable], fetch: (Statement) throws -> Value
    ) throws -> Value {
        try write(db, Insertion(conflictResolution), selection: selection, fetch: fetch)
    }

    /// Inserts the record, and fetches some columns of its row, selected from the columns that the record type declares.
    ///
    /// ```swift
    /// let id = try player.insertAndFetch(
    ///     db, fetch: { try Int64.fetchOne($0) }, select: { [$0.id] })
    /// ```
    ///
    /// The SQL ends with `RETURNING "id"`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution; by default, the record type's policy decides.
    ///   - fetch: fetches from a statement that returns the row, or no row when `.ignore` prevented the write.
    ///   - selection: returns the columns to select.
    /// - Throws: ``DatabaseError``, or the error of a callback, of the record's encoding, or of a closure.
    public mutating func insertAndFetch<Value>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        fetch: (Statement) throws -> Value, select selection: (DatabaseComponents) throws -> [any SQLSelectable]
    ) throws -> Value {
        try insertAndFetch(
            db, onConflict: conflictResolution, selection: selection(Self.databaseComponents), fetch: fetch)
    }
}

extension PersistableRecord {
    /// Inserts the record, and fetches its row as a record of another type.
    ///
    /// ```swift
    /// let full = try partial.insertAndFetch(db, as: FullPlayer.self)
    /// ```
    ///
    /// The SQL is `INSERT INTO "player" ("id", "name") VALUES (NULL, 'Arthur') RETURNING *`. If the table has triggers, which may
    /// change the row afterwards, the statement ends with `RETURNING "id"`, and `SELECT * FROM "player" WHERE "id" = 1` fetches the
    /// row.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution; by default, the record type's policy decides.
    ///   - type: the type of the fetched record. Its `databaseSelection` determines the selected columns.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when `.ignore` prevented the write; ``DatabaseError``, or
    ///   the error of a callback, of the record's encoding, or of the initializer of the fetched record.
    public func insertAndFetch<Fetched: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        as type: Fetched.Type
    ) throws -> Fetched {
        try onCopy { try $0.write(db, Insertion(conflictResolution), as: type) }
    }

    /// Inserts the record, and fetches some columns of its row.
    ///
    /// ```swift
    /// let id = try player.insertAndFetch(db, selection: [Column("id")]) {
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
    public func insertAndFetch<Value>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable], fetch: (Statement) throws -> Value
    ) throws -> Value {
        try onCopy { try $0.write(db, Insertion(conflictResolution), selection: selection, fetch: fetch) }
    }

    /// Inserts the record, and fetches some columns of its row, selected from the columns that the record type declares.
    ///
    /// ```swift
    /// let id = try player.insertAndFetch(
    ///     db, fetch: { try Int64.fetchOne($0) }, select: { [$0.id] })
    /// ```
    ///
    /// The SQL ends with `RETURNING "id"`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution; by default, the record type's policy decides.
    ///   - fetch: fetches from a statement that returns the row, or no row when `.ignore` prevented the write.
    ///   - selection: returns the columns to select.
    /// - Throws: ``DatabaseError``, or the error of a callback, of the record's encoding, or of a closure.
    public func insertAndFetch<Value>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        fetch: (Statement) throws -> Value, select selection: (DatabaseComponents) throws -> [any SQLSelectable]
    ) throws -> Value {
        try insertAndFetch(
            db, onConflict: conflictResolution, selection: selection(Self.databaseComponents), fetch: fetch)
    }
}
