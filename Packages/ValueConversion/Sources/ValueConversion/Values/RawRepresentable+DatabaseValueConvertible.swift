import SQLiteDriver

// `RawRepresentable` types conform with only a declaration:
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

    /// Returns ``databaseValue``, which may differ from the raw value's.
    ///
    /// - Throws: an error that names the raw value, when SQLite can't store it.
    @inlinable
    public func bindingValue() throws -> DatabaseValue {
        // This call only throws the raw value's error, which a property can't throw.
        _ = try rawValue.bindingValue()
        return databaseValue
    }

    /// Makes the value with the stored raw value. Returns nil when the raw value can't be read, or when no value has it.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        RawValue.fromDatabaseValue(dbValue).flatMap { Self(rawValue: $0) }
    }
}
