import Foundation
import SQLiteDriver

// Foundation classes that bridge to a Swift value type are stored like that type.
//
// `fromDatabaseValue` returns an instance of the class that it is called on. It returns nil for subclasses, because the class can't make
// instances of them.

extension NSNull: DatabaseValueConvertible {
    /// The value is stored as NULL.
    public var databaseValue: DatabaseValue { .null }

    /// Reads NULL, and returns nil for any other value.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        dbValue.isNull ? NSNull() as? Self : nil
    }
}

extension NSString: DatabaseValueConvertible {
    /// The value as a TEXT.
    public var databaseValue: DatabaseValue { (self as String).databaseValue }

    /// Reads a TEXT, or a BLOB that is valid UTF-8.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        dbValue.string.flatMap { NSString(string: $0) as? Self }
    }
}

extension NSData: DatabaseValueConvertible {
    /// The value as a BLOB.
    public var databaseValue: DatabaseValue { (self as Data).databaseValue }

    /// The data, for which record types may have an encoding strategy.
    public var columnEncodableValue: (any DatabaseValueConvertible & Sendable)? { self as Data }

    /// Reads a BLOB, or the UTF-8 bytes of a TEXT.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        dbValue.data.flatMap { NSData(data: $0) as? Self }
    }
}

extension NSDate: DatabaseValueConvertible {
    /// The TEXT that `Date` stores.
    ///
    /// - Precondition: the date is in the years 0000 to 9999. ``bindingValue()``, which all writes call, throws for other dates.
    public var databaseValue: DatabaseValue { (self as Date).databaseValue }

    /// The TEXT that `Date` stores.
    ///
    /// - Throws: a `DatabaseError` when the date is not in the years 0000 to 9999.
    public func bindingValue() throws -> DatabaseValue { try (self as Date).bindingValue() }

    /// The date, for which record types may have an encoding strategy.
    public var columnEncodableValue: (any DatabaseValueConvertible & Sendable)? { self as Date }

    /// Reads what `Date` reads: a TEXT, or an INTEGER or a REAL that is a number of seconds since 1970.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        Date.fromDatabaseValue(dbValue).flatMap {
            NSDate(timeIntervalSinceReferenceDate: $0.timeIntervalSinceReferenceDate) as? Self
        }
    }
}

extension NSURL: DatabaseValueConvertible {
    /// The TEXT of the absolute URL.
    public var databaseValue: DatabaseValue { (self as URL).databaseValue }

    /// Reads what `URL` reads: a TEXT, or a BLOB that is valid UTF-8, if it is a URL.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        URL.fromDatabaseValue(dbValue).flatMap { NSURL(string: $0.absoluteString) as? Self }
    }
}

extension NSUUID: DatabaseValueConvertible {
    /// The value as a BLOB of 16 bytes.
    public var databaseValue: DatabaseValue { (self as UUID).databaseValue }

    /// The UUID, for which record types may have an encoding strategy.
    public var columnEncodableValue: (any DatabaseValueConvertible & Sendable)? { self as UUID }

    /// Reads what `UUID` reads: a BLOB of 16 bytes, or a TEXT in the standard form.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        UUID.fromDatabaseValue(dbValue).flatMap { NSUUID(uuidString: $0.uuidString) as? Self }
    }
}
