import DatabaseObservation
import Foundation
import Testing

/// Observations of a database whose limits refuse and interrupt accesses.
@Suite(.timeLimit(.minutes(20))) struct OverloadTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private static let names = ValueObservation.tracking { try $0.texts("SELECT name FROM player ORDER BY id") }

    /// Starts an observation that collects its values and its error.
    private func start<Reducer: ValueReducer>(
        _ observation: ValueObservation<Reducer>, in writer: any DatabaseWriter, _ values: Collector<Reducer.Value>,
        _ errors: Collector<any Error>
    ) -> AnyDatabaseCancellable {
        observation.start(in: writer, scheduling: .async(onQueue: DispatchQueue(label: "values"))) {
            errors.append($0)
        } onChange: {
            values.append($0)
        }
    }

    @Test(arguments: Kind.allCases)
    func `An observation survives refused and late accesses`(_ kind: Kind) async throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = 1
        let writer = try ValueObservationTests.open(kind, folder, configuration)
        try writer.close()
        configuration.maximumWaitingAccesses = 0
        configuration.readTimeout = .milliseconds(20)
        configuration.writeTimeout = .seconds(waitLimit)
        let limited =
            kind == .memory
            ? try ValueObservationTests.open(kind, folder, configuration) : try kind.open(folder.path("db.sqlite"), configuration)
        let (values, errors) = (Collector<[String]>(), Collector<any Error>())
        let cancellables = (0..<10).map { _ in start(Self.names, in: limited, values, errors) }
        await values.wait(count: 10)
        for round in 0..<5 {
            // The connection is busy for longer than the limit of reads, while a commit asks for fetches.
            let (isBusy, isFree) = (Semaphore("the connection is busy"), Semaphore("the test frees the connection"))
            keepBusy(limited, isBusy, isFree)
            await isBusy.signalled()
            let write = Task {
                try await limited.write(timeout: .seconds(waitLimit)) {
                    try $0.execute(sql: "UPDATE player SET name = '\(round)' WHERE id = 1")
                }
            }
            if kind == .pool { try await write.value }
            // Requests are refused meanwhile.
            await #expect(throws: (any Error).self) { try await limited.read { _ in } }
            isFree.signal()
            // A write that waits may have been refused, as the limit is 0.
            if case .failure(let error) = await write.result, !(error is DatabaseUnavailableError) { Issue.record(error) }
        }
        await succeeds {
            try await limited.barrierWriteWithoutTransaction { try $0.execute(sql: "UPDATE player SET name = 'last' WHERE id = 1") }
        }
        await values.wait { $0.count { $0 == ["last", "Barbara"] } == 10 }
        #expect(errors.all.isEmpty)
        cancellables.forEach { $0.cancel() }
    }

    /// Repeats an access until it is not refused.
    private func succeeds(_ access: () async throws -> Void) async {
        while true {
            do {
                return try await access()
            } catch is DatabaseUnavailableError {
                await Task.yield()
            } catch {
                Issue.record(error)
                return
            }
        }
    }

    /// Uses the one connection that reads until a signal.
    private func keepBusy(_ writer: any DatabaseWriter, _ isBusy: Semaphore, _ isFree: Semaphore) {
        writer.asyncUnsafeRead { [self] result in
            // A fetch has the connection.
            guard case .success = result else { return keepBusy(writer, isBusy, isFree) }
            isBusy.signal()
            isFree.wait()
        }
    }

    @Test(arguments: [Kind.queue, .pool])
    func `An observation fetches again after a statement that took too long`(_ kind: Kind) async throws {
        let isSlow = Locked(false)
        var configuration = Configuration()
        configuration.statementTimeLimit = .milliseconds(20)
        configuration.prepareDatabase { db in
            db.add(
                function: DatabaseFunction("wait", argumentCount: 0) { _ in
                    let end = ContinuousClock.now.advanced(by: .milliseconds(25))
                    if isSlow.value { while ContinuousClock.now < end { sched_yield() } }
                    return 0
                })
        }
        let writer = try ValueObservationTests.open(kind, folder, configuration)
        let observation = ValueObservation.tracking { try $0.texts("SELECT name FROM player WHERE wait() = 0 OR wait() = 0 ORDER BY id") }
        let (values, errors) = (Collector<[String]>(), Collector<any Error>())
        let cancellable = start(observation, in: writer, values, errors)
        await values.wait(last: ["Arthur", "Barbara"])
        isSlow.value = true
        try await writer.execute("UPDATE player SET name = 'Craig' WHERE id = 1")
        // At least one fetch fails. The value stays.
        await #expect(throws: DatabaseTimeoutError.self) {
            while true { _ = try await writer.read { try $0.texts("SELECT name FROM player WHERE wait() = 1 OR wait() = 1") } }
        }
        #expect(values.all.last == ["Arthur", "Barbara"])
        isSlow.value = false
        await values.wait(last: ["Craig", "Barbara"])
        #expect(errors.all.isEmpty)
        cancellable.cancel()
    }

    @Test
    func `An observation fetches again after another process's lock`() async throws {
        var configuration = Configuration()
        configuration.busyMode = .immediateError
        let writer = try ValueObservationTests.open(.queue, folder, configuration)
        let (values, errors) = (Collector<[String]>(), Collector<any Error>())
        let cancellable = start(Self.names, in: writer, values, errors)
        await values.wait(last: ["Arthur", "Barbara"])
        let other = try DatabaseQueue(path: folder.path("db.sqlite"))
        let (isLocked, isFree, isUnlocked) = (Semaphore("the file is locked"), Semaphore("the test frees it"), Semaphore("it is free"))
        try await writer.write { db in
            try db.execute(sql: "UPDATE player SET name = 'Craig' WHERE id = 1")
            // The lock is there before the observation fetches.
            db.afterNextTransaction { _ in
                Thread.detachNewThread {
                    try? other.inTransaction(.exclusive) { _ in
                        isLocked.signal()
                        isFree.wait()
                        return .commit
                    }
                    isUnlocked.signal()
                }
                isLocked.wait()
            }
        }
        let error = await #expect(throws: DatabaseError.self) { try await writer.read { try $0.texts("SELECT name FROM player") } }
        #expect(error?.resultCode == .SQLITE_BUSY)
        isFree.signal()
        await isUnlocked.signalled()
        await values.wait(last: ["Craig", "Barbara"])
        #expect(errors.all.isEmpty)
        cancellable.cancel()
    }

    @Test
    func `Fetches that fail in a row end the observation, after pauses that grow`() {
        var retries = FetchRetries()
        let busy = DatabaseError(resultCode: .SQLITE_BUSY)
        let pauses = (1...FetchRetries.maximumCount).map { _ in retries.pause(after: busy) }
        #expect(pauses.last == .some(nil))
        let lengths = pauses.compactMap { $0 }
        #expect(lengths.count == FetchRetries.maximumCount - 1)
        #expect(lengths == lengths.sorted() && lengths.first == .milliseconds(100) && lengths.last == .seconds(10))
        retries.reset()
        #expect(retries.pause(after: busy) == .milliseconds(100))
        #expect(retries.pause(after: DatabaseError(resultCode: .SQLITE_CORRUPT)) == nil)
    }

    @Test
    func `Fetches of observations leave readers to other reads`() async throws {
        let (fetching, mostFetching) = (Locked(0), Locked(0))
        let isFree = Locked(false)
        var configuration = Configuration()
        configuration.maximumReaderCount = 4
        let pool = try ValueObservationTests.open(.pool, folder, configuration)
        let observation = ValueObservation.tracking { db in
            let count = fetching.withLock { count in
                count += 1
                return count
            }
            mostFetching.withLock { $0 = max($0, count) }
            yieldThread(until: "the test frees the fetches") { isFree.value }
            fetching.withLock { $0 -= 1 }
            return try db.texts("SELECT name FROM player ORDER BY id")
        }
        let (values, errors) = (Collector<[String]>(), Collector<any Error>())
        let cancellables = (0..<12).map { _ in start(observation, in: pool, values, errors) }
        await onAThread { yieldThread(until: "fetches are running") { fetching.value == 2 } }
        // Two readers are free, although ten fetches wait.
        #expect(try await pool.read { try $0.texts("SELECT name FROM team") } == ["Red"])
        isFree.value = true
        await values.wait(count: 12)
        #expect(mostFetching.value == 2)
        #expect(errors.all.isEmpty)
        cancellables.forEach { $0.cancel() }
    }
}
