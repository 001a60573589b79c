import Foundation
import SQLiteDriver

/// A type whose values are stored in the database, and read from it.
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
/// The standard library's booleans, numbers and strings conform, and Foundation's dates, data, UUIDs, URLs and decimals, and
/// optionals of all of them.
public protocol DatabaseValueConvertible: StatementBinding, SQLExpressible {
    /// The value to store.
    ///
    /// A type that has values SQLite can't hold also implements ``StatementBinding/bindingValue()``, which throws for them:
    /// everything that writes to the database asks there.
    var databaseValue: DatabaseValue { get }

    /// The value that a record type may store in another way than ``databaseValue``, or nil for values that all store alike, as by default.
    ///
    /// Dates, data and UUIDs are such values, and optionals have those that they wrap: a record type may store dates as numbers.
    /// Where such a value meets a column of the record's table in an expression, the layers above ask the record type.
    var columnEncodableValue: (any DatabaseValueConvertible & Sendable)? { get }

    /// Makes a value from one that is stored.
    ///
    /// - Returns: nil when `dbValue` does not stand for a value of this type. NULL is such a value for most types.
    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self?

    /// Reads the value of a column of the current row: what rows and fetches ask for.
    ///
    /// There is no need to implement it. For a type that is ``StatementColumnConvertible`` in the same module and under the same
    /// conditions, it reads by that implementation; for others, by way of a ``DatabaseValue``.
    ///
    /// - Parameters:
    ///   - statement: a statement that has produced a row.
    ///   - index: the column's index, from 0, known to exist.
    /// - Returns: nil when the column has no value of this type.
    static func _fromColumn(of statement: Statement, atUncheckedIndex index: Int) -> Self?

    /// The value that stands for a column that is missing, or nil where that is an error, as it is by default.
    ///
    /// Optionals have one: nil.
    static func fromMissingColumn() -> Self?

    /// Makes the decoder that reads values of a `Decodable` type from JSON texts, for types that are stored that way.
    static func databaseJSONDecoder() -> JSONDecoder

    /// Makes the encoder that writes values of an `Encodable` type as JSON texts, for types that are stored that way.
    static func databaseJSONEncoder() -> JSONEncoder
}

extension DatabaseValueConvertible {
    /// Binds the value to a parameter of a statement.
    ///
    /// - Returns: a result code of SQLite; `SQLITE_MISMATCH` when SQLite can't hold the value, of which
    ///   ``StatementBinding/bindingValue()`` has the error.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        do {
            return try bindingValue().bind(to: sqliteStatement, at: index)
        } catch {
            return ResultCode.SQLITE_MISMATCH.rawValue
        }
    }

    /// The value to store: ``databaseValue``.
    @inlinable
    public func bindingValue() throws -> DatabaseValue { databaseValue }

    /// None: all store the value alike.
    @inlinable
    public var columnEncodableValue: (any DatabaseValueConvertible & Sendable)? { nil }

    /// The value as an argument of the SQL in which it stands.
    public var sqlExpression: SQLExpression {
        if let value = columnEncodableValue { return SQLExpression(columnEncodable: value) }
        return SQLExpression(value: Result { try bindingValue() })
    }

    /// Reads the value of a column of the current row, by way of its ``DatabaseValue``.
    @inlinable
    public static func _fromColumn(of statement: Statement, atUncheckedIndex index: Int) -> Self? {
        fromDatabaseValue(statement.databaseValue(atUnchecked: index))
    }

    /// No value.
    @inlinable
    public static func fromMissingColumn() -> Self? { nil }

    /// A decoder that reads dates as milliseconds since 1970, binary data as Base64, and no other extension of JSON.
    public static func databaseJSONDecoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dataDecodingStrategy = .base64
        decoder.dateDecodingStrategy = .millisecondsSince1970
        decoder.nonConformingFloatDecodingStrategy = .throw
        return decoder
    }

    /// An encoder that writes dates as milliseconds since 1970, binary data as Base64, and keys in order, so that equal values
    /// have equal texts.
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
    /// Reads the value of a column of the current row, straight from the statement.
    @inlinable
    public static func _fromColumn(of statement: Statement, atUncheckedIndex index: Int) -> Self? {
        fromStatement(statement, atUncheckedIndex: index)
    }
}
