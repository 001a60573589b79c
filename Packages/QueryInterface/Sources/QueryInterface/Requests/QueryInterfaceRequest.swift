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
/// Each method returns a new request, and leaves the original unchanged.
public struct QueryInterfaceRequest<RowDecoder>: Sendable {
    /// The query: its source, clauses and joins.
    var relation: Relation

    /// Returns the same request, which decodes its rows as another type.
    ///
    /// ```swift
    /// let request = Book.including(required: Book.author).asRequest(of: BookInfo.self)
    /// ```
    public func asRequest<Other>(of type: Other.Type = Other.self) -> QueryInterfaceRequest<Other> {
        QueryInterfaceRequest<Other>(relation: relation)
    }
}

extension QueryInterfaceRequest: CustomStringConvertible {}

// MARK: - Clauses

extension QueryInterfaceRequest: DerivableRequest {
    /// The name of the table.
    public var databaseTableName: String { relation.source.name }

    /// Returns the request with a clause or a joined table added.
    public func applying(_ change: RequestChange) -> Self { QueryInterfaceRequest(relation: relation.applying(change)) }
}

// MARK: - Limits and windows

extension RequestSource where Self: TypedRequest, DerivedRequest == QueryInterfaceRequest<RowDecoder> {
    /// Limits the number of rows. Replaces the previous limit.
    ///
    /// ```swift
    /// // SELECT * FROM "player" LIMIT 10 OFFSET 20
    /// let players = try Player.all().limit(10, offset: 20).fetchAll(db)
    /// ```
    ///
    /// - Parameters:
    ///   - limit: the greatest number of rows; a negative number means no limit.
    ///   - offset: how many rows to skip first.
    public func limit(_ limit: Int, offset: Int? = nil) -> DerivedRequest {
        applying(RequestChange(kind: .limit(Relation.Limit(count: limit, offset: offset))))
    }

    /// Defines a named window, for the window functions of the request: `over(windowNamed:)`.
    ///
    /// ```swift
    /// // SELECT *, rank() OVER "w" FROM "player"
    /// // WINDOW "w" AS (PARTITION BY "team" ORDER BY "score" DESC)
    /// Player
    ///     .annotated(with: rank().over(windowNamed: "w"))
    ///     .window(
    ///         "w", WindowDefinition(partitionBy: Column("team"), orderBy: Column("score").desc))
    /// ```
    ///
    /// Source: <https://www.sqlite.org/windowfunctions.html#window_chaining>
    public func window(_ name: String, _ definition: WindowDefinition) -> DerivedRequest {
        applying(RequestChange(kind: .window(name, definition)))
    }

    // MARK: - Selections of another type

    /// Selects columns, or other expressions, and decodes values of a type. Replaces the previous selection.
    ///
    /// ```swift
    /// // SELECT max("score") FROM "player"
    /// let best = try Player.all().select(max(Column("score")), as: Int.self).fetchOne(db)
    /// ```
    public func select<Other>(_ selection: any SQLSelectable..., as type: Other.Type = Other.self) -> QueryInterfaceRequest<Other> {
        select(selection).asRequest(of: type)
    }

    /// Selects columns, or other expressions, and decodes values of a type. Replaces the previous selection.
    public func select<Other>(_ selection: [any SQLSelectable], as type: Other.Type = Other.self) -> QueryInterfaceRequest<Other> {
        select(selection).asRequest(of: type)
    }

    /// Selects SQL expressions, and decodes values of a type: `select(literal: "max(score)", as: Int.self)`.
    public func select<Other>(literal: SQL, as type: Other.Type = Other.self) -> QueryInterfaceRequest<Other> {
        select(literal: literal).asRequest(of: type)
    }

    /// Selects SQL expressions, and decodes values of a type: `select(sql: "max(score)", as: Int.self)`.
    public func select<Other>(
        sql: String, arguments: StatementArguments = StatementArguments(), as type: Other.Type = Other.self
    ) -> QueryInterfaceRequest<Other> {
        select(sql: sql, arguments: arguments).asRequest(of: type)
    }

