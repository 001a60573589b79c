import Foundation
import SQLiteDriver

/// A type whose values can be stored in a column, and read from it.
///
/// ```swift
/// struct Color {
///     var red: Double, green: Double, blue: Double
/// }
///
/// extension Color: DatabaseValueConvertible {
///     var databaseValue: DatabaseValue { "\(red),\(green),\(blue)".databaseValue }
///
///     static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Color? {
///         guard let text = String.fromDatabaseValue(dbValue) else { return nil }
///         let parts = text.split(separator: ",").compactMap { Double($0) }
///         guard parts.count == 3 else { return nil }
///         return Color(red: parts[0], green: parts[1], blue: parts[2])
///     }
/// }
/// ```
///
/// An enum with raw values that are convertible needs only the declaration: `extension Grape: DatabaseValueConvertible {}`.
///
/// The standard library's booleans, numbers and strings conform, as do Foundation's dates, data, UUIDs, URLs and decimals, and optionals of
/// all these types.
public protocol DatabaseValueConvertible: StatementBinding, SQLExpressible {
    /// The value to store.
    ///
    /// A type with values that SQLite can't store also implements ``StatementBinding/bindingValue()``, which throws for them. All writes
    /// call that method.
    var databaseValue: DatabaseValue { get }

    /// The value that a record type's encoding strategy may store differently from ``databaseValue``. It is nil, the default, when all
    /// record types store the value in the same way.
    ///
    /// Record types can customise how they store dates, data and UUIDs, also in optionals: as numbers, for example. When an expression
    /// compares such a value with a column of the record's table, upper layers encode it with the record's strategy.
    var columnEncodableValue: (any DatabaseValueConvertible & Sendable)? { get }

    /// Creates a value from a database value.
    ///
    /// - Returns: nil when `dbValue` can't be converted to this type. For most types, NULL can't be converted.
    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self?

    /// Creates a value from a database value of a storage class that ``fromDatabaseValue(_:)`` does not convert, if nothing is lost. Rows and
    /// fetches call it when that method returns nil.
    ///
    /// Numbers are read as strings, and strings as the numbers that they spell: the INTEGER 12 as `"12"`, the TEXT '12' as 12.
    /// `fromDatabaseValue` does not convert them, so that programs can find out which kind of value they have. A type of your own that
    /// stores numbers or strings may do the same:
    ///
    /// ```swift
    /// struct TrackID: DatabaseValueConvertible {
    ///     var text: String
    ///     var databaseValue: DatabaseValue { text.databaseValue }
    ///
    ///     static func fromDatabaseValue(_ dbValue: DatabaseValue) -> TrackID? {
    ///         String.fromDatabaseValue(dbValue).map { TrackID(text: $0) }
    ///     }
    ///     static func fromOtherStorageClass(_ dbValue: DatabaseValue) -> TrackID? {
    ///         String.fromOtherStorageClass(dbValue).map { TrackID(text: $0) }
    ///     }
    /// }
    /// ```
    ///
    /// - Returns: nil, the default, when `dbValue` can't be converted without loss.
    static func fromOtherStorageClass(_ dbValue: DatabaseValue) -> Self?

    /// Reads the value of a column of the current row. Rows and fetches call this method.
    ///
    /// Don't implement it. For a type that conforms to ``StatementColumnConvertible`` in the same module and under the same conditions, it
    /// calls that conformance; for other types, it converts a ``DatabaseValue``.
    ///
    /// - Parameters:
    ///   - statement: a statement that has produced a row.
    ///   - index: the index of an existing column, from 0.
    /// - Returns: nil when the column's value can't be converted to this type.
    static func _fromColumn(of statement: Statement, atUncheckedIndex index: Int) -> Self?

    /// Returns the value for a missing column, or nil, the default, when a missing column is an error.
    ///
    /// For optionals, the value for a missing column is nil.
    static func fromMissingColumn() -> Self?

    /// Creates the decoder that reads values of a `Decodable` type from JSON, for types that are stored as JSON.
    static func databaseJSONDecoder() -> JSONDecoder

    /// Creates the encoder that writes values of an `Encodable` type as JSON, for types that are stored as JSON.
    static func databaseJSONEncoder() -> JSONEncoder
}

extension DatabaseValueConvertible {
    /// Binds the value to a parameter of a statement.
    ///
    /// - Returns: a result code of SQLite. It is `SQLITE_MISMATCH` when SQLite can't store the value; ``StatementBinding/bindingValue()``
    ///   then throws the error.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        (try? bindingValue())?.bind(to: sqliteStatement, at: index) ?? ResultCode.SQLITE_MISMATCH.rawValue
    }

    /// Returns ``databaseValue``.
    @inlinable
    public func bindingValue() throws -> DatabaseValue { databaseValue }

    /// Returns ``bindingValue()``, for types whose ``databaseValue`` stops the program when SQLite can't store the value.
    package func bindingValueOrStop() -> DatabaseValue {
        do {
            return try bindingValue()
        } catch {
            fatalError("\(error). Writing it to the database throws this error; bindingValue() throws it, too.")
        }
    }

    /// nil: all record types store the value in the same way.
    @inlinable
    public var columnEncodableValue: (any DatabaseValueConvertible & Sendable)? { nil }

    /// The value as an argument of the SQL.
    @inlinable
    public var sqlExpression: SQLExpression {
        if let value = columnEncodableValue { return SQLExpression(columnEncodable: value) }
        return SQLExpression(value: Result { try bindingValue() })
    }

    /// Reads the value of a column of the current row, by converting its ``DatabaseValue``.
    @inlinable
    public static func _fromColumn(of statement: Statement, atUncheckedIndex index: Int) -> Self? {
        fromDatabaseValue(statement.databaseValue(atUnchecked: index))
    }

    /// Returns nil: a missing column is an error.
    @inlinable
    public static func fromMissingColumn() -> Self? { nil }

    /// Creates a decoder that reads dates as milliseconds since 1970, data as Base64, and throws for non-conforming floating-point numbers.
    public static func databaseJSONDecoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dataDecodingStrategy = .base64
        decoder.dateDecodingStrategy = .millisecondsSince1970
        decoder.nonConformingFloatDecodingStrategy = .throw
        return decoder
    }

    /// Creates an encoder that writes dates as milliseconds since 1970, data as Base64, and sorted keys, so that equal values have equal
    /// JSON.
    public static func databaseJSONEncoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dataEncodingStrategy = .base64
        encoder.dateEncodingStrategy = .millisecondsSince1970
        encoder.nonConformingFloatEncodingStrategy = .throw
        encoder.outputFormatting = .sortedKeys
        return encoder
    }
}

extension DatabaseValueConvertible where Self: StatementColumnConvertible {
    /// Reads the value of a column of the current row, directly from the statement.
    @inlinable
    public static func _fromColumn(of statement: Statement, atUncheckedIndex index: Int) -> Self? {
        fromStatement(statement, atUncheckedIndex: index)
    }
}
