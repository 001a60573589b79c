import CSQLiteShims

/// The observers of a connection, and the events that wait until nothing can undo their changes.
///
/// An event passes through three stages. SQLite's update hook adds it to the events of its statement: a statement that fails undoes
/// its changes, in most cases. A statement that succeeds passes its events to the innermost savepoint, and a released savepoint
/// passes them to the enclosing one. Events outside savepoints are delivered.
final class TransactionObservation {
    /// The state that statements and hooks use, without a check for exclusive access at each use. Code that calls an observer does not
    /// change a part of it in place.
    private let state = OwnedMemory(State())

    private struct State {
        var observations: [Observation] = []
        var statementChanges: [Change] = []

        /// The kinds of events of the running statement so far, with the observations of each.
        var interests: [Interest] = []
        var statement: Statement?
        /// Running statements that return rows. They may have made changes, which are reported when they end.
        var unfinished: [Statement] = []
        var totalChangesCount = 0
        var hasReportedChangesWithoutEvents = false
    }

    /// The transaction, whose savepoints keep changes until they are released.
    private let transaction: TransactionState

    private let needs: StatementNeeds

    init(_ transaction: TransactionState, _ needs: StatementNeeds) {
        self.transaction = transaction
        self.needs = needs
    }

    private var hasInstalledHooks = false

    private struct Interest {
        let kind: CInt
        let tableName: String
        let observations: [Observation]
        let updatedColumnNames: Set<String>?
    }

    /// Whether observers that must not use the connection are being notified.
    private(set) var isNotifying = false { didSet { needs[.notification] = isNotifying } }

    /// The observation that is being notified of a change.
    var notifiedObservation: Observation?

    /// The end of a transaction that is being reported.
    private var report: EndReport?

    /// The engine that commits before the connection does.
    weak var engine: (any DatabaseEngine)?

    private var commits: CommitCounter?

    /// The observations, retained while code calls observers, which may add and remove some.
    private(set) var observations: [Observation] {
        get { state.pointee.observations }
        set {
            state.pointee.observations = newValue
            needs[.observation] = isActive
            needs.beginObservationPeriod()
        }
    }

    /// Whether there are observers.
    var isActive: Bool { !state.pointee.observations.isEmpty }

    // MARK: - Observers

    func add(_ observer: any TransactionObserver, extent: Database.TransactionObservationExtent, to db: Database) {
        if !isActive {
            state.pointee.statementChanges = []
            transaction.didBeginObservation()
        }
        installHooks(db)
        observations.append(Observation(observer, extent, isOfReading: transaction.isReading))
    }

    func remove(_ observer: any TransactionObserver) {
        // Changes that were not delivered yet refer to the observation, too.
        for observation in observations where observation.observer === observer { observation.isRemoved = true }
        observations = observations.filter { !$0.isRemoved && $0.observer != nil }
        if !isActive { (state.pointee.unfinished, state.pointee.statement) = ([], nil) }
    }

    /// Notifies the callbacks of an undone write of a rollback, even if the transaction that it shared is committed: see
    /// ``Database/afterNextTransaction(onCommit:onRollback:)``.
    ///
    /// - Parameter earlier: the observations before the write.
    func memberWasUndone(since earlier: [Observation]) {
        for observation in observations where observation.extent == .nextTransaction && !earlier.contains(where: { $0 === observation }) {
            observation.isUndone = true
        }
    }

    /// Removes all observers, when the connection is closed.
    func removeAll() {
        observations = []
    }

