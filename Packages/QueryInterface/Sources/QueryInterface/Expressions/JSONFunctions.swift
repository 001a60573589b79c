import RowDecoding

// Source: <https://www.sqlite.org/json1.html>

/// The call of a function that SQLite gives JSON of.
private func makeJSON(_ name: String, _ arguments: [SQLExpression]) -> SQLExpression {
    SQLExpression(FunctionNode(name: name, arguments: arguments, returnsJSON: true))
}

/// The arguments that stand for pairs of keys and values. A dictionary's are sorted: in any order they mean the same, and SQL that is
/// the same each time is prepared once.
private func arguments(_ elements: some Collection<(key: String, value: any SQLExpressible)>) -> [SQLExpression] {
    let sorted: [(key: String, value: any SQLExpressible)]
    if let dictionary = elements as? [String: any SQLExpressible] {
        sorted = dictionary.sorted { $0.key < $1.key }
    } else {
        sorted = Array(elements)
    }
    return sorted.flatMap { [$0.key.sqlExpression, $0.value.sqlExpression.asJSONArgument] }
}

extension Database {
    // MARK: - Making JSON

    /// The JSON of a text, without needless spaces: `json("info")`. What is no JSON fails the statement.
    public static func json(_ value: some SQLExpressible) -> SQLExpression {
        makeJSON("json", [value.sqlExpression])
    }

    /// A JSON array: `json_array("name", "score")`.
    ///
    /// - Parameter values: texts become strings, and JSON stays JSON. A blob fails the statement.
    public static func jsonArray(_ values: some Collection<some SQLExpressible>) -> SQLExpression {
        makeJSON("json_array", values.map(\.sqlExpression.asJSONArgument))
    }

    /// A JSON array of values of several types: `json_array("name", 1, 'a')`.
    ///
    /// - Parameter values: texts become strings, and JSON stays JSON. A blob fails the statement.
    public static func jsonArray(_ values: some Collection<any SQLExpressible>) -> SQLExpression {
        makeJSON("json_array", values.map(\.sqlExpression.asJSONArgument))
    }

    /// A JSON object: `json_object('name', "name", 'score', "score")`.
    ///
    /// ```swift
    /// Database.jsonObject(["name": Column("name"), "score": Column("score")])
    /// ```
    ///
    /// - Parameter elements: the members, a dictionary's in the order of their keys. Texts become strings, and JSON stays JSON.
    public static func jsonObject(_ elements: some Collection<(key: String, value: any SQLExpressible)>) -> SQLExpression {
        makeJSON("json_object", arguments(elements))
    }

    /// A value as JSON: `json_quote("name")`.
    public static func jsonQuote(_ value: some SQLExpressible) -> SQLExpression {
        makeJSON("json_quote", [value.sqlExpression.asJSONArgument])
    }

    /// The values of many rows as a JSON array, an aggregate function: `json_group_array("name")`.
    ///
    /// - Parameters:
    ///   - value: texts become strings, and JSON stays JSON.
    ///   - filter: what must be true for a row to be looked at.
    public static func jsonGroupArray(
        _ value: some SQLExpressible, filter: (any SQLSpecificExpressible)? = nil
    ) -> SQLExpression {
        aggregate("json_group_array", [value.sqlExpression.asJSONArgument], filter: filter)
    }

    /// The keys and values of many rows as a JSON object, an aggregate function: `json_group_object("name", "score")`.
    ///
    /// - Parameters:
    ///   - key: a text.
    ///   - value: texts become strings, and JSON stays JSON.
    ///   - filter: what must be true for a row to be looked at.
    public static func jsonGroupObject(
        key: some SQLExpressible, value: some SQLExpressible, filter: (any SQLSpecificExpressible)? = nil
    ) -> SQLExpression {
        aggregate("json_group_object", [key, value.sqlExpression.asJSONArgument], filter: filter)
    }

    // MARK: - Looking into JSON

