import Dispatch

/// The reading connections of a pool. They are opened on demand, up to a maximum, and each connection is lent to one access at a time.
///
/// A caller inside an access may keep others waiting, so it must not wait for them. Reads that begin there may get a connection beyond the
/// maximum, and don't wait for a barrier that has not begun to run: see ``Kind``.
final class ReaderPool: Sendable {
    /// The place where a read begins, which decides what it waits for. Reads that others wait for come first.
    enum Kind: Int, CaseIterable {
        /// Inside an access to the writer: the read does not wait, because all writes, including barriers, wait for its access.
        case inWrite
        /// Like ``inWrite``, but the writer continues as soon as the read has begun. At most the maximum number of such reads run at
        /// the same time, not counting those that wait for the writer.
        case concurrent
        /// Inside an access to another connection, or in a loop over rows that the pool produces: the read waits only for running
        /// barriers.
        case nested
        /// Outside accesses.
        case ordinary
    }

    private struct State {
        var idle: [SerializedConnection] = []
        var inUse: [ObjectIdentifier: SerializedConnection] = [:]
        /// The connections in use that will be closed, and not lent again.
        var invalid: Set<ObjectIdentifier> = []
        /// The numbers of connections that are lent, or being opened.
        var lentCount = 0
        var concurrentCount = 0
        var observationCount = 0
        var openedCount = 0
        /// The waiting reads, by kind.
        var lines: [[Access]] = Kind.allCases.map { _ in [] }
        /// Called when no connection is lent, or when a barrier must look again.
        var waitingForIdleness: [@Sendable () -> Void] = []
        var mustLookAgain = false

        /// The barriers that have not ended. All but the first one wait.
        var barriers: [RaisedBarrier] = []
        /// The number of accesses that wait for the writer, or have it, and that a read may depend on.
        var nestedWriterWaits = 0

        var isClosed = false
        /// Whether the database is shutting down.
        var isRefusing = false
        /// The recordings of SQL, which connections join when they are opened.
        var recordings: [SQLRecording] = []

        var keepsReadsOut: Bool { barriers.first.map { $0.isUp || $0.earlierReads.isEmpty } ?? false }

        mutating func lend(_ change: Int, _ request: AccessRequest, _ kind: Kind) {
            lentCount += change
            if kind == .concurrent { concurrentCount += change }
            if request.origin == .observation { observationCount += change }
        }
    }

    /// A barrier that waits until no connection is lent, and then is up until it ends.
    private struct RaisedBarrier {
        let barrier: Barrier
        /// The connections in use that were lent before the barrier began to wait. As long as there are any, ordinary reads begin: they cost the
        /// barrier nothing. Then it waits for the reads that began meanwhile, and lets no others begin, so that it does not wait forever.
        var earlierReads: Set<ObjectIdentifier>
        var isUp = false
        /// Whether it has the writer, while no read is running.
        var isRunning = false
    }

    private let state = Guarded(State())
    private let maximumCount: Int
    private let maximumWaitingCount: Int?
    private let threads: SharedThreads?
    private let makeConnection: @Sendable (_ number: Int) throws -> SerializedConnection

    /// How many connections the fetches of observations may use at the same time, so that many observations leave readers to requests.
    private var observationLimit: Int { max(1, maximumCount / 2) }

    /// - Parameters:
    ///   - maximumCount: how many ordinary reads may run at the same time.
    ///   - maximumWaitingCount: how many of them may wait; nil for any number.
    ///   - threads: the threads that open connections for tasks and callbacks.
    ///   - makeConnection: opens a connection.
    init(
        maximumCount: Int, maximumWaitingCount: Int?, threads: SharedThreads?,
        makeConnection: @escaping @Sendable (_ number: Int) throws -> SerializedConnection
    ) {
        self.maximumCount = max(maximumCount, 1)
        self.maximumWaitingCount = maximumWaitingCount.map { max($0, 0) }
        self.threads = threads
        self.makeConnection = makeConnection
    }

