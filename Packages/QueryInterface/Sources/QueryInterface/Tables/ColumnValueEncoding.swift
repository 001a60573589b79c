import RowDecoding

/// A record type that defines how the columns of its table store Swift values.
///
/// Requests consult it wherever a value such as a `Date`, a `UUID` or a `Data` meets a column of the record type's table: in a comparison
/// with the column, as a part of a key, and in an assignment. A condition thus compares values in the form that is stored.
///
/// Records that encode themselves conform by their encoding strategies, in the layer that declares these. A record type that only
/// decodes does not conform: requests then compare the value's own ``DatabaseValueConvertible/databaseValue``. If the table stores
/// values in another form, conform the record type:
///
/// ```swift
/// struct Event: Decodable, FetchableRecord, TableRecord, ColumnValueEncoding {
///     var startsAt: Date
///
///     static func databaseValue(
///         of value: any DatabaseValueConvertible & Sendable, inColumn column: String
///     ) throws -> DatabaseValue? {
///         (value as? Date)?.timeIntervalSince1970.databaseValue
///     }
/// }
///
/// // SELECT * FROM "event" WHERE "startsAt" < 1767225600.0
/// Event.filter(Column("startsAt") < date)
/// ```
///
/// Values are encoded when the other side is a column alone, a column with a collation, or `min`, `max`, `??` and the like of
/// columns. They are not encoded in handwritten SQL, or when the other side computes its value, as `Column("startsAt") + 60` and other
/// functions do: a date then has its default form. Compare with a number or a string instead: `Column("startsAt") + 60 <
/// date.timeIntervalSince1970`. The alias of a selected expression counts as a column of the table.
public protocol ColumnValueEncoding {
    /// Returns the database value that a column stores for a Swift value.
    ///
    /// - Parameters:
    ///   - value: a `Date`, a `UUID`, a `Data`, or another type's ``DatabaseValueConvertible/columnEncodableValue``. Types that are always
    ///     stored in the same way, such as numbers and strings, are never passed.
    ///   - column: the name of the column, as the table defines it.
    /// - Returns: the stored value, or nil when the column stores the value's own database value.
    /// - Throws: an error when the column can't store the value. The request throws it when it runs.
    static func databaseValue(of value: any DatabaseValueConvertible & Sendable, inColumn column: String) throws -> DatabaseValue?
}

/// A record type that defines the conflict resolution of requests that update its table.
///
/// Records that write themselves conform by their conflict policy, in the layer that declares it.
public protocol RequestUpdatePolicy {
    /// The conflict resolution of updates that don't specify one.
    static var conflictResolutionForRequestUpdate: Database.ConflictResolution { get }
}

extension Relation {
    /// Returns the conflict resolution of an update: the explicit one, or else the record type's.
    func conflictResolution(_ explicit: Database.ConflictResolution?) -> Database.ConflictResolution {
        explicit ?? (recordType as? any RequestUpdatePolicy.Type)?.conflictResolutionForRequestUpdate ?? .abort
    }
}
