import SQLiteDriver

/// The Swift type of a value, and the form in which the database stores it.
struct QueryType: Hashable {
    var name: String
    var storage = StorageForm.plain

    /// The type as annotations name it.
    var text: String {
        switch storage {
        case .json: "json \(name)"
        case .lowercaseUUID: "lowercase \(name)"
        case .uppercaseUUID: "uppercase \(name)"
        case .timestamp: "timestamp \(name)"
        case .plain: name == "Date" ? "milliseconds \(name)" : name
        }
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

    /// The literal that the value is: its type yields to others.
    var literal: Literal?

    /// The storage class of the value, if it is not NULL, where no row can have another one.
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

    enum Literal {
        case null
        case boolean
        case integer
        case real
        case string
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
        _ type: QueryType? = nil, isNullable: Bool = true, literal: Literal? = nil, storage: Statement.ColumnStorage? = nil,
        magnitude: Int? = nil
    ) {
        (self.type, self.isNullable, self.literal, self.storage, self.magnitude) = (type, isNullable, literal, storage, magnitude)
    }

    static func boolean(isNullable: Bool) -> QueryValue { QueryValue(.bool, isNullable: isNullable, storage: .integer, magnitude: 1) }

    static func integer(isNullable: Bool) -> QueryValue { QueryValue(.int64, isNullable: isNullable, storage: .integer, magnitude: 63) }

    static func text(isNullable: Bool) -> QueryValue { QueryValue(.string, isNullable: isNullable, storage: .text) }

    func nullable(_ isNullable: Bool = true) -> QueryValue {
        var value = self
        value.isNullable = isNullable
        return value
    }

    /// The same value, after an outer join or an empty group may have replaced it by NULL.
    var missing: QueryValue {
        var value = self
        value.isNullable = true
        value.origin?.isInRow = false
        return value
    }

    /// The value of an expression that has the value of one of several expressions.
    ///
    /// Only its type is proven here; whether it is nullable depends on the expression.
    static func either(_ values: [QueryValue]) -> QueryValue {
        // A parameter whose type is not known yet tells nothing.
        let isPending = values.contains { $0.isPending && $0.type == nil }
        let values = values.filter { $0.literal != .null && !($0.isPending && $0.type == nil) }
        guard let first = values.first else {
            var value = QueryValue(literal: isPending ? nil : .null)
            value.isPending = isPending
            return value
        }
        if values.count == 1 {
            var value = first
            value.isNullable = true
            value.origin = nil
            return value
        }
        var result = QueryValue()
        let types = Set(values.filter { $0.literal == nil }.map(\.type))
        let literals = values.compactMap(\.literal)
        if types.isEmpty {
            result.type = type(ofLiterals: literals)
            if Set(literals).count == 1 { result.literal = literals[0] }
        } else if types.count == 1, let type = types.first {
            result.type = type.flatMap { type in literals.allSatisfy { type.accepts($0) } ? type : type.widened(by: literals) }
        } else if let name = types.first??.name, types.allSatisfy({ $0?.name == name && $0?.storage != .json }) {
            // All forms of dates, and of UUIDs, are read.
            result.type = QueryType(name: name)
        } else if types.isSubset(of: [.int64, .double]) {
            result.type = .double
        } else if types.isSubset(of: [.int64, .bool]) {
            result.type = .int64
        }
        result.storage = values.dropFirst().allSatisfy { $0.storage == first.storage } ? first.storage : nil
        result.magnitude = values.contains { $0.magnitude == nil } ? nil : values.compactMap(\.magnitude).max()
        let meanings = Set(values.filter { $0.literal == nil }.map(\.meaning))
        result.meaning = meanings.isSubset(of: [.number]) ? .number : meanings == [.quantity] && result.type != nil ? .quantity : .own
        // A CAST to BOOLEAN may be a fraction.
        if result.type == .int64, values.contains(where: { $0.type == .bool && $0.meaning == .own }) { result.type = .double }
        return result
    }

    private static func type(ofLiterals literals: [Literal]) -> QueryType? {
        let kinds = Set(literals)
        if kinds == [.string] { return .string }
        if kinds == [.boolean] { return .bool }
        if kinds.isSubset(of: [.integer, .boolean]) { return .int64 }
        if kinds.isSubset(of: [.integer, .real]) { return .double }
        return nil
    }
}

extension QueryValue {
    /// Gives the value, which SQL computes from others as a number, its type.
    ///
    /// - Parameters:
    ///   - values: the numbers from which it is computed.
    ///   - isSimilar: whether it is a sum or a multiple of those that are quantities.
    mutating func becomeNumber(from values: [QueryValue], isSimilar: Bool = false) {
        origin = nil
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
    /// The type of numbers that SQL computes from values of the type; nil if only the program knows what they mean.
    var number: QueryType? {
        guard storage == .plain else { return nil }
        switch name {
        case "Int64", "Bool", "Int", "Int32", "Int16", "Int8", "UInt64", "UInt", "UInt32", "UInt16", "UInt8": return .int64
        case "Double", "Float", "String", "Data": return .double
        default: return nil
        }
    }

    /// Whether numbers of the type may be quantities: it is a type of the program's own.
    var mayBeQuantity: Bool { number == nil && storage == .plain && !["Date", "DateComponents", "Decimal", "UUID", "URL"].contains(name) }

    /// Whether a literal can be a value of the type.
    fileprivate func accepts(_ literal: QueryValue.Literal) -> Bool {
        switch literal {
        case .null: true
        case .boolean: self == .bool || self == .int64
        case .integer:
            ![.string, .data, QueryType(name: "Date"), QueryType(name: "UUID")].contains(self) && storage == .plain && self != .bool
        case .real: self == .double
        case .string: ![.int64, .double, .bool, .data].contains(self)
        }
    }

    /// The type of values of the type and of literals that it does not accept.
    fileprivate func widened(by literals: [QueryValue.Literal]) -> QueryType? {
        let kinds = Set(literals)
        if self == .int64, kinds.isSubset(of: [.integer, .real, .boolean]) { return .double }
        if self == .bool, kinds.isSubset(of: [.integer, .boolean]) { return .int64 }
        return nil
    }
}
