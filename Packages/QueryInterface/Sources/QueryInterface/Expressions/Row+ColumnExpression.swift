import Foundation
import RowDecoding

// Values by column, as by the column's name.

extension Row {
    /// The value of a column: `row[Columns.score]` is `row["score"]`.
    ///
    /// - Returns: the value. The program stops when the column is missing and the type is no optional, or when the column has
    ///   no value of this type; ``decode(_:forColumn:)`` throws instead.
    @inlinable
    public subscript<Value: DatabaseValueConvertible>(_ column: some ColumnExpression) -> Value {
        self[column.name]
    }

    /// The value of a column as an `Int64`, a `Double`, a `String` or a `Data`, or nil for NULL and for a missing column.
    public subscript(_ column: some ColumnExpression) -> (any DatabaseValueConvertible)? {
        self[column.name]
    }

    /// The value of the first of some columns that is not NULL, or nil when they all are, or are missing.
    ///
    /// ```swift
    /// let name: String? = row.coalesce([Columns.nickname, Columns.name])
    /// ```
    ///
    /// - Parameter columns: the columns, in the order in which they are asked.
    /// - Returns: the value. The program stops when the column has no value of this type; ``decodeIfPresent(_:coalescing:)``
    ///   throws instead.
    public func coalesce<Value: DatabaseValueConvertible>(_ columns: [any ColumnExpression]) -> Value? {
        coalesce(columns.map(\.name))
    }

    /// The value of a column.
    ///
    /// - Throws: ``RowDecodingError`` when the column is missing and the type is no optional, or when the column has no value
    ///   of this type.
    @inlinable
    public func decode<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self, forColumn column: some ColumnExpression
    ) throws -> Value {
        try decode(type, forKey: column.name)
    }

    /// The value of a column, or nil when the column is missing or NULL.
    ///
    /// - Throws: ``RowDecodingError`` when the column has a value, and none of this type.
    @inlinable
    public func decodeIfPresent<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self, forColumn column: some ColumnExpression
    ) throws -> Value? {
        try decodeIfPresent(type, forKey: column.name)
    }

    /// The value of the first of some columns that is not NULL, or nil when they all are, or are missing.
    ///
    /// - Throws: ``RowDecodingError`` when a column that is not NULL has no value of this type.
    public func decodeIfPresent<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self, coalescing columns: [any ColumnExpression]
    ) throws -> Value? {
        try decodeIfPresent(type, coalescing: columns.map(\.name))
    }

    /// Gives access to the bytes of a column without copying them.
    ///
    /// - Parameters:
    ///   - column: the column.
    ///   - body: receives the bytes of a BLOB or a TEXT, or nil for NULL. They must not be kept after it returns.
    /// - Throws: the closure's error, or ``RowDecodingError`` for a missing column, or one with a number.
    public func withUnsafeData<Result>(at column: some ColumnExpression, _ body: (Data?) throws -> Result) throws -> Result {
        try withUnsafeData(named: column.name, body)
    }

    /// Gives access to the bytes of a column without copying them: `withUnsafeData(at:_:)` by another name.
    public func withUnsafeData<Result>(named column: some ColumnExpression, _ body: (Data?) throws -> Result) throws -> Result {
        try withUnsafeData(named: column.name, body)
    }
}
