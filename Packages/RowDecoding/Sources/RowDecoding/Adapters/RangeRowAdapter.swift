import ValueConversion

/// Presents a range of columns, and hides the rest.
///
/// ```swift
/// // [b:2 c:3]
/// try Row.fetchOne(
///     db, sql: "SELECT 1 AS a, 2 AS b, 3 AS c, 4 AS d",
///     adapter: RangeRowAdapter(1..<3))
/// ```
public struct RangeRowAdapter: RowAdapter {
    private let range: Range<Int>

    /// Creates an adapter.
    ///
    /// - Parameter range: the indexes of the columns, from 0.
    public init(_ range: Range<Int>) {
        self.range = range
    }

    /// Creates an adapter.
    ///
    /// - Parameter range: the indexes of the columns, from 0.
    public init(_ range: ClosedRange<Int>) {
        // `Range(range)` would trap on `Int.max`, which is out of range for any query.
        self.range = range.lowerBound..<(range.upperBound == .max ? .max : range.upperBound + 1)
    }

    /// Returns the columns of the range.
    ///
    /// - Throws: ``DatabaseError`` when the range exceeds the query's columns.
    public func layout(from base: RowLayout) throws -> RowLayout {
        guard range.lowerBound >= 0, range.upperBound <= base.columns.count else {
            throw base.misfit("the row adapter's range \(range) is outside the \(base.columns.count.counted("column"))")
        }
        return RowLayout(columns: Array(base.columns[range]))
    }
}

/// Presents the columns from an index on, and hides the columns to its left.
///
/// ```swift
/// // [c:3 d:4]
/// try Row.fetchOne(
///     db, sql: "SELECT 1 AS a, 2 AS b, 3 AS c, 4 AS d",
///     adapter: SuffixRowAdapter(fromIndex: 2))
/// ```
public struct SuffixRowAdapter: RowAdapter {
    private let index: Int

    /// Creates an adapter.
    ///
    /// - Parameter index: the index of the first column, from 0. When it is the number of columns, rows have no columns.
    public init(fromIndex index: Int) {
        self.index = index
    }

    /// Returns the columns from the index on.
    ///
    /// - Throws: ``DatabaseError`` when the index is out of range.
    public func layout(from base: RowLayout) throws -> RowLayout {
        guard index >= 0, index <= base.columns.count else {
            throw base.misfit("the row adapter's first column, \(index), is outside the \(base.columns.count.counted("column"))")
        }
        return RowLayout(columns: Array(base.columns[index...]))
    }
}

/// Presents no columns: the rows have only scopes.
///
/// ```swift
/// let adapter = EmptyRowAdapter().addingScopes(["left": RangeRowAdapter(0..<2)])
/// ```
public struct EmptyRowAdapter: RowAdapter {
    /// Creates an adapter.
    public init() {}

    /// Returns a layout without columns.
    public func layout(from base: RowLayout) -> RowLayout {
        RowLayout(columns: [])
    }
}

/// Creates adapters that split the columns of a query from left to right.
///
/// ```swift
/// let sql = "SELECT player.*, team.*, 42 AS answer FROM player JOIN team …"
/// let adapters = try splittingRowAdapters(columnCounts: [
///     db.columns(in: "player").count,
///     db.columns(in: "team").count,
/// ])
/// let adapter = ScopeAdapter([
///     "player": adapters[0], "team": adapters[1], "rest": adapters[2],
/// ])
/// ```
///
/// - Parameter columnCounts: the number of columns of each adapter.
/// - Returns: one adapter for each count, and one for the remaining columns. The fetch throws when a count is negative, or too large for
///   the query.
public func splittingRowAdapters(columnCounts: [Int]) -> [any RowAdapter] {
    var adapters: [any RowAdapter] = []
    var index = 0
    for count in columnCounts {
        let (end, overflow) = index.addingReportingOverflow(count)
        // A range can't have a negative length. A suffix with a negative index throws when it is applied.
        adapters.append(count < 0 || overflow ? SuffixRowAdapter(fromIndex: -1) : RangeRowAdapter(index..<end))
        index = overflow ? .max : end
    }
    return adapters + [SuffixRowAdapter(fromIndex: index)]
}
