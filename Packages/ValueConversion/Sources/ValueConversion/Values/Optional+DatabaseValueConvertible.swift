import SQLiteDriver

extension Optional: SQLExpressible where Wrapped: SQLExpressible {
    /// The value's expression, or NULL.
    public var sqlExpression: SQLExpression {
        self?.sqlExpression ?? .null
    }
}

extension Optional: DatabaseValueConvertible where Wrapped: DatabaseValueConvertible {
    /// The value's database value, or NULL.
    @inlinable
    public var databaseValue: DatabaseValue {
        self?.databaseValue ?? .null
    }

    /// What the wrapped value has.
    @inlinable
    public var columnEncodableValue: (any DatabaseValueConvertible & Sendable)? { self?.columnEncodableValue }

    /// nil for NULL, unless the wrapped type makes a value of it; no value for what the wrapped type can't read.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        if let value = Wrapped.fromDatabaseValue(dbValue) { return .some(.some(value)) }
        return dbValue.isNull ? .some(.none) : .none
    }

    /// Reads a column: nil for NULL, unless the wrapped type makes a value of it.
    @inlinable
    public static func _fromColumn(of statement: Statement, atUncheckedIndex index: Int) -> Self? {
        // The value comes first: its storage class is looked at once, and NULL is asked for only when there is none.
        if let value = Wrapped._fromColumn(of: statement, atUncheckedIndex: index) { return .some(.some(value)) }
        return statement.isNull(atUnchecked: index) ? .some(.none) : .none
    }

    /// nil.
    @inlinable
    public static func fromMissingColumn() -> Self? {
        .some(.none)
    }
}

extension Optional: StatementColumnConvertible where Wrapped: StatementColumnConvertible {
    /// Reads a column: nil for NULL, unless the wrapped type makes a value of it.
    @inlinable
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        if let value = Wrapped(sqliteStatement: sqliteStatement, index: index) {
            self = .some(value)
        } else if DatabaseValue(sqliteStatement: sqliteStatement, index: index).isNull {
            self = .none
        } else {
            return nil
        }
    }

    /// Reads a column: nil for NULL, unless the wrapped type makes a value of it.
    @inlinable
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> Self? {
        if let value = Wrapped.fromStatement(statement, atUncheckedIndex: index) { return .some(.some(value)) }
        return statement.isNull(atUnchecked: index) ? .some(.none) : .none
    }
}
