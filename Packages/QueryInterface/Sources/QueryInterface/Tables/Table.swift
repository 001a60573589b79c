import RowDecoding

/// A table, for requests without a record type, or for a record type that another table stores as well.
///
/// ```swift
/// // SELECT * FROM "player" WHERE "score" > 1000
/// let rows = try Table("player").filter(Column("score") > 1000).fetchAll(db)  // [Row]
/// let names = try Table<String>("name").fetchAll(db)                          // [String]
/// ```
///
/// A table has the clauses of ``RequestSource``, the methods of requests that fetch, update and delete, and the associations of record types.
public struct Table<RowDecoder>: Sendable {
    /// The name of the table, which may begin with the name of an attached database and a dot.
    public let tableName: String

    /// Creates a table whose rows are decoded as values of a type.
    ///
    /// - Parameter tableName: the name of the table.
    public init(_ tableName: String) {
        self.tableName = tableName
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
        self.tableName = tableName
    }
}

// MARK: - Clauses and fetching

extension Table: RequestSource, TypedRequest {
    /// Returns the request for all rows of the table, with a clause or a joined table added.
    public func applying(_ change: RequestChange) -> QueryInterfaceRequest<RowDecoder> { all().applying(change) }
}

// A `FetchRequest` is a subquery in SQL literals, and a table is its name.
extension Table: FetchSource {
    /// Prepares the query of all rows.
    ///
    /// - Throws: ``DatabaseError`` when the table does not exist.
    public func makePreparedRequest(_ db: Database, forSingleResult: Bool) throws -> PreparedRequest {
        try all().makePreparedRequest(db, forSingleResult: forSingleResult)
    }

    /// Returns the number of rows in the table: `SELECT count(*) FROM "player"`.
    ///
    /// - Throws: ``DatabaseError``.
    public func fetchCount(_ db: Database) throws -> Int { try all().fetchCount(db) }

    /// Returns the region of the whole table.
    ///
    /// - Throws: ``DatabaseError`` when the table does not exist.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion { try all().databaseRegion(db) }
}
