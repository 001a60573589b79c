import Dispatch
import Foundation
import SQLiteDriver
import Testing

/// Random programs of accesses with limits, refusals, cancellations, slow callbacks and ends. `STRATA_ACCESS_PROGRAMS` sets their number.
@Suite(.serialized) struct RandomAccessTests {
    /// What a program does once.
    private struct Step: Sendable {
        let database: Int
        let form: Int
        let writes: Bool
        let isBarrier: Bool
        let timeout: Duration?
        let isCancelled: Bool
        let isSlow: Bool
        let isNested: Bool
        let retries: Bool
        let id: Int64
    }

    private final class Program: Sendable {
        let folder: TemporaryFolder
        let writers: [any DatabaseWriter]
        /// The IDs of the rows whose writes have succeeded, by database.
        let acknowledged = Locked<[Set<Int64>]>([])
        let unexpected = Collector<String>()
        /// How often each callback was called.
        let calls = Locked<[Int64: Int]>([:])
        let group = DispatchGroup()

        init(_ generator: inout SeededGenerator) throws {
            folder = try TemporaryFolder()
            var writers: [any DatabaseWriter] = []
            for number in 0..<8 {
                var configuration = Configuration()
                configuration.maximumReaderCount = Int.random(in: 1...3, using: &generator)
                if Bool.random(using: &generator) { configuration.maximumWaitingAccesses = Int.random(in: 0...20, using: &generator) }
                func limit() -> Duration? {
                    Int.random(in: 0..<4, using: &generator) == 0 ? .milliseconds(Int.random(in: 1...30, using: &generator)) : nil
                }
                configuration.readTimeout = limit()
                configuration.writeTimeout = limit()
                if Int.random(in: 0..<6, using: &generator) == 0 { configuration.statementTimeLimit = .milliseconds(5) }
                let path = folder.path("\(number).sqlite")
                let kinds: [Kind] = [.memory, .queue, .pool]
                writers.append(try kinds[Int.random(in: 0..<3, using: &generator)].open(path, configuration))
            }
            self.writers = writers
            acknowledged.value = writers.map { _ in [] }
            for writer in writers {
                try writer.barrierWriteWithoutTransaction { try $0.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY)") }
            }
        }

        func note(_ result: Result<Void, any Error>, _ step: Step) {
            switch result {
            case .success:
                if step.writes { acknowledged.withLock { _ = $0[step.database].insert(step.id) } }
            case .failure(let error):
                let isExpected =
                    error is DatabaseTimeoutError || error is DatabaseUnavailableError || error is CancellationError
                    || [.SQLITE_MISUSE, .SQLITE_INTERRUPT].contains((error as? DatabaseError)?.resultCode)
                if !isExpected { unexpected.append("\(step): \(error)") }
            }
        }

        func body(_ step: Step) -> @Sendable (Database) throws -> Void {
            { [self] db in
                if step.isSlow {
                    let end = ContinuousClock.now.advanced(by: .milliseconds(3))
                    while ContinuousClock.now < end { sched_yield() }
                }
                if step.isNested {
                    // An access to the next database, so that no circle is possible but by way of the last one.
                    if step.database + 1 < writers.count {
                        _ = try? writers[step.database + 1].read { try $0.integer("SELECT count(*) FROM t") }
                    }
                }
                if step.writes {
                    try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [step.id])
                } else {
                    _ = try db.integer("SELECT count(*) FROM t")
                }
            }
        }

        /// Runs a closure in a transaction, for accesses that have none.
        private func transaction(_ db: Database, _ body: (Database) throws -> Void) throws {
            try db.inTransaction {
                try body(db)
                return .commit
            }
        }