    /// Installs the commit hook. The commits of a connection that writes are counted even without observers.
    ///
    /// - Parameter commits: the counter of the commits of a connection that writes.
    func installCommitHook(_ handle: SQLiteConnection, counting commits: CommitCounter?) {
        self.commits = commits
        sqlite3_commit_hook(
            handle,
            { context in
                guard let context else { return 0 }
                let observation = Unmanaged<TransactionObservation>.fromOpaque(context).takeUnretainedValue()
                observation.commits?.begin()
                guard !observation.isActive || observation.willCommit() else { return 1 }
                return observation.engine?.commit() == false ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func installHooks(_ db: Database) {
        guard !hasInstalledHooks, let handle = db.sqliteConnection else { return }
        hasInstalledHooks = true
        db.authorizer.disablesTruncation = true
        db.authorizer.install(on: handle)
        installCommitHook(handle, counting: db.isWriter ? db.commits : nil)
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_update_hook(
            handle,
            { context, kind, database, table, rowID in
                guard let context, let database, let table else { return }
                // This runs for each row, so it retains nothing.
                Unmanaged<Database>.fromOpaque(context)._withUnsafeGuaranteedRef { db in
                    // SQLite may have just recompiled the statement, with new triggers.
                    if db.needs.isRunUnobserved, !db.authorizer.hasUnreadEffects { return }
                    db.observation.didChange(kind, database, table, rowID)
                }
            }, Unmanaged.passUnretained(db).toOpaque())
        sqlite3_rollback_hook(
            handle,
            { context in
                guard let context else { return }
                Unmanaged<TransactionObservation>.fromOpaque(context).takeUnretainedValue().transaction.rollbackHookWasCalled()
            }, context)
    }

    // MARK: - Statements

    fileprivate func statementWillBegin(_ statement: Statement, in db: Database) {
        let effects = statement.effects
        // Each observer is notified of the transactions in their order: the report of a transaction's end is finished before an observer,
        // which has been notified of it, begins another transaction.
        if report != nil, !db.isInsideTransaction, effects.mayChange || effects.controlsTransaction || effects.changesSchema {
            continueReport(db)
        }
        needs.isRunUnobserved = statement.state.pointee.unobservedPeriod == needs.observationPeriod
        if needs.isRunUnobserved { return }
        endAbandonedStatements()
        // The remaining changes come from a statement that has returned rows: it made its changes before the first row.
        keepStatementChanges()
        // A statement outside transactions commits before it ends, and its changes must be reported before that commit. Inside a
        // transaction they are reported later: reading the schema first would begin a read transaction, which can't always be
        // upgraded to a write transaction.
        state.pointee.hasReportedChangesWithoutEvents = !db.isInsideTransaction && statement.effects.mayChange
        if state.pointee.hasReportedChangesWithoutEvents {
            statement.describe()
            reportChangesWithoutEvents(of: statement, hasRun: false)
        }
        // Whether there is a RETURNING clause does not depend on the schema, which must not be read now.
        if statement.effects.mayChange, !state.pointee.hasReportedChangesWithoutEvents, statement.compiledColumnCount > 0 {
            state.pointee.unfinished.append(statement)
        }
        state.pointee.statement = statement
        state.pointee.interests.removeAll(keepingCapacity: true)
        state.pointee.totalChangesCount = db.totalChangesCount
    }

    /// Ends the statements to which the program no longer has references.
    private func endAbandonedStatements() {
        if state.pointee.unfinished.isEmpty { return }
        state.pointee.statement = nil
        for index in state.pointee.unfinished.indices.reversed() where isKnownUniquelyReferenced(&state.pointee.unfinished[index]) {
            state.pointee.unfinished.remove(at: index).reset()
        }
    }

    /// Ends the statements that may have made changes, at the end of an access.
    func endStatements() {
        while let statement = state.pointee.unfinished.popLast() { statement.reset() }
        // A statement that was not stepped to its end must not outlive the access.
        state.pointee.statement = nil
    }

    /// Handles the success of a statement.
    fileprivate func statementDidEnd(_ end: StatementEnd, in db: Database) {
        let statement = end.statement
        if needs.isRunUnobserved {
            needs.isRunUnobserved = false
            if statement.state.pointee.unobservedPeriod == needs.observationPeriod { return }
        }
        if !state.pointee.unfinished.isEmpty { state.pointee.unfinished.removeAll { $0 === statement } }
        var hasChangesWithoutEvents = state.pointee.hasReportedChangesWithoutEvents
        if !state.pointee.hasReportedChangesWithoutEvents, statement.effects.mayChange {
            hasChangesWithoutEvents = reportChangesWithoutEvents(of: statement)
        }
        if !end.endsTransaction, !hasChangesWithoutEvents, isUnobserved(statement, in: db) {
            statement.state.pointee.unobservedPeriod = needs.observationPeriod
        }
        keepStatementChanges()
        if statement.effects.controlsTransaction || statement.effects.changesSchema || db.authorizer.hasUnreadEffects {
            db.authorizer.hasUnreadEffects = false
            needs.beginObservationPeriod()
        }
        state.pointee.statement = nil
        // SQLite does not call the commit hook for VACUUM, ATTACH and DETACH.
        if statement.effects.changesSchema, !db.isInsideTransaction, !end.endsTransaction { transaction.didChangeWithoutHook() }
        // It does not call the hook for a transaction that has written nothing, either.
        if end.endsTransaction, !transaction.hasEnding {
            run(
                EndReport(isCommitted: true, hasChanges: false, isReading: end.isReading, remaining: []), db)
        } else {
            endTransaction(db, isReading: end.isReading)
        }
    }

    /// Handles the failure of a statement.
    ///
    /// - Returns: the error of the observer that has refused the commit, which replaces SQLite's.
    fileprivate func statementDidFail(_ statement: Statement, in db: Database) -> (any Error)? {
        needs.beginObservationPeriod()
        if !state.pointee.unfinished.isEmpty { state.pointee.unfinished.removeAll { $0 === statement } }
        if db.totalChangesCount != state.pointee.totalChangesCount {
            // `OR FAIL` keeps the changes before the row that failed.
            if db.isInsideTransaction, !state.pointee.hasReportedChangesWithoutEvents { reportChangesWithoutEvents(of: statement) }
            keepStatementChanges()
        }
        state.pointee.statementChanges = []
        state.pointee.statement = nil
        // Outside transactions, the changes that `OR FAIL` keeps are committed, although the statement fails.
        let veto = transaction.commitDidFail(isOpen: db.isInsideTransaction)
        let isReading = transaction.isReading
        // This comes before the notification of observers: if a statement of an observer fails, it has not rolled back this transaction.
        db.endRolledBackTransaction()
        endTransaction(db, isReading: isReading)
        if veto != nil { transaction.refusalWasReported() }
        return veto
    }

    /// Handles the end of an access: the program may have written through the C API, with statements that this connection does not know.
    func accessWillEnd(_ db: Database) {
        guard isActive, !db.isInsideTransaction else { return }
        keepStatementChanges()
        endTransaction(db, isReading: false)
    }

    func keepStatementChanges() {
        if state.pointee.statementChanges.isEmpty { return }
        let changes = state.pointee.statementChanges
        state.pointee.statementChanges = []
        deliver(transaction.hold(changes))
    }

    // MARK: - Hooks

    /// Handles a changed row. It is not inlined into the hook, which returns sooner for the rows of an unobserved statement.
    @inline(never)
    private func didChange(_ kind: CInt, _ database: UnsafePointer<CChar>, _ table: UnsafePointer<CChar>, _ rowID: Int64) {
        if !isActive { return }
        let interest = interest(kind, table)
        if interest.observations.isEmpty { return }
        let eventKind: DatabaseEvent.Kind =
            switch kind {
            case SQLITE_INSERT: .insert
            case SQLITE_DELETE: .delete
            default: .update
            }
        let event = DatabaseEvent(
            kind: eventKind, databaseName: String(cString: database), tableName: interest.tableName, rowID: rowID,
            updatedColumnNames: interest.updatedColumnNames)
        state.pointee.statementChanges.append(Change(content: .event(event), observations: interest.observations))
    }

    /// Returns the observations of a kind of events, which are looked up once for each run of a statement.
    private func interest(_ kind: CInt, _ table: UnsafePointer<CChar>) -> Interest {
        for interest in state.pointee.interests where interest.kind == kind {
            if interest.tableName.withCString({ strcmp($0, table) }) == 0 { return interest }
        }
        let tableName = String(cString: table)
        let eventKind: DatabaseEventKind =
            switch kind {
            case SQLITE_INSERT: .insert(tableName: tableName)
            case SQLITE_DELETE: .delete(tableName: tableName)
            default: updateKind(tableName)
            }
        var columns: Set<String>?
        if case .update(_, let names) = eventKind, !names.isEmpty { columns = names }
        let interest = Interest(
            kind: kind, tableName: tableName, observations: observations.filter { $0.observes(eventKind) },
            updatedColumnNames: columns)
        state.pointee.interests.append(interest)
        return interest
    }

    private func updateKind(_ table: String) -> DatabaseEventKind {
        // The effects known from compiling the statement may be outdated if SQLite has compiled it again: there may be a new
        // trigger. They can be read again only after the statement has ended.
        guard let statement = state.pointee.statement, statement.hasEffectsOfRun else { return .update(tableName: table, columnNames: []) }
        return statement.effects.eventKinds.first {
            if case .update(table, _) = $0 { true } else { false }
        } ?? .update(tableName: table, columnNames: [])
    }

    /// Returns false when an observer refuses the commit.
    private func willCommit() -> Bool {
        let changes = transaction.takeHeldChanges() + state.pointee.statementChanges
        state.pointee.statementChanges = []
        deliver(changes)
        do {
            try notifying {
                for observation in observations where !observation.isUndone {
                    try observation.observer?.databaseWillCommit()
                }
            }
        } catch {
            transaction.commitWasRefused(by: error)
            return false
        }
        transaction.commitWasAccepted()
        return true
    }

    /// Runs a closure that notifies observers. Meanwhile, statements of the connection throw: SQLite does not allow them in its hooks, and
    /// they could end the transaction whose changes are being reported.
    func notifying<T>(_ body: () throws -> T) rethrows -> T {
        let wasNotifying = isNotifying
        isNotifying = true
        defer { isNotifying = wasNotifying }
        return try body()
    }

    // MARK: - The end of transactions

    /// The end of a transaction, and the observations that were not notified of it yet.
    private struct EndReport {
        let isCommitted: Bool
        let hasChanges: Bool
        let isReading: Bool
        /// The observations of all transactions, in reverse order.
        var remaining: [Observation]
        /// Whether ``remaining`` has the observations that wait for the end of one transaction.
        var isOfNextTransaction = false
    }

    private func endTransaction(_ db: Database, isReading: Bool) {
        guard !db.isInsideTransaction, let (isCommitted, hasChanges) = transaction.takeEnding() else { return }
        if isCommitted, !db.authorizer.foreignWrites.isEmpty { deliver(db.unreportedChangesThroughCAPI()) }
        let ended = observations
        if ended.contains(where: { $0.observer == nil }) { observations = ended.filter { $0.observer != nil } }
        run(
            EndReport(
                isCommitted: isCommitted, hasChanges: hasChanges, isReading: isReading,
                remaining: ended.reversed().filter { $0.extent != .nextTransaction }),
            db)
    }

    private func run(_ report: EndReport, _ db: Database) {
        // An observer may have ended a transaction through the C API.
        continueReport(db)
        self.report = report
        continueReport(db)
    }

    /// Notifies the remaining observations of the end of a transaction.
    private func continueReport(_ db: Database) {
        while var current = report {
            if let observation = current.remaining.popLast() {
                report = current
                if observation.isRemoved { continue }
                observation.isPaused = false
                notify(observation, current.isCommitted, db)
            } else if current.isOfNextTransaction {
                report = nil
            } else {
                current.remaining = observationsOfNextTransaction(current)
                current.isOfNextTransaction = true
                report = current
            }
        }
    }

    /// Takes the observations that wait for the end of one transaction. A read-only transaction without changes notifies only the observations
    /// that began inside it. So the reads of a queue don't count, like the reads of a pool, which run on other connections.
    private func observationsOfNextTransaction(_ report: EndReport) -> [Observation] {
        guard observations.contains(where: { $0.extent == .nextTransaction || $0.observer == nil }) else {
            needs.beginObservationPeriod()
            return []
        }
        let ended = observations.filter { observation in
            observation.extent == .nextTransaction
                && (observation.isOfReading ? report.isReading : !report.isReading || report.hasChanges)
        }
        observations = observations.filter { observation in
            observation.observer != nil && !ended.contains { $0 === observation }
        }
        return ended.reversed()
    }

    private func notify(_ observation: Observation, _ isCommitted: Bool, _ db: Database) {
        // The closure of the transaction may still be running. The transactions of the observer do not belong to it.
        transaction.within(.none) {
            if isCommitted, !observation.isUndone {
                observation.observer?.databaseDidCommit(db)
            } else {
                observation.observer?.databaseDidRollback(db)
            }
        }
    }

    // MARK: - Changes without events

    /// Reports the changes of a statement for which SQLite does not call the update hook.
    ///
    /// - Parameter hasRun: whether the statement has just run.
    /// - Returns: whether there may be such changes.
    @discardableResult
    private func reportChangesWithoutEvents(of statement: Statement, hasRun: Bool = true) -> Bool {
        _ = statement.describeRun()
        let changes = statement.unreportedChanges(hasRun: hasRun)
        if changes.isEmpty { return false }
        let observations = observations(of: changes)
        if !observations.isEmpty {
            state.pointee.statementChanges.append(Change(content: .region(changes.region), observations: observations))
        }
        return true
    }

    /// Whether the observers ignore the changes of a statement that has ended, and will ignore its changes in later runs in the same
    /// transaction, whatever the arguments are.
    ///
    /// SQLite's authorizer has reported all kinds of its changes, including the changes of triggers and of foreign key actions.
    private func isUnobserved(_ statement: Statement, in db: Database) -> Bool {
        guard transaction.isOpen, !state.pointee.interests.contains(where: { !$0.observations.isEmpty }), statement.effects.mayChange,
            !statement.effects.changesSchema, !statement.effects.controlsTransaction, statement.compiledColumnCount == 0,
            statement.hasEffectsOfRun
        else { return false }
        return !statement.effects.eventKinds.contains { kind in
            observations.contains { $0.observes(kind) }
        }
    }

    private func observations(of changes: UnreportedChanges) -> [Observation] {
        observations.filter { observation in
            changes.kinds.contains { observation.observes($0) }
        }
    }

    private func deliver(_ changes: UnreportedChanges) {
        let observations = observations(of: changes)
        if !observations.isEmpty { deliver([Change(content: .region(changes.region), observations: observations)]) }
    }

    /// Notifies the observers of a region's tables, and of the end of the transaction when it ends, even if it writes nothing. Outside
    /// transactions, the change counts as a transaction of its own.
    func notifyChanges(in region: DatabaseRegion, of db: Database) throws {
        guard isActive else { return }
        let tables = try db.tables(in: region)
        deliver(UnreportedChanges(tables: tables, region: region))
        transaction.didChangeWithoutHook()
        endTransaction(db, isReading: transaction.isReading)
    }
}

/// Refuses statements of observers while they must not use the connection.
struct ObserverCheck: StatementParticipant {
    var need: StatementNeeds.Need { .notification }

    func statementWillBegin(_ statement: Statement, in db: Database) throws {
        throw DatabaseError(
            code: .SQLITE_MISUSE, message: "an observer used the connection while it was notified of a change or of an upcoming commit",
            sql: statement.sql, advice: "Use the connection in databaseDidCommit, or after the access.")
    }
}

/// Notifies the observers of the changes of statements.
struct ObservedChanges: StatementParticipant {
    var need: StatementNeeds.Need { .observation }

    func statementWillBegin(_ statement: Statement, in db: Database) throws { db.observation.statementWillBegin(statement, in: db) }

    func statementDidEnd(_ end: inout StatementEnd, in db: Database) { db.observation.statementDidEnd(end, in: db) }

    func statementDidFail(_ failure: inout StatementFailure, in db: Database) {
        guard let veto = db.observation.statementDidFail(failure.statement, in: db) else { return }
        failure.error = veto
        failure.isRefused = true
    }
}
