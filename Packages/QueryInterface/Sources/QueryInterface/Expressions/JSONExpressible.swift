import RowDecoding

/// An expression whose value is JSON.
///
/// ```swift
/// let info = JSONColumn("info")
///
/// // SELECT * FROM "player" WHERE "info" ->> 'country' = 'France'
/// Player.filter(info["country"] == "France")
/// ```
///
/// SQLite stores JSON as text. When functions that build JSON get a JSON expression, they keep its structure, and don't make a string of
/// it: `json_array(json("info"))`.
///
/// The operators `->` and `->>` require SQLite 3.38.
///
/// Source: <https://www.sqlite.org/json1.html>
public protocol SQLJSONExpressible: SQLSpecificExpressible {}

extension SQLJSONExpressible {
    /// Returns the SQL value at a path: `"info" ->> 'country'`.
    ///
    /// ```swift
    /// info["country"]             // "info" ->> 'country'
    /// info["$.address.country"]   // "info" ->> '$.address.country'
    /// info[0]                     // "info" ->> 0
    /// ```
    ///
    /// The value of a JSON object or array is its text. If nothing is at the path, the value is NULL.
    ///
    /// - Parameter path: the name of a member, the index of an element, or a path that begins with `$`.
    public subscript(_ path: any SQLExpressible) -> SQLExpression {
        SQLExpression(
            BinaryNode(
                left: sqlExpression, operation: " ->> ", right: path.sqlExpression, precedence: .concatenation))
    }

    /// Returns the SQL value at a path: `json_extract("info", '$.country')`.
    ///
    /// - Parameter path: a path that begins with `$`.
    public func jsonExtract(atPath path: any SQLExpressible) -> SQLExpression {
        Database.jsonExtract(self, atPath: path)
    }

    /// Returns a JSON array of the values at some paths: `json_extract("info", '$.name', '$.country')`.
    ///
    /// - Parameter paths: paths that begin with `$`. For a single path, the result is the SQL value at that path, not an array.
    public func jsonExtract(atPaths paths: some Collection<some SQLExpressible>) -> SQLExpression {
        Database.jsonExtract(self, atPaths: paths)
    }

    /// Returns the JSON at a path: `"info" -> 'address'`.
    ///
    /// ```swift
    /// // "info" -> 'address' ->> 'country'
    /// info.jsonRepresentation(atPath: "address")["country"]
    /// ```
    ///
    /// - Parameter path: the name of a member, the index of an element, or a path that begins with `$`.
    public func jsonRepresentation(atPath path: any SQLExpressible) -> AnySQLJSONExpressible {
        AnySQLJSONExpressible(
            known: SQLExpression(
                BinaryNode(left: sqlExpression, operation: " -> ", right: path.sqlExpression, precedence: .concatenation)))
    }
}

/// A column that holds JSON.
///
/// ```swift
/// enum Columns {
///     static let info = JSONColumn("info")
/// }
/// ```
public struct JSONColumn: ColumnExpression, SQLJSONExpressible, Sendable {
    /// The name of the column.
    public let name: String

    /// Creates a column with a name, without quotes.
    public init(_ name: String) {
        self.name = name
    }

    /// Creates a column with the name of a coding key.
    public init(_ key: some CodingKey) {
        self.init(key.stringValue)
    }

    /// The column's quoted name, qualified with its table if the query has several.
    public var sqlExpression: SQLExpression {
        SQLExpression(JSONNode(content: Column(name).sqlExpression))
    }
}

/// A type-erased JSON expression.
public struct AnySQLJSONExpressible: SQLJSONExpressible, Sendable {
    /// The expression.
    public let sqlExpression: SQLExpression

    /// Wraps a JSON expression.
    public init(_ value: some SQLJSONExpressible) {
        sqlExpression = value.sqlExpression
    }

    /// Wraps a JSON expression, or one that SQLite recognizes as JSON.
    init(known expression: SQLExpression) {
        sqlExpression = expression
    }

    /// Wraps an expression that SQLite may not recognize as JSON.
    fileprivate init(content: SQLExpression) {
        sqlExpression = SQLExpression(JSONNode(content: content))
    }
}

extension SQLOperand {
    /// The expression, interpreted as JSON.
    ///
    /// ```swift
    /// // "info" ->> 'country'
    /// Column("info").asJSON["country"]
    /// ```
    public var asJSON: AnySQLJSONExpressible {
        AnySQLJSONExpressible(content: sqlExpression)
    }
}

// MARK: - Nodes

/// An expression that may be a JSON text. Functions that build JSON must parse it, so that it does not become a string.
protocol JSONTextNode: SQLExpressionNode {
    /// Whether the expression is a JSON text.
    var isJSONText: Bool { get }
}

/// An expression that is interpreted as JSON.
struct JSONNode: CompositeNode, JSONTextNode {
    let content: SQLExpression
    let precedence: SQLPrecedence

    init(content: SQLExpression) {
        self.content = content
        precedence = content.precedence
    }

    var operands: [SQLExpression] { [content] }
    var levelCount: Int { 0 }

    /// SQLite recognizes the results of its own functions as JSON.
    var isJSONText: Bool { (content.node as? FunctionNode)?.returnsJSON != true }

    func render(to renderer: inout SQLRenderer) throws {
        try renderer.append(content)
    }
}

extension SQLExpression {
    /// The expression as an argument of a function that builds JSON: JSON texts are parsed by `json`.
    var asJSONArgument: SQLExpression {
        guard (node as? any JSONTextNode)?.isJSONText == true else { return self }
        return SQLExpression(FunctionNode(name: "json", arguments: [self], returnsJSON: true))
    }
}