        func run(_ step: Step) {
            let writer = writers[step.database]
            let body = body(step)
            switch step.form {
            case 0:
                group.enter()
                Thread.detachNewThread { [self] in
                    note(
                        Result {
                            switch (step.writes, step.isBarrier, step.timeout) {
                            case (false, _, let timeout?): try writer.read(timeout: timeout, body)
                            case (false, _, nil): try writer.read(body)
                            case (true, false, let timeout?): try writer.write(timeout: timeout, body)
                            case (true, false, nil): try writer.write(body)
                            case (true, true, let timeout?):
                                try writer.barrierWriteWithoutTransaction(timeout: timeout) { try transaction($0, body) }
                            case (true, true, nil): try writer.barrierWriteWithoutTransaction { try transaction($0, body) }
                            }
                        }, step)
                    group.leave()
                }
            case 1:
                group.enter()
                let task = Task { [self] in
                    switch (step.writes, step.isBarrier, step.timeout) {
                    case (false, _, let timeout?): try await writer.read(timeout: timeout, body)
                    case (false, _, nil): try await writer.read(body)
                    case (true, false, let timeout?): try await writer.write(timeout: timeout, body)
                    case (true, false, nil): try await writer.write(body)
                    case (true, true, let timeout?):
                        try await writer.barrierWriteWithoutTransaction(timeout: timeout) { try transaction($0, body) }
                    case (true, true, nil): try await writer.barrierWriteWithoutTransaction { try transaction($0, body) }
                    }
                }
                if step.isCancelled { DispatchQueue.global().async { task.cancel() } }
                Task { [self] in
                    note(await task.result, step)
                    group.leave()
                }
            default:
                group.enter()
                let completion: @Sendable (Result<Void, any Error>) -> Void = { [self] result in
                    let isFirst = calls.withLock { calls in
                        calls[step.id, default: 0] += 1
                        return calls[step.id] == 1
                    }
                    note(result, step)
                    // A retry from inside the callback, once.
                    if step.retries, case .failure = result {
                        group.enter()
                        writer.asyncRead { [self] _ in group.leave() }
                    }
                    if isFirst { group.leave() }
                }
                let timeout = step.timeout ?? .seconds(waitLimit)
                if step.writes {
                    writer.asyncWrite(timeout: timeout, body, completion: completion)
                } else {
                    writer.asyncRead(timeout: timeout) { result in completion(Result { try body(result.get()) }) }
                }
            }
        }
    }

    /// Runs a program, and returns what is wrong.
    private func run(_ seed: UInt64) async throws -> [String] {
        var generator = SeededGenerator(seed: seed)
        let program = try Program(&generator)
        var steps: [Step] = []
        for id in Int64(0)..<64 {
            steps.append(
                Step(
                    database: Int.random(in: 0..<8, using: &generator), form: Int.random(in: 0..<3, using: &generator),
                    writes: Bool.random(using: &generator), isBarrier: Int.random(in: 0..<5, using: &generator) == 0,
                    timeout: Bool.random(using: &generator) ? .microseconds(Int.random(in: 0...20_000, using: &generator)) : nil,
                    isCancelled: Int.random(in: 0..<4, using: &generator) == 0, isSlow: Int.random(in: 0..<3, using: &generator) == 0,
                    isNested: Int.random(in: 0..<5, using: &generator) == 0, retries: Bool.random(using: &generator), id: id))
        }
        // Some databases end in the middle.
        let ended = (0..<8).filter { _ in Int.random(in: 0..<6, using: &generator) == 0 }
        let isGraceShort = Bool.random(using: &generator)
        let endStep = Int.random(in: 0..<64, using: &generator)
        var services: [Task<Void, any Error>] = []
        for (number, step) in steps.enumerated() {
            if number == endStep {
                for index in ended {
                    let writer = program.writers[index]
                    services.append(
                        Task {
                            let grace = isGraceShort ? Duration.milliseconds(5) : .seconds(waitLimit)
                            try await (writer as? DatabasePool)?.run(gracePeriod: grace)
                            try await (writer as? DatabaseQueue)?.run(gracePeriod: grace)
                        })
                    (writer as? DatabasePool)?.shutDown()
                    (writer as? DatabaseQueue)?.shutDown()
                }
            }
            program.run(step)
        }
        let isOver = await comesToItsEnd { program.group.wait(for: "the accesses of the program with seed \(seed)") }
        if !isOver { return ["seed \(seed) did not end"] }
        var problems = program.unexpected.all
        for service in services {
            if case .failure(let error) = await service.result { problems.append("the end of a database: \(error)") }
        }
        for (index, writer) in program.writers.enumerated() {
            let status = (writer as? DatabasePool)?.status() ?? (writer as! DatabaseQueue).status()
            if ended.contains(index) {
                guard FileManager.default.fileExists(atPath: program.folder.path("\(index).sqlite")) else { continue }
                let file = try DatabaseQueue(path: program.folder.path("\(index).sqlite"))
                let rows = try await file.read { try $0.integers("SELECT id FROM t ORDER BY id") }
                if rows != program.acknowledged.value[index].sorted() { problems.append("database \(index) lost or kept: \(rows)") }
                continue
            }
            await onAThread {
                yieldThread(until: "database \(index) is idle, seed \(seed), \(status)") {
                    ((writer as? DatabasePool)?.status() ?? (writer as! DatabaseQueue).status()).isIdle
                }
            }
            let rows = try await writer.barrierWriteWithoutTransaction { try $0.integers("SELECT id FROM t ORDER BY id") }
            if rows != program.acknowledged.value[index].sorted() {
                problems.append("database \(index): \(rows) and not \(program.acknowledged.value[index].sorted())")
            }
        }
        problems += program.calls.value.filter { $0.value != 1 }.map { "callback \($0.key) was called \($0.value) times" }
        return problems.map { "seed \(seed): \($0)" }
    }

    @Test
    func `Random programs of accesses end, tell each caller once, and store what they acknowledge`() async throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["STRATA_SEED"].flatMap { UInt64($0) } ?? 1
        let count = environment["STRATA_ACCESS_PROGRAMS"].flatMap { UInt64($0) } ?? 12
        for number in 0..<count {
            let problems = try await run(seed &+ number)
            #expect(problems == [])
            if !problems.isEmpty { break }
        }
    }
}
