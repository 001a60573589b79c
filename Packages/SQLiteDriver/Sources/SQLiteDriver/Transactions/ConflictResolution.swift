extension Database {
    /// The reaction of a statement to a row that violates a constraint.
    ///
    /// Source: <https://www.sqlite.org/lang_conflict.html>
    public enum ConflictResolution: String, CaseIterable, Sendable {
        /// Fails, and undoes the statement's changes. This is SQLite's default.
        case abort = "ABORT"
        /// Fails, and keeps the statement's changes before the row.
        case fail = "FAIL"
        /// Skips the row.
        case ignore = "IGNORE"
        /// Deletes the conflicting rows, or replaces NULL by the column's default.
        case replace = "REPLACE"
        /// Fails, and rolls back the transaction.
        case rollback = "ROLLBACK"
    }
}
