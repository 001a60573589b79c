/// A request for an access: its kind, and what decides which parts of the gate apply to it.
package struct AccessRequest: Sendable {
    /// Who asks for an access.
    package enum Origin: Sendable {
        /// The program.
        case program
        /// The program, for work whose duration depends on the size of the file, or that other work needs first. The limits of the
        /// configuration don't apply: neither its timeouts nor its number of waiting accesses.
        case maintenance
        /// An observation. It is not refused, and not late, but it uses only a part of the readers.
        case observation
        /// The database itself. Nothing limits or refuses the access, and monitors don't learn of it.
        case database
    }

    private(set) var kind: DatabaseAccessReport.Kind
    let origin: Origin
    /// The limit that the program has given this access.
    fileprivate(set) var deadline: AccessDeadline?
    /// Called with the error of a callback that does not begin, in place of the callback.
    fileprivate(set) var onFailure: (@Sendable (any Error) -> Void)?
    /// The iteration whose rows the access produces.
    let iteration: DatabaseIteration?

    /// What waits for a commit that the access may share with others.
    private(set) var commitMember: CommitMember?

    /// Whether the access was admitted before, and runs again.
    private var isRepetition = false

    /// The request that wrappers pass on: see ``DatabaseReader/access(_:_:)``.
    @TaskLocal fileprivate static var handedOver: AccessRequest?

    package init(
        _ kind: DatabaseAccessReport.Kind, _ origin: Origin = .program, timeout: Duration? = nil, iteration: DatabaseIteration? = nil
    ) {
        self.init(kind, origin, until: timeout.map { AccessDeadline($0) }, iteration: iteration)
    }

    package init(
        _ kind: DatabaseAccessReport.Kind, _ origin: Origin = .program, until deadline: AccessDeadline?, iteration: DatabaseIteration? = nil
    ) {
        self.kind = kind
        self.origin = origin
        self.iteration = iteration
        self.deadline = deadline
    }

    /// The request for something of the database's own with the connection that writes.
    static var ofDatabase: AccessRequest { AccessRequest(.writeWithoutTransaction, .database) }

    /// The request for something of the database's own with the connection that reads.
    static var ofReader: AccessRequest { AccessRequest(.unsafeRead, .database) }

    // The requests of the methods without parameters for them.
    static var read: AccessRequest { AccessRequest(ofMethod: .read) }
    static var unsafeRead: AccessRequest { AccessRequest(ofMethod: .unsafeRead) }
    static var write: AccessRequest { AccessRequest(ofMethod: .write) }
    static var writeWithoutTransaction: AccessRequest { AccessRequest(ofMethod: .writeWithoutTransaction) }
    static var barrierWrite: AccessRequest { AccessRequest(ofMethod: .barrierWrite) }

    /// If the method was called for another request, the request is that one.
    private init(ofMethod kind: DatabaseAccessReport.Kind) {
        self = Self.handedOver ?? AccessRequest(kind)
        self.kind = kind
    }

    /// When the access of this thread was requested; now, if it did not wait for its turn, or does not use an engine.
    package static var timeOfThread: ContinuousClock.Instant {
        Database.accessedByThread.first { _ in true }?.accessInterruption?.start ?? .now
    }

    /// The request of a write that may share its commit.
    func sharing(_ member: CommitMember) -> AccessRequest { changed(self) { $0.commitMember = member } }

    /// The request of a write that runs again, because the commit that it shared was undone.
    var again: AccessRequest { changed(self) { $0.isRepetition = true } }

    /// Whether this thread is inside an access to any database.
    package static var isThreadInsideAccess: Bool { AccessWaits.isInsideAccess }

    /// Whether the request has nothing but its kind and its origin.
    var isPlain: Bool { deadline == nil && iteration == nil }

    /// Throws if the access is refused: because the database is shutting down, or because too many others wait.
    ///
    /// - Parameters:
    ///   - limit: how many accesses of the program may wait; nil for any number.
    ///   - mustWait: whether the access would wait, too.
    ///   - waiting: what waits.
    func check(
        isRefusing: Bool, _ limit: Int?, mustWait: @autoclosure () -> Bool, waiting: @autoclosure () -> [any LineEntry]
    ) throws {
        if isRepetition { return }
        if isRefusing, origin == .program || origin == .maintenance { throw DatabaseUnavailableError(reason: .shuttingDown) }
        guard let limit, origin == .program, mustWait(), waiting().count(where: { $0.request.origin == .program }) >= limit else { return }
        throw DatabaseUnavailableError(reason: .tooManyWaiting(limit: limit))
    }

    /// Returns the deadline of the access: the earliest one of its own limit, the limit of the configuration, and the deadline of the access
    /// around it.
    ///
    /// - Parameter outer: the deadline of the access that this thread is inside of, for an access that the thread waits for. Tasks and
    ///   callbacks are not inside an access, whoever has started them.
    func deadline(_ configuration: Configuration, inside outer: @autoclosure () -> AccessDeadline?) -> AccessDeadline? {
        if origin == .observation { return nil }
        if origin == .database { return deadline }
        let configured = origin == .program ? configuration.timeout(of: kind).map { AccessDeadline($0) } : nil
        return AccessDeadline.earliest(AccessDeadline.earliest(deadline, configured), outer())
    }
}

