import RowDecoding

/// All columns of a table.
///
/// ```swift
/// // SELECT *, "score" + "bonus" AS "total" FROM "player"
/// Player.select(AllColumns(), (Column("score") + Column("bonus")).forKey("total"))
/// ```
public struct AllColumns: SQLSelectable, Sendable {
    /// Makes the selection.
    public init() {}

    /// `*`, qualified by the table where a query has several.
    public var sqlSelection: SQLSelection { SQLSelection(AllColumnsNode()) }
}

/// All columns of a table but some.
///
/// ```swift
/// // SELECT "id", "name" FROM "player"
/// Player.select(AllColumnsExcluding(["score", "photo"]))
/// ```
public struct AllColumnsExcluding: SQLSelectable, Sendable {
    private let excluded: Set<String>

    /// Makes the selection.
    ///
    /// - Parameter excludedColumns: the names of the columns that are left out, whatever their case. Names that the table does
    ///   not have leave out nothing.
    public init(_ excludedColumns: some Sequence<String>) {
        excluded = Set(excludedColumns.map { $0.lowercased() })
    }

    /// Makes the selection.
    ///
    /// - Parameter excludedColumns: the columns that are left out.
    public init(_ excludedColumns: some Sequence<any ColumnExpression>) {
        self.init(excludedColumns.map(\.name))
    }

    /// The other columns, qualified by the table where a query has several.
    public var sqlSelection: SQLSelection { SQLSelection(AllColumnsExcludingNode(excluded: excluded)) }
}

extension SQLSelectable where Self == AllColumns {
    /// All columns: `*`.
    public static var allColumns: AllColumns { AllColumns() }
}

extension SQLSelectable where Self == AllColumnsExcluding {
    /// All columns but some.
    ///
    /// - Parameter excludedColumns: the names of the columns that are left out, whatever their case.
    public static func allColumns(excluding excludedColumns: some Sequence<String>) -> AllColumnsExcluding {
        AllColumnsExcluding(excludedColumns)
    }

    /// All columns but some.
    ///
    /// - Parameter excludedColumns: the columns that are left out.
    public static func allColumns(excluding excludedColumns: some Sequence<any ColumnExpression>) -> AllColumnsExcluding {
        AllColumnsExcluding(excludedColumns)
    }
}

/// `*`.
struct AllColumnsNode: SQLSelectionNode {
    func render(to renderer: inout SQLRenderer) throws {
        if let qualifier = renderer.qualifier {
            renderer.append(identifier: qualifier)
            renderer.append(".")
        }
        renderer.append("*")
    }

    func columnCount(in renderer: SQLRenderer) throws -> Int? {
        try renderer.sourceColumns?(renderer.database).count
    }
}

/// The columns of a table but some, by their names.
struct AllColumnsExcludingNode: SQLSelectionNode {
    let excluded: Set<String>

    private func columns(in renderer: SQLRenderer) throws -> [String] {
        guard let columns = try renderer.sourceColumns?(renderer.database) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "AllColumnsExcluding is used where there is no table", sql: renderer.sql)
        }
        return columns.filter { !excluded.contains($0.lowercased()) }
    }

    func render(to renderer: inout SQLRenderer) throws {
        let columns = try columns(in: renderer)
        guard !columns.isEmpty else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "AllColumnsExcluding leaves out all columns of \(renderer.sourceName ?? "")",
                sql: renderer.sql)
        }
        try renderer.append(columns, separator: ", ") { try $0.append(Column($1).sqlExpression) }
    }

    func columnCount(in renderer: SQLRenderer) throws -> Int? {
        try columns(in: renderer).count
    }
}
