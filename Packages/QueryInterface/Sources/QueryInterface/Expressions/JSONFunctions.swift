import RowDecoding

// Source: <https://www.sqlite.org/json1.html>

/// Returns a call of a function whose result SQLite recognizes as JSON.
private func makeJSON(_ name: String, _ arguments: [SQLExpression]) -> SQLExpression {
    .call(name, arguments, returnsJSON: true)
}

/// Returns function arguments for pairs of keys and values. The pairs of a dictionary are sorted by key: their order has no meaning, and
/// SQL that is always the same is prepared only once.
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

    /// Parses and minifies JSON: `json("info")`. The statement fails if the string is not JSON.
    public static func json(_ value: any SQLExpressible) -> SQLExpression {
        makeJSON("json", [value.sqlExpression])
    }

    /// Returns a JSON array of values: `json_array("name", "score")`.
    ///
    /// - Parameter values: strings become JSON strings, and JSON stays JSON. The statement fails for a blob.
    public static func jsonArray(_ values: some Collection<some SQLExpressible>) -> SQLExpression {
        makeJSON("json_array", values.map(\.sqlExpression.asJSONArgument))
    }

    /// Returns a JSON array of values of several types: `json_array("name", 1, 'a')`.
    ///
    /// - Parameter values: strings become JSON strings, and JSON stays JSON. The statement fails for a blob.
    public static func jsonArray(_ values: some Collection<any SQLExpressible>) -> SQLExpression {
        makeJSON("json_array", values.map(\.sqlExpression.asJSONArgument))
    }

    /// Returns a JSON object: `json_object('name', "name", 'score', "score")`.
    ///
    /// ```swift
    /// Database.jsonObject(["name": Column("name"), "score": Column("score")])
    /// ```
    ///
    /// - Parameter elements: the members, in the order of the keys for a dictionary. Strings become JSON strings, and JSON stays JSON.
    public static func jsonObject(_ elements: some Collection<(key: String, value: any SQLExpressible)>) -> SQLExpression {
        makeJSON("json_object", arguments(elements))
    }

    /// Converts a value to JSON: `json_quote("name")`.
    public static func jsonQuote(_ value: any SQLExpressible) -> SQLExpression {
        makeJSON("json_quote", [value.sqlExpression.asJSONArgument])
    }

    /// Aggregates the values of many rows into a JSON array: `json_group_array("name")`.
    ///
    /// - Parameters:
    ///   - value: strings become JSON strings, and JSON stays JSON.
    ///   - filter: the condition on the rows that are aggregated.
    public static func jsonGroupArray(
        _ value: any SQLExpressible, filter: (any SQLOperand)? = nil
    ) -> SQLExpression {
        aggregate("json_group_array", [value.sqlExpression.asJSONArgument], filter: filter)
    }

    /// Aggregates the keys and values of many rows into a JSON object: `json_group_object("name", "score")`.
    ///
    /// - Parameters:
    ///   - key: a string.
    ///   - value: strings become JSON strings, and JSON stays JSON.
    ///   - filter: the condition on the rows that are aggregated.
    public static func jsonGroupObject(
        key: any SQLExpressible, value: any SQLExpressible, filter: (any SQLOperand)? = nil
    ) -> SQLExpression {
        aggregate("json_group_object", [key, value.sqlExpression.asJSONArgument], filter: filter)
    }

    // MARK: - Reading JSON

    /// Returns the number of elements of a JSON array, and 0 for other JSON: `json_array_length("info")`.
    public static func jsonArrayLength(_ value: any SQLExpressible) -> SQLExpression {
        call("json_array_length", value)
    }

    /// Returns the number of elements of the array at a path: `json_array_length("info", '$.tags')`, or NULL if nothing is at the path.
    public static func jsonArrayLength(_ value: any SQLExpressible, atPath path: any SQLExpressible) -> SQLExpression {
        call("json_array_length", value, path)
    }

    /// Returns the SQL value at a path: `json_extract("info", '$.country')`.
    public static func jsonExtract(_ value: any SQLExpressible, atPath path: any SQLExpressible) -> SQLExpression {
        call("json_extract", value, path)
    }

    /// Returns a JSON array of the values at some paths: `json_extract("info", '$.name', '$.country')`.
    ///
    /// - Parameters:
    ///   - value: JSON.
    ///   - paths: paths that begin with `$`. For a single path, the result is the SQL value at that path; for none, it is NULL.
    public static func jsonExtract(
        _ value: any SQLExpressible, atPaths paths: some Collection<some SQLExpressible>
    ) -> SQLExpression {
        // The result for a single path may be a string that contains JSON, which SQLite does not recognize as JSON.
        .call("json_extract", [value.sqlExpression] + paths.map(\.sqlExpression), returnsJSON: paths.count > 1)
    }

    /// Returns whether a string is JSON, 1 or 0: `json_valid("info")`.
    public static func jsonIsValid(_ value: any SQLExpressible) -> SQLExpression {
        call("json_valid", value)
    }

    /// Returns the type of JSON, such as 'object': `json_type("info")`.
    public static func jsonType(_ value: any SQLExpressible) -> SQLExpression {
        call("json_type", value)
    }

    /// Returns the type of the JSON at a path: `json_type("info", '$.tags')`, or NULL if nothing is at the path.
    public static func jsonType(_ value: any SQLExpressible, atPath path: any SQLExpressible) -> SQLExpression {
        call("json_type", value, path)
    }

    // MARK: - Changing JSON

    /// Inserts values into JSON, at paths without a value: `json_insert("info", '$.country', 'France')`.
    ///
    /// - Parameters:
    ///   - value: JSON.
    ///   - assignments: paths with their values, in the order of the keys for a dictionary. Strings become JSON strings, and JSON stays
    ///     JSON.
    public static func jsonInsert(
        _ value: any SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        makeJSON("json_insert", [value.sqlExpression] + arguments(assignments))
    }

    /// Replaces values in JSON, at paths with a value: `json_replace("info", '$.country', 'France')`.
    ///
    /// - Parameters:
    ///   - value: JSON.
    ///   - assignments: paths with their values, in the order of the keys for a dictionary. Strings become JSON strings, and JSON stays
    ///     JSON.
    public static func jsonReplace(
        _ value: any SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        makeJSON("json_replace", [value.sqlExpression] + arguments(assignments))
    }

    /// Inserts or replaces values in JSON: `json_set("info", '$.country', 'France')`.
    ///
    /// - Parameters:
    ///   - value: JSON.
    ///   - assignments: paths with their values, in the order of the keys for a dictionary. Strings become JSON strings, and JSON stays
    ///     JSON.
    public static func jsonSet(
        _ value: any SQLExpressible, _ assignments: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        makeJSON("json_set", [value.sqlExpression] + arguments(assignments))
    }

    /// Applies a merge patch (RFC 7396) to JSON: `json_patch("info", '{"country":null}')`.
    public static func jsonPatch(_ value: any SQLExpressible, with patch: any SQLExpressible) -> SQLExpression {
        makeJSON("json_patch", [value.sqlExpression, patch.sqlExpression])
    }

    /// Removes the value at a path from JSON: `json_remove("info", '$.country')`.
    public static func jsonRemove(_ value: any SQLExpressible, atPath path: any SQLExpressible) -> SQLExpression {
        makeJSON("json_remove", [value.sqlExpression, path.sqlExpression])
    }

    /// Removes the values at some paths from JSON: `json_remove("info", '$.country', '$.age')`.
    public static func jsonRemove(
        _ value: any SQLExpressible, atPaths paths: some Collection<some SQLExpressible>
    ) -> SQLExpression {
        makeJSON("json_remove", [value.sqlExpression] + paths.map(\.sqlExpression))
    }
}
