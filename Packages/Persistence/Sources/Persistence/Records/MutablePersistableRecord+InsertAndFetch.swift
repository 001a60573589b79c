import QueryInterface

extension MutablePersistableRecord {
    /// Inserts the record, and fetches its row.
    ///
    /// ```swift
    /// let player = try Player(id: nil, name: "Arthur").insertAndFetch(db)
    /// ```
    ///
    /// The SQL is `INSERT INTO "player" ("id", "name") VALUES (NULL, 'Arthur') RETURNING *`. Where the table has triggers, which may
    /// change the row afterwards, it ends with `RETURNING "id"`, and `SELECT * FROM "player" WHERE "id" = 1` follows.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: what to do about a row that violates a constraint; the record type's policy when nil.
    /// - Returns: the row as a record of this type. The record itself learns nothing of the row.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when nothing was written, because of `.ignore`;
    ///   ``DatabaseError``, or the error of a callback, of the record's encoding, or of the initializer of the one that is fetched.
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
    /// The SQL is `INSERT INTO "player" ("id", "name") VALUES (NULL, 'Arthur') RETURNING *`. Where the table has triggers, which may
    /// change the row afterwards, it ends with `RETURNING "id"`, and `SELECT * FROM "player" WHERE "id" = 1` follows.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: what to do about a row that violates a constraint; the record type's policy when nil.
    ///   - type: the type of the record that is fetched, whose `databaseSelection` says what is selected.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when nothing was written, because of `.ignore`;
    ///   ``DatabaseError``, or the error of a callback, of the record's encoding, or of the initializer of the one that is fetched.
    public mutating func insertAndFetch<Fetched: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        as type: Fetched.Type
    ) throws -> Fetched {
        try write(db, Insertion(conflictResolution), as: type)
    }

    /// Inserts the record, and fetches some columns of its row.
    ///
    /// ```swift
    /// let id = try player.insertAndFetch(db, selection: [Column("id")]) { try Int64.fetchOne($0) }
    /// ```
    ///
    /// The SQL ends with `RETURNING "id"`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: what to do about a row that violates a constraint; the record type's policy when nil.
    ///   - selection: what to select.
    ///   - fetch: fetches from a statement that returns the row, or no row when nothing was written, because of `.ignore`.
    /// - Throws: ``DatabaseError``, or the error of a callback, of the record's encoding, or of the closure.
    public mutating func insertAndFetch<Value>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable], fetch: (Statement) throws -> Value
    ) throws -> Value {
        try write(db, Insertion(conflictResolution), selection: selection, fetch: fetch)
    }

    /// Inserts the record, and fetches some columns of its row, given by those of the record type.
    ///
    /// ```swift
    /// let id = try player.insertAndFetch(db, fetch: { try Int64.fetchOne($0) }, select: { [$0.id] })
    /// ```
    ///
    /// The SQL ends with `RETURNING "id"`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: what to do about a row that violates a constraint; the record type's policy when nil.
    ///   - fetch: fetches from a statement that returns the row, or no row when nothing was written, because of `.ignore`.
    ///   - selection: gives what to select.
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
    /// The SQL is `INSERT INTO "player" ("id", "name") VALUES (NULL, 'Arthur') RETURNING *`. Where the table has triggers, which may
    /// change the row afterwards, it ends with `RETURNING "id"`, and `SELECT * FROM "player" WHERE "id" = 1` follows.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: what to do about a row that violates a constraint; the record type's policy when nil.
    ///   - type: the type of the record that is fetched, whose `databaseSelection` says what is selected.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when nothing was written, because of `.ignore`;
    ///   ``DatabaseError``, or the error of a callback, of the record's encoding, or of the initializer of the one that is fetched.
    public func insertAndFetch<Fetched: FetchableRecord & TableRecord>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        as type: Fetched.Type
    ) throws -> Fetched {
        try onCopy { try $0.write(db, Insertion(conflictResolution), as: type) }
    }

    /// Inserts the record, and fetches some columns of its row.
    ///
    /// ```swift
    /// let id = try player.insertAndFetch(db, selection: [Column("id")]) { try Int64.fetchOne($0) }
    /// ```
    ///
    /// The SQL ends with `RETURNING "id"`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: what to do about a row that violates a constraint; the record type's policy when nil.
    ///   - selection: what to select.
    ///   - fetch: fetches from a statement that returns the row, or no row when nothing was written, because of `.ignore`.
    /// - Throws: ``DatabaseError``, or the error of a callback, of the record's encoding, or of the closure.
    public func insertAndFetch<Value>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        selection: [any SQLSelectable], fetch: (Statement) throws -> Value
    ) throws -> Value {
        try onCopy { try $0.write(db, Insertion(conflictResolution), selection: selection, fetch: fetch) }
    }

    /// Inserts the record, and fetches some columns of its row, given by those of the record type.
    ///
    /// ```swift
    /// let id = try player.insertAndFetch(db, fetch: { try Int64.fetchOne($0) }, select: { [$0.id] })
    /// ```
    ///
    /// The SQL ends with `RETURNING "id"`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: what to do about a row that violates a constraint; the record type's policy when nil.
    ///   - fetch: fetches from a statement that returns the row, or no row when nothing was written, because of `.ignore`.
    ///   - selection: gives what to select.
    /// - Throws: ``DatabaseError``, or the error of a callback, of the record's encoding, or of a closure.
    public func insertAndFetch<Value>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        fetch: (Statement) throws -> Value, select selection: (DatabaseComponents) throws -> [any SQLSelectable]
    ) throws -> Value {
        try insertAndFetch(
            db, onConflict: conflictResolution, selection: selection(Self.databaseComponents), fetch: fetch)
    }
}
