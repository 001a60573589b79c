import Dispatch

/// The reading connections of a pool: opened when they are needed, up to a maximum, and lent to one access at a time.
///
/// Whoever finds none free waits in a line, a thread in its own way and a task in its own: an access is handed a connection, and
/// nothing blocks for it but the threads whose callers asked for that. So tasks can't keep each other from readers.
///
/// `@unchecked Sendable`: the lock guards the state.
final class ReaderPool: @unchecked Sendable {
    private let lock = Lock()
    private let maximumCount: Int
    private let open: @Sendable (_ number: Int) throws -> SerializedConnection

    private var idle: [SerializedConnection] = []
    private var inUse: [ObjectIdentifier: SerializedConnection] = [:]
    /// The connections that are in use, and will not be used again.
    private var invalid: Set<ObjectIdentifier> = []
    /// How many connections are lent, or being opened.
    private var lentCount = 0
    private var openedCount = 0
    private var waiting: [@Sendable (Turn) -> Void] = []
    /// Those for whom a writing access waits. No barrier keeps them back: it may be waiting for the writer itself.
    private var waitingInWrite: [@Sendable (Turn) -> Void] = []
    /// Who waits until no connection is lent.
    private var waitingForIdleness: [DispatchSemaphore] = []
    private var barriers: [@Sendable () -> Void] = []
    private var isBarrierUp = false
    private var isClosed = false

    /// What a place in the line gives.
    private enum Turn {
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
    /// - Parameters:
    ///   - inWrite: whether a writing access waits for it.
    ///   - body: must give the connection back.
    private func lend(
        inWrite: Bool = false, _ body: @escaping @Sendable (Result<SerializedConnection, any Error>) -> Void
    ) {
        enqueue(inWrite: inWrite) { [self] turn in
            switch turn {
            case .closed:
                body(.failure(DatabaseError(code: .SQLITE_MISUSE, message: "the database is closed", advice: "Open it again.")))
            case .connection(let connection):
                body(.success(connection))
            case .opening(let number):
                // It may wait for a lock, and prepares the connection as long as the program likes: on a thread of its own,
                // for this one may be of the cooperative pool.
                DispatchQueue(label: "Strata.opening").async { [self] in
                    body(Result { try openConnection(number) })
                }
            }
        }
    }

    private func openConnection(_ number: Int) throws -> SerializedConnection {
        do {
            let connection = try open(number)
            lock.withLock { inUse[ObjectIdentifier(connection)] = connection }
            return connection
        } catch {
            release(nil)
            throw error
        }
    }

    private func enqueue(inWrite: Bool, _ body: @escaping @Sendable (Turn) -> Void) {
        lock.withLock {
            if inWrite { waitingInWrite.append(body) } else { waiting.append(body) }
        }
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

    private func next() -> (@Sendable (Turn) -> Void, Turn)? {
        if isClosed { return nextInLine().map { ($0, .closed) } }
        // Those who wait for a barrier come before those who came after them.
        guard lentCount < maximumCount, !waitingInWrite.isEmpty || (!isBarrierUp && barriers.isEmpty),
            let body = nextInLine()
        else { return nil }
        lentCount += 1
        if let connection = idle.popLast() {
            inUse[ObjectIdentifier(connection)] = connection
            return (body, .connection(connection))
        }
        openedCount += 1
        return (body, .opening(number: openedCount))
    }

    private func nextInLine() -> (@Sendable (Turn) -> Void)? {
        if !waitingInWrite.isEmpty { return waitingInWrite.removeFirst() }
        return waiting.isEmpty ? nil : waiting.removeFirst()
    }

    /// Takes a connection back; nil for one that could not be opened.
    private func release(_ connection: SerializedConnection?) {
        lock.withLock {
            lentCount -= 1
            if lentCount == 0 {
                waitingForIdleness.forEach { $0.signal() }
                waitingForIdleness = []
            }
            guard let connection else { return }
            inUse[ObjectIdentifier(connection)] = nil
            if invalid.remove(ObjectIdentifier(connection)) == nil, !isClosed {
                idle.append(connection)
            }
        }
        serve()
    }

    // MARK: - Accesses

    /// The connection of the reading access that is under way on this thread.
    var currentReader: SerializedConnection? {
        lock.withLock { Array(inUse.values) }.first { $0.isAccessedByCurrentThread }
    }

    /// Lends a connection while the caller waits.
    ///
    /// - Throws: the closure's error, that of opening a connection, or `SQLITE_MISUSE` inside another reading access.
    func withReader<T>(_ body: (SerializedConnection) throws -> T) throws -> T {
        if currentReader != nil { throw DatabaseError.reentrantAccess }
        let place = Place()
        lend { place.fill($0) }
        let connection = try place.wait()
        defer { release(connection) }
        return try body(connection)
    }

    /// Runs an access, while the task waits without blocking a thread.
    func perform<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
        try await withCancellation { [self] cancellation, resume in
            lend { [self] result in
                switch result {
                case .failure(let error):
                    if cancellation.begin() { resume(cancellation.end(.failure(error))) }
                case .success(let connection):
                    connection.async(cancellation, body) { [self] (result: Result<T, any Error>) in
                        release(connection)
                        resume(result)
                    } onSkip: { [self] in
                        release(connection)
                    }
                }
            }
        }
    }

