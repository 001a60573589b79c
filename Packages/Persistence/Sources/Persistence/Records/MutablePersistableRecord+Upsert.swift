import QueryInterface

extension MutablePersistableRecord {
    /// Inserts the record, or updates the row that conflicts with it on any unique key.
    ///
    /// ```swift
    /// try player.upsert(db)
    /// ```
    ///
    /// This is ``upsert(_:onConflict:updating:doUpdate:where:)`` without a conflict target. Records whose type is not known when the
    /// program is compiled, such as `any MutablePersistableRecord`, have only this method.
    ///
    /// - Throws: ``DatabaseError``, or the error of a callback or of the record's encoding. Views don't support upserts.
    @inlinable
    public mutating func upsert(_ db: Database) throws {
        try upsert(db, onConflict: [])
    }

    /// Inserts the record, or updates the row that conflicts with it on a unique key.
    ///
    /// ```swift
    /// var player = Player(id: nil, name: "Arthur", score: 100)
    /// try player.upsert(db)
    ///
    /// // Counts how often a word was seen
    /// try word.upsert(db, onConflict: ["text"]) { _ in [Column("count") += 1] }
    ///
    /// // Changes nothing if the row has the values of the record already
    /// try player.upsert(db, onConflict: ["name"], updating: .allColumns.ifChanged)
    /// ```
    ///
    /// The SQL is `INSERT INTO "player" ("id", "name", "score") VALUES (NULL, 'Arthur', 100) ON CONFLICT DO UPDATE SET "name" =
    /// "excluded"."name", "score" = "excluded"."score" RETURNING "id"`, in one line. The statement returns the row ID because
    /// SQLite does not otherwise report which row it updated. Statements for `WITHOUT ROWID` tables have no `RETURNING` clause.
    ///
    /// Upserts call the insertion callbacks, even when they update a row. If they leave the row alone, `didInsert` is not called: the row
    /// ID is not known.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictTarget: the columns of a unique key, or of one partial unique index. The upsert updates the row that has the same
    ///     values in these columns. When empty, a conflict on any unique key leads to an update.
    ///   - strategy: the columns that take the values of the record; by default all, except the columns of the primary key and of the
    ///     conflict target. ``UpsertUpdateStrategy/ifChanged`` leaves alone a row that has these values already.
    ///   - doUpdate: returns assignments for the columns that should not take the value of the record. Its argument stands for
    ///     `excluded`, the row that could not be inserted: `Column("score").set(to: excluded["score"] + 1)`.
    ///     `Column("score").noOverwrite` keeps the value in the database.
    ///   - condition: returns a condition for the update. Columns are those of the existing row: `{ $0["score"] > Column("score") }`.
    ///     If it is not true, the row is left alone.
    /// - Throws: ``DatabaseError``, or the error of a callback or of the record's encoding. Views don't support upserts.
    @inlinable
    public mutating func upsert(
        _ db: Database, onConflict conflictTarget: [String] = [], updating strategy: UpsertUpdateStrategy = .allColumns,
        doUpdate: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil,
        where condition: ((_ excluded: TableAlias<Self>) -> any SQLExpressible)? = nil
    ) throws {
        let details = WriteDetails(upsert: Self.self, target: conflictTarget, strategy, doUpdate, where: condition)
        try write(db, Insertion(.abort), details)
    }

