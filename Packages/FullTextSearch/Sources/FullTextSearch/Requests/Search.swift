import QueryInterface

/// A row that a search has found.
public struct SearchResult<Record: FetchableRecord>: FetchableRecord {
    /// The record of the row.
    public let record: Record

    /// How well the row matches. The best matches have the lowest numbers.
    public let rank: Double

    /// The part of the row's text that matches best, with its matches.
    public let snippet: HighlightedText

    /// Creates a result from a row of a ``SearchRequest``.
    public init(row: Row) throws {
        record = try Record(row: row)
        snippet = try row.decode(atIndex: row.count - 2)
        rank = try row.decode(atIndex: row.count - 1)
    }
}

extension SearchResult: Sendable where Record: Sendable {}

/// A search for the records that match what a user types: see ``TableRecord/search(_:limit:)``.
///
/// ```swift
/// let results = try Document
///     .search("swift sql")
///     .weighted(["title": 10])
///     .fetchAll(db)
/// for result in results {
///     print(result.record.title, result.snippet.marked(open: "[", close: "]"))
/// }
/// ```
public struct SearchRequest<Record: FetchableRecord & TableRecord>: FetchRequest {
    /// The type of the results.
    public typealias RowDecoder = SearchResult<Record>

    private var query: SearchQuery<Record>

    init(_ base: QueryInterfaceRequest<Record>, _ pattern: FTS5Pattern?, limit: Int?) {
        query = SearchQuery(base: base, pattern: pattern, limit: limit)
    }

    /// Limits the number of results. Replaces the previous limit.
    ///
    /// - Parameters:
    ///   - limit: the greatest number of results, or nil for all of them.
    ///   - offset: how many results to skip first.
    public func limit(_ limit: Int?, offset: Int? = nil) -> SearchRequest {
        changed(self) { ($0.query.limit, $0.query.offset) = (limit, offset) }
    }

    /// Sets the weights of columns for the order of the results. The weights of other columns are 1.
    ///
    /// ```swift
    /// let search = Document.search("swift").weighted(["title": 10])
    /// ```
    public func weighted(_ weights: [String: Double]) -> SearchRequest { changed(self) { $0.query.weights = weights } }

    /// Sets the length of the snippets.
    ///
    /// - Parameters:
    ///   - tokens: the greatest number of words, from 1 to 64.
    ///   - ellipsis: stands for omitted text.
    public func snippets(tokens: Int, ellipsis: String = "…") -> SearchRequest {
        changed(self) { ($0.query.snippetTokens, $0.query.ellipsis) = (tokens, ellipsis) }
    }

    /// Allows the search to read all rows, if the index has the tokenizer `trigram` and the text only words of fewer than three characters.
    ///
    /// ```swift
    /// let results = try Document.search("ok").allowingScan().fetchAll(db)
    /// ```
    ///
    /// The results of a scan have the rank 0, and come in the order of their row IDs. See ``FTS5Pattern/allowingScan()``.
    public func allowingScan() -> SearchRequest {
        changed(self) { $0.query.pattern = $0.query.pattern?.allowingScan() }
    }

    /// Sets the full-text table, if several are synchronized with the table of the records.
    public func using(index: String) -> SearchRequest { changed(self) { $0.query.indexName = index } }

    /// The query.
    public var sqlSubquery: SQLSubquery { query.sqlSubquery }

    /// Prepares the query.
    ///
    /// - Throws: ``DatabaseError`` when the table of the records is not an FTS5 table, and no FTS5 table is synchronized with it; and when
    ///   the index has none of the words, because its tokenizer is `trigram` and all of them have fewer than three characters: see
    ///   ``allowingScan()``.
    public func makePreparedRequest(_ db: Database, forSingleResult: Bool) throws -> PreparedRequest {
        try query.request(db).makePreparedRequest(db, forSingleResult: forSingleResult)
    }
}

/// The query of a search. It does not depend on the type of the records, so that closures that other threads call can capture it.
private struct SearchQuery<Record>: Sendable {
    let base: QueryInterfaceRequest<Record>
    var pattern: FTS5Pattern?
    var limit: Int?
    var offset: Int?
    var weights: [String: Double] = [:]
    var snippetTokens = 16
    var ellipsis = "…"
    var indexName: String?

    var sqlSubquery: SQLSubquery {
        SQLSubquery { try request($0.database).sqlSubquery.render(to: &$0) }
    }

