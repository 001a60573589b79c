extension Database {
    /// What a statement does about a row that violates a constraint.
    ///
    /// Source: <https://www.sqlite.org/lang_conflict.html>
    public enum ConflictResolution: String, CaseIterable, Sendable {
        /// Fails, and undoes the statement. What a statement does that does not say.
        case abort = "ABORT"
        /// Fails, and keeps what the statement did before.
        case fail = "FAIL"
        /// Leaves the row out.
        case ignore = "IGNORE"
        /// Deletes the rows that are in the way, or puts the column's default in place of NULL.
        case replace = "REPLACE"
        /// Fails, and rolls back the transaction.
        case rollback = "ROLLBACK"
    }
}
