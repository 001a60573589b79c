import Foundation

/// How records become rows, and what happens to those that can't.
///
/// ```swift
/// try db.load(
///     .csv(.file(url)), into: "player",
///     options: LoadOptions(rejects: .file(rejectsURL, limit: 100)))
/// ```
public struct LoadOptions: Sendable {
    /// How texts become values, by the names of the table's columns, regardless of case. The columns must exist.
    public var columns: [String: LoadedColumn]

    /// The table to create if it does not exist; nil if it must exist.
    public var newTable: LoadedTable?

    /// Where records go that can't be loaded; nil if the first one ends the load.
    public var rejects: LoadRejects?

    /// Creates options.
    ///
    /// - Parameters:
    ///   - columns: how texts become values, by the names of the table's columns, regardless of case. The columns must exist.
    ///   - newTable: the table to create if it does not exist; nil if it must exist.
    ///   - rejects: where records go that can't be loaded; nil if the first one ends the load.
    public init(columns: [String: LoadedColumn] = [:], newTable: LoadedTable? = nil, rejects: LoadRejects? = nil) {
        self.columns = columns
        self.newTable = newTable
        self.rejects = rejects
    }
}

/// Where records go that can't be loaded: records that can't be read, have too few or too many fields or values of another kind, or violate a
/// constraint of the table.
///
/// A record is rejected as a whole, and the load continues with the next one. Errors of the file and of the database, such as a full disk,
/// still end the load.
public struct LoadRejects: Sendable {
    enum Destination: Sendable {
        case file(URL)
        case handler(@Sendable (RejectedRecord) throws -> Void)
    }

    let destination: Destination
    let limit: Int

    /// A new file.
    ///
    /// Rejected records of CSV become CSV: `rejected_line` and `rejected_reason` come first, and then the fields of the record as they are in
    /// the file. Once corrected, they can be loaded with `columns: .renaming(["rejected_line": nil, "rejected_reason": nil])`. Those of JSON
    /// become JSON Lines: `{"line":17,"reason":"…","record":{…}}`. The file is created with the first rejected record, and with the
    /// permissions of the file that is loaded. If it exists, the load throws.
    ///
    /// - Parameters:
    ///   - url: the file.
    ///   - limit: the maximum number of rejected records. One more is an error that ends the load.
    public static func file(_ url: URL, limit: Int = 1000) -> LoadRejects {
        LoadRejects(destination: .file(url), limit: limit)
    }

    /// A closure.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of rejected records. One more is an error that ends the load.
    ///   - receive: called for each rejected record of a portion, before the portion is committed. An error that it throws ends the load. If
    ///     a portion is not committed, it is called for the same records when the load continues.
    public static func handler(
        limit: Int = 1000, _ receive: @escaping @Sendable (RejectedRecord) throws -> Void
    ) -> LoadRejects {
        LoadRejects(destination: .handler(receive), limit: limit)
    }
}

/// A record that could not be loaded.
public struct RejectedRecord: Sendable {
    /// Why the record could not be loaded, with the number of its line.
    public let error: LoadError

    /// The record, as it is in the file. Invalid UTF-8 is repaired.
    public let text: String
}
