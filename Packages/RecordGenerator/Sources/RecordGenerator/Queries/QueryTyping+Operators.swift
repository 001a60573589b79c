import SQLiteDriver

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
