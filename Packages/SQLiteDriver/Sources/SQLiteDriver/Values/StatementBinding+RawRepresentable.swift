// Types with raw values that are bindings need only the declaration:
//
//     enum Level: Int, StatementBinding {
//         case low, medium, high
//     }

extension StatementBinding where Self: RawRepresentable, RawValue: StatementBinding {
    /// Binds the raw value.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        rawValue.bind(to: sqliteStatement, at: index)
    }

    /// Returns the raw value's value to store.
    ///
    /// - Throws: an error that names the raw value if SQLite can't store it.
    @inlinable
    public func bindingValue() throws -> DatabaseValue { try rawValue.bindingValue() }
}
