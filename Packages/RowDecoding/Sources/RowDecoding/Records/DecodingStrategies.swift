import Foundation
import ValueConversion

/// How `Decodable` records decode data from a column.
public enum DatabaseDataDecodingStrategy: Sendable {
    /// Decodes data as `Data` does: from a BLOB, or from the UTF-8 bytes of a TEXT.
    case deferredToData

    /// Decodes with a function, which returns nil for a value that it can't decode.
    case custom(@Sendable (DatabaseValue) -> Data?)
}

/// How `Decodable` records decode dates from a column.
public enum DatabaseDateDecodingStrategy: Sendable {
    /// Decodes dates as `Date` does: from "YYYY-MM-DD HH:MM:SS.SSS" in UTC and related formats, or from Unix time.
    case deferredToDate

    /// Decodes a number of seconds since 2001-01-01 00:00:00 UTC.
    case timeIntervalSinceReferenceDate

    /// Decodes a number of seconds since 1970-01-01 00:00:00 UTC.
    case timeIntervalSince1970

    /// Decodes a number of milliseconds since 1970-01-01 00:00:00 UTC.
    case millisecondsSince1970

    /// Decodes a string in the format of ISO 8601 and RFC 3339, such as "1969-07-20T20:17:40Z".
    case iso8601

    /// Decodes a string in a format of your own.
    case formatted(DateFormatter)

    /// Decodes with a function, which returns nil for a value that it can't decode.
    case custom(@Sendable (DatabaseValue) -> Date?)
}

/// How `Decodable` records convert column names to coding keys.
public enum DatabaseColumnDecodingStrategy: Sendable {
    /// Coding keys have the names of the columns.
    case useDefaultKeys

    /// Converts column names from snake case: the column `player_id` has the coding key `playerId`.
    case convertFromSnakeCase

    /// Converts column names with a function.
    case custom(@Sendable (String) -> any CodingKey)
}
