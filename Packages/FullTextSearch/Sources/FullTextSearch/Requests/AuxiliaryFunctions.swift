import QueryInterface

// The auxiliary functions of FTS5: https://www.sqlite.org/fts5.html#_auxiliary_functions_

/// Returns how well a row matches the pattern of the request: `bm25("document", 10.0, 1.0)`. The best matches have the lowest numbers.
///
/// ```swift
/// // SELECT * FROM "document" WHERE "document" MATCH '"swift"'
/// // ORDER BY bm25("document", 10.0, 1.0)
/// Document.matching(pattern).order(bm25(10, 1))
/// ```
///
/// - Parameter weights: the weights of the columns, in their order. The weights of other columns are 1. Without weights, `bm25` is the same
///   as ``Column/rank``, which is faster.
public func bm25(_ weights: Double...) -> SQLExpression {
    SQLExpression(AuxiliaryFunctionNode(function: .bm25(weights.map(\.databaseValue))), depth: SQLDepth())
}

/// Returns how well a row matches the pattern of the request, with weights for some columns: `bm25("document", 10.0, 1.0)`.
///
/// - Parameter weights: the weights of columns, by their names. The weights of other columns are 1.
public func bm25(weights: [String: Double]) -> SQLExpression {
    SQLExpression(AuxiliaryFunctionNode(function: .columnWeights(weights)), depth: SQLDepth())
}

/// Returns the part of the row's text that matches the pattern of the request best: `snippet("document", -1, '<b>', '</b>', '…', 16)`.
///
/// ```swift
/// Document.matching(pattern)
///     .select(snippet(open: "<b>", close: "</b>"), as: String.self)
/// ```
///
/// The text is not escaped: to show it as HTML, use ``highlightedSnippet(tokens:ellipsis:)`` instead.
///
/// - Parameters:
///   - tokens: the greatest number of words, from 1 to 64.
///   - open: the mark before each match.
///   - close: the mark after each match.
///   - ellipsis: stands for omitted text.
public func snippet(tokens: Int = 16, open: String = "", close: String = "", ellipsis: String = "…") -> SQLExpression {
    SQLExpression(AuxiliaryFunctionNode(function: .snippet(column: nil, tokens, (open, close), ellipsis)), depth: SQLDepth())
}

/// Returns the part of the row's text that matches the pattern of the request best, as a ``HighlightedText``.
///
/// - Parameters:
///   - tokens: the greatest number of words, from 1 to 64.
///   - ellipsis: stands for omitted text.
public func highlightedSnippet(tokens: Int = 16, ellipsis: String = "…") -> SQLExpression {
    SQLExpression(AuxiliaryFunctionNode(function: .snippet(column: nil, tokens, nil, ellipsis)), depth: SQLDepth())
}

extension NamedColumn {
    /// Returns the part of the column's text that matches the pattern of the request best:
    /// `snippet("document", 1, '<b>', '</b>', '…', 16)`.
    ///
    /// The text is not escaped: to show it as HTML, use ``highlightedSnippet(tokens:ellipsis:)`` instead.
    ///
    /// - Parameters:
    ///   - tokens: the greatest number of words, from 1 to 64.
    ///   - open: the mark before each match.
    ///   - close: the mark after each match.
    ///   - ellipsis: stands for omitted text.
    public func snippet(tokens: Int = 16, open: String = "", close: String = "", ellipsis: String = "…") -> SQLExpression {
        SQLExpression(AuxiliaryFunctionNode(function: .snippet(column: name, tokens, (open, close), ellipsis)), depth: SQLDepth())
    }

    /// Returns the part of the column's text that matches the pattern of the request best, as a ``HighlightedText``.
    ///
    /// - Parameters:
    ///   - tokens: the greatest number of words, from 1 to 64.
    ///   - ellipsis: stands for omitted text.
    public func highlightedSnippet(tokens: Int = 16, ellipsis: String = "…") -> SQLExpression {
        SQLExpression(AuxiliaryFunctionNode(function: .snippet(column: name, tokens, nil, ellipsis)), depth: SQLDepth())
    }

    /// Returns the column's text with marks around the matches of the request's pattern: `highlight("document", 1, '<b>', '</b>')`.
    ///
    /// The text is not escaped: to show it as HTML, use ``highlighted`` instead.
    ///
    /// - Parameters:
    ///   - open: the mark before each match.
    ///   - close: the mark after each match.
    public func highlight(open: String, close: String) -> SQLExpression {
        SQLExpression(AuxiliaryFunctionNode(function: .highlight(column: name, (open, close))), depth: SQLDepth())
    }

