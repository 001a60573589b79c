import RowDecoding

// Requests that start from all rows of a table.

extension Table {
    /// Returns a request for the rows where an expression is true.
    ///
    /// The SQL of `Table("player").filter(Column("score") > 1000)` is `SELECT * FROM "player" WHERE "score" > 1000`.
    public func filter(_ predicate: any SQLExpressible) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(predicate)
    }

    /// Returns a request for the rows where SQL is true: `filter(literal: "score > \(1000)")`.
    public func filter(literal: SQL) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(literal: literal)
    }

    /// Returns a request for the rows where SQL is true: `filter(sql: "score > ?", arguments: [1000])`.
    public func filter(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(sql: sql, arguments: arguments)
    }

    /// Returns a request for no rows: `SELECT * FROM "player" WHERE 0`.
    public func none() -> QueryInterfaceRequest<RowDecoder> {
        all().none()
    }

    /// Returns a request for the row with a primary key: `SELECT * FROM "player" WHERE "id" = 42`.
    ///
    /// - Parameter key: the value of the primary key, which must have one column; nil matches no row.
    @_disfavoredOverload
    public func filter(key: (any DatabaseValueConvertible)?) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(key: key)
    }

    /// Returns a request for the rows with some primary keys: `SELECT * FROM "player" WHERE "id" IN (1, 2)`.
    public func filter<Key: DatabaseValueConvertible>(keys: any Sequence<Key>) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(keys: keys)
    }

    /// Returns a request for the row with a primary or unique key, given by its columns: `filter(key: ["name": "Arthur"])`.
    /// A key that contains NULL matches no row.
    public func filter(key: [String: (any DatabaseValueConvertible)?]?) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(key: key)
    }

    /// Returns a request for the rows with some primary or unique keys, given by their columns.
    /// A key that contains NULL matches no row.
    public func filter(keys: [[String: (any DatabaseValueConvertible)?]]) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(keys: keys)
    }

    /// Returns a request for the row with an id. Same as `filter(key:)`.
    @_disfavoredOverload
    public func filter(id: (any DatabaseValueConvertible)?) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(key: id)
    }

    /// Returns a request for the rows with some ids. Same as `filter(keys:)`.
    @_disfavoredOverload
    public func filter<ID: DatabaseValueConvertible>(ids: any Sequence<ID>) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(keys: ids)
    }

    /// Returns a request that selects columns, or other expressions: `SELECT "id", "name" FROM "player"`.
    public func select(_ selection: any SQLSelectable...) -> QueryInterfaceRequest<RowDecoder> {
        all().select(selection)
    }

    /// Returns a request that selects columns, or other expressions.
    public func select(_ selection: [any SQLSelectable]) -> QueryInterfaceRequest<RowDecoder> {
        all().select(selection)
    }

    /// Returns a request that selects SQL expressions: `select(literal: "id, upper(name) AS name")`.
    public func select(literal: SQL) -> QueryInterfaceRequest<RowDecoder> {
        all().select(literal: literal)
    }

    /// Returns a request that selects SQL expressions: `select(sql: "id, upper(name) AS name")`.
    public func select(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) -> QueryInterfaceRequest<RowDecoder> {
        all().select(sql: sql, arguments: arguments)
    }

    /// Returns a request that selects expressions, and decodes values of a type: `select(max(Column("score")), as: Int.self)`.
    public func select<Other>(
        _ selection: any SQLSelectable..., as type: Other.Type = Other.self
    ) -> QueryInterfaceRequest<Other> {
        all().select(selection, as: type)
    }

    /// Returns a request that selects columns, or other expressions, and decodes values of a type.
    public func select<Other>(
        _ selection: [any SQLSelectable], as type: Other.Type = Other.self
    ) -> QueryInterfaceRequest<Other> {
        all().select(selection, as: type)
    }

    /// Returns a request that selects SQL expressions, and decodes values of a type: `select(literal: "max(score)", as: Int.self)`.
    public func select<Other>(literal: SQL, as type: Other.Type = Other.self) -> QueryInterfaceRequest<Other> {
        all().select(literal: literal, as: type)
    }

    /// Returns a request that selects SQL expressions, and decodes values of a type: `select(sql: "max(score)", as: Int.self)`.
    public func select<Other>(
        sql: String, arguments: StatementArguments = StatementArguments(), as type: Other.Type = Other.self
    ) -> QueryInterfaceRequest<Other> {
        all().select(sql: sql, arguments: arguments, as: type)
    }

    /// Returns a request that selects the primary key, and decodes values of a type: `SELECT "id" FROM "player"`.
    public func selectPrimaryKey<Other>(as type: Other.Type = Other.self) -> QueryInterfaceRequest<Other> {
        all().selectPrimaryKey(as: type)
    }

    /// Returns a request that selects columns, or other expressions, in addition to those that the type selects.
    ///
    /// The SQL of `Table("player").annotated(with: (Column("score") + Column("bonus")).forKey("total"))` is
    /// `SELECT *, "score" + "bonus" AS "total" FROM "player"`.
    public func annotated(with selection: any SQLSelectable...) -> QueryInterfaceRequest<RowDecoder> {
        all().annotated(with: selection)
    }

    /// Returns a request that selects columns, or other expressions, in addition to those that the type selects.
    public func annotated(with selection: [any SQLSelectable]) -> QueryInterfaceRequest<RowDecoder> {
        all().annotated(with: selection)
    }

    /// Returns a request that orders the rows.
    ///
    /// The SQL of `Table("player").order(Column("score").desc)` is `SELECT * FROM "player" ORDER BY "score" DESC`.
    public func order(_ orderings: any SQLOrderingTerm...) -> QueryInterfaceRequest<RowDecoder> {
        all().order(orderings)
    }

    /// Returns a request that orders the rows.
    public func order(_ orderings: [any SQLOrderingTerm]) -> QueryInterfaceRequest<RowDecoder> {
        all().order(orderings)
    }

    /// Returns a request that orders the rows by SQL: `order(literal: "score DESC, name")`.
    public func order(literal: SQL) -> QueryInterfaceRequest<RowDecoder> {
        all().order(literal: literal)
    }

    /// Returns a request that orders the rows by SQL: `order(sql: "score DESC, name")`.
    public func order(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) -> QueryInterfaceRequest<RowDecoder> {
        all().order(sql: sql, arguments: arguments)
    }

    /// Returns a request that orders the rows, and keeps those that come after some values: the next page of a list.
    public func page(
        after values: [(any DatabaseValueConvertible)?]?, by orderings: [any SQLOrderingTerm]
    ) -> QueryInterfaceRequest<RowDecoder> {
        all().page(after: values, by: orderings)
    }

    /// Returns a request that orders the rows by their primary key: `SELECT * FROM "player" ORDER BY "id"`.
    public func orderByPrimaryKey() -> QueryInterfaceRequest<RowDecoder> {
        all().orderByPrimaryKey()
    }

    /// Returns a request that limits the number of rows.
    ///
    /// The SQL of `Table("player").limit(10)` is `SELECT * FROM "player" LIMIT 10`.
    ///
    /// - Parameters:
    ///   - limit: the greatest number of rows; a negative number means no limit.
    ///   - offset: how many rows to skip first.
    public func limit(_ limit: Int, offset: Int? = nil) -> QueryInterfaceRequest<RowDecoder> {
        all().limit(limit, offset: offset)
    }

    /// Returns a request without duplicate rows: `SELECT DISTINCT * FROM "player"`.
    public func distinct() -> QueryInterfaceRequest<RowDecoder> {
        all().distinct()
    }

    /// Returns a request that groups rows: `SELECT … FROM "player" GROUP BY "team"`.
    public func group(_ expressions: any SQLExpressible...) -> QueryInterfaceRequest<RowDecoder> {
        all().group(expressions)
    }

    /// Returns a request that gives its table an alias: see ``TableAlias``.
    public func aliased(_ alias: TableAliasBase) -> QueryInterfaceRequest<RowDecoder> {
        all().aliased(alias)
    }

    /// Returns a request that defines a common table expression, for itself and its subqueries.
    public func with<T>(_ commonTableExpression: CommonTableExpression<T>) -> QueryInterfaceRequest<RowDecoder> {
        all().with(commonTableExpression)
    }

    /// Returns a request for the rows where a condition on aggregates of associations is true: `having(Author.books.count >= 20)`.
    public func having(_ predicate: any SQLExpressible) -> QueryInterfaceRequest<RowDecoder> {
        all().having(predicate)
    }

    /// Returns a request that prefetches the rows of an association with one additional query: `including(all: Author.books)`.
    public func including<A: AssociationToMany>(all association: A) -> QueryInterfaceRequest<RowDecoder>
    where A.OriginRowDecoder == RowDecoder {
        all().including(all: association)
    }

    /// Returns a request that also selects the columns of an association, in a row scope. Skips rows without a match.
    public func including<A: Association>(required association: A) -> QueryInterfaceRequest<RowDecoder>
    where A.OriginRowDecoder == RowDecoder {
        all().including(required: association)
    }

    /// Returns a request that also selects the columns of an association, in a row scope. Keeps rows without a match.
    public func including<A: Association>(optional association: A) -> QueryInterfaceRequest<RowDecoder>
    where A.OriginRowDecoder == RowDecoder {
        all().including(optional: association)
    }

    /// Returns a request that joins an association. Skips rows without a match.
    public func joining<A: Association>(required association: A) -> QueryInterfaceRequest<RowDecoder>
    where A.OriginRowDecoder == RowDecoder {
        all().joining(required: association)
    }

    /// Returns a request that joins an association. Keeps rows without a match.
    public func joining<A: Association>(optional association: A) -> QueryInterfaceRequest<RowDecoder>
    where A.OriginRowDecoder == RowDecoder {
        all().joining(optional: association)
    }

    /// Returns a request that also selects the columns of an association, next to those of the row. Skips rows without a match.
    public func annotated<A: Association>(withRequired association: A) -> QueryInterfaceRequest<RowDecoder>
    where A.OriginRowDecoder == RowDecoder {
        all().annotated(withRequired: association)
    }

    /// Returns a request that also selects the columns of an association, next to those of the row. Keeps rows without a match.
    public func annotated<A: Association>(withOptional association: A) -> QueryInterfaceRequest<RowDecoder>
    where A.OriginRowDecoder == RowDecoder {
        all().annotated(withOptional: association)
    }

    /// Returns the number of rows in the table: `SELECT count(*) FROM "player"`.
    ///
    /// - Throws: ``DatabaseError``.
    public func fetchCount(_ db: Database) throws -> Int {
        try all().fetchCount(db)
    }
}

