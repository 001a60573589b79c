import QueryInterface

extension MutablePersistableRecord {
    /// Inserts the record, or updates the row that conflicts with it on any unique key.
    ///
    /// ```swift
    /// try player.upsert(db)
    /// ```
    ///
    /// This is ``upsert(_:onConflict:doUpdate:)`` without a conflict target. Records whose type is not known when the program is compiled,
    /// such as `any MutablePersistableRecord`, have only this method.
    ///
    /// - Throws: ``DatabaseError``, or the error of a callback or of the record's encoding. Views don't support upserts.
    @inlinable
    public mutating func upsert(_ db: Database) throws {
        try upsert(db, onConflict: [], doUpdate: nil)
    }

    /// Inserts the record, or updates the row that conflicts with it on a unique key.
    ///
    /// ```swift
    /// var player = Player(id: nil, name: "Arthur", score: 100)
    /// try player.upsert(db)
    ///
    /// // Counts how often a word was seen
    /// try word.upsert(db, onConflict: ["text"]) { _ in [Column("count") += 1] }
    /// ```
    ///
    /// The SQL is `INSERT INTO "player" ("id", "name", "score") VALUES (NULL, 'Arthur', 100) ON CONFLICT DO UPDATE SET "name" =
    /// "excluded"."name", "score" = "excluded"."score" RETURNING "id"`, in one line. The statement returns the row ID because
    /// SQLite does not otherwise report which row it updated. Statements for `WITHOUT ROWID` tables have no `RETURNING` clause.
    ///
    /// Upserts always call the insertion callbacks, even when they update a row.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictTarget: the columns of a unique key. The upsert updates the row that has the same values in these columns. When
    ///     empty, a conflict on any unique key leads to an update.
    ///   - doUpdate: returns assignments for the columns that should not take the value of the record. Its argument stands for
    ///     `excluded`, the row that could not be inserted: `Column("score").set(to: excluded["score"] + 1)`.
    ///     `Column("score").noOverwrite` keeps the value in the database. All other columns that the record encodes are
    ///     overwritten, except the columns of the primary key and of the conflict target.
    /// - Throws: ``DatabaseError``, or the error of a callback or of the record's encoding. Views don't support upserts.
    @inlinable
    public mutating func upsert(
        _ db: Database, onConflict conflictTarget: [String] = [],
        doUpdate: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
    ) throws {
        let details = WriteDetails(upsert: Self.self, target: conflictTarget, doUpdate: doUpdate)
        try write(db, Insertion(.abort), details)
    }

    /// Inserts the record, or updates the row that conflicts with it on a unique key, and fetches the row.
    ///
    /// ```swift
    /// let player = try player.upsertAndFetch(db, onConflict: ["name"]) { _ in
    ///     [Column("score") += 10, Column("createdAt").noOverwrite]
    /// }
    /// ```
    ///
    /// The SQL is `INSERT INTO "player" ("name", "score") VALUES ('Arthur', 100) ON CONFLICT("name") DO UPDATE SET "score" =
    /// "excluded"."score" RETURNING *, "id"`, in one line. If the table has triggers, which may change the row afterwards, the
    /// statement returns the primary key only, and `SELECT * FROM "player" WHERE "id" = 1` fetches the row.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictTarget: the columns of a unique key. The upsert updates the row that has the same values in these columns. When
    ///     empty, a conflict on any unique key leads to an update.
    ///   - doUpdate: returns assignments for the columns that should not take the value of the record. Its argument stands for
    ///     `excluded`, the row that could not be inserted: `Column("score").set(to: excluded["score"] + 1)`.
    ///     `Column("score").noOverwrite` keeps the value in the database. All other columns that the record encodes are
    ///     overwritten, except the columns of the primary key and of the conflict target.
    /// - Throws: ``DatabaseError``, or the error of a callback, of the record's encoding, or of the initializer of the fetched
    ///   record. Views don't support upserts.
    public mutating func upsertAndFetch(
        _ db: Database, onConflict conflictTarget: [String] = [],
        doUpdate: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
    ) throws -> Self where Self: FetchableRecord {
        try upsertAndFetch(db, as: type(of: self), onConflict: conflictTarget, doUpdate: doUpdate)
    }

    /// Inserts the record, or updates the row that conflicts with it on a unique key, and fetches the row as a record of another
    /// type.
    ///
    /// The SQL is `INSERT INTO "player" ("name", "score") VALUES ('Arthur', 100) ON CONFLICT("name") DO UPDATE SET "score" =
    /// "excluded"."score" RETURNING *, "id"`, in one line. If the table has triggers, which may change the row afterwards, the
    /// statement returns the primary key only, and `SELECT * FROM "player" WHERE "id" = 1` fetches the row.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - type: the type of the fetched record. Its `databaseSelection` determines the selected columns.
    ///   - conflictTarget: the columns of a unique key. The upsert updates the row that has the same values in these columns. When
    ///     empty, a conflict on any unique key leads to an update.
    ///   - doUpdate: returns assignments for the columns that should not take the value of the record. Its argument stands for
    ///     `excluded`, the row that could not be inserted: `Column("score").set(to: excluded["score"] + 1)`.
    ///     `Column("score").noOverwrite` keeps the value in the database. All other columns that the record encodes are
    ///     overwritten, except the columns of the primary key and of the conflict target.
    /// - Throws: ``DatabaseError``, or the error of a callback, of the record's encoding, or of the initializer of the fetched
    ///   record. Views don't support upserts.
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
    /// Inserts the record, or updates the row that conflicts with it on any unique key.
    ///
    /// This is ``upsert(_:onConflict:doUpdate:)`` without a conflict target. Records whose type is not known when the program is compiled,
    /// such as `any PersistableRecord`, have only this method.
    ///
    /// - Throws: ``DatabaseError``, or the error of a callback or of the record's encoding. Views don't support upserts.
    @inlinable
    public func upsert(_ db: Database) throws {
        try upsert(db, onConflict: [], doUpdate: nil)
    }

