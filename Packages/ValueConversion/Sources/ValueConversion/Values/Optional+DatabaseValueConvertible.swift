import SQLiteDriver

extension Optional: SQLExpressible where Wrapped: SQLExpressible {
    /// The expression of the wrapped value, or NULL.
    public var sqlExpression: SQLExpression {
        self?.sqlExpression ?? .null
    }
}

extension Optional: DatabaseValueConvertible where Wrapped: DatabaseValueConvertible {
    /// The database value of the wrapped value, or NULL.
    @inlinable
    public var databaseValue: DatabaseValue {
        self?.databaseValue ?? .null
    }

    /// The ``columnEncodableValue`` of the wrapped value.
    @inlinable
    public var columnEncodableValue: (any DatabaseValueConvertible & Sendable)? { self?.columnEncodableValue }

    /// Converts NULL to a nil optional, unless the wrapped type converts NULL itself. Returns nil, as a failed conversion, when the wrapped
    /// type can't convert `dbValue`.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        if let value = Wrapped.fromDatabaseValue(dbValue) { return .some(.some(value)) }
        return dbValue.isNull ? .some(.none) : .none
    }

    /// Reads a column. NULL is a nil optional, unless the wrapped type converts NULL itself.
    @inlinable
    public static func _fromColumn(of statement: Statement, atUncheckedIndex index: Int) -> Self? {
        // Reading the value first checks the storage class only once in the common case; NULL is checked only when there is no value.
        if let value = Wrapped._fromColumn(of: statement, atUncheckedIndex: index) { return .some(.some(value)) }
        return statement.isNull(atUnchecked: index) ? .some(.none) : .none
    }

    /// Returns a nil optional: a missing column is not an error.
    @inlinable
    public static func fromMissingColumn() -> Self? {
        .some(.none)
    }
}

extension Optional: StatementColumnConvertible where Wrapped: StatementColumnConvertible {
    /// Reads a column. NULL is a nil optional.
    @inlinable
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        if DatabaseValue(sqliteStatement: sqliteStatement, index: index).isNull {
            self = .none
        } else if let value = Wrapped(sqliteStatement: sqliteStatement, index: index) {
            self = .some(value)
        } else {
            return nil
        }
    }

    /// Reads a column. NULL is a nil optional, unless the wrapped type converts NULL itself.
    @inlinable
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> Self? {
        if let value = Wrapped.fromStatement(statement, atUncheckedIndex: index) { return .some(.some(value)) }
        return statement.isNull(atUnchecked: index) ? .some(.none) : .none
    }
}
