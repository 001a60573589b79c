import RowDecoding

/// Two requests that are made one by UNION, INTERSECT or EXCEPT.
///
/// ```swift
/// // SELECT "name" FROM "player" UNION SELECT "name" FROM "coach" ORDER BY "name"
/// let names = try Player.select(Column("name"), as: String.self)
///     .union(Coach.select(Column("name"), as: String.self))
///     .order(Column("name"))
///     .fetchAll(db)
/// ```
///
/// The columns are those of the first request, by their position; both must have as many. Three and more are combined from left to
/// right. A request that has an order, a limit or common table expressions of its own becomes `SELECT * FROM (…)`, as SQLite asks.
///
/// Source: <https://www.sqlite.org/lang_select.html#compound_select_statements>
public struct CompoundRequest<RowDecoder>: FetchRequest {
    private let first: CompoundOperand
    private var others = Chain<(CompoundOperator, CompoundOperand)>()
    private var orderings: [SQLOrdering] = []
    /// Whether the order is one that SQLite takes after a compound: by result columns, and not by expressions on them.
    private var ordersByColumns = true
    private var limit: Relation.Limit?

    init(_ request: some FetchRequest<RowDecoder>) {
        first = CompoundOperand(request)
    }

    func combined(with request: some FetchRequest<RowDecoder>, by operation: CompoundOperator) -> Self {
        var compound = isSimple ? self : CompoundRequest(self)
        compound.others.append((operation, CompoundOperand(request)))
        return compound
    }

    /// Whether another operator can follow.
    private var isSimple: Bool { orderings.isEmpty && limit == nil }

    /// Orders the rows. The order that there was before is not any more.
    ///
    /// - Parameter orderings: terms made of columns of the first request, or of the names that it gives to them. With other
    ///   expressions than columns, the query becomes `SELECT * FROM (…) ORDER BY …`, as SQLite asks.
    public func order(_ orderings: any SQLOrderingTerm...) -> Self { order(orderings) }

    /// Orders the rows. The order that there was before is not any more.
    ///
    /// - Parameter orderings: terms made of columns of the first request, or of the names that it gives to them.
    public func order(_ orderings: [any SQLOrderingTerm]) -> Self {
        var request = self
        request.orderings = orderings.map(\.sqlOrdering)
        request.ordersByColumns = orderings.allSatisfy { $0.orderedExpression?.isResultColumn == true }
        return request
    }

    /// The rows in the opposite order. Rows without an order stay so.
    public func reversed() -> Self {
        var request = self
        request.orderings = orderings.map(\.node.reversed)
        return request
    }

    /// Keeps some rows at most. A limit that there was before is not any more.
    ///
    /// - Parameters:
    ///   - limit: how many rows at most; a negative number means all.
    ///   - offset: how many rows are left out before them.
    public func limit(_ limit: Int, offset: Int? = nil) -> Self {
        var request = self
        request.limit = Relation.Limit(count: limit, offset: offset)
        return request
    }

    /// The same query with results of another type.
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

    /// The query, for use inside another one.
    public var sqlSubquery: SQLSubquery { SQLSubquery { try render(to: &$0) } }

    /// Prepares the query.
    ///
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    public func makePreparedRequest(_ db: Database, forSingleResult: Bool) throws -> PreparedRequest {
        let request = forSingleResult && limit == nil ? limit(1) : self
        return PreparedRequest(statement: try db.cachedStatement { try request.render(to: &$0) })
    }

    /// The number of rows: `SELECT count(*) FROM (SELECT … UNION SELECT …)`.
    ///
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    public func fetchCount(_ db: Database) throws -> Int {
        let statement = try db.cachedStatement { renderer in
            renderer.append("SELECT count(*) FROM (")
            try render(to: &renderer)
            renderer.append(")")
        }
        return try Int.fetchOne(statement) ?? 0
    }

