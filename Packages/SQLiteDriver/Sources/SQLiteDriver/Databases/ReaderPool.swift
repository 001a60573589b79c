import Dispatch

/// The reading connections of a pool. They are opened on demand, up to a maximum, and each connection is lent to one access at a time.
///
/// An access that finds no free connection waits in a line. A waiting task does not block a thread; only callers of blocking accesses block
/// theirs. Tasks therefore can't keep each other from readers.
///
/// A caller inside an access may keep others waiting, so it must not wait for them. Reads that begin there may get a connection beyond the
/// maximum, and don't wait for a barrier that has not begun to run: see ``Kind``.
///
/// `@unchecked Sendable`: the lock guards the state.
final class ReaderPool: @unchecked Sendable {
    /// The place where a read begins, which decides what it waits for.
    enum Kind: Int {
        /// Outside accesses.
        case ordinary
        /// Inside an access to another connection, or in a loop over rows that the pool produces: the read waits only for running
        /// barriers.
        case nested
        /// Inside an access to the writer: the read does not wait, because all writes, including barriers, wait for its access.
        case inWrite
        /// Like ``inWrite``, but the writer continues as soon as the read has begun. At most the maximum number of such reads run at
        /// the same time, not counting those that wait for the writer.
        case concurrent
    }

    private typealias Waiter = @Sendable (Turn) -> Void

    private let lock = Lock()
    private let maximumCount: Int
    /// How many ordinary reads may wait; nil for any number.
    private let maximumWaitingCount: Int?
    private let open: @Sendable (_ number: Int) throws -> SerializedConnection

    private var idle: [SerializedConnection] = []
    private var inUse: [ObjectIdentifier: SerializedConnection] = [:]
    /// The connections in use that will be closed, and not lent again.
    private var invalid: Set<ObjectIdentifier> = []
    /// The number of connections that are lent, or being opened.
    private var lentCount = 0
    /// The number of connections that are lent to concurrent reads.
    private var concurrentCount = 0
    private var openedCount = 0
    /// The waiting reads, by kind.
    private var lines: [[Waiter]] = [[], [], [], []]
    /// Callbacks that run when no connection is lent.
    private var waitingForIdleness: [@Sendable () -> Void] = []
    /// The number of accesses that wait for the writer, or have it, and that a read may depend on.
    private var nestedWriterWaits = 0

    private var barriers: [WaitingBarrier] = []
    /// The barrier that is up.
    private var barrier: Barrier?
    /// Whether the barrier that is up has the writer, while no read is running.
    private var isBarrierRunning = false
    private var isClosed = false
    /// Whether ordinary reads are refused, because the database is shutting down.
    private var isRefusing = false
    /// The recordings of SQL, which connections join when they are opened.
    private var recordings: [SQLRecording] = []

    /// A barrier that waits until no connection is lent.
    private struct WaitingBarrier {
        let barrier: Barrier
        /// The connections in use that were lent before the barrier began to wait.
        var earlierReads: Set<ObjectIdentifier>
        let body: @Sendable () -> Void
    }

    /// The result of a read's wait for its turn.
    enum Turn {
        case connection(SerializedConnection)
        /// The permission to open a connection.
        case opening(number: Int)
        case closed
    }

    init(
        maximumCount: Int, maximumWaitingCount: Int?, open: @escaping @Sendable (_ number: Int) throws -> SerializedConnection
    ) {
        self.maximumCount = max(maximumCount, 1)
        self.maximumWaitingCount = maximumWaitingCount.map { max($0, 0) }
        self.open = open
    }

    // MARK: - Lending

    /// Calls back with a connection, immediately or when one becomes free.
    ///
    /// - Parameter body: must return the connection to the pool.
    private func lend(_ kind: Kind, _ body: @escaping @Sendable (Result<SerializedConnection, any Error>) -> Void) {
        let waiter: Waiter = { [self] turn in
            switch turn {
            case .closed:
                body(.failure(closedError))
            case .connection(let connection):
                body(.success(connection))
            case .opening(let number):
                // Opening may wait for a lock, and the program's preparations may take any time. It therefore happens on a separate thread:
                // the current thread may belong to the cooperative pool.
                DispatchQueue(label: "Strata.opening").async { [self] in
                    body(Result { try openConnection(number, kind) })
                }
            }
        }
        do {
            try enqueue(kind, waiter)
        } catch {
            body(.failure(error))
        }
    }

