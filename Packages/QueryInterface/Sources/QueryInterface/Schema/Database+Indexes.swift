import RowDecoding

extension Database {
    /// Creates an index on columns.
    ///
    /// ```swift
    /// // CREATE UNIQUE INDEX "playerByEmail" ON "player" ("email") WHERE "isActive" = 1
    /// try db.create(
    ///     index: "playerByEmail", on: "player", columns: ["email"], options: .unique,
    ///     condition: Column("isActive") == true)
    /// ```
    ///
    /// Source: <https://www.sqlite.org/lang_createindex.html>
    ///
    /// - Parameters:
    ///   - name: the name of the index, which must be unique among the indexes and tables of the database.
    ///   - table: the name of the table.
    ///   - columns: the names of the columns, in the order of the index.
    ///   - options: the options of the index.
    ///   - condition: the condition of a partial index, which contains the rows where it is true; nil for all rows. It can't contain
    ///     subqueries and nondeterministic functions.
    /// - Throws: ``DatabaseError``, for example when a unique index would have duplicate values; the error of a value that can't be
    ///   stored.
    public func create(
        index name: String, on table: String, columns: [String], options: IndexOptions = [],
        condition: (any SQLExpressible)? = nil
    ) throws {
        try create(index: name, on: table, terms: columns.map { .column($0) }, options: options, condition: condition)
    }

    /// Creates an index on columns. Same as ``create(index:on:columns:options:condition:)``, with a parameter for each option.
    ///
    /// - Parameters:
    ///   - name: the name of the index.
    ///   - table: the name of the table.
    ///   - columns: the names of the columns.
    ///   - unique: whether the values must be unique.
    ///   - ifNotExists: whether to do nothing if an index with this name exists.
    ///   - condition: the condition of a partial index, which contains the rows where it is true; nil for all rows.
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    @_disfavoredOverload
    public func create(
        index name: String, on table: String, columns: [String], unique: Bool = false, ifNotExists: Bool = false,
        condition: (any SQLExpressible)? = nil
    ) throws {
        var options: IndexOptions = []
        if unique { options.insert(.unique) }
        if ifNotExists { options.insert(.ifNotExists) }
        try create(index: name, on: table, columns: columns, options: options, condition: condition)
    }

    /// Creates an index on expressions.
    ///
    /// ```swift
    /// // CREATE INDEX "playerByName" ON "player" ("name" COLLATE NOCASE, "score" + "bonus")
    /// try db.create(
    ///     index: "playerByName", on: "player",
    ///     expressions: [
    ///         Column("name").collating(.nocase), Column("score") + Column("bonus"),
    ///     ])
    /// ```
    ///
    /// A query uses the index if it contains exactly the same expression.
    ///
    /// Source: <https://www.sqlite.org/expridx.html>
    ///
    /// - Parameters:
    ///   - name: the name of the index, which must be unique among the indexes and tables of the database.
    ///   - table: the name of the table.
    ///   - expressions: columns, and expressions without subqueries and without nondeterministic functions.
    ///   - options: the options of the index.
    ///   - condition: the condition of a partial index, which contains the rows where it is true; nil for all rows.
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    public func create(
        index name: String, on table: String, expressions: [any SQLExpressible], options: IndexOptions = [],
        condition: (any SQLExpressible)? = nil
    ) throws {
        let orderings = expressions.map(\.sqlExpression.sqlOrdering)
        try create(index: name, on: table, expressions: orderings as [any SQLOrderingTerm], options: options, condition: condition)
    }

    /// Creates an index on expressions with directions.
    ///
    /// ```swift
    /// // CREATE INDEX "playerByScore" ON "player" ("score" DESC, "name")
    /// try db.create(
    ///     index: "playerByScore", on: "player",
    ///     expressions: [Column("score").desc, Column("name")])
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name of the index, which must be unique among the indexes and tables of the database.
    ///   - table: the name of the table.
    ///   - expressions: columns and expressions, with their directions.
    ///   - options: the options of the index.
    ///   - condition: the condition of a partial index, which contains the rows where it is true; nil for all rows.
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    @_disfavoredOverload
    public func create(
        index name: String, on table: String, expressions: [any SQLOrderingTerm], options: IndexOptions = [],
        condition: (any SQLExpressible)? = nil
    ) throws {
        try create(index: name, on: table, terms: expressions.map { .ordering($0.sqlOrdering) }, options: options, condition: condition)
    }