    /// Selects the primary key, and decodes values of a type. Replaces the previous selection.
    ///
    /// ```swift
    /// let heroes = Player.filter { $0.score > 1000 }
    /// let ids = try heroes.selectPrimaryKey(as: Int64.self).fetchAll(db)
    /// ```
    ///
    /// The SQL of `Player.all().selectPrimaryKey(as: Int64.self)` is `SELECT "id" FROM "player"`.
    public func selectPrimaryKey<Other>(as type: Other.Type = Other.self) -> QueryInterfaceRequest<Other> {
        let table = all().databaseTableName
        return selectWhenConnected { db in
            try TableReference(table, in: db).primaryKey(db).columns.map { Column($0) }
        }
        .asRequest(of: type)
    }
}

extension RequestSource where Self: TypedRequest, DerivedRequest == QueryInterfaceRequest<RowDecoder>, RowDecoder: TableRecord {
    /// Selects a column of the record type, and decodes values of a type: `select({ $0.name }, as: String.self)`.
    ///
    /// ```swift
    /// let names = try Player.all().select({ $0.name }, as: String.self).fetchAll(db)
    /// ```
    public func select<Other>(
        _ selection: (DatabaseComponents) throws -> any SQLSelectable, as type: Other.Type = Other.self
    ) rethrows -> QueryInterfaceRequest<Other> {
        try select(selection).asRequest(of: type)
    }

    /// Selects columns of the record type, and decodes values of a type: `select({ [$0.id, $0.name] }, as: PlayerInfo.self)`.
    @_disfavoredOverload
    public func select<Other>(
        _ selection: (DatabaseComponents) throws -> [any SQLSelectable], as type: Other.Type = Other.self
    ) rethrows -> QueryInterfaceRequest<Other> {
        try select(selection).asRequest(of: type)
    }
}

extension RequestSource where Self: TypedRequest, DerivedRequest == QueryInterfaceRequest<RowDecoder>, RowDecoder: Identifiable {
    /// Selects the primary key, and decodes ids of the record type. Replaces the previous selection.
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

    /// Returns the number of rows of the request.
    ///
    /// ```swift
    /// let count = try Player.filter { $0.score > 1000 }.fetchCount(db)
    /// ```
    ///
    /// The SQL is `SELECT count(*) FROM "player" WHERE "score" > 1000`. For a request with a limit, groups, or a selection that can change
    /// the number of rows, it is `SELECT count(*) FROM (SELECT * FROM "player" LIMIT 10)`.
    ///
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    public func fetchCount(_ db: Database) throws -> Int {
        try relation.fetchCount(db)
    }

    /// The query, as a subquery of another query.
    public var sqlSubquery: SQLSubquery {
        SQLSubquery(RelationQuery(relation: relation), depth: relation.expressionDepth)
    }

    /// The query in parentheses, as an expression: its value is the value of the first row.
    public var sqlExpression: SQLExpression {
        SQLExpression(.request(relation, sqlSubquery))
    }

    /// Returns the region of the database that the request reads, including the queries that prefetch associations.
    ///
    /// ```swift
    /// try Player.filter(ids: [1, 2]).databaseRegion(db)  // player(id,name,score)[1,2]
    /// ```
    ///
    /// The region contains only some rows of the table if the request selects them by the row ID, in conditions that all rows must
    /// meet, and if the request reads the table only once. Conditions in handwritten SQL, `with(_:)`, and views keep all rows in the
    /// region. Joined and prefetched tables are in the region with all their rows.
    ///
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        try relation.databaseRegion(db)
    }
}

extension RequestSource where Self: TypedRequest, DerivedRequest == QueryInterfaceRequest<RowDecoder> {
    /// Returns whether the request has no rows.
    ///
    /// ```swift
    /// let hasNoHero = try Player.filter { $0.score > 1000 }.isEmpty(db)
    /// ```
    ///
    /// The SQL is `SELECT NOT EXISTS (SELECT * FROM "player" WHERE "score" > 1000)`.
    ///
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    public func isEmpty(_ db: Database) throws -> Bool {
        try all().relation.fetchIsEmpty(db)
    }
}
