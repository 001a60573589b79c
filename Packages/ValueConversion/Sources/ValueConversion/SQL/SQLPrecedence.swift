/// The precedence of an operator. An operand is put in parentheses if its precedence is lower than the precedence of its operator.
///
/// Source: <https://www.sqlite.org/lang_expr.html#operators>
public struct SQLPrecedence: RawRepresentable, Comparable, Sendable {
    /// The precedence as a number. A higher precedence has a larger number.
    public let rawValue: Int

    /// Creates a precedence.
    @inlinable
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Returns whether `lhs` has a lower precedence than `rhs`.
    @inlinable
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

    /// The precedence of opaque SQL, which always needs parentheses as an operand.
    @inlinable public static var unknown: Self { Self(rawValue: 0) }
    /// `OR`.
    @inlinable public static var or: Self { Self(rawValue: 1) }
    /// `AND`.
    @inlinable public static var and: Self { Self(rawValue: 2) }
    /// `NOT`.
    @inlinable public static var not: Self { Self(rawValue: 3) }
    /// `=`, `<>`, `IS`, `IN`, `LIKE`, `BETWEEN`, `MATCH`.
    @inlinable public static var equality: Self { Self(rawValue: 4) }
    /// `<`, `<=`, `>`, `>=`.
    @inlinable public static var comparison: Self { Self(rawValue: 5) }
    /// `&`, `|`, `<<`, `>>`.
    @inlinable public static var bitwise: Self { Self(rawValue: 6) }
    /// `+`, `-`.
    @inlinable public static var addition: Self { Self(rawValue: 7) }
    /// `*`, `/`, `%`.
    @inlinable public static var multiplication: Self { Self(rawValue: 8) }
    /// `||`, `->`, `->>`.
    @inlinable public static var concatenation: Self { Self(rawValue: 9) }
    /// `COLLATE`.
    @inlinable public static var collation: Self { Self(rawValue: 10) }
    /// `~`, and the signs `+` and `-`.
    @inlinable public static var prefix: Self { Self(rawValue: 11) }
    /// Values, columns, function calls, and everything in parentheses.
    @inlinable public static var primary: Self { Self(rawValue: 12) }
}
