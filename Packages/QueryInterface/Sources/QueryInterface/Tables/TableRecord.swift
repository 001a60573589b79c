import RowDecoding

/// A type that represents a database table.
///
/// ```swift
/// struct Player: Codable, TableRecord, FetchableRecord {
///     var name: String
///     var score: Int
///
///     enum Columns {
///         static let name = Column("name")
///         static let score = Column("score")
///     }
/// }
///
/// // SELECT * FROM "player" WHERE "score" > 1000 ORDER BY "name"
/// let players = try Player.filter { $0.score > 1000 }.order(\.name).fetchAll(db)
/// ```
public protocol TableRecord {
    /// The type that contains the columns: by default a nested `enum Columns`.
    associatedtype Columns = NoColumns

    /// The type of the value that closures, such as the closure of `filter`, get as `$0`: by default the metatype of ``Columns``.
    associatedtype DatabaseComponents = Columns.Type

    /// The name of the table, which may begin with the name of an attached database and a dot.
    ///
    /// By default it is derived from the type's name: `Place` is "place", `PostalAddress` "postalAddress", `HTTPRequest`
    /// "httpRequest", and `TOEFL` "toefl".
    static var databaseTableName: String { get }

    /// The selection of the type's requests. By default all columns.
    static var databaseSelection: [any SQLSelectable] { get }

    /// The value that closures, such as the closure of `filter`, get as `$0`.
    static var databaseComponents: DatabaseComponents { get }
}

/// The columns of a record type that does not declare columns.
public enum NoColumns {}

extension TableRecord {
    /// The type's name, with its first word in lower case.
    public static var databaseTableName: String { DerivedTableNames.name(for: Self.self) }

    /// All columns.
    public static var databaseSelection: [any SQLSelectable] { AllColumns.alone }

    /// Returns the number of columns that the type's requests select, for row adapters.
    ///
    /// - Throws: ``DatabaseError`` when the table does not exist, or when the selection does not compile.
    public static func numberOfSelectedColumns(_ db: Database) throws -> Int {
        let query = try ResolvedQuery(all().relation, db)
        return try query.columnCount(of: query.root)
    }
}

extension TableRecord where DatabaseComponents == Columns.Type {
    /// The type of the columns.
    public static var databaseComponents: DatabaseComponents { Columns.self }
}
