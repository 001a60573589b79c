import RowDecoding

/// Finds the observations whose regions a transaction has changed, and notifies them of its commit.
///
/// A recorder is used on the thread of the writer only. At the beginning of a transaction it takes over the list of observations, so that
/// events need no lock. If the list has changed at the commit, the new regions are compared with the kinds of events that the transaction
/// may have caused.
final class ChangeRecorder: TransactionObserver, AttachmentKey {
    private let database: ObservedDatabase
    private let counter: CommitCounter
    var isRemoved = false
    /// The watch for commits of other connections, if there is one.
    var watch: OtherCommitsWatch?

    /// The number of commits when the observers were last notified of a commit.
    private var lastCount: UInt64

    private var registrations: [ObservedDatabase.Registration] = []
    private var generation = -1
    /// The kinds of events that were looked up, and the observations that each of them may change.
    private var interests: [DatabaseEventKind: Interest] = [:]
    /// The kind that was looked up last: most transactions change one table.
    private var lastInterest: Interest?

    /// A kind of events, and the observations that such events may change.
    private final class Interest {
        let kind: DatabaseEventKind
        /// The indices of the observations, in their order.
        let indices: [Int]
        /// Whether the current transaction may have caused such events.
        var isOfTransaction = false

        init(_ kind: DatabaseEventKind, _ indices: [Int]) {
            self.kind = kind
            self.indices = indices
        }
    }

    // The current transaction

    private var isUpToDate = false
    /// The kinds of events that the transaction may have caused.
    private var used: [Interest] = []
    /// The observations that the last event may change.
    private var lastCandidates: (event: DatabaseEvent, indices: [Int])?
    /// Whether each observation's region was changed, and the number of changed regions.
    private var isChanged: [Bool] = []
    private var changedCount = 0

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
        if !isUpToDate { takeOverRegistrations() }
        let interest: Interest
        if let lastInterest, lastInterest.kind == kind {
            interest = lastInterest
        } else {
            interest = self.interest(in: kind)
            lastInterest = interest
        }
        if !interest.isOfTransaction {
            interest.isOfTransaction = true
            used.append(interest)
            lastCandidates = nil
        }
        return !interest.indices.isEmpty
    }

    private func interest(in kind: DatabaseEventKind) -> Interest {
        if let interest = interests[kind] { return interest }
        let interest = Interest(kind, registrations.indices.filter { registrations[$0].region?.mayBeModified(by: kind) == true })
        interests[kind] = interest
        return interest
    }

    private func takeOverRegistrations() {
        isUpToDate = true
        database.state.withLock { state in
            guard state.generation != generation else { return }
            generation = state.generation
            registrations = state.registrations
            interests = [:]
            lastInterest = nil
            isChanged = Array(repeating: false, count: registrations.count)
        }
    }

    func databaseDidChange(with event: DatabaseEvent) {
        for index in candidates(event) where !isChanged[index] {
            if registrations[index].region?.isModified(by: event) == true { noteChange(index) }
        }
        stopIfAllHaveChanged()
    }

    private func candidates(_ event: DatabaseEvent) -> [Int] {
        if let lastCandidates, lastCandidates.event.kind == event.kind, lastCandidates.event.tableName == event.tableName {
            return lastCandidates.indices
        }
        let matching = used.filter { $0.kind.isKind(of: event) }
        let indices = matching.count == 1 ? matching[0].indices : Set(matching.flatMap(\.indices)).sorted()
        lastCandidates = (event, indices)
        return indices
    }

    private func noteChange(_ index: Int) {
        if isChanged[index] { return }
        isChanged[index] = true
        changedCount += 1
    }

    func databaseDidChange(in changes: DatabaseRegion) {
        for (index, registration) in registrations.enumerated() {
            guard let region = registration.region else { continue }
            if changes.isFullDatabase || !region.isDisjoint(with: changes) { noteChange(index) }
        }
        stopIfAllHaveChanged()
    }

    private func stopIfAllHaveChanged() {
        if changedCount == registrations.count { stopObservingDatabaseChangesUntilNextTransaction() }
    }

    // MARK: - The end of transactions

    func databaseDidCommit(_ db: Database) {
        var listeners: [any DatabaseChangeListener] = []
        let count = counter.value
        let commit = database.state.withLock { state in
            // A change that is not a commit, such as a change of `notifyChanges(in:)`, gets a separate number.
            if count == lastCount { state.otherCommits += 1 }
            lastCount = count
            let commit = state.commit(counter)
            if state.searchCount > 0 {
                for interest in used { state.log[interest.kind] = commit }
            }
            if isUpToDate, state.generation != generation {
                listeners = changedListeners(state)
            } else {
                listeners = changedCount == 0 ? [] : registrations.indices.filter { isChanged[$0] }.map { registrations[$0].listener }
            }
            return commit
        }
        endTransaction()
        for listener in listeners { listener.databaseDidChange(at: commit, .writer(db)) }
        database.didReport(count)
    }

    /// Returns the observations that the transaction has changed, when the list has changed since the transaction began.
    private func changedListeners(_ state: ObservedDatabase.State) -> [any DatabaseChangeListener] {
        let previous = Dictionary(uniqueKeysWithValues: zip(registrations.map(\.id), registrations.indices))
        return state.registrations.filter { registration in
            if let index = previous[registration.id] {
                if isChanged[index] { return true }
                if registrations[index].region == registration.region { return false }
            }
            return used.contains { registration.region?.mayBeModified(by: $0.kind) == true }
        }.map(\.listener)
    }

    func databaseDidRollback(_ db: Database) {
        endTransaction()
    }

    private func endTransaction() {
        guard isUpToDate else { return }
        isUpToDate = false
        for interest in used { interest.isOfTransaction = false }
        used.removeAll(keepingCapacity: true)
        lastCandidates = nil
        if changedCount == 0 { return }
        for index in isChanged.indices { isChanged[index] = false }
        changedCount = 0
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
