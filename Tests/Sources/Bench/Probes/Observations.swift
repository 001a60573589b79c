import CSQLite
import Dispatch
import Foundation
import Strata

// What observations cost: the writer, the way of a value from its commit to its observer, and the questions for commits of others.

/// What observations cost those that write.
let observedWrites = Probe(name: "observed-writes", summary: "transactions with observations and without") { rounds in
    let folder = try TemporaryFolder()
    var figures: [Figure] = []

    // 100 observations of other tables, and of the table that is written.
    for (name, table, limit) in [
        ("100 inserts beside 100 observations", "other", 1.10), ("100 inserts, observed 100 times", "sample", nil),
    ] {
        let path = folder.path("\(table).sqlite")
        let plain = try ObservedFile(path: path + "-plain")
        let observed = try ObservedFile(path: path)
        // The observers never take their first values, so that nothing is fetched again.
        let fetches = DispatchSemaphore(value: 0)
        let iterators = (0..<100).map { number in
            ValueObservation.tracking { db in
                defer { fetches.signal() }
                return try Row.fetchAll(db, sql: "SELECT * FROM \(table) WHERE value = ?", arguments: [number]).count
            }.values(in: observed.writer).makeAsyncIterator()
        }
        for _ in iterators { fetches.wait() }
        try withExtendedLifetime(iterators) {
            let ratio = try ObservedFile.ratio(rounds * 20, { try observed.insert(100) }, { try plain.insert(100) })
            figures.append(Figure(name: name, value: ratio.value, unit: "times", atMost: limit))
            figures.append(Figure(name: "\(name), for each observation", value: ratio.difference * 10, unit: "µs"))
        }
    }

    // Commits in a row, with an observer that takes all that it can. With a queue, its fetches take turns with the commits.
    for (kind, isQueue, synchronous, count, limit) in [
        ("pool", false, "NORMAL", 10_000, 2.5), ("pool on disk", false, "FULL", 2_000, 1.4), ("queue", true, "NORMAL", 10_000, nil),
    ] {
        let plain = try ObservedFile(path: folder.path("plain-\(kind).sqlite"), isQueue: isQueue, synchronous: synchronous)
        let observed = try ObservedFile(path: folder.path("observed-\(kind).sqlite"), isQueue: isQueue, synchronous: synchronous)
        let deliveries = Deliveries()
        let observation = ValueObservation.tracking { db in try Int.fetchOne(db, sql: "SELECT max(id) FROM sample") ?? 0 }
        let cancellable = observation.start(in: observed.writer, scheduling: .async(onQueue: DispatchQueue(label: "values"))) {
            fail("\($0)")
        } onChange: {
            deliveries.add($0)
        }
        let ratio = try ObservedFile.ratio(
            max(rounds / 4, 3), { for _ in 0..<count { try observed.insert(1) } }, { for _ in 0..<count { try plain.insert(1) } })
        let last = try observed.writer.read { try Int.fetchOne($0, sql: "SELECT max(id) FROM sample") ?? 0 }
        deliveries.wait(for: last)
        cancellable.cancel()
        let values = Double(deliveries.count) * 1_000 / Double(last)
        figures.append(Figure(name: "\(count) commits in a row, observed once, \(kind)", value: ratio.value, unit: "times", atMost: limit))
        figures.append(Figure(name: "values delivered during 1,000 commits, \(kind)", value: values, unit: "values"))
    }
    return figures
}

/// How long a value takes from its commit to its observer.
let observedLatency = Probe(name: "observed-latency", summary: "from the commit to the observer, beyond the fetch") { rounds in
    let folder = try TemporaryFolder()
    var figures: [Figure] = []
    let writers: [(String, any DatabaseWriter)] = [
        ("queue", try DatabaseQueue(path: folder.path("queue.sqlite"), configuration: observedConfiguration())),
        ("pool", try DatabasePool(path: folder.path("pool.sqlite"), configuration: observedConfiguration())),
    ]
    for (name, writer) in writers {
        try writer.write { try $0.execute(sql: "CREATE TABLE sample (id INTEGER PRIMARY KEY, value INTEGER)") }
        let deliveries = Deliveries()
        let fetches = Deliveries()
        let observation = ValueObservation.tracking { db in
            let start = ContinuousClock.now
            defer { fetches.add(0, taking: start.duration(to: .now)) }
            return try Int.fetchOne(db, sql: "SELECT max(id) FROM sample") ?? 0
        }
        let cancellable = observation.start(in: writer, scheduling: .async(onQueue: DispatchQueue(label: "values"))) {
            fail("\($0)")
        } onChange: {
            deliveries.add($0)
        }
        deliveries.wait(for: 0)
        var latencies: [Double] = []
        for number in 1...(rounds * 20) {
            let start = try writer.write { db in
                try db.execute(sql: "INSERT INTO sample (value) VALUES (1)")
                return ContinuousClock.now
            }
            let end = deliveries.wait(for: number)
            latencies.append((start.duration(to: end) - fetches.lastDuration).milliseconds)
        }
        cancellable.cancel()
        figures.append(Figure(name: "\(name), with the commit", value: latencies.median, unit: "ms", atMost: 0.3))
    }

    // Another process commits.
    for kind in ["queue", "pool"] {
        let path = folder.path("\(kind)-others.sqlite")
        var configuration = observedConfiguration()
        configuration.observesOtherProcesses = true
        let writer: any DatabaseWriter =
            kind == "queue"
            ? try DatabaseQueue(path: path, configuration: configuration) : try DatabasePool(path: path, configuration: configuration)
        try writer.write { try $0.execute(sql: "CREATE TABLE sample (id INTEGER PRIMARY KEY, value INTEGER)") }
        let child = try CommittingProcess(path)
        let deliveries = Deliveries()
        let cancellable = ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT max(id) FROM sample") ?? 0 }
            .start(in: writer, scheduling: .async(onQueue: DispatchQueue(label: "values"))) {
                fail("\($0)")
            } onChange: {
                deliveries.add($0)
            }
        deliveries.wait(for: 0)
        var latencies: [Double] = []
        for number in 1...(rounds * 10) {
            let start = ContinuousClock.now
            try child.commit()
            latencies.append(start.duration(to: deliveries.wait(for: number)).milliseconds)
        }
        cancellable.cancel()
        figures.append(Figure(name: "\(kind), commits of another process", value: latencies.median, unit: "ms", atMost: 20))
        figures.append(Figure(name: "\(kind), commits of another process, longest", value: latencies.max() ?? 0, unit: "ms"))
    }

    // What a question for commits of others costs: there is one each second when nothing happens for long.
    for mode in ["WAL", "DELETE"] {
        let queue = try DatabaseQueue(path: folder.path("\(mode).sqlite"))
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = \(mode); CREATE TABLE t (a)") }
        var times: [Double] = []
        for _ in 0..<rounds {
            let time = try ContinuousClock().measure {
                for _ in 0..<1_000 { _ = try queue.writeWithoutTransaction { try $0.dataVersion() } }
            }
            times.append(time.milliseconds)
        }
        figures.append(Figure(name: "a question for other commits, \(mode)", value: times.median, unit: "µs"))
    }
    return figures
}

