import RowDecoding

// The requests of a record type: each begins with all rows of the table.

extension TableRecord {
    /// A request for all rows of the table.
    ///
    /// The SQL is `SELECT * FROM "player"`.
    public static func all() -> QueryInterfaceRequest<Self> {
        QueryInterfaceRequest(relation: Relation(table: databaseTableName, recordType: Self.self, selection: databaseSelection))
    }
}

extension TableRecord {
    /// A request for the rows for which an expression is true.
    ///
    /// The SQL of `Player.filter(Column("score") > 1000)` is `SELECT * FROM "player" WHERE "score" > 1000`.
    public static func filter(_ predicate: some SQLSpecificExpressible) -> QueryInterfaceRequest<Self> {
        all().filter(predicate)
    }

    /// A request for all rows or none, by a value: `filter(true)`.
    @_disfavoredOverload
    public static func filter(_ predicate: any SQLExpressible) -> QueryInterfaceRequest<Self> {
        all().filter(predicate)
    }

    /// A request for the rows for which SQL is true: `filter(literal: "score > \(1000)")`.
    public static func filter(literal: SQL) -> QueryInterfaceRequest<Self> {
        all().filter(literal: literal)
    }

    /// A request for the rows for which SQL is true: `filter(sql: "score > ?", arguments: [1000])`.
    public static func filter(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) -> QueryInterfaceRequest<Self> {
        all().filter(sql: sql, arguments: arguments)
    }

    /// A request for no rows: `SELECT * FROM "player" WHERE 0`.
    public static func none() -> QueryInterfaceRequest<Self> {
        all().none()
    }

    /// A request for the row of a primary key: `SELECT * FROM "player" WHERE "id" = 42`.
    ///
    /// - Parameter key: the value of the primary key, which is one column; nil keeps no row.
    @_disfavoredOverload
    public static func filter(key: (any DatabaseValueConvertible)?) -> QueryInterfaceRequest<Self> {
        all().filter(key: key)
    }

    /// A request for the rows of some primary keys: `SELECT * FROM "player" WHERE "id" IN (1, 2)`.
    public static func filter<Keys: Sequence>(keys: Keys) -> QueryInterfaceRequest<Self>
    where Keys.Element: DatabaseValueConvertible {
        all().filter(keys: keys)
    }

    /// A request for the row of a primary or unique key, given by its columns: `filter(key: ["name": "Arthur"])`. A key with NULL has none.
    public static func filter(key: [String: (any DatabaseValueConvertible)?]?) -> QueryInterfaceRequest<Self> {
        all().filter(key: key)
    }

    /// A request for the rows of some primary or unique keys, given by their columns. Keys with NULL have none.
    public static func filter(keys: [[String: (any DatabaseValueConvertible)?]]) -> QueryInterfaceRequest<Self> {
        all().filter(keys: keys)
    }

    /// A request for the row of an id: `filter(key:)` by another name.
    @_disfavoredOverload
    public static func filter(id: (any DatabaseValueConvertible)?) -> QueryInterfaceRequest<Self> {
        all().filter(key: id)
    }

    /// A request for the rows of some ids: `filter(keys:)` by another name.
    @_disfavoredOverload
    public static func filter<IDs: Sequence>(ids: IDs) -> QueryInterfaceRequest<Self>
    where IDs.Element: DatabaseValueConvertible {
        all().filter(keys: ids)
    }

    /// A request for columns, or other expressions: `SELECT "id", "name" FROM "player"`.
    public static func select(_ selection: any SQLSelectable...) -> QueryInterfaceRequest<Self> {
        all().select(selection)
    }

    /// A request for columns, or other expressions.
    public static func select(_ selection: [any SQLSelectable]) -> QueryInterfaceRequest<Self> {
        all().select(selection)
    }

    /// A request for SQL: `select(literal: "id, upper(name) AS name")`.
    public static func select(literal: SQL) -> QueryInterfaceRequest<Self> {
        all().select(literal: literal)
    }

    /// A request for SQL: `select(sql: "id, upper(name) AS name")`.
    public static func select(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) -> QueryInterfaceRequest<Self> {
        all().select(sql: sql, arguments: arguments)
    }

    /// A request for columns, or other expressions, as values of a type: `select(max(Column("score")), as: Int.self)`.
    public static func select<Other>(
        _ selection: any SQLSelectable..., as type: Other.Type = Other.self
    ) -> QueryInterfaceRequest<Other> {
        all().select(selection, as: type)
    }

    /// A request for columns, or other expressions, as values of a type.
    public static func select<Other>(
        _ selection: [any SQLSelectable], as type: Other.Type = Other.self
    ) -> QueryInterfaceRequest<Other> {
        all().select(selection, as: type)
    }

    /// A request for SQL, as values of a type: `select(literal: "max(score)", as: Int.self)`.
    public static func select<Other>(literal: SQL, as type: Other.Type = Other.self) -> QueryInterfaceRequest<Other> {
        all().select(literal: literal, as: type)
    }

