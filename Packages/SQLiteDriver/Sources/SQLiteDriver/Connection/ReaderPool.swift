import Dispatch

/// The reading connections of a pool: opened when they are needed, up to a maximum, and lent to one access at a time.
///
/// Whoever finds none free waits in a line, a thread in its own way and a task in its own: an access is handed a connection, and
/// nothing blocks for it but the threads whose callers asked for that. So tasks can't keep each other from readers.
///
/// Who is inside an access keeps others waiting, and must not wait for them: reads that begin there get a connection beyond the
/// maximum if need be, and are not kept back by a barrier that waits: see ``Kind``.
///
/// `@unchecked Sendable`: the lock guards the state.
final class ReaderPool: @unchecked Sendable {
    /// Where a read begins.
    enum Kind: Int {
        /// Outside accesses.
        case ordinary
        /// Inside an access to another connection, or in a loop over rows that the pool gives: it waits for barriers that run.
        case nested
        /// Inside an access to the writer: it does not wait at all, as it keeps all who write waiting, barriers included.
        case inWrite
        /// Like the last one, but the writer goes on as soon as the read has begun. There are no more of them than the maximum at the
        /// same time, those that wait for the writer not counted.
        case concurrent
    }

    private typealias Place = @Sendable (Turn) -> Void

    private let lock = Lock()
    private let maximumCount: Int
    private let open: @Sendable (_ number: Int) throws -> SerializedConnection

    private var idle: [SerializedConnection] = []
    private var inUse: [ObjectIdentifier: SerializedConnection] = [:]
    /// The connections that are in use, and will not be used again.
    private var invalid: Set<ObjectIdentifier> = []
    /// How many connections are lent, or being opened.
    private var lentCount = 0
    /// How many of them are lent to concurrent reads.
    private var concurrentCount = 0
    private var openedCount = 0
    /// Who waits, by the kind of their reads.
    private var lines: [[Place]] = [[], [], [], []]
    /// What is called once no connection is lent.
    private var waitingForIdleness: [@Sendable () -> Void] = []
    /// How many wait for the writer, or have it, who may be inside a read, or may keep one from ending.
    private var nestedWriterWaits = 0

    private var barriers: [(barrier: Barrier, body: @Sendable () -> Void)] = []
    /// The barrier that is up.
    private var barrier: Barrier?
    /// Whether it has the writer, and nobody reads.
    private var isBarrierRunning = false
    private var isClosed = false

    /// What a place in the line gives.
    enum Turn {
        case connection(SerializedConnection)
        /// A connection may be opened.
        case opening(number: Int)
        case closed
    }

    init(maximumCount: Int, open: @escaping @Sendable (_ number: Int) throws -> SerializedConnection) {
        self.maximumCount = max(maximumCount, 1)
        self.open = open
    }

    // MARK: - Lending

    /// Calls back with a connection, now or when one is free.
    ///
    /// - Parameter body: must give the connection back.
    private func lend(_ kind: Kind, _ body: @escaping @Sendable (Result<SerializedConnection, any Error>) -> Void) {
        enqueue(kind) { [self] turn in
            switch turn {
            case .closed:
                body(.failure(DatabaseError.closed))
            case .connection(let connection):
                body(.success(connection))
            case .opening(let number):
                // It may wait for a lock, and prepares the connection as long as the program likes: on a thread of its own,
                // for this one may be of the cooperative pool.
                DispatchQueue(label: "Strata.opening").async { [self] in
                    body(Result { try openConnection(number, kind) })
                }
            }
        }
    }

    private func openConnection(_ number: Int, _ kind: Kind) throws -> SerializedConnection {
        do {
            let connection = try open(number)
            lock.withLock { inUse[ObjectIdentifier(connection)] = connection }
            return connection
        } catch {
            release(nil, kind)
            throw error
        }
    }

    private func enqueue(_ kind: Kind, _ place: @escaping Place) {
        lock.withLock { lines[kind.rawValue].append(place) }
        serve()
    }

    /// Serves those who wait, as far as there are connections.
    private func serve() {
        while let (body, turn) = lock.withLock({ next() }) {
            body(turn)
        }
        if let barrier = lock.withLock({ nextBarrier() }) {
            barrier()
        }
    }