// MARK: - Columns in closures

extension Table where RowDecoder: TableRecord {
    /// Returns a request for the rows where an expression on the columns of the record type is true: `filter { $0.score > 1000 }`.
    public func filter(
        _ predicate: (RowDecoder.DatabaseComponents) throws -> any SQLExpressible
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().filter(predicate)
    }

    /// Returns a request that selects a column of the record type: `select { $0.name }` or `select(\.name)`.
    public func select(
        _ selection: (RowDecoder.DatabaseComponents) throws -> any SQLSelectable
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().select(selection)
    }

    /// Returns a request that selects columns of the record type: `select { [$0.id, $0.name] }`.
    @_disfavoredOverload
    public func select(
        _ selection: (RowDecoder.DatabaseComponents) throws -> [any SQLSelectable]
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().select(selection)
    }

    /// Returns a request that selects a column, and decodes values of a type: `select({ $0.name }, as: String.self)`.
    public func select<Other>(
        _ selection: (RowDecoder.DatabaseComponents) throws -> any SQLSelectable, as type: Other.Type = Other.self
    ) rethrows -> QueryInterfaceRequest<Other> {
        try all().select(selection, as: type)
    }

    /// Returns a request that selects columns, and decodes values of a type: `select({ [$0.id, $0.name] }, as: PlayerInfo.self)`.
    @_disfavoredOverload
    public func select<Other>(
        _ selection: (RowDecoder.DatabaseComponents) throws -> [any SQLSelectable], as type: Other.Type = Other.self
    ) rethrows -> QueryInterfaceRequest<Other> {
        try all().select(selection, as: type)
    }