    /// The error of a read that does not begin, because the pool is closed or shuts down.
    private var closedError: any Error {
        lock.withLock { isRefusing } ? DatabaseUnavailableError(reason: .shuttingDown) : DatabaseError.closed
    }

    private func openConnection(_ number: Int, _ kind: Kind) throws -> SerializedConnection {
        do {
            let connection = try open(number)
            let recordings = lock.withLock {
                inUse[ObjectIdentifier(connection)] = connection
                return self.recordings
            }
            for recording in recordings { try? connection.sync { $0.beginRecording(recording) } }
            return connection
        } catch {
            release(nil, kind)
            throw error
        }
    }

    /// - Throws: ``DatabaseUnavailableError`` if the read is refused.
    private func enqueue(_ kind: Kind, _ waiter: @escaping Waiter) throws {
        try lock.withLock {
            if kind == .ordinary {
                if isRefusing { throw DatabaseUnavailableError(reason: .shuttingDown) }
                if let limit = maximumWaitingCount, lines[kind.rawValue].count >= limit, !isFree(kind), !isClosed {
                    throw DatabaseUnavailableError(reason: .tooManyWaiting(limit: limit))
                }
            }
            lines[kind.rawValue].append(waiter)
        }
        serve()
    }

    /// Lets as many waiting reads begin as possible, and then raises a barrier if possible.
    private func serve() {
        while let (body, turn) = lock.withLock({ next() }) {
            body(turn)
        }
        if let barrier = lock.withLock({ nextBarrier() }) {
            barrier()
        }
    }

    private func next() -> (Waiter, Turn)? {
        guard let kind = nextKind() else { return nil }
        let waiter = lines[kind.rawValue].removeFirst()
        // Reads inside a write still begin: that write began before the pool was closed, and runs to its end.
        if isClosed, kind == .ordinary || kind == .nested { return (waiter, .closed) }
        if let connection = takeIdle(kind) { return (waiter, .connection(connection)) }
        lentCount += 1
        if kind == .concurrent { concurrentCount += 1 }
        openedCount += 1
        return (waiter, .opening(number: openedCount))
    }

    private func takeIdle(_ kind: Kind) -> SerializedConnection? {
        guard let connection = idle.popLast() else { return nil }
        lentCount += 1
        if kind == .concurrent { concurrentCount += 1 }
        inUse[ObjectIdentifier(connection)] = connection
        return connection
    }

    /// Takes an idle connection for a read, unless other reads are waiting before it.
    private func takeAtOnce(_ kind: Kind) -> SerializedConnection? {
        lock.withLock {
            lines[kind.rawValue].isEmpty && !isClosed && !isRefusing && isFree(kind) ? takeIdle(kind) : nil
        }
    }

    /// The kinds of reads. Reads that others wait for come first.
    private static let kinds: [Kind] = [.inWrite, .concurrent, .nested, .ordinary]

    /// The kind of the read whose turn is next.
    private func nextKind() -> Kind? {
        Self.kinds.first { kind in
            !lines[kind.rawValue].isEmpty && (isFree(kind) || (isClosed && (kind == .nested || kind == .ordinary)))
        }
    }

    /// Whether a read may begin now.
    private func isFree(_ kind: Kind) -> Bool {
        switch kind {
        case .inWrite: true
        case .concurrent: concurrentCount < maximumCount + nestedWriterWaits
        case .nested: !isBarrierRunning
        case .ordinary: lentCount < maximumCount && barrier == nil && !waitingBarrierKeepsReadsOut
        }
    }

    /// Whether a waiting barrier keeps ordinary reads from beginning. It does not while it waits for the reads that began before it: other
    /// reads cost it nothing. Then it waits for the reads that began meanwhile, and lets no others begin, so that it does not wait forever.
    private var waitingBarrierKeepsReadsOut: Bool { barriers.first?.earlierReads.isEmpty ?? false }

