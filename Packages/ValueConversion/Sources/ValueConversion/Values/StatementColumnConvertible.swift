import SQLiteDriver

/// A type whose values are read straight from the current row of a statement, without a ``DatabaseValue`` in between.
///
/// It makes fetching faster, and nothing else: a type that conforms to ``DatabaseValueConvertible`` too gives the same values
/// on both ways. Such a type implements one of the two requirements, in the form that it likes:
///
/// ```swift
/// extension Color: StatementColumnConvertible {
///     init(sqliteStatement: SQLiteStatement, index: CInt) {
///         rgba = UInt32(truncatingIfNeeded: sqlite3_column_int64(sqliteStatement, index))
///     }
/// }
/// ```
///
/// All fetches, rows and decoders read the type by its own implementation, whether its initializer can fail or not. A type that
/// implements neither is read by ``DatabaseValueConvertible/fromDatabaseValue(_:)``, and so are the values of copied rows, which
/// have no statement.
///
/// Swift decides which implementation reads when it compiles the conformance to ``DatabaseValueConvertible``. That conformance must
/// be in the same module as this one, and a generic type must have both under the same conditions: otherwise
/// ``DatabaseValueConvertible/fromDatabaseValue(_:)`` reads.
public protocol StatementColumnConvertible {
    /// Reads the value of a column of the current row.
    ///
    /// - Parameters:
    ///   - sqliteStatement: a statement that has produced a row.
    ///   - index: the column's index, from 0, known to exist.
    /// - Returns: nil when the column has no value of this type. An initializer that can't fail makes a value of NULL, too.
    init?(sqliteStatement: SQLiteStatement, index: CInt)

    /// Reads the value of a column of the current row, by way of the connection's own statement.
    ///
    /// By default it is ``init(sqliteStatement:index:)`` that reads.
    ///
    /// - Parameters:
    ///   - statement: a statement that has produced a row.
    ///   - index: the column's index, from 0, known to exist.
    /// - Returns: nil when the column has no value of this type.
    static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> Self?
}

extension StatementColumnConvertible {
    /// Reads the value of a column of the current row, through the C API's statement.
    @inlinable
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> Self? {
        Self(sqliteStatement: statement.sqliteStatement, index: CInt(truncatingIfNeeded: index))
    }
}

extension StatementColumnConvertible where Self: DatabaseValueConvertible {
    /// Reads the value of a column of the current row, by way of its ``DatabaseValue``.
    @inlinable
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        let dbValue = DatabaseValue(sqliteStatement: sqliteStatement, index: index)
        guard let value = Self.fromDatabaseValue(dbValue) else { return nil }
        self = value
    }
}
