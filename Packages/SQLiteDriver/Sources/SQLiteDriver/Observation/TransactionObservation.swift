import CSQLiteShims

/// The observers of a connection, and the events that are held back until nothing can undo their changes.
///
/// An event passes through three stages. SQLite's update hook adds it to the events of its statement: a statement that fails undoes
/// its changes, in most cases. A statement that succeeds passes its events to the innermost savepoint, and a released savepoint
/// passes them to the enclosing one. Events outside savepoints are delivered.
final class TransactionObservation {
    private final class Observation {
        private weak var weakObserver: (any TransactionObserver)?
        private let strongObserver: (any TransactionObserver)?
        let extent: Database.TransactionObservationExtent
        /// Whether the observation began inside a read-only transaction.
        let isOfReading: Bool
        var isPaused = false
        var isRemoved = false

        init(_ observer: any TransactionObserver, _ extent: Database.TransactionObservationExtent, isOfReading: Bool) {
            self.extent = extent
            self.isOfReading = isOfReading
            weakObserver = observer
            strongObserver = extent == .observerLifetime ? nil : observer
        }

        var observer: (any TransactionObserver)? { weakObserver }
    }

    /// A change to report: an event, or a change without events.
    private struct Change {
        let event: DatabaseEvent?
        let observations: [Observation]
    }

    private var observations: [Observation] = []
    private var statementChanges: [Change] = []
    private var savepoints: [(name: String, changes: [Change])] = []
    private var hasInstalledHooks = false

    /// The observations of each kind of event, for the running statement.
    private var interested: [DatabaseEventKind: [Observation]] = [:]
    private var statement: Statement?
    private var totalChangesCount = 0
    private var hasReportedSilentChanges = false

    /// What the hooks have reported since the statement began.
    private var isCommitting = false
    private var isRolledBack = false
    private var veto: (any Error)?

    /// Whether the current transaction has reported changes that it has not made: see `notifyChanges(in:of:)`.
    private var hasNotified = false

    /// Whether there are observers.
    var isActive: Bool { !observations.isEmpty }

    // MARK: - Observers

    func add(_ observer: any TransactionObserver, extent: Database.TransactionObservationExtent, to db: Database) {
        if observations.isEmpty {
            // The hooks stay installed after the last observer is removed. What they have reported since then does not count.
            isCommitting = false
            isRolledBack = false
            hasNotified = false
            statementChanges = []
            savepoints = []
        }
        observations.append(Observation(observer, extent, isOfReading: db.isReadingTransaction))
        installHooks(db)
        db.updateNeedsAttention()
    }

    func remove(_ observer: any TransactionObserver, from db: Database) {
        // Changes that were not delivered yet refer to the observation, too.
        for observation in observations where observation.observer === observer { observation.isRemoved = true }
        observations.removeAll { $0.isRemoved || $0.observer == nil }
        db.updateNeedsAttention()
    }

    /// Removes all observers, when the connection is closed.
    func removeAll() {
        observations = []
    }

    private func installHooks(_ db: Database) {
        guard !hasInstalledHooks, let handle = db.sqliteConnection else { return }
        hasInstalledHooks = true
        db.authorizer.disablesTruncation = true
        db.authorizer.install(on: handle)
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_update_hook(
            handle,
            { context, kind, database, table, rowID in
                guard let context, let database, let table else { return }
                Unmanaged<TransactionObservation>.fromOpaque(context).takeUnretainedValue()
                    .didChange(kind, String(cString: database), String(cString: table), rowID)
            }, context)
        sqlite3_commit_hook(
            handle,
            { context in
                guard let context else { return 0 }
                return Unmanaged<TransactionObservation>.fromOpaque(context).takeUnretainedValue().willCommit() ? 0 : 1
            }, context)
        sqlite3_rollback_hook(
            handle,
            { context in
                guard let context else { return }
                Unmanaged<TransactionObservation>.fromOpaque(context).takeUnretainedValue().isRolledBack = true
            }, context)
    }

    // MARK: - Statements

