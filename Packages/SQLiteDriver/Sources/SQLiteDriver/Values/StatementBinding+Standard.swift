import CSQLiteShims

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension DatabaseValue: StatementBinding {
    /// Returns the value itself.
    @inlinable
    public func bindingValue() throws -> DatabaseValue { self }

    /// Returns the bytes of a string of at most 15 bytes, which Swift stores without allocating memory.
    @inlinable
    @inline(__always)
    public func shortBinding() -> ShortBinding? {
        if case .string(let text) = storage { text.shortText } else { nil }
    }
}

extension Bool: StatementBinding {
    /// Binds 1 or 0.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        sqlite3_bind_int64(sqliteStatement, index, self ? 1 : 0)
    }

    /// Returns the INTEGER 1 or 0.
    @inlinable
    public func bindingValue() throws -> DatabaseValue { DatabaseValue(storage: .int64(self ? 1 : 0)) }
}

extension String: StatementBinding {
    /// Binds a TEXT with its byte count, so that NUL characters in it survive.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        bindText(to: sqliteStatement, at: index)
    }

    /// Returns a TEXT.
    @inlinable
    public func bindingValue() throws -> DatabaseValue { DatabaseValue(storage: .string(self)) }

    /// Returns the bytes of a string of at most 15 bytes, which Swift stores without allocating memory.
    @inlinable
    @inline(__always)
    public func shortBinding() -> ShortBinding? { shortText }
}

extension Substring: StatementBinding {
    /// Binds a TEXT with its byte count, so that NUL characters in it survive.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        String(self).bindText(to: sqliteStatement, at: index)
    }

    /// Returns a TEXT.
    @inlinable
    public func bindingValue() throws -> DatabaseValue { DatabaseValue(storage: .string(String(self))) }
}

extension Data: StatementBinding {
    /// Binds a BLOB.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        bindBlob(to: sqliteStatement, at: index)
    }

    /// Returns a BLOB.
    @inlinable
    public func bindingValue() throws -> DatabaseValue { DatabaseValue(storage: .blob(self)) }
}

extension Double: StatementBinding {
    /// Binds a REAL. SQLite stores NULL for a NaN.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        sqlite3_bind_double(sqliteStatement, index, self)
    }

    /// Returns a REAL.
    @inlinable
    public func bindingValue() throws -> DatabaseValue { DatabaseValue(storage: .double(self)) }
}

extension Float: StatementBinding {
    /// Binds a REAL. SQLite stores NULL for a NaN.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        sqlite3_bind_double(sqliteStatement, index, Double(self))
    }

    /// Returns a REAL.
    @inlinable
    public func bindingValue() throws -> DatabaseValue { DatabaseValue(storage: .double(Double(self))) }
}

extension Optional: StatementBinding where Wrapped: StatementBinding {
    /// Binds the value, or NULL.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        switch self {
        case .none: sqlite3_bind_null(sqliteStatement, index)
        case .some(let value): value.bind(to: sqliteStatement, at: index)
        }
    }

    /// Returns the value, or NULL.
    @inlinable
    public func bindingValue() throws -> DatabaseValue {
        switch self {
        case .none: .null
        case .some(let value): try value.bindingValue()
        }
    }
}

// MARK: - Integers

extension StatementBinding where Self: FixedWidthInteger {
    /// Binds an INTEGER.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        guard let integer = Int64(exactly: self) else { return SQLITE_MISMATCH }
        return sqlite3_bind_int64(sqliteStatement, index, integer)
    }

    /// Returns an INTEGER.
    ///
    /// - Throws: a ``DatabaseError`` if the value does not fit into 64 signed bits: a `UInt` or `UInt64` over `Int64.max`.
    @inlinable
    public func bindingValue() throws -> DatabaseValue { try integerBindingValue() }
}

extension FixedWidthInteger {
    /// Returns the value as an INTEGER, or throws if it does not fit into 64 signed bits.
    @inlinable
    package func integerBindingValue() throws -> DatabaseValue {
        guard let integer = Int64(exactly: self) else { throw integerOverflow }
        return DatabaseValue(storage: .int64(integer))
    }

    @usableFromInline
    package var integerOverflow: DatabaseError {
        DatabaseError(
            code: .SQLITE_MISMATCH, message: "a value does not fit SQLite's 64-bit signed integers, whose maximum is \(Int64.max)",
            value: "\(self)", advice: nil)
    }
}

extension Int: StatementBinding {}
extension Int8: StatementBinding {}
extension Int16: StatementBinding {}
extension Int32: StatementBinding {}
extension Int64: StatementBinding {}
extension UInt: StatementBinding {}
extension UInt8: StatementBinding {}
extension UInt16: StatementBinding {}
extension UInt32: StatementBinding {}
extension UInt64: StatementBinding {}

// Types with raw values that are bindings need only the declaration:
//
//     enum Level: Int, StatementBinding {
//         case low, medium, high
//     }

extension StatementBinding where Self: RawRepresentable, RawValue: StatementBinding {
    /// Binds the raw value.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        rawValue.bind(to: sqliteStatement, at: index)
    }

    /// Returns the raw value's value to store.
    ///
    /// - Throws: an error that names the raw value if SQLite can't store it.
    @inlinable
    public func bindingValue() throws -> DatabaseValue { try rawValue.bindingValue() }
}

extension Duration: StatementBinding {
    /// The duration in seconds, as it is stored: the `Double` nearest to it.
    ///
    /// `Double` has 53 bits of precision. A column distinguishes whole nanoseconds in durations of up to 97 days, and whole microseconds
    /// in durations of up to 272 years. Durations that are longer, or that have a smaller fraction, are rounded.
    package var databaseSeconds: Double {
        // The components of longer durations don't fit into `Int64`.
        guard self > .seconds(-Self.exactSeconds), self < .seconds(Self.exactSeconds) else { return self / .seconds(1) }
        let (seconds, attoseconds) = components
        var (digits, divisor) = (attoseconds, 1e18)
        // Without zeros at their end, the digits of common fractions fit into a `Double`, so that the quotient is the nearest one.
        while digits != 0, digits % 10 == 0 {
            digits /= 10
            divisor /= 10
        }
        return Double(seconds) + Double(digits) / divisor
    }

    /// Every whole number of seconds below this one is a `Double`.
    private static let exactSeconds: Int64 = 1 << 53

    /// Binds the seconds as a REAL.
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        sqlite3_bind_double(sqliteStatement, index, databaseSeconds)
    }

    /// Returns the seconds as a REAL.
    public func bindingValue() throws -> DatabaseValue { DatabaseValue(storage: .double(databaseSeconds)) }
}
