import SQLiteDriver

/// A type whose values are read straight from the current row of a statement, without a ``DatabaseValue`` in between.
///
/// It makes fetching faster, and nothing else: a type that conforms to ``DatabaseValueConvertible`` too gives the same values
/// on both ways, and such a type needs no more than the declaration.
public protocol StatementColumnConvertible {
    /// Reads the value of a column of the current row.
    ///
    /// - Parameters:
    ///   - sqliteStatement: a statement that has produced a row.
    ///   - index: the column's index, from 0, known to exist.
    /// - Returns: nil when the column has no value of this type.
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
