import ValueConversion

/// A query of a file with SQL, with its arguments: a request that also knows how many rows it returns.
///
/// RecordGenerator writes a function for each query of such a file:
///
/// ```swift
/// func bestPlayers(score: Int64, limit: Int64) -> SQLQuery<Player, [Player]> {
///     SQLQuery(
///         "SELECT * FROM player WHERE score > :score ORDER BY score DESC LIMIT :limit",
///         arguments: ["score": score, "limit": limit])
/// }
///
/// let players = try bestPlayers(score: 100, limit: 10).fetch(db)
/// ```
///
/// `Output` is the result of ``fetch(_:)``. A query of many rows has `[RowDecoder]`, a query of at most one row has `RowDecoder?`, and a
/// query of exactly one row has `RowDecoder`. All methods of requests work, too: `fetchAll`, `fetchCursor`, `fetchSequence`, `fetchCount`, and
/// observations.
public struct SQLQuery<RowDecoder, Output: Sendable>: FetchRequest {
    private let request: SQLRequest<RowDecoder>
    private let fetchOutput: @Sendable (SQLRequest<RowDecoder>, Database) throws -> Output

    private init(
        _ sql: SQL, _ arguments: StatementArguments, isCached: Bool,
        fetching fetchOutput: @escaping @Sendable (SQLRequest<RowDecoder>, Database) throws -> Output
    ) {
        let literal = arguments.isEmpty ? sql : sql + SQL(sql: "", arguments: arguments)
        request = SQLRequest<Never>(literal: literal, cached: isCached).asRequest(of: RowDecoder.self)
        self.fetchOutput = fetchOutput
    }

    /// Fetches the rows, the row or nil, or the only row.
    ///
    /// ```swift
    /// let query = SQLQuery<Player, Player?>(
    ///     "SELECT * FROM player WHERE id = :id", arguments: ["id": 1])
    /// let player = try query.fetch(db)
    /// ```
    ///
    /// - Throws: ``DatabaseError``, the error of a value that can't be stored, and the error of a row that can't be decoded. A query of
    ///   exactly one row throws if there is none, or more. A query of at most one row throws if there are more.
    public func fetch(_ db: Database) throws -> Output {
        try fetchOutput(request, db)
    }

    /// Prepares the query.
    ///
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    public func makePreparedRequest(_ db: Database, forSingleResult: Bool) throws -> PreparedRequest {
        try request.makePreparedRequest(db, forSingleResult: forSingleResult)
    }

    /// The query, without the white space and the semicolons at its end.
    public var sqlSubquery: SQLSubquery { request.sqlSubquery }
}

// MARK: - Records

extension SQLQuery where RowDecoder: FetchableRecord, Output == [RowDecoder] {
    /// Creates a query of any number of rows.
    ///
    /// - Parameters:
    ///   - sql: the SQL.
    ///   - arguments: the values of its parameters, by their names.
    ///   - isCached: whether the connection caches the prepared statement.
    public init(_ sql: SQL, arguments: StatementArguments = StatementArguments(), isCached: Bool = true) {
        self.init(sql, arguments, isCached: isCached) { request, db in try request.fetchAll(db) }
    }
}

extension SQLQuery where RowDecoder: FetchableRecord, Output == RowDecoder? {
    /// Creates a query of at most one row.
    ///
    /// - Parameters:
    ///   - sql: the SQL.
    ///   - arguments: the values of its parameters, by their names.
    ///   - isCached: whether the connection caches the prepared statement.
    public init(_ sql: SQL, arguments: StatementArguments = StatementArguments(), isCached: Bool = true) {
        self.init(sql, arguments, isCached: isCached) { request, db in
            try db.onlyRow(of: request) { try RowDecoder(row: $0) }
        }
    }
}

extension SQLQuery where RowDecoder: FetchableRecord, Output == RowDecoder {
    /// Creates a query of exactly one row.
    ///
    /// - Parameters:
    ///   - sql: the SQL.
    ///   - arguments: the values of its parameters, by their names.
    ///   - isCached: whether the connection caches the prepared statement.
    public init(_ sql: SQL, arguments: StatementArguments = StatementArguments(), isCached: Bool = true) {
        self.init(sql, arguments, isCached: isCached) { request, db in
            try db.requiredRow(of: request) { try RowDecoder(row: $0) }
        }
    }
}

// MARK: - Values

extension SQLQuery where RowDecoder: DatabaseValueConvertible, Output == [RowDecoder] {
    /// Creates a query of any number of values.
    ///
    /// - Parameters:
    ///   - sql: the SQL, with one column.
    ///   - arguments: the values of its parameters, by their names.
    ///   - isCached: whether the connection caches the prepared statement.
    @_disfavoredOverload
    public init(_ sql: SQL, arguments: StatementArguments = StatementArguments(), isCached: Bool = true) {
        self.init(sql, arguments, isCached: isCached) { request, db in try request.fetchAll(db) }
    }
}

