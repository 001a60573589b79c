import Dispatch
import RowDecoding

/// An observation that has started: it fetches, reduces and delivers, according to its ``ObservationProgress``.
final class ValueObserver<Reducer: ValueReducer>: DatabaseChangeListener {
    private struct State {
        var progress = ObservationProgress()
        /// Nil when the observation has ended.
        var sink: ValueSink<Reducer.Value>?
        /// The writer of the database, while the observation continues.
        var writer: (any DatabaseWriter)?
        /// The region, once it is known.
        var region: DatabaseRegion?
        /// Whether a fetch that may change the region was announced to the database.
        var isSearching = true
        var retries = FetchRetries()
    }

    private let observation: ValueObservation<Reducer>
    private let database: ObservedDatabase
    private let state: Guarded<State>
    /// Reduces one value after the other. Its lock is never waited for.
    private let reducer: Guarded<any Reducing<Reducer.Fetched, Reducer.Value>>
    private let fetcher: any Reducing<Reducer.Fetched, Reducer.Value>
    /// The task of the program's closures, if a task has started the observation.
    private let context: TaskContext?
    private let queue = DispatchQueue(label: "Strata.observation")

    init(
        _ observation: ValueObservation<Reducer>, of database: ObservedDatabase, _ writer: any DatabaseWriter,
        _ sink: ValueSink<Reducer.Value>
    ) {
        self.observation = observation
        self.database = database
        state = Guarded(State(sink: sink, writer: writer))
        fetcher = observation.makeReducer()
        reducer = Guarded(fetcher)
        context = .current()
    }

    // MARK: - The beginning and the end

    /// Starts the observation.
    ///
    /// - Parameter isImmediate: whether to deliver the first value now, on this thread.
    func start(isImmediate: Bool) {
        observation.events.willStart()
        // The first fetch is in progress before changes are reported, so that they don't begin another fetch.
        guard state.withLock({ $0.progress.start() }), let writer = state.withLock({ $0.writer }) else { return }
        database.add(self, of: writer)
        fetch(writer, isImmediate: isImmediate)
    }

    /// Returns whether no commit has changed the region since a fetch: see ``StartedObservation``.
    func isCurrent(_ commit: Int) -> Bool {
        // Commits that were reported are known to the progress.
        database.hasReportedAllCommits && state.withLock { !$0.isSearching && $0.progress.isCurrent(commit) }
    }

    /// Requires a value: see ``StartedObservation``.
    func require(_ commit: Int, isReady: Bool, isImmediate: Bool) {
        fetchIfNeeded(isImmediate: isImmediate) { $0.require(commit, isReady: isReady) }
    }

    /// Ends the observation. Nothing is called afterwards.
    func cancel() {
        guard end() else { return }
        observation.events.didCancel()
    }

    private func end() -> Bool {
        let (hasEnded, isSearching) = state.withLock { state in
            defer {
                state.sink = nil
                state.writer = nil
                state.isSearching = false
            }
            return (state.progress.end(), state.isSearching)
        }
        if hasEnded {
            database.remove(self, isSearching: isSearching)
            context?.end()
        }
        return hasEnded
    }

    private func fail(_ error: any Error, isImmediate: Bool) {
        let sink = state.withLock { $0.sink }
        guard let sink else { return }
        let action: @Sendable () -> Void = { [self] in
            // A cancellation may have come first.
            guard end() else { return }
            observation.events.didFail(error)
            sink.onError(error)
        }
        if isImmediate { action() } else { sink.schedule(action) }
    }

    func databaseDidClose() {
        fail(DatabaseError.closedWhileObserved, isImmediate: false)
    }

    // MARK: - Fetching

    func databaseDidChange(at commit: Int, _ cause: ChangeCause) {
        guard state.withLock({ $0.sink != nil }) else { return }
        if case .beginning = cause {} else { observation.events.databaseDidChange() }
        fetchIfNeeded { $0.change(at: commit) }
    }

    private func fetchIfNeeded(isImmediate: Bool = false, _ step: (inout ObservationProgress) -> Bool) {
        let writer: (any DatabaseWriter)? = state.withLock { state in
            guard step(&state.progress), let writer = state.writer else { return nil }
            if observation.tracking.isDynamic {
                state.isSearching = true
                database.beginSearch()
            }
            return writer
        }
        if let writer { fetch(writer, isImmediate: isImmediate) }
    }

