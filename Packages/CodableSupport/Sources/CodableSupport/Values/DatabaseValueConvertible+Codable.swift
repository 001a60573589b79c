import Foundation
import Persistence

// The default conversions of types that are `Codable`, and that are `DatabaseValueConvertible` by declaration alone:
//
//     struct Settings: Codable, DatabaseValueConvertible {
//         var theme: String
//         var fontSize: Double
//     }

extension DatabaseValueConvertible where Self: Encodable {
    /// The value that the type encodes itself as, if it is a single one, or else a JSON text.
    ///
    /// ```swift
    /// struct Settings: Codable, DatabaseValueConvertible {
    ///     var theme: String
    ///     var fontSize: Double
    /// }
    ///
    /// // Stores '{"fontSize":12,"theme":"dark"}'
    /// try db.execute(sql: "UPDATE user SET settings = ?", arguments: [Settings(theme: "dark", fontSize: 12)])
    /// ```
    ///
    /// JSON is written by the encoder that ``DatabaseValueConvertible/databaseJSONEncoder()`` makes, which is asked once for each
    /// type, and kept. A column that holds it should have the TEXT affinity, or none.
    ///
    /// - Precondition: the value can be encoded. ``bindingValue()``, by which values are written, throws the error of one that can't.
    /// - Complexity: that of encoding the value.
    public var databaseValue: DatabaseValue {
        do {
            return try DatabaseValueEncoder.encode(self)
        } catch {
            if let failure = EncodingFailure.current {
                failure.error = error
                return .null
            }
            fatalError("\(error). Writing it to the database throws this error; bindingValue() does so too.")
        }
    }

    /// The type's ``databaseValue``, as it is written to the database.
    ///
    /// - Throws: the error of a value that can't be encoded.
    public func bindingValue() throws -> DatabaseValue {
        // A type can have a `databaseValue` of its own. When it is the default one that fails, its error is found here.
        let failure = EncodingFailure()
        let dbValue = EncodingFailure.$current.withValue(failure) { databaseValue }
        if let error = failure.error { throw error }
        return dbValue
    }
}

extension DatabaseValueConvertible where Self: Decodable {
    /// The value that the type decodes from a single one, if that is what it asks for, or else from JSON: a TEXT, or a BLOB of UTF-8.
    ///
    /// ```swift
    /// let settings = try Settings.fetchOne(db, sql: "SELECT settings FROM user")
    /// ```
    ///
    /// JSON is read by the decoder that ``DatabaseValueConvertible/databaseJSONDecoder()`` makes, which is asked once for each type,
    /// and kept.
    ///
    /// - Returns: nil when decoding fails, so that the methods that throw do.
    /// - Complexity: that of decoding the value.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        try? DatabaseValueDecoder.decode(Self.self, from: dbValue)
    }
}

// Enums with raw values that are `Codable` too would have two defaults for each.

extension DatabaseValueConvertible where Self: Encodable & RawRepresentable, RawValue: DatabaseValueConvertible {
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
}

extension DatabaseValueConvertible where Self: Decodable & RawRepresentable, RawValue: DatabaseValueConvertible {
    /// What has the raw value that is stored; no value when the raw value can't be read, or when nothing has it.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        RawValue.fromDatabaseValue(dbValue).flatMap { Self(rawValue: $0) }
    }
}

/// Where a `databaseValue` that can't throw leaves its error for who can.
private final class EncodingFailure: @unchecked Sendable {
    // Sendable because of the task-local value; it is written and read in one synchronous call, on one thread.

    @TaskLocal static var current: EncodingFailure?

    var error: (any Error)?
}
