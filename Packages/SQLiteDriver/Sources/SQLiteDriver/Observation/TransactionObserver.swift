/// An observer of the changes, commits and rollbacks of transactions.
///
/// ```swift
/// final class PlayerObserver: TransactionObserver {
///     private var isChanged = false
///
///     func observes(eventsOfKind kind: DatabaseEventKind) -> Bool {
///         kind.tableName == "player"
///     }
///     func databaseDidChange(with event: DatabaseEvent) { isChanged = true }
///     func databaseDidRollback(_ db: Database) { isChanged = false }
///     func databaseDidCommit(_ db: Database) {
///         if isChanged { print("players have changed") }
///         isChanged = false
///     }
/// }
///
/// let observer = PlayerObserver()
/// queue.add(transactionObserver: observer)
/// ```
///
/// Events are delivered when their statement has succeeded and no savepoint can undo it. All callbacks run on the thread of the writing
/// access. Changes by other connections are not reported.
///
/// Where a callback must not use the connection, statements throw `SQLITE_MISUSE`. ``databaseDidCommit(_:)`` and
/// ``databaseDidRollback(_:)`` may use it, and may write: before the first such statement, the other observers are notified of the end of the
/// transaction, so that each observer hears of transactions in their order.
public protocol TransactionObserver: AnyObject {
    /// Which changes are reported to the observer: by default, those that ``observes(eventsOfKind:)`` asks for.
    var databaseEventObservationStrategy: DatabaseEventObservationStrategy { get }

    /// Returns whether the observer wants events of a kind. It is not called for observers whose ``databaseEventObservationStrategy`` does
    /// not require event kinds.
    ///
    /// Commits and rollbacks are reported to all observers.
    ///
    /// The result must stay the same during a transaction: if no observer wants the events of a statement, this method is not called for
    /// its later runs in the same transaction.
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool

    /// Notifies the observer of a change without events: by ``Database/notifyChanges(in:)``, or where SQLite does not report rows,
    /// such as tables WITHOUT ROWID, virtual tables, and rows that REPLACE deletes. It must not use the connection.
    func databaseDidChange()

    /// Notifies the observer that any row of a region may have changed, without an event, or with events that are incomplete. It must not
    /// use the connection. The default implementation calls ``databaseDidChange()``.
    ///
    /// ```swift
    /// func databaseDidChange(with event: DatabaseEvent) {
    ///     if region.isModified(by: event) { isChanged = true }
    /// }
    ///
    /// func databaseDidChange(in changes: DatabaseRegion) {
    ///     if !region.isDisjoint(with: changes) { isChanged = true }
    /// }
    /// ```
    ///
    /// An observer with these two methods misses no change of its region, provided that ``observes(eventsOfKind:)`` returns true for the
    /// region's tables. The method is called for
    ///
    /// - tables `WITHOUT ROWID`, and virtual tables together with their shadow tables: SQLite has no events for them;
    /// - statements that may delete rows by REPLACE, also by the `ON CONFLICT REPLACE` of a table or the REPLACE of a trigger: SQLite
    ///   has no events for those rows;
    /// - statements that update the row ID: the event has only the new one;
    /// - schema changes, `ATTACH`, `DETACH`, `VACUUM` (which may change row IDs that are not an `INTEGER PRIMARY KEY`), and backups
    ///   into this database: the region is the full database, and ``observes(eventsOfKind:)`` is asked for events of `sqlite_master`;
    /// - ``Database/notifyChanges(in:)``.
    ///
    /// It is called once for a statement, in addition to the events that SQLite reports, and like them only when the statement has
    /// succeeded and no savepoint can undo it.
    func databaseDidChange(in region: DatabaseRegion)

    /// Notifies the observer of the change of a row. It must not use the connection.
    func databaseDidChange(with event: DatabaseEvent)

    /// Notifies the observer that the transaction is about to be committed. It must not use the connection.
    ///
    /// This method is not called for a deferred transaction that has written nothing.
    ///
    /// - Throws: an error that rolls back the transaction. The call that commits throws it.
    func databaseWillCommit() throws

    /// Notifies the observer that the transaction was committed.
    func databaseDidCommit(_ db: Database)

    /// Notifies the observer that the transaction was rolled back.
    func databaseDidRollback(_ db: Database)
}

/// Which changes are reported to a ``TransactionObserver``.
///
/// ```swift
/// final class Auditor: TransactionObserver {
///     var changedTables: Set<String> = []
///
///     var databaseEventObservationStrategy: DatabaseEventObservationStrategy {
///         var strategy = DatabaseEventObservationStrategy.default
///         strategy.requiresDatabaseEventKind = false
///         return strategy
///     }
///     func observes(eventsOfKind kind: DatabaseEventKind) -> Bool { true }
///     func databaseDidChange(with event: DatabaseEvent) {
///         changedTables.insert(event.tableName)
///     }
///     func databaseDidCommit(_ db: Database) {}
///     func databaseDidRollback(_ db: Database) {}
/// }
/// ```
public struct DatabaseEventObservationStrategy: Sendable {
    /// The strategy of observers without their own: event kinds are required.
    public static let `default` = DatabaseEventObservationStrategy()

