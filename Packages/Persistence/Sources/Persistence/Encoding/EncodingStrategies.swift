import Foundation
import QueryInterface

/// How binary data is written to a column.
public enum DatabaseDataEncodingStrategy: Sendable {
    /// As a BLOB.
    case deferredToData

    /// As a TEXT. The data must be valid UTF-8.
    case text

    /// By a function. It returns nil for NULL.
    case custom(@Sendable (Data) -> (any DatabaseValueConvertible)?)
}

/// How dates are written to a column.
///
/// Every strategy throws an error for a date that it can't write: NaN, an infinite date, or a date outside of the format's range.
public enum DatabaseDateEncodingStrategy: Sendable {
    /// As `Date` writes itself: "YYYY-MM-DD HH:MM:SS.SSS" in UTC.
    case deferredToDate

    /// As `DatabaseTimestamp` writes it: "YYYY-MM-DD HH:MM:SS" in UTC, followed by ".SSS" only if the date has milliseconds.
    ///
    /// Choose it for columns that `CURRENT_TIMESTAMP` or `datetime()` fills in, so that SQL finds a date that was read from one:
    ///
    /// ```sql
    /// CREATE TABLE event (
    ///     id INTEGER PRIMARY KEY,
    ///     createdAt DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP)
    /// ```
    case databaseTimestamp

    /// As a number of seconds since 2001-01-01 00:00:00 UTC, with a fraction.
    case timeIntervalSinceReferenceDate

    /// As a number of seconds since 1970-01-01 00:00:00 UTC, with a fraction.
    case timeIntervalSince1970

    /// As a whole number of seconds since 1970-01-01 00:00:00 UTC, which drops the fraction.
    case secondsSince1970

    /// As a whole number of milliseconds since 1970-01-01 00:00:00 UTC, which drops smaller fractions.
    case millisecondsSince1970

    /// As a string in the format of ISO 8601 and RFC 3339, such as "1969-07-20T20:17:40Z", for the years 0000 to 9999.
    ///
    /// The format has whole seconds: milliseconds are dropped.
    case iso8601

    /// As a string in a format of your own, with the precision of the format. An empty string is an error.
    case formatted(DateFormatter)

    /// By a function. It returns nil for NULL.
    case custom(@Sendable (Date) -> (any DatabaseValueConvertible)?)
}

/// How UUIDs are written to a column.
public enum DatabaseUUIDEncodingStrategy: Sendable {
    /// As a BLOB of 16 bytes.
    case deferredToUUID

    /// As a TEXT such as "e621e1f8-c36c-495a-93fc-0c247a3e6e5f".
    case lowercaseString

    /// As a TEXT such as "E621E1F8-C36C-495A-93FC-0C247A3E6E5F".
    case uppercaseString
}

/// How coding keys are converted to column names.
public enum DatabaseColumnEncodingStrategy: Sendable {
    /// A column has the name of its coding key.
    case useDefaultKeys

    /// `playerId` is written to the column `player_id`.
    case convertToSnakeCase

    /// By a function that converts a coding key to a column name.
    case custom(@Sendable (any CodingKey) -> String)
}
