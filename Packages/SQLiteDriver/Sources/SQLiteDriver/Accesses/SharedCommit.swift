import CSQLiteShims
import Dispatch

// Writes that share a commit. A write that ends while the next one in line is of this kind leaves its transaction open, and passes the turn.
// The last one commits, and tells the others. So each write is an access like all others, with its own place in line, thread or task, limits
// and report, and no write waits for others to come.
//
//     waiting   turn                                     the transaction
//     -         A                                        BEGIN; A's statements
//     B C       A: sees that B waits, leaves it open
//     C         B: A waits for the end                   SAVEPOINT; B's statements; RELEASE
//     -         C: sees that nobody waits                SAVEPOINT; C's statements; RELEASE; COMMIT
//               A, B and C return
//
// Only the end of a write decides: after a commit, all its tasks return at the same time. The first of them to write again finds an empty line,
// and the others come while its statements run. If their threads wait for a processor, they get that of the write before it commits. The thread
// of the connection stays awake for the first of them: see AccessLine.awaitEntry().
//
// If the transaction is undone, each of its writes runs once more, in a transaction of its own.

/// Whether the closure of an access may run more than once.
public enum AccessRepetition: Sendable {
    /// The closure has no effects outside the database, or effects that may happen twice.
    case repeatable
}

/// A write that may share its commit, and then waits for it.
final class CommitMember: Sendable {
    /// The end of a shared transaction.
    enum Outcome {
        /// The transaction was committed. The member may have failed before, and only its own changes were undone.
        case committed
        case undone
    }

    private enum State {
        /// The member is in no shared transaction.
        case alone
        case waiting((@Sendable (Outcome) -> Void)?)
        case ended(Outcome)
    }

    private let state = Guarded(State.alone)

    fileprivate func join() { state.withLock { $0 = .waiting(nil) } }

    fileprivate func end(_ outcome: Outcome) {
        let waiter = state.withLock { state -> (@Sendable (Outcome) -> Void)? in
            defer { state = .ended(outcome) }
            return if case .waiting(let waiter) = state { waiter } else { nil }
        }
        waiter?(outcome)
    }

    /// The outcome; nil while it is not known. A member that shares no transaction does not wait.
    private var outcome: Outcome? {
        state.withLock { state in
            switch state {
            case .alone: .committed
            case .waiting: nil
            case .ended(let outcome): outcome
            }
        }
    }

    /// Whether the member was in a shared transaction, which has ended.
    var hasEnded: Bool { state.withLock { if case .ended = $0 { true } else { false } } }

    /// Calls a closure when the outcome is known.
    func whenEnded(_ body: @escaping @Sendable (Outcome) -> Void) {
        let isWaiting = state.withLock { state in
            guard case .waiting = state else { return false }
            state = .waiting(body)
            return true
        }
        if !isWaiting, let outcome { body(outcome) }
    }

    func wait() -> Outcome {
        if let outcome { return outcome }
        let hasEnded = DispatchSemaphore(value: 0)
        whenEnded { _ in hasEnded.signal() }
        hasEnded.wait()
        return outcome ?? .undone
    }

    func wait(isolation: isolated (any Actor)? = #isolation) async -> Outcome {
        if let outcome { return outcome }
        return await withCheckedContinuation { continuation in whenEnded { continuation.resume(returning: $0) } }
    }
}

/// The transaction of writes that share a commit. It belongs to whoever has the turn of the connection.
struct SharedTransaction {
    /// How many writes share a commit at most, and for how long: other processes wait for the lock meanwhile.
    private static let maximumMemberCount = 256
    private static let maximumDuration = Duration.milliseconds(20)

    static let savepoint = "strata_member"

    fileprivate let begin: ContinuousClock.Instant
    fileprivate private(set) var members: [CommitMember] = []

    fileprivate mutating func add(_ member: CommitMember) {
        member.join()
        members.append(member)
    }

