import SQLiteDriver

extension QueryTyping {
    // MARK: - Values

    /// Returns what is proven about an expression, and notes what its parameters meet.
    mutating func value(of term: SQLTerm, in scope: Scope) throws -> QueryValue {
        var chain = [term]
        while let operand = chain[chain.count - 1].leftOperand { chain.append(operand) }
        var result = QueryValue.unknown
        for term in chain.reversed() {
            do {
                result = try value(of: term, left: result, in: scope)
            } catch let error as SQLParser.NotUnderstood {
                // Expressions that are not understood have no influence on the columns of stars.
                guard isAboutStars else { throw error.placed(at: term.range) }
                result = .unknown
            }
        }
        return result
    }

    /// The value of the expression that has one of several values.
    func either(_ values: [QueryValue]) -> QueryValue { QueryValue.either(values, schema.listedLiterals) }

    /// - Parameter left: the value of the left operand, if there is one.
    private mutating func value(of term: SQLTerm, left: QueryValue, in scope: Scope) throws -> QueryValue {
        switch term.kind {
        case .null: return QueryValue(.null, at: term.range)
        case .integer(let number): return QueryValue(.integer(number), at: term.range)
        case .real(let number): return QueryValue(.real(number), at: term.range)
        case .string(let text): return QueryValue(.string(text), at: term.range)
        case .blob: return QueryValue(.data, isNullable: false, storage: .blob)
        // A string in UTC: 'HH:MM:SS', 'YYYY-MM-DD', or both.
        case .currentTime: return .text(isNullable: false)
        case .parameter(let number): return parameters[number].value
        case .column(let table, let name, let isDoubleQuoted):
            return try column(table, name, isDoubleQuoted: isDoubleQuoted, term.range, in: scope)
        case .prefix(let sign, let operand): return try prefix(sign, operand, term.range, in: scope)
        case .binary(let sign, let leftTerm, let right): return try binary(sign, leftTerm, left, right, in: scope)
        case .identity, .nullTest, .between, .like, .inList, .inQuery, .exists: return try test(term, left, in: scope)
        case .subquery, .row:
            let parts = try parts(of: term, in: scope)
            if parts.count == 1, let value = parts[0].value { return value }
            return QueryValue(isNullable: parts.contains { $0.value?.isNullable == true })
        case .conditional(let operand, let branches, let otherwise):
            return try conditional(operand, branches, otherwise, in: scope)
        case .cast(let operand, let type): return try cast(operand, type.isEmpty ? "BLOB" : type, term.range, in: scope)
        // It changes how the value is compared, and not the value.
        case .collate: return left
        case .call(let call): return try self.value(of: call, term.range, in: scope)
        }
    }

    /// What is proven about a name: a column, a row ID, an alias, or a constant.
    ///
    /// The tables of the query hide its aliases, and both hide the names of the queries around it. Only a name that nothing else has can be
    /// a string in double quotes, TRUE or FALSE.
    ///
    /// Source: <https://www.sqlite.org/quirks.html#double_quoted_string_literals_are_accepted>,
    /// <https://www.sqlite.org/lang_expr.html#boolean_expressions>
    private mutating func column(
        _ table: String?, _ name: String, isDoubleQuoted: Bool, _ range: Range<Int>, in scope: Scope
    ) throws -> QueryValue {
        var current: Scope? = scope
        while let scope = current {
            if let place = place(table: table, name: name, in: scope) {
                return value(ofColumn: place.column, of: place.source, in: scope, isMerged: table == nil)
            }
            if let value = rowID(table, name, in: scope) { return value }
            if table == nil, let term = scope.aliases[SchemaName(name)], let selection = scope.selection {
                return try value(of: term, in: selection).copied
            }
            current = scope.parent
        }
        if table == nil, isDoubleQuoted { return QueryValue(.string(name), at: range) }
        guard table == nil, ["true", "false"].contains(name.foldingASCIICase) else { throw SQLParser.NotUnderstood() }
        return QueryValue(.boolean, at: range)
    }

