import RowDecoding

/// Requests that are combined by UNION, UNION ALL, INTERSECT or EXCEPT.
///
/// ```swift
/// // SELECT "name" FROM "player" UNION SELECT "name" FROM "coach" ORDER BY "name"
/// let names = try Player.select(Column("name"), as: String.self)
///     .union(Coach.select(Column("name"), as: String.self))
///     .order(Column("name"))
///     .fetchAll(db)
/// ```
///
/// Columns are matched by position, and named as in the first request; all requests must have the same number of columns. Three or
/// more requests are combined from left to right. SQLite does not accept an order, a limit or common table expressions in a part of
/// a compound query, so a request with such clauses becomes `SELECT * FROM (…)`.
///
/// Source: <https://www.sqlite.org/lang_select.html#compound_select_statements>
public struct CompoundRequest<RowDecoder>: FetchRequest {
    private let first: CompoundOperand
    private var others = Chain<(operation: CompoundOperator, operand: CompoundOperand)>()
    private var orderings: [SQLOrdering] = []
    /// Whether SQLite accepts the order after a compound query: it consists of result columns, not of other expressions.
    private var ordersByColumns = true
    private var limit: Relation.Limit?

    init(_ request: some FetchRequest<RowDecoder>) {
        first = CompoundOperand(request)
    }

    func combined(with request: some FetchRequest<RowDecoder>, by operation: CompoundOperator) -> Self {
        changed(isSimple ? self : CompoundRequest(self)) { $0.others.append((operation, CompoundOperand(request))) }
    }

    /// Whether another operator can be appended.
    private var isSimple: Bool { orderings.isEmpty && limit == nil }

    /// Orders the rows. Replaces the previous order.
    ///
    /// - Parameter orderings: terms on columns of the first request, or on its aliases. SQLite orders a compound query by result
    ///   columns only: with other expressions, the query becomes `SELECT * FROM (…) ORDER BY …`.
    public func order(_ orderings: any SQLOrderingTerm...) -> Self { order(orderings) }

    /// Orders the rows. Replaces the previous order.
    ///
    /// - Parameter orderings: terms on columns of the first request, or on its aliases.
    public func order(_ orderings: [any SQLOrderingTerm]) -> Self {
        var request = self
        request.orderings = orderings.map(\.sqlOrdering)
        request.ordersByColumns = orderings.allSatisfy { $0.orderedExpression?.isResultColumn == true }
        return request
    }

    /// Reverses the order of the rows. Has no effect if the request has no order.
    public func reversed() -> Self {
        changed(self) { $0.orderings = orderings.map(\.reversed) }
    }

    /// Limits the number of rows. Replaces the previous limit.
    ///
    /// - Parameters:
    ///   - limit: the greatest number of rows; a negative number means no limit.
    ///   - offset: how many rows to skip first.
    public func limit(_ limit: Int, offset: Int? = nil) -> Self {
        changed(self) { $0.limit = Relation.Limit(count: limit, offset: offset) }
    }

    /// Returns the same query with results of another type.
    public func asRequest<Other>(of type: Other.Type = Other.self) -> CompoundRequest<Other> {
        CompoundRequest<Other>(retyping: self)
    }

    private init<Other>(retyping request: CompoundRequest<Other>) {
        first = request.first
        others = request.others
        orderings = request.orderings
        ordersByColumns = request.ordersByColumns
        limit = request.limit
    }

    /// The query, as a subquery of another query.
    public var sqlSubquery: SQLSubquery { SQLSubquery(depth: depth) { try render(to: &$0) } }

    /// Prepares the query.
    ///
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    public func makePreparedRequest(_ db: Database, forSingleResult: Bool) throws -> PreparedRequest {
        let request = forSingleResult && limit == nil ? limit(1) : self
        return PreparedRequest(statement: try db.cachedStatement { try request.render(to: &$0) })
    }

    /// Returns the number of rows: `SELECT count(*) FROM (SELECT … UNION SELECT …)`.
    ///
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    public func fetchCount(_ db: Database) throws -> Int {
        let statement = try db.cachedStatement { try $0.parenthesize("SELECT count(*) FROM ") { try render(to: &$0) } }
        return try Int.fetchOne(statement) ?? 0
    }

    private var depth: SQLDepth {
        let depth = others.reduce(first.depth) { $0.maximum($1.operand.depth) }
        return orderings.reduce(depth) { $0.maximum($1.depth) }
    }

