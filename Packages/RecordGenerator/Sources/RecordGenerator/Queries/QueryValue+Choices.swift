import Foundation

/// The literals that columns of a type can store, as far as CHECK constraints list them.
struct ListedLiterals {
    var values: Set<QueryValue.Literal.Kind> = []
    /// Whether the type has no other values: it is the enum of a CHECK.
    var isComplete = false
}

extension QueryValue {
    /// The value of an expression that has the value of one of several expressions: of `coalesce`, CASE or a compound query.
    ///
    /// Only its type is proven here; whether it is nullable depends on the expression.
    ///
    /// - NULL has all types, and is left out.
    /// - Expressions of one type give that type, and of two types the one that reads the values of both. If there is none, the type is not
    ///   known: the type of the first expression would be an error in the rows of the others.
    /// - A literal yields to these types, as a program writes `coalesce(total, 0)` for totals of any type. It must be one of the type's values,
    ///   or the fetch would fail in the rows that have it.
    static func either(_ values: [QueryValue], _ listed: [QueryType: ListedLiterals] = [:]) -> QueryValue {
        // A parameter whose type is not known yet tells nothing.
        let isPending = values.contains { $0.isPending && $0.type == nil }
        let nonNull = values.filter { !$0.isNull && !($0.isPending && $0.type == nil) }
        guard let first = nonNull.first else {
            var value = isPending ? QueryValue() : values.first?.copied ?? .unknown
            value.isPending = isPending
            return value
        }
        if nonNull.count == 1 {
            var value = first.nullable()
            value.origin = nil
            return value
        }
        var result = QueryValue()
        let typed = nonNull.filter { !$0.isLiteral }
        let literals = nonNull.flatMap(\.literals)
        result.storage = nonNull.allSatisfy { $0.storage == first.storage } ? first.storage : nil
        result.magnitude = nonNull.contains { $0.magnitude == nil } ? nil : nonNull.compactMap(\.magnitude).max()
        if typed.isEmpty {
            (result.type, result.literals) = (type(ofLiterals: literals), literals)
            return result
        }
        result.type = type(of: typed)
        let meanings = Set(typed.map(\.meaning))
        result.meaning = meanings.isSubset(of: [.number]) ? .number : meanings == [.quantity] && result.type != nil ? .quantity : .own
        for literal in literals {
            guard let type = result.type else { break }
            switch result.fit(literal.kind, listed[type]) {
            case .isValue: break
            case .widens(let wider): result.type = wider
            case .isUnknown: result.type = nil
            case .isNoValue: result.mistake = result.mistake ?? Mistake(type: type, range: literal.range)
            }
        }
        // A CAST to BOOLEAN may be a fraction.
        if result.type == .int64, typed.contains(where: { $0.type == .bool && $0.meaning == .own }) { result.type = .double }
        if let type = result.type { result.mistake = typed.compactMap(\.mistake).first { $0.type.name == type.name } ?? result.mistake }
        return result
    }

    /// The type that reads all values of several expressions.
    private static func type(of values: [QueryValue]) -> QueryType? {
        let types = Set(values.map(\.type))
        let known = Set(types.compactMap { $0 })
        guard known.count == types.count, let first = known.first else { return nil }
        if known.count == 1 { return first }
        // All forms of dates, and of UUIDs, are read.
        if known.allSatisfy({ $0.name == first.name && $0.storage != .json }) { return QueryType(name: first.name) }
        // A `Double` reads integers.
        if known.isSubset(of: [.int64, .double]) { return .double }
        // SQLite's truth values are the integers 0 and 1.
        if known.isSubset(of: [.int64, .bool]) { return .int64 }
        return nil
    }

    private static func type(ofLiterals literals: [Literal]) -> QueryType? {
        let types = Set(literals.compactMap(\.kind.type))
        if types.count == 1 { return types.first }
        return types.isSubset(of: [.bool, .int64]) ? .int64 : types.isSubset(of: [.int64, .double]) ? .double : nil
    }

    // MARK: - Literals

    /// What a literal is to a type.
    private enum Fit {
        case isValue
        case isNoValue
        /// Another type has both the values of the type and the literal.
        case widens(QueryType)
        /// Only the program knows: a type of its own reads what its columns store, and perhaps nothing else.
        case isUnknown
    }

    private func fit(_ literal: Literal.Kind, _ listed: ListedLiterals?) -> Fit {
        guard let type, type.storage != .json else { return .isUnknown }
        if listed?.values.contains(literal) == true { return .isValue }
        if listed?.isComplete == true { return .isNoValue }
        switch literal {
        case .null: return .isValue
        case .boolean: return type.number != nil && type != .string && type != .data ? .isValue : .isUnknown
        case .integer(let value):
            if type == .bool { return .widens(.int64) }
            if let range = type.integers, let value { return range.contains(value) ? .isValue : .isNoValue }
            if ["Double", "Float", "Decimal"].contains(type.name) { return .isValue }
            // No times an amount is an amount, too.
            return meaning == .quantity && value == 0 ? .isValue : .isUnknown
        case .real(let value):
            if type == .int64 { return .widens(.double) }
            return ["Double", "Float"].contains(type.name) || type.name == "Decimal" && value.isFinite ? .isValue : .isUnknown
        case .string(let text):
            switch type.name {
            case "String": return .isValue
            case "Date": return text.isDate ? .isValue : .isNoValue
            case "UUID": return text.utf8.count == 36 && UUID(uuidString: text) != nil ? .isValue : .isNoValue
            case "Decimal":
                if text.utf8.count <= 30, text.wholeMatch(of: #/-?[0-9]+(\.[0-9]+)?/#) != nil { return .isValue }
                return Double(text) == nil ? .isNoValue : .isUnknown
            default: return .isUnknown
            }
        }
    }
}

extension String {
    /// Whether `Date` reads the string: a day that exists, perhaps with a time and a time zone.
    ///
    /// Source: <https://www.sqlite.org/lang_datefunc.html#time_values>
    fileprivate var isDate: Bool {
        let time = #/[ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]+)?)?( *([Zz]|[+\-](0[0-9]|1[0-4]):[0-5][0-9]))?/#
        guard let day = prefixMatch(of: #/([0-9]{4})-([0-9]{2})-([0-9]{2})/#), let year = Int(day.1), let month = Int(day.2),
            let number = Int(day.3), (1...12).contains(month)
        else { return false }
        let isLeapYear = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        let count = month == 2 ? (isLeapYear ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
        let rest = self[day.range.upperBound...]
        return (1...count).contains(number) && (rest.isEmpty || rest.wholeMatch(of: time) != nil)
    }
}