    /// The row ID of the only table that can be meant; nil if the name is none for row IDs.
    private func rowID(_ table: String?, _ name: String, in scope: Scope) -> QueryValue? {
        let candidates = scope.sources.indices.filter { table == nil || SchemaName(table!) == SchemaName(scope.sources[$0].name) }
        guard SchemaName.isRowID(name), let index = candidates.first, candidates.count == 1 else { return nil }
        let table = scope.sources[index].table
        // Some versions of SQLite give the rows of views and subqueries IDs, and all others NULL.
        guard let hasRowID = table.hasRowID else { return .unknown }
        return hasRowID ? .integer(isNullable: scope.mayMiss(index) || table.record?.table.kind != .table) : nil
    }

    /// A CAST makes each value other than NULL one of the type's affinity. Only NUMERIC leaves it to the value whether it has a fraction.
    ///
    /// Source: <https://www.sqlite.org/lang_expr.html#cast_expressions>
    private mutating func cast(_ operand: SQLTerm, _ type: String, _ range: Range<Int>, in scope: Scope) throws -> QueryValue {
        let inner = try value(of: operand, in: scope)
        var result = QueryValue(isNullable: inner.isNullable)
        switch ColumnAffinity(type, isStrict: false) {
        case .integer: (result.type, result.storage, result.magnitude) = (.int64, .integer, 63)
        case .text: (result.type, result.storage) = (.string, .text)
        case .real: (result.type, result.storage) = (.double, .real)
        case .blob: (result.type, result.storage) = (.data, .blob)
        case .numeric where ["BOOL", "BOOLEAN"].contains(type.uppercased()):
            // Each number is a Bool, but a fraction is no integer for SQL that computes with it.
            result.type = .bool
            result.meaning = inner.isPending || inner.type?.number == .int64 ? .number : .own
        case .numeric: result.type = .double
        }
        try expect(operand, result, range)
        return result
    }

    /// CASE has the value of one of its branches, and NULL where no branch is chosen and there is no ELSE.
    ///
    /// Source: <https://www.sqlite.org/lang_expr.html#the_case_expression>
    private mutating func conditional(
        _ operand: SQLTerm?, _ branches: [(when: SQLTerm, then: SQLTerm)], _ otherwise: SQLTerm?, in scope: Scope
    ) throws -> QueryValue {
        if let operand {
            _ = try compared([operand] + branches.map(\.when), value(of: operand, in: scope), in: scope)
        } else {
            for branch in branches { try check(branch.when, in: scope) }
        }
        let terms = branches.map(\.then) + [otherwise].compactMap { $0 }
        let values = try terms.map { try value(of: $0, in: scope) }
        var result = either(values)
        for term in terms { try expect(term, result, term.range) }
        nameAlike(terms)
        result.isNullable = otherwise == nil || values.contains(where: \.isNullable)
        return result
    }

    // MARK: - Parameters

    /// Notes that an expression is compared with a value, or becomes one: the parameters in it have its type.
    ///
    /// - Parameters:
    ///   - partner: the place of the value, for errors.
    ///   - isStored: whether the value is stored in a column, which accepts NULL if it is nullable.
    ///   - isIdentity: whether NULL is equal to NULL.
    mutating func expect(
        _ term: SQLTerm, _ value: QueryValue, _ partner: Range<Int>, isStored: Bool = false, isIdentity: Bool = false
    ) throws {
        switch term.kind {
        case .parameter(let number):
            if isStored || isIdentity, value.isNullable { parameters[number].isOptional = true }
            // A parameter whose type is not known yet tells nothing.
            guard value.type != nil else {
                if value.origin?.declaredType.uppercased() == "ANY" { parameters[number].meetsAny = true }
                return
            }
            parameters[number].meetings.append(ParameterFacts.Meeting(value: value, range: term.range, partner: partner))
        case .collate(let operand), .prefix("+", let operand): try expect(operand, value, partner)
        case .prefix("-", let operand): try expect(operand, value.nullable(false), partner)
        case .subquery(let query): try expect(query, [Part(value: value, range: partner)], isStored: isStored)
        case .conditional(_, let branches, let otherwise):
            for branch in branches { try expect(branch.then, value, partner, isStored: isStored) }
            if let otherwise { try expect(otherwise, value, partner, isStored: isStored) }
        case .call(let call) where ["coalesce", "ifnull", "iif", "if", "nullif", "likely", "unlikely", "min", "max"].contains(call.name):
            for (index, argument) in call.arguments.enumerated() where !(call.name == "iif" || call.name == "if") || index > 0 {
                try expect(argument, value, partner, isStored: isStored && index == call.arguments.count - 1)
            }
        default: break
        }
    }

