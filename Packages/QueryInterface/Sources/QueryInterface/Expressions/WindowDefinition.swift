import RowDecoding

/// The rows that a window function sees from each row: SQL's window definition.
///
/// ```swift
/// // (PARTITION BY "team" ORDER BY "score" DESC)
/// let window = WindowDefinition(partitionBy: Column("team"), orderBy: Column("score").desc)
///
/// // SELECT "name", rank() OVER (PARTITION BY "team" ORDER BY "score" DESC) FROM "player"
/// Player.select(Column("name"), rank().over(window))
/// ```
///
/// Source: <https://www.sqlite.org/windowfunctions.html>
public struct WindowDefinition: Sendable {
    private let baseName: String?
    private let partition: [SQLExpression]
    private let orderings: [SQLOrdering]
    private let frame: WindowFrame?

    /// The expressions that the definition is made of.
    let operands: [SQLExpression]

    /// Whether ``operands`` are all there are: of an ordering term in SQL, the expression is not known.
    let isTransparent: Bool

    /// Makes a definition.
    ///
    /// - Parameters:
    ///   - baseName: the name of a window of the request, to which this one adds what it does not have. SQLite takes no partition
    ///     then, and an order and a frame only where the other has none.
    ///   - partition: rows with equal values belong together, and see no others. All rows do, by default.
    ///   - orderings: the order of the rows of a partition. Without one, all of them are peers.
    ///   - frame: which of the rows are seen. By default, all rows up to the last peer of the current one, or without an order all of
    ///     them.
    public init(
        basedOn baseName: String? = nil, partitionBy partition: any SQLExpressible...,
        orderBy orderings: any SQLOrderingTerm..., frame: WindowFrame? = nil
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

    /// Writes the definition, in parentheses, as it stands after `OVER` and after `WINDOW "name" AS`.
    ///
    /// - Throws: the error of a value that can't be stored, or one that depends on the schema.
    public func render(to renderer: inout SQLRenderer) throws {
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

/// Which rows of its partition a window function sees from a row.
///
/// ```swift
/// // ROWS BETWEEN 2 PRECEDING AND CURRENT ROW
/// let lastThree = WindowFrame.rows(from: .preceding(2))
///
/// // average("score") over the last three games
/// average(Column("score")).over(orderBy: Column("date"), frame: .rows(from: .preceding(2)))
/// ```
///
/// SQLite refuses a frame that ends before it begins, such as one from `.currentRow` to `.preceding(1)`.
///
/// Source: <https://www.sqlite.org/windowfunctions.html#frame_specifications>
public struct WindowFrame: Sendable {
    /// Where a frame begins or ends.
    public struct Bound: Sendable {
        fileprivate let offset: SQLExpression?
        fileprivate let keywords: String

        /// The first row of the partition. No frame ends there.
        public static let unboundedPreceding = Bound(offset: nil, keywords: "UNBOUNDED PRECEDING")

        /// The current row, and unless the frame counts rows, its peers.
        public static let currentRow = Bound(offset: nil, keywords: "CURRENT ROW")

        /// The last row of the partition. No frame begins there.
        public static let unboundedFollowing = Bound(offset: nil, keywords: "UNBOUNDED FOLLOWING")

        /// Some rows or groups before the current one, or the row whose value is less by a number.
        ///
        /// - Parameter offset: no column, and not negative.
        public static func preceding(_ offset: some SQLExpressible) -> Bound {
            Bound(offset: offset.sqlExpression, keywords: " PRECEDING")
        }

        /// Some rows or groups after the current one, or the row whose value is greater by a number.
        ///
        /// - Parameter offset: no column, and not negative.
        public static func following(_ offset: some SQLExpressible) -> Bound {
            Bound(offset: offset.sqlExpression, keywords: " FOLLOWING")
        }

        fileprivate func render(to renderer: inout SQLRenderer) throws {
            // The bounds stand on both sides of an AND.
            if let offset { try renderer.append(offset, atLeast: .comparison) }
            renderer.append(keywords)
        }
    }

    /// Rows that are left out of a frame.
    public enum Exclusion: String, Sendable {
        /// The current row.
        case currentRow = "CURRENT ROW"
        /// The current row and its peers.
        case group = "GROUP"
        /// The peers of the current row, but not itself.
        case ties = "TIES"
    }

    private let unit: String
    private let start: Bound
    private let end: Bound
    private let exclusion: Exclusion?

    /// A frame whose bounds count rows: `ROWS BETWEEN 2 PRECEDING AND CURRENT ROW`.
    public static func rows(from start: Bound, to end: Bound = .currentRow, excluding exclusion: Exclusion? = nil) -> WindowFrame {
        WindowFrame(unit: "ROWS", start: start, end: end, exclusion: exclusion)
    }

    /// A frame whose bounds are values of the one expression that orders: `RANGE BETWEEN 7 PRECEDING AND CURRENT ROW`.
    public static func range(from start: Bound, to end: Bound = .currentRow, excluding exclusion: Exclusion? = nil) -> WindowFrame {
        WindowFrame(unit: "RANGE", start: start, end: end, exclusion: exclusion)
    }

    /// A frame whose bounds count groups of peers, which are rows that the order leaves side by side:
    /// `GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING`.
    public static func groups(from start: Bound, to end: Bound = .currentRow, excluding exclusion: Exclusion? = nil) -> WindowFrame {
        WindowFrame(unit: "GROUPS", start: start, end: end, exclusion: exclusion)
    }

    func render(to renderer: inout SQLRenderer) throws {
        renderer.append("\(unit) BETWEEN ")
        try start.render(to: &renderer)
        renderer.append(" AND ")
        try end.render(to: &renderer)
        if let exclusion { renderer.append(" EXCLUDE \(exclusion.rawValue)") }
    }
}
