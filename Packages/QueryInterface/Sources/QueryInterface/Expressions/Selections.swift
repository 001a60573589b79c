import RowDecoding

/// A selection of all columns of a table.
///
/// ```swift
/// // SELECT *, "score" + "bonus" AS "total" FROM "player"
/// Player.select(AllColumns(), (Column("score") + Column("bonus")).forKey("total"))
/// ```
public struct AllColumns: SQLSelectable, Sendable {
    /// Creates the selection.
    public init() {}

    /// `*`, qualified with the table if the query has several.
    public var sqlSelection: SQLSelection { SQLSelection(AllColumnsNode()) }
}

/// A selection of all columns of a table except some.
///
/// ```swift
/// // SELECT "id", "name" FROM "player"
/// Player.select(AllColumnsExcluding(["score", "photo"]))
/// ```
public struct AllColumnsExcluding: SQLSelectable, Sendable {
    private let excluded: Set<SchemaName>

    /// Creates the selection.
    ///
    /// - Parameter excludedColumns: the names of the columns to exclude, in any case. Names that are not columns of the table have no
    ///   effect.
    public init(_ excludedColumns: some Sequence<String>) {
        excluded = Set(excludedColumns.map(SchemaName.init))
    }

    /// Creates the selection.
    ///
    /// - Parameter excludedColumns: the columns to exclude.
    public init(_ excludedColumns: [any NamedColumn]) {
        self.init(excludedColumns.map(\.name))
    }

    /// The other columns, qualified with the table if the query has several.
    public var sqlSelection: SQLSelection { SQLSelection(AllColumnsExcludingNode(excluded: excluded)) }
}

extension SQLSelectable where Self == AllColumns {
    /// All columns: `*`.
    public static var allColumns: AllColumns { AllColumns() }
}

extension SQLSelectable where Self == AllColumnsExcluding {
    /// Returns a selection of all columns except some.
    ///
    /// - Parameter excludedColumns: the names of the columns to exclude, in any case.
    public static func allColumns(excluding excludedColumns: some Sequence<String>) -> AllColumnsExcluding {
        AllColumnsExcluding(excludedColumns)
    }

    /// Returns a selection of all columns except some.
    ///
    /// - Parameter excludedColumns: the columns to exclude.
    public static func allColumns(excluding excludedColumns: [any NamedColumn]) -> AllColumnsExcluding {
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

/// The names of all columns of a table except some.
struct AllColumnsExcludingNode: SQLSelectionNode {
    let excluded: Set<SchemaName>

    private func columns(in renderer: SQLRenderer) throws -> [String] {
        guard let columns = try renderer.sourceColumns?(renderer.database) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "AllColumnsExcluding is used where there is no table", sql: renderer.sql)
        }
        return columns.filter { !excluded.contains(SchemaName($0)) }
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
