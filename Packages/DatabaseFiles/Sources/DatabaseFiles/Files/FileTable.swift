/// The files of a folder that are open, and the requests that wait for them: the owner of that state.
///
/// A file that is opening or open has one of a number of places. A request for a file without a place takes a free one, or that of the file
/// that was not used for the longest time, which is then closed meanwhile. If all files are in use, requests wait in the order in which they
/// came.
///
/// A caller that has a lease, or is inside an access, never waits for a place: it gets one beyond the limit. So places in use by closures
/// become free. If all places are kept by leases of the program, which may never end, requests fail after a time.
final class FileTable: Sendable {
    /// What follows a change, outside the lock.
    enum Action {
        case open(FileEntry)
        case close(FileEntry, DatabasePool)
        case delete(FileEntry, DatabasePool?, [DeletionRequest])
        case grant(FileRequest, DatabaseLease, mustCheck: Bool)
        case fail(FileRequest, any Error)
        case sweep(after: Duration)
        case failIfStuck(after: Duration)
        case call(@Sendable () -> Void)
    }

    private struct State {
        var entries: [FileKey: FileEntry] = [:]
        /// The files that are open under a path that leads elsewhere now.
        var detached: [ObjectIdentifier: FileEntry] = [:]
        var identities: [FileIdentity: FileEntry] = [:]
        /// The requests that wait for a place.
        var waiting: [FileRequest] = []
        /// The number of places in use.
        var placeCount = 0
        /// The logs that belong to files which others have replaced, by the names of their files.
        var strayLogs: [FileKey: FileIdentity] = [:]
        var failures: [FileKey: (error: any Error, end: ContinuousClock.Instant)] = [:]
        var isSweeping = false
        /// Since when no place becomes free without the program's doing, although requests wait. A lease is released only some time after its
        /// last use, so this says nothing at first.
        var stuckSince: ContinuousClock.Instant?
        var isRefusing = false
        var waitingForRest: [@Sendable () -> Void] = []
        var openedCount = 0
        var failedCount = 0
        var actions: [Action] = []

        var allEntries: [FileEntry] { Array(entries.values) + detached.values }
    }

    private let state = Guarded(State())
    let options: DatabaseFolder.Options
    private let limit: Int
    private let perform: @Sendable (Action, FileTable) -> Void

    init(_ options: DatabaseFolder.Options, limit: Int, perform: @escaping @Sendable (Action, FileTable) -> Void) {
        (self.options, self.limit, self.perform) = (options, limit, perform)
    }

    /// Changes the state, and then does what follows.
    private func change<T>(_ body: (inout State) throws -> T) rethrows -> T {
        let (result, actions) = try state.withLock { state in
            let result = try body(&state)
            noteIfStuck(&state)
            let rest = isAtRest(state) ? state.waitingForRest : []
            if !rest.isEmpty { state.waitingForRest = [] }
            defer { state.actions = [] }
            return (result, state.actions + rest.map { Action.call($0) })
        }
        for action in actions { perform(action, self) }
        return result
    }

    // MARK: - Requests

    func enter(_ request: FileRequest) { change { enter(request, &$0) } }

    private func enter(_ request: FileRequest, _ state: inout State) {
        if let entry = state.entries[request.key] {
            guard case .open(let pool) = entry.phase else {
                entry.requests.append(request)
                return
            }
            // A deletion waits for the lease, which a nested request may be a part of.
            if !entry.deletions.isEmpty, !(request.isNested && entry.isLeased) { return entry.requests.append(request) }
            return grant(request, entry, pool, mustCheck: entry.useCount == 0, &state)
        }
        if state.isRefusing { return state.actions.append(.fail(request, DatabaseUnavailableError(reason: .shuttingDown))) }
        if let failure = state.failures[request.key] {
            if failure.end > .now { return state.actions.append(.fail(request, failure.error)) }
            state.failures[request.key] = nil
        }
        if (state.waiting.isEmpty || request.isNested) && takePlace(isNested: request.isNested, &state) {
            return beginOpening(request, &state)
        }
        let maximum = options.maximumWaitingCount
        if request.isNested {
            state.actions.append(.fail(request, DatabaseFileError(.allInUse, name: request.name)))
        } else if let maximum, state.waiting.count >= max(maximum, 0) {
            state.actions.append(.fail(request, DatabaseUnavailableError(reason: .tooManyWaiting(limit: maximum))))
        } else {
            state.waiting.append(request)
        }
    }

