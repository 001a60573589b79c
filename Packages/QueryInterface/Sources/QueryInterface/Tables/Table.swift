import RowDecoding

/// A table, for requests without a record type, or with one that stands for another table.
///
/// ```swift
/// // SELECT * FROM "player" WHERE "score" > 1000
/// let rows = try Table("player").filter(Column("score") > 1000).fetchAll(db)     // [Row]
/// let names = try Table<String>("name").fetchAll(db)                             // [String]
/// ```
public struct Table<RowDecoder>: Sendable {
    /// The name of the table, which may begin with that of an attached database and a dot.
    public let tableName: String

    private init(name: String) {
        tableName = name
    }

    /// Makes a table whose rows are values of a type.
    ///
    /// - Parameter tableName: the name.
    public init(_ tableName: String) {
        self.init(name: tableName)
    }

    /// A request for all rows of the table.
    ///
    /// The SQL is `SELECT * FROM "player"`.
    public func all() -> QueryInterfaceRequest<RowDecoder> {
        QueryInterfaceRequest(relation: relation)
    }

    /// What is asked of the table when nothing else is said.
    var relation: Relation { Relation(table: tableName, recordType: RowDecoder.self, selection: [AllColumns()]) }
}

extension Table where RowDecoder == Row {
    /// Makes a table whose rows are plain rows.
    ///
    /// - Parameter tableName: the name.
    public init(_ tableName: String) {
        self.init(name: tableName)
    }
}

extension Table: DatabaseRegionConvertible {
    /// The table, all of it.
    ///
    /// - Throws: ``DatabaseError`` when there is no such table.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        try all().databaseRegion(db)
    }
}

// MARK: - Fetching

extension Table where RowDecoder: FetchableRecord {
    /// A cursor over the records of all rows: `SELECT * FROM "player"`.
    ///
    /// - Throws: ``DatabaseError``.
    public func fetchCursor(_ db: Database) throws -> RecordCursor<RowDecoder> { try all().fetchCursor(db) }

    /// The records of all rows: `SELECT * FROM "player"`.
    ///
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    public func fetchAll(_ db: Database) throws -> [RowDecoder] { try all().fetchAll(db) }

    /// The record of the first row, or nil: `SELECT * FROM "player" LIMIT 1`.
    ///
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    public func fetchOne(_ db: Database) throws -> RowDecoder? { try all().fetchOne(db) }

    /// The records of all rows, as a set: `SELECT * FROM "player"`.
    ///
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> where RowDecoder: Hashable { try all().fetchSet(db) }
}

extension Table where RowDecoder == Row {
    /// A cursor over all rows: `SELECT * FROM "player"`.
    ///
    /// - Throws: ``DatabaseError``.
    public func fetchCursor(_ db: Database) throws -> RowCursor { try all().fetchCursor(db) }

    /// All rows: `SELECT * FROM "player"`.
    ///
    /// - Throws: ``DatabaseError``.
    public func fetchAll(_ db: Database) throws -> [Row] { try all().fetchAll(db) }

    /// The first row, or nil: `SELECT * FROM "player" LIMIT 1`.
    ///
    /// - Throws: ``DatabaseError``.
    public func fetchOne(_ db: Database) throws -> Row? { try all().fetchOne(db) }

    /// All rows, as a set: `SELECT * FROM "player"`.
    ///
    /// - Throws: ``DatabaseError``.
    public func fetchSet(_ db: Database) throws -> Set<Row> { try all().fetchSet(db) }
}

extension Table where RowDecoder: DatabaseValueConvertible {
    /// A cursor over the values of the first column: `SELECT * FROM "name"`.
    ///
    /// - Throws: ``DatabaseError``.
    public func fetchCursor(_ db: Database) throws -> DatabaseValueCursor<RowDecoder> { try all().fetchCursor(db) }

    /// The values of the first column: `SELECT * FROM "name"`.
    ///
    /// - Throws: ``DatabaseError``, or ``RowDecodingError`` for a value that has no conversion to the type.
    public func fetchAll(_ db: Database) throws -> [RowDecoder] { try all().fetchAll(db) }

    /// The value of the first column in the first row, or nil: `SELECT * FROM "name" LIMIT 1`.
    ///
    /// - Throws: ``DatabaseError``, or ``RowDecodingError`` for a value that has no conversion to the type.
    public func fetchOne(_ db: Database) throws -> RowDecoder? { try all().fetchOne(db) }

    /// The values of the first column, as a set: `SELECT * FROM "name"`.
    ///
    /// - Throws: ``DatabaseError``, or ``RowDecodingError`` for a value that has no conversion to the type.
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> where RowDecoder: Hashable { try all().fetchSet(db) }
}