    fileprivate var isFull: Bool { members.count >= Self.maximumMemberCount || begin.duration(to: .now) >= Self.maximumDuration }
}

// MARK: - The connection

extension Database {
    /// Runs a write that may share its commit with those behind it.
    ///
    /// - Parameters:
    ///   - member: ends with the transaction.
    ///   - line: the line of the connection.
    fileprivate func sharedWriteAccess<T>(_ member: CommitMember, _ line: AccessLine, _ updates: (Database) throws -> T) throws -> T {
        if sharedTransaction != nil, !isInsideTransaction { endSharedTransaction(.undone) }
        if sharedTransaction == nil { return try firstWriteAccess(member, line, updates) }
        accessMeasures?.isInTransaction()
        sharedTransaction?.add(member)
        defer {
            if !isInsideTransaction {
                endSharedTransaction(.undone)
            } else if sharedTransaction?.isFull != false || !nextShares(line) {
                commitSharedTransaction()
            }
        }
        return try runMember(updates)
    }

    /// Whether the next access shares the commit. The threads of those that are about to come may need this processor first.
    private func nextShares(_ line: AccessLine) -> Bool {
        if line.nextSharesCommit { return true }
        yieldProcessor()
        return line.nextSharesCommit
    }

    /// Runs a write whose transaction others may join, and commits it unless one waits.
    private func firstWriteAccess<T>(_ member: CommitMember, _ line: AccessLine, _ updates: (Database) throws -> T) throws -> T {
        var shared = SharedTransaction(begin: .now)
        return try repeatableWriteAccess(
            commit: { _ in
                guard engine == nil, !shared.isFull, nextShares(line) else { return try commit() }
                try endMember()
                shared.add(member)
                sharedTransaction = shared
            }, updates)
    }

    /// Runs the closure of a member, whose changes can be undone alone.
    private func runMember<T>(_ updates: (Database) throws -> T) throws -> T {
        let earlierObservations = observation.observations
        transaction.forgetDate()
        try runCached("SAVEPOINT \(SharedTransaction.savepoint)")
        do {
            let result = try runGuarded(updates)
            try endMember()
            try runCached("RELEASE SAVEPOINT \(SharedTransaction.savepoint)")
            return result
        } catch {
            endAllRuns()
            transaction.takeFailure()
            observation.memberWasUndone(since: earlierObservations)
            undoMember()
            throw error
        }
    }

    /// Runs a closure that can't end the transaction.
    private func runGuarded<T>(_ updates: (Database) throws -> T) throws -> T {
        try transaction.within(.guarded(isInterrupted: { false })) {
            let result = try updates(self)
            endAllRuns()
            if let failure = transaction.failure { throw failure.error }
            try transaction.checkSavepoints()
            return result
        }
    }

    /// Runs a write that shares its commit with no other.
    fileprivate func repeatableWriteAccess<T>(
        commit: (Database) throws -> Void = { try $0.commit() }, _ updates: (Database) throws -> T
    ) throws -> T {
        try writeAccess(commit: commit) { db in try db.runGuarded(updates) }
    }

    /// Undoes the changes of a member, or the whole transaction if that fails.
    private func undoMember() {
        guard isInsideTransaction else { return }
        do {
            try withoutCancellation {
                try runCached("ROLLBACK TRANSACTION TO SAVEPOINT \(SharedTransaction.savepoint)")
                try runCached("RELEASE SAVEPOINT \(SharedTransaction.savepoint)")
                try stopDeferringForeignKeys()
            }
        } catch {
            transaction.takeFailure()
            try? rollback()
        }
    }

    /// Leaves nothing of a member to the next one. Throws if it has left violations of foreign keys, which only the commit would report.
    private func endMember() throws {
        var (violations, highest): (CInt, CInt) = (0, 0)
        sqlite3_db_status(try openHandle(), SQLITE_DBSTATUS_DEFERRED_FKS, &violations, &highest, 0)
        if violations != 0 {
            throw DatabaseError(
                code: .SQLITE_CONSTRAINT_FOREIGNKEY, message: "FOREIGN KEY constraint failed", sql: "COMMIT TRANSACTION", advice: nil)
        }
        try stopDeferringForeignKeys()
    }

