#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The state of a connection's transaction.
///
/// SQLite knows whether a transaction is open. This machine adds what SQLite does not report: why a transaction has ended early, which
/// changes its savepoints keep from observers, and what the hooks have reported. Its methods are the events that change the state; nothing
/// else changes it. The participants in the lives of statements report most events: see `StatementParticipant.swift`.
///
/// It is used only on the thread of the access. The two flags that each run of a record's plan reads are not checked for exclusive access: they
/// are read and written in single operations, which don't overlap.
@usableFromInline
final class TransactionState {
    enum Phase {
        /// No transaction is open.
        case none
        /// A transaction is open that began where writing is forbidden.
        case reading
        /// A transaction is open that began where writing is allowed.
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
    private enum Ending {
        case none
        case committing
        case rolledBack
        /// An observer has refused the commit, and SQLite rolls back.
        case refused(any Error)
    }

    /// What has become of the transaction's changes of the schema.
    private enum SchemaChanges {
        case none
        case made
        /// At least one has failed, or was rolled back.
        case undone
    }

    /// The needs of statements, which a failure and a guard change.
    private let needs: StatementNeeds

    /// The phase after the last statement that began or ended a transaction.
    private(set) var phase = Phase.none

    /// Why the statements of the transaction must not run: they would take effect outside of it. Nil while they may run.
    private(set) var failure: TransactionFailure? { didSet { needs[.failedTransaction] = failure != nil } }

    private(set) var scope = Scope.none { didSet { needs[.guardedTransaction] = isGuarded } }

    /// The open savepoints, the innermost one last.
    private(set) var savepoints: [Savepoint] = []

    /// How many of them were open before the closure of the scope.
    private var outerSavepointCount = 0

    private var ending = Ending.none

    /// Whether observers must be notified of the end of the transaction even if SQLite calls no hook: the program has reported changes in
    /// it (``Database/notifyChanges(in:)``), or a statement such as VACUUM has committed.
    private var hasUnhookedChanges = false

    /// The date of the transaction, once the program has read it.
    private var date: Date?

    private var schemaChanges = SchemaChanges.none

    /// Whether the transaction has checked that the schema has not changed since this connection last looked.
    @exclusivity(unchecked)
    @usableFromInline
    private(set) var isSchemaVerified = false

    /// Whether writing statements throw.
    @exclusivity(unchecked)
    @usableFromInline
    private(set) var forbidsWriting = false

    init(_ needs: StatementNeeds) {
        self.needs = needs
    }

    var isOpen: Bool { if case .none = phase { false } else { true } }

    var isReading: Bool { if case .reading = phase { true } else { false } }

    /// Whether the transaction belongs to a closure.
    var isScoped: Bool { if case .none = scope { false } else { true } }

    /// Whether the closure that the transaction belongs to can't end it.
    var isGuarded: Bool { if case .guarded = scope { true } else { false } }

    // MARK: - Statements that control transactions

    /// A statement that begins or ends transactions or savepoints has succeeded.
    ///
    /// - Parameters:
    ///   - rollsBack: whether it is a ROLLBACK.
    ///   - isOpen: whether a transaction is open after the statement.
    /// - Returns: whether the statement has ended a transaction.
    func didControl(rollsBack: Bool, isOpen: Bool) -> Bool {
        isSchemaVerified = false
        if rollsBack { undoSchemaChanges() }
        let wasOpen = self.isOpen
        if !isOpen {
            end()
            // The program has ended its transaction as intended.
            if rollsBack, !isScoped { failure = nil }
        } else if !wasOpen {
            date = nil
            phase = forbidsWriting ? .reading : .writing
        }
        return wasOpen && !isOpen
    }