    // MARK: - Lending

    /// Takes an idle connection, unless the read must wait.
    ///
    /// - Throws: ``DatabaseUnavailableError`` if the read is refused.
    func takeNow(_ request: AccessRequest, _ kind: Kind) throws -> SerializedConnection? {
        try state.withLock { state in
            try check(request, kind, state)
            guard !state.isClosed, isFree(request, kind, state), nextIndex(kind, state) == nil else { return nil }
            return takeIdle(request, kind, &state)
        }
    }

    /// Throws if a read is refused.
    private func check(_ request: AccessRequest, _ kind: Kind, _ state: State) throws {
        guard kind == .ordinary else { return }
        try request.check(
            isRefusing: state.isRefusing, maximumWaitingCount, mustWait: !state.isClosed && !isFree(request, kind, state),
            waiting: state.lines[kind.rawValue])
    }

    /// Whether a read may begin now.
    private func isFree(_ request: AccessRequest, _ kind: Kind, _ state: State) -> Bool {
        isFree(kind, state) && (kind != .ordinary || isWithinShare(request, state))
    }

    /// Whether the fetches of observations leave a connection to a read.
    private func isWithinShare(_ request: AccessRequest, _ state: State) -> Bool {
        request.origin != .observation || state.observationCount < observationLimit
    }

    private func isFree(_ kind: Kind, _ state: State) -> Bool {
        switch kind {
        case .inWrite: true
        case .concurrent: state.concurrentCount < maximumCount + state.nestedWriterWaits
        case .nested: state.barriers.first?.isRunning != true
        case .ordinary: state.lentCount < maximumCount && !state.keepsReadsOut
        }
    }

    /// The place of the first waiting read of a kind that may begin.
    private func nextIndex(_ kind: Kind, _ state: State) -> Int? {
        // Reads inside a write still begin: that write began before the pool was closed, and runs to its end.
        if state.isClosed, kind == .ordinary || kind == .nested { return state.lines[kind.rawValue].indices.first }
        guard !state.lines[kind.rawValue].isEmpty, isFree(kind, state) else { return nil }
        return state.lines[kind.rawValue].firstIndex { isWithinShare($0.request, state) }
    }

    private func takeIdle(_ request: AccessRequest, _ kind: Kind, _ state: inout State) -> SerializedConnection? {
        guard let connection = state.idle.popLast() else { return nil }
        state.lend(1, request, kind)
        state.inUse[ObjectIdentifier(connection)] = connection
        return connection
    }

    /// Lets as many waiting reads begin as possible, and then raises a barrier if possible.
    private func serve() {
        while let (access, turn) = state.withLock({ next(&$0) }) { access.turnHasCome(turn) }
        state.withLock { nextBarrier(&$0) }?.isUp()
    }

    private func next(_ state: inout State) -> (Access, Access.Turn)? {
        for kind in Kind.allCases {
            guard let index = nextIndex(kind, state) else { continue }
            let access = state.lines[kind.rawValue].remove(at: index)
            if state.isClosed, kind == .ordinary || kind == .nested {
                let error: any Error = state.isRefusing ? DatabaseUnavailableError(reason: .shuttingDown) : DatabaseError.closed
                return (access, .failure(error))
            }
            if let connection = takeIdle(access.request, kind, &state) { return (access, .connection(connection)) }
            state.lend(1, access.request, kind)
            state.openedCount += 1
            let (number, request) = (state.openedCount, access.request)
            return (access, .opening(threads) { [self] in try connect(number, request, kind) })
        }
        return nil
    }