    func statementWillBegin(_ statement: Statement, in db: Database) {
        guard isActive else { return }
        // The remaining changes come from a statement that has returned rows: it made its changes before the first row.
        keepStatementChanges()
        // A statement outside transactions commits before it ends, and its changes must be reported before that commit. Inside a
        // transaction they are reported later: reading the schema first would begin a read transaction, which can't always be
        // upgraded to a write transaction.
        let reportsFirst = !db.isInsideTransaction && !statement.effects.eventKinds.isEmpty
        if reportsFirst { statement.describe() }
        let silentChange = reportsFirst ? silentChange(of: statement, in: db) : nil
        self.statement = statement
        interested = [:]
        totalChangesCount = db.totalChangesCount
        hasReportedSilentChanges = reportsFirst
        if let silentChange { statementChanges.append(silentChange) }
    }

    /// Handles the success of a statement.
    ///
    /// - Parameter endsTransaction: whether the statement has ended the transaction that was open before.
    func statementDidEnd(_ statement: Statement, endsTransaction: Bool, in db: Database) {
        guard isActive else { return }
        reportSilentChanges(of: statement, in: db)
        keepStatementChanges()
        if let savepoint = statement.effects.savepoint {
            apply(savepoint.operation, savepoint.name)
        }
        self.statement = nil
        // SQLite does not call the commit hook for a transaction that has written nothing.
        if endsTransaction, !isCommitting, !isRolledBack, !hasNotified {
            endNextTransaction(db, isCommitted: true, hasChanges: false)
        } else {
            endTransaction(db)
        }
    }

    /// Handles the failure of a statement.
    ///
    /// - Returns: the error of the observer that has refused the commit, which replaces SQLite's.
    func statementDidFail(_ statement: Statement, in db: Database) -> (any Error)? {
        guard isActive else { return nil }
        if db.totalChangesCount != totalChangesCount {
            // `OR FAIL` keeps the changes before the row that failed.
            if db.isInsideTransaction { reportSilentChanges(of: statement, in: db) }
            keepStatementChanges()
        }
        statementChanges = []
        self.statement = nil
        // Outside transactions, the changes that `OR FAIL` keeps are committed, although the statement fails.
        isCommitting = isCommitting && !isRolledBack && veto == nil && !db.isInsideTransaction
        defer { veto = nil }
        if isCommitting || isRolledBack || (!db.isInsideTransaction && veto != nil) { endTransaction(db) }
        return veto
    }

    private func keepStatementChanges() {
        let changes = statementChanges
        statementChanges = []
        if savepoints.isEmpty {
            changes.forEach(deliver)
        } else {
            savepoints[savepoints.count - 1].changes += changes
        }
    }

    private func apply(_ operation: StatementEffects.SavepointOperation, _ name: String) {
        if operation == .begin {
            savepoints.append((name, []))
            return
        }
        // RELEASE and ROLLBACK TO apply to the innermost savepoint of the name, and to all savepoints inside it.
        guard let index = savepoints.lastIndex(where: { $0.name._isEqualIgnoringASCIICase(to: name) }) else { return }
        switch operation {
        case .begin:
            break
        case .rollback:
            savepoints.removeSubrange((index + 1)...)
            savepoints[index].changes = []
        case .release:
            let changes = savepoints[index...].flatMap(\.changes)
            savepoints.removeSubrange(index...)
            statementChanges = changes
            keepStatementChanges()
        }
    }

    // MARK: - Hooks

    private func didChange(_ kind: CInt, _ database: String, _ table: String, _ rowID: Int64) {
        let event: DatabaseEvent
        let eventKind: DatabaseEventKind
        switch kind {
        case SQLITE_INSERT:
            event = DatabaseEvent(kind: .insert, databaseName: database, tableName: table, rowID: rowID)
            eventKind = .insert(tableName: table)
        case SQLITE_DELETE:
            event = DatabaseEvent(kind: .delete, databaseName: database, tableName: table, rowID: rowID)
            eventKind = .delete(tableName: table)
        default:
            event = DatabaseEvent(kind: .update, databaseName: database, tableName: table, rowID: rowID)
            eventKind = updateKind(table)
        }
        let observations = observations(of: eventKind)
        if !observations.isEmpty {
            statementChanges.append(Change(event: event, observations: observations))
        }
    }