    private func next() -> (Place, Turn)? {
        guard let kind = nextKind() else { return nil }
        let place = lines[kind.rawValue].removeFirst()
        // What began before goes on to its end, and with it what it waits for.
        if isClosed, kind == .ordinary || kind == .nested { return (place, .closed) }
        if let connection = takeIdle(kind) { return (place, .connection(connection)) }
        lentCount += 1
        if kind == .concurrent { concurrentCount += 1 }
        openedCount += 1
        return (place, .opening(number: openedCount))
    }

    private func takeIdle(_ kind: Kind) -> SerializedConnection? {
        guard let connection = idle.popLast() else { return nil }
        lentCount += 1
        if kind == .concurrent { concurrentCount += 1 }
        inUse[ObjectIdentifier(connection)] = connection
        return connection
    }

    /// A connection that is idle, for a read that nobody is before.
    private func takeAtOnce(_ kind: Kind) -> SerializedConnection? {
        lock.withLock {
            lines[kind.rawValue].isEmpty && !isClosed && isFree(kind) ? takeIdle(kind) : nil
        }
    }

    /// The kinds of reads, those first for which others wait.
    private static let kinds: [Kind] = [.inWrite, .concurrent, .nested, .ordinary]

    /// The line whose first place has its turn.
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
        // Those who wait for a barrier come before those who came after them.
        case .ordinary: lentCount < maximumCount && barrier == nil && barriers.isEmpty
        }
    }

    /// Takes a connection back; nil for one that could not be opened.
    private func release(_ connection: SerializedConnection?, _ kind: Kind) {
        let waiting: [@Sendable () -> Void] = lock.withLock {
            lentCount -= 1
            if kind == .concurrent { concurrentCount -= 1 }
            if let connection {
                inUse[ObjectIdentifier(connection)] = nil
                let isInvalid = invalid.remove(ObjectIdentifier(connection)) != nil
                // One beyond the maximum is kept, for the next read inside a write.
                if !isInvalid, idle.count <= maximumCount { idle.append(connection) }
            }
            defer { if lentCount == 0 { waitingForIdleness = [] } }
            return lentCount == 0 ? waitingForIdleness : []
        }
        waiting.forEach { $0() }
        serve()
    }

    // MARK: - Accesses

    /// The connection of the reading access that is under way on this thread.
    var currentReader: SerializedConnection? {
        guard AccessWaits.isInsideAccess else { return nil }
        return lock.withLock { Array(inUse.values) }.first { $0.isAccessedByCurrentThread }
    }

    /// The threads of the accesses to connections that are lent.
    var readingThreads: [UInt] { lock.withLock { Array(inUse.values) }.map(\.accessingThread) }

    /// Lends a connection while the caller waits.
    ///
    /// - Parameter writer: the connection that writes.
    /// - Throws: the closure's error, that of opening a connection, or `SQLITE_MISUSE` inside another reading access.
    func withReader<T>(besides writer: SerializedConnection, _ body: (SerializedConnection) throws -> T) throws -> T {
        let kind: Kind
        if AccessWaits.isInsideAccess {
            if currentReader != nil { throw DatabaseError.reentrantAccess }
            kind = writer.isAccessedByCurrentThread ? .inWrite : .nested
        } else {
            kind = IterationRegistry.shared.isIterating(self) ? .nested : .ordinary
        }
        let connection = try takeAtOnce(kind) ?? wait(kind, writer)
        defer { release(connection, kind) }
        return try body(connection)
    }

    private func wait(_ kind: Kind, _ writer: SerializedConnection) throws -> SerializedConnection {
        switch try waitForTurn(kind, writer) {
        case .closed: throw DatabaseError.closed
        case .connection(let connection): return connection
        // On this thread, which waits anyway. Another one could still refer to the pool when the program has released it, and the
        // write-ahead log would be there a moment longer.
        case .opening(let number): return try openConnection(number, kind)
        }
    }

    private func waitForTurn(_ kind: Kind, _ writer: SerializedConnection) throws -> Turn {
        let seat = ReaderSeat()
        enqueue(kind) { [self] turn in
            if !seat.fill(turn) { pass(turn, kind) }
        }
        guard kind == .nested, AccessWaits.isInsideAccess, lock.withLock({ isBarrierRunning }) else { return seat.wait() }
        let thread: UInt
        do {
            thread = try AccessWaits.shared.begin([writer.resource])
        } catch {
            if let turn = seat.leave() { pass(turn, kind) }
            throw error
        }
        defer { AccessWaits.shared.end(thread) }
        return seat.wait()
    }

    /// Gives back the turn of someone who has left the line.
    private func pass(_ turn: Turn, _ kind: Kind) {
        switch turn {
        case .closed: break
        case .connection(let connection): release(connection, kind)
        case .opening: release(nil, kind)
        }
    }

    /// Runs an access as a part of the current task, which waits without blocking a thread.
    func perform<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
        // In a loop over rows that the pool gives, the loop keeps a connection: the read must not wait for that one.
        let kind: Kind = IterationRegistry.shared.isIterating(self) ? .nested : .ordinary
        IterationRegistry.shared.join(self)
        return try await TaskAccess.perform(body) { [self] access in
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
    }

    /// Runs an access later.
    ///
    /// - Parameter isConcurrent: whether a writing access waits for it to begin.
    func async(
        isConcurrent: Bool = false, onFailure: @escaping @Sendable (any Error) -> Void,
        _ body: @escaping @Sendable (Database) -> Void
    ) {
        let kind: Kind = isConcurrent ? .concurrent : .ordinary
        lend(kind) { [self] result in
            switch result {
            case .failure(let error):
                onFailure(error)
            case .success(let connection):
                connection.async { [self] db in
                    body(db)
                    release(connection, kind)
                }
            }
        }
    }

    // MARK: - Barriers

    /// An access to the writer during which nobody reads.
    ///
    /// A barrier goes up when no connection is lent, and keeps ordinary reads back from when it waits for that. Then it waits for the writer,
    /// inside whose accesses reads may begin meanwhile: it waits for their end, too, and leaves the writer again to those that want
    /// to write.
    final class Barrier: Sendable {}

    /// Calls back when the barrier is up.
    func raise(_ barrier: Barrier, _ body: @escaping @Sendable () -> Void) {
        lock.withLock { barriers.append((barrier, body)) }
        serve()
    }

    private func nextBarrier() -> (@Sendable () -> Void)? {
        guard barrier == nil, lentCount == 0, !barriers.isEmpty else { return nil }
        let next = barriers.removeFirst()
        barrier = next.barrier
        return next.body
    }

    /// Lets others read again. It may be called more than once.
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

    /// Waits until nobody reads, on the thread of the writer.
    ///
    /// - Returns: false when someone waits for the writer on whom a read may depend, or when the barrier has ended.
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

    /// Whether a barrier has gone up, and has not ended.
    func isUp(_ waiting: Barrier) -> Bool {
        lock.withLock { barrier === waiting }
    }

    /// Calls back when nobody reads, now or later.
    func whenIdle(_ body: @escaping @Sendable () -> Void) {
        let isIdle = lock.withLock {
            if lentCount == 0 { return true }
            waitingForIdleness.append(body)
            return false
        }
        if isIdle { body() }
    }

    /// Someone is about to wait for the writer who may be inside a read, or may keep one from ending.
    func beginNestedWriterWait() {
        let waiting: [@Sendable () -> Void] = lock.withLock {
            nestedWriterWaits += 1
            defer { waitingForIdleness = [] }
            return waitingForIdleness
        }
        // A barrier looks again, and leaves the writer.
        waiting.forEach { $0() }
        serve()
    }

    func endNestedWriterWait() {
        lock.withLock { nestedWriterWaits -= 1 }
    }

    // MARK: - Connections

    /// Calls a closure with each connection.
    func forEach(_ body: (SerializedConnection) -> Void) {
        lock.withLock { idle + inUse.values }.forEach(body)
    }

    /// Frees the memory of idle connections, or closes them.
    func releaseIdleConnections(keepingThem: Bool) {
        let connections = lock.withLock {
            defer { if !keepingThem { idle = [] } }
            return idle
        }
        for connection in connections where keepingThem {
            connection.async { $0.releaseMemory() }
        }
    }

    /// Closes the idle connections now, and the others when they are given back.
    func invalidate() {
        _ = lock.withLock {
            defer { idle = [] }
            invalid = Set(inUse.keys)
            return idle
        }
    }

    /// Lends no connection any more, but inside the writing access that is under way.
    func setClosed(_ isClosed: Bool) {
        lock.withLock { self.isClosed = isClosed }
        serve()
    }

    /// Closes the connections that are idle, which are all of them for a barrier that runs.
    func closeIdleConnections() throws {
        while let connection = lock.withLock({ idle.last }) {
            try connection.sync { try $0.close() }
            lock.withLock { idle.removeAll { $0 === connection } }
        }
    }
}
