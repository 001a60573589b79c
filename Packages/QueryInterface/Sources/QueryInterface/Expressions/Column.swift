import RowDecoding

/// A column with a name: a ``ColumnExpression`` or a ``TypedColumn``.
public protocol NamedColumn: SQLOperand {
    /// The name of the column.
    var name: String { get }
}

/// A type that represents a column.
public protocol ColumnExpression: NamedColumn, SQLSpecificExpressible {}

extension NamedColumn {
    /// The column's quoted name, qualified with its table if the query has several.
    public var sqlExpression: SQLExpression { SQLExpression(.column(name, of: nil)) }

    /// The name alone, never qualified with a table. Use it for the alias of a selected expression that is also the name of a column.
    ///
    /// ```swift
    /// // … ORDER BY "total"
    /// request.annotated(with: total.forKey("total")).order(Column("total").detached)
    /// ```
    public var detached: SQLExpression { SQLExpression(.outputColumn(name)) }
}

extension ColumnExpression where Self == Column {
    /// The row ID, `"rowid"`, which `*` does not select.
    public static var rowID: Column { Column("rowid") }
}

extension SQLExpressible where Self == Column {
    /// The row ID, `"rowid"`, which `*` does not select.
    public static var rowID: Column { Column("rowid") }
}

extension SQLSelectable where Self == Column {
    /// The row ID, `"rowid"`, which `*` does not select.
    public static var rowID: Column { Column("rowid") }
}

extension ColumnExpression where Self: RawRepresentable, RawValue == String {
    /// The raw value, for `enum Columns: String, ColumnExpression`.
    public var name: String { rawValue }
}

extension ColumnExpression where Self: CodingKey {
    /// The string value of the coding key, for `extension CodingKeys: ColumnExpression`.
    public var name: String { stringValue }
}

extension ColumnExpression where Self: CodingKey & RawRepresentable, RawValue == String {
    /// The raw value, which is also the string value of the coding key.
    public var name: String { rawValue }
}

/// A column of a table.
///
/// ```swift
/// struct Player: Codable, TableRecord {
///     var score: Int
///
///     enum Columns {
///         static let id = Column("id")
///         static let score = Column(CodingKeys.score)
///     }
/// }
///
/// // SELECT * FROM "player" WHERE "score" > 1000
/// let request = Player.filter(Player.Columns.score > 1000)
/// ```
///
/// Columns are not `Equatable`: `==` makes an SQL expression.
///
/// A column without a table belongs to the table of the request or of the association whose clause contains it. `Column("score", of:
/// Player.self)` knows its table, as a ``TypedColumn`` can. The cases of an enumeration of columns know it, too, if their `sqlExpression`
/// is the expression of such a column.
public struct Column: ColumnExpression, Sendable {
    /// The name of the column.
    public let name: String

    private let table: ColumnTable?

    /// The column's quoted name, qualified with its table if the query has several.
    public var sqlExpression: SQLExpression { SQLExpression(.column(name, of: table)) }

    /// Creates a column with a name, without quotes.
    public init(_ name: String) {
        (self.name, table) = (name, nil)
    }

    /// Creates a column with the name of a coding key.
    public init(_ key: some CodingKey) {
        self.init(key.stringValue)
    }

    /// Creates a column that knows its table: see ``TypedColumn/init(_:of:)-(String,_)``.
    ///
    /// - Parameters:
    ///   - name: the name of the column, without quotes.
    ///   - record: the record type whose table has the column.
    public init(_ name: String, of record: any TableRecord.Type) {
        (self.name, table) = (name, ColumnTable(of: record, column: name))
    }

    /// Creates a column that knows its table, with the name of a coding key: see ``TypedColumn/init(_:of:)-(String,_)``.
    ///
    /// - Parameters:
    ///   - key: the coding key.
    ///   - record: the record type whose table has the column.
    public init(_ key: some CodingKey, of record: any TableRecord.Type) {
        self.init(key.stringValue, of: record)
    }
}
