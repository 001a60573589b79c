import RowDecoding

// The requests of a table: each begins with all its rows.

extension Table {
    /// A request for the rows for which an expression is true.
    ///
    /// The SQL of `Table("player").filter(Column("score") > 1000)` is `SELECT * FROM "player" WHERE "score" > 1000`.
    public func filter(_ predicate: some SQLSpecificExpressible) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(predicate)
    }

    /// A request for all rows or none, by a value: `filter(true)`.
    @_disfavoredOverload
    public func filter(_ predicate: any SQLExpressible) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(predicate)
    }

    /// A request for the rows for which SQL is true: `filter(literal: "score > \(1000)")`.
    public func filter(literal: SQL) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(literal: literal)
    }

    /// A request for the rows for which SQL is true: `filter(sql: "score > ?", arguments: [1000])`.
    public func filter(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(sql: sql, arguments: arguments)
    }

    /// A request for no rows: `SELECT * FROM "player" WHERE 0`.
    public func none() -> QueryInterfaceRequest<RowDecoder> {
        all().none()
    }

    /// A request for the row of a primary key: `SELECT * FROM "player" WHERE "id" = 42`.
    ///
    /// - Parameter key: the value of the primary key, which is one column; nil keeps no row.
    @_disfavoredOverload
    public func filter(key: (any DatabaseValueConvertible)?) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(key: key)
    }

    /// A request for the rows of some primary keys: `SELECT * FROM "player" WHERE "id" IN (1, 2)`.
    public func filter<Keys: Sequence>(keys: Keys) -> QueryInterfaceRequest<RowDecoder>
    where Keys.Element: DatabaseValueConvertible {
        all().filter(keys: keys)
    }

    /// A request for the row of a primary or unique key, given by its columns: `filter(key: ["name": "Arthur"])`. A key with NULL has none.
    public func filter(key: [String: (any DatabaseValueConvertible)?]?) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(key: key)
    }

    /// A request for the rows of some primary or unique keys, given by their columns. Keys with NULL have none.
    public func filter(keys: [[String: (any DatabaseValueConvertible)?]]) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(keys: keys)
    }

    /// A request for the row of an id: `filter(key:)` by another name.
    @_disfavoredOverload
    public func filter(id: (any DatabaseValueConvertible)?) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(key: id)
    }

    /// A request for the rows of some ids: `filter(keys:)` by another name.
    @_disfavoredOverload
    public func filter<IDs: Sequence>(ids: IDs) -> QueryInterfaceRequest<RowDecoder>
    where IDs.Element: DatabaseValueConvertible {
        all().filter(keys: ids)
    }

    /// A request for columns, or other expressions: `SELECT "id", "name" FROM "player"`.
    public func select(_ selection: any SQLSelectable...) -> QueryInterfaceRequest<RowDecoder> {
        all().select(selection)
    }

    /// A request for columns, or other expressions.
    public func select(_ selection: [any SQLSelectable]) -> QueryInterfaceRequest<RowDecoder> {
        all().select(selection)
    }

    /// A request for SQL: `select(literal: "id, upper(name) AS name")`.
    public func select(literal: SQL) -> QueryInterfaceRequest<RowDecoder> {
        all().select(literal: literal)
    }

    /// A request for SQL: `select(sql: "id, upper(name) AS name")`.
    public func select(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) -> QueryInterfaceRequest<RowDecoder> {
        all().select(sql: sql, arguments: arguments)
    }

    /// A request for columns, or other expressions, as values of a type: `select(max(Column("score")), as: Int.self)`.
    public func select<Other>(
        _ selection: any SQLSelectable..., as type: Other.Type = Other.self
    ) -> QueryInterfaceRequest<Other> {
        all().select(selection, as: type)
    }

    /// A request for columns, or other expressions, as values of a type.
    public func select<Other>(
        _ selection: [any SQLSelectable], as type: Other.Type = Other.self
    ) -> QueryInterfaceRequest<Other> {
        all().select(selection, as: type)
    }

    /// A request for SQL, as values of a type: `select(literal: "max(score)", as: Int.self)`.
    public func select<Other>(literal: SQL, as type: Other.Type = Other.self) -> QueryInterfaceRequest<Other> {
        all().select(literal: literal, as: type)
    }

    /// A request for SQL, as values of a type: `select(sql: "max(score)", as: Int.self)`.
    public func select<Other>(
        sql: String, arguments: StatementArguments = StatementArguments(), as type: Other.Type = Other.self
    ) -> QueryInterfaceRequest<Other> {
        all().select(sql: sql, arguments: arguments, as: type)
    }

    /// A request for the primary key, as values of a type: `SELECT "id" FROM "player"`.
    public func selectPrimaryKey<Other>(as type: Other.Type = Other.self) -> QueryInterfaceRequest<Other> {
        all().selectPrimaryKey(as: type)
    }

    /// A request that selects columns, or other expressions, beside those that the type selects.
    ///
    /// The SQL of `Table("player").annotated(with: (Column("score") + Column("bonus")).forKey("total"))` is
    /// `SELECT *, "score" + "bonus" AS "total" FROM "player"`.
    public func annotated(with selection: any SQLSelectable...) -> QueryInterfaceRequest<RowDecoder> {
        all().annotated(with: selection)
    }

    /// A request that selects columns, or other expressions, beside those that the type selects.
    public func annotated(with selection: [any SQLSelectable]) -> QueryInterfaceRequest<RowDecoder> {
        all().annotated(with: selection)
    }

    /// A request for the rows in an order.
    ///
    /// The SQL of `Table("player").order(Column("score").desc)` is `SELECT * FROM "player" ORDER BY "score" DESC`.
    public func order(_ orderings: any SQLOrderingTerm...) -> QueryInterfaceRequest<RowDecoder> {
        all().order(orderings)
    }

    /// A request for the rows in an order.
    public func order(_ orderings: [any SQLOrderingTerm]) -> QueryInterfaceRequest<RowDecoder> {
        all().order(orderings)
    }

    /// A request for the rows in the order of SQL: `order(literal: "score DESC, name")`.
    public func order(literal: SQL) -> QueryInterfaceRequest<RowDecoder> {
        all().order(literal: literal)
    }

    /// A request for the rows in the order of SQL: `order(sql: "score DESC, name")`.
    public func order(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) -> QueryInterfaceRequest<RowDecoder> {
        all().order(sql: sql, arguments: arguments)
    }

    /// A request for the rows in the order of their primary key: `SELECT * FROM "player" ORDER BY "id"`.
    public func orderByPrimaryKey() -> QueryInterfaceRequest<RowDecoder> {
        all().orderByPrimaryKey()
    }

    /// A request for some rows at most.
    ///
    /// The SQL of `Table("player").limit(10)` is `SELECT * FROM "player" LIMIT 10`.
    ///
    /// - Parameters:
    ///   - limit: how many rows at most; a negative number means all.
    ///   - offset: how many rows are left out before them.
    public func limit(_ limit: Int, offset: Int? = nil) -> QueryInterfaceRequest<RowDecoder> {
        all().limit(limit, offset: offset)
    }

    /// A request for the rows without duplicates: `SELECT DISTINCT * FROM "player"`.
    public func distinct() -> QueryInterfaceRequest<RowDecoder> {
        all().distinct()
    }

    /// A request for groups of rows: `SELECT … FROM "player" GROUP BY "team"`.
    public func group(_ expressions: any SQLExpressible...) -> QueryInterfaceRequest<RowDecoder> {
        all().group(expressions)
    }

    /// A request with a name for its table: see ``TableAlias``.
    public func aliased(_ alias: TableAliasBase) -> QueryInterfaceRequest<RowDecoder> {
        all().aliased(alias)
    }

    /// A request with a common table expression, which it and its subqueries can use.
    public func with<T>(_ commonTableExpression: CommonTableExpression<T>) -> QueryInterfaceRequest<RowDecoder> {
        all().with(commonTableExpression)
    }

    /// A request for the rows for which an aggregate of an association is true: `having(Author.books.count >= 20)`.
    public func having(_ predicate: AssociationAggregate<RowDecoder>) -> QueryInterfaceRequest<RowDecoder> {
        all().having(predicate)
    }

    /// A request for the rows for which an aggregate of an association is true: `filter(Author.books.count >= 20)`.
    public func filter(_ predicate: AssociationAggregate<RowDecoder>) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(predicate)
    }

    /// A request that selects aggregates of associations, beside what the type selects: `annotated(with: Author.books.count)`.
    public func annotated(with aggregates: AssociationAggregate<RowDecoder>...) -> QueryInterfaceRequest<RowDecoder> {
        all().annotated(with: aggregates)
    }

    /// A request that fetches the rows of an association too, by one more query: `including(all: Author.books)`.
    public func including<A: AssociationToMany>(all association: A) -> QueryInterfaceRequest<RowDecoder>
    where A.OriginRowDecoder == RowDecoder {
        all().including(all: association)
    }

    /// A request that selects the columns of an association too, in a scope. Rows without a match are left out.
    public func including<A: Association>(required association: A) -> QueryInterfaceRequest<RowDecoder>
    where A.OriginRowDecoder == RowDecoder {
        all().including(required: association)
    }

    /// A request that selects the columns of an association too, in a scope. Rows without a match stay.
    public func including<A: Association>(optional association: A) -> QueryInterfaceRequest<RowDecoder>
    where A.OriginRowDecoder == RowDecoder {
        all().including(optional: association)
    }

    /// A request that joins an association. Rows without a match are left out.
    public func joining<A: Association>(required association: A) -> QueryInterfaceRequest<RowDecoder>
    where A.OriginRowDecoder == RowDecoder {
        all().joining(required: association)
    }

    /// A request that joins an association. Rows without a match stay.
    public func joining<A: Association>(optional association: A) -> QueryInterfaceRequest<RowDecoder>
    where A.OriginRowDecoder == RowDecoder {
        all().joining(optional: association)
    }

    /// A request that selects the columns of an association too, beside those of the row. Rows without a match are left out.
    public func annotated<A: Association>(withRequired association: A) -> QueryInterfaceRequest<RowDecoder>
    where A.OriginRowDecoder == RowDecoder {
        all().annotated(withRequired: association)
    }

    /// A request that selects the columns of an association too, beside those of the row. Rows without a match stay.
    public func annotated<A: Association>(withOptional association: A) -> QueryInterfaceRequest<RowDecoder>
    where A.OriginRowDecoder == RowDecoder {
        all().annotated(withOptional: association)
    }

    /// The number of rows in the table: `SELECT count(*) FROM "player"`.
    ///
    /// - Throws: ``DatabaseError``.
    public func fetchCount(_ db: Database) throws -> Int {
        try all().fetchCount(db)
    }
}

