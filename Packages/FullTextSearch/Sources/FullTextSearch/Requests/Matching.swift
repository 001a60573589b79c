import QueryInterface

// MARK: - Columns

extension Column {
    /// The hidden column of FTS5 tables by which matches are ordered, the best ones first: `"rank"`.
    ///
    /// ```swift
    /// // SELECT * FROM "document" WHERE "document" MATCH '"swift"' ORDER BY "rank"
    /// let documents = try Document.matching(pattern).order(Column.rank).fetchAll(db)
    /// ```
    public static var rank: Column { Column("rank") }
}

extension NamedColumn {
    /// Returns whether a pattern matches the text of the column: `"title" MATCH 'swift'`. A nil pattern matches nothing.
    public func match(_ pattern: FTS5Pattern?) -> SQLExpression { matching(pattern) }

    /// Returns whether a pattern matches the text of the column: `"title" MATCH 'swift'`. A nil pattern matches nothing.
    @_disfavoredOverload
    public func match(_ pattern: FTS3Pattern?) -> SQLExpression { matching(pattern) }

    /// Returns whether a query matches the text of the column: `"title" MATCH '"swift" OR "sqlite"'`.
    public func match(_ query: FTS5Query) -> SQLExpression { match(query.pattern) }

    private func matching(_ pattern: (any FullTextPattern)?) -> SQLExpression {
        guard let pattern else { return false.sqlExpression }
        return SQLExpression(ColumnMatchNode(column: sqlExpression, name: name, pattern: pattern), depth: SQLDepth())
    }
}

/// The operator `MATCH`.
struct MatchNode: SQLExpressionNode {
    let column: SQLExpression
    let pattern: DatabaseValue

    var precedence: SQLPrecedence { .equality }
    var levelCount: Int { 1 }

    func render(to renderer: inout SQLRenderer) throws {
        try renderer.append(column, atLeast: .comparison)
        renderer.append(" MATCH ")
        renderer.append(argument: pattern)
    }
}

/// Whether a pattern matches the text of a column of the current table.
private struct ColumnMatchNode: SQLExpressionNode {
    let column: SQLExpression
    let name: String
    let pattern: any FullTextPattern

    var precedence: SQLPrecedence { .equality }
    var levelCount: Int { 2 }

    func render(to renderer: inout SQLRenderer) throws {
        // SQLite reports a table without full-text search.
        guard let table = try? renderer.currentFTS5Table() else {
            return try MatchNode(column: column, pattern: pattern.databaseValue).render(to: &renderer)
        }
        try renderer.appendMatch(pattern, in: table, column: name) { renderer, _ in try renderer.append(column, atLeast: .comparison) }
    }
}

/// Whether a pattern matches a row, in any column. The table is a full-text table, or a full-text table is synchronized with it.
private struct RowMatchNode: SQLExpressionNode {
    let tableName: String
    let modules: Set<String>
    let pattern: any FullTextPattern

    var precedence: SQLPrecedence { .equality }
    var levelCount: Int { 2 }

    func render(to renderer: inout SQLRenderer) throws {
        if let table = try renderer.database.fullTextTable(tableName) {
            return try renderer.appendMatch(pattern, in: table) { try $0.append(Column($1).sqlExpression) }
        }
        let index = try renderer.database.fullTextIndex(of: tableName, modules: modules)
        try renderer.append(Column.rowID.sqlExpression)
        renderer.append(query: " IN (SELECT \"rowid\" FROM \(index.sql) WHERE ")
        try renderer.appendMatch(pattern, in: index) { $0.append(identifier: $1) }
        renderer.append(")")
    }
}

// MARK: - Requests