    /// A request for SQL, as values of a type: `select(sql: "max(score)", as: Int.self)`.
    public static func select<Other>(
        sql: String, arguments: StatementArguments = StatementArguments(), as type: Other.Type = Other.self
    ) -> QueryInterfaceRequest<Other> {
        all().select(sql: sql, arguments: arguments, as: type)
    }

    /// A request for the primary key, as values of a type: `SELECT "id" FROM "player"`.
    public static func selectPrimaryKey<Other>(as type: Other.Type = Other.self) -> QueryInterfaceRequest<Other> {
        all().selectPrimaryKey(as: type)
    }

    /// A request that selects columns, or other expressions, beside those that the type selects.
    ///
    /// The SQL of `Player.annotated(with: (Column("score") + Column("bonus")).forKey("total"))` is
    /// `SELECT *, "score" + "bonus" AS "total" FROM "player"`.
    public static func annotated(with selection: any SQLSelectable...) -> QueryInterfaceRequest<Self> {
        all().annotated(with: selection)
    }

    /// A request that selects columns, or other expressions, beside those that the type selects.
    public static func annotated(with selection: [any SQLSelectable]) -> QueryInterfaceRequest<Self> {
        all().annotated(with: selection)
    }

    /// A request for the rows in an order.
    ///
    /// The SQL of `Player.order(Column("score").desc)` is `SELECT * FROM "player" ORDER BY "score" DESC`.
    public static func order(_ orderings: any SQLOrderingTerm...) -> QueryInterfaceRequest<Self> {
        all().order(orderings)
    }

    /// A request for the rows in an order.
    public static func order(_ orderings: [any SQLOrderingTerm]) -> QueryInterfaceRequest<Self> {
        all().order(orderings)
    }

    /// A request for the rows in the order of SQL: `order(literal: "score DESC, name")`.
    public static func order(literal: SQL) -> QueryInterfaceRequest<Self> {
        all().order(literal: literal)
    }

    /// A request for the rows in the order of SQL: `order(sql: "score DESC, name")`.
    public static func order(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) -> QueryInterfaceRequest<Self> {
        all().order(sql: sql, arguments: arguments)
    }

    /// A request for the rows in the order of their primary key: `SELECT * FROM "player" ORDER BY "id"`.
    public static func orderByPrimaryKey() -> QueryInterfaceRequest<Self> {
        all().orderByPrimaryKey()
    }

    /// A request for some rows at most.
    ///
    /// The SQL of `Player.limit(10)` is `SELECT * FROM "player" LIMIT 10`.
    ///
    /// - Parameters:
    ///   - limit: how many rows at most; a negative number means all.
    ///   - offset: how many rows are left out before them.
    public static func limit(_ limit: Int, offset: Int? = nil) -> QueryInterfaceRequest<Self> {
        all().limit(limit, offset: offset)
    }

    /// A request for the rows without duplicates: `SELECT DISTINCT * FROM "player"`.
    public static func distinct() -> QueryInterfaceRequest<Self> {
        all().distinct()
    }

    /// A request for groups of rows: `SELECT … FROM "player" GROUP BY "team"`.
    public static func group(_ expressions: any SQLExpressible...) -> QueryInterfaceRequest<Self> {
        all().group(expressions)
    }

    /// A request with a name for its table: see ``TableAlias``.
    public static func aliased(_ alias: TableAliasBase) -> QueryInterfaceRequest<Self> {
        all().aliased(alias)
    }

    /// A request with a common table expression, which it and its subqueries can use.
    public static func with<T>(_ commonTableExpression: CommonTableExpression<T>) -> QueryInterfaceRequest<Self> {
        all().with(commonTableExpression)
    }

    /// A request for the rows for which an aggregate of an association is true: `having(Author.books.count >= 20)`.
    public static func having(_ predicate: AssociationAggregate<Self>) -> QueryInterfaceRequest<Self> {
        all().having(predicate)
    }

    /// A request for the rows for which an aggregate of an association is true: `filter(Author.books.count >= 20)`.
    public static func filter(_ predicate: AssociationAggregate<Self>) -> QueryInterfaceRequest<Self> {
        all().filter(predicate)
    }

    /// A request that selects aggregates of associations, beside what the type selects: `annotated(with: Author.books.count)`.
    public static func annotated(with aggregates: AssociationAggregate<Self>...) -> QueryInterfaceRequest<Self> {
        all().annotated(with: aggregates)
    }

    /// A request that fetches the rows of an association too, by one more query: `including(all: Author.books)`.
    public static func including<A: AssociationToMany>(all association: A) -> QueryInterfaceRequest<Self>
    where A.OriginRowDecoder == Self {
        all().including(all: association)
    }