    /// Inserts the record, or updates the row that conflicts with it on a unique key, and returns what it did.
    ///
    /// ```swift
    /// let outcome = try player.upsertWithOutcome(
    ///     db, onConflict: ["name"], updating: .allColumns.ifChanged)
    /// if outcome == .unchanged { … }
    /// ```
    ///
    /// The SQL is the SQL of ``upsert(_:onConflict:updating:doUpdate:where:)``. In a `WITHOUT ROWID` table, and in a cluster, a query by
    /// the columns of the conflict target finds out beforehand whether the row exists, and the statement of a `WITHOUT ROWID` table returns
    /// the primary key.
    ///
    /// - Parameters: the parameters of ``upsert(_:onConflict:updating:doUpdate:where:)``.
    /// - Returns: whether the row was inserted, updated, or left alone.
    /// - Throws: ``DatabaseError``, or the error of a callback or of the record's encoding. Without a conflict target, it throws in a
    ///   `WITHOUT ROWID` table, and in a cluster, if the table has several unique keys.
    @inlinable
    public mutating func upsertWithOutcome(
        _ db: Database, onConflict conflictTarget: [String] = [], updating strategy: UpsertUpdateStrategy = .allColumns,
        doUpdate: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil,
        where condition: ((_ excluded: TableAlias<Self>) -> any SQLExpressible)? = nil
    ) throws -> UpsertOutcome {
        let details = WriteDetails(
            upsert: Self.self, target: conflictTarget, strategy, doUpdate, where: condition, notesOutcome: true)
        try write(db, Insertion(.abort), details)
        return details.outcome
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
    /// "excluded"."score" RETURNING *, "id"`, in one line. If a condition leaves the row alone, a query by the columns of the conflict
    /// target fetches it: without a target, such an upsert throws an error. If the table has triggers, which may change the row afterwards,
    /// the statement returns the primary key only, and `SELECT * FROM "player" WHERE "id" = 1` fetches the row.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictTarget: the columns of a unique key, or of one partial unique index. The upsert updates the row that has the same
    ///     values in these columns. When empty, a conflict on any unique key leads to an update.
    ///   - strategy: the columns that take the values of the record; by default all, except the columns of the primary key and of the
    ///     conflict target. ``UpsertUpdateStrategy/ifChanged`` leaves alone a row that has these values already.
    ///   - doUpdate: returns assignments for the columns that should not take the value of the record. Its argument stands for
    ///     `excluded`, the row that could not be inserted: `Column("score").set(to: excluded["score"] + 1)`.
    ///     `Column("score").noOverwrite` keeps the value in the database.
    ///   - condition: returns a condition for the update. Columns are those of the existing row: `{ $0["score"] > Column("score") }`.
    ///     If it is not true, the row is left alone.
    /// - Throws: ``DatabaseError``, or the error of a callback, of the record's encoding, or of the initializer of the fetched
    ///   record. Views don't support upserts.
    public mutating func upsertAndFetch(
        _ db: Database, onConflict conflictTarget: [String] = [], updating strategy: UpsertUpdateStrategy = .allColumns,
        doUpdate: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil,
        where condition: ((_ excluded: TableAlias<Self>) -> any SQLExpressible)? = nil
    ) throws -> Self where Self: FetchableRecord {
        try upsertAndFetch(db, as: type(of: self), onConflict: conflictTarget, updating: strategy, doUpdate: doUpdate, where: condition)
    }

    /// Inserts the record, or updates the row that conflicts with it on a unique key, and fetches the row as a record of another
    /// type.
    ///
    /// The SQL is `INSERT INTO "player" ("name", "score") VALUES ('Arthur', 100) ON CONFLICT("name") DO UPDATE SET "score" =
    /// "excluded"."score" RETURNING *, "id"`, in one line. If a condition leaves the row alone, a query by the columns of the conflict
    /// target fetches it: without a target, such an upsert throws an error. If the table has triggers, which may change the row afterwards,
    /// the statement returns the primary key only, and `SELECT * FROM "player" WHERE "id" = 1` fetches the row.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - type: the type of the fetched record. Its `databaseSelection` determines the selected columns.
    ///   - conflictTarget: the columns of a unique key, or of one partial unique index. The upsert updates the row that has the same
    ///     values in these columns. When empty, a conflict on any unique key leads to an update.
    ///   - strategy: the columns that take the values of the record; by default all, except the columns of the primary key and of the
    ///     conflict target. ``UpsertUpdateStrategy/ifChanged`` leaves alone a row that has these values already.
    ///   - doUpdate: returns assignments for the columns that should not take the value of the record. Its argument stands for
    ///     `excluded`, the row that could not be inserted: `Column("score").set(to: excluded["score"] + 1)`.
    ///     `Column("score").noOverwrite` keeps the value in the database.
    ///   - condition: returns a condition for the update. Columns are those of the existing row: `{ $0["score"] > Column("score") }`.
    ///     If it is not true, the row is left alone.
    /// - Throws: ``DatabaseError``, or the error of a callback, of the record's encoding, or of the initializer of the fetched
    ///   record. Views don't support upserts.
    public mutating func upsertAndFetch<Fetched: FetchableRecord & TableRecord>(
        _ db: Database, as type: Fetched.Type, onConflict conflictTarget: [String] = [],
        updating strategy: UpsertUpdateStrategy = .allColumns,
        doUpdate: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil,
        where condition: ((_ excluded: TableAlias<Self>) -> any SQLExpressible)? = nil
    ) throws -> Fetched {
        let details = WriteDetails(
            upsert: Self.self, target: conflictTarget, strategy, doUpdate, where: condition, selection: type.databaseSelection)
        return try write(db, Insertion(.abort), details, as: type)
    }
}

extension PersistableRecord {
    /// Inserts the record, or updates the row that conflicts with it on any unique key.
    ///
    /// This is ``upsert(_:onConflict:updating:doUpdate:where:)`` without a conflict target. Records whose type is not known when the
    /// program is compiled, such as `any PersistableRecord`, have only this method.
    ///
    /// - Throws: ``DatabaseError``, or the error of a callback or of the record's encoding. Views don't support upserts.
    @inlinable
    public func upsert(_ db: Database) throws {
        try upsert(db, onConflict: [])
    }

