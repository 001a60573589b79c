import RowDecoding

/// The definition of a window, the set of rows that a window function processes for each row.
///
/// ```swift
/// // (PARTITION BY "team" ORDER BY "score" DESC)
/// let window = WindowDefinition(
///     partitionBy: Column("team"), orderBy: Column("score").desc)
///
/// // SELECT "name", rank() OVER (PARTITION BY "team" ORDER BY "score" DESC)
/// // FROM "player"
/// Player.select(Column("name"), rank().over(window))
/// ```
///
/// Source: <https://www.sqlite.org/windowfunctions.html>
public struct WindowDefinition: Sendable {
    // Described: see "Kept plans" in CONTRIBUTING.md before you add a property.
    private let baseName: String?
    private let partition: [SQLExpression]
    private let orderings: [SQLOrdering]
    private let frame: WindowFrame?

    /// The expressions that the definition contains.
    let operands: [SQLExpression]

    /// Whether ``operands`` is complete. The expressions of ordering terms in handwritten SQL are unknown.
    let isTransparent: Bool

    /// Creates a window definition.
    ///
    /// - Parameters:
    ///   - baseName: the name of a window of the request that this one extends. SQLite does not allow a partition then, and allows an
    ///     order and a frame only if the base window has none.
    ///   - partition: the expressions that partition the rows: a function sees rows with equal values only. By default it sees all.
    ///   - orderings: the order of the rows in a partition. Without one, all of them are peers.
    ///   - frame: the rows of the partition that a function sees. By default all rows up to the last peer of the current one, or all rows
    ///     if there is no order.
    public init(
        basedOn baseName: String? = nil, partitionBy partition: any SQLExpressible...,
        orderBy orderings: any SQLOrderingTerm..., frame: WindowFrame? = nil
    ) {
        self.init(baseName: baseName, partition: partition, orderings: orderings, frame: frame)
    }

    /// Creates a window definition, with a list of columns: `partitionBy: [Column("team"), Column("year")]`.
    public init(
        basedOn baseName: String? = nil, partitionBy partition: [any SQLExpressible], orderBy orderings: [any SQLOrderingTerm],
        frame: WindowFrame? = nil
    ) {
        self.init(baseName: baseName, partition: partition, orderings: orderings, frame: frame)
    }

    /// Creates a window definition, with a list of columns: `partitionBy: [Column("team"), Column("year")]`.
    public init(
        basedOn baseName: String? = nil, partitionBy partition: [any SQLExpressible], orderBy orderings: any SQLOrderingTerm...,
        frame: WindowFrame? = nil
    ) {
        self.init(baseName: baseName, partition: partition, orderings: orderings, frame: frame)
    }

    /// Creates a window definition, with a list of columns: `partitionBy: [Column("team"), Column("year")]`.
    public init(
        basedOn baseName: String? = nil, partitionBy partition: any SQLExpressible..., orderBy orderings: [any SQLOrderingTerm],
        frame: WindowFrame? = nil
    ) {
        self.init(baseName: baseName, partition: partition, orderings: orderings, frame: frame)
    }

    init(
        baseName: String?, partition: [any SQLExpressible], orderings: [any SQLOrderingTerm], frame: WindowFrame?
    ) {
        self.baseName = baseName
        self.partition = partition.map(\.sqlExpression)
        self.orderings = orderings.map(\.sqlOrdering)
        self.frame = frame
        let ordering = orderings.compactMap(\.orderedExpression)
        operands = self.partition + ordering
        isTransparent = ordering.count == orderings.count
    }

    /// How deeply the expressions of the definition are nested.
    var depth: SQLDepth { orderings.reduce(SQLDepth(of: partition + (frame?.offsets ?? []))) { $0.maximum($1.depth) } }

    func describe(to shape: inout SQLShape) throws {
        shape.append(baseName)
        try shape.append(partition)
        try shape.append(orderings) { try $0.append($1) }
        shape.append(frame?.unit)
        try frame?.describe(to: &shape)
    }

    /// Writes the definition in parentheses, as `OVER` and `WINDOW "name" AS` require it.
    ///
    /// - Throws: the error of a value that can't be stored, or one that depends on the schema.
    package func render(to renderer: inout SQLRenderer) throws {
        renderer.append("(")
        var space = ""
        if let baseName {
            renderer.append(identifier: baseName)
            space = " "
        }
        if !partition.isEmpty {
            renderer.append("\(space)PARTITION BY ")
            try renderer.append(partition, separator: ", ") { try $0.append($1) }
            space = " "
        }
        if !orderings.isEmpty {
            renderer.append("\(space)ORDER BY ")
            try renderer.append(orderings, separator: ", ") { try $0.append($1) }
            space = " "
        }
        if let frame {
            renderer.append(space)
            try frame.render(to: &renderer)
        }
        renderer.append(")")
    }
}

