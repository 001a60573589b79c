import ValueConversion

/// Iterates over the rows of a statement's run. All cursors and fetches are built on it.
///
/// The iteration reuses one row object for all rows while it holds the only reference to it, which it checks before each step. If the
/// program has kept the row, the iteration invalidates it and creates a new one, so that a kept row never shows another row's values.
@usableFromInline
struct RowIteration {
    @usableFromInline let statement: Statement
    @usableFromInline let source: RowSource
    /// Whether the rows have an adapter. Reading it from ``source`` for each row would be slower.
    @usableFromInline let hasAdapter: Bool
    @usableFromInline var runID: Int
    @usableFromInline var isStarted = false

    /// The error that ended the iteration: further calls of ``next()`` throw it again.
    @usableFromInline var failure: (any Error)?

    /// Starts a run of a statement.
    ///
    /// - Throws: ``DatabaseError``, for example when the arguments don't match the statement's parameters.
    @inlinable
    init(_ statement: Statement, arguments: StatementArguments?, adapter: (any RowAdapter)?) throws {
        if let arguments {
            try statement.setArguments(arguments)
        }
        self.statement = statement
        runID = try statement.beginRun()
        source = statement.attachments.value(for: RowSource.self) { RowSource(statement: statement) }
        hasAdapter = adapter != nil
        if hasAdapter || source.hasAdapter {
            source.setAdapter(adapter)
        }
    }

    /// The next row, or nil after the last one.
    ///
    /// - Throws: ``DatabaseError``. After an error, each call throws it again.
    @inlinable
    mutating func next() throws -> Row? {
        guard isStarted, statement.isInRun(runID), statement.isRunningOnCurrentThread else {
            return try firstRow()
        }
        if hasAdapter || !isKnownUniquelyReferenced(&source.row) {
            source.releaseRow(of: statement)
        }
        do {
            guard try statement.stepWithinRun() else {
                runID = -1
                return nil
            }
        } catch {
            runID = -1
            failure = error
            throw error
        }
        let row = source.row
        row.core.pointee.position = 0
        return row
    }

    /// An element for the next row, or nil after the last row.
    ///
    /// - Throws: ``DatabaseError``, or the closure's error, which ends the iteration.
    @inlinable
    @inline(__always)
    mutating func next<Element>(_ element: (Row) throws -> Element) throws -> Element? {
        guard let row = try next() else { return nil }
        do {
            return try element(row)
        } catch {
            stop()
            throw error
        }
    }

    /// An element for the next row, or nil after the last row or when the closure returns nil. Ends the iteration.
    ///
    /// - Throws: ``DatabaseError``, or the closure's error.
    @inlinable
    @inline(__always)
    mutating func only<Element>(_ element: (Row) throws -> Element?) throws -> Element? {
        // The row is released before the run ends. A row that is still in use is replaced by a new row, which looks up its columns again.
        guard let result = try next(element) else { return nil }
        try finish()
        return result
    }

    /// Ends the iteration, and the statement's run.
    @inlinable
    mutating func stop() {
        if runID >= 0, statement.isInRun(runID) {
            statement.reset()
        }
        runID = -1
    }

    /// Ends the iteration after a row that was read, and the statement's run.
    ///
    /// - Throws: ``DatabaseError`` if memory for a string of the row could not be allocated.
    @inlinable
    mutating func finish() throws {
        if runID >= 0, statement.isInRun(runID) {
            try statement.endRun()
        }
        runID = -1
    }

    /// Ends the iteration, unless the program has kept the current row, which then remains valid until the access ends.
    ///
    /// It is called when the cursor is released. Swift may release a cursor after its last use, while the program still reads the row.
    ///
    /// A cursor may be released on any thread. On a thread other than the access's thread, the statement stays active until the access
    /// ends.
    @usableFromInline
    mutating func abandon() {
        guard statement.isRunningOnCurrentThread else { return }
        guard runID >= 0, statement.isInRun(runID) else { return }
        if isKnownUniquelyReferenced(&source.row) {
            stop()
        }
    }

    /// The error of a cursor that no longer has its run.
    static func makeInterruptedRunError(_ statement: Statement) -> DatabaseError {
        .misuse("the statement was run again, or reset, while a cursor was iterating its rows", sql: statement.sql)
    }

    /// Makes the first step, or returns nil or throws when the run has ended. Stops the program on a thread other than the access's thread.
    @inline(never)
    @usableFromInline
    mutating func firstRow() throws -> Row? {
        guard runID >= 0 else {
            if let failure { throw failure }
            return nil
        }
        if !statement.isRunningOnCurrentThread { statement.database.checkAccess() }
        guard statement.isInRun(runID) else {
            runID = -1
            let error = Self.makeInterruptedRunError(statement)
            failure = error
            throw error
        }
        isStarted = true
        do {
            guard try statement.stepWithinRun() else {
                runID = -1
                return nil
            }
            try source.prepareRow(of: statement)
        } catch {
            runID = -1
            failure = error
            statement.reset()
            throw error
        }
        return source.row
    }
}

/// Keeps the row object of a statement from one run to the next.
@usableFromInline
final class RowSource: StatementRowObserver, AttachmentKey {
    /// One thread at a time uses it, and no code of the program runs while it is read or replaced.
    @exclusivity(unchecked)
    @usableFromInline var row = Row(layout: nil)
    private var adapter: (any RowAdapter)?
    /// Whether there is an adapter. Each run reads this flag, because reading the adapter would copy it.
    @usableFromInline var hasAdapter = false
    /// The value of ``Statement/repreparationCount`` when the row was last prepared for a run. The positions that the row remembers are
    /// valid only while the count is the same.
    private var repreparationCount: Int

    @usableFromInline
    init(statement: Statement) {
        repreparationCount = statement.repreparationCount
        statement.rowObserver = self
    }

    deinit {
        // The statement is deinitialized: a row that the program has kept must not read from it.
        row.detach()
    }

    @usableFromInline
    func setAdapter(_ adapter: (any RowAdapter)?) {
        self.adapter = adapter
        hasAdapter = adapter != nil
        row = Row(layout: nil)
    }

    /// Prepares the row for a run. It is called after the first step, when SQLite has determined the columns.
    func prepareRow(of statement: Statement) throws {
        let count = statement.repreparationCount
        defer { repreparationCount = count }
        if let adapter {
            let layout = try adapter.layout(from: RowLayout(columnNames: statement.columnNames))
            try layout.check(baseColumnCount: statement.columnCount)
            row = Row(layout: layout)
        } else if !isKnownUniquelyReferenced(&row) {
            row.detach()
            row = Row(layout: nil)
        } else if repreparationCount != count {
            row.forgetColumns()
        }
        row.attach(to: statement)
    }

    /// Replaces a row that the program has kept. It is called before a step.
    @inline(never)
    @usableFromInline
    func releaseRow(of statement: Statement) {
        row.releaseKeptScopes()
        if isKnownUniquelyReferenced(&row) { return }
        let kept = row
        kept.detach()
        row = Row(layout: kept.layout)
        row.attach(to: statement)
        row.takeOver(from: kept)
    }

    @usableFromInline
    func statementDidLeaveRow() {
        if isKnownUniquelyReferenced(&row) {
            // The hints stay for the next run.
            row.core.pointee.statement = nil
            row.core.pointee.directColumnCount = 0
            row.releaseKeptScopes()
        } else {
            let layout = row.layout
            row.detach()
            row = Row(layout: layout)
        }
    }
}