    /// Inserts the record, or updates the row that conflicts with it on a unique key.
    ///
    /// ```swift
    /// let player = Player(id: nil, name: "Arthur", score: 100)
    /// try player.upsert(db)
    ///
    /// // Counts how often a word was seen
    /// try word.upsert(db, onConflict: ["text"]) { _ in [Column("count") += 1] }
    ///
    /// // Changes nothing if the row has the values of the record already
    /// try player.upsert(db, onConflict: ["name"], updating: .allColumns.ifChanged)
    /// ```
    ///
    /// The SQL is `INSERT INTO "player" ("id", "name", "score") VALUES (NULL, 'Arthur', 100) ON CONFLICT DO UPDATE SET "name" =
    /// "excluded"."name", "score" = "excluded"."score" RETURNING "id"`, in one line. The statement returns the row ID because
    /// SQLite does not otherwise report which row it updated. Statements for `WITHOUT ROWID` tables have no `RETURNING` clause.
    ///
    /// Upserts call the insertion callbacks, even when they update a row. If they leave the row alone, `didInsert` is not called: the row
    /// ID is not known.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictTarget: the columns of a unique key, or of one partial unique index. The upsert updates the row that has the same
    ///     values in these columns. When empty, a conflict on any unique key leads to an update.
    ///   - strategy: the columns that take the values of the record; by default all, except the columns of the primary key and of the
    ///     conflict target. ``UpsertUpdateStrategy/ifChanged`` leaves alone a row that has these values already.
    ///   - doUpdate: returns assignments for the columns that should not take the value of the record. Its argument stands for
    ///     `excluded`, the row that could not be inserted: `Column("score").set(to: excluded["score"] + 1)`.
    ///     `Column("score").noOverwrite` keeps the value in the database.
    ///   - condition: returns a condition for the update. Columns are those of the existing row: `{ $0["score"] > Column("score") }`.
    ///     If it is not true, the row is left alone.
    /// - Throws: ``DatabaseError``, or the error of a callback or of the record's encoding. Views don't support upserts.
    @inlinable
    public func upsert(
        _ db: Database, onConflict conflictTarget: [String] = [], updating strategy: UpsertUpdateStrategy = .allColumns,
        doUpdate: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil,
        where condition: ((_ excluded: TableAlias<Self>) -> any SQLExpressible)? = nil
    ) throws {
        let details = WriteDetails(upsert: Self.self, target: conflictTarget, strategy, doUpdate, where: condition)
        try onCopy { try $0.write(db, Insertion(.abort), details) }
    }

