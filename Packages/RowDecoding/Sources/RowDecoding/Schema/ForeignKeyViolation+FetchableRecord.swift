import ValueConversion

// The driver has these types, and knows nothing of rows and of the protocol of cursors.

extension ForeignKeyViolation: FetchableRecord {
    /// Makes the description of a violation from a row of SQLite's.
    ///
    /// ```swift
    /// let violations = try ForeignKeyViolation.fetchAll(db, sql: "PRAGMA foreign_key_check")
    /// ```
    ///
    /// ``Database/foreignKeyViolations()`` gives the same without SQL, and tells which database a violation is in: such a row
    /// does not, and ``schemaID`` is nil.
    ///
    /// - Parameter row: a row of `PRAGMA foreign_key_check`.
    /// - Throws: ``RowDecodingError`` for a row that lacks one of its columns.
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
