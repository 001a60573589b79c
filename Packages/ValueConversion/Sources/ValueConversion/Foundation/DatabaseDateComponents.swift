import Foundation
import SQLiteDriver

/// Date components that are stored as a text, in one of the formats of SQLite's date functions: a day without time, a time of
/// day without date, or both.
///
/// ```swift
/// let birthday = DateComponents(year: 1973, month: 9, day: 18)
///
/// // Stores '1973-09-18'
/// try db.execute(
///     sql: "INSERT INTO player (birthDate) VALUES (?)",
///     arguments: [DatabaseDateComponents(birthday, format: .YMD)])
/// ```
///
/// Unlike a `Date`, they are not tied to a time zone.
///
/// Source: <https://www.sqlite.org/lang_datefunc.html#time_values>
public struct DatabaseDateComponents: Hashable, Sendable {
    /// The formats, each with the text that SQLite's documentation has for it.
    public enum Format: String, CaseIterable, Codable, Sendable {
        /// A date, such as `1973-09-18`.
        case YMD = "YYYY-MM-DD"
        /// A date and a time to the minute, such as `1973-09-18 10:30`.
        case YMD_HM = "YYYY-MM-DD HH:MM"
        /// A date and a time to the second, such as `1973-09-18 10:30:15`.
        case YMD_HMS = "YYYY-MM-DD HH:MM:SS"
        /// A date and a time to the millisecond, such as `1973-09-18 10:30:15.123`.
        case YMD_HMSS = "YYYY-MM-DD HH:MM:SS.SSS"
        /// A time to the minute, such as `10:30`.
        case HM = "HH:MM"
        /// A time to the second, such as `10:30:15`.
        case HMS = "HH:MM:SS"
        /// A time to the millisecond, such as `10:30:15.123`.
        case HMSS = "HH:MM:SS.SSS"

        var hasDate: Bool {
            switch self {
            case .YMD, .YMD_HM, .YMD_HMS, .YMD_HMSS: true
            case .HM, .HMS, .HMSS: false
            }
        }

        var hasTime: Bool { self != .YMD }

        var hasSecond: Bool {
            switch self {
            case .YMD_HMS, .YMD_HMSS, .HMS, .HMSS: true
            case .YMD, .YMD_HM, .HM: false
            }
        }

        var hasFraction: Bool { self == .YMD_HMSS || self == .HMSS }
    }

    /// The components.
    ///
    /// Those that were read from the database have the components of their format, and a time zone if the text has one.
    public let dateComponents: DateComponents

    /// The format in which the components are stored, or were read.
    public let format: Format

    /// Makes components to store.
    ///
    /// - Parameters:
    ///   - dateComponents: the components, of which those that the format has are stored. In place of a missing one stands the
    ///     year 0, the month or day 1, the hour, minute, second or nanosecond 0. A time zone is not stored.
    ///   - format: the format of the text.
    public init(_ dateComponents: DateComponents, format: Format) {
        self.dateComponents = dateComponents
        self.format = format
    }
}

extension DatabaseDateComponents: DatabaseValueConvertible, StatementColumnConvertible {
    /// The TEXT.
    ///
    /// - Precondition: the components are those of a day and a time, as ``bindingValue()``, by which values are written, checks.
    public var databaseValue: DatabaseValue {
        do {
            return try bindingValue()
        } catch {
            fatalError("\(error). Writing it to the database throws this error; bindingValue() does so too.")
        }
    }

    /// The TEXT.
    ///
    /// Nanoseconds are rounded to the nearest millisecond, but never up to the next second.
    ///
    /// - Throws: a `DatabaseError` that names a component of the format when it is out of range: the year from 0 to 9999, the
    ///   month from 1 to 12, the day from 1 to the number of days of the month, and so on.
    public func bindingValue() throws -> DatabaseValue {
        try dateTimeText().databaseValue
    }

