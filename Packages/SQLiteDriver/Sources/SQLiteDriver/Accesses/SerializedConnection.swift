import Dispatch

/// A connection, and the line of its accesses. A reader of a pool needs no line, as the pool lends it to one access at a time.
///
/// `@unchecked Sendable`: only the access that has the turn uses the connection. The members of ``Database`` that other threads use are
/// thread-safe, and say so.
final class SerializedConnection: @unchecked Sendable {
    let database: Database

    /// The accesses that were requested and have not ended. Safe from any thread.
    let line: AccessLine

    /// Runs the jobs of tasks and the callbacks.
    private let queue: DispatchQueue
    /// Runs the accesses of threads on the target queue of the configuration; nil without one. It is not ``queue``, where jobs may wait for a
    /// thread of Dispatch although their accesses have ended early.
    private let queueOfThreads: DispatchQueue?

    /// Opens a connection.
    ///
    /// - Parameters:
    ///   - path: the path of the database file, or its URI.
    ///   - configuration: how to open it.
    ///   - purpose: a suffix of the dispatch queue's label.
    ///   - isReader: whether this connection reads beside one that writes.
    ///   - writer: the connection that writes, which lives at least as long.
    ///   - content: fills a new database, before the configuration's preparations.
    init(
        path: String, configuration: Configuration, purpose: String = "", isReader: Bool = false,
        writer: SerializedConnection? = nil, content: ((Database) throws -> Void)? = nil
    ) throws {
        let label = (configuration.label ?? "Strata") + purpose
        let target = (isReader || configuration.readonly ? nil : configuration.writeTargetQueue) ?? configuration.targetQueue
        // A queue without a quality of service inherits it from its target.
        queue = target.map { DispatchQueue(label: label, target: $0) } ?? DispatchQueue(label: label, qos: configuration.qos)
        queueOfThreads = target.map { DispatchQueue(label: label, target: $0) }
        line = AccessLine(limit: configuration.maximumWaitingAccesses)
        database = try Database(path: path, configuration: configuration, isNew: content != nil, writer: writer)
        try onItsQueue { try run { try $0.setUp(content: content) } }
    }

    deinit {
        // Statements that the program keeps retain the connection. Cached statements would keep it alive forever if they were not removed
        // here.
        database.beginAccess()
        try? database.close()
        database.endAccess()
    }

    // MARK: - Accesses that have their turn

    /// Runs an access on this thread.
    ///
    /// - Parameter access: the access, if it may end early.
    func run<T>(_ access: Access? = nil, _ body: (Database) throws -> T) throws -> T {
        guard let access else {
            database.beginAccess()
            defer { database.endAccess() }
            return try body(database)
        }
        access.interruption.accessWillBegin(database)
        database.beginAccess(access)
        let result = Result { try body(database) }
        // After this, nothing interrupts the connection. The end of the access clears an earlier interruption.
        access.interruption.accessWillEnd()
        database.endAccess()
        return try result.mapError { access.interruption.replacement(for: $0, database) }.get()
    }

    /// Runs a closure in the context of the target queue.
    func onItsQueue<T>(_ body: () throws -> T) rethrows -> T {
        guard let queueOfThreads else { return try body() }
        return try queueOfThreads.sync(execute: body)
    }

    /// Begins the access of a task or of a callback on the queue.
    func dispatch(_ access: Access) {
        // An access that others wait for needs its thread now.
        if let threads = database.configuration.sharedThreads, !access.isNested {
            threads.run(on: queue, access.qos) { access.begin() }
        } else {
            SharedThreads.start(on: queue, access.qos) { [queue, line, queueOfThreads] in
                access.begin()
                // The program's target queue may have other work. The block keeps the line only: the program may release the connection now.
                if queueOfThreads == nil, access.request.commitMember?.hasEnded == true { queue.async { line.awaitEntry() } }
            }
        }
    }

    /// The resource that a thread waits for while it waits for its turn.
    var resource: AccessWaits.Resource { .connection(database) }
}

extension SerializedConnection: AccessEntrance {
    func enter(_ access: Access) throws {
        if try line.enter(access, isAdmitted: access.isNested || access.isPatient) { access.turnHasCome(.connection(self)) }
    }

    func leave(_ access: Access) { line.leave(access) }

    func takeNow(_ request: AccessRequest, _ kind: ReaderPool.Kind) throws -> SerializedConnection? {
        try line.takeNow(request, isNested: kind != .ordinary) ? self : nil
    }

    func release(_ connection: SerializedConnection?, _ request: AccessRequest, _ kind: ReaderPool.Kind) { passTurn() }

    /// Ends the current turn.
    func passTurn() {
        if database.sharedTransaction == nil {
            line.next()?.turnHasCome(.connection(self))
            return
        }
        if let next = line.nextThatSharesCommit() { return next.turnHasCome(.connection(self)) }
        // The write that was next has ended early. This thread may be the one that has ended it, and must not wait for the commit.
        queue.async { [self] in
            try? run { $0.commitSharedTransaction() }
            passTurn()
        }
    }
}

extension DatabaseError {
    static var closed: DatabaseError {
        DatabaseError(code: .SQLITE_MISUSE, message: "the database is closed", advice: "Open it again.")
    }

    static var reentrantAccess: DatabaseError {
        DatabaseError.misuse(
            "database accesses are not reentrant", advice: "Use the connection of the current access instead of starting another access.")
    }
}