    /// The column's text with the ranges of the matches of the request's pattern, as a ``HighlightedText``.
    ///
    /// ```swift
    /// let titles = try Document.matching(pattern)
    ///     .select(Column("title").highlighted, as: HighlightedText.self)
    ///     .fetchAll(db)
    /// ```
    public var highlighted: SQLExpression {
        SQLExpression(AuxiliaryFunctionNode(function: .highlight(column: name, nil)), depth: SQLDepth())
    }
}

/// The strings before and after each match.
private typealias Marks = (open: String, close: String)

/// A call of an auxiliary function of FTS5.
private struct AuxiliaryFunctionNode: SQLExpressionNode {
    enum Function: Sendable {
        case bm25([DatabaseValue])
        case columnWeights([String: Double])
        // Without marks, the result is a ``HighlightedText``.
        case snippet(column: String?, _ tokens: Int, _ marks: Marks?, _ ellipsis: String)
        case highlight(column: String, _ marks: Marks?)
    }

    let function: Function

    var levelCount: Int { 1 }

    func render(to renderer: inout SQLRenderer) throws {
        let table = try renderer.currentFTS5Table()
        switch function {
        case .bm25(let weights): try call("bm25", table, weights, to: &renderer)
        case .columnWeights(let weights):
            let values = try table.weights(weights, in: renderer.database)
            try call("bm25", table, values.map(\.databaseValue), to: &renderer)
        case .snippet(let column, let tokens, let marks, let ellipsis):
            try checkSnippetLength(tokens)
            let index = try column.map { try table.index(of: $0, in: renderer.database) } ?? -1
            try call(
                "snippet", table, [index.databaseValue], marks, [ellipsis.databaseValue, tokens.databaseValue], to: &renderer)
        case .highlight(let column, let marks):
            let index = try table.index(of: column, in: renderer.database)
            try call("highlight", table, [index.databaseValue], marks, [], to: &renderer)
        }
    }

    private func call(_ name: String, _ table: FullTextTable, _ arguments: [DatabaseValue], to renderer: inout SQLRenderer) throws {
        renderer.append(name + "(")
        // The hidden column with the name of the table: FTS5 finds the cursor of the query by it.
        try renderer.append(Column(table.name).sqlExpression)
        renderer.append(further: arguments)
        renderer.append(")")
    }

    private func call(
        _ name: String, _ table: FullTextTable, _ first: [DatabaseValue], _ marks: Marks?, _ last: [DatabaseValue],
        to renderer: inout SQLRenderer
    ) throws {
        if let marks {
            return try call(name, table, first + [marks.open.databaseValue, marks.close.databaseValue] + last, to: &renderer)
        }
        renderer.append("CAST(\(name)(")
        try renderer.append(Column(table.name).sqlExpression)
        renderer.append(further: first)
        // Bytes that never occur in UTF-8.
        renderer.append(", CAST(x'FE' AS TEXT), CAST(x'FF' AS TEXT)")
        renderer.append(further: last)
        renderer.append(") AS BLOB)")
    }
}

extension SQLRenderer {
    /// Appends arguments of a function after its first one.
    fileprivate mutating func append(further arguments: [DatabaseValue]) {
        for argument in arguments {
            append(", ")
            append(argument: argument)
        }
    }
}

/// Throws if FTS5 can't make a snippet of a number of tokens.
func checkSnippetLength(_ tokens: Int) throws {
    guard (1...64).contains(tokens) else { throw DatabaseError.misuse("a snippet has 1 to 64 tokens, not \(tokens)") }
}

extension FullTextTable {
    /// Returns the index of a column.
    func index(of column: String, in db: Database) throws -> Int {
        if let index = try db.columns(in: name, in: schema).firstIndex(where: { $0.name.isEqualIgnoringASCIICase(to: column) }) {
            return index
        }
        throw DatabaseError(message: "the full-text table \(name) has no column \(column)")
    }

    /// Returns the weights of all columns.
    func weights(_ weights: [String: Double], in db: Database) throws -> [Double] {
        var values = try db.columns(in: name, in: schema).map { _ in 1.0 }
        for (column, weight) in weights { values[try index(of: column, in: db)] = weight }
        return values
    }
}

extension SQLRenderer {
    /// Returns the FTS5 table to which unqualified columns belong.
    func currentFTS5Table() throws -> FullTextTable {
        for name in [scope.table?.databaseTableName, scope.table?.name] {
            if let name, let table = try database.fullTextTable(name), table.module == "fts5" { return table }
        }
        throw DatabaseError.misuse(
            "\(scope.table?.name ?? "the table") is not an FTS5 table: bm25, snippet and highlight "
                + "apply to the table that a pattern matches",
            advice: "In a request with several tables, qualify them with an alias of that table, created without a name.")
    }
}