// MARK: - Columns in closures

extension Table where RowDecoder: TableRecord {
    /// A request for the rows for which an expression on the columns of the record type is true: `filter { $0.score > 1000 }`.
    public func filter(
        _ predicate: (RowDecoder.DatabaseComponents) throws -> any SQLSpecificExpressible
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().filter(predicate)
    }

    /// A request for a column of the record type: `select { $0.name }` or `select(\.name)`.
    public func select(
        _ selection: (RowDecoder.DatabaseComponents) throws -> any SQLSelectable
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().select(selection)
    }

    /// A request for columns of the record type: `select { [$0.id, $0.name] }`.
    @_disfavoredOverload
    public func select(
        _ selection: (RowDecoder.DatabaseComponents) throws -> [any SQLSelectable]
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().select(selection)
    }

    /// A request for a column of the record type, as values of a type: `select({ $0.name }, as: String.self)`.
    public func select<Other>(
        _ selection: (RowDecoder.DatabaseComponents) throws -> any SQLSelectable, as type: Other.Type = Other.self
    ) rethrows -> QueryInterfaceRequest<Other> {
        try all().select(selection, as: type)
    }

    /// A request for columns of the record type, as values of a type: `select({ [$0.id, $0.name] }, as: PlayerInfo.self)`.
    @_disfavoredOverload
    public func select<Other>(
        _ selection: (RowDecoder.DatabaseComponents) throws -> [any SQLSelectable], as type: Other.Type = Other.self
    ) rethrows -> QueryInterfaceRequest<Other> {
        try all().select(selection, as: type)
    }