    /// Notes that NULL is a meaningful value of an expression.
    mutating func expectOptional(_ term: SQLTerm) {
        if case .parameter(let number) = term.kind { parameters[number].isOptional = true }
    }

    // MARK: - Aggregates

    /// Returns whether an expression calls an aggregate function of its own query, which makes it an aggregate query: one row for each group.
    ///
    /// Source: <https://www.sqlite.org/lang_select.html#resultset>
    func hasAggregate(_ term: SQLTerm) -> Bool {
        term.parts.contains { if case .call(let call) = $0.kind { call.window == nil && isAggregate(call) } else { false } }
    }

    /// With several arguments, min and max are functions of one row.
    func isAggregate(_ call: SQLCall) -> Bool {
        if (call.name == "min" || call.name == "max"), call.arguments.count != 1 { return false }
        if let declared = schema.declaredFunctions[call.name] { return declared.isAggregate }
        return schema.functions[call.name] == .aggregate
    }
}

/// Operators. With few exceptions, the result is NULL if an operand is. It has no affinity, even if it is `+column`.
///
/// Source: <https://www.sqlite.org/lang_expr.html#operators_and_parse_affecting_attributes>,
/// <https://www.sqlite.org/datatype3.html#affinity_of_expressions>
extension QueryTyping {
    static let comparisons: Set<String> = ["=", "==", "<>", "!=", "<", "<=", ">", ">="]

    mutating func prefix(_ sign: String, _ operand: SQLTerm, _ range: Range<Int>, in scope: Scope) throws -> QueryValue {
        if sign == "NOT" {
            try expect(operand, .boolean(isNullable: false), operand.range)
            return .boolean(isNullable: try value(of: operand, in: scope).isNullable)
        }
        var result = try value(of: operand, in: scope)
        result.origin = nil
        switch sign {
        // It does nothing, and even a string stays a string.
        case "+": return result
        case "~": return .integer(isNullable: result.isNullable)
        default:
            let literals = result.isNull ? result.literals : result.literals.compactMap { $0.negated(range) }
            if literals.count != result.literals.count || literals.isEmpty {
                // -(-2^63) is a real number.
                (result.literals, result.storage) = ([], result.storage == .real ? .real : nil)
            } else {
                result.literals = literals
            }
            if !result.isPending { result.becomeNumber(from: [result], isSimilar: true) }
            return result
        }
    }

    mutating func binary(
        _ sign: String, _ left: SQLTerm, _ leftValue: QueryValue, _ right: SQLTerm, in scope: Scope
    ) throws -> QueryValue {
        if Self.comparisons.contains(sign) { return try compared([left, right], leftValue, in: scope) }
        let rule = Self.rule(of: sign)
        if let rule { for operand in [left, right] { try expect(operand, rule.operands, operand.range) } }
        let values = (leftValue, try value(of: right, in: scope))
        guard var result = rule?.result else { return try arithmetic(sign, (left, right), values) }
        // `NULL AND 0` is 0, but `NULL AND 1` is NULL.
        if values.0.isNullable || values.1.isNullable { result.isNullable = true }
        return result
    }

    /// What an operator of logic, strings or bits expects of its operands, and its result for operands that are not NULL; nil for arithmetic.
    ///
    /// The arrows of JSON are NULL where the path leads nowhere. `->` gives JSON, and `->>` a string or a number.
    ///
    /// Source: <https://www.sqlite.org/json1.html#the_and_operators>
    private static func rule(of sign: String) -> (operands: QueryValue, result: QueryValue)? {
        let (text, integer) = (QueryValue.text(isNullable: false), QueryValue.integer(isNullable: false))
        return switch sign {
        case "AND", "OR": (.boolean(isNullable: false), .boolean(isNullable: false))
        case "||": (text, text)
        case "->": (text, QueryValue(.string))
        case "->>": (text, .unknown)
        case "&", "|", "<<", ">>": (integer, integer)
        default: nil
        }
    }

    // MARK: - Arithmetic

