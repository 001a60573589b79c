import Dispatch

/// The gate of a database. Each access passes it in one order: it is reported, it may be refused, it gets its deadline, it waits, it runs, and
/// its end is reported.
///
/// The accesses of threads, tasks and callbacks differ only in how they wait: see ``Access/Form``. They wait in the line of the connection
/// that writes, for a reader of a pool, or behind a barrier: see ``AccessEntrance``.
package final class AccessGate: Sendable {
    let configuration: Configuration
    let path: String
    let writer: SerializedConnection
    /// The readers of a pool; nil if reads use the one connection.
    let readers: ReaderPool?
    /// Whether reads belong to a transaction that was opened before.
    private let isSnapshot: Bool
    /// Whether accesses are reported, or may have limits of the configuration.
    private let isMonitoredOrLimited: Bool

    init(
        _ configuration: Configuration, path: String, _ writer: SerializedConnection, readers: ReaderPool? = nil, isSnapshot: Bool = false
    ) {
        self.configuration = configuration
        self.path = path
        self.writer = writer
        self.readers = readers
        self.isSnapshot = isSnapshot
        isMonitoredOrLimited =
            !configuration.monitors.isEmpty || configuration.readTimeout != nil || configuration.writeTimeout != nil
            || configuration.engineTimeout != nil
    }

    // MARK: - Threads

    /// Runs an access of a method without parameters for the request.
    @inline(__always)
    func run<T>(_ kind: DatabaseAccessReport.Kind, _ body: (Database) throws -> T) throws -> T {
        try run(AccessRequest(ofMethod: kind), body)
    }

    /// Runs an access, and waits until it ends.
    ///
    /// - Throws: the closure's error; ``DatabaseUnavailableError``; ``DatabaseTimeoutError``; or `SQLITE_MISUSE` where the access would
    ///   deadlock: inside another access to the same connection, in a loop over rows that the connection produces, and inside accesses that
    ///   wait for each other in a circle.
    func run<T>(_ request: AccessRequest, _ body: (Database) throws -> T) throws -> T {
        // Most accesses have no report and no deadline.
        if !isMonitoredOrLimited, request.isPlain, !AccessWaits.isInsideAccess {
            return try wait(request, nil) { db in try perform(request, db, body) }
        }
        let request = complete(request)
        let measures = AccessMeasures(request, configuration, path: path)
        let deadline = request.deadline(configuration, inside: AccessDeadline.ofThread)
        return try measures.reporting {
            try wait(request, deadline) { db in try measures.measuring(db) { db in try perform(request, db, body) } }
        }
    }

    /// Waits for the connection, and runs a closure.
    @inline(__always)
    private func wait<T>(_ request: AccessRequest, _ deadline: AccessDeadline?, _ access: (Database) throws -> T) throws -> T {
        if let readers, request.kind.isOfReader { return try read(request, deadline, readers, access) }
        if let readers, request.kind == .barrierWrite { return try runBarrier(request, deadline, readers, access) }
        return try write(request, deadline, access)
    }

    private func read<T>(
        _ request: AccessRequest, _ deadline: AccessDeadline?, _ readers: ReaderPool, _ body: (Database) throws -> T
    ) throws -> T {
        let kind: ReaderPool.Kind
        if AccessWaits.isInsideAccess {
            if readers.currentReader != nil { throw DatabaseError.reentrantAccess }
            kind = writer.isAccessedByCurrentThread ? .inWrite : .nested
        } else {
            kind = IterationRegistry.shared.isIterating(readers) ? .nested : .ordinary
        }
        if deadline == nil, request.engineDeadline == nil, let connection = try readers.takeNow(request, kind) {
            defer { readers.release(connection, request, kind) }
            return try connection.onItsQueue { try connection.run(nil, body) }
        }
        // Inside an access to another database, the thread waits for the writer if a barrier has it.
        let waitsForWriter = kind == .nested && AccessWaits.isInsideAccess && readers.isBarrierRunning
        return try wait(request, deadline, at: readers, kind, waitsForWriter ? [writer.resource] : [], body)
    }

    private func write<T>(_ request: AccessRequest, _ deadline: AccessDeadline?, _ body: (Database) throws -> T) throws -> T {
        let isInside = AccessWaits.isInsideAccess
        if isInside, writer.isAccessedByCurrentThread { throw DatabaseError.reentrantAccess }
        try IterationRegistry.shared.check(writer)
        guard let readers, isInside || IterationRegistry.shared.isIterating(readers) else {
            return try write(request, deadline, isNested: isInside, body)
        }
        readers.beginNestedWriterWait()
        defer { readers.endNestedWriterWait() }
        return try write(request, deadline, isNested: true, body)
    }

    private func write<T>(
        _ request: AccessRequest, _ deadline: AccessDeadline?, isNested: Bool, _ body: (Database) throws -> T
    ) throws -> T {
        if deadline == nil, request.engineDeadline == nil, try writer.line.takeNow(request, isNested: isNested) {
            defer { writer.passTurn() }
            return try writer.onItsQueue { try writer.run(nil, body) }
        }
        let resources = AccessWaits.isInsideAccess ? [writer.resource] : []
        return try wait(request, deadline, at: writer, isNested ? .nested : .ordinary, resources, body)
    }

    private func runBarrier<T>(
        _ request: AccessRequest, _ deadline: AccessDeadline?, _ readers: ReaderPool, _ body: (Database) throws -> T
    ) throws -> T {
        try checkNotInsideAccess(of: readers)
        let isInside = AccessWaits.isInsideAccess
        let resources: [AccessWaits.Resource] = isInside ? [.readers(readers), writer.resource] : []
        return try wait(request, deadline, at: Barrier(request, readers, writer), isInside ? .nested : .ordinary, resources, body)
    }

    /// Throws inside an access, for accesses that wait until all others have ended.
    func checkNotInsideAccess(of readers: ReaderPool) throws {
        if writer.isAccessedByCurrentThread || readers.currentReader != nil { throw DatabaseError.reentrantAccess }
        try IterationRegistry.shared.check(readers)
    }

    private func wait<T>(
        _ request: AccessRequest, _ deadline: AccessDeadline?, at entrance: any AccessEntrance, _ kind: ReaderPool.Kind,
        _ resources: [AccessWaits.Resource], _ body: (Database) throws -> T
    ) throws -> T {
        try Access(request, .thread(DispatchSemaphore(value: 0)), until: deadline, at: entrance, kind)
            .runOnThisThread(waitingFor: resources, body)
    }

    /// Runs a closure as a part of this thread's access to the database, or else in an access.
    func runReentrantly<T>(_ kind: DatabaseAccessReport.Kind, _ body: (Database) throws -> T) throws -> T {
        try runReentrantly(AccessRequest(ofMethod: kind), body)
    }

    /// Runs a closure as a part of this thread's access to the database, or else in an access.
    func runReentrantly<T>(_ request: AccessRequest, _ body: (Database) throws -> T) throws -> T {
        if request.kind.isOfReader, let reader = readers?.currentReader { return try body(reader.database) }
        guard writer.isAccessedByCurrentThread else { return try run(request, body) }
        return try isSnapshot ? perform(request, writer.database, body) : body(writer.database)
    }

    // MARK: - Tasks

    /// Runs an access of a method without parameters for the request.
    func run<T: Sendable>(_ kind: DatabaseAccessReport.Kind, _ body: @Sendable (Database) throws -> T) async throws -> T {
        try await run(AccessRequest(ofMethod: kind), body)
    }

    /// Runs an access as a part of the current task, which waits without blocking a thread.
    ///
    /// - Throws: what the other form throws, or `CancellationError` when the task is cancelled. An access that waits for its turn never
    ///   begins then, and a running one is interrupted.
    func run<T: Sendable>(_ request: AccessRequest, _ body: @Sendable (Database) throws -> T) async throws -> T {
        let request = complete(request)
        let measures = AccessMeasures(request, configuration, path: path)
        let deadline = request.deadline(configuration, inside: nil)
        return try await measures.reporting {
            let access: @Sendable (Database) throws -> T = { [self] db in
                try measures.measuring(db) { db in try perform(request, db, body) }
            }
            // In a loop over rows that the pool produces, the loop occupies a connection: the access must not wait for that connection.
            guard let readers else {
                try IterationRegistry.shared.enter(writer, producing: request.iteration)
                return try await Access.runInTask(request, until: deadline, at: writer, .ordinary, access)
            }
            let kind: ReaderPool.Kind = IterationRegistry.shared.isIterating(readers, producing: request.iteration) ? .nested : .ordinary
            if request.kind == .barrierWrite {
                try IterationRegistry.shared.check(readers)
                return try await Access.runInTask(request, until: deadline, at: Barrier(request, readers, writer), .ordinary, access)
            }
            IterationRegistry.shared.join(readers, producing: request.iteration)
            if request.kind.isOfReader { return try await Access.runInTask(request, until: deadline, at: readers, kind, access) }
            if kind == .nested { readers.beginNestedWriterWait() }
            defer { if kind == .nested { readers.endNestedWriterWait() } }
            return try await Access.runInTask(request, until: deadline, at: writer, kind, access)
        }
    }

    // MARK: - Callbacks

    /// Schedules a callback of a method without parameters for the request.
    func schedule(_ kind: DatabaseAccessReport.Kind, _ callback: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        schedule(AccessRequest(ofMethod: kind), callback)
    }

    /// Schedules a callback, and returns immediately. The callback is called once: in its access, or with the error of an access that does
    /// not begin, outside of all accesses.
    func schedule(
        _ request: AccessRequest, asReader kind: ReaderPool.Kind = .ordinary,
        _ callback: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        let onFailure = request.onFailure ?? { callback(.failure($0)) }
        enter(request, kind, onFailure) { [self] db in call(request.kind, db, callback) }
    }

    /// Schedules a callback that takes no error. It is not refused, and waits for its turn, however long; after its deadline, its statements
    /// throw. A request that was handed over has a callback for the error, and is scheduled as other callbacks are.
    func schedule(_ kind: DatabaseAccessReport.Kind, _ callback: @escaping @Sendable (Database) -> Void) {
        let request = AccessRequest(ofMethod: kind)
        enter(request, .ordinary, request.onFailure) { db in db.unsafeCallback { _ in callback(db) } }
    }

    private func enter(
        _ request: AccessRequest, _ kind: ReaderPool.Kind, _ onFailure: (@Sendable (any Error) -> Void)?,
        _ callback: @escaping @Sendable (Database) -> Void
    ) {
        let request = complete(request)
        let measures = AccessMeasures(request, configuration, path: path)
        let body: @Sendable (Database) -> Void = { db in
            measures.measuring(db, callback)
            measures.didEnd(nil)
        }
        let failure = onFailure.map { onFailure -> @Sendable (any Error) -> Void in
            { @Sendable error in
                measures.didEnd(error)
                onFailure(error)
            }
        }
        let entrance: any AccessEntrance =
            switch (request.kind, readers) {
            case (.barrierWrite, let readers?): Barrier(request, readers, writer)
            case (_, let readers?) where request.kind.isOfReader: readers
            default: writer
            }
        // A callback that is scheduled inside an access may be one that others wait for.
        let kind = kind == .ordinary && AccessWaits.isInsideAccess && entrance !== readers ? .nested : kind
        Access(request, .callback(body, onFailure: failure), until: request.deadline(configuration, inside: nil), at: entrance, kind)
            .start()
    }

    // MARK: - What runs

    /// Adds the limit of the engine to a request.
    private func complete(_ request: AccessRequest) -> AccessRequest {
        guard let timeout = configuration.engineTimeout, request.engineDeadline == nil else { return request }
        var request = request
        request.engineDeadline = AccessDeadline(timeout)
        return request
    }

    /// Runs the closure of an access, in a transaction or without one.
    private func perform<T>(_ request: AccessRequest, _ db: Database, _ body: (Database) throws -> T) throws -> T {
        if request.origin == .database { return try body(db) }
        if isSnapshot { return try db.snapshotAccess(body) }
        return try request.kind == .read ? db.readAccess(body) : db.unsafeAccess(body)
    }

    /// Calls the callback of an access.
    private func call(_ kind: DatabaseAccessReport.Kind, _ db: Database, _ callback: (Result<Database, any Error>) -> Void) {
        if isSnapshot { return callback(Result { try db.snapshotAccess { $0 } }) }
        if kind == .read { db.readCallback(callback) } else { db.unsafeCallback(callback) }
    }

    /// Reads what this thread's write has written, and returns when the read has taken its snapshot: see
    /// ``DatabaseWriter/spawnConcurrentRead(_:)``.
    func spawnConcurrentRead(
        _ request: AccessRequest, _ callback: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        do {
            try runReentrantly(.writeWithoutTransaction) { db in
                if db.isInsideTransaction { throw DatabaseError.concurrentReadInsideTransaction }
                guard readers != nil else { return db.readCallback(callback) }
                let hasSnapshot = DispatchSemaphore(value: 0)
                schedule(request, asReader: .concurrent) { result in
                    let result = Result { () throws -> Database in
                        let db = try result.get()
                        try db.takeSnapshot()
                        return db
                    }
                    hasSnapshot.signal()
                    callback(result)
                }
                hasSnapshot.wait()
            }
        } catch {
            callback(.failure(error))
        }
    }
}

extension DatabaseAccessReport.Kind {
    /// Whether the access uses a reader of a pool.
    var isOfReader: Bool { self == .read || self == .unsafeRead }
}