    /// A request that selects an expression beside what the type selects: `annotated { ($0.score + $0.bonus).forKey("total") }`.
    public func annotated(
        with selection: (RowDecoder.DatabaseComponents) throws -> any SQLSelectable
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().annotated(with: selection)
    }

    /// A request that selects expressions beside what the type selects.
    @_disfavoredOverload
    public func annotated(
        with selection: (RowDecoder.DatabaseComponents) throws -> [any SQLSelectable]
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().annotated(with: selection)
    }

    /// A request for the rows in the order of a column of the record type: `order { $0.score.desc }` or `order(\.score)`.
    public func order(
        _ ordering: (RowDecoder.DatabaseComponents) throws -> any SQLOrderingTerm
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().order(ordering)
    }

    /// A request for the rows in the order of columns of the record type: `order { [$0.score.desc, $0.name] }`.
    @_disfavoredOverload
    public func order(
        _ orderings: (RowDecoder.DatabaseComponents) throws -> [any SQLOrderingTerm]
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().order(orderings)
    }
}

// MARK: - Ids

extension Table where RowDecoder: Identifiable {
    /// A request for the ids of the rows: `SELECT "id" FROM "player"`.
    public func selectID() -> QueryInterfaceRequest<RowDecoder.ID> {
        all().selectID()
    }
}

extension Table where RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible {
    /// A request for the row of an id: `filter(key:)` by another name.
    public func filter(id: RowDecoder.ID) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(id: id)
    }

    /// A request for the rows of some ids: `filter(keys:)` by another name.
    public func filter<IDs: Sequence>(ids: IDs) -> QueryInterfaceRequest<RowDecoder>
    where IDs.Element == RowDecoder.ID {
        all().filter(ids: ids)
    }
}