    private func fetch(_ writer: any DatabaseWriter, isImmediate: Bool) {
        if isImmediate {
            let result = Result { try database.fetchNow(in: writer, writes: observation.requiresWriteAccess, fetchValueNow) }
            return didFetch(result, isImmediate: true)
        }
        let fetch: @Sendable () -> Void = { [self] in
            database.fetch(in: writer, writes: observation.requiresWriteAccess, fetchValue) { [self] result in
                didFetch(result, isImmediate: false)
            }
        }
        if let context { context.whenReady(fetch) } else { fetch() }
    }

    /// Fetches the value, and its region if it may have changed, as a part of the task that started the observation.
    @Sendable private func fetchValue(_ db: Database) throws -> (Reducer.Fetched, DatabaseRegion?) {
        try context.perform { try fetchValueNow(db) }
    }

    @Sendable private func fetchValueNow(_ db: Database) throws -> (Reducer.Fetched, DatabaseRegion?) {
        let (isSearching, hasEnded) = state.withLock { ($0.isSearching, $0.progress.phase == .ended) }
        // The value would not be delivered.
        if hasEnded { throw CancellationError() }
        observation.events.willFetch()
        guard isSearching else { return (try fetcher.fetch(db), nil) }
        if case .region(let region) = observation.tracking {
            return (try fetcher.fetch(db), try region(db))
        }
        return try db.recordingAccesses { try fetcher.fetch(db) }
    }

    private func didFetch(_ result: Result<(value: (Reducer.Fetched, DatabaseRegion?), commit: Int), any Error>, isImmediate: Bool) {
        switch result {
        case .failure(let error):
            // A first value that is required now can't come later.
            let pause = isImmediate ? nil : state.withLock { $0.retries.pause(after: error) }
            if let pause { fetchAgain(after: pause) } else { fail(error, isImmediate: isImmediate) }
        case .success(let ((fetched, region), commit)):
            state.withLock { $0.retries.reset() }
            track(region, at: commit)
            if fetcher.isIdentity || isImmediate {
                reduce(fetched, commit, isImmediate: isImmediate)
            } else {
                // Transformations of values don't block the connection.
                queue.async { [self] in reduce(fetched, commit, isImmediate: false) }
            }
        }
    }

    /// Repeats a fetch. The observation keeps its last value, and its progress is still that of a fetch.
    private func fetchAgain(after pause: Duration) {
        DatabaseTimer.call(after: pause) { [weak self] in
            guard let self else { return }
            // The writer may be a type of the program, whose code does not run here.
            queue.async { [self] in
                if let writer = state.withLock({ $0.writer }) { fetch(writer, isImmediate: false) }
            }
        }
    }

    /// Tracks a region from now on, and requires another fetch if the region has changed since the fetch that found it.
    private func track(_ region: DatabaseRegion?, at commit: Int) {
        guard let region else { return }
        let isNew: Bool? = state.withLock { state in
            guard state.isSearching else { return nil }
            state.isSearching = false
            defer { state.region = region }
            return state.region != region
        }
        // The observation may have ended in the meantime.
        guard let isNew else { return }
        if isNew { observation.events.willTrackRegion(region) }
        let missed = database.endSearch(self, region: isNew ? region : nil, at: commit)
        if missed > 0 { fetchIfNeeded { $0.change(at: missed) } }
    }

    // MARK: - Delivering

    private func reduce(_ fetched: Reducer.Fetched, _ commit: Int, isImmediate: Bool) {
        let result = Result {
            let context = isImmediate || fetcher.isIdentity ? nil : context
            return try context.perform { try reducer.withLock { try $0.value(fetched) } }
        }
        switch result {
        case .failure(let error):
            fail(error, isImmediate: isImmediate)
        case .success(let value):
            fetchIfNeeded { $0.didFetch(at: commit, hasValue: value != nil) }
            guard let sink = state.withLock({ $0.sink }) else { return }
            guard let value else { return sink.onRepetition(commit) }
            if isImmediate { deliver(value, commit) } else { sink.schedule { [self] in deliver(value, commit) } }
        }
    }

    private func deliver(_ value: Reducer.Value, _ commit: Int) {
        guard let sink = state.withLock({ $0.sink }) else { return }
        sink.onChange(value, commit) { [self] in fetchIfNeeded { $0.didDeliver() } }
    }
}