    /// Removes a request that its caller has given up.
    func leave(_ request: FileRequest) {
        change { state in
            state.waiting.removeAll { $0 === request }
            state.entries[request.key]?.requests.removeAll { $0 === request }
        }
    }

    private func beginOpening(_ request: FileRequest, _ state: inout State) {
        let entry = FileEntry(request.name, request.key, creates: request.creates)
        entry.requests = [request]
        state.entries[request.key] = entry
        state.actions.append(.open(entry))
    }

    /// Takes a place for a file, if there is one.
    private func takePlace(isNested: Bool, _ state: inout State) -> Bool {
        if state.placeCount >= limit {
            let idle = state.entries.values.filter { $0.idlePool != nil && $0.deletions.isEmpty }
            if let oldest = idle.min(by: { $0.lastUse < $1.lastUse }), let pool = oldest.idlePool {
                beginClosing(oldest, pool, &state)
            } else if !isNested || state.placeCount >= 2 * limit {
                return false
            }
        }
        state.placeCount += 1
        return true
    }

    /// Gives places to the requests that wait for them.
    private func serve(_ state: inout State) {
        while let request = state.waiting.first {
            // The file was opened for another request, or is being closed.
            if state.entries[request.key] == nil {
                guard takePlace(isNested: false, &state) else { return }
            }
            state.waiting.removeFirst()
            if state.entries[request.key] != nil { enter(request, &state) } else { beginOpening(request, &state) }
        }
    }

    /// How long requests wait when all places are kept by the program.
    private static let stuckTime = Duration.seconds(1)

    private func noteIfStuck(_ state: inout State) {
        if state.waiting.isEmpty || state.allEntries.contains(where: \.isUsedForATime) {
            state.stuckSince = nil
        } else if state.stuckSince == nil {
            state.stuckSince = .now
            state.actions.append(.failIfStuck(after: Self.stuckTime))
        }
    }

    /// Fails the requests that wait for a place if none has become free for a time, and none will without the program's doing.
    func failIfStuck() {
        change { state in
            guard let begin = state.stuckSince, begin + Self.stuckTime <= .now else { return }
            for request in state.waiting { state.actions.append(.fail(request, DatabaseFileError(.allInUse, name: request.name))) }
            state.waiting = []
        }
    }

    // MARK: - Leases

    private func grant(_ request: FileRequest, _ entry: FileEntry, _ pool: DatabasePool, mustCheck: Bool, _ state: inout State) {
        let lease: DatabaseLease
        if let current = entry.lease {
            lease = current
        } else {
            entry.leaseNumber += 1
            lease = DatabaseLease(entry, pool, number: entry.leaseNumber, self)
            entry.lease = lease
            entry.isLeased = true
        }
        if !request.isKept { entry.useCount += 1 }
        state.actions.append(.grant(request, lease, mustCheck: mustCheck))
    }

    /// Ends the use of a lease by a closure.
    func endUse(_ entry: FileEntry) { change { _ in entry.useCount -= 1 } }

    /// Records that nobody uses a file any more.
    func leaseHasEnded(_ entry: FileEntry, number: Int) {
        change { state in
            guard entry.leaseNumber == number else { return }
            entry.isLeased = false
            entry.lastUse = .now
            settle(entry, &state)
        }
    }

    /// Decides what happens to an open file that nobody uses.
    private func settle(_ entry: FileEntry, _ state: inout State) {
        guard let pool = entry.idlePool else { return }
        if !entry.deletions.isEmpty, !entry.isDetached {
            delete(entry, pool, &state)
        } else if entry.isDetached || state.isRefusing || state.placeCount > limit {
            beginClosing(entry, pool, &state)
        } else if !state.isSweeping {
            state.isSweeping = true
            state.actions.append(.sweep(after: options.idleTime))
        }
        serve(&state)
    }

    /// Closes the files that were not used for a time.
    func sweep() {
        change { state in
            state.isSweeping = false
            let idle = state.entries.values.filter { $0.idlePool != nil && $0.deletions.isEmpty }
            let limit = ContinuousClock.now - options.idleTime
            for entry in idle where entry.lastUse <= limit {
                if let pool = entry.idlePool { beginClosing(entry, pool, &state) }
            }
            guard let next = idle.map(\.lastUse).filter({ $0 > limit }).min() else { return }
            state.isSweeping = true
            state.actions.append(.sweep(after: limit.duration(to: next)))
        }
    }