    /// The value of `+`, `-`, `*`, `/` or `%`.
    ///
    /// Integers give an integer, or a real number if it has more than 64 bits. So the storage class is unknown, but not the type: such a
    /// number can't be read as an integer, and is an error. Any other operand gives a real number.
    private mutating func arithmetic(
        _ sign: String, _ terms: (SQLTerm, SQLTerm), _ values: (QueryValue, QueryValue)
    ) throws -> QueryValue {
        let isSum = sign == "+" || sign == "-"
        for (operand, other, partner) in [(terms.0, values.1, terms.1), (terms.1, values.0, terms.0)] {
            let isTerm = isSum && other.meaning == .quantity
            if isTerm || other.type == .int64 || other.type == .double { try expect(operand, other.nullable(false), partner.range) }
        }
        nameAlike([terms.0, terms.1])
        var result = QueryValue()
        if values.0.isPending || values.1.isPending {
            let other = values.0.isPending ? values.1 : values.0
            (result.type, result.isPending) = (other.type == .int64 || other.type == .double ? other.type : nil, true)
            if other.meaning != .number { result.becomeNumber(from: [other], isSimilar: isSum) }
        } else {
            result.becomeNumber(from: [values.0, values.1], isSimilar: isSimilar(sign, values.0, values.1))
        }
        let isNeverNull = bound(&result, sign, terms, (values.0.magnitude, values.1.magnitude))
        result.isNullable = values.0.isNullable || values.1.isNullable || !isNeverNull
        return result
    }

    /// Sets the power of two that the result of arithmetic can't exceed.
    ///
    /// SQLite has no NaN: it stores NULL instead. Only infinities make it, which a REAL column can store, and divisions by 0 are NULL, too.
    /// Without these bounds, `count * price` of integers, and the sum of such products, would be optional.
    ///
    /// Source: <https://www.sqlite.org/releaselog/3_5_9.html>
    ///
    /// - Returns: whether numbers can't give NULL.
    private func bound(_ result: inout QueryValue, _ sign: String, _ terms: (SQLTerm, SQLTerm), _ bounds: (Int?, Int?)) -> Bool {
        var magnitude: Int?
        defer { result.magnitude = magnitude.flatMap { $0 > 1000 ? nil : $0 } }
        switch sign {
        case "+", "-":
            if let a = bounds.0, let b = bounds.1 { magnitude = max(a, b) + 1 }
            // Only two infinities make NaN.
            return bounds.0 != nil || bounds.1 != nil
        case "*":
            if let a = bounds.0, let b = bounds.1 { magnitude = a + b }
            // 0 times infinity is NaN.
            return magnitude != nil || terms.0.isFiniteAndNotZero || terms.1.isFiniteAndNotZero
        case "/":
            if let a = bounds.0, case .integer = terms.1.kind { magnitude = a }
            return terms.1.isFiniteAndNotZero
        default:
            // Both sides of % become integers: 0.5 becomes 0.
            if result.type == .int64 { magnitude = 63 }
            if case .integer(let number?) = terms.1.kind { return number != 0 }
            return false
        }
    }

    /// Whether the result of an operator is a quantity of the same type: a sum of two, or a whole multiple of one.
    private func isSimilar(_ sign: String, _ left: QueryValue, _ right: QueryValue) -> Bool {
        switch sign {
        case "+", "-": left.type == right.type
        case "*": left.meaning != right.meaning && [left.type?.number, right.type?.number].contains(.int64)
        default: false
        }
    }
}

extension SQLTerm {
    /// Whether the expression is a literal by which infinity can be multiplied and divided.
    fileprivate var isFiniteAndNotZero: Bool {
        switch kind {
        case .integer(let number?): number != 0
        case .real(let number): number.isFinite && number != 0 && number.magnitude >= 1e-300
        case .prefix("-", let operand), .prefix("+", let operand): operand.isFiniteAndNotZero
        default: false
        }
    }
}

extension QueryValue.Literal {
    /// The literal after a minus sign; nil if it is no number.
    fileprivate func negated(_ range: Range<Int>) -> QueryValue.Literal? {
        switch kind {
        case .integer(let value): QueryValue.Literal(kind: .integer(value.map { 0 &- $0 }), range: range)
        case .real(let value): QueryValue.Literal(kind: .real(-value), range: range)
        case .null, .boolean, .string: nil
        }
    }
}
