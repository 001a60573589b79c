import Foundation
import Persistence

// The default conversions of types that are `Codable`, and that are `DatabaseValueConvertible` by declaration alone:
//
//     struct Settings: Codable, DatabaseValueConvertible {
//         var theme: String
//         var fontSize: Double
//     }

extension DatabaseValueConvertible where Self: Encodable {
    /// The single value that the type encodes itself as, or else JSON in a TEXT.
    ///
    /// ```swift
    /// struct Settings: Codable, DatabaseValueConvertible {
    ///     var theme: String
    ///     var fontSize: Double
    /// }
    ///
    /// // Stores '{"fontSize":12,"theme":"dark"}'
    /// try db.execute(
    ///     sql: "UPDATE user SET settings = ?",
    ///     arguments: [Settings(theme: "dark", fontSize: 12)])
    /// ```
    ///
    /// JSON is written by the encoder that ``DatabaseValueConvertible/databaseJSONEncoder()`` creates once for each type. A JSON column
    /// should have TEXT affinity, or none.
    ///
    /// - Precondition: the value can be encoded. ``bindingValue()``, which writes values to the database, throws if it can't.
    /// - Complexity: the complexity of encoding the value.
    public var databaseValue: DatabaseValue {
        do {
            return try DatabaseValueEncoder.encode(self)
        } catch {
            if let failure = EncodingFailure.current {
                failure.error = error
                return .null
            }
            fatalError("\(error). Writing it to the database throws this error; bindingValue() throws it, too.")
        }
    }

    /// The type's ``databaseValue``, as it is written to the database.
    ///
    /// - Throws: an error if the value can't be encoded.
    public func bindingValue() throws -> DatabaseValue {
        // A type may implement `databaseValue` itself. If the default implementation fails, it leaves its error here.
        let failure = EncodingFailure()
        let dbValue = EncodingFailure.$current.withValue(failure) { databaseValue }
        if let error = failure.error { throw error }
        return dbValue
    }
}

extension DatabaseValueConvertible where Self: Decodable {
    /// Decodes a value from a single database value if the type requests one, or else from JSON: a TEXT, or a BLOB of UTF-8.
    ///
    /// ```swift
    /// let settings = try Settings.fetchOne(db, sql: "SELECT settings FROM user")
    /// ```
    ///
    /// JSON is read by the decoder that ``DatabaseValueConvertible/databaseJSONDecoder()`` creates once for each type.
    ///
    /// - Returns: nil if decoding fails. Throwing fetch methods then throw an error.
    /// - Complexity: the complexity of decoding the value.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        ConversionFailure.noting { try DatabaseValueDecoder.decode(Self.self, from: dbValue) }
    }
}

// Enums with raw values that are `Codable` too would have two defaults for each.

extension DatabaseValueConvertible where Self: Encodable & RawRepresentable, RawValue: DatabaseValueConvertible {
    /// The raw value's database value.
    @inlinable
    public var databaseValue: DatabaseValue { rawValue.databaseValue }

    /// The value to store: ``databaseValue``, which may differ from the raw value's database value.
    ///
    /// - Throws: an error that names the raw value if SQLite can't store it.
    @inlinable
    public func bindingValue() throws -> DatabaseValue {
        // The raw value's own method runs only for its error, because a property can't throw.
        _ = try rawValue.bindingValue()
        return databaseValue
    }
}

extension DatabaseValueConvertible where Self: Decodable & RawRepresentable, RawValue: DatabaseValueConvertible {
    /// Returns the value that has the stored raw value; nil if the raw value can't be read, or no value has it.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        RawValue.fromDatabaseValue(dbValue).flatMap { Self(rawValue: $0) }
    }
}

extension ConversionFailure {
    /// Returns the result of a closure; nil if it throws, which the error of a row is told.
    static func noting<Value>(_ body: () throws -> Value) -> Value? {
        do { return try body() } catch {
            current?.note(error)
            return nil
        }
    }

    private func note(_ error: any Error) {
        guard let error = error as? DecodingError else { return reason = "\(error)" }
        _ = error.changed { context in
            let context = showsValues ? context : context.withoutValues
            let path = context.codingPath.map(\.stringValue).joined(separator: ".")
            let message = context.debugDescription
            // The storage class of the value is in the error anyway.
            let isKnown = ["BLOB", "INTEGER", "REAL", "TEXT"].contains { message == "The value is \($0)" }
            reason = isKnown ? nil : path.isEmpty ? message : "\(path): \(message)"
            return context
        }
    }
}

/// Passes an error from `databaseValue`, which can't throw, to a caller that can.
private final class EncodingFailure: @unchecked Sendable {
    // Sendable because of the task-local value; it is written and read in one synchronous call, on one thread.

    @TaskLocal static var current: EncodingFailure?

    var error: (any Error)?
}
