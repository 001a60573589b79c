import SQLiteDriver

// `RawRepresentable` types conform with only a declaration:
//
//     enum Grape: String {
//         case chardonnay, merlot, riesling
//     }
//
//     extension Grape: DatabaseValueConvertible {}
//
// A generic type conforms under conditions on its raw value:
//
//     extension Wrapper: SQLExpressible where RawValue: SQLExpressible {}
//     extension Wrapper: StatementBinding where RawValue: StatementBinding {}
//     extension Wrapper: DatabaseValueConvertible where RawValue: DatabaseValueConvertible {}
//     extension Wrapper: StatementColumnConvertible where RawValue: StatementColumnConvertible {}

extension DatabaseValueConvertible where Self: RawRepresentable, RawValue: DatabaseValueConvertible {
    /// The raw value's database value.
    @inlinable
    public var databaseValue: DatabaseValue { rawValue.databaseValue }

    /// Returns ``databaseValue``, which may differ from the raw value's.
    ///
    /// - Throws: an error that names the raw value, when SQLite can't store it.
    @inlinable
    public func bindingValue() throws -> DatabaseValue {
        // This call only throws the raw value's error, which a property can't throw.
        _ = try rawValue.bindingValue()
        return databaseValue
    }

    /// Creates the value with the stored raw value. Returns nil when the raw value can't be read, or when no value has it.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        RawValue.fromDatabaseValue(dbValue).flatMap { Self(rawValue: $0) }
    }
}

extension SQLExpressible where Self: RawRepresentable, RawValue: SQLExpressible {
    /// The expression of the raw value.
    public var sqlExpression: SQLExpression { rawValue.sqlExpression }
}

extension StatementColumnConvertible where Self: RawRepresentable, RawValue: StatementColumnConvertible {
    /// Creates the value with the raw value in a column of the current row. Returns nil when the raw value can't be read, or when no value
    /// has it.
    @inlinable
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        guard let rawValue = RawValue(sqliteStatement: sqliteStatement, index: index) else { return nil }
        self.init(rawValue: rawValue)
    }

    /// Creates the value with the raw value in a column of the current row. Returns nil when the raw value can't be read, or when no value
    /// has it.
    @inlinable
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> Self? {
        RawValue.fromStatement(statement, atUncheckedIndex: index).flatMap { Self(rawValue: $0) }
    }
}

// MARK: - Types with two default implementations

// A type that implements `databaseValue` or `fromDatabaseValue` itself must use them on all paths, even if its raw value has another form.

extension DatabaseValueConvertible where Self: RawRepresentable, RawValue: StatementBinding {
    /// Binds the value to a parameter of a statement.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        (try? bindingValue())?.bind(to: sqliteStatement, at: index) ?? ResultCode.SQLITE_MISMATCH.rawValue
    }

    /// Returns ``DatabaseValueConvertible/databaseValue``.
    @inlinable
    public func bindingValue() throws -> DatabaseValue { databaseValue }
}

extension DatabaseValueConvertible where Self: RawRepresentable, RawValue: SQLExpressible {
    /// The value as an argument of the SQL.
    public var sqlExpression: SQLExpression {
        if let value = columnEncodableValue { return SQLExpression(columnEncodable: value) }
        return SQLExpression(value: Result { try bindingValue() })
    }
}

extension StatementColumnConvertible where Self: DatabaseValueConvertible & RawRepresentable, RawValue: StatementColumnConvertible {
    /// Reads the value of a column of the current row, by converting its ``DatabaseValue``.
    @inlinable
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        let dbValue = DatabaseValue(sqliteStatement: sqliteStatement, index: index)
        guard let value = Self.fromDatabaseValue(dbValue) else { return nil }
        self = value
    }

    /// Reads the value of a column of the current row with ``StatementColumnConvertible/init(sqliteStatement:index:)``, and NULL with
    /// ``DatabaseValueConvertible/fromDatabaseValue(_:)``.
    @inlinable
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> Self? {
        if statement.isNull(atUnchecked: index) { return fromDatabaseValue(.null) }
        return Self(sqliteStatement: statement.handle, index: CInt(truncatingIfNeeded: index))
    }
}
