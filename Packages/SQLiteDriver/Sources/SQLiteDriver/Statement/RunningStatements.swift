import CSQLiteShims

// The statements of a connection that were started and not reset. They are reset when an access ends: rows and cursors that
// someone keeps must not outlive it, and the statements would hold on to their locks.
//
// A statement is known here by its state, whose memory is freed where the connection can be used, and not by its object, whose
// last reference may go away on any thread, at any time.

extension Database {
    typealias StatementState = UnsafeMutablePointer<Statement.State>

    func addRunning(_ statement: StatementState) {
        statement.pointee.runningIndex = runningStatements.count
        runningStatements.append(statement)
    }

    /// Ends the run of a statement.
    func endRun(_ statement: StatementState) {
        sqlite3_reset(statement.pointee.handle)
        guard statement.pointee.isRunning else { return }
        statement.pointee.rowObserver?.statementDidLeaveRow()
        statement.pointee.runID &+= 1
        statement.pointee.isRunning = false
        statement.pointee.runThread = 0
        removeRunning(statement)
    }

    /// Ends the runs of all statements.
    func endAllRuns() {
        while let statement = runningStatements.last {
            endRun(statement)
        }
    }

    private func removeRunning(_ statement: StatementState) {
        let index = statement.pointee.runningIndex
        guard index >= 0 else { return }
        statement.pointee.runningIndex = -1
        let last = runningStatements.removeLast()
        if index < runningStatements.count {
            runningStatements[index] = last
            last.pointee.runningIndex = index
        }
    }

    /// Finalizes a statement that nobody refers to any more: now or, when this is not the thread that uses the connection, as
    /// soon as that can be.
    func discard(_ statement: StatementState) {
        if isAccessedByCurrentThread {
            finalize(statement)
        } else {
            abandoned.append(statement)
        }
    }

    func finalizeAbandonedStatements() {
        for statement in abandoned.removeAll() {
            finalize(statement)
        }
    }

    private func finalize(_ statement: StatementState) {
        endRun(statement)
        // Rows that someone keeps must not read from it.
        statement.pointee.rowObserver?.statementDidLeaveRow()
        sqlite3_finalize(statement.pointee.handle)
        statement.pointee.roomForTexts?.deallocate()
        statement.deinitialize(count: 1)
        statement.deallocate()
    }
}

/// Statements whose last reference went away where the connection can't be used: on another thread, or outside accesses.
///
/// `@unchecked Sendable`: the lock guards the array.
final class AbandonedStatements: @unchecked Sendable {
    private let lock = Lock()
    private var statements: [Database.StatementState] = []

    func append(_ statement: Database.StatementState) {
        lock.withLock { statements.append(statement) }
    }

    func removeAll() -> [Database.StatementState] {
        lock.withLock {
            defer { statements = [] }
            return statements
        }
    }
}
