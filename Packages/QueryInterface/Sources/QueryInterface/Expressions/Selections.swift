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
    public var sqlSelection: SQLSelection { SQLSelection(.all) }

    /// The selection of most record types.
    nonisolated(unsafe) static let alone: [any SQLSelectable] = [AllColumns()]
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
    public var sqlSelection: SQLSelection { SQLSelection(.allExcluding(excluded)) }
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
