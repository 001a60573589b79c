import CSQLiteShims

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