    /// Replaces an open file whose path leads to another file now, and repeats the request that has found this.
    func replace(_ entry: FileEntry, for request: FileRequest) {
        change { state in
            if !request.isKept { entry.useCount -= 1 }
            if state.entries[entry.key] === entry {
                state.entries[entry.key] = nil
                removeIdentity(of: entry, &state)
                state.strayLogs[entry.key] = entry.logIdentity
                entry.isDetached = true
                state.detached[ObjectIdentifier(entry)] = entry
                let (requests, deletions) = (entry.requests, entry.deletions)
                (entry.requests, entry.deletions) = ([], [])
                for deletion in deletions { delete(entry.name, entry.key, deletion, &state) }
                for request in requests { enter(request, &state) }
            }
            enter(request, &state)
        }
    }

    // MARK: - Opening

    /// Reserves a file for a name.
    ///
    /// - Throws: ``DatabaseFileError`` if another name leads to the file, or if the log at its path belongs to a file that it has replaced.
    func reserve(_ identity: FileIdentity?, at path: String, for entry: FileEntry) throws {
        try change { state in
            removeIdentity(of: entry, &state)
            guard let identity else { return }
            if let log = state.strayLogs[entry.key] {
                if log == FileIdentity(path: "\(path)-wal") {
                    throw DatabaseFileError(.leftoverLog, name: entry.name, detail: "\(path)-wal")
                }
                state.strayLogs[entry.key] = nil
            }
            if let other = state.identities[identity] {
                throw DatabaseFileError(.sameFile, name: entry.name, detail: other.name)
            }
            state.identities[identity] = entry
            entry.identity = identity
        }
    }

    private func removeIdentity(of entry: FileEntry, _ state: inout State) {
        guard let identity = entry.identity.take(), state.identities[identity] === entry else { return }
        state.identities[identity] = nil
    }

    func hasOpened(_ entry: FileEntry, _ result: Result<DatabasePool, any Error>) {
        change { state in
            let requests = entry.requests
            entry.requests = []
            switch result {
            case .success(let pool):
                state.openedCount += 1
                entry.phase = .open(pool)
                entry.lastUse = .now
                for request in requests { grant(request, entry, pool, mustCheck: false, &state) }
                settle(entry, &state)
            case .failure(let error):
                state.failedCount += 1
                state.placeCount -= 1
                end(entry, &state)
                let isMissing = (error as? DatabaseFileError)?.reason == .notFound
                if !isMissing { remember(error, entry.key, &state) }
                for request in requests {
                    // Another request may create the file.
                    if isMissing, request.creates, !entry.creates {
                        enter(request, &state)
                    } else {
                        state.actions.append(.fail(request, error))
                    }
                }
                serve(&state)
            }
        }
    }

    private func remember(_ error: any Error, _ key: FileKey, _ state: inout State) {
        if options.failureTime <= .zero { return }
        let now = ContinuousClock.now
        if state.failures.count >= 1000 { state.failures = state.failures.filter { $0.value.end > now } }
        state.failures[key] = (error, now + options.failureTime)
    }

    /// Forgets the failures to open files, so that the next requests try again.
    func forgetFailures() { change { $0.failures = [:] } }

    // MARK: - Closing

    private func beginClosing(_ entry: FileEntry, _ pool: DatabasePool, _ state: inout State) {
        entry.phase = .closing
        state.placeCount -= 1
        state.actions.append(.close(entry, pool))
    }

    func hasClosed(_ entry: FileEntry) { change { end(entry, &$0) } }

    /// Removes a file that is closed or was not opened, and repeats what waited for it.
    private func end(_ entry: FileEntry, _ state: inout State) {
        removeIdentity(of: entry, &state)
        if entry.isDetached { state.detached[ObjectIdentifier(entry)] = nil } else { state.entries[entry.key] = nil }
        let (requests, deletions) = (entry.requests, entry.deletions)
        (entry.requests, entry.deletions) = ([], [])
        for deletion in deletions { delete(entry.name, entry.key, deletion, &state) }
        for request in requests { enter(request, &state) }
    }

    // MARK: - Deletion

    func delete(_ name: String, isNested: Bool, _ deletion: DeletionRequest) {
        let key = FileKey(name)
        change { state in
            if isNested, state.entries[key]?.isLeased == true {
                return state.actions.append(
                    .call { deletion.end(.failure(DatabaseFileError(.inUse, name: name, detail: "by the caller, or by others"))) })
            }
            delete(name, key, deletion, &state)
        }
    }

