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
        var value = self
        value.origin = nil
        if !isNull { value.literals = [] }
        return value
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
