import SQLiteDriver

extension QueryTyping {
    /// Returns what is proven about the result of a function.
    ///
    /// Functions that are not listed may return anything. The rules hold for all versions of SQLite that the driver supports.
    ///
    /// Source: <https://www.sqlite.org/lang_corefunc.html>, <https://www.sqlite.org/lang_aggfunc.html>,
    /// <https://www.sqlite.org/windowfunctions.html>, <https://www.sqlite.org/json1.html>
    mutating func value(of call: SQLCall, _ range: Range<Int>, in scope: Scope) throws -> QueryValue {
        expectArguments(of: call)
        if let window = call.window {
            for term in window.terms { _ = try value(of: term, in: scope) }
            return try aggregate(call, in: scope, mayBeEmpty: window.mayBeEmpty || call.filter != nil)
        }
        if isAggregate(call) {
            // In a condition, or an aggregate of an outer query.
            guard scope.isAggregate, let rows = scope.rows else { throw SQLParser.NotUnderstood() }
            // An aggregate whose columns all belong to an outer query is an aggregate of that query.
            let columns = call.arguments.flatMap(\.columns)
            if !columns.isEmpty,
                !columns.contains(where: { place(table: $0.table, name: $0.name, in: rows) != nil || SchemaName.isRowID($0.name) })
            {
                throw SQLParser.NotUnderstood()
            }
            return try aggregate(call, in: rows, mayBeEmpty: scope.mayBeEmpty || call.filter != nil)
        }
        let values = try call.arguments.map { try value(of: $0, in: scope) }
        if let declared = schema.declaredFunctions[call.name] { return declared.value }
        return scalar(call, values)
    }

    // MARK: - Aggregates and window functions

    /// The value of an aggregate, or of a window function.
    ///
    /// Most aggregates skip NULL. If nothing is left, count and total are 0, the aggregates of JSON are empty, and all others are NULL.
    ///
    /// Source: <https://www.sqlite.org/lang_aggfunc.html>, <https://www.sqlite.org/windowfunctions.html#built_in_window_functions>
    ///
    /// - Parameter mayBeEmpty: whether there may be no rows.
    private mutating func aggregate(_ call: SQLCall, in scope: Scope, mayBeEmpty: Bool) throws -> QueryValue {
        try check(call.filter, in: scope)
        let values = try call.arguments.map { try value(of: $0, in: scope) }
        let first = values.first ?? .unknown
        let isNullable = mayBeEmpty || first.isNullable
        // Sums of such numbers are finite, however many there are: infinities of both signs would give NULL.
        let isFinite = first.storage == .integer || first.magnitude.map { $0 <= 200 } ?? false
        if let declared = schema.declaredFunctions[call.name] { return declared.value }
        switch call.name {
        case "count", "row_number", "rank", "dense_rank", "ntile": return .integer(isNullable: false)
        case "percent_rank", "cume_dist": return QueryValue(.double, isNullable: false, storage: .real)
        case "json_group_array", "json_group_object": return .text(isNullable: false)
        case "group_concat", "string_agg":
            // Over a window, the concatenation of empty strings is NULL.
            return QueryValue(.string, isNullable: call.window != nil || isNullable || values.contains(where: \.isNullable))
        case "min", "max":
            return first.copied.nullable(isNullable)
        case "sum":
            var value = QueryValue(isNullable: isNullable || !isFinite)
            value.becomeNumber(from: [first], isSimilar: true)
            if value.type != .double, first.storage == .integer { value.storage = .integer }
            if first.storage == .integer { value.magnitude = 63 }
            return value
        case "avg": return Self.real(from: first, isNullable: isNullable || !isFinite, storage: .real)
        case "total": return Self.real(from: first, isNullable: !isFinite, storage: .real)
        case "lag", "lead":
            // The first and the last rows have the third argument.
            let value = values.count > 2 ? either([first, values[2]]) : first
            return value.copied.nullable(values.count < 3 || first.isNullable || values[2].isNullable)
        case "first_value", "last_value", "nth_value":
            // The frame may have fewer than n rows.
            return first.copied.nullable(isNullable || call.name == "nth_value")
        default: return .unknown
        }
    }

    // MARK: - Functions of one row

