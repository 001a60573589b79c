import RowDecoding

/// A table, for requests without a record type, or for a record type that another table stores as well.
///
/// ```swift
/// // SELECT * FROM "player" WHERE "score" > 1000
/// let rows = try Table("player").filter(Column("score") > 1000).fetchAll(db)  // [Row]
/// let names = try Table<String>("name").fetchAll(db)                          // [String]
/// ```
public struct Table<RowDecoder>: Sendable {
    /// The name of the table, which may begin with the name of an attached database and a dot.
    public let tableName: String

    private init(name: String) {
        tableName = name
    }

    /// Creates a table whose rows are decoded as values of a type.
    ///
    /// - Parameter tableName: the name of the table.
    public init(_ tableName: String) {
        self.init(name: tableName)
    }

    /// Returns a request for all rows of the table.
    ///
    /// The SQL is `SELECT * FROM "player"`.
    public func all() -> QueryInterfaceRequest<RowDecoder> {
        QueryInterfaceRequest(relation: relation)
    }

    /// The relation of all rows and columns.
    var relation: Relation { Relation(table: tableName, recordType: RowDecoder.self, selection: [AllColumns()]) }
}

extension Table where RowDecoder == Row {
    /// Creates a table whose rows are fetched as ``Row``.
    ///
    /// - Parameter tableName: the name of the table.
    public init(_ tableName: String) {
        self.init(name: tableName)
    }
}

extension Table: DatabaseRegionConvertible {
    /// Returns the region of the whole table.
    ///
    /// - Throws: ``DatabaseError`` when the table does not exist.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        try all().databaseRegion(db)
    }
}

// MARK: - Fetching

extension Table where RowDecoder: FetchableRecord {
    /// Returns a cursor over the records of all rows: `SELECT * FROM "player"`.
    ///
    /// - Throws: ``DatabaseError``.
    public func fetchCursor(_ db: Database) throws -> RecordCursor<RowDecoder> { try all().fetchCursor(db) }

    /// Returns the records of all rows: `SELECT * FROM "player"`.
    ///
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    public func fetchAll(_ db: Database) throws -> [RowDecoder] { try all().fetchAll(db) }

    /// Returns the record of the first row, or nil if the table is empty: `SELECT * FROM "player" LIMIT 1`.
    ///
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    public func fetchOne(_ db: Database) throws -> RowDecoder? { try all().fetchOne(db) }

    /// Returns a set of the records of all rows: `SELECT * FROM "player"`.
    ///
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> where RowDecoder: Hashable { try all().fetchSet(db) }
}

extension Table where RowDecoder == Row {
    /// Returns a cursor over all rows: `SELECT * FROM "player"`.
    ///
    /// - Throws: ``DatabaseError``.
    public func fetchCursor(_ db: Database) throws -> RowCursor { try all().fetchCursor(db) }

    /// Returns all rows: `SELECT * FROM "player"`.
    ///
    /// - Throws: ``DatabaseError``.
    public func fetchAll(_ db: Database) throws -> [Row] { try all().fetchAll(db) }

    /// Returns the first row, or nil if the table is empty: `SELECT * FROM "player" LIMIT 1`.
    ///
    /// - Throws: ``DatabaseError``.
    public func fetchOne(_ db: Database) throws -> Row? { try all().fetchOne(db) }

    /// Returns a set of all rows: `SELECT * FROM "player"`.
    ///
    /// - Throws: ``DatabaseError``.
    public func fetchSet(_ db: Database) throws -> Set<Row> { try all().fetchSet(db) }
}

extension Table where RowDecoder: DatabaseValueConvertible {
    /// Returns a cursor over the values of the first column: `SELECT * FROM "name"`.
    ///
    /// - Throws: ``DatabaseError``.
    public func fetchCursor(_ db: Database) throws -> DatabaseValueCursor<RowDecoder> { try all().fetchCursor(db) }

    /// Returns the values of the first column: `SELECT * FROM "name"`.
    ///
    /// - Throws: ``DatabaseError``, or ``RowDecodingError`` for a value that can't be converted to the type.
    public func fetchAll(_ db: Database) throws -> [RowDecoder] { try all().fetchAll(db) }

    /// Returns the value of the first column in the first row, or nil if the table is empty: `SELECT * FROM "name" LIMIT 1`.
    ///
    /// - Throws: ``DatabaseError``, or ``RowDecodingError`` for a value that can't be converted to the type.
    public func fetchOne(_ db: Database) throws -> RowDecoder? { try all().fetchOne(db) }

    /// Returns a set of the values of the first column: `SELECT * FROM "name"`.
    ///
    /// - Throws: ``DatabaseError``, or ``RowDecodingError`` for a value that can't be converted to the type.
    public func fetchSet(_ db: Database) throws -> Set<RowDecoder> where RowDecoder: Hashable { try all().fetchSet(db) }
}
