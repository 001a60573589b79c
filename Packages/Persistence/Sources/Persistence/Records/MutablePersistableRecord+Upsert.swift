import QueryInterface

extension MutablePersistableRecord {
    /// Inserts the record, or updates the row that has one of its unique keys.
    ///
    /// ```swift
    /// var player = Player(id: nil, name: "Arthur", score: 100)
    /// try player.upsert(db)
    ///
    /// // Counts how often a word was seen
    /// try word.upsert(db, onConflict: ["text"]) { _ in [Column("count") += 1] }
    /// ```
    ///
    /// The SQL is `INSERT INTO "player" ("id", "name", "score") VALUES (NULL, 'Arthur', 100) ON CONFLICT DO UPDATE SET
    /// "name" = "excluded"."name", "score" = "excluded"."score" RETURNING "id"`, in one line. The row id is returned because SQLite
    /// tells no other way which row was updated; tables WITHOUT ROWID need it not.
    ///
    /// The callbacks are those of an insertion, whatever happens to the row.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictTarget: the columns of a unique key: a row that has their values is updated. Any unique key of the table when
    ///     empty.
    ///   - doUpdate: gives assignments for columns that are not to take the value of the record. Its argument stands for the row
    ///     that was not inserted: `Column("score").set(to: excluded["score"] + 1)`. `Column("score").noOverwrite` keeps what is
    ///     there. All other columns that the record encodes are overwritten, but for those of the primary key and of the target.
    /// - Throws: ``DatabaseError``, or the error of a callback or of the record's encoding. A view can't be upserted.
    @inlinable
    public mutating func upsert(
        _ db: Database, onConflict conflictTarget: [String] = [],
        doUpdate: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
    ) throws {
        let details = WriteDetails(upsert: Self.self, target: conflictTarget, doUpdate: doUpdate)
        try write(db, Insertion(.abort), details)
    }

    /// Inserts the record, or updates the row that has one of its unique keys, and fetches the row.
    ///
    /// ```swift
    /// let player = try player.upsertAndFetch(db, onConflict: ["name"]) { _ in
    ///     [Column("score") += 10, Column("createdAt").noOverwrite]
    /// }
    /// ```
    ///
    /// The SQL is `INSERT INTO "player" ("name", "score") VALUES ('Arthur', 100) ON CONFLICT("name") DO UPDATE SET
    /// "score" = "excluded"."score" RETURNING *, "id"`, in one line. Where the table has triggers, which may change the row
    /// afterwards, the primary key is returned, and `SELECT * FROM "player" WHERE "id" = 1` follows.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictTarget: the columns of a unique key: a row that has their values is updated. Any unique key of the table when
    ///     empty.
    ///   - doUpdate: gives assignments for columns that are not to take the value of the record. Its argument stands for the row
    ///     that was not inserted: `Column("score").set(to: excluded["score"] + 1)`. `Column("score").noOverwrite` keeps what is
    ///     there. All other columns that the record encodes are overwritten, but for those of the primary key and of the target.
    /// - Throws: ``DatabaseError``, or the error of a callback, of the record's encoding, or of the initializer of the one that is
    ///   fetched. A view can't be upserted.
    public mutating func upsertAndFetch(
        _ db: Database, onConflict conflictTarget: [String] = [],
        doUpdate: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
    ) throws -> Self where Self: FetchableRecord {
        try upsertAndFetch(db, as: type(of: self), onConflict: conflictTarget, doUpdate: doUpdate)
    }

    /// Inserts the record, or updates the row that has one of its unique keys, and fetches the row as a record of another type.
    ///
    /// The SQL is `INSERT INTO "player" ("name", "score") VALUES ('Arthur', 100) ON CONFLICT("name") DO UPDATE SET
    /// "score" = "excluded"."score" RETURNING *, "id"`, in one line. Where the table has triggers, which may change the row
    /// afterwards, the primary key is returned, and `SELECT * FROM "player" WHERE "id" = 1` follows.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - type: the type of the record that is fetched, whose `databaseSelection` says what is selected.
    ///   - conflictTarget: the columns of a unique key: a row that has their values is updated. Any unique key of the table when
    ///     empty.
    ///   - doUpdate: gives assignments for columns that are not to take the value of the record. Its argument stands for the row
    ///     that was not inserted: `Column("score").set(to: excluded["score"] + 1)`. `Column("score").noOverwrite` keeps what is
    ///     there. All other columns that the record encodes are overwritten, but for those of the primary key and of the target.
    /// - Throws: ``DatabaseError``, or the error of a callback, of the record's encoding, or of the initializer of the one that is
    ///   fetched. A view can't be upserted.
    public mutating func upsertAndFetch<Fetched: FetchableRecord & TableRecord>(
        _ db: Database, as type: Fetched.Type, onConflict conflictTarget: [String] = [],
        doUpdate: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
    ) throws -> Fetched {
        let details = WriteDetails(
            upsert: Self.self, target: conflictTarget, doUpdate: doUpdate, selection: type.databaseSelection)
        return try write(db, Insertion(.abort), details, as: type)
    }
}

