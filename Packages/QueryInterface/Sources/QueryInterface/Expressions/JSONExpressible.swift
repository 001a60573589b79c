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
/// SQLite stores JSON as text. When functions that build JSON get a JSON expression, they keep its structure, and don't turn it into a
/// string: `json_array(json("info"))`.
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
        .binary(self, .jsonValue, path)
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

    /// Returns whether a JSON array contains a value: `'swift' IN (SELECT "value" FROM json_each("tags"))`.
    ///
    /// ```swift
    /// // SELECT * FROM "player"
    /// // WHERE 'swift' IN (SELECT "value" FROM json_each("player"."tags"))
    /// Player.filter(JSONColumn("tags").contains("swift"))
    /// ```
    ///
    /// It is the values of an object that count, and the value itself if it is neither an array nor an object. `true` and `false` are 1 and 0.
    /// SQLite reads the JSON of all rows: an index does not help.
    ///
    /// - Parameter value: a value, or a column.
    public func contains(_ value: any SQLExpressible) -> SQLExpression {
        SQLExpression(JSONMembership(array: sqlExpression, element: value.sqlExpression))
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
            known: .binary(self, .json, path))
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
    private let column: Column

    /// The name of the column.
    public var name: String { column.name }

    /// Creates a column with a name, without quotes.
    public init(_ name: String) {
        column = Column(name)
    }

    /// Creates a column with the name of a coding key.
    public init(_ key: some CodingKey) {
        column = Column(key)
    }

    /// Creates a column that knows its table: see ``TypedColumn/init(_:of:)-(String,_)``.
    ///
    /// - Parameters:
    ///   - name: the name of the column, without quotes.
    ///   - record: the record type whose table has the column.
    public init(_ name: String, of record: any TableRecord.Type) {
        column = Column(name, of: record)
    }

    /// Creates a column that knows its table, with the name of a coding key: see ``TypedColumn/init(_:of:)-(String,_)``.
    ///
    /// - Parameters:
    ///   - key: the coding key.
    ///   - record: the record type whose table has the column.
    public init(_ key: some CodingKey, of record: any TableRecord.Type) {
        column = Column(key, of: record)
    }

    /// The column's quoted name, qualified with its table if the query has several.
    public var sqlExpression: SQLExpression { SQLExpression(.json(column.sqlExpression)) }
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
}

extension SQLOperand {
    /// The expression, interpreted as JSON.
    ///
    /// ```swift
    /// // "info" ->> 'country'
    /// Column("info").asJSON["country"]
    /// ```
    public var asJSON: AnySQLJSONExpressible {
        AnySQLJSONExpressible(known: SQLExpression(.json(sqlExpression)))
    }
}

extension SQLExpression {
    /// The expression as the argument of a function that makes JSON: SQLite takes it for a string, unless `json` marks it as JSON.
    var asJSONArgument: SQLExpression {
        isJSONText ? .call("json", [self], returnsJSON: true) : self
    }
}

/// The condition that a JSON array contains a value.
private struct JSONMembership: SQLExpressionNode {
    let array: SQLExpression
    let element: SQLExpression

    var precedence: SQLPrecedence { .equality }

    func render(to renderer: inout SQLRenderer) throws {
        try renderer.append(element, atLeast: .comparison)
        renderer.append(query: " IN (SELECT \"value\" FROM json_each(")
        // The columns of `json_each`, such as "value" and "id", would hide columns of the outer query.
        if let table = renderer.scope.table {
            try renderer.append(TableAlias<Void>(table: table)[array])
        } else {
            try renderer.append(array)
        }
        renderer.append("))")
    }
}
