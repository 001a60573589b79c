import Foundation
import SQLiteDriver

/// The Swift type of a value, and the form in which the database stores it.
struct QueryType: Hashable {
    var name: String
    var storage = StorageForm.plain

    /// The type as annotations name it.
    var text: String {
        StorageForm.words.first { $0.form == storage && ($0.type ?? name) == name }.map { "\($0.word) \(name)" } ?? name
    }

    static let bool = QueryType(name: "Bool")
    static let int64 = QueryType(name: "Int64")
    static let double = QueryType(name: "Double")
    static let string = QueryType(name: "String")
    static let data = QueryType(name: "Data")
}

/// What is proven about the value of an expression.
struct QueryValue {
    /// The type; nil if it is not known.
    var type: QueryType?

    /// Whether the value may be NULL.
    var isNullable = true

    /// The literals among which the value is, if it is nothing else: their type yields to others.
    var literals: [Literal] = []

    /// The first literal beside the value that its type does not have.
    var mistake: Mistake?

    /// The storage class of the value, if it is not NULL, where no row can have another one. The type alone proves none: a column of type
    /// INTEGER can store strings, unless its table is STRICT.
    var storage: Statement.ColumnStorage?

    /// The power of two that the number can't exceed; nil if it may be infinite. SQLite's NaN is NULL, and only infinities make NaN.
    var magnitude: Int?

    /// The column that the value is.
    var origin: Origin?

    /// Whether the value depends on a parameter whose type is not known yet.
    var isPending = false

    /// What numbers mean that SQL computes from the value.
    var meaning = Meaning.number

    enum Meaning {
        /// What they are: the type of the value is SQL's own, or none that is known.
        case number
        /// Sums and multiples mean what the value does: a number of a type of the program's own, such as an amount of money.
        case quantity
        /// Only the program knows.
        case own
    }

    /// A literal, with its place.
    struct Literal: Hashable {
        enum Kind: Hashable {
            case null
            case boolean
            /// The value is nil if it does not fit.
            case integer(Int64?)
            case real(Double)
            case string(String)

            /// The type of the literal alone; nil for NULL, which all types have.
            var type: QueryType? {
                switch self {
                case .null: nil
                case .boolean: .bool
                case .integer: .int64
                case .real: .double
                case .string: .string
                }
            }
        }

        var kind: Kind
        var range: Range<Int>
    }

    /// A literal that a type does not have.
    struct Mistake: Hashable {
        var type: QueryType
        var range: Range<Int>
    }

    struct Origin: Hashable {
        var table: SchemaName
        var column: SchemaName
        var declaredType: String
        /// Identifies the table in the statement, where it may occur several times.
        var source: Int
        /// Whether the row of the table exists: no outer join has replaced it by NULL.
        var isInRow = true
    }

    static let unknown = QueryValue()

    init(
        _ type: QueryType? = nil, isNullable: Bool = true, storage: Statement.ColumnStorage? = nil, magnitude: Int? = nil
    ) {
        (self.type, self.isNullable, self.storage, self.magnitude) = (type, isNullable, storage, magnitude)
    }

    /// The value of a literal.
    init(_ literal: Literal.Kind, at range: Range<Int>) {
        (type, isNullable, literals) = (literal.type, literal == .null, [Literal(kind: literal, range: range)])
        switch literal {
        case .null: break
        case .boolean: (storage, magnitude) = (.integer, 1)
        case .integer(let number): (storage, magnitude) = (.integer, number.map { 64 - $0.magnitude.leadingZeroBitCount } ?? 64)
        case .real(let number):
            // With a minus sign, this number is the lowest integer.
            storage = number == 0x1p63 ? nil : .real
            magnitude = number == 0 ? 0 : number.isFinite ? max(0, Int(number.exponent) + 1) : nil
        case .string: storage = .text
        }
    }

    var isLiteral: Bool { !literals.isEmpty }

    /// Whether the value is the literal NULL, which all types have.
    var isNull: Bool { literals.first?.kind == .null }

    /// The same value without its place: SQL has computed it, or copied it from another row.
    var copied: QueryValue {
        changed(self) { value in
            value.origin = nil
            if !isNull { value.literals = [] }
        }
    }

