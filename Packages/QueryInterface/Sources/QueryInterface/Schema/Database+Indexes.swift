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
    ///   - name: the name of the index, which no other index and no table of the database has.
    ///   - table: the name of the table.
    ///   - columns: the names of the columns, the first of which orders the index.
    ///   - options: how the index is created.
    ///   - condition: an expression that is true for the rows which are in the index; nil for all rows. It has no subqueries, and no
    ///     functions that don't always give the same.
    /// - Throws: ``DatabaseError``, among others when rows have the same values and the index is to be unique; the error of a value
    ///   that can't be stored.
    public func create(
        index name: String, on table: String, columns: [String], options: IndexOptions = [],
        condition: (any SQLExpressible)? = nil
    ) throws {
        try create(index: name, on: table, terms: columns.map { .column($0) }, options: options, condition: condition)
    }

    /// Creates an index on columns: ``create(index:on:columns:options:condition:)`` with a parameter for each option.
    ///
    /// - Parameters:
    ///   - name: the name of the index.
    ///   - table: the name of the table.
    ///   - columns: the names of the columns.
    ///   - unique: whether no two rows can have the same values.
    ///   - ifNotExists: whether an index of this name stays as it is.
    ///   - condition: an expression that is true for the rows which are in the index; nil for all rows.
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
    ///     expressions: [Column("name").collating(.nocase), Column("score") + Column("bonus")])
    /// ```
    ///
    /// A query uses the index where it has the very same expression.
    ///
    /// Source: <https://www.sqlite.org/expridx.html>
    ///
    /// - Parameters:
    ///   - name: the name of the index, which no other index and no table of the database has.
    ///   - table: the name of the table.
    ///   - expressions: columns, and expressions without subqueries and without functions that don't always give the same.
    ///   - options: how the index is created.
    ///   - condition: an expression that is true for the rows which are in the index; nil for all rows.
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    public func create(
        index name: String, on table: String, expressions: [any SQLExpressible], options: IndexOptions = [],
        condition: (any SQLExpressible)? = nil
    ) throws {
        let orderings = expressions.map(\.sqlExpression.sqlOrdering)
        try create(index: name, on: table, expressions: orderings as [any SQLOrderingTerm], options: options, condition: condition)
    }

    /// Creates an index on expressions, some of them in descending order.
    ///
    /// ```swift
    /// // CREATE INDEX "playerByScore" ON "player" ("score" DESC, "name")
    /// try db.create(index: "playerByScore", on: "player", expressions: [Column("score").desc, Column("name")])
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name of the index, which no other index and no table of the database has.
    ///   - table: the name of the table.
    ///   - expressions: columns and expressions, with their order.
    ///   - options: how the index is created.
    ///   - condition: an expression that is true for the rows which are in the index; nil for all rows.
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    @_disfavoredOverload
    public func create(
        index name: String, on table: String, expressions: [any SQLOrderingTerm], options: IndexOptions = [],
        condition: (any SQLExpressible)? = nil
    ) throws {
        try create(index: name, on: table, terms: expressions.map { .ordering($0.sqlOrdering) }, options: options, condition: condition)
    }

    /// Creates an index on columns, with a name that follows from them.
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
    ///   - columns: the names of the columns, the first of which orders the index.
    ///   - options: how the index is created.
    ///   - condition: an expression that is true for the rows which are in the index; nil for all rows.
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
        // An index is in the database of its table.
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
    /// - Parameter name: the name of an index, other than that of a constraint. It may begin with the name of an attached database
    ///   and a dot.
    /// - Throws: ``DatabaseError``, among others when there is none.
    public func drop(index name: String) throws {
        try run(definition: "DROP INDEX \(indexReference(name).sql)")
    }

    /// Tells the name of an index apart, by the rule for tables.
    private func indexReference(_ name: String) throws -> TableReference {
        let isWholeName = try Int.fetchOne(self, sql: "SELECT 1 FROM pragma_index_info(?)", arguments: [name]) != nil
        return try isWholeName ? TableReference(schema: nil, name: name) : TableReference(name, in: self)
    }

    /// Removes the index on some columns, whatever its name.
    ///
    /// ```swift
    /// // DROP INDEX "index_player_on_teamId_score"
    /// try db.drop(indexOn: "player", columns: ["teamId", "score"])
    /// ```
    ///
    /// - Parameters:
    ///   - table: the name of the table.
    ///   - columns: the names of all columns of the index, in its order.
    /// - Throws: ``DatabaseError`` when there is no such table, no such index, or more than one. The indexes of constraints don't count,
    ///   as they can't be dropped.
    public func drop(indexOn table: String, columns: [String]) throws {
        let table = try TableReference(table, in: self)
        let candidates = try indexes(on: table.name, in: table.schema).filter { index in
            index.origin == .createIndex && !index.hasExpressions && index.columns.count == columns.count
                && zip(index.columns, columns).allSatisfy { $0.isEqualIgnoringASCIICase(to: $1) }
        }
        guard let index = candidates.first, candidates.count == 1 else {
            let place = "on table \(table.name) and the columns \(columns.joined(separator: ", "))"
            throw DatabaseError(
                resultCode: .SQLITE_ERROR,
                message: candidates.isEmpty
                    ? "no such index: there is none \(place)"
                    : "several indexes are \(place): \(candidates.map(\.name).sorted().joined(separator: ", ")). Drop one by its name")
        }
        try run(definition: "DROP INDEX \(TableReference(schema: table.schema, name: index.name).sql)")
    }

    // MARK: - Building again

    /// Builds all indexes again that use a collation, as they must be when it orders texts in another way than before.
    ///
    /// The SQL is `REINDEX "swiftCompare"`.
    ///
    /// Source: <https://www.sqlite.org/lang_reindex.html>
    ///
    /// - Parameter collation: the name of a collation that the connection knows.
    /// - Throws: ``DatabaseError``, among others when unique values are not unique in the new order.
    public func reindex(collation: Database.CollationName) throws {
        try run(definition: "REINDEX \(collation.sqlName)")
    }

    /// Builds all indexes again that use a collation, as they must be when it orders texts in another way than before.
    ///
    /// - Parameter collation: a collation that was added to the connection.
    /// - Throws: ``DatabaseError``, among others when unique values are not unique in the new order.
    public func reindex(collation: DatabaseCollation) throws {
        try reindex(collation: CollationName(rawValue: collation.name))
    }
}
