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

    /// The connections that are lent, or being opened.
    private struct Lent {
        var count = 0
        var concurrentCount = 0
        var observationCount = 0

        mutating func add(_ change: Int, _ request: AccessRequest, _ kind: Kind) {
            count += change
            if kind == .concurrent { concurrentCount += change }
            if request.origin == .observation { observationCount += change }
        }
    }

    private struct State {
        var idle: [SerializedConnection] = []
        var inUse: [ObjectIdentifier: SerializedConnection] = [:]
        /// The connections in use that will be closed, and not lent again.
        var invalid: Set<ObjectIdentifier> = []
        var lent = Lent()
        var openedCount = 0
        /// The waiting reads, by kind.
        var lines: [[Access]] = Kind.allCases.map { _ in [] }
        /// What the pool itself does with connections in use when their reads have ended.
        var errands: [ObjectIdentifier: [@Sendable (Database) -> Void]] = [:]
        /// Called when no connection is lent, or when a barrier must look again.
        var waitingForIdleness: [@Sendable () -> Void] = []

        var waitingBarriers: [WaitingBarrier] = []
        /// The barrier that is up.
        var barrier: Barrier?
        /// Whether the barrier that is up has the writer, while no read is running.
        var isBarrierRunning = false
        /// The number of accesses that wait for the writer, or have it, and that a read may depend on.
        var nestedWriterWaits = 0

        var isClosed = false
        /// Whether the database is shutting down.
        var isRefusing = false
        /// The recordings of SQL, which connections join when they are opened.
        var recordings: [SQLRecording] = []

        /// Whether a waiting barrier keeps ordinary reads from beginning. It does not while it waits for the reads that began before it: other
        /// reads cost it nothing. Then it waits for the reads that began meanwhile, and lets no others begin, so that it does not wait forever.
        var waitingBarrierKeepsReadsOut: Bool { waitingBarriers.first?.earlierReads.isEmpty ?? false }

        /// Takes a connection back from its access.
        mutating func takeBack(_ connection: SerializedConnection, keepingIdle maximumCount: Int) {
            inUse[ObjectIdentifier(connection)] = nil
            for index in waitingBarriers.indices { waitingBarriers[index].earlierReads.remove(ObjectIdentifier(connection)) }
            let isInvalid = invalid.remove(ObjectIdentifier(connection)) != nil
            // One connection beyond the maximum stays open, for the next read inside a write.
            if !isInvalid, idle.count <= maximumCount { idle.append(connection) }
        }

        mutating func takeWaitingForIdleness() -> [@Sendable () -> Void] {
            defer { waitingForIdleness = [] }
            return waitingForIdleness
        }
    }

    /// A barrier that waits until no connection is lent.
    private struct WaitingBarrier {
        let barrier: Barrier
        /// The connections in use that were lent before the barrier began to wait.
        var earlierReads: Set<ObjectIdentifier>
    }

    private let state = Guarded(State())
    private let maximumCount: Int
    private let maximumWaitingCount: Int?
    private let makeConnection: @Sendable (_ number: Int, AccessRequest) throws -> SerializedConnection

    /// How many connections the fetches of observations may use at the same time, so that many observations leave readers to requests.
    private var observationLimit: Int { max(1, maximumCount / 2) }

    /// - Parameters:
    ///   - maximumCount: how many ordinary reads may run at the same time.
    ///   - maximumWaitingCount: how many of them may wait; nil for any number.
    ///   - makeConnection: opens a connection for an access.
    init(
        maximumCount: Int, maximumWaitingCount: Int?,
        makeConnection: @escaping @Sendable (_ number: Int, AccessRequest) throws -> SerializedConnection
    ) {
        self.maximumCount = max(maximumCount, 1)
        self.maximumWaitingCount = maximumWaitingCount.map { max($0, 0) }
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
        if state.isRefusing, request.isRefusable { throw DatabaseUnavailableError(reason: .shuttingDown) }
        guard let limit = maximumWaitingCount, request.isLimited, !state.isClosed, !isFree(request, kind, state),
            state.lines[kind.rawValue].count(where: { $0.request.isLimited }) >= limit
        else { return }
        throw DatabaseUnavailableError(reason: .tooManyWaiting(limit: limit))
    }

    /// Whether a read may begin now.
    private func isFree(_ request: AccessRequest, _ kind: Kind, _ state: State) -> Bool {
        isFree(kind, state) && (kind != .ordinary || isWithinShare(request, state))
    }

    /// Whether the fetches of observations leave a connection to a read.
    private func isWithinShare(_ request: AccessRequest, _ state: State) -> Bool {
        request.origin != .observation || state.lent.observationCount < observationLimit
    }

    private func isFree(_ kind: Kind, _ state: State) -> Bool {
        switch kind {
        case .inWrite: true
        case .concurrent: state.lent.concurrentCount < maximumCount + state.nestedWriterWaits
        case .nested: !state.isBarrierRunning
        case .ordinary:
            state.lent.count < maximumCount && state.barrier == nil && !state.waitingBarrierKeepsReadsOut
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
        state.lent.add(1, request, kind)
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
            state.lent.add(1, access.request, kind)
            state.openedCount += 1
            return (access, .opening(number: state.openedCount))
        }
        return nil
    }

    /// Returns a connection to the pool; nil for one that could not be opened.
    func release(_ connection: SerializedConnection?, _ request: AccessRequest, _ kind: Kind) {
        while true {
            let (waiting, errands) = state.withLock { state -> ([@Sendable () -> Void], [@Sendable (Database) -> Void]?) in
                if let connection {
                    let errands = state.errands.isEmpty ? nil : state.errands.removeValue(forKey: ObjectIdentifier(connection))
                    if let errands { return ([], errands) }
                    state.takeBack(connection, keepingIdle: maximumCount)
                }
                state.lent.add(-1, request, kind)
                return (state.lent.count == 0 ? state.takeWaitingForIdleness() : [], nil)
            }
            guard let errands, let connection else {
                waiting.forEach { $0() }
                return serve()
            }
            // They throw nothing.
            try? connection.run { db in errands.forEach { $0(db) } }
        }
    }

    // MARK: - Threads

    /// The connection of this thread's current read.
    var currentReader: SerializedConnection? {
        guard AccessWaits.isInsideAccess else { return nil }
        return state.withLock { Array($0.inUse.values) }.first { $0.isAccessedByCurrentThread }
    }

    /// The threads of the accesses to lent connections.
    var readingThreads: [UInt] { state.withLock { Array($0.inUse.values) }.map(\.database.accessingThread) }

    /// Whether a barrier has the writer.
    var isBarrierRunning: Bool { state.withLock { $0.isBarrierRunning } }

    // MARK: - Barriers

    /// Lets a barrier wait until it is up.
    func raise(_ barrier: Barrier) {
        state.withLock { $0.waitingBarriers.append(WaitingBarrier(barrier: barrier, earlierReads: Set($0.inUse.keys))) }
        serve()
    }

    private func nextBarrier(_ state: inout State) -> Barrier? {
        guard state.barrier == nil, state.lent.count == 0, !state.waitingBarriers.isEmpty else { return nil }
        let next = state.waitingBarriers.removeFirst()
        state.barrier = next.barrier
        return next.barrier
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
            guard state.barrier === barrier else { return .isOver }
            if state.lent.count == 0 {
                state.isBarrierRunning = true
                return .begins
            }
            if state.nestedWriterWaits > 0 { return .lends }
            state.waitingForIdleness.append { barrier.readersHaveChanged() }
            return .waits
        }
    }

    /// Ends a barrier, so that reads begin again. It may be called more than once.
    func end(_ barrier: Barrier) {
        let waiting: [@Sendable () -> Void] = state.withLock { state in
            state.waitingBarriers.removeAll { $0.barrier === barrier }
            guard state.barrier === barrier else { return [] }
            state.barrier = nil
            state.isBarrierRunning = false
            return state.takeWaitingForIdleness()
        }
        waiting.forEach { $0() }
        serve()
    }

    /// Calls back when no read is running, or when a barrier must look again: immediately or later.
    func whenIdle(_ body: @escaping @Sendable () -> Void) {
        let isIdle = state.withLock { state in
            if state.lent.count == 0 { return true }
            state.waitingForIdleness.append(body)
            return false
        }
        if isIdle { body() }
    }

    /// Records that an access that a read may depend on is about to wait for the writer.
    func beginNestedWriterWait() {
        let waiting = state.withLock { state in
            state.nestedWriterWaits += 1
            return state.takeWaitingForIdleness()
        }
        // The barrier looks again, and lends the writer.
        waiting.forEach { $0() }
        serve()
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
        } while state.withLock({ state in state.lent.count > 0 || state.lines.contains { !$0.isEmpty } })
    }

    /// Stops lending connections, except inside a write that is already running; or starts again.
    func setClosed(_ isClosed: Bool) {
        state.withLock { $0.isClosed = isClosed }
        serve()
    }

    /// Closes the idle connections: while a barrier runs, those are all connections.
    func closeIdleConnections() throws {
        while let connection = state.withLock({ $0.idle.last }) {
            try connection.onItsQueue {
                try connection.run { db in
                    db.permitAccesses()
                    try db.close()
                }
            }
            state.withLock { $0.idle.removeAll { $0 === connection } }
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
            status.readers = DatabaseStatus.Readers(
                maximumCount: maximumCount, usedCount: state.lent.count, idleCount: state.idle.count,
                waitingCount: state.lines.reduce(0) { $0 + $1.count }, oldestAccessAge: state.inUse.values.compactMap(\.accessAge).max())
            status.barrier =
                state.barrier != nil
                ? .up : state.waitingBarriers.isEmpty ? .none : state.waitingBarrierKeepsReadsOut ? .keepingReadsOut : .waiting
            return state.idle + state.inUse.values
        }
        for connection in connections { status.figures.add(connection.published.takeFigures()) }
    }

    /// Frees the memory of the idle connections, or closes them.
    func releaseIdleConnections(keepingThem: Bool) {
        let connections = state.withLock { state in
            defer { if !keepingThem { state.idle = [] } }
            return state.idle
        }
        if keepingThem { run(on: connections) { $0.releaseMemory() } }
    }

    /// Adds a recording of SQL to all connections, and to those that are opened from now on.
    ///
    /// - Parameter completion: called when all connections have begun.
    func begin(_ recording: SQLRecording, completion: @escaping @Sendable () -> Void) {
        let connections = state.withLock { state in
            state.recordings.append(recording)
            return state.idle + state.inUse.values
        }
        run(on: connections, completion: completion) { $0.beginRecording(recording) }
    }

    /// Removes a recording from all connections.
    ///
    /// - Parameter completion: called when it has ended on all connections.
    func end(_ recording: SQLRecording, completion: @escaping @Sendable () -> Void = {}) {
        let connections = state.withLock { state in
            state.recordings.removeAll { $0 === recording }
            return state.idle + state.inUse.values
        }
        run(on: connections, completion: completion) { $0.endRecording(recording) }
    }

    /// Does something of the pool's own with connections: now, or when the reads that use them have ended. Connections that are closed
    /// meanwhile, and one whose read this thread runs, are left out.
    private func run(
        on connections: [SerializedConnection], completion: @escaping @Sendable () -> Void = {},
        _ errand: @escaping @Sendable (Database) -> Void
    ) {
        let remaining = Guarded(connections.count + 1)
        @Sendable func didRun() {
            let isLast = remaining.withLock { remaining in
                remaining -= 1
                return remaining == 0
            }
            if isLast { completion() }
        }
        for connection in connections {
            let isIdle: Bool? = state.withLock { state in
                if let index = state.idle.firstIndex(where: { $0 === connection }) {
                    state.idle.remove(at: index)
                    state.inUse[ObjectIdentifier(connection)] = connection
                    state.lent.add(1, .ofReader, .inWrite)
                    return true
                }
                guard state.inUse[ObjectIdentifier(connection)] != nil, !connection.isAccessedByCurrentThread else { return nil }
                state.errands[ObjectIdentifier(connection), default: []].append { db in
                    errand(db)
                    didRun()
                }
                return false
            }
            if isIdle == true {
                connection.onItsQueue { try? connection.run(nil, errand) }
                release(connection, .ofReader, .inWrite)
            }
            if isIdle != false { didRun() }
        }
        didRun()
    }
}

extension ReaderPool: AccessEntrance {
    func enter(_ access: Access) throws {
        try state.withLock { state in
            try check(access.request, access.readerKind, state)
            state.lines[access.readerKind.rawValue].append(access)
        }
        serve()
    }

    func leave(_ access: Access) {
        state.withLock { $0.lines[access.readerKind.rawValue].removeAll { $0 === access } }
    }

    func open(_ number: Int, for access: Access) throws -> SerializedConnection {
        do {
            let connection = try makeConnection(number, access.request)
            let recordings = state.withLock { state in
                state.inUse[ObjectIdentifier(connection)] = connection
                return state.recordings
            }
            for recording in recordings { try connection.onItsQueue { try connection.run { $0.beginRecording(recording) } } }
            return connection
        } catch {
            release(nil, of: access)
            throw error
        }
    }

    func release(_ connection: SerializedConnection?, of access: Access) { release(connection, access.request, access.readerKind) }
}
