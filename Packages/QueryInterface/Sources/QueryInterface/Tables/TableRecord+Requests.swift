import RowDecoding

// Requests that start from all rows of a record type's table. Metatypes can't conform to `RequestSource`, so each clause has a static method
// here. A test compares them.

extension TableRecord {
    /// Returns a request for all rows of the table.
    ///
    /// ```swift
    /// // SELECT * FROM "player"
    /// let players = try Player.all().fetchAll(db)
    /// ```
    public static func all() -> QueryInterfaceRequest<Self> {
        QueryInterfaceRequest(relation: Relation(table: databaseTableName, recordType: Self.self, selection: databaseSelection))
    }

    /// Returns a request for the rows where an expression is true.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "score" > 1000
    /// let players = try Player.filter(Column("score") > 1000).fetchAll(db)
    /// ```
    public static func filter(_ predicate: any SQLExpressible) -> QueryInterfaceRequest<Self> {
        // Neither `all().filter(predicate)` nor `changed(all())`, which are generic: records are fetched by a condition more often than in any
        // other way.
        var request = all()
        request.relation.filters.append(Deferred(predicate.sqlExpression))
        return request
    }

    /// Returns a request for the rows where SQL is true: `filter(literal: "score > \(1000)")`.
    public static func filter(literal: SQL) -> QueryInterfaceRequest<Self> {
        all().filter(literal: literal)
    }

    /// Returns a request for the rows where SQL is true: `filter(sql: "score > ?", arguments: [1000])`.
    public static func filter(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) -> QueryInterfaceRequest<Self> {
        all().filter(sql: sql, arguments: arguments)
    }

    /// Returns a request for no rows: `SELECT * FROM "player" WHERE 0`.
    public static func none() -> QueryInterfaceRequest<Self> {
        all().none()
    }

    /// Returns a request for the row with a primary key: `SELECT * FROM "player" WHERE "id" = 42`.
    ///
    /// ```swift
    /// let player = try Player.filter(key: 42).fetchOne(db)
    /// ```
    ///
    /// - Parameter key: the value of the primary key, which must have one column; nil matches no row.
    @_disfavoredOverload
    public static func filter(key: (any DatabaseValueConvertible)?) -> QueryInterfaceRequest<Self> {
        all().filter(key: key)
    }

    /// Returns a request for the rows with some primary keys: `SELECT * FROM "player" WHERE "id" IN (1, 2)`.
    ///
    /// ```swift
    /// let players = try Player.filter(keys: [1, 2]).fetchAll(db)
    /// ```
    public static func filter<Key: DatabaseValueConvertible>(keys: any Sequence<Key>) -> QueryInterfaceRequest<Self> {
        all().filter(keys: keys)
    }

    /// Returns a request for the row with a primary or unique key, given by its columns: `filter(key: ["name": "Arthur"])`.
    /// A key that contains NULL matches no row.
    ///
    /// ```swift
    /// let player = try Player.filter(key: ["name": "Arthur"]).fetchOne(db)
    /// ```
    public static func filter(key: [String: (any DatabaseValueConvertible)?]?) -> QueryInterfaceRequest<Self> {
        all().filter(key: key)
    }

    /// Returns a request for the rows with some primary or unique keys, given by their columns.
    /// A key that contains NULL matches no row.
    public static func filter(keys: [[String: (any DatabaseValueConvertible)?]]) -> QueryInterfaceRequest<Self> {
        all().filter(keys: keys)
    }

    /// Returns a request for the row with an id. Same as `filter(key:)`.
    @_disfavoredOverload
    public static func filter(id: (any DatabaseValueConvertible)?) -> QueryInterfaceRequest<Self> {
        all().filter(key: id)
    }

    /// Returns a request for the rows with some ids. Same as `filter(keys:)`.
    @_disfavoredOverload
    public static func filter<ID: DatabaseValueConvertible>(ids: any Sequence<ID>) -> QueryInterfaceRequest<Self> {
        all().filter(keys: ids)
    }

    /// Returns a request that selects columns, or other expressions: `SELECT "id", "name" FROM "player"`.
    ///
    /// ```swift
    /// let request = Player.select(Column("id"), Column("name"))
    /// let rows = try request.asRequest(of: Row.self).fetchAll(db)
    /// ```
    public static func select(_ selection: any SQLSelectable...) -> QueryInterfaceRequest<Self> {
        all().select(selection)
    }

