import ValueConversion

/// The rows of a statement's run, one after the other: what all cursors and fetches are made of.
///
/// One row object serves for all rows, as long as nobody keeps it: before each step the iteration asks whether it holds the
/// only reference. A row that someone has kept is made unreadable and replaced, so that it never shows another row's values.
@usableFromInline
struct RowIteration {
    @usableFromInline let statement: Statement
    @usableFromInline let slot: UnsafeMutablePointer<RowSource.Slot>
    @usableFromInline var runID: Int
    @usableFromInline var isStarted = false

    /// Starts a run of a statement.
    ///
    /// - Throws: ``DatabaseError``, for arguments that don't fit among others.
    @inlinable
    init(_ statement: Statement, arguments: StatementArguments?, adapter: (any RowAdapter)?) throws {
        if let arguments {
            try statement.setArguments(arguments)
        }
        self.statement = statement
        runID = try statement.beginRun()
        let source = statement.attachments.value(for: RowSource.self) { RowSource(statement: statement) }
        slot = source.slot.pointer
        if adapter != nil || slot.pointee.hasAdapter {
            slot.pointee.setAdapter(adapter)
        }
    }

    /// The next row, or nil after the last one.
    ///
    /// - Throws: ``DatabaseError``. There are no more rows after an error.
    @inlinable
    mutating func next() throws -> Row? {
        guard isStarted, statement.isInRun(runID), statement.isRunningOnCurrentThread else {
            return try firstRow()
        }
        if !isKnownUniquelyReferenced(&slot.pointee.row) || slot.pointee.hasAdapter {
            slot.pointee.releaseRow(of: statement)
        }
        do {
            guard try statement.stepWithinRun() else {
                runID = -1
                return nil
            }
        } catch {
            runID = -1
            throw error
        }
        let row = slot.pointee.row
        row.core.pointee.position = 0
        return row
    }

    /// Ends the iteration: there are no more rows.
    @inlinable
    mutating func stop() {
        if runID >= 0, statement.isInRun(runID) {
            statement.reset()
        }
        runID = -1
    }

    /// Ends the iteration, unless someone keeps its row: then the row can be read until the access ends.
    ///
    /// Its cursor was released, maybe because Swift has seen that the program has no more use for it than for the row.
    ///
    /// The last reference to a cursor may go away on any thread. On another one than that of the access, the run goes on until the access
    /// ends.
    @usableFromInline
    mutating func abandon() {
        guard statement.isRunningOnCurrentThread else { return }
        guard runID >= 0, statement.isInRun(runID) else { return }
        if isKnownUniquelyReferenced(&slot.pointee.row) {
            stop()
        }
    }

    /// Makes the first step; or tells why there are no more, or stops the program on another thread than that of the access.
    @inline(never)
    @usableFromInline
    mutating func firstRow() throws -> Row? {
        guard runID >= 0 else { return nil }
        if !statement.isRunningOnCurrentThread { statement.database.checkAccess() }
        guard statement.isInRun(runID) else {
            runID = -1
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "the statement was run again, or reset, while a cursor was iterating its rows", sql: statement.sql)
        }
        isStarted = true
        do {
            guard try statement.stepWithinRun() else {
                runID = -1
                return nil
            }
            try slot.pointee.prepareRow(of: statement)
        } catch {
            runID = -1
            statement.reset()
            throw error
        }
        return slot.pointee.row
    }
}

/// Keeps the row object of a statement, from one run to the next.
@usableFromInline
final class RowSource: StatementRowObserver, AttachmentKey {
    @usableFromInline typealias Value = RowSource

    @usableFromInline let slot: OwnedMemory<Slot>

    @usableFromInline
    struct Slot {
        @usableFromInline var row: Row
        var adapter: (any RowAdapter)?
        /// Whether there is an adapter; asked for each row, where looking at the adapter would copy it.
        @usableFromInline var hasAdapter = false
        /// ``Statement/repreparationCount`` when the row was last made ready for a run: what the row keeps holds for the columns of
        /// then.
        private var repreparationCount: Int

        init(row: Row, statement: Statement) {
            self.row = row
            repreparationCount = statement.repreparationCount
        }

        @usableFromInline
        mutating func setAdapter(_ adapter: (any RowAdapter)?) {
            self.adapter = adapter
            hasAdapter = adapter != nil
            row = Row(layout: nil)
        }

        /// After the first step of a run: the columns are certain now.
        mutating func prepareRow(of statement: Statement) throws {
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

        /// Before a step: replaces a row that someone keeps.
        @inline(never)
        @usableFromInline
        mutating func releaseRow(of statement: Statement) {
            row.releaseKeptScopes()
            if isKnownUniquelyReferenced(&row) { return }
            let kept = row
            kept.detach()
            row = Row(layout: kept.layout)
            row.attach(to: statement)
            row.takeOver(from: kept)
        }
    }

    @usableFromInline
    init(statement: Statement) {
        slot = OwnedMemory(Slot(row: Row(layout: nil), statement: statement))
        statement.rowObserver = self
    }

    deinit {
        // The statement is gone: a row that someone keeps must not read from it.
        slot.pointee.row.detach()
    }

    @usableFromInline
    func statementDidLeaveRow() {
        if isKnownUniquelyReferenced(&slot.pointee.row) {
            // The hints stay for the next run.
            slot.pointee.row.core.pointee.statement = nil
            slot.pointee.row.core.pointee.directColumnCount = 0
            slot.pointee.row.releaseKeptScopes()
        } else {
            let layout = slot.pointee.row.layout
            slot.pointee.row.detach()
            slot.pointee.row = Row(layout: layout)
        }
    }
}