    /// Binds the TEXT, without making a string.
    ///
    /// - Returns: a result code of SQLite; `SQLITE_MISMATCH` when a component of the format is out of range.
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        guard let text = try? dateTimeText() else { return ResultCode.SQLITE_MISMATCH.rawValue }
        return text.bind(to: sqliteStatement, at: index)
    }

    /// A TEXT in one of the formats, with a `T` or a space between date and time, any number of digits in the fraction of a
    /// second, and a time zone or none after the time: `Z`, `+HH:MM` or `-HH:MM`.
    ///
    /// There is no value for a day that the month does not have, nor for other storage classes.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> DatabaseDateComponents? {
        guard case .string(var text) = dbValue.storage else { return nil }
        return text.withUTF8 { Self(databaseText: UnsafeRawBufferPointer($0)) }
    }

    /// A TEXT in one of the formats, as ``fromDatabaseValue(_:)`` reads it, without a string in between.
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> DatabaseDateComponents? {
        let value = statement.unprotectedValue(atUnchecked: index)
        guard value.storage == .text else { return nil }
        return value.withUnsafeText { Self(databaseText: $0) }
    }
}

// MARK: - Codable

extension DatabaseDateComponents: Codable {
    /// Reads the text that the database would hold.
    ///
    /// - Throws: `DecodingError.dataCorrupted` for a text in none of the formats.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        var text = try container.decode(String.self)
        guard let components = text.withUTF8({ Self(databaseText: UnsafeRawBufferPointer($0)) }) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is not a date or a time of SQLite.")
        }
        self = components
    }

    /// Writes the text that the database would hold.
    ///
    /// - Throws: `EncodingError.invalidValue` when a component is out of range.
    public func encode(to encoder: any Encoder) throws {
        let text: DateTimeText
        do {
            text = try dateTimeText()
        } catch {
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "\(error)", underlyingError: error))
        }
        var container = encoder.singleValueContainer()
        try container.encode(text.string)
    }
}

// MARK: - Texts

extension DatabaseDateComponents {
    private init?(databaseText bytes: UnsafeRawBufferPointer) {
        guard let text = DateTimeText(bytes) else { return nil }
        var components = DateComponents()
        if text.format.hasDate {
            components.year = text.date.year
            components.month = text.date.month
            components.day = text.date.day
        }
        if text.format.hasTime {
            components.hour = text.hour
            components.minute = text.minute
            components.timeZone = text.secondsFromGMT.flatMap { TimeZone(secondsFromGMT: $0) }
        }
        if text.format.hasSecond { components.second = text.second }
        if text.format.hasFraction { components.nanosecond = text.nanosecond }
        self.init(components, format: text.format)
    }

    /// The components' text.
    private func dateTimeText() throws -> DateTimeText {
        var text = DateTimeText(format: format)
        if format.hasDate {
            text.date.year = try check(dateComponents.year, or: 0, "year", isIn: 0...9999)
            text.date.month = try check(dateComponents.month, or: 1, "month", isIn: 1...12)
            let dayCount = GregorianDate.dayCount(ofMonth: text.date.month, year: text.date.year)
            text.date.day = try check(dateComponents.day, or: 1, "day", isIn: 1...dayCount)
        }
        if format.hasTime {
            text.hour = try check(dateComponents.hour, or: 0, "hour", isIn: 0...23)
            text.minute = try check(dateComponents.minute, or: 0, "minute", isIn: 0...59)
        }
        if format.hasSecond {
            text.second = try check(dateComponents.second, or: 0, "second", isIn: 0...59)
        }
        if format.hasFraction {
            let nanosecond = try check(dateComponents.nanosecond, or: 0, "nanosecond", isIn: 0...999_999_999)
            // A time of day has no next second to carry to after 23:59:59; so none is carried to anywhere.
            text.nanosecond = min((nanosecond + 500_000) / 1_000_000, 999) * 1_000_000
        }
        return text
    }

    private func check(_ value: Int?, or standIn: Int, _ name: String, isIn range: ClosedRange<Int>) throws -> Int {
        guard let value else { return standIn }
        guard range.contains(value) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISMATCH,
                message: "the \(name) \(value) of date components is not in \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }
}
