// What a closure may have changed, for those who want to check it.

extension Database {
    /// Runs a closure, and tells which tables its statements may write to.
    ///
    /// ```swift
    /// let (_, tables) = try db.recordingChanges {
    ///     try db.execute(sql: "UPDATE player SET score = 0")
    /// }
    /// // tables is ["player"]
    /// ```
    ///
    /// SQLite tells while it compiles the statements, those of triggers included. A table counts whether or not a row was changed;
    /// tables that are created, altered or dropped count too. A table that is renamed counts under its name before.
    ///
    /// - Parameter updates: the closure. What it writes inside another recording belongs to both.
    /// - Returns: what the closure returns, and the names of the tables in lower case, in whichever database of the connection they are.
    /// - Throws: the error of the closure.
    public func recordingChanges<T>(_ updates: () throws -> T) rethrows -> (value: T, tables: Set<String>) {
        checkAccess()
        let outer = authorizer.recordedTables
        authorizer.recordedTables = []
        // Statements that were compiled before are compiled again when they run: setting an authorizer expires them.
        if outer == nil, let handle = sqliteConnection { authorizer.install(on: handle) }
        defer { authorizer.recordedTables = outer.map { $0.union(authorizer.recordedTables ?? []) } }
        let result = try updates()
        return (result, authorizer.recordedTables ?? [])
    }

    /// Compiles statements that will not run.
    func withoutRecordingChanges<T>(_ body: () throws -> T) rethrows -> T {
        let recorded = authorizer.recordedTables
        defer { authorizer.recordedTables = recorded }
        return try body()
    }
}
