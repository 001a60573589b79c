import CSQLiteShims

extension Database {
    /// Sets ``lastInsertedRowID``. A statement has inserted a row if the value is another one afterwards.
    ///
    /// Source: <https://www.sqlite.org/c3ref/set_last_insert_rowid.html>
    ///
    /// - Returns: false if another engine runs the statements: its last row ID can't be set.
    package func setLastInsertedRowID(_ rowID: Int64) -> Bool {
        checkAccess()
        guard engine == nil, let sqliteConnection else { return false }
        sqlite3_set_last_insert_rowid(sqliteConnection, rowID)
        return true
    }
}