    private mutating func scalar(_ call: SQLCall, _ values: [QueryValue]) -> QueryValue {
        let first = values.first ?? .unknown
        let isNullable = values.contains(where: \.isNullable)
        switch call.name {
        case "coalesce", "ifnull", "nullif", "min", "max": return choice(call, values, from: 0)
        case "iif", "if": return choice(call, values, from: 1)
        case "likely", "unlikely", "likelihood": return first.copied
        case "abs":
            // The absolute value of a string is a real number.
            var value = first.copied
            value.becomeNumber(from: [first], isSimilar: true)
            if value.storage != .integer { value.storage = nil }
            return value
        case "replace", "substr", "substring", "printf", "format": return part(of: call, values)
        case "date", "time", "datetime", "strftime", "julianday", "unixepoch": return time(call)
        // NULL gives NULL, and anything else a string.
        case "lower", "upper", "trim", "ltrim", "rtrim", "json": return .text(isNullable: isNullable)
        // They describe NULL by a string, or leave it out.
        case "typeof", "quote", "hex", "sqlite_version", "sqlite_source_id", "char", "json_array", "json_quote", "json_object":
            return .text(isNullable: false)
        case "length", "instr", "octet_length": return .integer(isNullable: isNullable)
        case "random", "changes", "total_changes", "last_insert_rowid": return .integer(isNullable: false)
        case "json_valid": return .boolean(isNullable: isNullable)
        case "randomblob", "zeroblob": return QueryValue(.data, isNullable: isNullable, storage: .blob)
        case "round": return Self.real(from: first, isNullable: isNullable)
        case "pi": return QueryValue(.double, isNullable: false, storage: .real, magnitude: 2)
        // NULL for values outside of their domain: an empty string, a path that leads nowhere, the root of -1, or what is not a number.
        case "unicode", "sign", "json_array_length": return QueryValue(.int64)
        case "json_type", "json_set", "json_insert", "json_replace", "json_patch", "json_remove", "highlight", "snippet", "soundex":
            return QueryValue(.string)
        case "ceil", "ceiling", "floor", "trunc", "sqrt", "pow", "power", "exp", "ln", "log", "log2", "log10", "mod", "sin", "cos", "tan",
            "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "radians", "degrees", "bm25":
            return QueryValue(.double)
        case "like", "glob": return .boolean(isNullable: true)
        default: return .unknown
        }
    }

    /// The value of a function that returns one of its arguments. They meet the value that they become.
    ///
    /// - Parameter start: the index of the first of these arguments.
    private mutating func choice(_ call: SQLCall, _ values: [QueryValue], from start: Int) -> QueryValue {
        var result = either(Array(values.dropFirst(start)))
        let arguments = Array(call.arguments.dropFirst(start))
        let isFirst = call.name == "coalesce" || call.name == "ifnull"
        for (index, argument) in arguments.enumerated() {
            try? expect(argument, result, isFirst ? arguments.last!.range : argument.range)
            // A value that is never NULL would make the others useless.
            if isFirst, index < arguments.count - 1 { expectOptional(argument) }
        }
        nameAlike(arguments)
        switch call.name {
        case "coalesce", "ifnull": result.isNullable = values.allSatisfy(\.isNullable)
        case "nullif": return (values.first ?? .unknown).copied.nullable()
        // Without a third argument, it is NULL where the condition is false. Newer versions of SQLite accept more than three.
        case "iif", "if": result.isNullable = values.count != 3 || values[1].isNullable || values[2].isNullable
        // Unlike the aggregates, min and max are NULL if one argument is.
        default: result.isNullable = values.contains(where: \.isNullable)
        }
        return result
    }