    /// Inserts the record, or updates the row that conflicts with it on a unique key.
    ///
    /// ```swift
    /// let player = Player(id: nil, name: "Arthur", score: 100)
    /// try player.upsert(db)
    ///
    /// // Counts how often a word was seen
    /// try word.upsert(db, onConflict: ["text"]) { _ in [Column("count") += 1] }
    /// ```
    ///
    /// The SQL is `INSERT INTO "player" ("id", "name", "score") VALUES (NULL, 'Arthur', 100) ON CONFLICT DO UPDATE SET "name" =
    /// "excluded"."name", "score" = "excluded"."score" RETURNING "id"`, in one line. The statement returns the row ID because
    /// SQLite does not otherwise report which row it updated. Statements for `WITHOUT ROWID` tables have no `RETURNING` clause.
    ///
    /// Upserts always call the insertion callbacks, even when they update a row.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictTarget: the columns of a unique key. The upsert updates the row that has the same values in these columns. When
    ///     empty, a conflict on any unique key leads to an update.
    ///   - doUpdate: returns assignments for the columns that should not take the value of the record. Its argument stands for
    ///     `excluded`, the row that could not be inserted: `Column("score").set(to: excluded["score"] + 1)`.
    ///     `Column("score").noOverwrite` keeps the value in the database. All other columns that the record encodes are
    ///     overwritten, except the columns of the primary key and of the conflict target.
    /// - Throws: ``DatabaseError``, or the error of a callback or of the record's encoding. Views don't support upserts.
    @inlinable
    public func upsert(
        _ db: Database, onConflict conflictTarget: [String] = [],
        doUpdate: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
    ) throws {
        let details = WriteDetails(upsert: Self.self, target: conflictTarget, doUpdate: doUpdate)
        try onCopy { try $0.write(db, Insertion(.abort), details) }
    }

    /// Inserts the record, or updates the row that conflicts with it on a unique key, and fetches the row.
    ///
    /// ```swift
    /// let player = try player.upsertAndFetch(db, onConflict: ["name"]) { _ in
    ///     [Column("score") += 10, Column("createdAt").noOverwrite]
    /// }
    /// ```
    ///
    /// The SQL is `INSERT INTO "player" ("name", "score") VALUES ('Arthur', 100) ON CONFLICT("name") DO UPDATE SET "score" =
    /// "excluded"."score" RETURNING *, "id"`, in one line. If the table has triggers, which may change the row afterwards, the
    /// statement returns the primary key only, and `SELECT * FROM "player" WHERE "id" = 1` fetches the row.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictTarget: the columns of a unique key. The upsert updates the row that has the same values in these columns. When
    ///     empty, a conflict on any unique key leads to an update.
    ///   - doUpdate: returns assignments for the columns that should not take the value of the record. Its argument stands for
    ///     `excluded`, the row that could not be inserted: `Column("score").set(to: excluded["score"] + 1)`.
    ///     `Column("score").noOverwrite` keeps the value in the database. All other columns that the record encodes are
    ///     overwritten, except the columns of the primary key and of the conflict target.
    /// - Throws: ``DatabaseError``, or the error of a callback, of the record's encoding, or of the initializer of the fetched
    ///   record. Views don't support upserts.
    public func upsertAndFetch(
        _ db: Database, onConflict conflictTarget: [String] = [],
        doUpdate: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
    ) throws -> Self where Self: FetchableRecord {
        try upsertAndFetch(db, as: type(of: self), onConflict: conflictTarget, doUpdate: doUpdate)
    }

    /// Inserts the record, or updates the row that conflicts with it on a unique key, and fetches the row as a record of another
    /// type.
    ///
    /// The SQL is `INSERT INTO "player" ("name", "score") VALUES ('Arthur', 100) ON CONFLICT("name") DO UPDATE SET "score" =
    /// "excluded"."score" RETURNING *, "id"`, in one line. If the table has triggers, which may change the row afterwards, the
    /// statement returns the primary key only, and `SELECT * FROM "player" WHERE "id" = 1` fetches the row.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - type: the type of the fetched record. Its `databaseSelection` determines the selected columns.
    ///   - conflictTarget: the columns of a unique key. The upsert updates the row that has the same values in these columns. When
    ///     empty, a conflict on any unique key leads to an update.
    ///   - doUpdate: returns assignments for the columns that should not take the value of the record. Its argument stands for
    ///     `excluded`, the row that could not be inserted: `Column("score").set(to: excluded["score"] + 1)`.
    ///     `Column("score").noOverwrite` keeps the value in the database. All other columns that the record encodes are
    ///     overwritten, except the columns of the primary key and of the conflict target.
    /// - Throws: ``DatabaseError``, or the error of a callback, of the record's encoding, or of the initializer of the fetched
    ///   record. Views don't support upserts.
    public func upsertAndFetch<Fetched: FetchableRecord & TableRecord>(
        _ db: Database, as type: Fetched.Type, onConflict conflictTarget: [String] = [],
        doUpdate: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil
    ) throws -> Fetched {
        let details = WriteDetails(
            upsert: Self.self, target: conflictTarget, doUpdate: doUpdate, selection: type.databaseSelection)
        return try onCopy { try $0.write(db, Insertion(.abort), details, as: type) }
    }
}