    /// The next member begins as in a transaction of its own.
    private func stopDeferringForeignKeys() throws {
        guard authorizer.hasSeenDeferredForeignKeys else { return }
        try runCached("PRAGMA defer_foreign_keys = OFF")
        authorizer.hasSeenDeferredForeignKeys = false
    }

    /// Commits the shared transaction. The early end of the access that does it has no effect on the others.
    func commitSharedTransaction() {
        do {
            try withoutCancellation { try commit() }
            endSharedTransaction(.committed)
        } catch {
            try? rollback()
            endSharedTransaction(.undone)
        }
    }

    private func endSharedTransaction(_ outcome: CommitMember.Outcome) {
        let members = sharedTransaction.take()?.members ?? []
        if case .undone = outcome { transaction.takeFailure() }
        for member in members { member.end(outcome) }
    }
}

// MARK: - The gate

extension AccessGate {
    /// Whether a write of this thread may wait for the commit of others: not inside another access, for which one of them may wait.
    private var mayShareCommit: Bool { !AccessWaits.isInsideAccess }

    /// Runs a write that may share its commit, and waits until it is committed.
    fileprivate func share<T>(_ request: AccessRequest, _ updates: (Database) throws -> T) throws -> T {
        guard mayShareCommit else { return try run(request) { try $0.repeatableWriteAccess(updates) } }
        let member = CommitMember()
        let result = Result { try run(request.sharing(member)) { try $0.sharedWriteAccess(member, writer.line, updates) } }
        return try result.isFinal(member.wait()) ? result.get() : run(request.again) { try $0.repeatableWriteAccess(updates) }
    }

    /// Runs a write that may share its commit as a part of the current task.
    fileprivate func share<T: Sendable>(_ request: AccessRequest, _ updates: @Sendable (Database) throws -> T) async throws -> T {
        let member = CommitMember()
        let result = await Result.awaiting {
            try await run(request.sharing(member)) { [self] in try $0.sharedWriteAccess(member, writer.line, updates) }
        }
        if result.isFinal(await member.wait()) { return try result.get() }
        return try await run(request.again) { try $0.repeatableWriteAccess(updates) }
    }

    /// Schedules a write that may share its commit. The completion is called outside accesses.
    fileprivate func scheduleSharing<T: Sendable>(
        _ request: AccessRequest, _ updates: @escaping @Sendable (Database) throws -> T,
        _ completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        let member = CommitMember()
        schedule(request.sharing(member)) { [self] result in
            let result = result.running { try $0.sharedWriteAccess(member, writer.line, updates) }
            member.whenEnded { [self] outcome in
                // They wait for their turn again in their order.
                guard result.isFinal(outcome) else { return scheduleAlone(request, updates, completion) }
                // The program's code may take any time, and another access may have the turn.
                DispatchQueue(label: "Strata.callback").async { completion(result) }
            }
        }
    }

    private func scheduleAlone<T: Sendable>(
        _ request: AccessRequest, _ updates: @escaping @Sendable (Database) throws -> T,
        _ completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        schedule(request.again) { completion($0.running { try $0.repeatableWriteAccess(updates) }) }
    }
}

extension Result where Failure == any Error {
    /// Whether this is the result of a write whose shared transaction has ended. If it was undone, the write runs again, unless its time is
    /// over: its result, or its error, may come from rows of others that no longer exist.
    fileprivate func isFinal(_ outcome: CommitMember.Outcome) -> Bool {
        if case .committed = outcome { return true }
        return if case .failure(let error) = self { error is DatabaseTimeoutError || error is CancellationError } else { false }
    }
}

// MARK: - Writers

