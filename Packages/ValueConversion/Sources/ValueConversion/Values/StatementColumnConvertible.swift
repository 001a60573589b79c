import SQLiteDriver

/// A type whose values can be read directly from the current row of a statement, without making a ``DatabaseValue``.
///
/// The conformance only makes fetching faster. A type that also conforms to ``DatabaseValueConvertible`` must read the same values in both
/// ways. Implement one of the two requirements; the initializer can be failable or not:
///
/// ```swift
/// extension Color: StatementColumnConvertible {
///     init(sqliteStatement: SQLiteStatement, index: CInt) {
///         rgba = UInt32(
///             truncatingIfNeeded: sqlite3_column_int64(sqliteStatement, index))
///     }
/// }
/// ```
///
/// All fetches, rows and decoders call the type's implementation, whether its initializer is failable or not. Types that implement neither
/// requirement, and values of copied rows, which have no statement, are read with ``DatabaseValueConvertible/fromDatabaseValue(_:)``.
///
/// Swift selects the implementation when it compiles the conformance to ``DatabaseValueConvertible``. Declare both conformances in the same
/// module, and, for a generic type, under the same conditions. Otherwise values are read with
/// ``DatabaseValueConvertible/fromDatabaseValue(_:)``.
public protocol StatementColumnConvertible {
    /// Reads the value of a column of the current row.
    ///
    /// - Parameters:
    ///   - sqliteStatement: a statement that has produced a row.
    ///   - index: the index of an existing column, from 0.
    /// - Returns: nil when the column's value can't be converted to this type. It need not handle NULL: fetches, rows and decoders do not
    ///   call it for NULL.
    init?(sqliteStatement: SQLiteStatement, index: CInt)

    /// Reads the value of a column of the current row from a ``Statement``.
    ///
    /// The default implementation calls ``init(sqliteStatement:index:)``, unless the value is NULL.
    ///
    /// - Parameters:
    ///   - statement: a statement that has produced a row.
    ///   - index: the index of an existing column, from 0.
    /// - Returns: nil when the column's value can't be converted to this type.
    static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> Self?
}

extension StatementColumnConvertible {
    /// Reads the value of a column of the current row with ``init(sqliteStatement:index:)``. NULL gives nil.
    @inlinable
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> Self? {
        if statement.isNull(atUnchecked: index) { return nil }
        return Self(sqliteStatement: statement.handle, index: CInt(truncatingIfNeeded: index))
    }
}

extension StatementColumnConvertible where Self: DatabaseValueConvertible {
    /// Reads the value of a column of the current row with ``init(sqliteStatement:index:)``, and NULL with
    /// ``DatabaseValueConvertible/fromDatabaseValue(_:)``.
    @inlinable
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> Self? {
        if statement.isNull(atUnchecked: index) { return fromDatabaseValue(.null) }
        return Self(sqliteStatement: statement.handle, index: CInt(truncatingIfNeeded: index))
    }

    /// Reads the value of a column of the current row, by converting its ``DatabaseValue``.
    @inlinable
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        let dbValue = DatabaseValue(sqliteStatement: sqliteStatement, index: index)
        guard let value = Self.fromDatabaseValue(dbValue) else { return nil }
        self = value
    }
}