    /// Runs an access later.
    ///
    /// - Parameter inWrite: whether a writing access waits for it to begin.
    func async(
        inWrite: Bool = false, onFailure: @escaping @Sendable (any Error) -> Void, _ body: @escaping @Sendable (Database) -> Void
    ) {
        lend(inWrite: inWrite) { [self] result in
            switch result {
            case .failure(let error):
                onFailure(error)
            case .success(let connection):
                connection.async { [self] db in
                    body(db)
                    release(connection)
                }
            }
        }
    }

    // MARK: - Barriers

    /// Runs a closure while no connection is lent.
    func withBarrier<T>(_ body: () throws -> T) rethrows -> T {
        let isUp = DispatchSemaphore(value: 0)
        addBarrier { isUp.signal() }
        isUp.wait()
        defer { removeBarrier() }
        return try body()
    }

    /// Calls back once no connection is lent; none is until `end` is called.
    func asyncBarrier(_ body: @escaping @Sendable (_ end: @escaping @Sendable () -> Void) -> Void) {
        addBarrier { [self] in body { [self] in removeBarrier() } }
    }

    /// Waits until no connection is lent.
    ///
    /// Called by a barrier once it has the writer: concurrent reads may have begun since it went up, but none does any more.
    func waitForConcurrentReads() {
        let isIdle = DispatchSemaphore(value: 0)
        lock.withLock {
            if lentCount == 0 { isIdle.signal() } else { waitingForIdleness.append(isIdle) }
        }
        isIdle.wait()
    }

    private func addBarrier(_ barrier: @escaping @Sendable () -> Void) {
        lock.withLock { barriers.append(barrier) }
        serve()
    }

    private func nextBarrier() -> (@Sendable () -> Void)? {
        guard !isBarrierUp, lentCount == 0, !barriers.isEmpty else { return nil }
        isBarrierUp = true
        return barriers.removeFirst()
    }

    private func removeBarrier() {
        lock.withLock { isBarrierUp = false }
        serve()
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

    /// Closes all connections, once they are free. Nothing is lent any more, unless that fails.
    ///
    /// - Parameter closeWriter: closes what is left, last.
    func close(_ closeWriter: () throws -> Void) throws {
        lock.withLock { isClosed = true }
        serve()
        try withBarrier {
            do {
                while let connection = lock.withLock({ idle.last }) {
                    try connection.sync { try $0.close() }
                    lock.withLock { idle.removeAll { $0 === connection } }
                }
                try closeWriter()
            } catch {
                lock.withLock { isClosed = false }
                throw error
            }
        }
    }
}

/// A place in the line for a thread.
///
/// `@unchecked Sendable`: the semaphore orders the write before the read.
private final class Place: @unchecked Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private var result: Result<SerializedConnection, any Error>?

    func fill(_ result: Result<SerializedConnection, any Error>) {
        self.result = result
        semaphore.signal()
    }

    func wait() throws -> SerializedConnection {
        semaphore.wait()
        guard let result else { fatalError("A place in the line was left without a result.") }
        return try result.get()
    }
}
