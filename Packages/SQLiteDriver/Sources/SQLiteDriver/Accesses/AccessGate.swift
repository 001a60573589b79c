import Dispatch

/// The gate of a database. Each access passes it in one order: it is reported, it may be refused, it gets its deadline, it waits, it runs, and
/// its end is reported.
///
/// The accesses of threads, tasks and callbacks differ only in how they wait: see ``Access/Form``. They wait in the line of the connection
/// that writes, for a reader of a pool, or behind a barrier: see ``AccessEntrance``.
package final class AccessGate: Sendable {
    let writer: SerializedConnection
    /// The readers of a pool; nil if reads use the one connection.
    let readers: ReaderPool?
    /// Whether reads belong to a transaction that was opened before.
    private let isSnapshot: Bool
    /// Whether accesses are reported, or may have limits of the configuration.
    private let isMonitoredOrLimited: Bool
    /// The request to shut the database down ends the stream.
    let shutdown = AsyncStream<Void>.makeStream()

    var configuration: Configuration { writer.database.configuration }
    var path: String { writer.database.path }

    init(_ writer: SerializedConnection, readers: ReaderPool? = nil, isSnapshot: Bool = false) {
        self.writer = writer
        self.readers = readers
        self.isSnapshot = isSnapshot
        let configuration = writer.database.configuration
        isMonitoredOrLimited =
            !configuration.monitors.isEmpty || configuration.readTimeout != nil || configuration.writeTimeout != nil
    }

    // MARK: - The place of an access

    /// Where an access waits.
    private struct Place {
        let entrance: any AccessEntrance
        let kind: ReaderPool.Kind
        /// What the thread waits for, if it is inside another access.
        var resources: [AccessWaits.Resource] = []
        /// Whether the access waits for the writer, and a read of the pool may depend on it.
        var isNestedWrite = false
    }

    private func entrance(_ request: AccessRequest) -> any AccessEntrance {
        guard let readers else { return writer }
        if request.kind.isOfReader { return readers }
        return request.kind == .barrierWrite ? Barrier(request, readers, writer) : writer
    }

    /// Returns where the access of this thread or of the current task waits.
    ///
    /// - Throws: `SQLITE_MISUSE` where it would wait for itself.
    private func place(_ request: AccessRequest) throws -> Place {
        let isInside = AccessWaits.isInsideAccess
        let isInWrite = isInside && writer.database.isAccessedByCurrentThread
        // In a loop over rows that the pool produces, the loop occupies a connection: the access must not wait for that connection.
        let isIterating = IterationRegistry.shared.isIterating(readers ?? writer, producing: request.iteration)
        let isNested = isInside || isIterating
        var place = Place(entrance: entrance(request), kind: isNested ? .nested : .ordinary)
        if let readers, request.kind.isOfReader {
            if isInside, readers.currentReader != nil { throw DatabaseError.reentrantAccess }
            if isInWrite { return Place(entrance: readers, kind: .inWrite) }
            // Inside an access to another database, the thread waits for the writer if a barrier has it.
            if isInside, readers.isBarrierRunning { place.resources = [writer.resource] }
        } else {
            if isInWrite { throw DatabaseError.reentrantAccess }
            if isInside { place.resources = [writer.resource] }
            if let readers, request.kind == .barrierWrite {
                try checkNotInsideAccess(of: readers)
                if isInside { place.resources.append(.readers(readers)) }
            } else {
                if isIterating, readers == nil { throw DatabaseError.accessInsideIteration }
                place.isNestedWrite = isNested && readers != nil
            }
        }
        request.iteration?.add(source: readers ?? writer)
        return place
    }

    /// Throws inside an access, for accesses that wait until all others have ended.
    func checkNotInsideAccess(of readers: ReaderPool) throws {
        if writer.database.isAccessedByCurrentThread || readers.currentReader != nil { throw DatabaseError.reentrantAccess }
        if IterationRegistry.shared.isIterating(readers) { throw DatabaseError.accessInsideIteration }
    }

    // MARK: - Threads

    /// Runs an access, and waits until it ends.
    ///
    /// - Throws: the closure's error; ``DatabaseUnavailableError``; ``DatabaseTimeoutError``; or `SQLITE_MISUSE` where the access would
    ///   deadlock: inside another access to the same connection, in a loop over rows that the connection produces, and inside accesses that
    ///   wait for each other in a circle.
    func run<T>(_ request: AccessRequest, _ body: (Database) throws -> T) throws -> T {
        var result: T?
        try pass(request) { db in result = try body(db) }
        return result!
    }

    /// Runs an access whose closure keeps its result itself. The optimizer would make a copy of all that is below for each closure of this
    /// module, 4 % of its code. It skips this method, which costs an access 90 of 10,000 instructions.
    @_optimize(none)
    private func pass(_ request: AccessRequest, _ body: (Database) throws -> Void) throws {
        // Most accesses have no report and no deadline.
        if !isMonitoredOrLimited, request.isPlain, !AccessWaits.isInsideAccess {
            return try wait(request, nil) { db in try perform(request, db, body) }
        }
        let measures = AccessMeasures(request, configuration, path: path)
        let deadline = request.deadline(configuration, inside: AccessDeadline.ofThread)
        return try measures.reporting {
            try wait(request, deadline) { db in try measures.measuring(db) { db in try perform(request, db, body) } }
        }
    }

    /// Waits for the connection, and runs a closure.
    private func wait(_ request: AccessRequest, _ deadline: AccessDeadline?, _ body: (Database) throws -> Void) throws {
        let place = try place(request)
        if place.isNestedWrite { readers?.beginNestedWriterWait() }
        defer { if place.isNestedWrite { readers?.endNestedWriterWait() } }
        if deadline == nil, let connection = try place.entrance.takeNow(request, place.kind) {
            defer { place.entrance.release(connection, request, place.kind) }
            return try connection.onItsQueue { try connection.run(nil, body) }
        }
        return try Access(request, .thread(DispatchSemaphore(value: 0)), until: deadline, at: place.entrance, place.kind)
            .runOnThisThread(waitingFor: place.resources, body)
    }

    /// Runs a closure as a part of this thread's access to the database, or else in an access.
    func runReentrantly<T>(_ request: AccessRequest, _ body: (Database) throws -> T) throws -> T {
        if request.kind.isOfReader, let reader = readers?.currentReader { return try body(reader.database) }
        guard writer.database.isAccessedByCurrentThread else { return try run(request, body) }
        return try isSnapshot ? perform(request, writer.database, body) : body(writer.database)
    }

    // MARK: - Tasks

    /// Runs an access as a part of the current task, which waits without blocking a thread.
    ///
    /// - Throws: what the other form throws, or `CancellationError` when the task is cancelled. An access that waits for its turn never
    ///   begins then, and a running one is interrupted.
    func run<T: Sendable>(_ request: AccessRequest, _ body: @Sendable (Database) throws -> T) async throws -> T {
        let measures = AccessMeasures(request, configuration, path: path)
        let deadline = request.deadline(configuration, inside: nil)
        return try await measures.reporting {
            let place = try place(request)
            if place.isNestedWrite { readers?.beginNestedWriterWait() }
            defer { if place.isNestedWrite { readers?.endNestedWriterWait() } }
            return try await Access.runInTask(request, until: deadline, at: place.entrance, place.kind) { [self] db in
                try measures.measuring(db) { db in try perform(request, db, body) }
            }
        }
    }

    // MARK: - Callbacks

    /// Schedules a callback, and returns immediately. The callback is called once: in its access, or with the error of an access that does
    /// not begin, outside of all accesses.
    func schedule(
        _ request: AccessRequest, asReader kind: ReaderPool.Kind = .ordinary,
        _ callback: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        let onFailure = request.onFailure ?? { callback(.failure($0)) }
        enter(request, kind, onFailure) { [self] db in call(request, db, callback) }
    }

    /// Schedules a callback that takes no error. It is not refused, and waits for its turn, however long; after its deadline, its statements
    /// throw. A request that was handed over has a callback for the error, and is scheduled as other callbacks are.
    func schedulePatiently(_ request: AccessRequest, _ callback: @escaping @Sendable (Database) -> Void) {
        enter(request, .ordinary, request.onFailure) { [self] db in call(request, db) { _ in callback(db) } }
    }

    private func enter(
        _ request: AccessRequest, _ kind: ReaderPool.Kind, _ onFailure: (@Sendable (any Error) -> Void)?,
        _ callback: @escaping @Sendable (Database) -> Void
    ) {
        let measures = AccessMeasures(request, configuration, path: path)
        let body: @Sendable (Database) -> Void = { db in
            measures.measuring(db, callback)
            measures?.report(nil)
        }
        let failure = onFailure.map { onFailure -> @Sendable (any Error) -> Void in
            { @Sendable error in
                measures?.report(error)
                onFailure(error)
            }
        }
        let entrance = entrance(request)
        // A callback that is scheduled inside an access may be one that others wait for.
        let kind = kind == .ordinary && AccessWaits.isInsideAccess && entrance !== readers ? .nested : kind
        Access(request, .callback(body, onFailure: failure), until: request.deadline(configuration, inside: nil), at: entrance, kind)
            .start()
    }

    // MARK: - What runs

    /// Runs the closure of an access, in a transaction or without one.
    private func perform<T>(_ request: AccessRequest, _ db: Database, _ body: (Database) throws -> T) throws -> T {
        try request.origin == .database ? body(db) : perform(request.kind, db, body)
    }

    private func perform<T>(_ kind: DatabaseAccessReport.Kind, _ db: Database, _ body: (Database) throws -> T) throws -> T {
        if isSnapshot { return try db.snapshotAccess(body) }
        return try kind == .read ? db.readAccess(body) : db.unsafeAccess(body)
    }

    /// Calls the callback of an access, with the connection or with the error that kept the transaction from beginning. Errors at the end of
    /// the transaction are ignored: the callback has already run.
    private func call(_ request: AccessRequest, _ db: Database, _ callback: (Result<Database, any Error>) -> Void) {
        var isCalled = false
        do {
            try perform(request.kind, db) { db in
                isCalled = true
                callback(.success(db))
            }
        } catch {
            if !isCalled { callback(.failure(error)) }
        }
    }

    /// Reads what this thread's write has written, and returns when the read has taken its snapshot: see
    /// ``DatabaseWriter/spawnConcurrentRead(_:)``.
    func spawnConcurrentRead(
        _ request: AccessRequest, _ callback: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        do {
            try runReentrantly(.writeWithoutTransaction) { db in
                if db.isInsideTransaction { throw DatabaseError.concurrentReadInsideTransaction }
                guard readers != nil else { return call(request, db, callback) }
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