    /// Returns a request that also selects an expression: `annotated { ($0.score + $0.bonus).forKey("total") }`.
    public func annotated(
        with selection: (RowDecoder.DatabaseComponents) throws -> any SQLSelectable
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().annotated(with: selection)
    }

    /// Returns a request that also selects expressions.
    @_disfavoredOverload
    public func annotated(
        with selection: (RowDecoder.DatabaseComponents) throws -> [any SQLSelectable]
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().annotated(with: selection)
    }

    /// Returns a request that orders the rows by a column of the record type: `order { $0.score.desc }` or `order(\.score)`.
    public func order(
        _ ordering: (RowDecoder.DatabaseComponents) throws -> any SQLOrderingTerm
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().order(ordering)
    }

    /// Returns a request that orders the rows by columns of the record type: `order { [$0.score.desc, $0.name] }`.
    @_disfavoredOverload
    public func order(
        _ orderings: (RowDecoder.DatabaseComponents) throws -> [any SQLOrderingTerm]
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().order(orderings)
    }

    /// Returns a request that orders the rows by columns of the record type, and keeps those that come after some values.
    public func page(
        after values: [(any DatabaseValueConvertible)?]?, by orderings: (RowDecoder.DatabaseComponents) throws -> [any SQLOrderingTerm]
    ) rethrows -> QueryInterfaceRequest<RowDecoder> {
        try all().page(after: values, by: orderings)
    }
}

// MARK: - Ids

extension Table where RowDecoder: Identifiable {
    /// Returns a request that selects the ids of the rows: `SELECT "id" FROM "player"`.
    public func selectID() -> QueryInterfaceRequest<RowDecoder.ID> {
        all().selectID()
    }
}

extension Table where RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible {
    /// Returns a request for the row with an id. Same as `filter(key:)`.
    public func filter(id: RowDecoder.ID) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(id: id)
    }

    /// Returns a request for the rows with some ids. Same as `filter(keys:)`.
    public func filter(ids: any Sequence<RowDecoder.ID>) -> QueryInterfaceRequest<RowDecoder> {
        all().filter(ids: ids)
    }
}