extension SQLQuery where RowDecoder: DatabaseValueConvertible, Output == RowDecoder? {
    /// Creates a query of at most one value. NULL is nil, as if there were no row.
    ///
    /// - Parameters:
    ///   - sql: the SQL, with one column.
    ///   - arguments: the values of its parameters, by their names.
    ///   - isCached: whether the connection caches the prepared statement.
    @_disfavoredOverload
    public init(_ sql: SQL, arguments: StatementArguments = StatementArguments(), isCached: Bool = true) {
        self.init(sql, arguments, isCached: isCached) { request, db in
            try db.onlyRow(of: request) { try $0.decode(RowDecoder?.self, atIndex: 0) }.flatMap { $0 }
        }
    }
}

extension SQLQuery where RowDecoder: DatabaseValueConvertible, Output == RowDecoder {
    /// Creates a query of exactly one value.
    ///
    /// - Parameters:
    ///   - sql: the SQL, with one column.
    ///   - arguments: the values of its parameters, by their names.
    ///   - isCached: whether the connection caches the prepared statement.
    @_disfavoredOverload
    public init(_ sql: SQL, arguments: StatementArguments = StatementArguments(), isCached: Bool = true) {
        self.init(sql, arguments, isCached: isCached) { request, db in
            try db.requiredRow(of: request) { try $0.decode(RowDecoder.self, atIndex: 0) }
        }
    }
}

extension Database {
    /// Returns the element of a request's only row, or nil if there is no row.
    fileprivate func onlyRow<Element>(of request: some FetchRequest, _ element: (Row) throws -> Element) throws -> Element? {
        let prepared = try request.makePreparedRequest(self, forSingleResult: false)
        var iteration = try RowIteration(prepared.statement, arguments: nil, adapter: prepared.adapter)
        guard let result = try iteration.next(element) else { return nil }
        guard try iteration.next({ _ in true }) == nil else {
            iteration.stop()
            throw DatabaseError(
                resultCode: .SQLITE_MISMATCH, message: "a query of at most one row returned more", sql: prepared.statement.sql,
                advice: "Add LIMIT 1, or declare that the query returns many rows.")
        }
        return result
    }

    /// Returns the element of a request's only row.
    fileprivate func requiredRow<Element>(of request: some FetchRequest, _ element: (Row) throws -> Element) throws -> Element {
        if let result = try onlyRow(of: request, element) { return result }
        let statement = try request.makePreparedRequest(self, forSingleResult: true).statement
        throw DatabaseError(
            resultCode: .SQLITE_NOTFOUND, message: "a query of exactly one row returned none", sql: statement.sql,
            advice: "Declare that the query returns at most one row, if it may return none.")
    }
}

// MARK: - Commands

/// A statement of a file with SQL that changes the database, with its arguments.
///
/// RecordGenerator writes a function for each statement of such a file:
///
/// ```swift
/// func rename(id: Int64, name: String) -> SQLCommand<Int> {
///     SQLCommand(
///         "UPDATE player SET name = :name WHERE id = :id",
///         arguments: ["name": name, "id": id])
/// }
///
/// let count = try rename(id: 1, name: "Arthur").execute(db)
/// ```
///
/// `Output` is the number of inserted, updated or deleted rows, or what the statement returns: see ``SQLQuery``.
public struct SQLCommand<Output: Sendable>: Sendable {
    private let run: @Sendable (Database) throws -> Output

    /// Creates a command that returns the rows of its RETURNING clause.
    ///
    /// - Parameter query: the statement, and the type of its rows.
    public init<RowDecoder>(returning query: SQLQuery<RowDecoder, Output>) {
        run = { db in try query.fetch(db) }
    }

    /// Runs the statement.
    ///
    /// - Returns: the number of changed rows, or the rows that the statement returns.
    /// - Throws: ``DatabaseError``, the error of a value that can't be stored, and the error of a row that can't be decoded.
    @discardableResult
    public func execute(_ db: Database) throws -> Output {
        try run(db)
    }
}

extension SQLCommand where Output == Int {
    /// Creates a command that returns the number of changed rows.
    ///
    /// - Parameters:
    ///   - sql: the SQL.
    ///   - arguments: the values of its parameters, by their names.
    ///   - isCached: whether the connection caches the prepared statement.
    public init(_ sql: SQL, arguments: StatementArguments = StatementArguments(), isCached: Bool = true) {
        let literal = arguments.isEmpty ? sql : sql + SQL(sql: "", arguments: arguments)
        run = { db in
            let statement = isCached ? try db.cachedStatement(literal: literal) : try db.makeStatement(literal: literal)
            try statement.execute()
            return db.changesCount
        }
    }
}
