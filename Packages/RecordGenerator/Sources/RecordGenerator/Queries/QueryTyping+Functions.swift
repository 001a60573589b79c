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
        }
        let isAggregate = isAggregate(call)
        if isAggregate, call.window == nil {
            guard scope.isAggregate, let rows = scope.rows else {
                // In a condition, or an aggregate of an outer query.
                throw SQLParser.NotUnderstood()
            }
            // An aggregate whose columns all belong to an outer query is an aggregate of that query.
            let columns = call.arguments.flatMap(\.columns)
            if !columns.isEmpty,
                !columns.contains(where: { place(table: $0.table, name: $0.name, in: rows) != nil || SchemaName.isRowID($0.name) })
            {
                throw SQLParser.NotUnderstood()
            }
            return try aggregate(call, in: rows, mayBeEmpty: scope.mayBeEmpty || call.filter != nil)
        }
        if call.window != nil {
            return try aggregate(call, in: scope, mayBeEmpty: call.window!.mayBeEmpty || call.filter != nil)
        }
        let values = try call.arguments.map { try value(of: $0, in: scope) }
        expectAmongArguments(of: call, values)
        if let declared = schema.declaredFunctions[call.name] { return declared.value }
        return scalar(call, values)
    }

    // MARK: - Aggregates and window functions

    private mutating func aggregate(_ call: SQLCall, in scope: Scope, mayBeEmpty: Bool) throws -> QueryValue {
        if let filter = call.filter {
            try expect(filter, .boolean(isNullable: false), filter.range)
            _ = try value(of: filter, in: scope)
        }
        let values = try call.arguments.map { try value(of: $0, in: scope) }
        let first = values.first ?? .unknown
        // Without rows, and if all values are NULL, most aggregates are NULL.
        let isNullable = mayBeEmpty || first.isNullable
        // Sums of such numbers are finite, however many there are.
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
            // Infinities of both signs give NULL.
            var value = QueryValue(isNullable: isNullable || !isFinite)
            value.becomeNumber(from: [first], isSimilar: true)
            if value.type != .double, first.storage == .integer { value.storage = .integer }
            if first.storage == .integer { value.magnitude = 63 }
            return value
        case "avg": return Self.real(from: first, isNullable: isNullable || !isFinite, storage: .real)
        case "total": return Self.real(from: first, isNullable: !isFinite, storage: .real)
        case "lag", "lead":
            var value = (values.count > 2 ? either([first, values[2]]) : first).copied
            value.isNullable = values.count < 3 || first.isNullable || values[2].isNullable
            return value
        case "first_value", "last_value", "nth_value":
            return first.copied.nullable(isNullable || call.name == "nth_value")
        default: return .unknown
        }
    }

    // MARK: - Functions of one row

    private func scalar(_ call: SQLCall, _ values: [QueryValue]) -> QueryValue {
        let first = values.first ?? .unknown
        let isStrictlyNullable = values.contains(where: \.isNullable)
        switch call.name {
        case "coalesce", "ifnull":
            var value = either(values)
            value.isNullable = values.allSatisfy(\.isNullable)
            return value
        case "nullif":
            return first.copied.nullable()
        case "iif", "if":
            var value = either(Array(values.dropFirst()))
            value.isNullable = values.count != 3 || values[1].isNullable || values[2].isNullable
            return value
        case "min", "max":
            var value = either(values)
            value.isNullable = isStrictlyNullable
            return value
        case "likely", "unlikely", "likelihood", "abs":
            var value = first.copied
            if call.name == "abs" {
                // The absolute value of a string is a real number.
                value.becomeNumber(from: [first], isSimilar: true)
                if value.storage != .integer { value.storage = nil }
            }
            return value
        case "lower", "upper", "trim", "ltrim", "rtrim": return .text(isNullable: isStrictlyNullable)
        case "replace":
            // With an empty pattern, the first argument is the result, also if it is a number.
            var hasPattern = false
            if call.arguments.count == 3, case .string(let pattern) = call.arguments[1].kind { hasPattern = !pattern.isEmpty }
            let isText = hasPattern || first.storage == .text
            let type: QueryType? = isText || first.type == .string ? .string : nil
            return QueryValue(type, isNullable: isStrictlyNullable, storage: isText ? .text : nil)
        case "substr", "substring":
            // A part of a blob is a blob, and NULL if the blob is empty. A part of anything else is a string.
            let isText = [.text, .integer, .real].contains(first.storage)
            let isBlob = first.storage == .blob || first.type == .data
            let isKnown =
                isText || ["Int64", "Double", "Bool", "String", "Date"].contains(first.type?.name)
                || first.type.flatMap { schema.listedLiterals[$0] }?.isComplete == true
            return QueryValue(
                isBlob ? .data : isKnown ? .string : nil, isNullable: isStrictlyNullable || !isText,
                storage: isText ? .text : first.storage == .blob ? .blob : nil)
        case "length", "instr", "octet_length": return .integer(isNullable: isStrictlyNullable)
        case "round": return Self.real(from: first, isNullable: isStrictlyNullable)
        case "typeof", "quote", "hex", "sqlite_version", "sqlite_source_id", "char", "json_array", "json_quote":
            return .text(isNullable: false)
        case "json_object": return .text(isNullable: false)
        case "json": return .text(isNullable: isStrictlyNullable)
        case "json_type", "json_set", "json_insert", "json_replace", "json_patch", "json_remove": return QueryValue(.string)
        case "json_array_length": return QueryValue(.int64)
        case "json_valid": return .boolean(isNullable: isStrictlyNullable)
        case "random", "changes", "total_changes", "last_insert_rowid": return .integer(isNullable: false)
        case "randomblob", "zeroblob": return QueryValue(.data, isNullable: isStrictlyNullable, storage: .blob)
        case "unicode", "sign": return QueryValue(.int64)
        case "printf", "format":
            // An empty format gives NULL.
            var hasText = false
            if case .string(let text)? = call.arguments.first?.kind { hasText = text.contains { $0 != "%" } && !text.hasPrefix("%") }
            return QueryValue(.string, isNullable: !hasText)
        case "date", "time", "datetime": return QueryValue(.string, isNullable: !isNow(call, 0))
        case "strftime":
            var hasFormat = false
            if case .string(let text)? = call.arguments.first?.kind { hasFormat = ["%s", "%Y", "%Y-%m", "%Y-%m-%d"].contains(text) }
            return QueryValue(.string, isNullable: !(hasFormat && isNow(call, 1)))
        case "julianday": return QueryValue(.double, isNullable: !isNow(call, 0))
        case "unixepoch":
            // Since SQLite 3.42, the modifier `subsec` gives a real number.
            let isWhole = call.arguments.enumerated().allSatisfy { index, argument in
                if case .string(let text) = argument.kind { !text.foldingASCIICase.contains("subsec") } else { index == 0 }
            }
            return QueryValue(isWhole ? .int64 : .double, isNullable: !isNow(call, 0))
        case "pi": return QueryValue(.double, isNullable: false, storage: .real, magnitude: 2)
        case "ceil", "ceiling", "floor", "trunc", "sqrt", "pow", "power", "exp", "ln", "log", "log2", "log10", "mod", "sin", "cos", "tan",
            "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "radians", "degrees", "bm25":
            return QueryValue(.double)
        case "highlight", "snippet", "soundex": return QueryValue(.string)
        case "like", "glob": return .boolean(isNullable: true)
        default: return .unknown
        }
    }

    /// A real number that is computed from a value.
    private static func real(from value: QueryValue, isNullable: Bool, storage: Statement.ColumnStorage? = nil) -> QueryValue {
        var result = QueryValue(.double, isNullable: isNullable, storage: storage)
        result.becomeNumber(from: [value, result])
        return result
    }

    /// Whether the arguments of a function of dates are the current time, without modifiers.
    private func isNow(_ call: SQLCall, _ index: Int) -> Bool {
        guard call.arguments.count == index + 1 else { return call.arguments.count == index && index == 0 }
        if case .string("now") = call.arguments[index].kind { return true }
        return false
    }

    // MARK: - Parameters

    private mutating func expectArguments(of call: SQLCall) {
        let text = QueryValue.text(isNullable: false)
        let integer = QueryValue.integer(isNullable: false)
        func types() -> [QueryValue?] {
            switch call.name {
            case "lower", "upper", "trim", "ltrim", "rtrim", "replace", "instr", "like", "glob", "json", "json_valid", "json_type",
                "json_array_length", "unicode", "soundex":
                return call.arguments.map { _ in text }
            case "substr", "substring": return [text, integer, integer]
            case "round": return [QueryValue(.double, isNullable: false), integer]
            case "char": return call.arguments.map { _ in integer }
            case "json_extract", "json_remove": return call.arguments.map { _ in text }
            case "printf", "format", "strftime", "json_set", "json_insert", "json_replace", "json_patch": return [text]
            case "length": return [text]
            case "sqrt", "pow", "power", "exp", "ln", "log", "log2", "log10", "sin", "cos", "tan":
                return call.arguments.map { _ in QueryValue(.double, isNullable: false) }
            case "group_concat", "string_agg": return [nil, text]
            case "lag", "lead": return [nil, integer]
            case "ntile": return [integer]
            case "nth_value": return [nil, integer]
            case "iif", "if": return [.boolean(isNullable: false)]
            default: return []
            }
        }
        for (argument, type) in zip(call.arguments, types()) {
            if let type { try? expect(argument, type, argument.range) }
        }
    }

    /// Notes what the arguments of functions that return one of them meet.
    private mutating func expectAmongArguments(of call: SQLCall, _ values: [QueryValue]) {
        if ["coalesce", "ifnull", "nullif", "min", "max"].contains(call.name) { nameAlike(call.arguments) }
        switch call.name {
        case "coalesce", "ifnull":
            let result = either(values)
            for (index, argument) in call.arguments.enumerated() {
                try? expect(argument, result, call.arguments.last!.range)
                // A value that is never NULL would make the others useless.
                if index < call.arguments.count - 1 { expectOptional(argument) }
            }
        case "nullif", "min", "max":
            let result = either(values)
            for argument in call.arguments { try? expect(argument, result, argument.range) }
        case "iif", "if":
            let result = either(Array(values.dropFirst()))
            for argument in call.arguments.dropFirst() { try? expect(argument, result, argument.range) }
            nameAlike(Array(call.arguments.dropFirst()))
        default: break
        }
    }
}

extension SQLTerm {
    /// The columns in an expression, without those of subqueries.
    fileprivate var columns: [(table: String?, name: String)] {
        parts.compactMap { if case .column(let table, let name, _) = $0.kind { (table, name) } else { nil } }
    }
}