    /// A request that selects the columns of an association too, in a scope. Rows without a match are left out.
    public static func including<A: Association>(required association: A) -> QueryInterfaceRequest<Self>
    where A.OriginRowDecoder == Self {
        all().including(required: association)
    }

    /// A request that selects the columns of an association too, in a scope. Rows without a match stay.
    public static func including<A: Association>(optional association: A) -> QueryInterfaceRequest<Self>
    where A.OriginRowDecoder == Self {
        all().including(optional: association)
    }

    /// A request that joins an association. Rows without a match are left out.
    public static func joining<A: Association>(required association: A) -> QueryInterfaceRequest<Self>
    where A.OriginRowDecoder == Self {
        all().joining(required: association)
    }

    /// A request that joins an association. Rows without a match stay.
    public static func joining<A: Association>(optional association: A) -> QueryInterfaceRequest<Self>
    where A.OriginRowDecoder == Self {
        all().joining(optional: association)
    }

    /// A request that selects the columns of an association too, beside those of the row. Rows without a match are left out.
    public static func annotated<A: Association>(withRequired association: A) -> QueryInterfaceRequest<Self>
    where A.OriginRowDecoder == Self {
        all().annotated(withRequired: association)
    }

    /// A request that selects the columns of an association too, beside those of the row. Rows without a match stay.
    public static func annotated<A: Association>(withOptional association: A) -> QueryInterfaceRequest<Self>
    where A.OriginRowDecoder == Self {
        all().annotated(withOptional: association)
    }

    /// The number of rows in the table: `SELECT count(*) FROM "player"`.
    ///
    /// - Throws: ``DatabaseError``.
    public static func fetchCount(_ db: Database) throws -> Int {
        try all().fetchCount(db)
    }
}

// MARK: - Columns in closures

extension TableRecord {
    /// A request for the rows for which an expression on the columns of the record type is true: `filter { $0.score > 1000 }`.
    public static func filter(
        _ predicate: (DatabaseComponents) throws -> any SQLSpecificExpressible
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().filter(predicate)
    }

    /// A request for a column of the record type: `select { $0.name }` or `select(\.name)`.
    public static func select(
        _ selection: (DatabaseComponents) throws -> any SQLSelectable
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().select(selection)
    }

    /// A request for columns of the record type: `select { [$0.id, $0.name] }`.
    @_disfavoredOverload
    public static func select(
        _ selection: (DatabaseComponents) throws -> [any SQLSelectable]
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().select(selection)
    }

    /// A request for a column of the record type, as values of a type: `select({ $0.name }, as: String.self)`.
    public static func select<Other>(
        _ selection: (DatabaseComponents) throws -> any SQLSelectable, as type: Other.Type = Other.self
    ) rethrows -> QueryInterfaceRequest<Other> {
        try all().select(selection, as: type)
    }

    /// A request for columns of the record type, as values of a type: `select({ [$0.id, $0.name] }, as: PlayerInfo.self)`.
    @_disfavoredOverload
    public static func select<Other>(
        _ selection: (DatabaseComponents) throws -> [any SQLSelectable], as type: Other.Type = Other.self
    ) rethrows -> QueryInterfaceRequest<Other> {
        try all().select(selection, as: type)
    }

    /// A request that selects an expression beside what the type selects: `annotated { ($0.score + $0.bonus).forKey("total") }`.
    public static func annotated(
        with selection: (DatabaseComponents) throws -> any SQLSelectable
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().annotated(with: selection)
    }

    /// A request that selects expressions beside what the type selects.
    @_disfavoredOverload
    public static func annotated(
        with selection: (DatabaseComponents) throws -> [any SQLSelectable]
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().annotated(with: selection)
    }

    /// A request for the rows in the order of a column of the record type: `order { $0.score.desc }` or `order(\.score)`.
    public static func order(
        _ ordering: (DatabaseComponents) throws -> any SQLOrderingTerm
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().order(ordering)
    }

    /// A request for the rows in the order of columns of the record type: `order { [$0.score.desc, $0.name] }`.
    @_disfavoredOverload
    public static func order(
        _ orderings: (DatabaseComponents) throws -> [any SQLOrderingTerm]
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().order(orderings)
    }
}

// MARK: - Ids

extension TableRecord where Self: Identifiable {
    /// A request for the ids of the rows: `SELECT "id" FROM "player"`.
    public static func selectID() -> QueryInterfaceRequest<ID> {
        all().selectID()
    }
}

extension TableRecord where Self: Identifiable, ID: DatabaseValueConvertible {
    /// A request for the row of an id: `filter(key:)` by another name.
    public static func filter(id: ID) -> QueryInterfaceRequest<Self> {
        all().filter(id: id)
    }

    /// A request for the rows of some ids: `filter(keys:)` by another name.
    public static func filter<IDs: Sequence>(ids: IDs) -> QueryInterfaceRequest<Self>
    where IDs.Element == ID {
        all().filter(ids: ids)
    }
}