    /// Inserts the record, or updates the row that conflicts with it on a unique key, and returns what it did.
    ///
    /// ```swift
    /// let outcome = try player.upsertWithOutcome(
    ///     db, onConflict: ["name"], updating: .allColumns.ifChanged)
    /// if outcome == .unchanged { … }
    /// ```
    ///
    /// The SQL is the SQL of ``upsert(_:onConflict:updating:doUpdate:where:)``. In a `WITHOUT ROWID` table, and in a cluster, a query by
    /// the columns of the conflict target finds out beforehand whether the row exists, and the statement of a `WITHOUT ROWID` table returns
    /// the primary key.
    ///
    /// - Parameters: the parameters of ``upsert(_:onConflict:updating:doUpdate:where:)``.
    /// - Returns: whether the row was inserted, updated, or left alone.
    /// - Throws: ``DatabaseError``, or the error of a callback or of the record's encoding. Without a conflict target, it throws in a
    ///   `WITHOUT ROWID` table, and in a cluster, if the table has several unique keys.
    @inlinable
    public func upsertWithOutcome(
        _ db: Database, onConflict conflictTarget: [String] = [], updating strategy: UpsertUpdateStrategy = .allColumns,
        doUpdate: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil,
        where condition: ((_ excluded: TableAlias<Self>) -> any SQLExpressible)? = nil
    ) throws -> UpsertOutcome {
        let details = WriteDetails(
            upsert: Self.self, target: conflictTarget, strategy, doUpdate, where: condition, notesOutcome: true)
        try onCopy { try $0.write(db, Insertion(.abort), details) }
        return details.outcome
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
    /// "excluded"."score" RETURNING *, "id"`, in one line. If a condition leaves the row alone, a query by the columns of the conflict
    /// target fetches it: without a target, such an upsert throws an error. If the table has triggers, which may change the row afterwards,
    /// the statement returns the primary key only, and `SELECT * FROM "player" WHERE "id" = 1` fetches the row.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictTarget: the columns of a unique key, or of one partial unique index. The upsert updates the row that has the same
    ///     values in these columns. When empty, a conflict on any unique key leads to an update.
    ///   - strategy: the columns that take the values of the record; by default all, except the columns of the primary key and of the
    ///     conflict target. ``UpsertUpdateStrategy/ifChanged`` leaves alone a row that has these values already.
    ///   - doUpdate: returns assignments for the columns that should not take the value of the record. Its argument stands for
    ///     `excluded`, the row that could not be inserted: `Column("score").set(to: excluded["score"] + 1)`.
    ///     `Column("score").noOverwrite` keeps the value in the database.
    ///   - condition: returns a condition for the update. Columns are those of the existing row: `{ $0["score"] > Column("score") }`.
    ///     If it is not true, the row is left alone.
    /// - Throws: ``DatabaseError``, or the error of a callback, of the record's encoding, or of the initializer of the fetched
    ///   record. Views don't support upserts.
    public func upsertAndFetch(
        _ db: Database, onConflict conflictTarget: [String] = [], updating strategy: UpsertUpdateStrategy = .allColumns,
        doUpdate: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil,
        where condition: ((_ excluded: TableAlias<Self>) -> any SQLExpressible)? = nil
    ) throws -> Self where Self: FetchableRecord {
        try upsertAndFetch(db, as: type(of: self), onConflict: conflictTarget, updating: strategy, doUpdate: doUpdate, where: condition)
    }

    /// Inserts the record, or updates the row that conflicts with it on a unique key, and fetches the row as a record of another
    /// type.
    ///
    /// The SQL is `INSERT INTO "player" ("name", "score") VALUES ('Arthur', 100) ON CONFLICT("name") DO UPDATE SET "score" =
    /// "excluded"."score" RETURNING *, "id"`, in one line. If a condition leaves the row alone, a query by the columns of the conflict
    /// target fetches it: without a target, such an upsert throws an error. If the table has triggers, which may change the row afterwards,
    /// the statement returns the primary key only, and `SELECT * FROM "player" WHERE "id" = 1` fetches the row.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - type: the type of the fetched record. Its `databaseSelection` determines the selected columns.
    ///   - conflictTarget: the columns of a unique key, or of one partial unique index. The upsert updates the row that has the same
    ///     values in these columns. When empty, a conflict on any unique key leads to an update.
    ///   - strategy: the columns that take the values of the record; by default all, except the columns of the primary key and of the
    ///     conflict target. ``UpsertUpdateStrategy/ifChanged`` leaves alone a row that has these values already.
    ///   - doUpdate: returns assignments for the columns that should not take the value of the record. Its argument stands for
    ///     `excluded`, the row that could not be inserted: `Column("score").set(to: excluded["score"] + 1)`.
    ///     `Column("score").noOverwrite` keeps the value in the database.
    ///   - condition: returns a condition for the update. Columns are those of the existing row: `{ $0["score"] > Column("score") }`.
    ///     If it is not true, the row is left alone.
    /// - Throws: ``DatabaseError``, or the error of a callback, of the record's encoding, or of the initializer of the fetched
    ///   record. Views don't support upserts.
    public func upsertAndFetch<Fetched: FetchableRecord & TableRecord>(
        _ db: Database, as type: Fetched.Type, onConflict conflictTarget: [String] = [],
        updating strategy: UpsertUpdateStrategy = .allColumns,
        doUpdate: ((_ excluded: TableAlias<Self>) -> [ColumnAssignment])? = nil,
        where condition: ((_ excluded: TableAlias<Self>) -> any SQLExpressible)? = nil
    ) throws -> Fetched {
        let details = WriteDetails(
            upsert: Self.self, target: conflictTarget, strategy, doUpdate, where: condition, selection: type.databaseSelection)
        return try onCopy { try $0.write(db, Insertion(.abort), details, as: type) }
    }
}
