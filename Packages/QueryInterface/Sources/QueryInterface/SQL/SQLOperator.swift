import RowDecoding

/// An operator with two operands.
enum SQLOperator: Int, Sendable {
    case or, and
    case equal, notEqual, identical, notIdentical
    case less, lessOrEqual, greater, greaterOrEqual
    case bitAnd, bitOr, shiftLeft, shiftRight
    case add, subtract
    case multiply, divide, remainder
    case concatenate, json, jsonValue

    /// The operator, with a space on both sides.
    var sql: String {
        switch self {
        case .or: " OR "
        case .and: " AND "
        case .equal: " = "
        case .notEqual: " <> "
        case .identical: " IS "
        case .notIdentical: " IS NOT "
        case .less: " < "
        case .lessOrEqual: " <= "
        case .greater: " > "
        case .greaterOrEqual: " >= "
        case .bitAnd: " & "
        case .bitOr: " | "
        case .shiftLeft: " << "
        case .shiftRight: " >> "
        case .add: " + "
        case .subtract: " - "
        case .multiply: " * "
        case .divide: " / "
        case .remainder: " % "
        case .concatenate: " || "
        case .json: " -> "
        case .jsonValue: " ->> "
        }
    }

    var precedence: SQLPrecedence {
        switch self {
        case .or: .or
        case .and: .and
        case .equal, .notEqual, .identical, .notIdentical: .equality
        case .less, .lessOrEqual, .greater, .greaterOrEqual: .comparison
        case .bitAnd, .bitOr, .shiftLeft, .shiftRight: .bitwise
        case .add, .subtract: .addition
        case .multiply, .divide, .remainder: .multiplication
        case .concatenate, .json, .jsonValue: .concatenation
        }
    }

    /// Whether the operator compares its operands.
    var isComparison: Bool { precedence == .equality || precedence == .comparison }

    /// Whether a chain that is the right operand of the same operator is written without parentheses. Sums and products of reals depend on
    /// the order of the operations, and so do overflows.
    var isExact: Bool { self == .or || self == .and || self == .concatenate }

    /// Whether a chain of the operator may be written in groups, if it would be too deep for SQLite: the first operands are always combined
    /// first.
    var isAssociative: Bool { isExact || self == .add || self == .multiply || self == .bitAnd || self == .bitOr }

    /// Whether a column encodes the values with which the operator combines it.
    var encodesOperands: Bool {
        // The operators -> and ->> have the precedence of ||. Their right operand is a path into the JSON, not a value of the column.
        precedence != .or && precedence != .and && precedence != .concatenation
    }

    /// The operator with the opposite result for all values, NULL included.
    var negation: SQLOperator? {
        switch self {
        case .equal: .notEqual
        case .notEqual: .equal
        case .identical: .notIdentical
        case .notIdentical: .identical
        default: nil
        }
    }
}

/// An operator with one operand.
enum SQLPrefixOperator: String, Sendable {
    case not = "NOT "
    case minus = "-"
    case flip = "~"

    var precedence: SQLPrecedence { self == .not ? .not : .prefix }
}

extension SQLPrecedence {
    /// The next higher precedence.
    var next: SQLPrecedence { SQLPrecedence(rawValue: rawValue + 1) }
}