    /// A statement on a savepoint has succeeded. A savepoint that is not open is ignored: SQLite reports it.
    ///
    /// - Returns: the changes that no savepoint can undo.
    func didControlSavepoint(_ operation: StatementEffects.SavepointOperation, _ name: String) -> [TransactionObservation.Change] {
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

    /// A statement of a closure has ended the transaction that belongs to the closure.
    func didEndInsideClosure(by sql: String) {
        if isScoped { failure = .ended(by: sql) }
    }

    /// A ROLLBACK has failed.
    ///
    /// - Parameter isOpen: whether a transaction is still open. If not, SQLite has already rolled back, as intended.
    func rollbackDidFail(isOpen: Bool) {
        if !isOpen, !isScoped { failure = nil }
    }

    /// SQLite has rolled back the transaction.
    func didRollBack() {
        undoSchemaChanges()
        end()
    }

    private func end() {
        phase = .none
        date = nil
        savepoints = []
    }

    // MARK: - Failures

    /// The transaction has failed: its statements must not run.
    func fail(_ failure: TransactionFailure) { self.failure = failure }

    /// The failure is handled: the program has received its error, or has rolled back.
    ///
    /// - Returns: the failure.
    @discardableResult
    func takeFailure() -> TransactionFailure? {
        defer { if failure != nil { failure = nil } }
        return failure
    }

    // MARK: - Closures

    /// Runs a closure to which the transaction belongs, or, for ``Scope/none``, does not belong.
    func within<T>(_ scope: Scope, _ body: () throws -> T) rethrows -> T {
        let outer = (self.scope, outerSavepointCount)
        (self.scope, outerSavepointCount) = (scope, savepoints.count)
        defer { (self.scope, outerSavepointCount) = outer }
        return try body()
    }

    /// Whether a savepoint was open before the closure of the scope.
    func isOuterSavepoint(_ name: String) -> Bool {
        savepoints.lastIndex { $0.name.isEqualIgnoringASCIICase(to: name) }.map { $0 < outerSavepointCount } ?? false
    }

    /// Throws if the closure of the scope has left a savepoint open.
    func checkSavepoints() throws {
        guard savepoints.count > outerSavepointCount, let savepoint = savepoints.last else { return }
        throw DatabaseError(
            code: .SQLITE_MISUSE, message: "the savepoint \(savepoint.name) was left open at the end of the transaction",
            advice: "Release it, or use inSavepoint, which releases it.")
    }

    /// Runs a closure whose writing statements throw.
    func forbiddingWriting<T>(_ body: () throws -> T) rethrows -> T {
        let isOutermost = !forbidsWriting
        forbidsWriting = true
        defer { if isOutermost { forbidsWriting = false } }
        return try body()
    }

    // MARK: - The schema and the date

    /// The schema may have changed since this connection last looked.
    func schemaMayHaveChanged() { isSchemaVerified = false }

    /// A statement has changed the schema.
    func didChangeSchema() { if schemaChanges == .none { schemaChanges = .made } }

    /// A statement that changes the schema has failed. Outside of a transaction, it leaves nothing behind.
    func schemaChangeDidFail() { if isOpen { schemaChanges = .undone } }

    private func undoSchemaChanges() { if schemaChanges == .made { schemaChanges = .undone } }

    /// The transaction has ended.
    ///
    /// - Returns: whether some of its changes of the schema were undone.
    func takeUndoneSchemaChanges() -> Bool {
        defer { schemaChanges = .none }
        return schemaChanges == .undone
    }

    /// The connection has compared the schema.
    ///
    /// - Parameter isOpen: whether a transaction is open: no other connection can change the schema that it sees.
    func didVerifySchema(isOpen: Bool) { isSchemaVerified = isOpen }

    /// A write begins that shares the transaction with earlier ones, and has a date of its own.
    func forgetDate() { date = nil }

    /// Returns the date of the open transaction, which is read once.
    func date(reading clock: () throws -> Date) rethrows -> Date {
        if let date { return date }
        let date = try clock()
        self.date = date
        return date
    }

    // MARK: - Observers

    /// The first observer was added. The hooks stay installed without observers, so their earlier reports are discarded.
    func didBeginObservation() {
        ending = .none
        hasUnhookedChanges = false
        _ = takeHeldChanges()
    }

    /// A statement has changed something, or the program has reported changes.
    ///
    /// - Returns: the changes, unless a savepoint may undo them.
    func hold(_ changes: [TransactionObservation.Change]) -> [TransactionObservation.Change] {
        if savepoints.isEmpty { return changes }
        savepoints[savepoints.count - 1].changes += changes
        return []
    }

    /// The transaction is about to commit: only an observer can still undo its changes.
    ///
    /// - Returns: the changes of all savepoints, which stay open.
    func takeHeldChanges() -> [TransactionObservation.Change] {
        let changes = savepoints.flatMap(\.changes)
        for index in savepoints.indices { savepoints[index].changes = [] }
        return changes
    }

    /// The transaction has changes, and SQLite may call no hook when it ends.
    func didChangeWithoutHook() { hasUnhookedChanges = true }

    /// The observers have agreed to the commit in SQLite's commit hook. It may happen more than once: when the schema has changed, SQLite
    /// undoes what the statement has begun, compiles it again, and repeats it.
    func commitWasAccepted() { ending = .committing }

    /// An observer has refused the commit. SQLite's rollback hook follows.
    func commitWasRefused(by error: any Error) { ending = .refused(error) }

    /// SQLite has called its rollback hook.
    func rollbackHookWasCalled() {
        if case .refused = ending { return }
        ending = .rolledBack
    }

    /// A statement has failed, possibly after the commit hook.
    ///
    /// - Parameter isOpen: whether a transaction is still open, so that it was not committed.
    /// - Returns: the error of the observer that has refused the commit.
    func commitDidFail(isOpen: Bool) -> (any Error)? {
        switch ending {
        case .refused(let error): return error
        case .committing where isOpen: ending = .none
        default: break
        }
        return nil
    }

    /// The refusal of a commit was handled.
    func refusalWasReported() { ending = .none }

    /// Whether the hooks or the program have reported anything about the end of the transaction.
    var hasEnding: Bool { if case .none = ending { hasUnhookedChanges } else { true } }

    /// The observers are about to be notified that the transaction has ended.
    ///
    /// - Returns: how it has ended; nil if it has changed nothing, so that no observer needs to be notified.
    func takeEnding() -> (isCommitted: Bool, hasChanges: Bool)? {
        let result: (isCommitted: Bool, hasChanges: Bool)
        switch ending {
        case .none where !hasUnhookedChanges: return nil
        case .none, .committing: result = (true, true)
        case .rolledBack, .refused: result = (false, hasUnhookedChanges)
        }
        didBeginObservation()
        return result
    }
}