    static func boolean(isNullable: Bool) -> QueryValue { QueryValue(.bool, isNullable: isNullable, storage: .integer, magnitude: 1) }

    static func integer(isNullable: Bool) -> QueryValue { QueryValue(.int64, isNullable: isNullable, storage: .integer, magnitude: 63) }

    static func text(isNullable: Bool) -> QueryValue { QueryValue(.string, isNullable: isNullable, storage: .text) }

    func nullable(_ isNullable: Bool = true) -> QueryValue { changed(self) { $0.isNullable = isNullable } }

    /// The same value, after an outer join or an empty group may have replaced it by NULL.
    var missing: QueryValue { changed(nullable()) { $0.origin?.isInRow = false } }
}

extension QueryValue {
    /// Gives up what does not hold for another value, which the column of a recursive table can have, too.
    ///
    /// - Returns: whether the value has changed.
    mutating func widen(by other: QueryValue) -> Bool {
        let old = self
        if other.isNullable { isNullable = true }
        if other.storage != storage { storage = nil }
        if other.magnitude != magnitude { magnitude = nil }
        if isNull, !other.isNull { (type, literals) = (other.type, []) } else if other.type != type { type = nil }
        if let mistake = other.mistake { self.mistake = mistake }
        if other.meaning != meaning { meaning = .own }
        return isNullable != old.isNullable || storage != old.storage || magnitude != old.magnitude || type != old.type
            || meaning != old.meaning || isNull != old.isNull
    }

    /// Gives the value, which SQL computes from others as a number, its type.
    ///
    /// - Parameters:
    ///   - values: the numbers from which it is computed.
    ///   - isSimilar: whether it is a sum or a multiple of those that are quantities.
    mutating func becomeNumber(from values: [QueryValue], isSimilar: Bool = false) {
        (origin, mistake) = (nil, nil)
        if values.allSatisfy({ $0.meaning == .number }) {
            type = values.allSatisfy { $0.type?.number == .int64 } ? .int64 : .double
            meaning = .number
        } else if isSimilar, let quantity = values.first(where: { $0.meaning == .quantity }),
            !values.contains(where: { $0.meaning == .own })
        {
            (type, meaning) = (quantity.type, .quantity)
        } else {
            (type, meaning) = (nil, .own)
        }
    }
}

extension QueryType {
    /// The integers of Swift's types of integers, by the names of the types.
    private static let integerTypes: [String: ClosedRange<Int64>] = {
        func entry<Integer: FixedWidthInteger>(_: Integer.Type) -> (String, ClosedRange<Int64>) {
            ("\(Integer.self)", Int64(clamping: Integer.min)...Int64(clamping: Integer.max))
        }
        return Dictionary(uniqueKeysWithValues: [
            entry(Int.self), entry(Int64.self), entry(Int32.self), entry(Int16.self), entry(Int8.self), entry(UInt.self),
            entry(UInt64.self),
            entry(UInt32.self), entry(UInt16.self), entry(UInt8.self),
        ])
    }()

    /// The integers that the type has; nil if it is not a type of integers.
    var integers: ClosedRange<Int64>? { Self.integerTypes[name] }

    /// The type of numbers that SQL computes from values of the type; nil if only the program knows what they mean.
    ///
    /// Arithmetic converts strings and blobs to numbers, with or without a fraction.
    ///
    /// Source: <https://www.sqlite.org/lang_expr.html#operators_and_parse_affecting_attributes>
    var number: QueryType? {
        guard storage == .plain else { return nil }
        if self == .bool || integers != nil { return .int64 }
        return ["Double", "Float", "String", "Data"].contains(name) ? .double : nil
    }

    /// Whether numbers of the type may be quantities: it is a type of the program's own.
    var mayBeQuantity: Bool { number == nil && storage == .plain && !["Date", "DateComponents", "Decimal", "UUID", "URL"].contains(name) }
}

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
            return changed(isPending ? .unknown : values.first?.copied ?? .unknown) { $0.isPending = isPending }
        }
        if nonNull.count == 1 { return changed(first.nullable()) { $0.origin = nil } }
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