    /// Whether the observer gets only events of the kinds for which ``TransactionObserver/observes(eventsOfKind:)`` returns true.
    ///
    /// If it is false, the observer is not asked, and gets the events of all rows that SQLite reports. These include all changes that a
    /// custom function or the program makes with statements of the C API. Observers that require event kinds get most of those, too, as
    /// SQLite reports the table of each row; but if no observer wants the kinds of a statement's own events, its later runs in the same
    /// transaction report no events, including changes that a function makes with statements of the C API that were prepared before.
    ///
    /// What SQLite does not report is unknown to all observers: for example, changes by `sqlite3_blob_write`. See
    /// ``TransactionObserver/databaseDidChange(in:)`` for changes without events.
    public var requiresDatabaseEventKind = true

    init() {}
}

extension TransactionObserver {
    /// Requires event kinds.
    public var databaseEventObservationStrategy: DatabaseEventObservationStrategy { .default }

    /// Does nothing.
    public func databaseDidChange() {}

    /// Calls ``databaseDidChange()``.
    public func databaseDidChange(in region: DatabaseRegion) { databaseDidChange() }

    /// Accepts the commit.
    public func databaseWillCommit() throws {}

    /// Stops the delivery of changes to this observer until the transaction has ended. Call it from ``databaseDidChange(with:)``,
    /// ``databaseDidChange(in:)`` or ``databaseDidChange()``; elsewhere it does nothing.
    public func stopObservingDatabaseChangesUntilNextTransaction() {
        TransactionObservation.pauseDelivery(to: self)
    }
}

extension Database {
    /// How long an observer is notified.
    public enum TransactionObservationExtent: Sendable {
        /// As long as another object retains the observer.
        case observerLifetime
        /// Until the current transaction, or else the next one, has ended. The observer is retained until then.
        ///
        /// A transaction that writes nothing counts, too. Read-only transactions, as in ``DatabaseReader/read(_:)``, count only if
        /// the observer is added inside one, or if they call ``Database/notifyChanges(in:)``.
        case nextTransaction
        /// Until the connection is closed. The observer is retained until then.
        case databaseLifetime
    }

    /// Adds an observer of this connection's transactions.
    ///
    /// - Parameters:
    ///   - transactionObserver: notified of changes, commits and rollbacks.
    ///   - extent: how long the observer is notified.
    public func add(
        transactionObserver: some TransactionObserver, extent: TransactionObservationExtent = .observerLifetime
    ) {
        checkAccess()
        observation.add(transactionObserver, extent: extent, to: self)
    }

    /// Removes an observer.
    public func remove(transactionObserver: some TransactionObserver) {
        checkAccess()
        observation.remove(transactionObserver)
    }

    /// Calls a closure when the current transaction, or else the next one, has ended.
    ///
    /// ```swift
    /// try queue.write { db in
    ///     try db.execute(sql: "DELETE FROM player")
    ///     db.afterNextTransaction { _ in print("no player is left") }
    /// }
    /// ```
    ///
    /// A transaction that writes nothing counts, too. Read-only transactions, as in ``DatabaseReader/read(_:)``, count only if this
    /// method is called inside one, or if they call ``notifyChanges(in:)``.
    ///
    /// - Parameters:
    ///   - onCommit: called after a commit.
    ///   - onRollback: called after a rollback.
    public func afterNextTransaction(
        onCommit: @escaping (Database) -> Void, onRollback: @escaping (Database) -> Void = { _ in }
    ) {
        final class Callbacks: TransactionObserver {
            let onCommit: (Database) -> Void
            let onRollback: (Database) -> Void

            init(onCommit: @escaping (Database) -> Void, onRollback: @escaping (Database) -> Void) {
                self.onCommit = onCommit
                self.onRollback = onRollback
            }

            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
            func databaseDidChange(with event: DatabaseEvent) {}
            func databaseDidCommit(_ db: Database) { onCommit(db) }
            func databaseDidRollback(_ db: Database) { onRollback(db) }
        }
        add(transactionObserver: Callbacks(onCommit: onCommit, onRollback: onRollback), extent: .nextTransaction)
    }

    /// Notifies observers of changes that they can't see, such as the changes of another process.
    ///
    /// ```swift
    /// try queue.write { db in
    ///     try db.notifyChanges(in: .fullDatabase)
    /// }
    /// ```
    ///
    /// Observers of the region's tables are notified once, by ``TransactionObserver/databaseDidChange(in:)``. When the transaction ends,
    /// they are notified of its commit or its rollback, even if it is read-only. Outside transactions, the commit notification follows
    /// immediately.
    ///
    /// - Throws: the region's error, or ``DatabaseError``.
    public func notifyChanges(in region: some DatabaseRegionConvertible) throws {
        checkAccess()
        let region = try region.databaseRegion(self)
        try observation.notifyChanges(in: region, of: self)
    }
}