extension DatabaseWriter {
    /// Writes to the database, and shares the commit with other such writes that wait.
    ///
    /// ```swift
    /// try pool.write(.repeatable) { db in
    ///     try db.execute(sql: "UPDATE player SET score = score + 1 WHERE id = 1")
    /// }
    /// ```
    ///
    /// A commit waits for the disk. Writes that wait for their turn meanwhile then run one after the other in one transaction. All but the
    /// first have a savepoint of their own: `SAVEPOINT strata_member` before the closure, and `RELEASE SAVEPOINT strata_member` after it.
    /// They all return when the common commit has ended. A write that nobody waits behind is an ordinary one.
    ///
    /// - A closure that throws undoes its own changes only.
    /// - When the transaction is rolled back, because of an error of the disk, `RAISE(ROLLBACK)`, an interrupted statement or an observer, no
    ///   write of it has happened. Each then runs once more, in a transaction of its own.
    /// - Observers see the changes of all its writes, then one commit. ``Database/transactionDate`` and
    ///   ``Database/afterNextTransaction(onCommit:onRollback:)`` belong to one write: an undone one gets `onRollback`.
    /// - The closure can't begin, commit or roll back transactions, and can use savepoints.
    ///
    /// Use it for short writes: the first one of a transaction waits for the last. When one has run for 20 ms, no other joins its transaction.
    ///
    /// Other databases than queues and pools run the write alone, and so does a write inside another access.
    ///
    /// - Parameters:
    ///   - repetition: declares that the closure may run twice. Only the changes of its last run are committed.
    ///   - timeout: how long the access may take: see ``DatabaseWriter/write(timeout:_:)``. A write whose closure has ended in time waits for
    ///     the common commit.
    ///   - updates: runs while the caller waits.
    /// - Throws: the error of the closure, ``DatabaseError``, or ``DatabaseTimeoutError``. After an error, nothing is written.
    public func write<T>(
        _ repetition: AccessRepetition, timeout: Duration? = nil, _ updates: (Database) throws -> T
    ) throws -> T {
        let request = AccessRequest(.writeWithoutTransaction, timeout: timeout)
        if let gate = ownGate { return try gate.share(request, updates) }
        return try access(request) { try $0.repeatableWriteAccess(updates) }
    }

    /// Writes to the database without blocking a thread, and shares the commit with other such writes that wait.
    ///
    /// - Parameters:
    ///   - repetition: declares that the closure may run twice: see ``DatabaseWriter/write(_:timeout:_:)``.
    ///   - timeout: how long the access may take.
    ///   - updates: runs while the task waits.
    /// - Throws: the error of the closure, ``DatabaseError``, `CancellationError`, or ``DatabaseTimeoutError``. After an error, nothing is
    ///   written.
    public func write<T: Sendable>(
        _ repetition: AccessRepetition, timeout: Duration? = nil, _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        let request = AccessRequest(.writeWithoutTransaction, timeout: timeout)
        if let gate = ownGate { return try await gate.share(request, updates) }
        return try await access(request) { try $0.repeatableWriteAccess(updates) }
    }

    /// Schedules a write that shares the commit with other such writes that wait, and returns immediately.
    ///
    /// ```swift
    /// pool.asyncWrite(.repeatable) { db in
    ///     try db.execute(sql: "UPDATE player SET score = score + 1 WHERE id = 1")
    /// } completion: { result in
    ///     if case .failure(let error) = result { print(error) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - repetition: declares that the closure may run twice: see ``DatabaseWriter/write(_:timeout:_:)``.
    ///   - timeout: how long the access may take.
    ///   - updates: writes to the database.
    ///   - completion: called after the commit with the closure's result, or with the error.
    public func asyncWrite<T: Sendable>(
        _ repetition: AccessRepetition, timeout: Duration? = nil, _ updates: @escaping @Sendable (Database) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        let request = AccessRequest(.writeWithoutTransaction, timeout: timeout)
        if let gate = ownGate { return gate.scheduleSharing(request, updates, completion) }
        schedule(request) { completion($0.running { try $0.repeatableWriteAccess(updates) }) }
    }
}