    /// The value of a function that computes a string, or a part of its first argument.
    private func part(of call: SQLCall, _ values: [QueryValue]) -> QueryValue {
        let first = values.first ?? .unknown
        let isNullable = values.contains(where: \.isNullable)
        switch call.name {
        case "replace":
            // With an empty pattern, the first argument is the result, also if it is a number.
            let isText = call.literal(at: 1)?.isEmpty == false && call.arguments.count == 3 || first.storage == .text
            let type: QueryType? = isText || first.type == .string ? .string : nil
            return QueryValue(type, isNullable: isNullable, storage: isText ? .text : nil)
        case "printf", "format":
            // An empty result can be NULL.
            let hasText = call.literal(at: 0).map { format in format.contains { $0 != "%" } && !format.hasPrefix("%") } ?? false
            return QueryValue(.string, isNullable: !hasText)
        default:
            // A part of a blob is a blob, and NULL if the blob is empty. A part of anything else is a string.
            let isText = [.text, .integer, .real].contains(first.storage)
            let isBlob = first.storage == .blob || first.type == .data
            let isKnown =
                isText || ["Int64", "Double", "Bool", "String", "Date"].contains(first.type?.name)
                || first.type.flatMap { schema.listedLiterals[$0] }?.isComplete == true
            return QueryValue(
                isBlob ? .data : isKnown ? .string : nil, isNullable: isNullable || !isText,
                storage: isText ? .text : first.storage == .blob ? .blob : nil)
        }
    }

    /// The value of a function of dates: NULL for a string that is not a date, or that is outside of the years 0 to 9999. The current time is
    /// never NULL.
    ///
    /// Source: <https://www.sqlite.org/lang_datefunc.html>
    private func time(_ call: SQLCall) -> QueryValue {
        let isFormat = call.name == "strftime"
        let values = call.arguments.dropFirst(isFormat ? 1 : 0)
        let isNow = values.isEmpty && !isFormat || values.count == 1 && call.literal(at: call.arguments.count - 1) == "now"
        switch call.name {
        case "julianday": return QueryValue(.double, isNullable: !isNow)
        case "unixepoch":
            // Since SQLite 3.42, the modifier `subsec` gives a real number.
            let modifiers = call.arguments.indices.map { call.literal(at: $0) ?? ($0 == 0 ? "" : "subsec") }
            let isWhole = !modifiers.contains { $0.foldingASCIICase.contains("subsec") }
            return QueryValue(isWhole ? .int64 : .double, isNullable: !isNow)
        default:
            // Unknown letters in a format give NULL.
            let isKnown = !isFormat || ["%s", "%Y", "%Y-%m", "%Y-%m-%d"].contains(call.literal(at: 0))
            return QueryValue(.string, isNullable: !(isKnown && isNow))
        }
    }

    /// A real number that is computed from a value.
    private static func real(from value: QueryValue, isNullable: Bool, storage: Statement.ColumnStorage? = nil) -> QueryValue {
        var result = QueryValue(.double, isNullable: isNullable, storage: storage)
        result.becomeNumber(from: [value, result])
        return result
    }

    // MARK: - Parameters

    private mutating func expectArguments(of call: SQLCall) {
        let text = QueryValue.text(isNullable: false)
        let integer = QueryValue.integer(isNullable: false)
        let real = QueryValue(.double, isNullable: false)
        let types: [QueryValue?] =
            switch call.name {
            case "lower", "upper", "trim", "ltrim", "rtrim", "replace", "instr", "like", "glob", "json", "json_valid", "json_type",
                "json_array_length", "json_extract", "json_remove", "unicode", "soundex":
                call.arguments.map { _ in text }
            case "substr", "substring": [text, integer, integer]
            case "round": [real, integer]
            case "char": call.arguments.map { _ in integer }
            case "length", "printf", "format", "strftime", "json_set", "json_insert", "json_replace", "json_patch": [text]
            case "sqrt", "pow", "power", "exp", "ln", "log", "log2", "log10", "sin", "cos", "tan": call.arguments.map { _ in real }
            case "group_concat", "string_agg": [nil, text]
            case "lag", "lead", "nth_value": [nil, integer]
            case "ntile": [integer]
            case "iif", "if": [.boolean(isNullable: false)]
            default: []
            }
        for case (let argument, let type?) in zip(call.arguments, types) { try? expect(argument, type, argument.range) }
    }
}

extension SQLCall {
    /// The string that an argument is; nil for others.
    fileprivate func literal(at index: Int) -> String? {
        if arguments.indices.contains(index), case .string(let text) = arguments[index].kind { text } else { nil }
    }
}

extension SQLTerm {
    /// The columns in an expression, without those of subqueries.
    fileprivate var columns: [(table: String?, name: String)] {
        parts.compactMap { if case .column(let table, let name, _) = $0.kind { (table, name) } else { nil } }
    }
}
