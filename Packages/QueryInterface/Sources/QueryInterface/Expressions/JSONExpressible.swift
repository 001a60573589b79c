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
/// SQLite stores JSON as text. As an argument of the functions that build JSON, such an expression stays JSON, where another would
/// become a text of it: `json_array(json("info"))`.
///
/// The operators `->` and `->>` are in SQLite since 3.38.
///
/// Source: <https://www.sqlite.org/json1.html>
public protocol SQLJSONExpressible: SQLSpecificExpressible {}

extension SQLJSONExpressible {
    /// The value at a place, as a value of SQL: `"info" ->> 'country'`.
    ///
    /// ```swift
    /// info["country"]             // "info" ->> 'country'
    /// info["$.address.country"]   // "info" ->> '$.address.country'
    /// info[0]                     // "info" ->> 0
    /// ```
    ///
    /// A JSON object or array is the text of it, and what is missing is NULL.
    ///
    /// - Parameter path: the name of a member, the index of an element, or a path that begins with `$`.
    public subscript(_ path: some SQLExpressible) -> SQLExpression {
        SQLExpression(
            BinaryNode(
                left: sqlExpression, operation: " ->> ", right: path.sqlExpression, precedence: .concatenation))
    }

    /// The value at a path, as a value of SQL: `json_extract("info", '$.country')`.
    ///
    /// - Parameter path: a path that begins with `$`.
    public func jsonExtract(atPath path: some SQLExpressible) -> SQLExpression {
        Database.jsonExtract(self, atPath: path)
    }

    /// The values at some paths, as a JSON array: `json_extract("info", '$.name', '$.country')`.
    ///
    /// - Parameter paths: paths that begin with `$`. With one of them, the result is its value and no array.
    public func jsonExtract(atPaths paths: some Collection<some SQLExpressible>) -> SQLExpression {
        Database.jsonExtract(self, atPaths: paths)
    }

    /// The value at a place, as JSON: `"info" -> 'address'`.
    ///
    /// ```swift
    /// // "info" -> 'address' ->> 'country'
    /// info.jsonRepresentation(atPath: "address")["country"]
    /// ```
    ///
    /// - Parameter path: the name of a member, the index of an element, or a path that begins with `$`.
    public func jsonRepresentation(atPath path: some SQLExpressible) -> AnySQLJSONExpressible {
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

    /// Makes a column of a name, which need not be quoted.
    public init(_ name: String) {
        self.name = name
    }

    /// Makes a column of the name of a coding key.
    public init(_ key: some CodingKey) {
        self.init(key.stringValue)
    }

    /// The column, quoted, and qualified by its table where a query has several.
    public var sqlExpression: SQLExpression {
        SQLExpression(JSONNode(content: Column(name).sqlExpression))
    }
}

/// Any expression whose value is JSON.
public struct AnySQLJSONExpressible: SQLJSONExpressible, Sendable {
    /// The expression.
    public let sqlExpression: SQLExpression

    /// Makes one of another.
    public init(_ value: some SQLJSONExpressible) {
        sqlExpression = value.sqlExpression
    }

    /// Makes one of an expression that SQLite knows to be JSON.
    fileprivate init(known expression: SQLExpression) {
        sqlExpression = expression
    }

    /// Makes one of an expression of which SQLite may not know it.
    fileprivate init(content: SQLExpression) {
        sqlExpression = SQLExpression(JSONNode(content: content))
    }
}

extension SQLSpecificExpressible {
    /// The expression, taken for JSON.
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

/// An expression that may be a JSON text, and that functions which build JSON are not to take for a mere text.
protocol JSONTextNode: SQLExpressionNode {
    /// Whether it is.
    var isJSONText: Bool { get }
}

/// An expression that is taken for JSON.
struct JSONNode: CompositeNode, JSONTextNode {
    let content: SQLExpression
    let precedence: SQLPrecedence

    init(content: SQLExpression) {
        self.content = content
        precedence = content.precedence
    }

    var operands: [SQLExpression] { [content] }
    var levelCount: Int { 0 }

    /// What SQLite's own functions return, it knows to be JSON.
    var isJSONText: Bool { (content.node as? FunctionNode)?.returnsJSON != true }

    func render(to renderer: inout SQLRenderer) throws {
        try renderer.append(content)
    }
}

extension SQLExpression {
    /// The expression as an argument of a function that builds JSON: JSON texts become JSON.
    var asJSONArgument: SQLExpression {
        guard (node as? any JSONTextNode)?.isJSONText == true else { return self }
        return SQLExpression(FunctionNode(name: "json", arguments: [self], returnsJSON: true))
    }
}