    /// Returns a request that selects columns, or other expressions.
    public static func select(_ selection: [any SQLSelectable]) -> QueryInterfaceRequest<Self> {
        all().select(selection)
    }

    /// Returns a request that selects SQL expressions: `select(literal: "id, upper(name) AS name")`.
    public static func select(literal: SQL) -> QueryInterfaceRequest<Self> {
        all().select(literal: literal)
    }

    /// Returns a request that selects SQL expressions: `select(sql: "id, upper(name) AS name")`.
    public static func select(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) -> QueryInterfaceRequest<Self> {
        all().select(sql: sql, arguments: arguments)
    }

    /// Returns a request that selects expressions, and decodes values of a type: `select(max(Column("score")), as: Int.self)`.
    public static func select<Other>(
        _ selection: any SQLSelectable..., as type: Other.Type = Other.self
    ) -> QueryInterfaceRequest<Other> {
        all().select(selection, as: type)
    }

    /// Returns a request that selects columns, or other expressions, and decodes values of a type.
    public static func select<Other>(
        _ selection: [any SQLSelectable], as type: Other.Type = Other.self
    ) -> QueryInterfaceRequest<Other> {
        all().select(selection, as: type)
    }

    /// Returns a request that selects SQL expressions, and decodes values of a type: `select(literal: "max(score)", as: Int.self)`.
    public static func select<Other>(literal: SQL, as type: Other.Type = Other.self) -> QueryInterfaceRequest<Other> {
        all().select(literal: literal, as: type)
    }

    /// Returns a request that selects SQL expressions, and decodes values of a type: `select(sql: "max(score)", as: Int.self)`.
    public static func select<Other>(
        sql: String, arguments: StatementArguments = StatementArguments(), as type: Other.Type = Other.self
    ) -> QueryInterfaceRequest<Other> {
        all().select(sql: sql, arguments: arguments, as: type)
    }

    /// Returns a request that selects the primary key, and decodes values of a type: `SELECT "id" FROM "player"`.
    ///
    /// ```swift
    /// let ids = try Player.selectPrimaryKey(as: Int64.self).fetchAll(db)
    /// ```
    public static func selectPrimaryKey<Other>(as type: Other.Type = Other.self) -> QueryInterfaceRequest<Other> {
        all().selectPrimaryKey(as: type)
    }

    /// Returns a request that selects columns, or other expressions, in addition to the type's own selection.
    ///
    /// The SQL of `Player.annotated(with: (Column("score") + Column("bonus")).forKey("total"))` is
    /// `SELECT *, "score" + "bonus" AS "total" FROM "player"`.
    public static func annotated(with selection: any SQLSelectable...) -> QueryInterfaceRequest<Self> {
        all().annotated(with: selection)
    }

    /// Returns a request that selects columns, or other expressions, in addition to the type's own selection.
    public static func annotated(with selection: [any SQLSelectable]) -> QueryInterfaceRequest<Self> {
        all().annotated(with: selection)
    }

    /// Returns a request that orders the rows.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY "score" DESC
    /// let players = try Player.order(Column("score").desc).fetchAll(db)
    /// ```
    public static func order(_ orderings: any SQLOrderingTerm...) -> QueryInterfaceRequest<Self> {
        all().order(orderings)
    }

    /// Returns a request that orders the rows.
    public static func order(_ orderings: [any SQLOrderingTerm]) -> QueryInterfaceRequest<Self> {
        all().order(orderings)
    }

    /// Returns a request that orders the rows by SQL: `order(literal: "score DESC, name")`.
    public static func order(literal: SQL) -> QueryInterfaceRequest<Self> {
        all().order(literal: literal)
    }

    /// Returns a request that orders the rows by SQL: `order(sql: "score DESC, name")`.
    public static func order(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) -> QueryInterfaceRequest<Self> {
        all().order(sql: sql, arguments: arguments)
    }

    /// Returns a request that orders the rows, and keeps the rows after some values: the next page of a list.
    public static func page(
        after values: [(any DatabaseValueConvertible)?]?, by orderings: [any SQLOrderingTerm]
    ) -> QueryInterfaceRequest<Self> {
        all().page(after: values, by: orderings)
    }

    /// Returns a request that orders the rows by their primary key: `SELECT * FROM "player" ORDER BY "id"`.
    ///
    /// ```swift
    /// let players = try Player.orderByPrimaryKey().fetchAll(db)
    /// ```
    public static func orderByPrimaryKey() -> QueryInterfaceRequest<Self> {
        all().orderByPrimaryKey()
    }

