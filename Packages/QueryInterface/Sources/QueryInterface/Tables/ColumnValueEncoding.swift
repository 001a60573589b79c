import RowDecoding

/// A record type that says how Swift values are stored in the columns of its table.
///
/// Requests ask it wherever a value such as a `Date`, a `UUID` or a `Data` meets a column of a table that holds such records: where
/// it is compared with the column, is one of its keys, or is assigned to it. So what is looked for has the form of what is stored.
///
/// Records that encode themselves have the conformance by their encoding strategies, in the layer that declares these. A record
/// type that only decodes stores nothing, and has none: values are compared in their own form, ``DatabaseValueConvertible/databaseValue``.
/// If its table stores another one, the record type can say so here:
///
/// ```swift
/// struct Event: FetchableRecord, TableRecord, ColumnValueEncoding {
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
/// The column must stand alone on its side, with a collation at most, or as the argument of `min`, `max`, `??` and the like. No column
/// says how the values of `Column("startsAt") + 60` are stored, or those of other functions' arguments: a date that is compared with
/// them has the form that dates have by default, and so is one in SQL that was written by hand. Give a number or a text there:
/// `Column("startsAt") + 60 < date.timeIntervalSince1970`. The name of a result counts as a column of the table.
public protocol ColumnValueEncoding {
    /// Returns what a column stores for a Swift value.
    ///
    /// - Parameters:
    ///   - value: a `Date`, a `UUID`, a `Data`, or what another type has for its
    ///     ``DatabaseValueConvertible/columnEncodableValue``. Never a value of a type that is stored in one way only, such as a number
    ///     or a text.
    ///   - column: the name of the column, as the table has it.
    /// - Returns: nil when the column stores the value's own database value.
    /// - Throws: an error when the column can't store the value. It is thrown when the request is run.
    static func databaseValue(of value: any DatabaseValueConvertible & Sendable, inColumn column: String) throws -> DatabaseValue?
}

/// A record type that says what becomes of rows that violate a constraint when a request updates them.
///
/// Records that write themselves have the conformance by their conflict policy, in the layer that declares it.
public protocol RequestUpdatePolicy {
    /// What happens to rows that violate a constraint in updates that do not say it themselves.
    static var conflictResolutionForRequestUpdate: Database.ConflictResolution { get }
}

extension Relation {
    /// What happens to rows that violate a constraint: what an update says, or else the record type.
    func conflictResolution(_ explicit: Database.ConflictResolution?) -> Database.ConflictResolution {
        explicit ?? (recordType as? any RequestUpdatePolicy.Type)?.conflictResolutionForRequestUpdate ?? .abort
    }
}
