/// Someone who is told what transactions change, and how they end.
///
/// ```swift
/// final class PlayerObserver: TransactionObserver {
///     private var isChanged = false
///
///     func observes(eventsOfKind kind: DatabaseEventKind) -> Bool { kind.tableName == "player" }
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
/// Events come when their statement has succeeded, and when no savepoint can undo it any more. All callbacks are called on the
/// thread of the access that writes. Changes by other connections are not reported.
public protocol TransactionObserver: AnyObject {
    /// Whether the observer wants to know of events of a kind.
    ///
    /// Commits and rollbacks are reported to observers of any kinds of events, and of none.
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool

    /// The database has changed in a way that has no events of its own: by ``Database/notifyChanges(in:)``, or in a table whose
    /// rows SQLite does not report, such as those of a table WITHOUT ROWID, of a virtual table, and rows that REPLACE deletes.
    func databaseDidChange()

    /// A row has changed. The connection must not be used.
    func databaseDidChange(with event: DatabaseEvent)

    /// The transaction is about to be committed. The connection must not be used.
    ///
    /// It is not called for a deferred transaction that has written nothing: there is nothing to refuse.
    ///
    /// - Throws: an error that rolls back the transaction; whoever commits gets it.
    func databaseWillCommit() throws

    /// The transaction was committed.
    func databaseDidCommit(_ db: Database)

    /// The transaction was rolled back.
    func databaseDidRollback(_ db: Database)
}

extension TransactionObserver {
    /// Does nothing.
    public func databaseDidChange() {}

    /// Lets the transaction be committed.
    public func databaseWillCommit() throws {}

    /// Ends the reports of changes until the transaction has ended. To be called from ``databaseDidChange(with:)`` and
    /// ``databaseDidChange()``; elsewhere it does nothing.
    public func stopObservingDatabaseChangesUntilNextTransaction() {
        TransactionObservation.pauseDelivery(to: self)
    }
}

extension Database {
    /// How long an observer observes.
    public enum TransactionObservationExtent: Sendable {
        /// As long as someone else retains it.
        case observerLifetime
        /// Until the transaction that is open, or the next one, has ended. It is retained until then.
        ///
        /// The end of a transaction that has written nothing is reported, too. Transactions in which writing is forbidden, as in
        /// ``DatabaseReader/read(_:)``, do not count, unless the observer is added inside one.
        case nextTransaction
        /// Until the connection is closed. It is retained until then.
        case databaseLifetime
    }

    /// Adds an observer of this connection's transactions.
    ///
    /// - Parameters:
    ///   - transactionObserver: is told of changes, commits and rollbacks.
    ///   - extent: how long it observes.
    public func add(
        transactionObserver: some TransactionObserver, extent: TransactionObservationExtent = .observerLifetime
    ) {
        checkAccess()
        observation.add(transactionObserver, extent: extent, to: self)
    }

    /// Removes an observer.
    public func remove(transactionObserver: some TransactionObserver) {
        checkAccess()
        observation.remove(transactionObserver, from: self)
    }

    /// Calls back when the transaction that is open, or the next one, has ended.
    ///
    /// ```swift
    /// try queue.write { db in
    ///     try db.execute(sql: "DELETE FROM player")
    ///     db.afterNextTransaction { _ in print("no player is left") }
    /// }
    /// ```
    ///
    /// It does so for transactions that write nothing, too. Transactions in which writing is forbidden, as in
    /// ``DatabaseReader/read(_:)``, do not count, unless this is called inside one.
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

    /// Tells observers of changes that they can't see, such as those by another process.
    ///
    /// Observers of a table of the region get ``TransactionObserver/databaseDidChange()``.
    ///
    /// - Throws: the region's error.
    public func notifyChanges(in region: some DatabaseRegionConvertible) throws {
        checkAccess()
        let region = try region.databaseRegion(self)
        observation.notifyChanges(in: region, of: self)
    }
}
