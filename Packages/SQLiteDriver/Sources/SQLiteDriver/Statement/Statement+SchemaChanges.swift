import CSQLiteShims

// How statements follow schema changes.
//
// SQLite compiles a statement once, and again when it begins to run after a schema change. Then a `SELECT *` may have other
// columns, and an INSERT may fire other triggers. There are two ways to notice:
//
// - Code that caches something about the columns of rows stores `repreparationCount` with it, and compares the two after each first step.
//   Each cache stores its own number: a notification that is delivered once would reach only the first cache.
// - The properties of a statement that has not begun reflect the current schema. SQLite has compiled the statement for an earlier
//   schema, and has no function to recompile it. The driver therefore compiles the same SQL once more, and reads the properties
//   of that statement.

extension Statement {
    /// The number of times that SQLite has recompiled the statement since it was prepared.
    ///
    /// SQLite does so in the first step of a run if the schema has changed since the previous step. The columns, or their names,
    /// may then be different. Code that caches something about the columns of rows stores this number with it, and compares the
    /// two after the first step of each run:
    ///
    /// ```swift
    /// let hasRow = try statement.step()
    /// if statement.repreparationCount != knownCount {
    ///     knownCount = statement.repreparationCount
    ///     indexOfName = statement.index(ofColumn: "name")
    /// }
    /// ```
    ///
    /// Source: <https://www.sqlite.org/c3ref/c_stmtstatus_counter.html>
    @inlinable
    public var repreparationCount: Int {
        Int(sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0))
    }

    /// Properties of a statement other than its rows, and the schema that they reflect.
    struct Description {
        /// The generation of the schema that ``Statement/effects`` and ``columnNames`` reflect.
        var generation = 0

        /// The ``Statement/repreparationCount`` for which ``Statement/effects`` were read.
        var repreparationCount = 0

        /// The names of the columns; nil if the compiled statement has the current names.
        var columnNames: [String]?
    }

    /// Whether the statement has made its first step, and has not ended.
    @inlinable
    var hasBegun: Bool { sqlite3_stmt_busy(handle) != 0 }

    /// Updates ``effects``, and the columns of a statement that has not begun, to the current schema.
    ///
    /// If the schema can't be read now, for example because of a lock, or if the SQL does not fit the schema, the old values stay:
    /// running the statement throws the error.
    func describe() {
        guard let generation = try? database.schemaGeneration(), generation != state.pointee.description.generation else { return }
        describe(generation: generation)
    }

    /// Updates ``effects`` to the current run, or to the run that has just ended.
    ///
    /// - Returns: whether they have changed.
    func describeRun() -> Bool {
        if hasEffectsOfRun { return false }
        // SQLite has compiled the statement for the schema that it knows, so there is no need to read the schema version from the
        // file.
        describe(generation: state.pointee.description.generation)
        return true
    }

    /// Returns whether the schema is the one for which ``effects`` were read, although SQLite has recompiled the statement. SQLite 3.54 does so
    /// to plan a join for the values of its arguments, which changes no effect.
    func keepsEffectsOfSchema() -> Bool {
        guard (try? database.schemaGeneration()) == state.pointee.description.generation else { return false }
        state.pointee.description.repreparationCount = repreparationCount
        return true
    }

    /// Whether ``effects`` are still valid: SQLite has not recompiled the statement since they were read.
    var hasEffectsOfRun: Bool { state.pointee.description.repreparationCount == repreparationCount }

    @inline(never)
    private func describe(generation: Int) {
        guard let other = try? SQLScript(sql).nextStatement(database) else { return }
        effects = other.effects
        let names = (0..<other.compiledColumnCount).map { other.compiledColumnName(at: $0) }
        state.pointee.description = Description(
            generation: generation, repreparationCount: repreparationCount, columnNames: names)
    }
}
