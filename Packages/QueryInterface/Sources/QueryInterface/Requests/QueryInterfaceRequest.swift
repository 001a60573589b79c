import RowDecoding

/// A request for rows of a table, built step by step.
///
/// ```swift
/// // SELECT * FROM "player" WHERE "score" > 1000 ORDER BY "name" DESC LIMIT 10
/// let request = Player
///     .filter { $0.score > 1000 }
///     .order { $0.name.desc }
///     .limit(10)
/// let players = try request.fetchAll(db)
/// ```
///
/// Each step returns another request, and leaves the one that it starts from as it was.
public struct QueryInterfaceRequest<RowDecoder>: Sendable {
    /// What is asked for.
    var relation: Relation

    init(relation: Relation) {
        self.relation = relation
    }

    /// The same query with results of another type.
    ///
    /// ```swift
    /// let request = Book.including(required: Book.author).asRequest(of: BookInfo.self)
    /// ```
    public func asRequest<Other>(of type: Other.Type = Other.self) -> QueryInterfaceRequest<Other> {
        QueryInterfaceRequest<Other>(relation: relation)
    }

    /// Keeps some rows at most. A limit that there was before is not any more.
    ///
    /// The SQL of `Player.limit(10, offset: 20)` is `SELECT * FROM "player" LIMIT 10 OFFSET 20`.
    ///
    /// - Parameters:
    ///   - limit: how many rows at most; a negative number means all.
    ///   - offset: how many rows are left out before them.
    public func limit(_ limit: Int, offset: Int? = nil) -> Self {
        QueryInterfaceRequest(relation: relation.limited(to: Relation.Limit(count: limit, offset: offset)))
    }
}

extension QueryInterfaceRequest {
    /// Gives a name to a window, which window functions of the request use by `over(windowNamed:)`.
    ///
    /// ```swift
    /// // SELECT *, rank() OVER "w" FROM "player" WINDOW "w" AS (PARTITION BY "team" ORDER BY "score" DESC)
    /// Player
    ///     .annotated(with: rank().over(windowNamed: "w"))
    ///     .window("w", WindowDefinition(partitionBy: [Column("team")], orderBy: [Column("score").desc]))
    /// ```
    ///
    /// Source: <https://www.sqlite.org/windowfunctions.html#window_chaining>
    public func window(_ name: String, _ definition: WindowDefinition) -> Self {
        QueryInterfaceRequest(relation: relation.windowed(name, definition))
    }
}

// MARK: - Clauses

extension QueryInterfaceRequest: DerivableRequest {
    /// The name of the table.
    public var databaseTableName: String { relation.source.name }

    /// The request with one more clause, or one more joined table.
    public func applying(_ change: RequestChange) -> Self { QueryInterfaceRequest(relation: relation.applying(change)) }
}

// MARK: - Selections of another type

extension QueryInterfaceRequest {
    /// Selects columns, or other expressions, as values of a type.
    ///
    /// ```swift
    /// // SELECT max("score") FROM "player"
    /// let best = try Player.all().select(max(Column("score")), as: Int.self).fetchOne(db)
    /// ```
    public func select<Other>(_ selection: any SQLSelectable..., as type: Other.Type = Other.self) -> QueryInterfaceRequest<Other> {
        select(selection).asRequest(of: type)
    }

    /// Selects columns, or other expressions, as values of a type.
    public func select<Other>(_ selection: [any SQLSelectable], as type: Other.Type = Other.self) -> QueryInterfaceRequest<Other> {
        select(selection).asRequest(of: type)
    }

    /// Selects SQL, as values of a type: `select(literal: "max(score)", as: Int.self)`.
    public func select<Other>(literal: SQL, as type: Other.Type = Other.self) -> QueryInterfaceRequest<Other> {
        select(literal: literal).asRequest(of: type)
    }

    /// Selects SQL, as values of a type: `select(sql: "max(score)", as: Int.self)`.
    public func select<Other>(
        sql: String, arguments: StatementArguments = StatementArguments(), as type: Other.Type = Other.self
    ) -> QueryInterfaceRequest<Other> {
        select(sql: sql, arguments: arguments).asRequest(of: type)
    }

    /// Selects the primary key, as values of a type.
    ///
    /// The SQL of `Player.all().selectPrimaryKey(as: Int64.self)` is `SELECT "id" FROM "player"`.
    public func selectPrimaryKey<Other>(as type: Other.Type = Other.self) -> QueryInterfaceRequest<Other> {
        let table = databaseTableName
        return selectWhenConnected { db in
            try TableReference(table, in: db).primaryKey(db).columns.map { Column($0) }
        }
        .asRequest(of: type)
    }
}

extension QueryInterfaceRequest where RowDecoder: TableRecord {
    /// Selects a column of the record type, as values of a type: `select({ $0.name }, as: String.self)`.
    public func select<Other>(
        _ selection: (DatabaseComponents) throws -> any SQLSelectable, as type: Other.Type = Other.self
    ) rethrows -> QueryInterfaceRequest<Other> {
        try select(selection).asRequest(of: type)
    }

    /// Selects columns of the record type, as values of a type: `select({ [$0.id, $0.name] }, as: PlayerInfo.self)`.
    @_disfavoredOverload
    public func select<Other>(
        _ selection: (DatabaseComponents) throws -> [any SQLSelectable], as type: Other.Type = Other.self
    ) rethrows -> QueryInterfaceRequest<Other> {
        try select(selection).asRequest(of: type)
    }
}

extension QueryInterfaceRequest where RowDecoder: Identifiable {
    /// Selects the primary key, as ids of the record type.
    ///
    /// The SQL of `Player.all().selectID()` is `SELECT "id" FROM "player"`.
    public func selectID() -> QueryInterfaceRequest<RowDecoder.ID> {
        selectPrimaryKey(as: RowDecoder.ID.self)
    }
}

// MARK: - Fetching

extension QueryInterfaceRequest: FetchRequest {
    /// Prepares the query.
    ///
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    public func makePreparedRequest(_ db: Database, forSingleResult: Bool) throws -> PreparedRequest {
        try relation.prepare(db, forSingleResult: forSingleResult)
    }

    /// The number of rows of the request.
    ///
    /// The SQL is `SELECT count(*) FROM "player" WHERE "score" > 1000`, and with a limit, groups or a selection that may change
    /// the number `SELECT count(*) FROM (SELECT * FROM "player" LIMIT 10)`.
    ///
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    public func fetchCount(_ db: Database) throws -> Int {
        try relation.fetchCount(db)
    }

    /// Whether the request has no rows.
    ///
    /// The SQL is `SELECT NOT EXISTS (SELECT * FROM "player" WHERE "score" > 1000)`.
    ///
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    public func isEmpty(_ db: Database) throws -> Bool {
        try relation.fetchIsEmpty(db)
    }

    /// The query, for use inside another one.
    public var sqlSubquery: SQLSubquery {
        let relation = relation
        return SQLSubquery { try relation.render(to: &$0) }
    }

    /// The query in parentheses, whose value is that of its first row.
    public var sqlExpression: SQLExpression {
        SQLExpression(RequestNode(relation: relation, subquery: sqlSubquery.sqlExpression))
    }

    /// The part of the database that the query reads, and those that fetch its associations.
    ///
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        try relation.databaseRegion(db)
    }
}
