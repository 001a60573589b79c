import RowDecoding

// The keys are `any`, not `some`: with `some`, the compiler takes seconds to check whether a closure passed to `filter` is a value that can
// be stored.

extension RequestSource where DerivedRequest: TableRequest {
    /// Gives the table an alias: see ``TableAlias``.
    ///
    /// ```swift
    /// let p = TableAlias(name: "p")
    /// let players = try Player.all().aliased(p).filter(p[Column("score")] > 1000).fetchAll(db)
    /// ```
    ///
    /// The SQL of `Player.all().aliased(TableAlias(name: "p"))` is `SELECT "p".* FROM "player" "p"`.
    public func aliased(_ alias: TableAliasBase) -> DerivedRequest { applying(RequestChange(kind: .alias(alias))) }
}

extension RequestSource where DerivedRequest: TableRequest & FilteredRequest {
    /// Keeps the row with a primary key.
    ///
    /// ```swift
    /// let player = try Player.all().filter(key: 42).fetchOne(db)
    /// ```
    ///
    /// The SQL of `Player.all().filter(key: 42)` is `SELECT * FROM "player" WHERE "id" = 42`.
    ///
    /// - Parameter key: the value of the primary key, which must have one column; nil matches no row.
    @_disfavoredOverload
    public func filter(key: (any DatabaseValueConvertible)?) -> DerivedRequest {
        filter(KeyCondition.value(key, table: all().databaseTableName))
    }

    /// Keeps the rows with some primary keys.
    ///
    /// The SQL of `Player.all().filter(keys: [1, 2])` is `SELECT * FROM "player" WHERE "id" IN (1, 2)`.
    ///
    /// - Parameter keys: values of the primary key, which must have one column; nil matches no row.
    public func filter<Key: DatabaseValueConvertible>(keys: any Sequence<Key>) -> DerivedRequest {
        filter(KeyCondition.values(keys, table: all().databaseTableName))
    }

    /// Keeps the rows with a primary or unique key.
    ///
    /// The SQL of `Citizenship.all().filter(key: ["citizenId": 1, "countryCode": "FR"])` is
    /// `SELECT * FROM "citizenship" WHERE "citizenId" = 1 AND "countryCode" = 'FR'`.
    ///
    /// - Parameter key: the columns of a primary key or of a unique index, and their values. A key that contains NULL matches no row.
    public func filter(key: [String: (any DatabaseValueConvertible)?]?) -> DerivedRequest {
        filter(keys: key.map { [$0] } ?? [])
    }

    /// Keeps the rows with some primary or unique keys.
    ///
    /// - Parameter keys: the columns of primary keys or of unique indexes, and their values. A key that contains NULL matches no row.
    public func filter(keys: [[String: (any DatabaseValueConvertible)?]]) -> DerivedRequest {
        filter(KeyCondition.columns(keys, table: all().databaseTableName))
    }

    /// Keeps the row with an id. Same as ``filter(key:)``.
    @_disfavoredOverload
    public func filter(id: (any DatabaseValueConvertible)?) -> DerivedRequest {
        filter(key: id)
    }

    /// Keeps the rows with some ids. Same as ``filter(keys:)``.
    @_disfavoredOverload
    public func filter<ID: DatabaseValueConvertible>(ids: any Sequence<ID>) -> DerivedRequest {
        filter(keys: ids)
    }
}

extension RequestSource
where Self: TypedRequest, DerivedRequest: TableRequest & FilteredRequest, RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible
{
    /// Keeps the row with an id. Same as ``filter(key:)``.
    public func filter(id: RowDecoder.ID) -> DerivedRequest {
        filter(key: id)
    }

    /// Keeps the rows with some ids. Same as ``filter(keys:)``.
    public func filter(ids: any Sequence<RowDecoder.ID>) -> DerivedRequest {
        filter(keys: ids)
    }
}

extension RequestSource where DerivedRequest: TableRequest & OrderedRequest {
    /// Orders the rows by their primary key. Replaces the previous order.
    ///
    /// ```swift
    /// let players = try Player.all().orderByPrimaryKey().fetchAll(db)
    /// ```
    ///
    /// The SQL of `Player.all().orderByPrimaryKey()` is `SELECT * FROM "player" ORDER BY "id"`.
    public func orderByPrimaryKey() -> DerivedRequest {
        let table = all().databaseTableName
        return orderWhenConnected { db in
            try TableReference(table, in: db).primaryKey(db).columns.map { Column($0) }
        }
    }
}

extension RequestSource where DerivedRequest: TableRequest & AggregatingRequest {
    /// Groups the rows by their primary key: one row for each row of the table, even with joins. Replaces the previous groups.
    ///
    /// The SQL of `Player.all().groupByPrimaryKey()` is `SELECT * FROM "player" GROUP BY "id"`.
    public func groupByPrimaryKey() -> DerivedRequest {
        let table = all().databaseTableName
        return groupWhenConnected { db in
            try TableReference(table, in: db).primaryKey(db).columns.map { Column($0) }
        }
    }
}
