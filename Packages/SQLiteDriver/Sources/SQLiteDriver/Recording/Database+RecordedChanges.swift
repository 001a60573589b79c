import CSQLiteShims

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
        let (value, changes) = try recordingAllChanges(updates)
        return (value, Set(changes.tables.map { $0.text.foldingASCIICase }))
    }

    /// Runs a closure like ``recordingChanges(_:)``, and also returns how its statements may change the schema.
    package func recordingAllChanges<T>(_ updates: () throws -> T) rethrows -> (value: T, changes: RecordedChanges) {
        checkAccess()
        let outer = authorizer.recordedChanges
        authorizer.recordedChanges = RecordedChanges()
        // Setting an authorizer expires statements that were compiled before, so SQLite compiles them again when they run.
        if let handle = sqliteConnection, hasCompiledChanges(handle) { authorizer.install(on: handle) }
        defer {
            let inner = authorizer.recordedChanges ?? RecordedChanges()
            authorizer.recordedChanges = outer
            authorizer.recordedChanges?.form(inner)
        }
        let result = try updates()
        return (result, authorizer.recordedChanges ?? RecordedChanges())
    }

    /// Returns whether a compiled statement, of the program, of the C API or of a virtual table, may change rows or the schema without being
    /// compiled again: SQLite compiles a statement again if the schema has changed.
    private func hasCompiledChanges(_ handle: SQLiteConnection) -> Bool {
        // To SQLite, ATTACH and DETACH only read: https://www.sqlite.org/c3ref/stmt_readonly.html
        if authorizer.hasSeenAttach { return true }
        // The cache keeps the statement that has begun the transaction.
        return Self.statements(of: handle).contains {
            sqlite3_stmt_readonly($0) == 0 && sqlite3_strnicmp(sqlite3_sql($0), "BEGIN", 5) != 0
        }
    }

    /// Runs a closure that compiles statements without running them: the recording ignores them.
    func withoutRecordingChanges<T>(_ body: () throws -> T) rethrows -> T {
        let recorded = authorizer.recordedChanges
        defer { authorizer.recordedChanges = recorded }
        return try body()
    }
}

/// The possible changes of statements.
package struct RecordedChanges {
    /// The kinds of changes of the schema. A later kind includes the kinds before it.
    package enum SchemaChange: Comparable {
        /// The schema stays the same.
        case none
        /// The main database gets new objects. Its other objects stay the same.
        case additions
        /// Any other change.
        case others
    }

    /// The tables whose rows change, and those that are created, altered or dropped, in all databases of the connection.
    package var tables: Set<SchemaName> = []

    /// The change of the schema.
    package private(set) var schema = SchemaChange.none

    mutating func noteSchemaChange(_ change: SchemaChange) { schema = max(schema, change) }

    mutating func form(_ other: RecordedChanges) {
        tables.formUnion(other.tables)
        noteSchemaChange(other.schema)
    }
}
