import CSQLiteShims

// What changes of the schema make of a statement.
//
// SQLite compiles a statement once, and again by itself when it begins to run after the schema has changed: a `SELECT *` may have
// other columns then, and an INSERT may set off other triggers. There are two ways to notice:
//
// - Whoever keeps something about the columns of rows remembers `repreparationCount` with it, and compares after each first step.
//   Each of them has a number of its own: a notice that is given once is lost for all but the first who asks.
// - What is asked of a statement that has not begun is answered for the schema of now. SQLite has compiled the statement for the
//   schema of then, and has no call to compile it anew: so the same SQL is compiled once more, and asked in its place.

extension Statement {
    /// How many times SQLite has compiled the statement again, by itself, since the statement was prepared.
    ///
    /// SQLite does that in the first step of a run, when the schema has changed since the step before: the columns may be other ones
    /// then, or have other names. Whoever keeps something that depends on the columns of the rows remembers this number with it, and
    /// compares after the first step of each run:
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
        Int(sqlite3_stmt_status(sqliteStatement, SQLITE_STMTSTATUS_REPREPARE, 0))
    }

    /// What is known of a statement beyond its rows, and for which schema.
    struct Description {
        /// The number of the schema that ``Statement/effects`` and ``columnNames`` hold for.
        var generation = 0

        /// ``Statement/repreparationCount`` when ``Statement/effects`` were told.
        var repreparationCount = 0

        /// The names of the columns, nil where SQLite knows them from compiling the statement itself.
        var columnNames: [String]?
    }

    /// Whether the statement has made its first step, and has more to do.
    @inlinable
    var hasBegun: Bool { sqlite3_stmt_busy(sqliteStatement) != 0 }

    /// Makes sure that ``effects``, and the columns of a statement that has not begun, are those of the schema of now.
    ///
    /// A schema that can't be read now, because of a lock for one, and SQL that does not fit the schema leave what was known: running
    /// the statement throws the error.
    func describe() {
        guard let generation = try? database.schemaGeneration(), generation != state.pointee.description.generation else { return }
        describe(generation: generation)
    }

    /// Makes sure that ``effects`` are those of the run that is under way, or has just ended.
    ///
    /// - Returns: whether they are other ones than before.
    func describeRun() -> Bool {
        if hasEffectsOfRun { return false }
        // The statement was compiled for the schema that SQLite knows, which needs no look at the file.
        describe(generation: state.pointee.description.generation)
        return true
    }

    /// Whether SQLite has not compiled the statement again since ``effects`` were told.
    var hasEffectsOfRun: Bool { state.pointee.description.repreparationCount == repreparationCount }

    @inline(never)
    private func describe(generation: Int) {
        guard let other = try? database.prepareStatement(in: sql[...]).0 else { return }
        effects = other.effects
        let names = (0..<other.compiledColumnCount).map { other.compiledColumnName(at: $0) }
        state.pointee.description = Description(
            generation: generation, repreparationCount: repreparationCount, columnNames: names)
    }
}
