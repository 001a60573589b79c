import ValueConversion

// The driver defines these types, but does not know rows.

extension ColumnInfo: FetchableRecord {
    /// Creates the description of a column from a row of SQLite's pragma.
    ///
    /// ```swift
    /// let columns = try ColumnInfo.fetchAll(
    ///     db, sql: "SELECT * FROM pragma_table_xinfo('player') ORDER BY name")
    /// ```
    ///
    /// `db.columns(in: "player")` returns the same without SQL, and caches it.
    ///
    /// - Parameter row: a row of `PRAGMA table_xinfo` or `PRAGMA table_info`. The latter omits generated columns.
    /// - Throws: ``RowDecodingError`` when the row lacks one of their columns.
    ///
    /// Source: <https://www.sqlite.org/pragma.html#pragma_table_xinfo>
    public init(row: Row) throws {
        // 0 is an ordinary column, 1 a hidden column of a virtual table, 2 and 3 are generated columns.
        let hidden = try row.decodeIfPresent(Int.self, forKey: "hidden") ?? 0
        self.init(
            name: try row.decode(String.self, forKey: "name"), type: try row.decode(String.self, forKey: "type"),
            isNotNull: try row.decode(Bool.self, forKey: "notnull"),
            defaultValueSQL: try row.decodeIfPresent(String.self, forKey: "dflt_value"),
            primaryKeyIndex: try row.decode(Int.self, forKey: "pk"), isGenerated: hidden > 1)
    }
}