    /// The number of elements of a JSON array, and 0 for other JSON: `json_array_length("info")`.
    public static func jsonArrayLength(_ value: some SQLExpressible) -> SQLExpression {
        call("json_array_length", value)
    }

    /// The number of elements of the array at a path: `json_array_length("info", '$.tags')`, or NULL without one.
    public static func jsonArrayLength(_ value: some SQLExpressible, atPath path: some SQLExpressible) -> SQLExpression {
        call("json_array_length", value, path)
    }

    /// The value at a path, as a value of SQL: `json_extract("info", '$.country')`.
    public static func jsonExtract(_ value: some SQLExpressible, atPath path: some SQLExpressible) -> SQLExpression {
        makeJSON("json_extract", [value.sqlExpression, path.sqlExpression])
    }

    /// The values at some paths, as a JSON array: `json_extract("info", '$.name', '$.country')`.
    ///
    /// - Parameters:
    ///   - value: JSON.
    ///   - paths: with one of them, the result is its value and no array, and with none it is NULL.
    public static func jsonExtract(
        _ value: some SQLExpressible, atPaths paths: some Collection<some SQLExpressible>
    ) -> SQLExpression {
        makeJSON("json_extract", [value.sqlExpression] + paths.map(\.sqlExpression))
    }

    /// Whether a text is JSON, 1 or 0: `json_valid("info")`.
    public static func jsonIsValid(_ value: some SQLExpressible) -> SQLExpression {
        call("json_valid", value)
    }

    /// The type of JSON, such as 'object': `json_type("info")`.
    public static func jsonType(_ value: some SQLExpressible) -> SQLExpression {
        call("json_type", value)
    }

    /// The type of what is at a path: `json_type("info", '$.tags')`, or NULL for nothing.
    public static func jsonType(_ value: some SQLExpressible, atPath path: some SQLExpressible) -> SQLExpression {
        call("json_type", value, path)
    }

    // MARK: - Changing JSON

    /// The JSON with values where it has none: `json_insert("info", '$.country', 'France')`.
    ///
    /// - Parameters:
    ///   - value: JSON.
    ///   - assignments: paths with their values, a dictionary's in the order of their keys. Texts become strings, and JSON stays JSON.
    public static func jsonInsert(
        _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        makeJSON("json_insert", [value.sqlExpression] + arguments(assignments))
    }

    /// The JSON with other values where it has some: `json_replace("info", '$.country', 'France')`.
    ///
    /// - Parameters:
    ///   - value: JSON.
    ///   - assignments: paths with their values, a dictionary's in the order of their keys. Texts become strings, and JSON stays JSON.
    public static func jsonReplace(
        _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        makeJSON("json_replace", [value.sqlExpression] + arguments(assignments))
    }

    /// The JSON with values, whether it has others or none: `json_set("info", '$.country', 'France')`.
    ///
    /// - Parameters:
    ///   - value: JSON.
    ///   - assignments: paths with their values, a dictionary's in the order of their keys. Texts become strings, and JSON stays JSON.
    public static func jsonSet(
        _ value: some SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        makeJSON("json_set", [value.sqlExpression] + arguments(assignments))
    }

    /// The JSON, changed by a merge patch (RFC 7396): `json_patch("info", '{"country":null}')`.
    public static func jsonPatch(_ value: some SQLExpressible, with patch: some SQLExpressible) -> SQLExpression {
        makeJSON("json_patch", [value.sqlExpression, patch.sqlExpression])
    }

    /// The JSON without what is at a path: `json_remove("info", '$.country')`.
    public static func jsonRemove(_ value: some SQLExpressible, atPath path: some SQLExpressible) -> SQLExpression {
        makeJSON("json_remove", [value.sqlExpression, path.sqlExpression])
    }

    /// The JSON without what is at some paths: `json_remove("info", '$.country', '$.age')`.
    public static func jsonRemove(
        _ value: some SQLExpressible, atPaths paths: some Collection<some SQLExpressible>
    ) -> SQLExpression {
        makeJSON("json_remove", [value.sqlExpression] + paths.map(\.sqlExpression))
    }
}
