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
    ///
    /// In an optional of an optional, such as `Int??`, NULL is the outermost nil, as in `JSONDecoder`.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        if let value = Wrapped.fromDatabaseValue(dbValue) { return .some(flattened(value)) }
        return dbValue.isNull ? .some(.none) : .none
    }

    /// Reads a column. NULL is a nil optional, unless the wrapped type converts NULL itself.
    @inlinable
    public static func _fromColumn(of statement: Statement, atUncheckedIndex index: Int) -> Self? {
        // Reading the value first saves a check of the storage class in the common case: NULL is checked only when there is no value.
        if let value = Wrapped._fromColumn(of: statement, atUncheckedIndex: index) { return .some(flattened(value)) }
        return statement.isNull(atUnchecked: index) ? .some(.none) : .none
    }

    /// Returns an optional of a value: the outermost nil, if the value is a nil itself.
    @inlinable
    @inline(__always)
    static func flattened(_ value: Wrapped) -> Self {
        // Only optionals have a value for a missing column. For most other types, the compiler knows that the method returns nil.
        Wrapped.fromMissingColumn() == nil ? .some(value) : flattenedOptional(value)
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
        let isNull = statement.isNull(atUnchecked: index)
        guard let value = Wrapped.fromStatement(statement, atUncheckedIndex: index) else { return isNull ? .some(.none) : .none }
        return .some(isNull ? flattenedOptional(value) : .some(value))
    }
}

extension Optional {
    /// Returns an optional of a value: the outermost nil, if the value is a nil itself.
    @inline(never)
    @usableFromInline
    static func flattenedOptional(_ value: Wrapped) -> Self {
        (value as? any OptionalValue)?.isNil == true ? .none : .some(value)
    }
}