    /// Creates an index on columns, with a name derived from them.
    ///
    /// ```swift
    /// // CREATE INDEX "index_player_on_teamId_score" ON "player" ("teamId", "score")
    /// try db.create(indexOn: "player", columns: ["teamId", "score"])
    /// ```
    ///
    /// ``drop(indexOn:columns:)`` drops it.
    ///
    /// - Parameters:
    ///   - table: the name of the table.
    ///   - columns: the names of the columns, in the order of the index.
    ///   - options: the options of the index.
    ///   - condition: the condition of a partial index, which contains the rows where it is true; nil for all rows.
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    public func create(
        indexOn table: String, columns: [String], options: IndexOptions = [], condition: (any SQLExpressible)? = nil
    ) throws {
        let name = try IndexDefinition.defaultName(table: TableReference(table, in: self).name, columns: columns)
        try create(index: name, on: table, columns: columns, options: options, condition: condition)
    }

    private func create(
        index name: String, on table: String, terms: [IndexDefinition.Term], options: IndexOptions, condition: (any SQLExpressible)?
    ) throws {
        // An index belongs to the database of its table.
        let table = try TableReference(table, in: self)
        let index = IndexDefinition(
            name: name, table: table.name, terms: terms, options: options, schema: table.schema, condition: condition?.sqlExpression)
        try run(definition: definitionSQL { try index.render(to: &$0) })
    }

    // MARK: - Dropping

    /// Removes an index.
    ///
    /// The SQL is `DROP INDEX "playerByEmail"`.
    ///
    /// - Parameter name: the name of an index, which may begin with the name of an attached database and a dot. The indexes of
    ///   constraints can't be removed.
    /// - Throws: ``DatabaseError``, for example when it does not exist.
    public func drop(index name: String) throws {
        try run(definition: "DROP INDEX \(indexReference(name).sql)")
    }

    /// Splits the name of an index, by the same rule as the names of tables.
    private func indexReference(_ name: String) throws -> TableReference {
        let isWholeName = try Int.fetchOne(self, sql: "SELECT 1 FROM pragma_index_info(?)", arguments: [name]) != nil
        return try isWholeName ? TableReference(schema: nil, name: name) : TableReference(name, in: self)
    }

    /// Removes the index on columns, regardless of its name. Does nothing if the table has no such index.
    ///
    /// ```swift
    /// // DROP INDEX "index_player_on_teamId_score"
    /// try db.drop(indexOn: "player", columns: ["teamId", "score"])
    /// ```
    ///
    /// - Parameters:
    ///   - table: the name of the table.
    ///   - columns: the names of all columns of the index, in its order.
    /// - Throws: ``DatabaseError`` when the table does not exist, or when it has several such indexes. Indexes of constraints are ignored,
    ///   because they can't be removed.
    public func drop(indexOn table: String, columns: [String]) throws {
        let table = try TableReference(table, in: self)
        let candidates = try indexes(on: table.name, in: table.schema).filter { index in
            index.origin == .createIndex && !index.hasExpressions && index.columns.count == columns.count
                && zip(index.columns, columns).allSatisfy { $0.isEqualIgnoringASCIICase(to: $1) }
        }
        guard let index = candidates.first else { return }
        guard candidates.count == 1 else {
            throw DatabaseError(
                resultCode: .SQLITE_ERROR,
                message: "table \(table.name) has several indexes on the columns \(columns.joined(separator: ", ")): "
                    + candidates.map(\.name).sorted().joined(separator: ", "), advice: "Drop an index by its name.")
        }
        try run(definition: "DROP INDEX \(TableReference(schema: table.schema, name: index.name).sql)")
    }

    // MARK: - Rebuilding

    /// Rebuilds all indexes that use a collation. That is necessary when the order of the collation has changed.
    ///
    /// The SQL is `REINDEX "swiftCompare"`.
    ///
    /// Source: <https://www.sqlite.org/lang_reindex.html>
    ///
    /// - Parameter collation: the name of a collation that the connection or the ``DatabaseRegistry`` has.
    /// - Throws: ``DatabaseError``, for example when the new order makes values of a unique index equal.
    public func reindex(collation: Database.CollationName) throws {
        // SQLite asks for registered collations when it compiles a comparison, but not for REINDEX.
        _ = try makeStatement(sql: "SELECT '' = '' COLLATE \(collation.sqlName)")
        try run(definition: "REINDEX \(collation.sqlName)")
    }

    /// Rebuilds all indexes that use a collation. That is necessary when the order of the collation has changed.
    ///
    /// - Parameter collation: a collation that was added to the connection.
    /// - Throws: ``DatabaseError``, for example when the new order makes values of a unique index equal.
    public func reindex(collation: DatabaseCollation) throws {
        try reindex(collation: CollationName(rawValue: collation.name))
    }
}
