import RowDecoding

/// A request for rows of a table, built step by step.
///
/// ```swift
/// // SELECT * FROM "player" WHERE "score" > 1000 ORDER BY "name" DESC LIMIT 10
/// let request = Player
///     .filter(Column("score") > 1000)
///     .order(Column("name").desc)
///     .limit(10)
/// let players = try request.fetchAll(db)
/// ```
public struct QueryInterfaceRequest<RowDecoder>: Sendable {
    /// The query that the request makes.
    var query: SelectQuery

    init(table: String, selection: [SQLSelection]) {
        query = SelectQuery(table: table, selection: selection)
    }

    /// The name of the table.
    public var databaseTableName: String { query.table }

    private func with(_ change: (inout SelectQuery) -> Void) -> Self {
        var request = self
        change(&request.query)
        return request
    }

    /// Keeps the rows for which an expression is true, of those that the request has.
    ///
    /// The SQL of `Player.all().filter(Column("score") > 1000)` is `SELECT * FROM "player" WHERE "score" > 1000`. A second
    /// filter is added with `AND`.
    public func filter(_ predicate: some SQLExpressible) -> Self {
        with { $0.filters.append(predicate.sqlExpression) }
    }

    /// Puts the rows in an order, in place of the one that the request has.
    ///
    /// The SQL of `Player.all().order(Column("score").desc, Column("name"))` is
    /// `SELECT * FROM "player" ORDER BY "score" DESC, "name"`.
    public func order(_ terms: any SQLOrderingTerm...) -> Self {
        order(terms)
    }

    func order(_ terms: [any SQLOrderingTerm]) -> Self {
        with { $0.orderings = terms.map(\.sqlOrdering) }
    }

    /// Takes some rows at most.
    ///
    /// The SQL of `Player.all().limit(10, offset: 20)` is `SELECT * FROM "player" LIMIT 10 OFFSET 20`.
    ///
    /// - Parameters:
    ///   - limit: how many rows at most.
    ///   - offset: how many rows are left out before them.
    public func limit(_ limit: Int, offset: Int? = nil) -> Self {
        with { $0.limit = SelectQuery.Limit(count: limit, offset: offset) }
    }

    func render(to renderer: inout SQLRenderer) throws {
        try query.render(to: &renderer)
    }
}

extension QueryInterfaceRequest: FetchRequest {
    /// Prepares the query.
    ///
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    public func makePreparedRequest(_ db: Database, forSingleResult: Bool) throws -> PreparedRequest {
        var query = query
        if forSingleResult, query.limit == nil {
            // Without it, SQLite may sort or plan for rows that nobody asks for.
            query.limit = SelectQuery.Limit(count: 1, offset: nil)
        }
        var renderer = SQLRenderer(database: db)
        try query.render(to: &renderer)
        return PreparedRequest(statement: try renderer.makeStatement())
    }

    /// The number of rows of the request.
    ///
    /// The SQL is `SELECT count(*) FROM "player" WHERE "score" > 1000`, and with a limit
    /// `SELECT count(*) FROM (SELECT * FROM "player" LIMIT 10)`.
    ///
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    public func fetchCount(_ db: Database) throws -> Int {
        var renderer = SQLRenderer(database: db)
        try query.renderCount(to: &renderer)
        return try Int.fetchOne(renderer.makeStatement()) ?? 0
    }

    /// The query, for use inside another one.
    public var sqlSubquery: SQLSubquery {
        let query = query
        return SQLSubquery { try query.render(to: &$0) }
    }
}

extension SQLRenderer {
    /// The statement that was written, with its arguments.
    ///
    /// - Throws: ``DatabaseError``.
    func makeStatement() throws -> Statement {
        let statement = try database.cachedStatement(sql: sql)
        try statement.setArguments(arguments)
        return statement
    }
}

// MARK: - Fetching all records

extension FetchableRecord where Self: TableRecord {
    /// A cursor over all records of the table.
    ///
    /// The SQL is `SELECT * FROM "player"`.
    ///
    /// - Throws: ``DatabaseError``.
    @inlinable
    public static func fetchCursor(_ db: Database) throws -> RecordCursor<Self> {
        try all().fetchCursor(db)
    }

    /// All records of the table.
    ///
    /// The SQL is `SELECT * FROM "player"`.
    ///
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    @inlinable
    public static func fetchAll(_ db: Database) throws -> [Self] {
        try all().fetchAll(db)
    }

    /// The first record of the table, or nil.
    ///
    /// The SQL is `SELECT * FROM "player" LIMIT 1`.
    ///
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    @inlinable
    public static func fetchOne(_ db: Database) throws -> Self? {
        try all().fetchOne(db)
    }
}

extension FetchableRecord where Self: TableRecord & Hashable {
    /// All records of the table, as a set.
    ///
    /// The SQL is `SELECT * FROM "player"`.
    ///
    /// - Throws: ``DatabaseError``, or the error of the record's initializer.
    @inlinable
    public static func fetchSet(_ db: Database) throws -> Set<Self> {
        try all().fetchSet(db)
    }
}
