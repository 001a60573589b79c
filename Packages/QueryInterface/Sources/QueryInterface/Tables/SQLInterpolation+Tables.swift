import RowDecoding

extension SQLInterpolation {
    /// Adds the name of a record type's table, quoted: `\(Player.self)` is `"player"`.
    public mutating func appendInterpolation(_ type: any TableRecord.Type) {
        append(table: type.databaseTableName)
    }

    /// Adds the name of a record's table, quoted: `\(tableOf: player)` is `"player"`.
    public mutating func appendInterpolation(tableOf record: any TableRecord) {
        append(table: type(of: record).databaseTableName)
    }

    /// Adds the name of a table, quoted: `\(Table("player"))` is `"player"`.
    public mutating func appendInterpolation<RowDecoder>(_ table: Table<RowDecoder>) {
        append(table: table.tableName)
    }

    private mutating func append(table name: String) {
        appendInterpolation(SQL(rendering: { $0.append(try TableReference(name, in: $0.database).sql) }))
    }

    /// Adds the name that the request gives to the table of an alias, quoted: `\(alias).score` is `"p".score`.
    ///
    /// The SQL must be part of a request that uses the alias, unless the alias was created with a name.
    public mutating func appendInterpolation(_ alias: TableAliasBase) {
        appendInterpolation(SQL { try $0.append(identifier: $0.table(of: alias).name) })
    }

    /// Adds the selection of a record type, qualified with the name of the table.
    ///
    /// ```swift
    /// // SELECT "p".* FROM player p
    /// let request: SQLRequest<Player> =
    ///     "SELECT \(columnsOf: Player.self, tableAlias: "p") FROM player p"
    /// ```
    ///
    /// - Parameters:
    ///   - type: the record type.
    ///   - alias: the name that the query gives to the table; by default the table's name.
    public mutating func appendInterpolation<Record: TableRecord>(columnsOf type: Record.Type, tableAlias alias: String? = nil) {
        let relation = Record.all().relation
        appendInterpolation(
            SQL(depth: relation.expressionDepth) { renderer in
                let table = try ResolvedTable(relation, db: renderer.database)
                if let alias { table.name = alias }
                try renderer.append(in: renderer.scope.qualified(by: table)) { renderer in
                    try renderer.append(relation.selection.resolve(renderer.database), separator: ", ") { try $0.append($1) }
                }
            })
    }

    /// Adds the name of a common table expression, quoted: `SELECT * FROM \(best)`.
    public mutating func appendInterpolation<RowDecoder>(_ expression: CommonTableExpression<RowDecoder>) {
        appendInterpolation(identifier: expression.tableName)
    }

    /// Adds the definition of a common table expression, for a WITH clause.
    ///
    /// ```swift
    /// // WITH "best" AS (SELECT * FROM "player" WHERE "score" > 1000) SELECT * FROM "best"
    /// let query: SQL = "WITH \(definitionFor: best) SELECT * FROM \(best)"
    /// ```
    ///
    /// A recursive expression needs `WITH RECURSIVE`.
    public mutating func appendInterpolation<RowDecoder>(definitionFor expression: CommonTableExpression<RowDecoder>) {
        let table = expression.table
        appendInterpolation(SQL(depth: table.query.depth) { try table.render(to: &$0) })
    }
}