    private func render(to renderer: inout SQLRenderer) throws {
        try renderer.check(others.count + 1, atMost: .compoundSelectCount, advice: "Put some parts into a common table expression.") {
            "a compound request has \($0) parts, and the connection's limit is \($1)"
        }
        if !ordersByColumns {
            renderer.append(query: "SELECT * FROM (")
        }
        try first.render(to: &renderer)
        for (operation, operand) in others {
            renderer.append(" \(operation.rawValue) ")
            try operand.render(to: &renderer)
        }
        if !ordersByColumns { renderer.append(")") }
        try renderer.append(in: renderer.scope.withoutTable) { renderer in
            var keyword = " ORDER BY "
            for ordering in orderings where try !renderer.writesConstant(ordering) {
                renderer.append(keyword)
                keyword = ", "
                try renderer.append(renderer.unfolded(ordering))
            }
        }
        limit?.render(to: &renderer)
    }
}

/// An operator that combines two requests.
enum CompoundOperator: String, Sendable {
    case union = "UNION"
    case unionAll = "UNION ALL"
    case intersect = "INTERSECT"
    case except = "EXCEPT"
}

/// A request that is a part of a compound request.
struct CompoundOperand: Sendable {
    private let subquery: SQLSubquery

    /// Whether the query can be a part of a compound query as it is.
    private let isSimple: Bool

    private let misuse: DatabaseError?

    var depth: SQLDepth { subquery.depth }

    init<RowDecoder>(_ request: some FetchRequest<RowDecoder>) {
        subquery = request.sqlSubquery
        let relation = (request as? QueryInterfaceRequest<RowDecoder>)?.relation
        if let relation, !relation.prefetches.isEmpty || relation.joins.contains(where: \.isIncludedSomewhere) {
            misuse = .misuse(
                "a request of \(relation.source.name) that includes associations can't be combined with another",
                advice: "Select the columns with annotated(withRequired:) instead.")
        } else {
            misuse = nil
        }
        if let relation {
            isSimple =
                !relation.isOrdered && relation.limit == nil && !relation.hasCommonTables
        } else {
            isSimple = (request as? CompoundRequest<RowDecoder>)?.isOneOperand ?? false
        }
    }

    func render(to renderer: inout SQLRenderer) throws {
        if let misuse { throw misuse }
        if isSimple {
            try subquery.render(to: &renderer)
        } else {
            renderer.append(query: "SELECT * FROM (")
            try subquery.render(to: &renderer)
            renderer.append(")")
        }
    }
}

extension CompoundRequest {
    fileprivate var isOneOperand: Bool { others.isEmpty && isSimple }
}

extension SQLExpression {
    /// Whether the expression is a plain column name, which may have a collation.
    fileprivate var isResultColumn: Bool {
        switch uncollated.node?.kind {
        case .column, .outputColumn: true
        default: false
        }
    }
}

extension Join {
    fileprivate var isIncludedSomewhere: Bool {
        isIncluded || !relation.prefetches.isEmpty || relation.joins.contains(where: \.isIncludedSomewhere)
    }
}

extension Relation {
    fileprivate var isOrdered: Bool {
        self.ordering.terms != nil || self.ordering.isStable || self.joins.contains { $0.relation.isOrdered }
    }

    fileprivate var hasCommonTables: Bool { !allCommonTables.isEmpty }
}

// MARK: - Operators

extension FetchRequest {
    /// Combines the rows of both requests, without duplicates: `SELECT … UNION SELECT …`.
    public func union(_ other: some FetchRequest<RowDecoder>) -> CompoundRequest<RowDecoder> {
        compound.combined(with: other, by: .union)
    }

    /// Appends the rows of another request: `SELECT … UNION ALL SELECT …`.
    public func unionAll(_ other: some FetchRequest<RowDecoder>) -> CompoundRequest<RowDecoder> {
        compound.combined(with: other, by: .unionAll)
    }

    /// Keeps the rows that are also in another request, without duplicates: `SELECT … INTERSECT SELECT …`.
    public func intersect(_ other: some FetchRequest<RowDecoder>) -> CompoundRequest<RowDecoder> {
        compound.combined(with: other, by: .intersect)
    }

    /// Keeps the rows that are not in another request, without duplicates: `SELECT … EXCEPT SELECT …`.
    public func except(_ other: some FetchRequest<RowDecoder>) -> CompoundRequest<RowDecoder> {
        compound.combined(with: other, by: .except)
    }

    private var compound: CompoundRequest<RowDecoder> {
        self as? CompoundRequest<RowDecoder> ?? CompoundRequest(self)
    }
}
