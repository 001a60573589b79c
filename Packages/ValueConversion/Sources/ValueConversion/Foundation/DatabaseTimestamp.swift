import Foundation
import SQLiteDriver

/// A date that is stored as SQLite's `CURRENT_TIMESTAMP` and `datetime()` write dates.
///
/// ```swift
/// // INSERT INTO event (createdAt) VALUES ('2026-11-28 10:00:00')
/// try db.execute(
///     sql: "INSERT INTO event (createdAt) VALUES (?)",
///     arguments: [DatabaseTimestamp(Date(timeIntervalSince1970: 1_795_860_000))])
/// ```
///
/// The TEXT is `YYYY-MM-DD HH:MM:SS` in UTC, followed by `.SSS` only if the date has milliseconds, whereas a `Date` is always stored with
/// milliseconds. As `'10:00:00' < '10:00:00.001' < '10:00:01'`, TEXT in this format sorts like the dates, and no millisecond is lost. Whole
/// seconds of both formats must not be mixed in one column: `'10:00:00'` and `'10:00:00.000'` are not equal.
///
/// Records write a column in this format by `DatabaseDateEncodingStrategy.databaseTimestamp`.
///
/// Source: <https://www.sqlite.org/lang_datefunc.html#overview>
public struct DatabaseTimestamp: DatabaseValueConvertible, StatementColumnConvertible, Hashable, Sendable {
    /// The date.
    public var date: Date

    /// Creates a value that stores a date.
    public init(_ date: Date) {
        self.date = date
    }

    /// The value as a TEXT.
    ///
    /// - Precondition: the date is in the years 0000 to 9999. ``bindingValue()``, which all writes call, throws for other dates.
    public var databaseValue: DatabaseValue { bindingValueOrStop() }

    /// Returns the value as a TEXT.
    ///
    /// - Throws: a `DatabaseError` when the date is not in the years 0000 to 9999.
    public func bindingValue() throws -> DatabaseValue { try Self.binding(date.checkedDateTimeText()).databaseValue }

    /// Returns the bytes of the TEXT, or nil when the date is not in the years 0000 to 9999.
    public func shortBinding() -> ShortBinding? { date.dateTimeText.map(Self.binding) }

    /// Binds the TEXT without making a string.
    ///
    /// - Returns: a result code of SQLite; `SQLITE_MISMATCH` when the date is not in the years 0000 to 9999.
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        shortBinding()?.bind(to: sqliteStatement, at: index) ?? ResultCode.SQLITE_MISMATCH.rawValue
    }

    /// Reads all that `Date` reads: see `Date.fromDatabaseValue(_:)`.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> DatabaseTimestamp? {
        Date.fromDatabaseValue(dbValue).map { DatabaseTimestamp($0) }
    }

    /// Reads all that `Date` reads, like ``fromDatabaseValue(_:)``, without making a string.
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> DatabaseTimestamp? {
        Date.fromStatement(statement, atUncheckedIndex: index).map { DatabaseTimestamp($0) }
    }

    private static func binding(_ text: DateTimeText) -> ShortBinding {
        changed(text) { if $0.nanosecond == 0 { $0.format = .YMD_HMS } }.shortBinding
    }
}