extension RequestSource where DerivedRequest: TableRequest & FilteredRequest {
    /// Keeps the rows that match a pattern, in any column. A nil pattern matches nothing.
    ///
    /// ```swift
    /// let request = Document.all().matching(FTS5Pattern(matchingAllTokensIn: "swift sqlite"))
    /// ```
    ///
    /// The SQL of `Document.all().matching(FTS5Pattern(matchingAllTokensIn: "swift"))` is
    /// `SELECT * FROM "document" WHERE "document" MATCH '"swift"'`.
    ///
    /// If the table is not a full-text table, and an FTS5 table is synchronized with it, the SQL is `SELECT * FROM "document" WHERE "rowid"
    /// IN (SELECT "rowid" FROM "main"."document_ft" WHERE "document_ft" MATCH '"swift"')`.
    public func matching(_ pattern: FTS5Pattern?) -> DerivedRequest { matching(pattern, modules: ["fts5"]) }

    /// Keeps the rows that match a pattern, in any column. A nil pattern matches nothing.
    ///
    /// The same as ``matching(_:)-(FTS5Pattern?)``, for FTS3 and FTS4 tables.
    @_disfavoredOverload
    public func matching(_ pattern: FTS3Pattern?) -> DerivedRequest { matching(pattern, modules: ["fts3", "fts4"]) }

    /// Keeps the rows that match a query: see ``FTS5Query``.
    ///
    /// ```swift
    /// let request = Document.all().matching(.phrase("full text") && !"draft")
    /// ```
    public func matching(_ query: FTS5Query) -> DerivedRequest { matching(query.pattern) }

    private func matching(_ pattern: (any FullTextPattern)?, modules: Set<String>) -> DerivedRequest {
        guard let pattern else { return none() }
        return filter(
            SQLExpression(RowMatchNode(tableName: all().databaseTableName, modules: modules, pattern: pattern), depth: SQLDepth()))
    }
}

extension TableRecord {
    /// Returns a request for the rows that match a pattern, in any column: `SELECT * FROM "document" WHERE "document" MATCH '"swift"'`.
    ///
    /// The table is an FTS5 table, or an FTS5 table is synchronized with it. A nil pattern matches nothing.
    public static func matching(_ pattern: FTS5Pattern?) -> QueryInterfaceRequest<Self> { all().matching(pattern) }

    /// Returns a request for the rows that match a pattern, in any column: `SELECT * FROM "document" WHERE "document" MATCH 'swift'`.
    ///
    /// The table is an FTS3 or FTS4 table, or such a table is synchronized with it. A nil pattern matches nothing.
    @_disfavoredOverload
    public static func matching(_ pattern: FTS3Pattern?) -> QueryInterfaceRequest<Self> { all().matching(pattern) }

    /// Returns a request for the rows that match a query: see ``FTS5Query``.
    public static func matching(_ query: FTS5Query) -> QueryInterfaceRequest<Self> { all().matching(query) }

    /// Returns an association to the row of a full-text table with the same row id.
    ///
    /// Use it to order the rows of a synchronized table by rank, or to select parts of their text:
    ///
    /// ```swift
    /// extension Document {
    ///     static let index = fullTextIndex("document_ft")
    /// }
    ///
    /// // SELECT "document".* FROM "document"
    /// // JOIN "document_ft" ON "document_ft"."rowid" = "document"."rowid"
    /// // AND "document_ft"."document_ft" MATCH '"swift"'
    /// // ORDER BY "document_ft"."rank"
    /// let documents = try Document
    ///     .joining(required: Document.index.matching(pattern).order(Column.rank))
    ///     .fetchAll(db)
    /// ```
    public static func fullTextIndex(_ tableName: String) -> HasOneAssociation<Self, Row> {
        hasOne(Table<Row>(tableName), key: tableName, using: ForeignKey(["rowid"], to: ["rowid"]))
    }
}

extension Table {
    /// Returns an association to the row of a full-text table with the same row id: see ``TableRecord/fullTextIndex(_:)``.
    public func fullTextIndex(_ tableName: String) -> HasOneAssociation<RowDecoder, Row> {
        hasOne(Table<Row>(tableName), key: tableName, using: ForeignKey(["rowid"], to: ["rowid"]))
    }
}