    /// Returns a request that limits the number of rows.
    ///
    /// ```swift
    /// // SELECT * FROM "player" LIMIT 10
    /// let players = try Player.limit(10).fetchAll(db)
    /// ```
    ///
    /// - Parameters:
    ///   - limit: the greatest number of rows; a negative number means no limit.
    ///   - offset: how many rows to skip first.
    public static func limit(_ limit: Int, offset: Int? = nil) -> QueryInterfaceRequest<Self> {
        all().limit(limit, offset: offset)
    }

    /// Returns a request without duplicate rows: `SELECT DISTINCT * FROM "player"`.
    ///
    /// ```swift
    /// let names = try Player.select(Column("name"), as: String.self).distinct().fetchAll(db)
    /// ```
    public static func distinct() -> QueryInterfaceRequest<Self> {
        all().distinct()
    }

    /// Returns a request that groups rows: `SELECT … FROM "player" GROUP BY "team"`.
    public static func group(_ expressions: any SQLExpressible...) -> QueryInterfaceRequest<Self> {
        all().group(expressions)
    }

    /// Returns a request that gives its table an alias: see ``TableAlias``.
    public static func aliased(_ alias: TableAliasBase) -> QueryInterfaceRequest<Self> {
        all().aliased(alias)
    }

    /// Returns a request that defines a common table expression, for itself and its subqueries.
    public static func with<T>(_ commonTableExpression: CommonTableExpression<T>) -> QueryInterfaceRequest<Self> {
        all().with(commonTableExpression)
    }

    /// Returns a request for the rows where a condition on aggregates of associations is true: `having(Author.books.count >= 20)`.
    ///
    /// ```swift
    /// let prolific = try Author.having(Author.books.count >= 20).fetchAll(db)
    /// ```
    public static func having(_ predicate: any SQLExpressible) -> QueryInterfaceRequest<Self> {
        all().having(predicate)
    }

    /// Returns a request that prefetches the rows of an association with one additional query: `including(all: Author.books)`.
    ///
    /// ```swift
    /// // SELECT * FROM "team"
    /// // SELECT * FROM "player" WHERE "teamId" IN (1, 2)
    /// let teams = try Team.including(all: Team.players).asRequest(of: Row.self).fetchAll(db)
    /// ```
    public static func including<A: AssociationToMany>(all association: A) -> QueryInterfaceRequest<Self>
    where A.OriginRowDecoder == Self {
        all().including(all: association)
    }

    /// Returns a request that also selects the columns of an association, in a row scope. Skips rows without a match.
    ///
    /// ```swift
    /// // SELECT "book".*, "author".* FROM "book"
    /// // JOIN "author" ON "author"."id" = "book"."authorId"
    /// let infos = try Book.including(required: Book.author)
    ///     .asRequest(of: BookInfo.self)
    ///     .fetchAll(db)
    /// ```
    public static func including<A: Association>(required association: A) -> QueryInterfaceRequest<Self>
    where A.OriginRowDecoder == Self {
        all().including(required: association)
    }

    /// Returns a request that also selects the columns of an association, in a row scope. Keeps rows without a match.
    public static func including<A: Association>(optional association: A) -> QueryInterfaceRequest<Self>
    where A.OriginRowDecoder == Self {
        all().including(optional: association)
    }

    /// Returns a request that joins an association. Skips rows without a match.
    ///
    /// ```swift
    /// let titles = try Book.joining(required: Book.author.filter { $0.name == "Melville" })
    ///     .select(Column("title"), as: String.self)
    ///     .fetchAll(db)
    /// ```
    public static func joining<A: Association>(required association: A) -> QueryInterfaceRequest<Self>
    where A.OriginRowDecoder == Self {
        all().joining(required: association)
    }

    /// Returns a request that joins an association. Keeps rows without a match.
    public static func joining<A: Association>(optional association: A) -> QueryInterfaceRequest<Self>
    where A.OriginRowDecoder == Self {
        all().joining(optional: association)
    }

    /// Returns a request that also selects the columns of an association, next to the row's own columns. Skips rows without a match.
    public static func annotated<A: Association>(withRequired association: A) -> QueryInterfaceRequest<Self>
    where A.OriginRowDecoder == Self {
        all().annotated(withRequired: association)
    }

