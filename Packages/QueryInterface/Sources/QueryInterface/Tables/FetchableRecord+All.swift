import RowDecoding

extension FetchableRecord where Self: TableRecord {
    /// Returns a cursor over all records of the table.
    ///
    /// The SQL is `SELECT * FROM "player"`.
    ///
    /// - Throws: ``DatabaseError``.
    @inlinable
    public static func fetchCursor(_ db: Database) throws -> RecordCursor<Self> {
        try all().fetchCursor(db)
    }

    /// Returns all records of the table.
    ///
    /// The SQL is `SELECT * FROM "player"`.
    ///
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    @inlinable
    public static func fetchAll(_ db: Database) throws -> [Self] {
        try all().fetchAll(db)
    }

    /// Returns the first record of the table, or nil if the table is empty.
    ///
    /// The SQL is `SELECT * FROM "player" LIMIT 1`.
    ///
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    @inlinable
    public static func fetchOne(_ db: Database) throws -> Self? {
        try all().fetchOne(db)
    }
}

extension FetchableRecord where Self: TableRecord & Hashable {
    /// Returns a set of all records of the table.
    ///
    /// The SQL is `SELECT * FROM "player"`.
    ///
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    @inlinable
    public static func fetchSet(_ db: Database) throws -> Set<Self> {
        try all().fetchSet(db)
    }
}
