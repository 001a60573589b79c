import QueryInterface

/// A query of FTS5, built with operators.
///
/// ```swift
/// // ("swift" OR "c"*) AND {"title"} : "full text" NOT "draft"
/// let query =
///     ("swift" || .prefix("c")) && FTS5Query.phrase("full text").in(Column("title"))
///     && !"draft"
/// let documents = try Document.matching(query).fetchAll(db)
/// ```
///
/// The strings in a query are always taken literally. A string with several words is a phrase: the words must follow one another. A string
/// without words matches nothing.
///
/// Source: <https://www.sqlite.org/fts5.html#full_text_query_syntax>
public struct FTS5Query: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The precedence of the outermost operator: the lowest first.
    private enum Precedence: Comparable {
        case or, and, not, filter, phrase
    }

    private let text: String
    private let precedence: Precedence

    private init(_ text: String, _ precedence: Precedence) {
        self.text = text
        self.precedence = precedence
    }

    /// Creates a query for a word or a phrase: `"full text"`.
    public init(stringLiteral value: String) {
        self = .phrase(value)
    }

    /// The query as a pattern.
    public var pattern: FTS5Pattern { FTS5Pattern(unchecked: text) }

    // MARK: Phrases

    /// Returns a query for a word or a phrase: `"full text"`.
    public static func phrase(_ text: String) -> FTS5Query { FTS5Query(text.fts5Phrase, .phrase) }

    /// Returns a query for words that begin with a text. If the text has several words, the last one is the prefix: `"full te"*`.
    public static func prefix(_ text: String) -> FTS5Query { FTS5Query(text.fts5Phrase + " *", .phrase) }

    /// Returns a query for a word or a phrase at the beginning of a column: `^"full text"`.
    public static func first(_ text: String) -> FTS5Query { FTS5Query("^ " + text.fts5Phrase, .phrase) }

    /// Returns a query for words or phrases near each other: `NEAR("swift" "sqlite", 5)`.
    ///
    /// - Parameters:
    ///   - phrases: words or phrases.
    ///   - distance: the greatest number of words between the end of the first one and the beginning of the last one.
    public static func near(_ phrases: String..., within distance: Int = 10) -> FTS5Query {
        near(phrases, within: distance)
    }

    /// Returns a query for words or phrases near each other: `NEAR("swift" "sqlite", 5)`. Without phrases, it matches nothing.
    public static func near(_ phrases: [String], within distance: Int = 10) -> FTS5Query {
        if phrases.isEmpty { return .phrase("") }
        let list = phrases.map(\.fts5Phrase).joined(separator: " ")
        return FTS5Query("NEAR(\(list), \(max(0, distance)))", .phrase)
    }

    // MARK: Operators

    // The operators with two operands are disfavored, as a query may be a literal text: otherwise, the compiler would try them for each AND
    // and OR of a condition on columns that contains a mistake.

    /// Returns a query for rows that match both queries: `"swift" AND "sqlite"`.
    @_disfavoredOverload
    public static func && (lhs: FTS5Query, rhs: FTS5Query) -> FTS5Query {
        FTS5Query("\(lhs.operand(.and)) AND \(rhs.operand(.and))", .and)
    }

    /// Returns a query for rows that match at least one of the queries: `"swift" OR "sqlite"`.
    @_disfavoredOverload
    public static func || (lhs: FTS5Query, rhs: FTS5Query) -> FTS5Query {
        FTS5Query("\(lhs.operand(.or)) OR \(rhs.operand(.or))", .or)
    }

    /// Negates a query, for use on the right side of `&&`: FTS5 can't search for rows that do not match.
    public static prefix func ! (query: FTS5Query) -> FTS5Exclusion { FTS5Exclusion(query: query) }

    /// Returns a query for rows that match the first query and not the second one: `"swift" NOT "draft"`.
    @_disfavoredOverload
    public static func && (lhs: FTS5Query, rhs: FTS5Exclusion) -> FTS5Query { lhs.excluding(rhs.query) }

    /// Returns a query for rows that match this query and not another query: `"swift" NOT "draft"`.
    public func excluding(_ other: FTS5Query) -> FTS5Query {
        FTS5Query("\(operand(.not)) NOT \(other.operand(.filter))", .not)
    }

    /// Returns a query for rows that match all queries of an array. An empty array matches nothing.
    public static func all(_ queries: [FTS5Query]) -> FTS5Query { combination(queries, " AND ", .and) }

    /// Returns a query for rows that match at least one query of an array. An empty array matches nothing.
    public static func any(_ queries: [FTS5Query]) -> FTS5Query { combination(queries, " OR ", .or) }

    private static func combination(_ queries: [FTS5Query], _ separator: String, _ precedence: Precedence) -> FTS5Query {
        switch queries.count {
        case 0: .phrase("")
        case 1: queries[0]
        default: FTS5Query(queries.map { $0.operand(precedence) }.joined(separator: separator), precedence)
        }
    }

    // MARK: Columns

    /// Restricts the query to some columns: `{"title" "body"} : "swift"`. Without columns, it matches nothing.
    public func `in`(_ columns: any NamedColumn...) -> FTS5Query { filtered(columns, prefix: "") }

    /// Restricts the query to all but some columns: `- {"notes"} : "swift"`.
    public func outside(_ columns: any NamedColumn...) -> FTS5Query {
        columns.isEmpty ? self : filtered(columns, prefix: "- ")
    }

    private func filtered(_ columns: [any NamedColumn], prefix: String) -> FTS5Query {
        if columns.isEmpty { return .phrase("") }
        return FTS5Query(
            "\(prefix){\(columns.map { $0.name.fts5Phrase }.joined(separator: " "))} : \(operand(.phrase))", .filter)
    }

    private func operand(_ lowest: Precedence) -> String { precedence < lowest ? "(\(text))" : text }
}

/// A negated query: see ``FTS5Query/!(_:)``.
public struct FTS5Exclusion: Hashable, Sendable {
    let query: FTS5Query
}
