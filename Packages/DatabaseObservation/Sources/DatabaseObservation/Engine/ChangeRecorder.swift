import SQLiteDriver

/// Finds the observations whose regions a transaction has changed, and notifies them of its commit.
///
/// A recorder is used on the thread of the writer only. At the beginning of a transaction it takes over the list of observations, so that
/// it needs no lock for each event. If the list has changed at the commit, the new regions are compared with the kinds of events that the
/// transaction may have caused.
final class ChangeRecorder: TransactionObserver {
    enum Key: AttachmentKey {
        typealias Value = ChangeRecorder
    }

    private let database: ObservedDatabase
    private let counter: CommitCounter
    var isRemoved = false
    /// The watch for commits of others, if there is one.
    var watch: OtherCommitsWatch?

    /// The number of commits when the observers were last notified of one.
    private var lastCount: UInt64

    private var registrations: [ObservedDatabase.Registration] = []
    private var generation = -1
    /// The indices of the observations that events of a kind may change.
    private var interests: [DatabaseEventKind: [Int]] = [:]

    // The current transaction

    private var isUpToDate = false
    /// The kinds of events that the transaction may have caused.
    private var kinds: Set<DatabaseEventKind> = []
    private var lastKind: (kind: DatabaseEventKind, isInteresting: Bool)?
    /// The observations that the event that was last seen may change.
    private var lastCandidates: (event: DatabaseEvent, indices: [Int])?
    /// The observations whose regions were changed.
    private var changed: Set<Int> = []

    init(_ database: ObservedDatabase, _ counter: CommitCounter) {
        self.database = database
        self.counter = counter
        lastCount = counter.value
    }

    deinit {
        // The connection releases its observers when it is closed.
        if !isRemoved { database.close() }
    }

    // MARK: - Changes

    func observes(eventsOfKind kind: DatabaseEventKind) -> Bool {
        if let lastKind, lastKind.kind == kind { return lastKind.isInteresting }
        if !isUpToDate { takeOverRegistrations() }
        if kinds.insert(kind).inserted { lastCandidates = nil }
        let isInteresting = !interests(in: kind).isEmpty
        lastKind = (kind, isInteresting)
        return isInteresting
    }

    private func interests(in kind: DatabaseEventKind) -> [Int] {
        if let indices = interests[kind] { return indices }
        let indices = registrations.indices.filter { registrations[$0].region?.mayBeModified(by: kind) == true }
        interests[kind] = indices
        return indices
    }

    private func takeOverRegistrations() {
        isUpToDate = true
        database.state.withLock { state in
            guard state.generation != generation else { return }
            generation = state.generation
            registrations = state.registrations
            interests = [:]
        }
    }

    func databaseDidChange(with event: DatabaseEvent) {
        for index in candidates(event) where !changed.contains(index) {
            if registrations[index].region?.isModified(by: event) == true { changed.insert(index) }
        }
        stopIfAllHaveChanged()
    }

    private func candidates(_ event: DatabaseEvent) -> [Int] {
        if let lastCandidates, lastCandidates.event.kind == event.kind, lastCandidates.event.tableName == event.tableName {
            return lastCandidates.indices
        }
        let indices = Set(kinds.filter { $0.isKind(of: event) }.flatMap(interests(in:))).sorted()
        lastCandidates = (event, indices)
        return indices
    }

    func databaseDidChange(in changes: DatabaseRegion) {
        for (index, registration) in registrations.enumerated() {
            guard let region = registration.region else { continue }
            if changes.isFullDatabase || !region.isDisjoint(with: changes) { changed.insert(index) }
        }
        stopIfAllHaveChanged()
    }

    private func stopIfAllHaveChanged() {
        if changed.count == registrations.count { stopObservingDatabaseChangesUntilNextTransaction() }
    }

    // MARK: - The end of transactions

    func databaseDidCommit(_ db: Database) {
        var listeners: [any DatabaseChangeListener] = []
        let commit = database.state.withLock { state in
            // A change that is not a commit, such as those of `notifyChanges(in:)`, gets a number of its own.
            if counter.value == lastCount { state.otherCommits += 1 }
            lastCount = counter.value
            let commit = state.commit(counter)
            if state.searchCount > 0 {
                for kind in kinds { state.log[kind] = commit }
            }
            if isUpToDate, state.generation != generation {
                listeners = changedListeners(state)
            } else {
                listeners = changed.map { registrations[$0].listener }
            }
            return commit
        }
        endTransaction()
        for listener in listeners { listener.databaseDidChange(at: commit, .writer(db)) }
    }

    /// Returns the observations that the transaction has changed, when the list has changed since the transaction began.
    private func changedListeners(_ state: ObservedDatabase.State) -> [any DatabaseChangeListener] {
        let previous = Dictionary(uniqueKeysWithValues: zip(registrations.map(\.id), registrations.indices))
        return state.registrations.filter { registration in
            if let index = previous[registration.id] {
                if changed.contains(index) { return true }
                if registrations[index].region == registration.region { return false }
            }
            return kinds.contains { registration.region?.mayBeModified(by: $0) == true }
        }.map(\.listener)
    }

    func databaseDidRollback(_ db: Database) {
        endTransaction()
    }

    private func endTransaction() {
        guard isUpToDate else { return }
        isUpToDate = false
        kinds.removeAll(keepingCapacity: true)
        changed.removeAll(keepingCapacity: true)
        lastKind = nil
        lastCandidates = nil
    }
}

extension DatabaseEventKind {
    /// Whether an event may be one of this kind.
    fileprivate func isKind(of event: DatabaseEvent) -> Bool {
        guard tableName == event.tableName else { return false }
        return switch (self, event.kind) {
        case (.insert, .insert), (.delete, .delete), (.update, .update): true
        default: false
        }
    }
}
