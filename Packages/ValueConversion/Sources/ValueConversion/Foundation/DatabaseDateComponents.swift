import Foundation
import SQLiteDriver

/// Date components that are stored as TEXT in one of the formats of SQLite's date functions: a date, a time of day, or both.
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
/// Unlike a `Date`, date components are not tied to a time zone.
///
/// Source: <https://www.sqlite.org/lang_datefunc.html#time_values>
public struct DatabaseDateComponents: Hashable, Sendable {
    /// The formats. The raw values are the notations of SQLite's documentation.
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
    /// Components that were read from the database have the values of the format, and the time zone if the text has one.
    public let dateComponents: DateComponents

    /// The format in which the components are stored, or were read.
    public let format: Format

    /// Creates components to store.
    ///
    /// - Parameters:
    ///   - dateComponents: the components. Only the components of the format are stored. Missing components default to the year 0, the
    ///     month and day 1, and the hour, minute, second and nanosecond 0. The time zone is not stored.
    ///   - format: the format of the text.
    public init(_ dateComponents: DateComponents, format: Format) {
        self.dateComponents = dateComponents
        self.format = format
    }
}

extension DatabaseDateComponents: DatabaseValueConvertible, StatementColumnConvertible {
    /// The value as a TEXT.
    ///
    /// - Precondition: the components are in range. ``bindingValue()``, which all writes call, throws otherwise.
    public var databaseValue: DatabaseValue { bindingValueOrStop() }

    /// Returns the value as a TEXT.
    ///
    /// Nanoseconds are rounded to the nearest millisecond, but never up to the next second.
    ///
    /// - Throws: a `DatabaseError` that names the component of the format that is out of range: the year from 0 to 9999, the
    ///   month from 1 to 12, the day from 1 to the number of days of the month, and so on.
    public func bindingValue() throws -> DatabaseValue {
        try dateTimeText().shortBinding.databaseValue
    }

    /// Binds the TEXT without making a string.
    ///
    /// - Returns: a result code of SQLite; `SQLITE_MISMATCH` when a component of the format is out of range.
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        guard let text = try? dateTimeText() else { return ResultCode.SQLITE_MISMATCH.rawValue }
        return text.shortBinding.bind(to: sqliteStatement, at: index)
    }

    /// Reads a TEXT in one of the formats. Date and time are separated by a `T` or a space, the fraction of a second has any number of
    /// digits, and an optional time zone follows the time: `Z`, `+HH:MM` or `-HH:MM`.
    ///
    /// Returns nil for a day that the month does not have, and for other storage classes.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> DatabaseDateComponents? {
        guard case .string(var text) = dbValue.storage else { return nil }
        return text.withUTF8 { Self(databaseText: UnsafeRawBufferPointer($0)) }
    }

    /// Reads a TEXT like ``fromDatabaseValue(_:)``, without making a string.
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> DatabaseDateComponents? {
        let value = statement.unprotectedValue(atUnchecked: index)
        guard value.storage == .text else { return nil }
        return value.withUnsafeText { Self(databaseText: $0) }
    }
}

// MARK: - Codable

extension DatabaseDateComponents: Codable {
    /// Decodes the text that the database would store.
    ///
    /// - Throws: `DecodingError.dataCorrupted` when the text has none of the formats.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        var text = try container.decode(String.self)
        guard let components = text.withUTF8({ Self(databaseText: UnsafeRawBufferPointer($0)) }) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "The text is not a date or a time of SQLite.")
        }
        self = components
    }

    /// Encodes the text that the database would store.
    ///
    /// - Throws: `EncodingError.invalidValue` when a component is out of range.
    public func encode(to encoder: any Encoder) throws {
        let text: DateTimeText
        do {
            text = try dateTimeText()
        } catch {
            // Swift prints the value that the error contains.
            throw EncodingError.invalidValue(
                Self.self,
                EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "\(error)", underlyingError: error))
        }
        var container = encoder.singleValueContainer()
        try container.encode(text.shortBinding.string)
    }
}

// MARK: - Strings

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

    /// Returns the text of the components.
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
            // Rounding up 23:59:59.9996 would need the next day, which a time of day does not have. So rounding never carries to the next
            // second.
            text.nanosecond = min((nanosecond + 500_000) / 1_000_000, 999) * 1_000_000
        }
        return text
    }

    private func check(_ value: Int?, or standIn: Int, _ name: String, isIn range: ClosedRange<Int>) throws -> Int {
        guard let value else { return standIn }
        guard range.contains(value) else {
            throw DatabaseError(
                code: .SQLITE_MISMATCH,
                message: "the \(name) of date components is not between \(range.lowerBound) and \(range.upperBound)",
                value: "\(value)", advice: nil)
        }
        return value
    }
}
