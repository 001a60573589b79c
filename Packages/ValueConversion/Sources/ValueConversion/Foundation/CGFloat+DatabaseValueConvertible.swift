import Foundation
import SQLiteDriver

extension CGFloat: DatabaseValueConvertible, StatementColumnConvertible {
    /// The value as a REAL. SQLite stores NaN as NULL.
    @inlinable
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .double(Double(self))) }

    /// Reads a REAL, or the number nearest to an INTEGER.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> CGFloat? { dbValue.double.map { CGFloat($0) } }

    /// Reads a REAL, or the number nearest to an INTEGER.
    @inlinable
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> CGFloat? {
        statement.double(atUnchecked: index).map { CGFloat($0) }
    }
}