    /// Returns the request that runs. It depends on whether the table of the records is a full-text table itself.
    func request(_ db: Database) throws -> QueryInterfaceRequest<Record> {
        guard let pattern else { return base.none() }
        let table = base.databaseTableName
        var found: QueryInterfaceRequest<Record>
        if let own = try db.fullTextTable(table), own.module == "fts5" {
            let search = try pattern.trigramSearch(in: own, db)
            found = base.matching(pattern)
            if let condition = try rankCondition(own, search, db) { found = found.filter(condition) }
            found = found.annotated(with: snippet(search).forKey("strata_snippet"), rank(search).forKey("strata_rank")).order(order(search))
        } else {
            let index = try index(of: table, db)
            let search = try pattern.trigramSearch(in: index, db)
            let alias = TableAlias()
            let name = index.schema.isEqualIgnoringASCIICase(to: "main") ? index.name : "\(index.schema).\(index.name)"
            var association = Table<Record>(table).fullTextIndex(name).matching(pattern).aliased(alias)
            if let condition = try rankCondition(index, search, db) { association = association.filter(condition) }
            found = base.joining(required: association)
                .annotated(with: alias[snippet(search)].forKey("strata_snippet"), alias[rank(search)].forKey("strata_rank"))
                .order(alias[order(search)])
        }
        if limit != nil || offset != nil { found = found.limit(limit ?? -1, offset: offset) }
        return found
    }

    // A scan has no ranks, and FTS5 does not know words that its index does not have.

    private func snippet(_ search: TrigramSearch?) -> SQLExpression {
        search?.excerpt(tokens: snippetTokens, ellipsis: ellipsis) ?? highlightedSnippet(tokens: snippetTokens, ellipsis: ellipsis)
    }

    private func rank(_ search: TrigramSearch?) -> SQLExpression {
        search?.isScan == true ? 0.0.sqlExpression : Column.rank.sqlExpression
    }

    private func order(_ search: TrigramSearch?) -> Column { search?.isScan == true ? .rowID : .rank }

    private func index(of table: String, _ db: Database) throws -> FullTextTable {
        guard let indexName else { return try db.fullTextIndex(of: table, modules: ["fts5"]) }
        if let index = try db.fullTextTable(indexName), index.module == "fts5" { return index }
        let reference = try TableReference(indexName, in: db)
        guard try db.tableExists(reference.name, in: reference.schema) || db.viewExists(reference.name, in: reference.schema) else {
            throw DatabaseError(resultCode: .SQLITE_ERROR, message: "no such table: \(indexName)")
        }
        throw DatabaseError.misuse("\(indexName) is not an FTS5 table")
    }

    /// Returns the condition by which FTS5 computes ranks with the weights. It then orders the rows itself.
    ///
    /// Source: <https://www.sqlite.org/fts5.html#sorting_by_auxiliary_function_results>
    private func rankCondition(_ table: FullTextTable, _ search: TrigramSearch?, _ db: Database) throws -> SQLExpression? {
        if weights.isEmpty { return nil }
        let values = try table.weights(weights, in: db)
        guard values.allSatisfy(\.isFinite) else { throw DatabaseError.misuse("the weights of columns must be finite numbers") }
        if search?.isScan == true { return nil }
        let function = "bm25(\(values.map { "\($0)" }.joined(separator: ", ")))"
        return SQLExpression(MatchNode(column: Column.rank.sqlExpression, pattern: function.databaseValue))
    }
}

extension TableRecord where Self: FetchableRecord {
    /// Returns a search for the records that match what a user types, the best ones first, with the parts of their text that match.
    ///
    /// ```swift
    /// let results = try Document.search("swift sql").fetchAll(db)
    /// for result in results {
    ///     print(result.record.title, result.snippet.marked(open: "[", close: "]"))
    /// }
    /// ```
    ///
    /// The records contain all words of the text. The last word may be incomplete, unless a space follows it. The table is an FTS5 table,
    /// or an FTS5 table is synchronized with it. If its tokenizer is `trigram`, a text with only words of fewer than three characters is an
    /// error: see ``SearchRequest/allowingScan()``.
    ///
    /// - Parameters:
    ///   - text: any text. A text without words finds nothing.
    ///   - limit: the greatest number of results, or nil for all of them.
    public static func search(_ text: String, limit: Int? = 20) -> SearchRequest<Self> {
        all().search(text, limit: limit)
    }

    /// Returns a search for the records that match a pattern, the best ones first, with the parts of their text that match.
    ///
    /// ```swift
    /// let results = try Document.search(FTS5Pattern(matchingPhrase: "full text")).fetchAll(db)
    /// ```
    ///
    /// - Parameters:
    ///   - pattern: a pattern; nil finds nothing.
    ///   - limit: the greatest number of results, or nil for all of them.
    public static func search(_ pattern: FTS5Pattern?, limit: Int? = 20) -> SearchRequest<Self> {
        all().search(pattern, limit: limit)
    }
}

extension QueryInterfaceRequest where RowDecoder: FetchableRecord & TableRecord {
    /// Returns a search among the rows of the request: see ``TableRecord/search(_:limit:)-(String,_)``. It replaces the order and the limit.
    public func search(_ text: String, limit: Int? = 20) -> SearchRequest<RowDecoder> {
        SearchRequest(self, FTS5Pattern(matchingTypedText: text), limit: limit)
    }

    /// Returns a search for the rows of the request that match a pattern. It replaces the order and the limit.
    public func search(_ pattern: FTS5Pattern?, limit: Int? = 20) -> SearchRequest<RowDecoder> {
        SearchRequest(self, pattern, limit: limit)
    }
}
