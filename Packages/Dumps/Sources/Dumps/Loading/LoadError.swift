/// An error in a file that was being loaded.
///
/// ```swift
/// do {
///     try db.load(.csv(.file(url)), into: "player")
/// } catch let error as LoadError {
///     print(error)
///     // line 17, column "score": NOT NULL constraint failed: player.score
/// }
/// ```
public struct LoadError: Error, CustomStringConvertible {
    /// The number of the line in which the record begins, from 1. Lines end with LF, CR LF or CR.
    public let line: Int

    /// The column of the table, if one is known.
    public let column: String?

    /// What is wrong, without a final period.
    public let message: String

    /// What to do about the error, if that is known.
    public let advice: String?

    /// The error that was thrown when the row was inserted, if any: a ``DatabaseError``.
    public let underlyingError: (any Error)?

    init(line: Int, column: String?, message: String, advice: String? = nil, underlyingError: (any Error)? = nil) {
        self.line = line
        self.column = column
        self.message = message
        self.advice = advice
        self.underlyingError = underlyingError
    }

    /// The line, the column and the message in one sentence, and the advice in another.
    public var description: String {
        "line \(line)\(column.map { ", column \($0.debugDescription)" } ?? ""): \(message)\(advice.map { ". \($0)" } ?? "")"
    }

    /// The column and the message.
    var reason: String { (column.map { "column \($0.debugDescription): " } ?? "") + message }
}

extension LoadError: ErrorWithCause {}

/// The progress of a load.
public struct LoadProgress: Sendable, Equatable {
    /// The number of rows that were inserted.
    public let rowCount: Int

    /// The number of bytes that were read, as UTF-8.
    public let byteCount: Int

    /// The number of bytes of the file; nil if it is not known, as for a pipe, and in other encodings than UTF-8.
    public let totalByteCount: Int?

    /// The number of records that were read: rows that were inserted, rows that a conflict resolution has ignored, and records that were
    /// rejected or skipped.
    public let recordCount: Int

    /// The number of records that were rejected.
    public let rejectedCount: Int

    /// Whether the load ends with these records.
    public let isLast: Bool
}

/// The columns of a table that the fields of a CSV file are stored in.
public enum LoadColumns: Sendable {
    /// The first line of the file has the names of the columns, regardless of case.
    case fromHeader

    /// The first line of the file has names, which this dictionary maps to columns. A name that it lacks is a column itself; a field whose
    /// name maps to nil is skipped.
    case renaming([String: String?])

    /// The file has no header. The fields are stored in these columns; nil skips a field.
    case inOrder([String?])
}
