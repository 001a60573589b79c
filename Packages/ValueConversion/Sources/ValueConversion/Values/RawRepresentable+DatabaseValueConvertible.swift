import SQLiteDriver

// What `RawRepresentable` types need is the declaration:
//
//     enum Grape: String {
//         case chardonnay, merlot, riesling
//     }
//
//     extension Grape: DatabaseValueConvertible {}

extension DatabaseValueConvertible where Self: RawRepresentable, RawValue: DatabaseValueConvertible {
    /// The raw value's database value.
    @inlinable
    public var databaseValue: DatabaseValue { rawValue.databaseValue }

    /// The value to store: ``databaseValue``, which may be another one than the raw value's.
    ///
    /// - Throws: an error that names the raw value, when SQLite can't hold it.
    @inlinable
    public func bindingValue() throws -> DatabaseValue {
        // The raw value is asked for its error alone: a property can't throw it.
        _ = try rawValue.bindingValue()
        return databaseValue
    }

    /// What has the raw value that is stored; no value when the raw value can't be read, or when nothing has it.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        RawValue.fromDatabaseValue(dbValue).flatMap { Self(rawValue: $0) }
    }
}
