import RowDecoding

extension FetchableRecord where Self: TableRecord {
    /// A cursor over all records of the table.
    ///
    /// The SQL is `SELECT * FROM "player"`.
    ///
    /// - Throws: ``DatabaseError``.
    @inlinable
    public static func fetchCursor(_ db: Database) throws -> RecordCursor<Self> {
        try all().fetchCursor(db)
    }

    /// All records of the table.
    ///
    /// The SQL is `SELECT * FROM "player"`.
    ///
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    @inlinable
    public static func fetchAll(_ db: Database) throws -> [Self] {
        try all().fetchAll(db)
    }

    /// The first record of the table, or nil.
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
    /// All records of the table, as a set.
    ///
    /// The SQL is `SELECT * FROM "player"`.
    ///
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    @inlinable
    public static func fetchSet(_ db: Database) throws -> Set<Self> {
        try all().fetchSet(db)
    }
}