    /// Returns a connection to the pool; nil for one that could not be opened.
    private func release(_ connection: SerializedConnection?, _ kind: Kind) {
        let waiting: [@Sendable () -> Void] = lock.withLock {
            lentCount -= 1
            if kind == .concurrent { concurrentCount -= 1 }
            if let connection {
                inUse[ObjectIdentifier(connection)] = nil
                for index in barriers.indices { barriers[index].earlierReads.remove(ObjectIdentifier(connection)) }
                let isInvalid = invalid.remove(ObjectIdentifier(connection)) != nil
                // One connection beyond the maximum stays open, for the next read inside a write.
                if !isInvalid, idle.count <= maximumCount { idle.append(connection) }
            }
            defer { if lentCount == 0 { waitingForIdleness = [] } }
            return lentCount == 0 ? waitingForIdleness : []
        }
        waiting.forEach { $0() }
        serve()
    }

    // MARK: - Accesses

    /// The connection of this thread's current read.
    var currentReader: SerializedConnection? {
        guard AccessWaits.isInsideAccess else { return nil }
        return lock.withLock { Array(inUse.values) }.first { $0.isAccessedByCurrentThread }
    }

    /// The threads of the accesses to lent connections.
    var readingThreads: [UInt] { lock.withLock { Array(inUse.values) }.map(\.accessingThread) }

    /// Runs an access to a connection, and waits until it ends.
    ///
    /// - Parameters:
    ///   - request: the program's request.
    ///   - writer: the connection that writes.
    /// - Throws: the closure's error, the error of opening a connection, `SQLITE_MISUSE` inside another read, ``DatabaseTimeoutError``, or
    ///   ``DatabaseUnavailableError``.
    func sync<T>(for request: AccessRequest, besides writer: SerializedConnection, _ body: (Database) throws -> T) throws -> T {
        try request.reporting { try sync(besides: writer, limitedTo: request.timeout) { try request.measuring($0, body) } }
    }

    private func sync<T>(besides writer: SerializedConnection, limitedTo timeout: Duration?, _ body: (Database) throws -> T) throws -> T {
        let kind: Kind
        if AccessWaits.isInsideAccess {
            if currentReader != nil { throw DatabaseError.reentrantAccess }
            kind = writer.isAccessedByCurrentThread ? .inWrite : .nested
        } else {
            kind = IterationRegistry.shared.isIterating(self) ? .nested : .ordinary
        }
        if let deadline = AccessDeadline.forAccess(limitedTo: timeout) {
            return try TaskAccess.perform(until: deadline, waitingFor: resources(kind, writer), body) { begin($0, kind) }
        }
        let connection = try takeAtOnce(kind) ?? wait(kind, writer)
        defer { release(connection, kind) }
        return try connection.sync(body)
    }

    /// The resources that a read waits for inside an access, to another database: the writer, if a barrier has it.
    private func resources(_ kind: Kind, _ writer: SerializedConnection) -> [AccessWaits.Resource] {
        kind == .nested && AccessWaits.isInsideAccess && lock.withLock { isBarrierRunning } ? [writer.resource] : []
    }

    private func wait(_ kind: Kind, _ writer: SerializedConnection) throws -> SerializedConnection {
        switch try waitForTurn(kind, writer) {
        case .closed: throw closedError
        case .connection(let connection): return connection
        // The connection opens on this thread, which waits anyway. Another thread could still refer to the pool after the program released
        // it, which would delay the removal of the write-ahead log.
        case .opening(let number): return try openConnection(number, kind)
        }
    }

    private func waitForTurn(_ kind: Kind, _ writer: SerializedConnection) throws -> Turn {
        let slot = ReaderSlot()
        try enqueue(kind) { [self] turn in
            if !slot.fill(turn) { pass(turn, kind) }
        }
        do {
            return try AccessWaits.shared.waiting(for: resources(kind, writer)) { slot.wait() }
        } catch {
            if let turn = slot.leave() { pass(turn, kind) }
            throw error
        }
    }