extension Configuration {
    /// The limit of all accesses of a kind.
    package func timeout(of kind: DatabaseAccessReport.Kind) -> Duration? {
        switch kind {
        case .read, .unsafeRead: readTimeout
        case .write, .writeWithoutTransaction: writeTimeout
        case .barrierWrite: nil
        }
    }
}

// MARK: - Requests to any database

/// A database whose accesses pass a gate.
package protocol GatedDatabase: DatabaseReader {
    var gate: AccessGate { get }
}

extension DatabaseReader {
    var ownGate: AccessGate? { (self as? any GatedDatabase)?.gate }

    /// Runs an access for a request, and waits until it ends.
    ///
    /// A database that the program has implemented gets the request by way of its own methods: see ``handingOver(_:_:)``.
    package func access<T>(_ request: AccessRequest, _ body: (Database) throws -> T) throws -> T {
        if let gate = ownGate { return try gate.run(request, body) }
        func inside(_ db: Database) throws -> T { try AccessRequest.$handedOver.withValue(nil) { try body(db) } }
        return try AccessRequest.$handedOver.withValue(request) {
            switch request.kind {
            case .read: try read(inside)
            case .unsafeRead: try unsafeRead(inside)
            case .write, .writeWithoutTransaction: try writer.writeWithoutTransaction(inside)
            case .barrierWrite: try writer.barrierWriteWithoutTransaction(inside)
            }
        }
    }

    /// Runs an access for a request, without blocking a thread.
    package func access<T: Sendable>(_ request: AccessRequest, _ body: @Sendable (Database) throws -> T) async throws -> T {
        if let gate = ownGate { return try await gate.run(request, body) }
        return try await AccessRequest.$handedOver.withValue(request) {
            let body: @Sendable (Database) throws -> T = { db in try AccessRequest.$handedOver.withValue(nil) { try body(db) } }
            switch request.kind {
            case .read: return try await read(body)
            case .unsafeRead: return try await unsafeRead(body)
            case .write, .writeWithoutTransaction: return try await writer.writeWithoutTransaction(body)
            case .barrierWrite: return try await writer.barrierWriteWithoutTransaction(body)
            }
        }
    }

    /// Schedules a callback for a request.
    package func schedule(_ request: AccessRequest, _ callback: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        if let gate = ownGate { return gate.schedule(request, callback) }
        var request = request
        request.onFailure = { callback(.failure($0)) }
        // Callbacks run outside tasks, so they don't have the value.
        AccessRequest.$handedOver.withValue(request) {
            switch request.kind {
            case .read: asyncRead(callback)
            case .unsafeRead: asyncUnsafeRead(callback)
            case .write, .writeWithoutTransaction: writer.asyncWriteWithoutTransaction { callback(.success($0)) }
            case .barrierWrite: writer.asyncBarrierWriteWithoutTransaction(callback)
            }
        }
    }

    /// Runs a closure within this thread's current write, or in an access for a request.
    package func reentrantAccess<T>(_ request: AccessRequest, _ body: (Database) throws -> T) throws -> T {
        if let gate = ownGate { return try gate.runReentrantly(request, body) }
        return try AccessRequest.$handedOver.withValue(request) {
            try writer.unsafeReentrantWrite { db in try AccessRequest.$handedOver.withValue(nil) { try body(db) } }
        }
    }

    /// Reads what this thread's write has written, for a request.
    package func spawnConcurrentRead(_ request: AccessRequest, _ callback: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        if let gate = ownGate { return gate.spawnConcurrentRead(request, callback) }
        AccessRequest.$handedOver.withValue(request) { writer.spawnConcurrentRead(callback) }
    }

    private var writer: any DatabaseWriter {
        guard let writer = self as? any DatabaseWriter else { fatalError("a reader was asked to write") }
        return writer
    }
}
