import RowDecoding

/// An observation, as its database sees it.
protocol DatabaseChangeListener: AnyObject, Sendable {
    /// Notifies the observation of a commit that may have changed its region, on any thread, outside locks.
    ///
    /// - Parameters:
    ///   - commit: the number of the commit.
    ///   - cause: the connection that committed.
    func databaseDidChange(at commit: Int, _ cause: ChangeCause)

    /// Notifies the observation that the database was closed.
    func databaseDidClose()
}

/// The origin of a change.
enum ChangeCause {
    /// The writing connection, on whose thread the observation is notified.
    case writer(Database)
    /// Another connection or process.
    case others
    /// Possibly none: the observation has begun, and fetches may have missed earlier commits.
    case beginning
}

/// The state that the observations of one database share: the list of observations, with their regions, and the numbers of commits.
///
/// Each writer has one such object, which has one ``ChangeRecorder`` on the writing connection while the database is observed.
///
/// Commits have numbers: the driver's count of the commits of the writer, plus the number of times that commits of other connections were
/// noticed. A read that finds the same number before and after it has taken its snapshot, while no commit is in progress, knows which
/// commits it sees: exactly the writer's commits up to that number. Therefore no value is delivered twice: an observation fetches again
/// only after a commit with a greater number.
///
/// The region of most observations is known only after a fetch, which has seen the database as it was before: changes that come in the
/// meantime are kept in `log`, and compared with the region when it is known.
final class ObservedDatabase: Sendable {
    /// An observation and its region.
    struct Registration: Sendable {
        let listener: any DatabaseChangeListener
        /// Nil until the first fetch has ended.
        var region: DatabaseRegion?

        var id: ObjectIdentifier { ObjectIdentifier(listener) }
    }

    struct State {
        /// The database, while it is observed.
        var writer: (any DatabaseWriter)?
        var registrations: [Registration] = []
        /// Changes with the registrations and their regions.
        var generation = 0
        /// The number of times that commits of other connections were noticed.
        var otherCommits = 0
        /// The counter of the writer's commits, once a fetch or the recorder has found it.
        var counter: CommitCounter?
        /// The count of the last commit that all observations were notified of, while the recorder is complete.
        var reportedCount: UInt64?
        var isRecording = false
        /// The number of fetches in progress that may change a region.
        var searchCount = 0
        /// The last commit that may have caused events of a kind, since a fetch is in progress.
        var log: [DatabaseEventKind: Int] = [:]

        /// The number of the last commit.
        func commit(_ counter: CommitCounter) -> Int { Int(counter.value) + otherCommits }
    }

    let state: Guarded<State>

    /// The observations that share their fetches, by their identities.
    let sharedObservations = Guarded<[ObservationIdentity: WeakReference]>([:])

    /// Identifies the database. It is not retained, so that the program can release it when it is no longer observed.
    private let identity: WeakReference

    /// Whether reads run beside writes.
    let isConcurrent: Bool

    private init(_ writer: any DatabaseWriter) {
        state = Guarded(State())
        identity = WeakReference(writer)
        isConcurrent = !(writer is DatabaseQueue)
    }

    // MARK: - The observed databases

    private static let all = Guarded<[ObjectIdentifier: WeakReference]>([:])

    /// Returns the state that the observations of a database share, or nil for a snapshot, which never changes.
    static func observed(through reader: some DatabaseReader) -> (database: ObservedDatabase, writer: any DatabaseWriter)? {
        var base: any DatabaseReader = reader
        while let wrapper = base as? any DatabaseReaderWrapper { base = wrapper.base }
        guard let writer = base as? any DatabaseWriter else { return nil }
        let database = all.withLock { all in
            all = all.filter { $0.value.object != nil }
            let known = all[ObjectIdentifier(writer)]?.object as? ObservedDatabase
            if let known, known.identity.object === writer { return known }
            let database = ObservedDatabase(writer)
            all[ObjectIdentifier(writer)] = WeakReference(database)
            return database
        }
        return (database, writer)
    }

    // MARK: - Observations

    /// Adds an observation, whose first fetch begins afterwards.
    ///
    /// That fetch counts as announced: see ``beginSearch()``.
    func add(_ listener: any DatabaseChangeListener, of writer: any DatabaseWriter) {
        state.withLock { state in
            state.writer = writer
            state.registrations.append(Registration(listener: listener, region: nil))
            state.generation += 1
            state.searchCount += 1
        }
        updateRecorder(writer)
    }

    /// Adds an observation of a region, inside an access to the writing connection.
    func add(_ listener: any DatabaseChangeListener, region: DatabaseRegion, of writer: any DatabaseWriter, _ db: Database) {
        state.withLock { state in
            state.writer = writer
            state.registrations.append(Registration(listener: listener, region: region))
            state.generation += 1
        }
        updateRecorder(db)
    }

    /// Removes an observation.
    ///
    /// - Parameter isSearching: whether a fetch is in progress that was announced by ``beginSearch()``.
    func remove(_ listener: any DatabaseChangeListener, isSearching: Bool) {
        let writer: (any DatabaseWriter)? = state.withLock { state in
            guard let index = state.registrations.firstIndex(where: { $0.listener === listener }) else { return nil }
            state.registrations.remove(at: index)
            state.generation += 1
            if isSearching { state.endSearch() }
            guard state.registrations.isEmpty else { return nil }
            return state.writer.take()
        }
        if let writer { updateRecorder(writer) }
    }

    /// Records that a fetch that may change the region is about to begin.
    func beginSearch() {
        state.withLock { $0.searchCount += 1 }
    }

