import QueryInterface

// Each method has three forms. The mutating form lets `willUpdate` change the record. The form of `EncodableRecord` serves
// constants, and works on a copy. The form of `PersistableRecord` serves records that are not mutated: the mutating form would call the
// observers of a variable, and keep it from being read until the update ends. Swift selects the form of the most refined protocol that
// fits.

extension MutablePersistableRecord {
    /// Updates the row that has the record's primary key.
    ///
    /// ```swift
    /// player.score = 200
    /// try player.update(db)
    /// ```
    ///
    /// The SQL is `UPDATE "player" SET "name" = 'Arthur', "score" = 200 WHERE "id" = 1`.
    ///
    /// While migrations run, the update leaves out columns that the table lacks, because later migrations may add them. Otherwise, such a
    /// column is an error.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution; by default, the record type's policy decides. With `.ignore`, the method
    ///     does not throw when a conflict prevents the update.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row, ``DatabaseError``, or the error
    ///   of a callback or of the record's encoding.
    @inlinable
    public mutating func update(_ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil) throws {
        try write(db, Update(conflictResolution))
    }

    /// Updates some columns of the row that has the record's primary key.
    ///
    /// ```swift
    /// try player.update(db, columns: ["score"])
    /// try player.update(db, columns: [Column("score")])
    /// ```
    ///
    /// The SQL is `UPDATE "player" SET "score" = 200 WHERE "id" = 1`.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - conflictResolution: the conflict resolution; by default, the record type's policy decides. With `.ignore`, the method
    ///     does not throw when a conflict prevents the update.
    ///   - columns: the names of the columns, which the record encodes.
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row, ``DatabaseError``, or the error
    ///   of a callback or of the record's encoding.
    @inlinable
    public mutating func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, columns: some Collection<String>
    ) throws {
        try write(db, Update(conflictResolution, columns, \.self))
    }

    /// Updates some columns of the row that has the record's primary key.
    @inlinable
    public mutating func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: [any NamedColumn]
    ) throws {
        try write(db, Update(conflictResolution, columns, \.name))
    }

    /// Updates some columns of the row that has the record's primary key.
    @inlinable
    public mutating func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, columns: some Collection<Column>
    ) throws {
        try write(db, Update(conflictResolution, columns, \.name))
    }
}

extension EncodableRecord where Self: MutablePersistableRecord {
    /// Updates the row that has the record's primary key.
    ///
    /// The SQL is `UPDATE "player" SET "name" = 'Arthur', "score" = 200 WHERE "id" = 1`.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row, ``DatabaseError``, or the error
    ///   of a callback or of the record's encoding.
    @inlinable
    public func update(_ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil) throws {
        try onCopy { try $0.write(db, Update(conflictResolution)) }
    }

    /// Updates some columns of the row that has the record's primary key.
    ///
    /// The SQL is `UPDATE "player" SET "score" = 200 WHERE "id" = 1`.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row, ``DatabaseError``, or the error
    ///   of a callback or of the record's encoding.
    @inlinable
    public func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, columns: some Collection<String>
    ) throws {
        try onCopy { try $0.write(db, Update(conflictResolution, columns, \.self)) }
    }

    /// Updates some columns of the row that has the record's primary key.
    @inlinable
    public func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: [any NamedColumn]
    ) throws {
        try onCopy { try $0.write(db, Update(conflictResolution, columns, \.name)) }
    }

    /// Updates some columns of the row that has the record's primary key.
    @inlinable
    public func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, columns: some Collection<Column>
    ) throws {
        try onCopy { try $0.write(db, Update(conflictResolution, columns, \.name)) }
    }
}

extension PersistableRecord {
    /// Updates the row that has the record's primary key.
    ///
    /// The SQL is `UPDATE "player" SET "name" = 'Arthur', "score" = 200 WHERE "id" = 1`.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row, ``DatabaseError``, or the error
    ///   of a callback or of the record's encoding.
    @inlinable
    public func update(_ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil) throws {
        try onCopy { try $0.write(db, Update(conflictResolution)) }
    }

    /// Updates some columns of the row that has the record's primary key.
    ///
    /// The SQL is `UPDATE "player" SET "score" = 200 WHERE "id" = 1`.
    ///
    /// - Throws: ``RecordError/recordNotFound(databaseTableName:key:)`` when there is no such row, ``DatabaseError``, or the error
    ///   of a callback or of the record's encoding.
    @inlinable
    public func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, columns: some Collection<String>
    ) throws {
        try onCopy { try $0.write(db, Update(conflictResolution, columns, \.self)) }
    }

    /// Updates some columns of the row that has the record's primary key.
    @inlinable
    public func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        columns: [any NamedColumn]
    ) throws {
        try onCopy { try $0.write(db, Update(conflictResolution, columns, \.name)) }
    }

    /// Updates some columns of the row that has the record's primary key.
    @inlinable
    public func update(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil, columns: some Collection<Column>
    ) throws {
        try onCopy { try $0.write(db, Update(conflictResolution, columns, \.name)) }
    }
}