    /// Passes the turn of a read that has left the line to the next one.
    private func pass(_ turn: Turn, _ kind: Kind) {
        switch turn {
        case .closed: break
        case .connection(let connection): release(connection, kind)
        case .opening: release(nil, kind)
        }
    }

    /// Runs an access as a part of the current task, which waits without blocking a thread.
    func perform<T: Sendable>(for request: AccessRequest, _ body: @Sendable (Database) throws -> T) async throws -> T {
        // In a loop over rows that the pool produces, the loop occupies a connection: the read must not wait for that connection.
        let kind: Kind = IterationRegistry.shared.isIterating(self) ? .nested : .ordinary
        IterationRegistry.shared.join(self)
        return try await request.reporting {
            try await TaskAccess.perform(limitedTo: request.timeout) {
                try request.measuring($0, body)
            } whenItsTurnHasCome: { [self] access in
                begin(access, kind)
            }
        }
    }

    /// Begins an access when a connection is free.
    private func begin(_ access: TaskAccess, _ kind: Kind) {
        lend(kind) { [self] result in
            switch result {
            case .failure(let error):
                access.fail(error)
            case .success(let connection):
                guard access.isWaiting else { return release(connection, kind) }
                connection.begin(access) { [self] in release(connection, kind) }
            }
        }
    }

    /// Schedules an access, and returns immediately.
    ///
    /// - Parameters:
    ///   - request: the program's request.
    ///   - isConcurrent: whether a write waits for the access to begin.
    ///   - onFailure: called if the access does not begin.
    func async(
        for request: AccessRequest, isConcurrent: Bool = false, onFailure: @escaping @Sendable (any Error) -> Void,
        _ body: @escaping @Sendable (Database) -> Void
    ) {
        let kind: Kind = isConcurrent ? .concurrent : .ordinary
        guard let access = CallbackAccess(request, in: nil, onFailure: onFailure, body), let fail = access.fail else { return }
        if let deadline = access.deadline {
            return TaskAccess.schedule(until: deadline, onFailure: fail, access.run) { begin($0, kind) }
        }
        lend(kind) { [self] result in
            switch result {
            case .failure(let error):
                fail(error)
            case .success(let connection):
                connection.async { [self] db in
                    access.run(db)
                    release(connection, kind)
                }
            }
        }
    }

    // MARK: - Barriers

    /// An access to the writer while no read is running.
    ///
    /// A waiting barrier keeps ordinary reads from beginning as soon as the reads that began before it have ended. It goes up when no
    /// connection is lent, and then waits for the writer. Meanwhile, reads may begin inside the writer's accesses: the barrier waits
    /// for their end, too, and lends the writer to accesses that those reads may depend on.
    final class Barrier: Sendable {}

    /// Waits for a barrier to go up, and then calls back.
    func raise(_ barrier: Barrier, _ body: @escaping @Sendable () -> Void) {
        lock.withLock { barriers.append(WaitingBarrier(barrier: barrier, earlierReads: Set(inUse.keys), body: body)) }
        serve()
    }

    private func nextBarrier() -> (@Sendable () -> Void)? {
        guard barrier == nil, lentCount == 0, !barriers.isEmpty else { return nil }
        let next = barriers.removeFirst()
        barrier = next.barrier
        return next.body
    }

    /// Ends a barrier, so that reads begin again. It may be called more than once.
    func end(_ ended: Barrier) {
        lock.withLock {
            barriers.removeAll { $0.barrier === ended }
            if barrier === ended {
                barrier = nil
                isBarrierRunning = false
            }
        }
        serve()
    }

    /// Waits on the thread of the writer until no read is running.
    ///
    /// - Returns: false when an access that a read may depend on waits for the writer, or when the barrier has ended.
    func canRun(_ waiting: Barrier) -> Bool {
        while true {
            let isOver = DispatchSemaphore(value: 0)
            let canRun: Bool? = lock.withLock {
                guard barrier === waiting else { return false }
                if lentCount == 0 {
                    isBarrierRunning = true
                    return true
                }
                if nestedWriterWaits > 0 { return false }
                waitingForIdleness.append { isOver.signal() }
                return nil
            }
            if let canRun { return canRun }
            isOver.wait()
        }
    }

