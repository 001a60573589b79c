import Dispatch
import RowDecoding

/// A fetch of an observation, which runs in a read-only transaction or in a writing transaction.
extension ObservedDatabase {
    /// The maximum number of times that a read takes a snapshot in order to know which commits it sees.
    private static let attempts = 8

    /// The result of a fetch: its value, and the last commit that it has seen.
    typealias Fetched<T> = (value: T, commit: Int)

    /// Schedules a fetch.
    ///
    /// - Parameters:
    ///   - writes: whether the fetch may write.
    ///   - completion: called with the result, when the access has ended or is about to end.
    func fetch<T>(
        in writer: any DatabaseWriter, writes: Bool, _ body: @escaping @Sendable (Database) throws -> T,
        completion: @escaping @Sendable (Result<Fetched<T>, any Error>) -> Void
    ) {
        if writes || !isConcurrent {
            writer.schedule(writes ? .observationWrite : .observationRead) { [self] result in
                switch result {
                case .success(let db): fetchOnWriter(db, writes: writes, body, completion)
                case .failure(let error): completion(.failure(error))
                }
            }
        } else {
            writer.schedule(.observationRead) { [self] result in
                do {
                    if let fetched = try fetchOnReader(result.get(), attempts: Self.attempts, body) {
                        return completion(.success(fetched))
                    }
                } catch {
                    return completion(.failure(error))
                }
                fetchBetweenCommits(writer, body, completion)
            }
        }
    }

    /// Fetches now, on this thread if possible.
    func fetchNow<T: Sendable>(
        in writer: any DatabaseWriter, writes: Bool, _ body: @escaping @Sendable (Database) throws -> T
    ) throws -> Fetched<T> {
        if writes {
            return try writer.access(.observationWrite) { db in
                (try transaction(db, writes: true, body), lastCommit(db.commitCounter))
            }
        }
        if !isConcurrent {
            return try writer.access(.observationRead) { db in (try transaction(db, writes: false, body), lastCommit(db.commitCounter)) }
        }
        if let fetched = try writer.access(.observationRead, { try fetchOnReader($0, attempts: Self.attempts, body) }) { return fetched }
        let result = Guarded<Result<T, any Error>?>(nil)
        let isOver = DispatchSemaphore(value: 0)
        let commit: Int? = try writer.reentrantAccess(.observationWrite) { db in
            if db.isInsideTransaction { return nil }
            let commit = lastCommit(db.commitCounter)
            writer.spawnConcurrentRead(.observationRead) { read in
                result.withLock { $0 = Result { try body(read.get()) } }
                isOver.signal()
            }
            return commit
        }
        guard let commit else {
            // This thread is inside a transaction that was about to commit. The number may be too small: the value is then repeated.
            return try writer.access(.observationRead) { try fetchOnReader($0, attempts: 1, isLowerBoundEnough: true, body)! }
        }
        isOver.wait()
        return (try result.withLock { try $0!.get() }, commit)
    }

    /// Fetches on the connection that writes, where no commit is in progress.
    private func fetchOnWriter<T>(
        _ db: Database, writes: Bool, _ body: @escaping @Sendable (Database) throws -> T,
        _ completion: @escaping @Sendable (Result<Fetched<T>, any Error>) -> Void
    ) {
        if db.isInsideTransaction, db.configuration.allowsUnsafeTransactions {
            // An access has left its transaction open. Its changes are not committed.
            db.afterNextTransaction { [self] in
                fetchOnWriter($0, writes: writes, body, completion)
            } onRollback: { [self] in
                fetchOnWriter($0, writes: writes, body, completion)
            }
            return
        }
        completion(Result { (try transaction(db, writes: writes, body), lastCommit(db.commitCounter)) })
    }

    /// Fetches on a connection that reads beside the writer.
    ///
    /// - Returns: nil if commits were in progress whenever the read took its snapshot.
    private func fetchOnReader<T>(
        _ db: Database, attempts: Int, isLowerBoundEnough: Bool = false, _ body: (Database) throws -> T
    ) throws -> Fetched<T>? {
        let counter = db.commitCounter
        var wait = CommitWait(counter: counter)
        for _ in 0..<attempts {
            if !isLowerBoundEnough { wait.run() }
            // The order matters: see `CommitCounter`. An engine may take the snapshot when the transaction begins.
            let commit = lastCommit(counter)
            let fetched: Fetched<T>? = try transaction(db, writes: false) { db in
                try db.takeSnapshot()
                let isExact = !counter.isCommitInProgress && lastCommit(counter) == commit
                return isExact || isLowerBoundEnough ? (try body(db), commit) : nil
            }
            if let fetched { return fetched }
        }
        return nil
    }

    /// Fetches on a reader that takes its snapshot while the writer waits.
    private func fetchBetweenCommits<T>(
        _ writer: any DatabaseWriter, _ body: @escaping @Sendable (Database) throws -> T,
        _ completion: @escaping @Sendable (Result<Fetched<T>, any Error>) -> Void
    ) {
        writer.schedule(.observationWrite) { [self] result in
            let db: Database
            do { db = try result.get() } catch { return completion(.failure(error)) }
            // An access has left its transaction open. While it is open, there are no commits, and a reader can fetch.
            if db.isInsideTransaction { return fetch(in: writer, writes: false, body, completion: completion) }
            let commit = lastCommit(db.commitCounter)
            writer.spawnConcurrentRead(.observationRead) { result in
                completion(Result { (try body(result.get()), commit) })
            }
        }
    }

    /// The number of the last commit that a counter has counted.
    func lastCommit(_ counter: CommitCounter) -> Int {
        state.withLock { state in
            if state.counter == nil { state.counter = counter }
            return state.commit(counter)
        }
    }

    private func transaction<T>(_ db: Database, writes: Bool, _ body: (Database) throws -> T) throws -> T {
        var value: T?
        func run() throws {
            try db.inTransaction(writes ? nil : .deferred) {
                value = try body(db)
                return .commit
            }
        }
        if writes { try run() } else { try db.readOnly(run) }
        return value!
    }
}

extension AccessRequest {
    /// The request for a fetch. It is neither refused nor late, and leaves readers to the program.
    static var observationRead: AccessRequest { AccessRequest(.unsafeRead, .observation) }

    /// The request for a fetch that may write, or that the writer must wait for.
    static var observationWrite: AccessRequest { AccessRequest(.writeWithoutTransaction, .observation) }
}
