import ValueConversion

// The driver defines these types, but does not know rows and the `Cursor` protocol.

extension ForeignKeyViolation: FetchableRecord {
    /// Creates the description of a violation from a row of SQLite's pragma.
    ///
    /// ```swift
    /// let violations = try ForeignKeyViolation.fetchAll(
    ///     db, sql: "PRAGMA foreign_key_check")
    /// ```
    ///
    /// ``Database/foreignKeyViolations()`` returns the same without SQL, and sets ``schemaID`` to the database of the violation. Here it is
    /// nil, because the pragma's rows don't name the database.
    ///
    /// - Parameter row: a row of `PRAGMA foreign_key_check`.
    /// - Throws: ``RowDecodingError`` when the row lacks one of its columns.
    ///
    /// Source: <https://www.sqlite.org/pragma.html#pragma_foreign_key_check>
    public init(row: Row) throws {
        self.init(
            originTable: try row.decode(String.self, forKey: "table"),
            originRowID: try row.decodeIfPresent(Int64.self, forKey: "rowid"),
            destinationTable: try row.decode(String.self, forKey: "parent"),
            foreignKeyId: try row.decode(Int.self, forKey: "fkid"))
    }
}

extension ForeignKeyViolationCursor: Cursor {
    /// A violation.
    public typealias Element = ForeignKeyViolation
}