    /// Returns a request that also selects the columns of an association, next to the row's own columns. Keeps rows without a match.
    public static func annotated<A: Association>(withOptional association: A) -> QueryInterfaceRequest<Self>
    where A.OriginRowDecoder == Self {
        all().annotated(withOptional: association)
    }

    /// Returns the number of rows in the table: `SELECT count(*) FROM "player"`.
    ///
    /// ```swift
    /// let count = try Player.fetchCount(db)
    /// ```
    ///
    /// - Throws: ``DatabaseError``.
    public static func fetchCount(_ db: Database) throws -> Int {
        try all().fetchCount(db)
    }

    // MARK: - Columns in closures

    /// Returns a request for the rows where an expression on the columns of the record type is true: `filter { $0.score > 1000 }`.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "score" > 1000
    /// let players = try Player.filter { $0.score > 1000 }.fetchAll(db)
    /// ```
    public static func filter(
        _ predicate: (DatabaseComponents) throws -> any SQLExpressible
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().filter(predicate)
    }

    /// Returns a request that selects a column of the record type: `select { $0.name }` or `select(\.name)`.
    public static func select(
        _ selection: (DatabaseComponents) throws -> any SQLSelectable
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().select(selection)
    }

    /// Returns a request that selects columns of the record type: `select { [$0.id, $0.name] }`.
    @_disfavoredOverload
    public static func select(
        _ selection: (DatabaseComponents) throws -> [any SQLSelectable]
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().select(selection)
    }

    /// Returns a request that selects a column, and decodes values of a type: `select({ $0.name }, as: String.self)`.
    ///
    /// ```swift
    /// let names = try Player.select({ $0.name }, as: String.self).fetchAll(db)
    /// ```
    public static func select<Other>(
        _ selection: (DatabaseComponents) throws -> any SQLSelectable, as type: Other.Type = Other.self
    ) rethrows -> QueryInterfaceRequest<Other> {
        try all().select(selection, as: type)
    }

    /// Returns a request that selects columns, and decodes values of a type: `select({ [$0.id, $0.name] }, as: PlayerInfo.self)`.
    @_disfavoredOverload
    public static func select<Other>(
        _ selection: (DatabaseComponents) throws -> [any SQLSelectable], as type: Other.Type = Other.self
    ) rethrows -> QueryInterfaceRequest<Other> {
        try all().select(selection, as: type)
    }

    /// Returns a request that also selects an expression: `annotated { ($0.score + $0.bonus).forKey("total") }`.
    public static func annotated(
        with selection: (DatabaseComponents) throws -> any SQLSelectable
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().annotated(with: selection)
    }

    /// Returns a request that also selects expressions.
    @_disfavoredOverload
    public static func annotated(
        with selection: (DatabaseComponents) throws -> [any SQLSelectable]
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().annotated(with: selection)
    }

    /// Returns a request that orders the rows by a column of the record type: `order { $0.score.desc }` or `order(\.score)`.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY "score" DESC
    /// let players = try Player.order { $0.score.desc }.fetchAll(db)
    /// ```
    public static func order(
        _ ordering: (DatabaseComponents) throws -> any SQLOrderingTerm
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().order(ordering)
    }

    /// Returns a request that orders the rows by columns of the record type: `order { [$0.score.desc, $0.name] }`.
    @_disfavoredOverload
    public static func order(
        _ orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().order(orderings)
    }

    /// Returns a request that orders the rows by columns of the record type, and keeps the rows after some values.
    public static func page(
        after values: [(any DatabaseValueConvertible)?]?, by orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().page(after: values, by: orderings)
    }
}

// MARK: - Ids

extension TableRecord where Self: Identifiable {
    /// Returns a request that selects the ids of the rows: `SELECT "id" FROM "player"`.
    public static func selectID() -> QueryInterfaceRequest<ID> {
        all().selectID()
    }
}

extension TableRecord where Self: Identifiable, ID: DatabaseValueConvertible {
    /// Returns a request for the row with an id. Same as `filter(key:)`.
    public static func filter(id: ID) -> QueryInterfaceRequest<Self> {
        all().filter(id: id)
    }

    /// Returns a request for the rows with some ids. Same as `filter(keys:)`.
    public static func filter(ids: any Sequence<ID>) -> QueryInterfaceRequest<Self> {
        all().filter(ids: ids)
    }
}
