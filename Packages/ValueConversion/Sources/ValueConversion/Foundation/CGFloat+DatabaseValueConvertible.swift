import Foundation
import SQLiteDriver

extension CGFloat: DatabaseValueConvertible, StatementColumnConvertible {
    /// The REAL. SQLite stores NULL for a NaN.
    @inlinable
    public var databaseValue: DatabaseValue { DatabaseValue(storage: .double(Double(self))) }

    /// A REAL, or the number nearest to an INTEGER.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> CGFloat? { dbValue.double.map { CGFloat($0) } }

    /// A REAL, or the number nearest to an INTEGER.
    @inlinable
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> CGFloat? {
        statement.double(atUnchecked: index).map { CGFloat($0) }
    }
}