/// The rows of its partition that a window function sees for each row.
///
/// ```swift
/// // ROWS BETWEEN 2 PRECEDING AND CURRENT ROW
/// let lastThree = WindowFrame.rows(from: .preceding(2))
///
/// // average("score") over the last three games
/// average(Column("score")).over(
///     orderBy: Column("date"), frame: .rows(from: .preceding(2)))
/// ```
///
/// SQLite rejects a frame that ends before it begins, such as one from `.currentRow` to `.preceding(1)`.
///
/// Source: <https://www.sqlite.org/windowfunctions.html#frame_specifications>
public struct WindowFrame: Sendable {
    // Described: see "Kept plans" in CONTRIBUTING.md before you add a property.
    /// The beginning or the end of a frame.
    public struct Bound: Sendable {
        fileprivate let offset: SQLExpression?
        fileprivate let keywords: String

        /// The first row of the partition. A frame can't end there.
        public static let unboundedPreceding = Bound(offset: nil, keywords: "UNBOUNDED PRECEDING")

        /// The current row. If the frame does not count rows, its peers are included.
        public static let currentRow = Bound(offset: nil, keywords: "CURRENT ROW")

        /// The last row of the partition. A frame can't begin there.
        public static let unboundedFollowing = Bound(offset: nil, keywords: "UNBOUNDED FOLLOWING")

        /// Returns the bound a number of rows or groups before the current row, or at the values that are less by a number.
        ///
        /// - Parameter offset: a number that is not negative. It can't contain a column.
        public static func preceding(_ offset: any SQLExpressible) -> Bound {
            Bound(offset: offset.sqlExpression, keywords: " PRECEDING")
        }

        /// Returns the bound a number of rows or groups after the current row, or at the values that are greater by a number.
        ///
        /// - Parameter offset: a number that is not negative. It can't contain a column.
        public static func following(_ offset: any SQLExpressible) -> Bound {
            Bound(offset: offset.sqlExpression, keywords: " FOLLOWING")
        }

        fileprivate func render(to renderer: inout SQLRenderer) throws {
            // The bounds are the operands of an AND.
            if let offset { try renderer.append(offset, atLeast: .comparison) }
            renderer.append(keywords)
        }
    }

    /// The rows excluded from a frame.
    public enum Exclusion: String, Sendable {
        /// The current row.
        case currentRow = "CURRENT ROW"
        /// The current row and its peers.
        case group = "GROUP"
        /// The peers of the current row, without the current row itself.
        case ties = "TIES"
    }

    fileprivate let unit: String
    private let start: Bound
    private let end: Bound
    private let exclusion: Exclusion?

    /// Returns a frame whose bounds count rows: `ROWS BETWEEN 2 PRECEDING AND CURRENT ROW`.
    public static func rows(from start: Bound, to end: Bound = .currentRow, excluding exclusion: Exclusion? = nil) -> WindowFrame {
        WindowFrame(unit: "ROWS", start: start, end: end, exclusion: exclusion)
    }

    /// Returns a frame whose bounds are values of the single ordering expression: `RANGE BETWEEN 7 PRECEDING AND CURRENT ROW`.
    public static func range(from start: Bound, to end: Bound = .currentRow, excluding exclusion: Exclusion? = nil) -> WindowFrame {
        WindowFrame(unit: "RANGE", start: start, end: end, exclusion: exclusion)
    }

    /// Returns a frame whose bounds count groups of peers, the rows that are equal in the order:
    /// `GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING`.
    public static func groups(from start: Bound, to end: Bound = .currentRow, excluding exclusion: Exclusion? = nil) -> WindowFrame {
        WindowFrame(unit: "GROUPS", start: start, end: end, exclusion: exclusion)
    }

    fileprivate var offsets: [SQLExpression] { [start.offset, end.offset].compactMap { $0 } }

    /// Describes all but the unit.
    fileprivate func describe(to shape: inout SQLShape) throws {
        for bound in [start, end] {
            try shape.append(bound.offset)
            shape.append(bound.keywords)
        }
        shape.append(exclusion?.rawValue)
    }

    func render(to renderer: inout SQLRenderer) throws {
        renderer.append("\(unit) BETWEEN ")
        try start.render(to: &renderer)
        renderer.append(" AND ")
        try end.render(to: &renderer)
        if let exclusion { renderer.append(" EXCLUDE \(exclusion.rawValue)") }
    }
}
