import RowDecoding

/// A type that stands for a table.
///
/// ```swift
/// struct Player: TableRecord, FetchableRecord { ... }
///
/// // SELECT * FROM "player" WHERE "score" > 1000 ORDER BY "name"
/// let players = try Player.filter(Column("score") > 1000).order(Column("name")).fetchAll(db)
/// ```
public protocol TableRecord {
    /// The name of the table.
    ///
    /// By default it follows from the type's name: `Place` is "place", `PostalAddress` "postalAddress", `HTTPRequest`
    /// "httpRequest", and `TOEFL` "toefl".
    static var databaseTableName: String { get }

    /// What requests select. All columns by default.
    static var databaseSelection: [any SQLSelectable] { get }
}

extension TableRecord {
    /// The type's name, with its first word in lower case.
    public static var databaseTableName: String { DerivedTableNames.name(for: Self.self) }

    /// All columns.
    public static var databaseSelection: [any SQLSelectable] { [AllColumns()] }

    /// A request for all rows of the table.
    ///
    /// The SQL is `SELECT * FROM "player"`.
    public static func all() -> QueryInterfaceRequest<Self> {
        QueryInterfaceRequest(table: databaseTableName, selection: databaseSelection.map(\.sqlSelection))
    }

    /// A request for the rows for which an expression is true.
    ///
    /// The SQL of `Player.filter(Column("score") > 1000)` is `SELECT * FROM "player" WHERE "score" > 1000`.
    public static func filter(_ predicate: some SQLExpressible) -> QueryInterfaceRequest<Self> {
        all().filter(predicate)
    }

    /// A request for the rows in an order.
    ///
    /// The SQL of `Player.order(Column("score").desc)` is `SELECT * FROM "player" ORDER BY "score" DESC`.
    public static func order(_ terms: any SQLOrderingTerm...) -> QueryInterfaceRequest<Self> {
        all().order(terms)
    }

    /// A request for some rows at most.
    ///
    /// The SQL of `Player.limit(10)` is `SELECT * FROM "player" LIMIT 10`.
    ///
    /// - Parameters:
    ///   - limit: how many rows at most.
    ///   - offset: how many rows are left out before them.
    public static func limit(_ limit: Int, offset: Int? = nil) -> QueryInterfaceRequest<Self> {
        all().limit(limit, offset: offset)
    }

    /// The number of rows in the table.
    ///
    /// The SQL is `SELECT count(*) FROM "player"`.
    ///
    /// - Throws: ``DatabaseError``.
    public static func fetchCount(_ db: Database) throws -> Int {
        try all().fetchCount(db)
    }
}