    private func render(to renderer: inout SQLRenderer) throws {
        try renderer.check(others.count + 1, atMost: .compoundSelectCount) {
            "a compound request has \($0) parts, and the connection's limit is \($1): put some of them into a common table expression"
        }
        if !ordersByColumns { renderer.append("SELECT * FROM (") }
        try first.render(to: &renderer)
        for (operation, operand) in others {
            renderer.append(" \(operation.rawValue) ")
            try operand.render(to: &renderer)
        }
        if !ordersByColumns { renderer.append(")") }
        let (qualifier, outputs) = (renderer.qualifier, renderer.outputNames)
        (renderer.qualifier, renderer.outputNames) = (nil, [])
        var keyword = " ORDER BY "
        for ordering in orderings where try !renderer.writesConstant(ordering) {
            renderer.append(keyword)
            keyword = ", "
            try renderer.append(ordering)
        }
        (renderer.qualifier, renderer.outputNames) = (qualifier, outputs)
        limit?.render(to: &renderer)
    }
}

/// How two requests are combined.
enum CompoundOperator: String, Sendable {
    case union = "UNION"
    case unionAll = "UNION ALL"
    case intersect = "INTERSECT"
    case except = "EXCEPT"
}

/// A request that is combined with others.
struct CompoundOperand: Sendable {
    private let subquery: SQLSubquery

    /// Whether the query can stand beside the operator as it is.
    private let isSimple: Bool

    private let misuse: DatabaseError?

    init<RowDecoder>(_ request: some FetchRequest<RowDecoder>) {
        subquery = request.sqlSubquery
        let relation = (request as? QueryInterfaceRequest<RowDecoder>)?.relation
        if let relation, !relation.prefetches.isEmpty || relation.joins.contains(where: \.isIncludedSomewhere) {
            misuse = DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "a request of \(relation.source.name) that includes associations can't be combined with another: "
                    + "select the columns with annotated(withRequired:) instead")
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
            renderer.append("SELECT * FROM (")
            try subquery.render(to: &renderer)
            renderer.append(")")
        }
    }
}

extension CompoundRequest {
    fileprivate var isOneOperand: Bool { others.isEmpty && isSimple }
}

extension SQLExpression {
    /// Whether the expression can only be the name of a result, maybe with a collation.
    fileprivate var isResultColumn: Bool {
        var expression = self
        while let node = expression.node as? CollatedNode { expression = node.operand }
        return expression.node is ColumnNode || expression.node is DetachedColumnNode
    }
}

extension Join {
    fileprivate var isIncludedSomewhere: Bool {
        isIncluded || !relation.prefetches.isEmpty || relation.joins.contains(where: \.isIncludedSomewhere)
    }
}

extension Relation {
    fileprivate var isOrdered: Bool {
        !ordering.terms.isEmpty || ordering.isStable || joins.contains { $0.relation.isOrdered }
    }

    fileprivate var hasCommonTables: Bool { !commonTables.isEmpty }
}

// MARK: - Operators

extension FetchRequest {
    /// The rows of either request, each once: `SELECT … UNION SELECT …`.
    public func union(_ other: some FetchRequest<RowDecoder>) -> CompoundRequest<RowDecoder> {
        compound.combined(with: other, by: .union)
    }

    /// The rows of both requests, one after the other: `SELECT … UNION ALL SELECT …`.
    public func unionAll(_ other: some FetchRequest<RowDecoder>) -> CompoundRequest<RowDecoder> {
        compound.combined(with: other, by: .unionAll)
    }

    /// The rows that are in both requests, each once: `SELECT … INTERSECT SELECT …`.
    public func intersect(_ other: some FetchRequest<RowDecoder>) -> CompoundRequest<RowDecoder> {
        compound.combined(with: other, by: .intersect)
    }

    /// The rows that are not in another request, each once: `SELECT … EXCEPT SELECT …`.
    public func except(_ other: some FetchRequest<RowDecoder>) -> CompoundRequest<RowDecoder> {
        compound.combined(with: other, by: .except)
    }

    private var compound: CompoundRequest<RowDecoder> {
        self as? CompoundRequest<RowDecoder> ?? CompoundRequest(self)
    }
}
