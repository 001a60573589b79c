import Foundation
import SQLiteDriver

/// Dates are stored as TEXT in the format `YYYY-MM-DD HH:MM:SS.SSS`, in UTC. In this format, TEXT sorts like the dates, and SQLite's date
/// functions understand it.
///
/// ```swift
/// try db.execute(
///     sql: "INSERT INTO player (name, created) VALUES (?, ?)",
///     arguments: ["Arthur", Date()])
/// ```
///
/// Dates are rounded to the nearest millisecond of the years 0000 to 9999: a date that was read from a string is written as the same
/// string.
extension Date: DatabaseValueConvertible, StatementColumnConvertible {
    /// The value as a TEXT.
    ///
    /// - Precondition: the date is in the years 0000 to 9999. ``bindingValue()``, which all writes call, throws for other dates.
    public var databaseValue: DatabaseValue { bindingValueOrStop() }

    /// Returns the value as a TEXT.
    ///
    /// - Throws: a `DatabaseError` when the date is not in the years 0000 to 9999.
    public func bindingValue() throws -> DatabaseValue { try checkedDateTimeText().shortBinding.databaseValue }

    /// The date, for which record types may have an encoding strategy.
    @inlinable
    public var columnEncodableValue: (any DatabaseValueConvertible & Sendable)? { self }

    /// Returns the bytes of the TEXT, or nil when the date is not in the years 0000 to 9999.
    public func shortBinding() -> ShortBinding? { dateTimeText?.shortBinding }

    /// Binds the TEXT without making a string.
    ///
    /// - Returns: a result code of SQLite; `SQLITE_MISMATCH` when the date is not in the years 0000 to 9999.
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        dateTimeText?.shortBinding.bind(to: sqliteStatement, at: index) ?? ResultCode.SQLITE_MISMATCH.rawValue
    }

    /// Reads a TEXT, or an INTEGER or a REAL that is a number of seconds since 1970.
    ///
    /// A TEXT is in one of these formats of SQLite:
    ///
    /// - `YYYY-MM-DD`
    /// - `YYYY-MM-DD HH:MM`
    /// - `YYYY-MM-DD HH:MM:SS`
    /// - `YYYY-MM-DD HH:MM:SS.SSS`, where the fraction has any number of digits
    ///
    /// Date and time are separated by a `T` or a space. An optional time zone follows the time: `Z`, `+HH:MM` or `-HH:MM`. Without a time
    /// zone, the time is in UTC.
    ///
    /// Returns nil for any other TEXT, such as a time without a date, for a day that the month does not have, and for an infinite REAL.
    ///
    /// Source: <https://www.sqlite.org/lang_datefunc.html#time_values>
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Date? {
        switch dbValue.storage {
        case .string(var text): text.withUTF8 { Date(databaseText: UnsafeRawBufferPointer($0)) }
        case .int64(let seconds): Date(databaseSeconds: Double(seconds))
        case .double(let seconds): Date(databaseSeconds: seconds)
        case .null, .blob: nil
        }
    }

    /// Reads a TEXT, or an INTEGER or a REAL that is a number of seconds since 1970, like ``fromDatabaseValue(_:)``, without making a
    /// string.
    @inlinable
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> Date? {
        let value = statement.unprotectedValue(atUnchecked: index)
        return switch value.storage {
        case .text: value.withUnsafeText { Date(databaseText: $0) }
        case .integer, .real: value.double.flatMap { Date(databaseSeconds: $0) }
        case .null, .blob: nil
        }
    }
}

// MARK: - Julian days