    /// Whether a barrier has gone up and has not ended.
    func isUp(_ waiting: Barrier) -> Bool {
        lock.withLock { barrier === waiting }
    }

    /// Adds the reading connections to a status.
    func addStatus(to status: inout DatabaseStatus) {
        let (readers, barrierState, connections) = lock.withLock {
            let readers = DatabaseStatus.Readers(
                maximumCount: maximumCount, usedCount: lentCount, idleCount: idle.count, waitingCount: lines.reduce(0) { $0 + $1.count },
                oldestAccessAge: inUse.values.compactMap(\.accessAge).max())
            let state: DatabaseStatus.Barrier =
                barrier != nil ? .up : barriers.isEmpty ? .none : waitingBarrierKeepsReadsOut ? .keepingReadsOut : .waiting
            return (readers, state, idle + inUse.values)
        }
        status.readers = readers
        status.barrier = barrierState
        for connection in connections { status.figures.add(connection.published.takeFigures()) }
    }

    /// Calls back when no read is running, immediately or later.
    func whenIdle(_ body: @escaping @Sendable () -> Void) {
        let isIdle = lock.withLock {
            if lentCount == 0 { return true }
            waitingForIdleness.append(body)
            return false
        }
        if isIdle { body() }
    }

    /// Records that an access that a read may depend on is about to wait for the writer.
    func beginNestedWriterWait() {
        let waiting: [@Sendable () -> Void] = lock.withLock {
            nestedWriterWaits += 1
            defer { waitingForIdleness = [] }
            return waitingForIdleness
        }
        // The barrier checks again, and lends the writer.
        waiting.forEach { $0() }
        serve()
    }

    func endNestedWriterWait() {
        lock.withLock { nestedWriterWaits -= 1 }
    }

    // MARK: - Connections

    /// Calls a closure with each connection, idle or in use.
    func forEach(_ body: (SerializedConnection) -> Void) {
        lock.withLock { idle + inUse.values }.forEach(body)
    }

    /// Adds a recording of SQL for connections that are opened from now on, and returns those that exist.
    func add(_ recording: SQLRecording) -> [SerializedConnection] {
        lock.withLock {
            recordings.append(recording)
            return idle + inUse.values
        }
    }

    /// Removes a recording, and returns the connections that may have joined it.
    func remove(_ recording: SQLRecording) -> [SerializedConnection] {
        lock.withLock {
            recordings.removeAll { $0 === recording }
            return idle + inUse.values
        }
    }

    /// Frees the memory of the idle connections, or closes them.
    func releaseIdleConnections(keepingThem: Bool) {
        let connections = lock.withLock {
            defer { if !keepingThem { idle = [] } }
            return idle
        }
        for connection in connections where keepingThem {
            connection.async { $0.releaseMemory() }
        }
    }

    /// Closes the idle connections now, and the others when they are returned.
    func invalidate() {
        _ = lock.withLock {
            defer { idle = [] }
            invalid = Set(inUse.keys)
            return idle
        }
    }

    /// Refuses ordinary reads from now on, or no longer.
    func setRefusing(_ isRefusing: Bool) {
        lock.withLock { self.isRefusing = isRefusing }
    }

    /// Waits until no read is running, and none waits. Ordinary reads must be refused.
    func waitUntilIdle() {
        repeat {
            let isIdle = DispatchSemaphore(value: 0)
            whenIdle { isIdle.signal() }
            isIdle.wait()
        } while lock.withLock({ lentCount > 0 || lines.contains { !$0.isEmpty } })
    }

    /// Stops lending connections, except inside a write that is already running; or starts again.
    func setClosed(_ isClosed: Bool) {
        lock.withLock { self.isClosed = isClosed }
        serve()
    }

    /// Closes the idle connections: while a barrier runs, those are all connections.
    func closeIdleConnections() throws {
        while let connection = lock.withLock({ idle.last }) {
            try connection.sync { db in
                db.permitAccesses()
                try db.close()
            }
            lock.withLock { idle.removeAll { $0 === connection } }
        }
    }
}