extension PersistableRecord {
    /// Inserts the record, or updates the row that has one of its unique keys.
    ///
    /// ```swift
    /// let player = Player(id: nil, name: "Arthur", score: 100)
    /// try player.upsert(db)
    ///
    /// // Counts how often a word was seen
    /// try word.upsert(db, onConflict: ["text"]) { _ in [Column("count") += 1] }
    /// ```
    ///
    /// The SQL is `INSERT INTO "player" ("id", "name", "score") VALUES (NULL, 'Arthur', 100) ON CONFLICT DO UPDATE SET
    /// "name" = "excluded"."name", "score" = "excluded"."score" RETURNING "id"`, in one line. The row id is returned because SQLite
    /// tells no other way which row was updated; tables WITHOUT ROWID need it not.
    ///
    /// The callbacks are those of an insertion, whatever happens to the row.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictTarget: the columns of a unique key: a row that has their values is updated. Any unique key of the table when
    ///     empty.
    ///   - doUpdate: gives assignments for columns that are not to take the value of the record. Its argument stands for the row
    ///     that was not inserted: `Column("score").set(to: excluded["score"] + 1)`. `Column("score").noOverwrite` keeps what is
    ///     there. All other columns that the record encodes are overwritten, but for those of the primary key and of the target.
    /// - Throws: ``DatabaseError``, or the error of a callback or of the record's encoding. A view can't be upserted.
    @inlinable
    public func upsert(
        _ db: Database, onConflict conflictTarget: [String] = [],
        doUpdate: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
    ) throws {
        let details = WriteDetails(upsert: Self.self, target: conflictTarget, doUpdate: doUpdate)
        try onCopy { try $0.write(db, Insertion(.abort), details) }
    }

    /// Inserts the record, or updates the row that has one of its unique keys, and fetches the row.
    ///
    /// ```swift
    /// let player = try player.upsertAndFetch(db, onConflict: ["name"]) { _ in
    ///     [Column("score") += 10, Column("createdAt").noOverwrite]
    /// }
    /// ```
    ///
    /// The SQL is `INSERT INTO "player" ("name", "score") VALUES ('Arthur', 100) ON CONFLICT("name") DO UPDATE SET
    /// "score" = "excluded"."score" RETURNING *, "id"`, in one line. Where the table has triggers, which may change the row
    /// afterwards, the primary key is returned, and `SELECT * FROM "player" WHERE "id" = 1` follows.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictTarget: the columns of a unique key: a row that has their values is updated. Any unique key of the table when
    ///     empty.
    ///   - doUpdate: gives assignments for columns that are not to take the value of the record. Its argument stands for the row
    ///     that was not inserted: `Column("score").set(to: excluded["score"] + 1)`. `Column("score").noOverwrite` keeps what is
    ///     there. All other columns that the record encodes are overwritten, but for those of the primary key and of the target.
    /// - Throws: ``DatabaseError``, or the error of a callback, of the record's encoding, or of the initializer of the one that is
    ///   fetched. A view can't be upserted.
    public func upsertAndFetch(
        _ db: Database, onConflict conflictTarget: [String] = [],
        doUpdate: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
    ) throws -> Self where Self: FetchableRecord {
        try upsertAndFetch(db, as: type(of: self), onConflict: conflictTarget, doUpdate: doUpdate)
    }

    /// Inserts the record, or updates the row that has one of its unique keys, and fetches the row as a record of another type.
    ///
    /// The SQL is `INSERT INTO "player" ("name", "score") VALUES ('Arthur', 100) ON CONFLICT("name") DO UPDATE SET
    /// "score" = "excluded"."score" RETURNING *, "id"`, in one line. Where the table has triggers, which may change the row
    /// afterwards, the primary key is returned, and `SELECT * FROM "player" WHERE "id" = 1` follows.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - type: the type of the record that is fetched, whose `databaseSelection` says what is selected.
    ///   - conflictTarget: the columns of a unique key: a row that has their values is updated. Any unique key of the table when
    ///     empty.
    ///   - doUpdate: gives assignments for columns that are not to take the value of the record. Its argument stands for the row
    ///     that was not inserted: `Column("score").set(to: excluded["score"] + 1)`. `Column("score").noOverwrite` keeps what is
    ///     there. All other columns that the record encodes are overwritten, but for those of the primary key and of the target.
    /// - Throws: ``DatabaseError``, or the error of a callback, of the record's encoding, or of the initializer of the one that is
    ///   fetched. A view can't be upserted.
    public func upsertAndFetch<Fetched: FetchableRecord & TableRecord>(
        _ db: Database, as type: Fetched.Type, onConflict conflictTarget: [String] = [],
        doUpdate: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
    ) throws -> Fetched {
        let details = WriteDetails(
            upsert: Self.self, target: conflictTarget, doUpdate: doUpdate, selection: type.databaseSelection)
        return try onCopy { try $0.write(db, Insertion(.abort), details, as: type) }
    }
}
