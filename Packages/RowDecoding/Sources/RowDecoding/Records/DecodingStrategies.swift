import Foundation
import ValueConversion

/// How binary data is read from a column.
public enum DatabaseDataDecodingStrategy: Sendable {
    /// As `Data` reads itself: a BLOB, or the UTF-8 bytes of a TEXT.
    case deferredToData

    /// By a function, which returns nil for a value that it can't decode.
    case custom(@Sendable (DatabaseValue) -> Data?)
}

/// How dates are read from a column.
public enum DatabaseDateDecodingStrategy: Sendable {
    /// As `Date` reads itself: "YYYY-MM-DD HH:MM:SS.SSS" in UTC and related formats, or Unix time.
    case deferredToDate

    /// As a number of seconds since 2001-01-01 00:00:00 UTC.
    case timeIntervalSinceReferenceDate

    /// As a number of seconds since 1970-01-01 00:00:00 UTC.
    case timeIntervalSince1970

    /// As a number of milliseconds since 1970-01-01 00:00:00 UTC.
    case millisecondsSince1970

    /// As a text in the format of ISO 8601 and RFC 3339, such as "1969-07-20T20:17:40Z".
    case iso8601

    /// As a text in a format of your own.
    case formatted(DateFormatter)

    /// By a function, which returns nil for a value that it can't decode.
    case custom(@Sendable (DatabaseValue) -> Date?)
}

/// How the names of coding keys follow from the names of columns.
public enum DatabaseColumnDecodingStrategy: Sendable {
    /// They are the same.
    case useDefaultKeys

    /// `player_id` is the column of `playerId`.
    case convertFromSnakeCase

    /// By a function that makes a coding key of a column's name.
    case custom(@Sendable (String) -> any CodingKey)
}
