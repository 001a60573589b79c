import QueryInterface

extension MutablePersistableRecord {
    /// Updates the row that has the record's primary key, unless it was changed since the record was read.
    ///
    /// ```swift
    /// struct Document: Codable, PersistableRecord {
    ///     var id: Int64
    ///     var title: String
    ///     var version = 0
    /// }
    ///
    /// // UPDATE "document" SET "title" = 'Draft', "version" = "version" + 1
    /// // WHERE "id" = 1 AND "version" = 7
    /// var document = Document(id: 1, title: "Draft", version: 7)
    /// do {
    ///     try document.update(db, version: \.version)
    /// } catch RecordError.recordChanged {
    ///     // Somebody else was faster: fetch the document again, and ask the user.
    /// }
    /// ```
    ///
    /// The record has the version that it was read with. The update increments it in the row and in the record, so that updates of copies
    /// that were read before throw an error. This works across transactions, processes and requests of clients, and needs no lock
    /// meanwhile. Other methods don't check the version: use this one for all changes that must not overwrite each other.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - version: the property with the version.
    ///   - column: the name of its column, which the record encodes.
    /// - Throws: ``RecordError/recordChanged(databaseTableName:key:)`` if the row has another version,
    ///   ``RecordError/recordNotFound(databaseTableName:key:)`` if there is no such row, ``DatabaseError``, also if a trigger or `OR IGNORE`
    ///   has left out the update, or the error of a callback or of the record's encoding. The record is unchanged then.
    public mutating func update<Version: FixedWidthInteger>(
        _ db: Database, version: WritableKeyPath<Self, Version>, column: String = "version"
    ) throws {
        try write(db, Update(nil), version, column)
    }

    /// Updates some columns of the row that has the record's primary key, unless the row was changed since the record was read.
    ///
    /// ```swift
    /// struct Document: Codable, PersistableRecord {
    ///     var id: Int64
    ///     var title: String
    ///     var text: String
    ///     var version = 0
    /// }
    ///
    /// // UPDATE "document" SET "title" = 'Final', "version" = "version" + 1
    /// // WHERE "id" = 1 AND "version" = 7
    /// var document = Document(id: 1, title: "Draft", text: "", version: 7)
    /// document.title = "Final"
    /// try document.update(db, version: \.version, columns: ["title"])
    /// ```
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - version: the property with the version.
    ///   - column: the name of its column, which the record encodes.
    ///   - columns: the names of the columns to update, besides the version.
    /// - Throws: what ``update(_:version:column:)`` throws, or ``DatabaseError`` for a column that the record does not encode. The record is
    ///   unchanged then.
    public mutating func update<Version: FixedWidthInteger>(
        _ db: Database, version: WritableKeyPath<Self, Version>, column: String = "version", columns: some Collection<String>
    ) throws {
        try write(db, Update(nil, columns, \.self), version, column)
    }

    /// Updates some columns of the row that has the record's primary key, unless the row was changed since the record was read.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - version: the property with the version.
    ///   - column: the name of its column, which the record encodes.
    ///   - columns: the columns to update, besides the version.
    /// - Throws: what ``update(_:version:column:)`` throws, or ``DatabaseError`` for a column that the record does not encode. The record is
    ///   unchanged then.
    public mutating func update<Version: FixedWidthInteger>(
        _ db: Database, version: WritableKeyPath<Self, Version>, column: String = "version", columns: [any NamedColumn]
    ) throws {
        try write(db, Update(nil, columns, \.name), version, column)
    }

    private mutating func write<Version: FixedWidthInteger>(
        _ db: Database, _ update: Update, _ version: WritableKeyPath<Self, Version>, _ column: String
    ) throws {
        let (next, isTooLarge) = self[keyPath: version].addingReportingOverflow(1)
        guard !isTooLarge, let stored = Int64(exactly: next) else {
            throw DatabaseError.misuse("the version of a record of table \(Self.databaseTableName) can't be incremented")
        }
        var record = self
        try record.write(db, update, WriteDetails(versionColumn: column))
        record[keyPath: version] = Version(stored)
        self = record
    }
}