    /// Removes a request to delete a file, unless the deletion has begun.
    func giveUp(_ deletion: DeletionRequest, of name: String, _ error: any Error) {
        change { state in
            guard let entry = state.entries[FileKey(name)], let index = entry.deletions.firstIndex(where: { $0 === deletion }) else {
                return
            }
            entry.deletions.remove(at: index)
            state.actions.append(.call { deletion.end(.failure(error)) })
            guard case .open(let pool) = entry.phase, entry.deletions.isEmpty else { return }
            let requests = entry.requests
            entry.requests = []
            for request in requests { grant(request, entry, pool, mustCheck: entry.useCount == 0, &state) }
        }
    }

    private func delete(_ name: String, _ key: FileKey, _ deletion: DeletionRequest, _ state: inout State) {
        if let entry = state.entries[key] {
            entry.deletions.append(deletion)
            if let pool = entry.idlePool { delete(entry, pool, &state) }
        } else {
            let entry = FileEntry(name, key, creates: false)
            entry.deletions = [deletion]
            state.entries[key] = entry
            delete(entry, nil, &state)
        }
    }

    private func delete(_ entry: FileEntry, _ pool: DatabasePool?, _ state: inout State) {
        if pool != nil { state.placeCount -= 1 }
        entry.phase = .deleting
        // Those that come from now on must run again: another process may create the file after this deletion.
        state.actions.append(.delete(entry, pool, entry.deletions))
        entry.deletions = []
    }

    func hasDeleted(_ entry: FileEntry, _ deletions: [DeletionRequest], _ result: Result<Bool, any Error>) {
        change { state in
            state.failures[entry.key] = nil
            for deletion in deletions { state.actions.append(.call { deletion.end(result) }) }
            end(entry, &state)
            serve(&state)
        }
    }

    // MARK: - The end

    /// Refuses to open further files, except for requests that wait already, and closes files when nobody uses them.
    func refuse() {
        change { state in
            state.isRefusing = true
            for entry in state.entries.values { if let pool = entry.idlePool { beginClosing(entry, pool, &state) } }
        }
    }

    /// Whether no request waits, and no file is used for a time.
    private func isAtRest(_ state: State) -> Bool {
        !state.waitingForRest.isEmpty && state.waiting.isEmpty
            && state.allEntries.allSatisfy { entry in
                if case .open = entry.phase { entry.isLeased && entry.useCount == 0 } else { false }
            }
    }

    /// Calls a closure when no file is used for a time. Further files must be refused.
    func whenAtRest(_ body: @escaping @Sendable () -> Void) { change { $0.waitingForRest.append(body) } }

    /// Takes the open files, to close them although they are used.
    func takeOpenFiles() -> [(entry: FileEntry, pool: DatabasePool)] {
        change { state -> [(entry: FileEntry, pool: DatabasePool)] in
            for request in state.waiting { state.actions.append(.fail(request, DatabaseUnavailableError(reason: .shuttingDown))) }
            state.waiting = []
            return state.allEntries.compactMap { entry in
                guard case .open(let pool) = entry.phase else { return nil }
                state.placeCount -= 1
                entry.phase = .closing
                return (entry, pool)
            }
        }
    }

    // MARK: - Status

    func status() -> DatabaseFolderStatus {
        state.withLock { state in
            var status = DatabaseFolderStatus(maximumOpenCount: limit)
            for entry in state.allEntries {
                switch entry.phase {
                case .opening: status.openingCount += 1
                case .open:
                    status.openCount += 1
                    if entry.isLeased { status.usedCount += 1 }
                case .closing: status.closingCount += 1
                case .deleting: status.deletingCount += 1
                }
                status.waitingCount += entry.requests.count
            }
            status.waitingCount += state.waiting.count
            let now = ContinuousClock.now
            status.failedCount = state.failures.values.count(where: { $0.end > now })
            status.totalOpenedCount = state.openedCount
            status.totalFailedCount = state.failedCount
            status.isShuttingDown = state.isRefusing
            return status
        }
    }

    /// The pool of a file, if it is open.
    func openPool(_ name: String) -> DatabasePool? {
        state.withLock { state in
            guard case .open(let pool) = state.entries[FileKey(name)]?.phase else { return nil }
            return pool
        }
    }
}
