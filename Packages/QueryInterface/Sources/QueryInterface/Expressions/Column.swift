import RowDecoding

/// Something that stands for a column.
public protocol ColumnExpression: SQLSpecificExpressible {
    /// The name of the column.
    var name: String { get }
}

extension ColumnExpression {
    /// The column, quoted, and qualified by its table where a query has several.
    public var sqlExpression: SQLExpression { SQLExpression(leaf: ColumnNode(name: name)) }

    /// The name alone, never qualified by a table: for the name of a result that is also that of a column.
    ///
    /// ```swift
    /// // … ORDER BY "total"
    /// request.annotated(with: total.forKey("total")).order(Column("total").detached)
    /// ```
    public var detached: SQLExpression { SQLExpression(leaf: DetachedColumnNode(name: name)) }
}

extension ColumnExpression where Self == Column {
    /// The hidden row id: `"rowid"`.
    public static var rowID: Column { Column("rowid") }
}

extension SQLExpressible where Self == Column {
    /// The hidden row id: `"rowid"`.
    public static var rowID: Column { Column("rowid") }
}

extension SQLSelectable where Self == Column {
    /// The hidden row id: `"rowid"`.
    public static var rowID: Column { Column("rowid") }
}

extension ColumnExpression where Self: RawRepresentable, RawValue == String {
    /// The raw value, for `enum Columns: String, ColumnExpression`.
    public var name: String { rawValue }
}

extension ColumnExpression where Self: CodingKey {
    /// The text of the key, for `extension CodingKeys: ColumnExpression`.
    public var name: String { stringValue }
}

extension ColumnExpression where Self: CodingKey & RawRepresentable, RawValue == String {
    /// The raw value, which is also the text of the key.
    public var name: String { rawValue }
}

/// A column of a table.
///
/// ```swift
/// struct Player: TableRecord {
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
/// Columns are not `Equatable`: `==` makes SQL of them.
public struct Column: ColumnExpression, Sendable {
    /// The name of the column.
    public let name: String

    /// Makes a column of a name, which need not be quoted.
    public init(_ name: String) {
        self.name = name
    }

    /// Makes a column of the name of a coding key.
    public init(_ key: some CodingKey) {
        self.init(key.stringValue)
    }
}

/// A column in an expression.
struct ColumnNode: SQLExpressionNode {
    let name: String

    func render(to renderer: inout SQLRenderer) throws {
        if let qualifier = renderer.qualifier, !renderer.outputNames.contains(name.lowercased()) {
            renderer.append(identifier: qualifier)
            renderer.append(".")
        }
        renderer.append(identifier: name)
    }
}

/// A column that belongs to no table: the name of a result.
struct DetachedColumnNode: CompositeNode {
    let name: String

    var operands: [SQLExpression] { [] }

    func render(to renderer: inout SQLRenderer) throws {
        renderer.append(identifier: name)
    }
}
