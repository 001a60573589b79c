import Foundation
import RowDecoding

// Access to the values of a row by columns.

extension Row {
    /// Returns the value of a column: `row[Columns.score]` is `row["score"]`.
    ///
    /// Stops the program if the value can't be converted to the type, or if the column is missing and the type is not optional;
    /// ``decode(_:forColumn:)`` throws instead.
    @inlinable
    public subscript<Value: DatabaseValueConvertible>(_ column: some NamedColumn) -> Value {
        self[column.name]
    }

    /// Returns the value of a column as an `Int64`, a `Double`, a `String` or a `Data`, or nil if it is NULL or missing.
    public subscript(_ column: some NamedColumn) -> (any DatabaseValueConvertible)? {
        self[column.name]
    }

    /// Returns the first value of some columns that is not NULL, or nil if all columns are NULL or missing.
    ///
    /// ```swift
    /// let name: String? = row.coalesce([Columns.nickname, Columns.name])
    /// ```
    ///
    /// Stops the program if the value can't be converted to the type; ``decodeIfPresent(_:coalescing:)`` throws instead.
    public func coalesce<Value: DatabaseValueConvertible>(_ columns: [any NamedColumn]) -> Value? {
        coalesce(columns.map(\.name))
    }

    /// Returns the value of a column.
    ///
    /// - Throws: ``RowDecodingError`` when the value can't be converted to the type, or when the column is missing and the type is
    ///   not optional.
    @inlinable
    public func decode<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self, forColumn column: some NamedColumn
    ) throws -> Value {
        try decode(type, forKey: column.name)
    }

    /// Returns the value of a column, or nil if the column is missing or NULL.
    ///
    /// - Throws: ``RowDecodingError`` when the value can't be converted to the type.
    @inlinable
    public func decodeIfPresent<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self, forColumn column: some NamedColumn
    ) throws -> Value? {
        try decodeIfPresent(type, forKey: column.name)
    }

    /// Returns the first value of some columns that is not NULL, or nil if all columns are NULL or missing.
    ///
    /// - Throws: ``RowDecodingError`` when that value can't be converted to the type.
    public func decodeIfPresent<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self, coalescing columns: [any NamedColumn]
    ) throws -> Value? {
        try decodeIfPresent(type, coalescing: columns.map(\.name))
    }

    /// Calls a closure with the bytes of a column, without copying them.
    ///
    /// - Parameters:
    ///   - column: the column.
    ///   - body: receives the bytes of a BLOB or a TEXT, or nil for NULL and for a missing column. They are valid until the closure
    ///     returns.
    /// - Throws: the closure's error, or ``RowDecodingError`` when the column contains a number.
    public func withUnsafeData<Result>(at column: some NamedColumn, _ body: (Data?) throws -> Result) throws -> Result {
        try withUnsafeData(named: column.name, body)
    }

    /// Calls a closure with the bytes of a column, without copying them. Same as `withUnsafeData(at:_:)`.
    public func withUnsafeData<Result>(named column: some NamedColumn, _ body: (Data?) throws -> Result) throws -> Result {
        try withUnsafeData(named: column.name, body)
    }
}
