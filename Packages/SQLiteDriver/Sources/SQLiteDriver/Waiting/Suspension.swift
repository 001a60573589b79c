import CSQLiteShims

extension Database {
    /// Makes all open databases with ``Configuration/observesSuspensionNotifications`` release their locks, and take no others until
    /// ``resume()`` is called. Databases that are opened later are not suspended.
    ///
    /// Some systems terminate a process that holds file locks while it is suspended: iOS does so for a file that an application
    /// shares with its extensions. Such a program calls this method before it is suspended:
    ///
    /// ```swift
    /// // With UIKit
    /// func applicationDidEnterBackground(_ application: UIApplication) {
    ///     Database.suspend()
    /// }
    /// func applicationWillEnterForeground(_ application: UIApplication) {
    ///     Database.resume()
    /// }
    /// ```
    ///
    /// Running statements are interrupted, and throw `SQLITE_INTERRUPT`. From then on, a statement that would take a lock throws
    /// `SQLITE_ABORT`, and its transaction is rolled back. These are the statements that write, and outside WAL mode also the
    /// statements that read. In WAL mode, reads continue. Transactions can still be ended. An idle transaction that holds locks
    /// keeps them until its next statement.
    ///
    /// It can be called from any thread, and more than once.
    public static func suspend() {
        Suspension.shared.setSuspended(true)
    }

    /// Ends the suspension that ``suspend()`` has begun.
    ///
    /// It can be called from any thread.
    public static func resume() {
        Suspension.shared.setSuspended(false)
    }

    /// Whether the connection must not take locks now.
    var isSuspended: Bool {
        configuration.observesSuspensionNotifications && suspension.value != 0
    }

    /// Whether the main database is in WAL mode.
    var isInWALMode: Bool {
        guard let statement = try? makeStatement(sql: "PRAGMA main.journal_mode") else { return false }
        // The statement runs without `step()`, which would check for suspension. It reads nothing from the file.
        guard withoutInterruption({ sqlite3_step(statement.handle) }) == SQLITE_ROW else { return false }
        defer { sqlite3_reset(statement.handle) }
        return sqlite3_column_text(statement.handle, 0).map { String(cString: $0) } == "wal"
    }
}

/// Throws for a statement that would take a lock while databases are suspended, and releases the locks that are held.
struct SuspensionCheck: StatementParticipant {
    var need: StatementNeeds.Need { .suspension }

    func statementWillBegin(_ statement: Statement, in db: Database) throws {
        guard db.isSuspended else { return }
        if statement.effects.controlsTransaction {
            // A deferred transaction takes its locks with its first statements, and not when it begins.
            if !statement.effects.beginsTransaction || !statement.mayWrite { return }
        } else if !statement.mayWrite, db.isInWALMode {
            return
        }
        let error = DatabaseError(
            code: .SQLITE_ABORT, message: "the database is suspended", sql: statement.sql,
            arguments: statement.state.pointee.arguments, publicStatementArguments: db.configuration.publicStatementArguments,
            advice: "Try again after Database.resume().")
        if db.isInsideTransaction {
            // Later statements of the transaction must not run outside it.
            try? db.runCached("ROLLBACK TRANSACTION")
            db.transaction.fail(.rolledBack(by: error, isReported: true))
        }
        throw error
    }
}

/// The connections of the process that can be suspended.
final class Suspension: Sendable {
    static let shared = Suspension()

    private struct Member {
        weak var database: Database?
    }

    private let members = Guarded<[Member]>([])

    /// Adds a connection, and suspends it if the connection that writes to its database is suspended.
    func add(_ database: Database) {
        members.withLock { members in
            members.removeAll { $0.database == nil }
            members.append(Member(database: database))
            if database.writer?.database.isSuspended == true { database.suspension.value = 1 }
        }
    }

    func setSuspended(_ isSuspended: Bool) {
        // The objects are released outside the lock, because this may be the last reference to a connection.
        let databases = members.withLock { members in
            let databases = members.compactMap(\.database)
            for database in databases { database.suspension.value = isSuspended ? 1 : 0 }
            return databases
        }
        guard isSuspended else { return }
        for database in databases {
            database.interrupt()
        }
    }
}