    /// Changes the state, calls those that wait until no connection is lent, and lets reads begin.
    private func change(_ body: (inout State) throws -> Void) rethrows {
        let (waiting, isAnyWaiting) = try state.withLock { state -> ([@Sendable () -> Void], Bool) in
            try body(&state)
            let isAnyWaiting = !state.barriers.isEmpty || state.lines.contains { !$0.isEmpty }
            let mustLook = state.lentCount == 0 || state.mustLookAgain
            state.mustLookAgain = false
            guard mustLook, !state.waitingForIdleness.isEmpty else { return ([], isAnyWaiting) }
            defer { state.waitingForIdleness = [] }
            return (state.waitingForIdleness, isAnyWaiting)
        }
        for body in waiting { body() }
        if isAnyWaiting { serve() }
    }

    // MARK: - Threads

    /// The connection of this thread's current read.
    var currentReader: SerializedConnection? {
        guard AccessWaits.isInsideAccess else { return nil }
        return state.withLock { Array($0.inUse.values) }.first { $0.database.isAccessedByCurrentThread }
    }

    /// The threads of the accesses to lent connections.
    var readingThreads: [UInt] { state.withLock { Array($0.inUse.values) }.map(\.database.accessingThread) }

    /// Whether a barrier has the writer.
    var isBarrierRunning: Bool { state.withLock { $0.barriers.first?.isRunning == true } }

    // MARK: - Barriers

    /// Lets a barrier wait until it is up.
    func raise(_ barrier: Barrier) {
        change { $0.barriers.append(RaisedBarrier(barrier: barrier, earlierReads: Set($0.inUse.keys))) }
    }

    private func nextBarrier(_ state: inout State) -> Barrier? {
        guard state.lentCount == 0, state.barriers.first?.isUp == false else { return nil }
        state.barriers[0].isUp = true
        return state.barriers[0].barrier
    }

    /// The result of a barrier's attempt to begin, when it has the writer.
    enum BarrierStart {
        /// No read is running.
        case begins
        /// Reads are running: the barrier will be notified.
        case waits
        /// An access that a read may depend on waits for the writer.
        case lends
        /// The barrier has ended.
        case isOver
    }

    /// Begins a barrier if no read is running.
    func begin(_ barrier: Barrier) -> BarrierStart {
        state.withLock { state in
            guard let first = state.barriers.first, first.barrier === barrier else { return .isOver }
            if state.lentCount == 0 {
                state.barriers[0].isRunning = true
                return .begins
            }
            if state.nestedWriterWaits > 0 { return .lends }
            state.waitingForIdleness.append { barrier.readersHaveChanged() }
            return .waits
        }
    }

    /// Ends a barrier, so that reads begin again. It may be called more than once.
    func end(_ barrier: Barrier) {
        change { state in
            state.barriers.removeAll { $0.barrier === barrier }
            state.mustLookAgain = true
        }
    }

    /// Calls back when no read is running, or when a barrier must look again: immediately or later.
    func whenIdle(_ body: @escaping @Sendable () -> Void) {
        change { $0.waitingForIdleness.append(body) }
    }

    /// Records that an access that a read may depend on is about to wait for the writer.
    func beginNestedWriterWait() {
        // The barrier looks again, and lends the writer.
        change { state in
            state.nestedWriterWaits += 1
            state.mustLookAgain = true
        }
    }

    func endNestedWriterWait() { state.withLock { $0.nestedWriterWaits -= 1 } }

    // MARK: - Closing

    /// Refuses ordinary reads from now on.
    func refuse() { state.withLock { $0.isRefusing = true } }

    /// Waits until no read is running, and none waits. Ordinary reads must be refused.
    func waitUntilIdle() {
        repeat {
            let isIdle = DispatchSemaphore(value: 0)
            whenIdle { isIdle.signal() }
            isIdle.wait()
        } while state.withLock({ state in state.lentCount > 0 || state.lines.contains { !$0.isEmpty } })
    }

    /// Stops lending connections, except inside a write that is already running; or starts again.
    func setClosed(_ isClosed: Bool) {
        change { $0.isClosed = isClosed }
    }

    /// Runs a closure with each idle connection: while a barrier runs, those are all connections.
    func forEachIdle(_ body: (Database) throws -> Void) throws {
        for connection in state.withLock({ $0.idle }) { try connection.onItsQueue { try connection.run(nil, body) } }
    }

