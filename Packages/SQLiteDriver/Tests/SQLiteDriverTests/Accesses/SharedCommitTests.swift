import CSQLiteShims
import Foundation
import SQLiteDriver
import Testing

private typealias Write = @Sendable (Database) throws -> Int64

/// A write that inserts a row, and returns its ID.
private func insertion(_ value: Int) -> Write {
    { db in
        try db.execute(sql: "INSERT INTO t VALUES (?, ?)", arguments: [Int64(value), Int64(value)])
        return db.lastInsertedRowID
    }
}

/// Writes that share a commit.
@Suite struct SharedCommitTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func open(_ kind: Kind, _ configuration: Configuration = Configuration(), sql: String = "") throws -> any DatabaseWriter {
        let writer = try kind.open(folder.path("\(kind).sqlite"), configuration)
        try writer.write { db in try db.execute(sql: "CREATE TABLE t (a INTEGER PRIMARY KEY, b UNIQUE); \(sql)") }
        return writer
    }

    /// Schedules writes that all wait, so that they share a commit, and returns their results.
    ///
    /// - Parameter writes: the writes, each with the closure that it runs.
    private func share(
        in writer: any DatabaseWriter, _ writes: [Write], observer: Observer? = nil
    ) async throws -> [Result<Int64, any Error>] {
        let results = Collector<(Int, Result<Int64, any Error>)>()
        let holdsLine = Semaphore("the first write has begun")
        let isScheduled = Semaphore("all writes were scheduled")
        writer.asyncWriteWithoutTransaction { db in
            if let observer { db.add(transactionObserver: observer, extent: .databaseLifetime) }
            holdsLine.signal()
            isScheduled.wait()
        }
        await holdsLine.signalled()
        for (number, write) in writes.enumerated() {
            writer.asyncWrite(.repeatable, write) { results.append((number, $0)) }
        }
        isScheduled.signal()
        return await results.wait(count: writes.count).sorted { $0.0 < $1.0 }.map(\.1)
    }

    /// Counts commits, and can refuse one.
    private final class Observer: TransactionObserver, @unchecked Sendable {
        let log = Collector<String>()
        let refusesFirstCommit: Bool

        init(refusesFirstCommit: Bool = false) { self.refusesFirstCommit = refusesFirstCommit }

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
        func databaseDidChange(with event: DatabaseEvent) { log.append("\(event.rowID)") }
        func databaseWillCommit() throws {
            log.append("will commit")
            if refusesFirstCommit, log.all.count(where: { $0 == "will commit" }) == 1 { throw TestError() }
        }
        func databaseDidCommit(_ db: Database) { log.append("commit") }
        func databaseDidRollback(_ db: Database) { log.append("rollback") }
    }

    // MARK: - One commit

    /// Calls a closure until its writes have shared a transaction, which has a limit of time that a busy machine exceeds.
    ///
    /// - Parameter round: gets a number, and returns whether all its writes have shared one.
    private func untilShared(_ round: (Int) async throws -> Bool) async throws {
        for number in 0..<50 where try await round(number * 1000) { return }
        Issue.record("no round has shared a transaction")
    }

    @Test(arguments: Kind.allCases)
    func `Writes that wait are committed together, in their order, each with its result`(_ kind: Kind) async throws {
        let writer = try open(kind)
        let observer = Observer()
        try await writer.writeWithoutTransaction { $0.add(transactionObserver: observer, extent: .databaseLifetime) }
        try await untilShared { first in
            let before = observer.log.all.count
            let results = try await share(in: writer, (first..<first + 5).map(insertion))
            #expect(try results.map { try $0.get() } == (first..<first + 5).map(Int64.init))
            let events = Array(observer.log.all.dropFirst(before))
            #expect(events.filter { Int($0) != nil } == (first..<first + 5).map { "\($0)" })
            #expect(events.last == "commit")
            #expect(try await writer.read { try $0.integers("SELECT a FROM t WHERE a >= \(first)") } == (first..<first + 5).map(Int64.init))
            return events.count { $0 == "commit" } == 1
        }
    }

    @Test func `A write that nobody waits behind has no savepoint`() throws {
        var configuration = Configuration()
        let statements = Collector<String>()
        configuration.prepareDatabase { db in db.trace { statements.append("\($0)") } }
        let writer = try open(.pool, configuration)
        let before = statements.all.count
        #expect(try writer.write(.repeatable) { try insertion(1)($0) } == 1)
        #expect(statements.all.dropFirst(before) == ["BEGIN IMMEDIATE TRANSACTION", "INSERT INTO t VALUES (?, ?)", "COMMIT TRANSACTION"])
    }

    @Test func `Writes that come while another one runs share its commit, and only they have savepoints`() async throws {
        var configuration = Configuration()
        let statements = Collector<String>()
        configuration.prepareDatabase { db in db.trace { statements.append("\($0)") } }
        let writer = try open(.pool, configuration)
        try await untilShared { first in
            let before = statements.all.count
            let (hasBegun, othersWait) = (Semaphore("the first write has begun"), Semaphore("the others wait"))
            let ids = Collector<Int64>()
            let write: Write = { db in
                hasBegun.signal()
                othersWait.wait()
                return try insertion(first)(db)
            }
            writer.asyncWrite(.repeatable, write) { if let id = try? $0.get() { ids.append(id) } }
            await hasBegun.signalled()
            for value in first + 1...first + 2 {
                writer.asyncWrite(.repeatable, insertion(value)) { if let id = try? $0.get() { ids.append(id) } }
            }
            othersWait.signal()
            #expect(await ids.wait(count: 3).sorted() == (first..<first + 3).map(Int64.init))
            let insert = "INSERT INTO t VALUES (?, ?)"
            let member = ["SAVEPOINT strata_member", insert, "RELEASE SAVEPOINT strata_member"]
            return statements.all.dropFirst(before).filter { !$0.hasPrefix("PRAGMA") }
                == ["BEGIN IMMEDIATE TRANSACTION", insert] + member + member + ["COMMIT TRANSACTION"]
        }
    }

    @Test func `Other accesses in the line end the transaction`() async throws {
        let writer = try open(.queue)
        let observer = Observer()
        let results = Collector<Int64>()
        let (holdsLine, isScheduled) = (Semaphore("the first write has begun"), Semaphore("all were scheduled"))
        writer.asyncWriteWithoutTransaction { db in
            db.add(transactionObserver: observer, extent: .databaseLifetime)
            holdsLine.signal()
            isScheduled.wait()
        }
        await holdsLine.signalled()
        for value in 1...2 { writer.asyncWrite(.repeatable, insertion(value)) { if let id = try? $0.get() { results.append(id) } } }
        // This read of a queue uses the connection that writes.
        writer.asyncRead { result in
            if let count = try? result.get().integer("SELECT count(*) FROM t") { results.append(-count) }
        }
        for value in 3...4 { writer.asyncWrite(.repeatable, insertion(value)) { if let id = try? $0.get() { results.append(id) } } }
        isScheduled.signal()
        #expect(await results.wait(count: 5).sorted() == [-2, 1, 2, 3, 4])
        let log = observer.log.all
        #expect(log.filter { Int($0) != nil } == ["1", "2", "3", "4"])
        #expect(log[(log.firstIndex(of: "2") ?? 0) + 1] == "will commit")
    }

    @Test(arguments: Kind.allCases)
    func `Threads tasks and callbacks share commits`(_ kind: Kind) async throws {
        let writer = try open(kind)
        let observer = Observer()
        try await writer.writeWithoutTransaction { $0.add(transactionObserver: observer, extent: .databaseLifetime) }
        try await untilShared { first in
            let before = observer.log.all.count
            let (holdsLine, isScheduled) = (Semaphore("the first write has begun"), Semaphore("all wait"))
            writer.asyncWriteWithoutTransaction { _ in
                holdsLine.signal()
                isScheduled.wait()
            }
            await holdsLine.signalled()
            let ids = Collector<Int64>()
            for value in first..<first + 3 {
                Thread.detachNewThread { if let id = try? writer.write(.repeatable, insertion(value)) { ids.append(id) } }
                Task { if let id = try? await writer.write(.repeatable, insertion(value + 10)) { ids.append(id) } }
                writer.asyncWrite(.repeatable, insertion(value + 20)) { if let id = try? $0.get() { ids.append(id) } }
            }
            while writer.waitingCount < 9 { try await Task.sleep(for: .milliseconds(1)) }
            isScheduled.signal()
            let expected = [0, 1, 2, 10, 11, 12, 20, 21, 22].map { Int64(first + $0) }
            #expect(await ids.wait(count: 9).sorted() == expected)
            #expect(try await writer.read { try $0.integers("SELECT a FROM t WHERE a >= \(first) ORDER BY a") } == expected)
            return observer.log.all.dropFirst(before).count { $0 == "commit" } == 1
        }
    }

    @Test func `A task keeps its task-local values`() async throws {
        let writer = try open(.pool)
        let results = try await withThrowingTaskGroup(of: Bool.self) { group in
            for value in 1...200 {
                group.addTask {
                    try await TaskAccessTests.$requestID.withValue(value) {
                        try await writer.write(.repeatable) { db in
                            _ = try insertion(value)(db)
                            return TaskAccessTests.requestID == value
                        }
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.count == 200 && !results.contains(false))
    }

    // MARK: - Undone alone

    @Test(arguments: Kind.allCases)
    func `A write that throws is undone alone`(_ kind: Kind) async throws {
        let writer = try open(kind)
        let results = try await share(
            in: writer,
            [
                insertion(1),
                { db in
                    _ = try insertion(2)(db)
                    throw TestError()
                },
                insertion(3),
                // UNIQUE constraint failed
                { db in
                    try db.execute(sql: "INSERT INTO t VALUES (4, 1)")
                    return 4
                },
                insertion(5),
            ])
        #expect(results.map { try? $0.get() } == [1, nil, 3, nil, 5])
        #expect(throws: TestError()) { try results[1].get() }
        expectError(.SQLITE_CONSTRAINT_UNIQUE) { try results[3].get() }
        #expect(try await writer.read { try $0.integers("SELECT a FROM t") } == [1, 3, 5])
    }

    @Test func `A violated foreign key is the error of its own write, which is undone alone`() async throws {
        let writer = try open(.pool, sql: "CREATE TABLE child (t INTEGER REFERENCES t DEFERRABLE INITIALLY DEFERRED)")
        let results = try await share(
            in: writer,
            [
                insertion(1),
                { db in
                    try db.execute(sql: "INSERT INTO child VALUES (99)")
                    return 0
                },
            ])
        expectError(.SQLITE_CONSTRAINT_FOREIGNKEY) { try results[1].get() }
        #expect(try await writer.read { db in try db.integers("SELECT a FROM t") + db.integers("SELECT t FROM child") } == [1])
    }

    /// It has no savepoint.
    @Test(
        arguments: [
            ("INSERT INTO child VALUES (99)", ResultCode.SQLITE_CONSTRAINT_FOREIGNKEY),
            ("INSERT OR ROLLBACK INTO t VALUES (9, 1)", .SQLITE_CONSTRAINT_UNIQUE),
            ("INSERT INTO t VALUES (9, 1)", .SQLITE_CONSTRAINT_UNIQUE),
            ("COMMIT", .SQLITE_MISUSE), ("SAVEPOINT mine", .SQLITE_MISUSE),
        ])
    func `The first write is undone alone, and runs once`(_ sql: String, _ code: ResultCode) async throws {
        let writer = try open(.pool, sql: "CREATE TABLE child (t INTEGER REFERENCES t DEFERRABLE INITIALLY DEFERRED)")
        let observer = Observer()
        let log = Collector<String>()
        let results = try await share(
            in: writer,
            [
                { db in
                    _ = try insertion(1)(db)
                    db.afterNextTransaction { _ in
                        log.append("commit")
                    } onRollback: { _ in
                        log.append("rollback")
                    }
                    try db.execute(sql: sql)
                    return 1
                },
                insertion(2), insertion(3),
            ], observer: observer)
        expectError(code) { try results[0].get() }
        #expect(results.dropFirst().map { try? $0.get() } == [2, 3])
        #expect(log.all == ["rollback"])
        #expect(observer.log.all.count { $0 == "rollback" } == 1)
        #expect(try await writer.read { try $0.integers("SELECT a FROM t") } == [2, 3])
    }

    @Test func `Deferring foreign keys ends with the write`() async throws {
        let writer = try open(.pool)
        let deferring = "PRAGMA defer_foreign_keys = 1"
        let ways: [@Sendable (Database) throws -> Void] = [
            { db in try db.execute(sql: deferring) },
            { db in try db.cachedStatement(sql: deferring).execute() },
            { db in try db.cachedStatement(sql: deferring).execute() },
            // SQLite runs it when it compiles it.
            { db in _ = try db.makeStatement(sql: deferring) },
            { db in sqlite3_exec(db.sqliteConnection, deferring, nil, nil, nil) },
            { db in
                try db.execute(sql: "PRAGMA main.Defer_Foreign_Keys(yes)")
                throw TestError()
            },
        ]
        let results = try await share(
            in: writer,
            [insertion(1)]
                + ways.flatMap { way in
                    [
                        { db in
                            try way(db)
                            return try db.integer("PRAGMA defer_foreign_keys")!
                        },
                        { db in try db.integer("PRAGMA defer_foreign_keys")! },
                    ]
                })
        #expect(results.map { try? $0.get() } == [1, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, nil, 0])
    }

    @Test func `Deferring foreign keys ends with the first write`() async throws {
        let writer = try open(.pool)
        try await untilShared { first in
            let observer = Observer()
            let results = try await share(
                in: writer,
                [
                    { db in
                        try db.execute(sql: "PRAGMA defer_foreign_keys = ON")
                        return try insertion(first)(db)
                    },
                    { db in
                        _ = try insertion(first + 1)(db)
                        return try db.integer("PRAGMA defer_foreign_keys")!
                    },
                ], observer: observer)
            #expect(try results[1].get() == 0)
            try await writer.writeWithoutTransaction { $0.remove(transactionObserver: observer) }
            return observer.log.all.count { $0 == "commit" } == 1
        }
    }

    @Test(
        arguments: [
            "COMMIT", "ROLLBACK", "END", "BEGIN", "RELEASE strata_member", "ROLLBACK TO strata_member", "RELEASE \"STRATA_member\"",
            "SAVEPOINT strata_member; RELEASE strata_member; RELEASE strata_member", "SAVEPOINT mine",
        ])
    func `A write can't end the transaction`(_ sql: String) async throws {
        let writer = try open(.pool)
        // On a busy machine, the write may be the first of its transaction, which has no savepoint that it could release.
        let codes: [ResultCode] = sql.contains("_member") ? [.SQLITE_MISUSE, .SQLITE_ERROR] : [.SQLITE_MISUSE]
        try await untilShared { first in
            let results = try await share(
                in: writer,
                [
                    insertion(first),
                    { db in
                        _ = try insertion(first + 1)(db)
                        // Not even if it ignores the error.
                        if sql != "SAVEPOINT mine" {
                            let error = #expect(throws: DatabaseError.self) { try db.execute(sql: sql) }
                            #expect(error.map { codes.contains($0.extendedResultCode) } == true)
                        }
                        try db.execute(sql: sql)
                        return 2
                    },
                    insertion(first + 2),
                ])
            let code = (results[1].failure as? DatabaseError)?.extendedResultCode
            #expect(code.map { codes.contains($0) } == true)
            #expect(try await writer.read { try $0.integers("SELECT a FROM t WHERE a >= \(first)") } == [first, first + 2].map(Int64.init))
            return code == .SQLITE_MISUSE
        }
    }

    @Test func `Savepoints of a write work`() async throws {
        let writer = try open(.pool)
        let results = try await share(
            in: writer,
            [
                insertion(1),
                { db in
                    try db.inSavepoint {
                        _ = try insertion(2)(db)
                        return .rollback
                    }
                    try db.inSavepoint {
                        _ = try insertion(3)(db)
                        return .commit
                    }
                    try db.execute(sql: "SAVEPOINT strata_member")
                    _ = try insertion(4)(db)
                    try db.execute(sql: "ROLLBACK TO strata_member; RELEASE strata_member")
                    return 0
                },
                insertion(5),
            ])
        #expect(results.allSatisfy { (try? $0.get()) != nil })
        #expect(try await writer.read { try $0.integers("SELECT a FROM t") } == [1, 3, 5])
    }

    // MARK: - Undone together

    @Test(arguments: ["INSERT OR ROLLBACK INTO t VALUES (9, 1)", "INSERT INTO u VALUES (1)"])
    func `When the transaction is rolled back, each write runs again alone`(_ sql: String) async throws {
        let writer = try open(
            .pool, sql: "CREATE TABLE u (a); CREATE TRIGGER r BEFORE INSERT ON u BEGIN SELECT RAISE(ROLLBACK, 'no'); END")
        try await untilShared { _ in
            try await writer.write { try $0.execute(sql: "DELETE FROM t") }
            let runs = Collector<Int>()
            let results = try await share(
                in: writer,
                [
                    { db in
                        runs.append(1)
                        return try insertion(1)(db)
                    },
                    { db in
                        runs.append(2)
                        try db.execute(sql: sql)
                        return 2
                    },
                    { db in
                        runs.append(3)
                        return try insertion(3)(db)
                    },
                ])
            #expect(results.map { try? $0.get() } == [1, nil, 3])
            expectError(.SQLITE_CONSTRAINT) { try results[1].get() }
            #expect(try await writer.read { try $0.integers("SELECT a FROM t") } == [1, 3])
            return runs.all.count { $0 == 1 } == 2 && runs.all.count { $0 == 2 } == 2
        }
    }

    enum Form: CaseIterable {
        case thread, task, callback
    }

    @Test(arguments: Form.allCases)
    func `A write that runs again is not refused because too many others wait`(_ form: Form) async throws {
        var configuration = Configuration()
        configuration.maximumWaitingAccesses = 3
        let pool = try #require(try open(.pool, configuration) as? DatabasePool)
        try await untilShared { first in
            let results = await repeatWhileOthersWait(form, pool, first)
            for result in results where (result.failure as? DatabaseUnavailableError) != nil { try _ = result.get() }
            return try results.allSatisfy { $0.failure == nil }
                && results.map { try $0.get() }.sorted() == [1, 2, 3].map { Int64(first + $0) }
        }
    }

    /// Runs three writes, the last of which rolls back their transaction when as many others wait as may.
    private func repeatWhileOthersWait(_ form: Form, _ pool: DatabasePool, _ first: Int) async -> [Result<Int64, any Error>] {
        let (holdsLine, isScheduled) = (Semaphore("the first write has begun"), Semaphore("all writes were scheduled"))
        let (isLast, isFull) = (Semaphore("the last write has begun"), Semaphore("as many others wait as may"))
        let runCount = Locked(0)
        let last: Write = { db in
            if runCount.withLock({
                $0 += 1; return $0
            }) > 1 {
                return try insertion(first + 3)(db)
            }
            isLast.signal()
            isFull.wait()
            try db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (\(first + 1), 1)")
            return 0
        }
        pool.asyncWriteWithoutTransaction { _ in
            holdsLine.signal()
            isScheduled.wait()
        }
        await holdsLine.signalled()
        let results = Collector<Result<Int64, any Error>>()
        for (number, write) in [insertion(first + 1), insertion(first + 2), last].enumerated() {
            switch form {
            case .thread: Thread.detachNewThread { results.append(Result { try pool.write(.repeatable, write) }) }
            case .task:
                Task {
                    do { results.append(.success(try await pool.write(.repeatable, write))) } catch { results.append(.failure(error)) }
                }
            case .callback: pool.asyncWrite(.repeatable, write) { results.append($0) }
            }
            await onAThread { yieldThread(until: "the write waits") { pool.status().writer.waitingCount == number + 1 } }
        }
        isScheduled.signal()
        await isLast.signalled()
        let others = Collector<Bool>()
        for _ in 0..<3 {
            pool.asyncWrite(timeout: .seconds(waitLimit)) { _ in
            } completion: {
                others.append($0.failure == nil)
            }
        }
        isFull.signal()
        let all = await results.wait(count: 3)
        #expect(await others.wait(count: 3) == [true, true, true])
        return all
    }

    @Test func `A write whose error comes from rows that were undone runs again`() async throws {
        let writer = try open(.pool)
        try await untilShared { _ in
            try await writer.write { try $0.execute(sql: "DELETE FROM t") }
            let runs = Collector<Int>()
            let results = try await share(
                in: writer,
                [
                    { db in
                        runs.append(1)
                        return try insertion(1)(db)
                    },
                    { db in
                        // It finds a row that the next write undoes.
                        if try db.integer("SELECT a FROM t") != nil, runs.all.count == 1 { throw TestError() }
                        return 2
                    },
                    { db in
                        try db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (9, 1)")
                        return 3
                    },
                ])
            expectError(.SQLITE_CONSTRAINT) { try results[2].get() }
            guard runs.all.count == 2 else { return false }
            #expect(try results[0].get() == 1)
            #expect(try results[1].get() == 2)
            return true
        }
    }

    @Test(arguments: Kind.allCases)
    func `A commit that an observer refuses is tried again for each write`(_ kind: Kind) async throws {
        let writer = try open(kind)
        try await untilShared { first in
            let observer = Observer(refusesFirstCommit: true)
            let results = try await share(in: writer, (first..<first + 3).map(insertion), observer: observer)
            try await writer.writeWithoutTransaction { $0.remove(transactionObserver: observer) }
            #expect(observer.log.all.count { $0 == "rollback" } == 1)
            // On a busy machine, the first write may share its commit with no other: the refusal is its error.
            let isAlone = results[0].failure is TestError
            let expected = ((isAlone ? first + 1 : first)..<first + 3).map(Int64.init)
            #expect(try results.suffix(expected.count).map { try $0.get() } == expected)
            if isAlone { return false }
            return observer.log.all.count { $0 == "commit" } == 3
        }
    }

    @Test(.enabled(if: SQLiteOptions.countsMemory))
    func `A full disk fails each write that needs space, and no other`() async throws {
        let writer = try open(.pool, sql: "PRAGMA max_page_count = 20")
        let results = try await share(
            in: writer,
            [
                insertion(1),
                { db in
                    try db.execute(sql: "PRAGMA max_page_count = 20")
                    try db.execute(sql: "INSERT INTO t VALUES (2, zeroblob(1000000))")
                    return 2
                },
                insertion(3),
            ])
        #expect(results.map { try? $0.get() } == [1, nil, 3])
        expectError(.SQLITE_FULL) { try results[1].get() }
        #expect(try await writer.read { try $0.integers("SELECT a FROM t") } == [1, 3])
    }

    // MARK: - Limits of time

    private static let endless = "INSERT INTO t(b) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT -i FROM n"

    @Test func `A write whose time is over undoes the others, which run again`() async throws {
        let writer = try open(.pool)
        let (holdsLine, isScheduled) = (Semaphore("the first write has begun"), Semaphore("all were scheduled"))
        writer.asyncWriteWithoutTransaction { _ in
            holdsLine.signal()
            isScheduled.wait()
        }
        await holdsLine.signalled()
        let results = Collector<(Int, Result<Int64, any Error>)>()
        writer.asyncWrite(.repeatable, insertion(1)) { results.append((1, $0)) }
        writer.asyncWrite(.repeatable, timeout: .milliseconds(300)) { db in
            try db.execute(sql: Self.endless)
            return 2
        } completion: {
            results.append((2, $0))
        }
        writer.asyncWrite(.repeatable, insertion(3)) { results.append((3, $0)) }
        isScheduled.signal()
        let all = await results.wait(count: 3).sorted { $0.0 < $1.0 }.map(\.1)
        #expect(try all[0].get() == 1)
        #expect(throws: DatabaseTimeoutError.self) { try all[1].get() }
        #expect(try all[2].get() == 3)
        #expect(try await writer.read { try $0.integers("SELECT a FROM t") } == [1, 3])
    }

    @Test func `A task that is cancelled after its closure is committed with the others`() async throws {
        let writer = try open(.pool)
        let (holdsLine, isScheduled) = (Semaphore("the first write has begun"), Semaphore("all wait"))
        writer.asyncWriteWithoutTransaction { _ in
            holdsLine.signal()
            isScheduled.wait()
        }
        await holdsLine.signalled()
        let (hasRun, goesOn) = (Semaphore("the first closure has run"), Semaphore("the task was cancelled"))
        let task = Task { try await writer.write(.repeatable, insertion(1)) }
        while writer.waitingCount < 1 { try await Task.sleep(for: .milliseconds(1)) }
        let second = Collector<Bool>()
        let write: @Sendable (Database) throws -> Int64 = { db in
            hasRun.signal()
            goesOn.wait()
            return try insertion(2)(db)
        }
        writer.asyncWrite(.repeatable, write) {
            second.append((try? $0.get()) != nil)
        }
        isScheduled.signal()
        await hasRun.signalled()
        task.cancel()
        goesOn.signal()
        #expect(try await task.value == 1)
        #expect(await second.wait(count: 1) == [true])
        #expect(try await writer.read { try $0.integers("SELECT a FROM t") } == [1, 2])
    }

    @Test func `Writes whose successors end early are committed`() async throws {
        let writer = try open(.pool)
        for round in 0..<50 {
            let tasks = (0..<8).map { number in
                Task { try await writer.write(.repeatable, insertion(round * 100 + number)) }
            }
            for task in tasks.dropFirst(1) where Int.random(in: 0..<2) == 0 { task.cancel() }
            var written: [Int64] = []
            for task in tasks { if let id = try? await task.value { written.append(id) } }
            #expect(try await writer.read { try $0.integers("SELECT a FROM t WHERE a >= \(round * 100)") } == written.sorted())
        }
    }

    // MARK: - What belongs to one write

    @Test func `Callbacks after a transaction, and its date, belong to one write`() async throws {
        var configuration = Configuration()
        let dates = Guardian(0)
        configuration.transactionClock = .custom { _ in
            dates.value += 1
            return Date(timeIntervalSinceReferenceDate: Double(dates.value))
        }
        let writer = try open(.pool, configuration)
        let log = Collector<String>()
        func write(_ value: Int, fails: Bool) -> Write {
            { db in
                _ = try insertion(value)(db)
                db.afterNextTransaction { _ in
                    log.append("commit \(value)")
                } onRollback: { _ in
                    log.append("rollback \(value)")
                }
                if fails { throw TestError() }
                let date = try db.transactionDate
                #expect(try db.transactionDate == date)
                return Int64(date.timeIntervalSinceReferenceDate)
            }
        }
        let results = try await share(in: writer, [write(1, fails: false), write(2, fails: true), write(3, fails: false)])
        #expect(results.map { try? $0.get() } == [1, nil, 2])
        #expect(log.all.sorted() == ["commit 1", "commit 3", "rollback 2"])
    }

    /// `@unchecked Sendable`: the accesses that use it run one after the other.
    private final class Guardian: @unchecked Sendable {
        var value: Int
        init(_ value: Int) { self.value = value }
    }

    /// The writes of the thread that it would wait for may wait for the access that it is inside of.
    @Test func `Inside another access, a write does not wait for the commits of others`() async throws {
        let (writer, other) = (try open(.pool), try open(.queue))
        let observer = Observer()
        try await writer.writeWithoutTransaction { $0.add(transactionObserver: observer, extent: .databaseLifetime) }
        for round in 0..<5 {
            let (holdsLine, isScheduled) = (Semaphore("the first write has begun"), Semaphore("all wait"))
            writer.asyncWriteWithoutTransaction { _ in
                holdsLine.signal()
                isScheduled.wait()
            }
            await holdsLine.signalled()
            let ids = Collector<Int64>()
            Thread.detachNewThread {
                try? other.write { _ in if let id = try? writer.write(.repeatable, insertion(round * 2)) { ids.append(id) } }
            }
            while writer.waitingCount < 1 { try await Task.sleep(for: .milliseconds(1)) }
            writer.asyncWrite(.repeatable, insertion(round * 2 + 1)) { if let id = try? $0.get() { ids.append(id) } }
            isScheduled.signal()
            #expect(await ids.wait(count: 2).sorted() == [Int64(round * 2), Int64(round * 2 + 1)])
        }
        #expect(observer.log.all.count { $0 == "commit" } == 10)
    }

    @Test func `Random writes lose nothing, and give no wrong result`() async throws {
        let writer = try open(
            .pool, sql: "CREATE TABLE counter (id INTEGER PRIMARY KEY, n INTEGER NOT NULL); INSERT INTO counter VALUES (1, 0)")
        let acknowledged = Collector<Int>()
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<16 {
                group.addTask {
                    for number in 0..<100 {
                        let value = task * 1000 + number
                        let kind = Int.random(in: 0..<12)
                        let timeout: Duration? = kind == 3 ? .milliseconds(1) : nil
                        let result: Void? = try? await writer.write(.repeatable, timeout: timeout) { db in
                            try db.execute(sql: "UPDATE counter SET n = n + 1")
                            try db.execute(sql: "INSERT INTO t VALUES (?, ?)", arguments: [Int64(value), Int64(value)])
                            switch kind {
                            case 0: throw TestError()
                            case 1: try db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (?, 0)", arguments: [Int64(value)])
                            case 2: try db.execute(sql: "COMMIT")
                            default: break
                            }
                        }
                        if result != nil { acknowledged.append(value) }
                    }
                }
            }
        }
        let (rows, count) = try await writer.read { db in
            try (db.integers("SELECT a FROM t"), db.integer("SELECT n FROM counter"))
        }
        #expect(rows == acknowledged.all.sorted().map(Int64.init))
        #expect(count == Int64(rows.count))
    }
}

extension DatabaseWriter {
    /// How many accesses wait for the connection that writes.
    fileprivate var waitingCount: Int {
        (self as? DatabasePool)?.status().writer.waitingCount ?? (self as? DatabaseQueue)?.status().writer.waitingCount ?? 0
    }
}