    /// Records the end of such a fetch.
    ///
    /// - Parameters:
    ///   - region: the region from now on; nil for the previous one.
    ///   - commit: the last commit that the fetch has seen.
    /// - Returns: the last commit that has changed the region since then, 0 for none. Commits that have changed the previous region
    ///   were reported already.
    func endSearch(_ listener: any DatabaseChangeListener, region: DatabaseRegion?, at commit: Int) -> Int {
        state.withLock { state in
            defer { state.endSearch() }
            guard let region, let index = state.registrations.firstIndex(where: { $0.listener === listener }),
                state.registrations[index].region != region
            else { return 0 }
            state.registrations[index].region = region
            state.generation += 1
            return state.log.reduce(0) { last, entry in
                entry.value > max(last, commit) && region.mayBeModified(by: entry.key) ? entry.value : last
            }
        }
    }

    // MARK: - The recorder

    /// Adds the recorder of changes to the writing connection, or removes it, when the turn of such an access comes.
    private func updateRecorder(_ writer: any DatabaseWriter) {
        writer.schedule(AccessRequest(.writeWithoutTransaction, .database)) { [self] result in
            if let db = try? result.get() { updateRecorder(db) }
        }
    }

    /// Adds the recorder of changes to the writing connection, or removes it, inside an access to that connection.
    func updateRecorder(_ db: Database) {
        let (isNeeded, isRecording) = state.withLock { state in
            defer { state.isRecording = !state.registrations.isEmpty }
            return (!state.registrations.isEmpty, state.isRecording)
        }
        if isNeeded, !isRecording {
            let recorder = ChangeRecorder(self, db.commitCounter)
            db.attachments.setValue(recorder, for: ChangeRecorder.self)
            db.add(transactionObserver: recorder, extent: .databaseLifetime)
            // Fetches that have begun before may have missed commits.
            if let watch = OtherCommitsWatch(self, db) {
                recorder.watch = watch
                watch.run()
                notifyOfOtherCommits(db.commitCounter, .beginning)
            } else {
                notifyAllOfBeginning(db)
            }
            if db.isInsideTransaction {
                // The recorder does not know what the current transaction has already changed.
                db.afterNextTransaction { [self] in
                    notifyAllOfBeginning($0)
                    beginReporting($0)
                } onRollback: { [self] in
                    beginReporting($0)
                }
            } else {
                beginReporting(db)
            }
        } else if isNeeded, let recorder = db.attachments.value(for: ChangeRecorder.self) {
            recorder.watch?.run()
        } else if !isNeeded, isRecording, let recorder = db.attachments.value(for: ChangeRecorder.self) {
            recorder.isRemoved = true
            state.withLock { $0.reportedCount = nil }
            db.remove(transactionObserver: recorder)
            db.attachments.setValue(nil, for: ChangeRecorder.self)
        }
    }

    /// Records that observations are notified of all commits from now on, and were notified of the previous ones.
    private func beginReporting(_ db: Database) {
        let counter = db.commitCounter
        state.withLock { state in
            guard state.isRecording else { return }
            state.counter = counter
            state.reportedCount = counter.value
        }
    }

    /// Records that all observations were notified of the commits up to a count.
    func didReport(_ count: UInt64) {
        state.withLock { if $0.reportedCount != nil { $0.reportedCount = count } }
    }

    /// Whether all observations were notified of all commits of the writer that a reader may have seen.
    var hasReportedAllCommits: Bool {
        state.withLock { state in
            guard let counter = state.counter, let count = state.reportedCount else { return false }
            // The order matters: see `CommitCounter`.
            return !counter.isCommitInProgress && counter.value == count
        }
    }

    /// Returns a commit number that each fetch that begins from now on has seen. Such a fetch contains all commits of the writer that any
    /// reader has seen until now.
    func requiredCommit() -> Int {
        state.withLock { state in
            // No fetch has taken its snapshot yet.
            guard let counter = state.counter else { return 0 }
            // The commit may be visible already, and has no number yet.
            if counter.isCommitInProgress { state.otherCommits += 1 }
            return state.commit(counter)
        }
    }

    /// Notifies all observations of commits by other connections, which may have changed everything.
    func notifyOfOtherCommits(_ counter: CommitCounter, _ cause: ChangeCause = .others) {
        let commit = state.withLock { state in
            state.otherCommits += 1
            return state.commit(counter)
        }
        notifyAll(at: commit, cause)
    }

    private func notifyAllOfBeginning(_ db: Database) {
        notifyAll(at: lastCommit(db.commitCounter), .beginning)
    }

    private func notifyAll(at commit: Int, _ cause: ChangeCause) {
        for registration in state.withLock({ $0.registrations }) {
            registration.listener.databaseDidChange(at: commit, cause)
        }
    }

    /// Ends all observations, because the connection was closed.
    func close() {
        let listeners = state.withLock { state in
            state.isRecording = false
            state.reportedCount = nil
            return state.registrations.map(\.listener)
        }
        for listener in listeners { listener.databaseDidClose() }
    }
}

extension ObservedDatabase.State {
    fileprivate mutating func endSearch() {
        searchCount -= 1
        if searchCount == 0 { log.removeAll() }
    }
}

extension DatabaseRegion {
    /// Returns whether events of a kind may change the content of the region, or its tables.
    func mayBeModified(by kind: DatabaseEventKind) -> Bool {
        kind.isOfSchema || isModified(byEventsOfKind: kind)
    }
}

extension DatabaseEventKind {
    /// Whether the events change the schema.
    var isOfSchema: Bool { tableName.hasPrefix("sqlite_") && tableName.hasSuffix("master") }
}

/// A reference that does not retain its object.
final class WeakReference: Sendable {
    private let reference: Guarded<Storage>

    private struct Storage {
        weak var object: AnyObject?
    }

    init(_ object: AnyObject) {
        reference = Guarded(Storage(object: object))
    }

    var object: AnyObject? { reference.withLock { $0.object } }
}