    /// Closes the idle connections.
    func closeIdleConnections() throws {
        try forEachIdle { db in
            db.permitAccesses()
            try db.close()
            state.withLock { $0.idle.removeAll { $0.database === db } }
        }
    }

    /// Closes the idle connections now, and the others when they are returned.
    func invalidate() {
        _ = state.withLock { state in
            defer { state.idle = [] }
            state.invalid = Set(state.inUse.keys)
            return state.idle
        }
    }

    // MARK: - All connections

    /// Calls a closure with each connection, idle or in use. The closure uses only what is thread-safe.
    func forEach(_ body: (SerializedConnection) -> Void) {
        state.withLock { $0.idle + $0.inUse.values }.forEach(body)
    }

    /// Adds the reading connections to a status.
    func addStatus(to status: inout DatabaseStatus) {
        let connections = state.withLock { state in
            let ages = state.inUse.values.compactMap(\.database.accessAge)
            status.readers = DatabaseStatus.Readers(
                maximumCount: maximumCount, usedCount: state.lentCount, idleCount: state.idle.count,
                waitingCount: state.lines.reduce(0) { $0 + $1.count }, oldestAccessAge: ages.max())
            status.barrier = state.barriers.first.map { $0.isUp ? .up : state.keepsReadsOut ? .keepingReadsOut : .waiting } ?? .none
            return state.idle + state.inUse.values
        }
        for connection in connections { status.figures.add(connection.database.published.takeFigures()) }
    }

    /// Frees the memory of the idle connections, or closes them.
    func releaseIdleConnections(keepingThem: Bool) {
        var connections: [SerializedConnection] = []
        state.withLock { state in
            while let connection = takeIdle(.ofReader, .inWrite, &state) { connections.append(connection) }
            if !keepingThem { state.invalid.formUnion(connections.map { ObjectIdentifier($0) }) }
        }
        for connection in connections {
            if keepingThem { connection.onItsQueue { try? connection.run { $0.releaseMemory() } } }
            release(connection, .ofReader, .inWrite)
        }
    }

    /// Changes the recordings that all connections take part in, inside a barrier.
    func changeRecordings(_ change: (inout [SQLRecording]) -> Void, _ connection: (Database) -> Void) throws {
        state.withLock { change(&$0.recordings) }
        try forEachIdle(connection)
    }
}

extension ReaderPool: AccessEntrance {
    func enter(_ access: Access) throws {
        try change { state in
            try check(access.request, access.readerKind, state)
            state.lines[access.readerKind.rawValue].append(access)
        }
    }

    func leave(_ access: Access) {
        state.withLock { $0.lines[access.readerKind.rawValue].removeAll { $0 === access } }
    }

    private func connect(_ number: Int, _ request: AccessRequest, _ kind: Kind) throws -> SerializedConnection {
        do {
            let connection = try makeConnection(number)
            let recordings = state.withLock { state in
                state.inUse[ObjectIdentifier(connection)] = connection
                return state.recordings
            }
            for recording in recordings { try connection.onItsQueue { try connection.run { $0.beginRecording(recording) } } }
            return connection
        } catch {
            release(nil, request, kind)
            throw error
        }
    }

    /// Returns a connection to the pool; nil for one that could not be opened.
    func release(_ connection: SerializedConnection?, _ request: AccessRequest, _ kind: Kind) {
        change { state in
            if let connection {
                let id = ObjectIdentifier(connection)
                state.inUse[id] = nil
                for index in state.barriers.indices { state.barriers[index].earlierReads.remove(id) }
                // One connection beyond the maximum stays open, for the next read inside a write.
                let isInvalid = !state.invalid.isEmpty && state.invalid.remove(id) != nil
                if !isInvalid, state.idle.count <= maximumCount { state.idle.append(connection) }
            }
            state.lend(-1, request, kind)
        }
    }
}