/// The configuration of all these databases: a WAL. With `NORMAL`, its commits don't wait for the disk, which would hide what they cost.
private func observedConfiguration(synchronous: String = "NORMAL") -> Configuration {
    var configuration = Configuration()
    configuration.journalMode = .wal
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = \(synchronous)") }
    return configuration
}

/// A database with a table of samples.
private struct ObservedFile {
    let writer: any DatabaseWriter

    init(path: String, isQueue: Bool = false, synchronous: String = "NORMAL") throws {
        let configuration = observedConfiguration(synchronous: synchronous)
        writer =
            isQueue
            ? try DatabaseQueue(path: path, configuration: configuration) : try DatabasePool(path: path, configuration: configuration)
        try writer.write { db in
            try db.execute(sql: "CREATE TABLE sample (id INTEGER PRIMARY KEY, value INTEGER)")
            try db.execute(sql: "CREATE TABLE other (id INTEGER PRIMARY KEY, value INTEGER)")
        }
    }

    /// Inserts a number of rows in a transaction.
    func insert(_ count: Int) throws {
        try writer.write { db in
            let statement = try db.cachedStatement(sql: "INSERT INTO sample (value) VALUES (?)")
            for number in 0..<count { try statement.execute(arguments: [number]) }
        }
    }

    /// Returns the ratio of the times of two closures, and their difference in milliseconds, as medians of rounds in which both run, in
    /// turns.
    static func ratio(
        _ rounds: Int, _ first: () throws -> Void, _ second: () throws -> Void
    ) throws -> (value: Double, difference: Double) {
        var times: [(Double, Double)] = []
        for round in 0..<(rounds + 2) {
            let clock = ContinuousClock()
            let (a, b): (Duration, Duration)
            if round.isMultiple(of: 2) {
                a = try clock.measure(first)
                b = try clock.measure(second)
            } else {
                b = try clock.measure(second)
                a = try clock.measure(first)
            }
            // The first rounds warm up.
            if round >= 2 { times.append((a.milliseconds, b.milliseconds)) }
        }
        return (times.map { $0.0 / $0.1 }.median, times.map { $0.0 - $0.1 }.median)
    }
}

/// The values that an observer has received.
///
/// `@unchecked Sendable`: the lock guards the properties.
private final class Deliveries: @unchecked Sendable {
    private let condition = NSCondition()
    private var last = -1
    private var lastTime = ContinuousClock.now
    private var duration = Duration.zero
    private var total = 0

    var count: Int { condition.withLock { total } }
    var lastDuration: Duration { condition.withLock { duration } }

    func add(_ value: Int, taking duration: Duration = .zero) {
        let now = ContinuousClock.now
        condition.withLock {
            last = value
            lastTime = now
            self.duration = duration
            total += 1
            condition.broadcast()
        }
    }

    /// Waits for a value, and returns the time when it came.
    @discardableResult
    func wait(for value: Int) -> ContinuousClock.Instant {
        condition.withLock {
            while last != value { condition.wait() }
            return lastTime
        }
    }
}

/// A child process that inserts a row and commits on command.
///
/// `@unchecked Sendable`: one thread uses it.
final class CommittingProcess: @unchecked Sendable {
    /// The option that makes this program such a process.
    static let option = "--commit-as-child"

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    init(_ path: String) throws {
        process.executableURL = Bundle.main.executableURL
        process.arguments = [Self.option, path]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Waits until the process has committed.
    func commit() throws {
        try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
        guard try output.fileHandleForReading.read(upToCount: 1)?.count == 1 else { fail("the child process has ended") }
    }

    /// In the child: commits for each line.
    static func runAsChild(_ path: String) {
        let connection = CConnection(path: path)
        while readLine() != nil {
            connection.execute("INSERT INTO sample (value) VALUES (1)")
            FileHandle.standardOutput.write(Data("\n".utf8))
        }
        withExtendedLifetime(connection) {}
    }
}