    private func updateKind(_ table: String) -> DatabaseEventKind {
        // The effects known from compiling the statement may be outdated if SQLite has compiled it again: there may be a new
        // trigger. They can be read again only after the statement has ended.
        guard let statement, statement.hasEffectsOfRun else { return .update(tableName: table, columnNames: []) }
        return statement.effects.eventKinds.first {
            if case .update(table, _) = $0 { true } else { false }
        } ?? .update(tableName: table, columnNames: [])
    }

    private func observations(of kind: DatabaseEventKind) -> [Observation] {
        if let observations = interested[kind] { return observations }
        let observations = observations.filter { $0.observer?.observes(eventsOfKind: kind) == true }
        interested[kind] = observations
        return observations
    }

    /// Returns false when an observer refuses the commit.
    private func willCommit() -> Bool {
        // Only an observer can undo these changes now.
        let changes = savepoints.flatMap(\.changes) + statementChanges
        savepoints = []
        statementChanges = []
        changes.forEach(deliver)
        do {
            for observation in observations {
                try observation.observer?.databaseWillCommit()
            }
        } catch {
            veto = error
            return false
        }
        isCommitting = true
        return true
    }

    // MARK: - The end of transactions

    private func endTransaction(_ db: Database) {
        guard !db.isInsideTransaction else { return }
        let hasChanges = isCommitting || hasNotified
        guard hasChanges || isRolledBack else { return }
        let isCommitted = !isRolledBack
        isCommitting = false
        isRolledBack = false
        hasNotified = false
        savepoints = []
        let ended = observations.filter { $0.extent != .nextTransaction }
        observations.removeAll { $0.observer == nil }
        for observation in ended where !observation.isRemoved {
            observation.isPaused = false
            report(isCommitted: isCommitted, to: observation, db)
        }
        endNextTransaction(db, isCommitted: isCommitted, hasChanges: hasChanges)
    }

    /// Notifies the observations that wait for the end of one transaction. A read-only transaction without changes notifies only
    /// the observations that began inside it. So the reads of a queue count no more than those of a pool, which reads on other
    /// connections.
    private func endNextTransaction(_ db: Database, isCommitted: Bool, hasChanges: Bool) {
        let isReading = db.isReadingTransaction
        let ended = observations.filter { observation in
            observation.extent == .nextTransaction && (observation.isOfReading ? isReading : !isReading || hasChanges)
        }
        observations.removeAll { observation in observation.observer == nil || ended.contains { $0 === observation } }
        for observation in ended where !observation.isRemoved {
            report(isCommitted: isCommitted, to: observation, db)
        }
        db.updateNeedsAttention()
    }

    private func report(isCommitted: Bool, to observation: Observation, _ db: Database) {
        if isCommitted {
            observation.observer?.databaseDidCommit(db)
        } else {
            observation.observer?.databaseDidRollback(db)
        }
    }

    // MARK: - Changes without events

    /// Reports the changes of a statement for which SQLite does not call the update hook, unless they were reported when the
    /// statement began.
    private func reportSilentChanges(of statement: Statement, in db: Database) {
        guard !hasReportedSilentChanges, !statement.effects.eventKinds.isEmpty else { return }
        _ = statement.describeRun()
        // The statements that read the schema must not take over these changes.
        let changes = statementChanges
        statementChanges = []
        let silentChange = silentChange(of: statement, in: db)
        statementChanges = changes
        if let silentChange { statementChanges.append(silentChange) }
    }

    /// Returns the change to report when SQLite does not call the update hook for a statement, or nil for none.
    private func silentChange(of statement: Statement, in db: Database) -> Change? {
        let silent = statement.effects.eventKinds.filter { db.isSilent($0.tableName, for: statement) }
        guard !silent.isEmpty else { return nil }
        let observations = observations.filter { observation in
            silent.contains { observation.observer?.observes(eventsOfKind: $0) == true }
        }
        return observations.isEmpty ? nil : Change(event: nil, observations: observations)
    }

