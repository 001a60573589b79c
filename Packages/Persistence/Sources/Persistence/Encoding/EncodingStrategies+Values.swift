import Foundation
import QueryInterface

// Encodes values by a strategy: for Encodable records, for requests, and for programs that write SQL.

extension DatabaseDateEncodingStrategy {
    /// Returns the database value of a date.
    ///
    /// Requests apply the strategy of a column automatically: see ``EncodableRecord/databaseDateEncodingStrategy(for:)``. For raw
    /// SQL, call this method:
    ///
    /// ```swift
    /// let start = try Event.databaseDateEncodingStrategy(for: "startsAt")
    ///     .databaseValue(for: date)
    /// try db.execute(
    ///     sql: "DELETE FROM event WHERE startsAt + 3600 < ?", arguments: [start])
    /// ```
    ///
    /// - Throws: `DatabaseError` when the strategy can't write the date.
    public func databaseValue(for date: Date) throws -> DatabaseValue {
        switch self {
        case .deferredToDate:
            return try date.bindingValue()
        case .databaseTimestamp:
            return try DatabaseTimestamp(date).bindingValue()
        case .timeIntervalSinceReferenceDate:
            return try real(date.timeIntervalSinceReferenceDate, date)
        case .timeIntervalSince1970:
            return try real(date.timeIntervalSince1970, date)
        case .secondsSince1970:
            return try integer(date.timeIntervalSince1970.rounded(.down), date)
        case .millisecondsSince1970:
            return try integer(wholeMilliseconds(date), date)
        case .iso8601:
            return try iso8601(date).databaseValue
        case .formatted(let formatter):
            return try text(formatter, date).databaseValue
        case .custom(let value):
            return try value(date)?.bindingValue() ?? .null
        }
    }

    /// Returns the database value of a date, or nil if the strategy defers to `Date`.
    func databaseValue(ifNotDeferred date: Date) throws -> DatabaseValue? {
        if case .deferredToDate = self { return nil }
        return try databaseValue(for: date)
    }

    /// The milliseconds since 1970, rounded down.
    ///
    /// A `Double` of seconds represents few milliseconds exactly. A date within rounding precision of a whole millisecond counts as
    /// that millisecond, so that a date that is read and written again keeps its number.
    private func wholeMilliseconds(_ date: Date) -> Double {
        let seconds = date.timeIntervalSince1970
        let precision = max(seconds.ulp, date.timeIntervalSinceReferenceDate.ulp) * 1000
        let milliseconds = seconds * 1000
        let nearest = milliseconds.rounded()
        return abs(nearest - milliseconds) <= precision ? nearest : milliseconds.rounded(.down)
    }

    /// Returns a number as REAL. Throws for NaN, which SQLite stores as NULL, and for infinity.
    private func real(_ number: Double, _ date: Date) throws -> DatabaseValue {
        guard number.isFinite else { throw error(date, "it is not finite") }
        return number.databaseValue
    }

    /// Returns a whole number as INTEGER.
    private func integer(_ number: Double, _ date: Date) throws -> DatabaseValue {
        guard let integer = Int64(exactly: number) else { throw error(date, "it is out of the range of an INTEGER") }
        return integer.databaseValue
    }

    private func iso8601(_ date: Date) throws -> String {
        // Beyond the range of its calendar, Foundation formats a different date. Years have at most four digits in this format.
        let text = date.timeIntervalSince1970.isFinite ? date.formatted(.iso8601) : ""
        guard text.utf8.count == "1969-07-20T20:17:40Z".utf8.count, text.first?.isNumber == true else {
            throw error(date, "it is outside the years 0000 to 9999 of ISO 8601")
        }
        return text
    }

    private func text(_ formatter: DateFormatter, _ date: Date) throws -> String {
        // The range of ICU's calendars: <https://unicode-org.github.io/icu-docs/apidoc/dev/icu4c/classicu_1_1Calendar.html>. Beyond it,
        // formatters write an empty string, or another date.
        guard (-184_303_902_528_000...183_882_168_921_600).contains(date.timeIntervalSince1970) else {
            throw error(date, "it is out of the range of a DateFormatter")
        }
        let text = formatter.string(from: date)
        guard !text.isEmpty else { throw error(date, "the DateFormatter returns an empty string") }
        return text
    }

    private func error(_ date: Date, _ reason: String) -> DatabaseError {
        // Foundation has no description of dates this far away.
        DatabaseError(
            code: .SQLITE_MISMATCH, message: "a date can't be stored: \(reason)",
            value: "Date(timeIntervalSince1970: \(date.timeIntervalSince1970))", advice: nil)
    }
}

extension DatabaseUUIDEncodingStrategy {
    /// Returns the database value of a UUID.
    public func databaseValue(for uuid: UUID) -> DatabaseValue {
        switch self {
        case .deferredToUUID: uuid.databaseValue
        case .lowercaseString: uuid.uuidString.lowercased().databaseValue
        case .uppercaseString: uuid.uuidString.databaseValue
        }
    }

    /// Returns the database value of a UUID, or nil if the strategy defers to `UUID`.
    func databaseValue(ifNotDeferred uuid: UUID) -> DatabaseValue? {
        if case .deferredToUUID = self { return nil }
        return databaseValue(for: uuid)
    }
}

extension DatabaseDataEncodingStrategy {
    /// Returns the database value of binary data.
    ///
    /// - Throws: `DatabaseError` when the strategy can't write the data.
    public func databaseValue(for data: Data) throws -> DatabaseValue {
        switch self {
        case .deferredToData:
            return data.databaseValue
        case .text:
            guard let text = String.fromDatabaseValue(data.databaseValue) else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISMATCH, message: "data of \(data.count) bytes can't be stored as text: it is not valid UTF-8")
            }
            return text.databaseValue
        case .custom(let value):
            return try value(data)?.bindingValue() ?? .null
        }
    }

    /// Returns the database value of binary data, or nil if the strategy defers to `Data`.
    func databaseValue(ifNotDeferred data: Data) throws -> DatabaseValue? {
        if case .deferredToData = self { return nil }
        return try databaseValue(for: data)
    }
}
