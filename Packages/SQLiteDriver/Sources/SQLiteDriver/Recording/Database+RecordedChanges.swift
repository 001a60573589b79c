// Recording of the tables that a closure may change, for callers that check them afterwards.

extension Database {
    /// Runs a closure, and returns its result and the tables that its statements may write to.
    ///
    /// ```swift
    /// let (_, tables) = try db.recordingChanges {
    ///     try db.execute(sql: "UPDATE player SET score = 0")
    /// }
    /// // tables is ["player"]
    /// ```
    ///
    /// SQLite reports the tables while it compiles the statements, including those that triggers write to. A table counts even if
    /// no row has changed. Tables that are created, altered or dropped count, too. A renamed table counts under its previous name.
    ///
    /// - Parameter updates: the closure. Its writes inside a nested recording count for both recordings.
    /// - Returns: the closure's result, and the names of the tables in lower case, from all databases of the connection.
    /// - Throws: the error of the closure.
    public func recordingChanges<T>(_ updates: () throws -> T) rethrows -> (value: T, tables: Set<String>) {
        checkAccess()
        let outer = authorizer.recordedTables
        authorizer.recordedTables = []
        // Setting an authorizer expires statements that were compiled before, so SQLite compiles them again when they run.
        if outer == nil, let handle = sqliteConnection { authorizer.install(on: handle) }
        defer { authorizer.recordedTables = outer.map { $0.union(authorizer.recordedTables ?? []) } }
        let result = try updates()
        return (result, authorizer.recordedTables ?? [])
    }

    /// Runs a closure that compiles statements without running them: the recording ignores them.
    func withoutRecordingChanges<T>(_ body: () throws -> T) rethrows -> T {
        let recorded = authorizer.recordedTables
        defer { authorizer.recordedTables = recorded }
        return try body()
    }
}