extension Date {
    /// Creates a date from a Julian day number: the number of days since noon in Greenwich on November 24, 4714 BC. SQLite's function
    /// `julianday` computes such numbers.
    ///
    /// ```swift
    /// Date(julianDay: 2_451_910.5)  // January 1, 2001 at midnight
    /// ```
    ///
    /// The number is rounded to the nearest millisecond, as SQLite does, because a `Double` has hardly more digits.
    ///
    /// - Parameter julianDay: a number of days, from 0 to the end of the year 9999.
    /// - Returns: nil for other numbers, for which SQLite's date functions return NULL.
    ///
    /// Source: <https://www.sqlite.org/lang_datefunc.html#julday>
    public init?(julianDay: Double) {
        let milliseconds = (julianDay * 86_400_000).rounded()
        // NaN fails both comparisons. The last millisecond of the year 9999 is 464,269,060,799,999.
        guard milliseconds >= 0, milliseconds < 464_269_060_800_000 else { return nil }
        self.init(millisecondsSinceReferenceDate: Int64(milliseconds) - 211_845_067_200_000)
    }

    // MARK: - Strings and numbers

    /// Reads a string that contains a date.
    @usableFromInline
    init?(databaseText bytes: UnsafeRawBufferPointer) {
        guard let text = DateTimeText(bytes), text.format.hasDate else { return nil }
        let days = Int64(text.date.dayNumber - GregorianDate.referenceDay)
        let seconds = (text.hour * 60 + text.minute) * 60 + text.second - (text.secondsFromGMT ?? 0)
        self.init(secondsSinceReferenceDate: days * 86_400 + Int64(seconds), nanoseconds: text.nanosecond)
    }

    /// Reads a number of seconds since 1970. Returns nil when it is infinite.
    @inlinable
    init?(databaseSeconds seconds: Double) {
        guard seconds.isFinite else { return nil }
        self.init(timeIntervalSince1970: seconds)
    }

    private init(secondsSinceReferenceDate seconds: Int64, nanoseconds: Int) {
        self.init(timeIntervalSinceReferenceDate: Double(seconds) + Double(nanoseconds) / 1_000_000_000)
    }

    private init(millisecondsSinceReferenceDate milliseconds: Int64) {
        let (seconds, remainder) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        // The sum is the same as for strings, so that both give the same date.
        self.init(
            secondsSinceReferenceDate: remainder < 0 ? seconds - 1 : seconds,
            nanoseconds: Int(remainder < 0 ? remainder + 1000 : remainder) * 1_000_000)
    }

    /// Returns the date's text.
    ///
    /// - Throws: a `DatabaseError` when the date is not in the years 0000 to 9999.
    func checkedDateTimeText() throws -> DateTimeText {
        if let text = dateTimeText { return text }
        // The date's own description can't be used, because Foundation has none for such distant dates.
        throw DatabaseError(
            code: .SQLITE_MISMATCH, message: "a date is outside the years 0000 to 9999 of SQLite's dates",
            value: "Date(timeIntervalSince1970: \(timeIntervalSince1970))", advice: nil)
    }

    /// The date's text, or nil when it is not in the years 0000 to 9999.
    @inline(__always)
    var dateTimeText: DateTimeText? {
        // Milliseconds are counted from the reference date, as `Date` does. Counting from another date would round twice.
        var milliseconds = (timeIntervalSinceReferenceDate * 1000).rounded()
        let start = Double(GregorianDate.referenceDay) * -86_400_000
        let end = start + Double(GregorianDate.dayLimit) * 86_400_000
        // The nearest millisecond to the last half of one is in the year 10000. Strings with more digits can hold such dates.
        if milliseconds == end, timeIntervalSinceReferenceDate * 1000 < end { milliseconds = end - 1 }
        // NaN fails both comparisons.
        guard milliseconds >= start, milliseconds < end else { return nil }
        // From here on, no number is negative, and the milliseconds are rounded.
        let (day, millisecond) = UInt64(milliseconds - start).quotientAndRemainder(dividingBy: 86_400_000)
        var time = UInt32(truncatingIfNeeded: millisecond)
        var text = DateTimeText(format: .YMD_HMSS)
        text.date = GregorianDate(dayNumber: Int(truncatingIfNeeded: day))
        text.nanosecond = Int(truncatingIfNeeded: time % 1000) * 1_000_000
        time /= 1000
        text.second = Int(truncatingIfNeeded: time % 60)
        time /= 60
        text.minute = Int(truncatingIfNeeded: time % 60)
        text.hour = Int(truncatingIfNeeded: time / 60)
        return text
    }
}
