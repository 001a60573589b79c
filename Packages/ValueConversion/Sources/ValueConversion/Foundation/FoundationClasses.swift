import Foundation
import SQLiteDriver

// The classes that stand for one of Swift's value types are stored as that type is.
//
// `fromDatabaseValue` gives an instance of the class that it is called on: for a subclass, which the class knows nothing of,
// that is none.

extension NSNull: DatabaseValueConvertible {
    /// NULL.
    public var databaseValue: DatabaseValue { .null }

    /// NULL; no value for anything else.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        dbValue.isNull ? NSNull() as? Self : nil
    }
}

extension NSString: DatabaseValueConvertible {
    /// The TEXT.
    public var databaseValue: DatabaseValue { (self as String).databaseValue }

    /// A TEXT, or a BLOB that is valid UTF-8.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        dbValue.string.flatMap { NSString(string: $0) as? Self }
    }
}

extension NSData: DatabaseValueConvertible {
    /// The BLOB.
    public var databaseValue: DatabaseValue { (self as Data).databaseValue }

    /// The data, which record types may store in ways of their own.
    public var columnEncodableValue: (any DatabaseValueConvertible & Sendable)? { self as Data }

    /// A BLOB, or the UTF-8 bytes of a TEXT.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        dbValue.data.flatMap { NSData(data: $0) as? Self }
    }
}

extension NSDate: DatabaseValueConvertible {
    /// The TEXT that `Date` has.
    ///
    /// - Precondition: the date is in the years 0000 to 9999. ``bindingValue()``, by which values are written, throws for others.
    public var databaseValue: DatabaseValue { (self as Date).databaseValue }

    /// The TEXT that `Date` has.
    ///
    /// - Throws: a `DatabaseError` that names the date when it is not in the years 0000 to 9999.
    public func bindingValue() throws -> DatabaseValue { try (self as Date).bindingValue() }

    /// The date, which record types may store in ways of their own.
    public var columnEncodableValue: (any DatabaseValueConvertible & Sendable)? { self as Date }

    /// What `Date` reads: a TEXT, or an INTEGER or a REAL that is a number of seconds since 1970.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        Date.fromDatabaseValue(dbValue).flatMap {
            NSDate(timeIntervalSinceReferenceDate: $0.timeIntervalSinceReferenceDate) as? Self
        }
    }
}

extension NSURL: DatabaseValueConvertible {
    /// The TEXT of the absolute URL.
    public var databaseValue: DatabaseValue { (self as URL).databaseValue }

    /// What `URL` reads: a TEXT, or a BLOB that is valid UTF-8, if it is a URL.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        URL.fromDatabaseValue(dbValue).flatMap { NSURL(string: $0.absoluteString) as? Self }
    }
}

extension NSUUID: DatabaseValueConvertible {
    /// A BLOB of 16 bytes.
    public var databaseValue: DatabaseValue { (self as UUID).databaseValue }

    /// The UUID, which record types may store in ways of their own.
    public var columnEncodableValue: (any DatabaseValueConvertible & Sendable)? { self as UUID }

    /// What `UUID` reads: a BLOB of 16 bytes, or a TEXT in the standard form.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        UUID.fromDatabaseValue(dbValue).flatMap { NSUUID(uuidString: $0.uuidString) as? Self }
    }
}
