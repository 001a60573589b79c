import RowDecoding

/// A type that stands for a table.
///
/// ```swift
/// struct Player: TableRecord, FetchableRecord {
///     enum Columns {
///         static let name = Column("name")
///         static let score = Column("score")
///     }
///     ...
/// }
///
/// // SELECT * FROM "player" WHERE "score" > 1000 ORDER BY "name"
/// let players = try Player.filter { $0.score > 1000 }.order(\.name).fetchAll(db)
/// ```
public protocol TableRecord {
    /// The type that holds the columns: a nested `enum Columns` by default.
    associatedtype Columns = NoColumns

    /// What closures such as that of `filter` get: the metatype of ``Columns`` by default.
    associatedtype DatabaseComponents = Columns.Type

    /// The name of the table, which may begin with that of an attached database and a dot.
    ///
    /// By default it follows from the type's name: `Place` is "place", `PostalAddress` "postalAddress", `HTTPRequest`
    /// "httpRequest", and `TOEFL` "toefl".
    static var databaseTableName: String { get }

    /// What requests select. All columns by default.
    static var databaseSelection: [any SQLSelectable] { get }

    /// What closures such as that of `filter` get.
    static var databaseComponents: DatabaseComponents { get }
}

/// The columns of a record type that declares none.
public enum NoColumns {}

extension TableRecord {
    /// The type's name, with its first word in lower case.
    public static var databaseTableName: String { DerivedTableNames.name(for: Self.self) }

    /// All columns.
    public static var databaseSelection: [any SQLSelectable] { [AllColumns()] }

    /// The number of columns that requests of the type select, for adapters that split rows.
    ///
    /// - Throws: ``DatabaseError`` when there is no such table, or when what is selected does not compile.
    public static func numberOfSelectedColumns(_ db: Database) throws -> Int {
        let query = try ResolvedQuery(all().relation, in: SQLRenderer(database: db))
        return try query.columnCount(of: query.root)
    }
}

extension TableRecord where DatabaseComponents == Columns.Type {
    /// The type of the columns.
    public static var databaseComponents: DatabaseComponents { Columns.self }
}