    /// Notifies the observers of a region's tables, and of the end of the transaction when it ends, even if it writes nothing.
    /// Outside transactions, the change counts as a transaction of its own.
    func notifyChanges(in region: DatabaseRegion, of db: Database) throws {
        guard isActive else { return }
        let kinds = try db.tableNames(in: region).flatMap { table -> [DatabaseEventKind] in
            [.insert(tableName: table), .delete(tableName: table), .update(tableName: table, columnNames: [])]
        }
        let observations = observations.filter { observation in
            kinds.contains { observation.observer?.observes(eventsOfKind: $0) == true }
        }
        deliver(Change(event: nil, observations: observations))
        hasNotified = true
        endTransaction(db)
    }

    // MARK: - Delivery

    /// The delivery that is running on this thread, so that its observer can pause it.
    @TaskLocal private static var delivery: Delivery?

    // `@unchecked Sendable`: the value does not leave the thread.
    private struct Delivery: @unchecked Sendable {
        let observation: Observation
    }

    private func deliver(_ change: Change) {
        for observation in change.observations where !observation.isPaused && !observation.isRemoved {
            guard let observer = observation.observer else { continue }
            Self.$delivery.withValue(Delivery(observation: observation)) {
                if let event = change.event {
                    observer.databaseDidChange(with: event)
                } else {
                    observer.databaseDidChange()
                }
            }
        }
    }

    static func pauseDelivery(to observer: any TransactionObserver) {
        guard let observation = delivery?.observation, observation.observer === observer else { return }
        observation.isPaused = true
    }
}

extension Database {
    /// Returns the names of a region's tables, as the schema spells them. For the full database, these are all tables, and
    /// `sqlite_master`.
    fileprivate func tableNames(in region: DatabaseRegion) throws -> [String] {
        guard region.isFullDatabase else {
            return try region.tableNames.map { try locateTable($0, in: nil)?.id.name ?? $0 }
        }
        var names = ["sqlite_master"]
        for schemaID in try schemaIDs() {
            try withInternalStatements {
                let statement = try makeStatement(sql: "SELECT name FROM \(schemaID.schemaTableName) WHERE type = 'table'")
                while try statement.step() { names.append(statement.string(at: 0) ?? "") }
            }
        }
        return names
    }

    /// Returns whether a statement may change rows for which SQLite does not call the update hook
    /// (<https://www.sqlite.org/c3ref/update_hook.html>): all rows of tables WITHOUT ROWID and of virtual tables, and rows that are
    /// deleted by the REPLACE of a statement or of a table's constraint.
    fileprivate func isSilent(_ table: String, for statement: Statement) -> Bool {
        if statement.sql.uppercased().contains("REPLACE") { return true }
        guard let properties = try? silence(of: table) else { return true }
        return properties
    }

    private func silence(of table: String) throws -> Bool {
        _ = try schemaGeneration()
        let id = SchemaCache.TableID(table, in: nil)
        if let isSilent = schemaCache.silentTables[id] { return isSilent }
        // An event kind does not name the database of its table.
        let isSilent = try withInternalStatements { try schemaIDs().contains { try silence(of: table, in: $0) } }
        schemaCache.silentTables[id] = isSilent
        return isSilent
    }

    private func silence(of table: String, in schemaID: DatabaseSchemaID) throws -> Bool {
        // Temporary triggers may write to tables of other databases. A REPLACE may belong to another table: an unnecessary report
        // does no harm.
        let statement = try makeStatement(
            sql: """
                SELECT type, sql FROM \(schemaID.schemaTableName)
                WHERE (type = 'table' AND name = :name COLLATE NOCASE) OR (type = 'trigger' AND instr(lower(sql), lower(:name)))
                """)
        try statement.setArguments(["name": table])
        var hasTable = false
        while try statement.step() {
            let sql = (statement.string(at: 1) ?? "").uppercased()
            if sql.contains("REPLACE") { return true }
            guard statement.string(at: 0) == "table" else { continue }
            if sql.hasPrefix("CREATE VIRTUAL") { return true }
            hasTable = true
        }
        return try hasTable && !primaryKey(table, in: schemaID.name).tableHasRowID
    }
}
