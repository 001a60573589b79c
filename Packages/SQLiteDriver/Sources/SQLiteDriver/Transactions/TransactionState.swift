#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The state of a connection's transaction, which only this type owns.
///
/// SQLite knows whether a transaction is open. This object adds what SQLite does not report: why a transaction has ended early, which
/// changes its savepoints keep from observers, and what the hooks have reported. It follows the statements: see
/// `Database+StatementLife.swift`.
///
/// It is used on the thread of the access only. The properties that each statement reads are not checked for exclusive access: they are
/// read and written in single operations, which don't overlap.
@usableFromInline
final class TransactionState {
    enum Phase {
        /// No transaction is open.
        case none
        /// A transaction is open that began where writing is forbidden.
        case reading
        /// Another transaction is open.
        case writing
    }

    /// The closure that a transaction belongs to, and ends with.
    enum Scope {
        /// No closure: the program ends the transaction itself.
        case none
        /// A closure that may end the transaction early. Its later statements then throw.
        case closure
        /// A closure that can't end the transaction. Its statements throw once it is interrupted.
        case guarded(isInterrupted: () -> Bool)
    }

    /// A savepoint, and the changes in it. Observers are notified of them when nothing can undo them.
    struct Savepoint {
        let name: String
        var changes: [TransactionObservation.Change] = []
    }

    /// The end of the transaction that SQLite's hooks have reported. The transaction may still be open: a commit can fail after its hook.
    enum Ending {
        case none
        case committing
        case rolledBack
        /// An observer has refused the commit, and SQLite rolls back.
        case refused(any Error)
    }

    /// The phase after the last statement that began or ended a transaction.
    private(set) var phase = Phase.none

    /// Why statements must not run, although no closure has ended: they would take effect outside of the transaction.
    var failure: TransactionFailure?

    var scope = Scope.none

    /// The open savepoints, the innermost one last.
    private(set) var savepoints: [Savepoint] = []

    var ending = Ending.none

    /// Whether the program has reported changes in the transaction: see ``Database/notifyChanges(in:)``.
    var hasNotified = false

    /// The date of the transaction, once the program has read it.
    var date: Date?

    /// Whether the transaction has checked that the schema has not changed since this connection last looked.
    @exclusivity(unchecked)
    @usableFromInline
    var isSchemaVerified = false

    /// Whether writing statements throw.
    @exclusivity(unchecked)
    @usableFromInline
    var forbidsWriting = false

    // MARK: - Beginning and ending

    var isOpen: Bool { if case .none = phase { false } else { true } }

    var isReading: Bool { if case .reading = phase { true } else { false } }

    /// Whether the transaction belongs to a closure.
    var isScoped: Bool { if case .none = scope { false } else { true } }

    /// Whether the closure that the transaction belongs to can't end it.
    var isGuarded: Bool { if case .guarded = scope { true } else { false } }

    /// Follows a statement that begins or ends transactions or savepoints.
    ///
    /// - Parameter isOpen: whether a transaction is open after the statement.
    /// - Returns: whether the statement has ended a transaction.
    func follow(isOpen: Bool) -> Bool {
        isSchemaVerified = false
        let wasOpen = self.isOpen
        if !isOpen {
            end()
        } else if !wasOpen {
            date = nil
            phase = forbidsWriting ? .reading : .writing
        }
        return wasOpen && !isOpen
    }

    /// Forgets the transaction, which is over.
    func end() {
        phase = .none
        date = nil
        savepoints = []
    }

    // MARK: - Savepoints

    /// Follows a statement on a savepoint. A savepoint that is not open is ignored: SQLite reports it.
    ///
    /// - Returns: the changes that no savepoint can undo.
    func apply(_ operation: StatementEffects.SavepointOperation, _ name: String) -> [TransactionObservation.Change] {
        if operation == .begin {
            savepoints.append(Savepoint(name: name))
            return []
        }
        // RELEASE and ROLLBACK TO apply to the innermost savepoint of the name, and to all savepoints inside it.
        guard let index = savepoints.lastIndex(where: { $0.name.isEqualIgnoringASCIICase(to: name) }) else { return [] }
        guard operation == .release else {
            savepoints.removeSubrange((index + 1)...)
            savepoints[index].changes = []
            return []
        }
        let changes = savepoints[index...].flatMap(\.changes)
        savepoints.removeSubrange(index...)
        return hold(changes)
    }

    /// Adds changes to the innermost savepoint.
    ///
    /// - Returns: the changes, if there is no savepoint that may undo them.
    func hold(_ changes: [TransactionObservation.Change]) -> [TransactionObservation.Change] {
        if savepoints.isEmpty { return changes }
        savepoints[savepoints.count - 1].changes += changes
        return []
    }

    /// Removes the changes of all savepoints, which stay open, and returns the changes.
    func takeHeldChanges() -> [TransactionObservation.Change] {
        let changes = savepoints.flatMap(\.changes)
        for index in savepoints.indices { savepoints[index].changes = [] }
        return changes
    }
}
