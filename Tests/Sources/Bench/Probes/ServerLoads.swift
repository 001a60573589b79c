import CSQLite
import Foundation
import Strata

/// Reads and updates of a row by its key, by tasks through a pool, and by as many threads with the C API. Both with `synchronous = NORMAL`.
let serverLoads = Probe(name: "server-loads", summary: "reads and updates by key, by 1 to 512 tasks") { rounds in
    var figures: [Figure] = []
    func measure(_ load: ServerLoad, _ count: Int) throws {
        for server in [try HandServer(count), try PoolServer()] as [any LoadServer] {
            figures += try server.figures(of: load, count, seconds: min(Double(rounds) / 10, 3))
        }
    }
    for reads in [100, 0, 90] {
        for count in [1, 8, 64, 512] { try measure(ServerLoad(reads: reads), count) }
    }
    for company in ServerLoad.Company.allCases { try measure(ServerLoad(reads: 90, company: company), 8) }
    return figures
}

/// What the tasks of a server do.
struct ServerLoad: Sendable {
    /// What runs beside them, again and again, in a task of its own.
    enum Company: String, CaseIterable, Sendable {
        case longRead = "a long read"
        case checkpoint = "checkpoints"
        case vacuum = "VACUUM"

        var sql: String {
            switch self {
            // Half a second.
            case .longRead: "SELECT count(*) FROM account a, account b WHERE b.id <= 30 AND a.name < b.name"
            case .checkpoint: "PRAGMA wal_checkpoint"
            case .vacuum: "VACUUM"
            }
        }
    }

    static let rowCount = 100_000
    static let schema = """
        CREATE TABLE account (id INTEGER PRIMARY KEY, name TEXT NOT NULL, balance INTEGER NOT NULL);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rowCount))
            INSERT INTO account SELECT i, 'account ' || i || hex(zeroblob(40)), 1000 FROM n;
        """
    static let read = "SELECT id, name, balance FROM account WHERE id = ?"
    static let update = "UPDATE account SET balance = balance + 1 WHERE id = ?"

    /// How many of a hundred accesses read. The others update.
    let reads: Int
    var company: Company?

    var name: String {
        let name = reads == 100 ? "reads" : reads == 0 ? "updates" : "\(reads) to \(100 - reads)"
        return company.map { "\(name) beside \($0.rawValue)" } ?? name
    }
}

/// A database that tasks or threads use at the same time.
protocol LoadServer: Sendable {
    var name: String { get }
    var logPath: String { get }

    /// Calls a closure for each of a number of tasks, which run at the same time, and one for their company. Returns when all have ended.
    func run(_ load: ServerLoad, _ count: Int, _ clock: LoadClock) throws
}

extension LoadServer {
    func figures(of load: ServerLoad, _ count: Int, seconds: Double) throws -> [Figure] {
        // The first part warms up.
        try run(ServerLoad(reads: load.reads), count, LoadClock(seconds: seconds / 5))
        let clock = LoadClock(seconds: seconds)
        try run(load, count, clock)
        let name = "\(load.name), \(count) \(name)"
        var figures = [Figure(name: "\(name)", value: Double(clock.times.count) / clock.duration, unit: "/s")]
        figures += clock.times.percentiles(name)
        if load.reads < 100 {
            let size = (try FileManager.default.attributesOfItem(atPath: logPath)[.size] as? Int) ?? 0
            figures.append(Figure(name: "\(name), log", value: Double(size) / 1e6, unit: "MB"))
        }
        return figures
    }
}

/// The time that a load runs, and the durations of its accesses.
final class LoadClock: @unchecked Sendable {
    private let start = ContinuousClock.now
    private let seconds: Double
    private let lock = NSLock()
    /// In nanoseconds. The lock guards the properties.
    private(set) var times: [UInt32] = []
    private(set) var duration = 0.0

    init(seconds: Double) { self.seconds = seconds }

    var isOver: Bool { start.duration(to: .now) / .seconds(1) >= seconds }

    func add(_ times: [UInt32]) {
        lock.withLock {
            self.times += times
            duration = start.duration(to: .now) / .seconds(1)
        }
    }
}

extension ContinuousClock.Instant {
    fileprivate var nanosecondsUntilNow: UInt32 { UInt32(clamping: Int(duration(to: .now) / .nanoseconds(1))) }
}

extension [UInt32] {
    /// The durations, in nanoseconds, that most of them don't exceed.
    fileprivate func percentiles(_ name: String) -> [Figure] {
        let times = sorted()
        return [50, 99, 99.9].map { percentile in
            let time = times[Swift.min(Int(Double(count) * percentile / 100), count - 1)]
            return Figure(name: "\(name), p\(percentile.formatted())", value: Double(time) / 1e6, unit: "ms")
        }
    }
}

// MARK: - Through Strata

final class PoolServer: LoadServer {
    let name = "tasks"
    var logPath: String { pool.path + "-wal" }
    let pool: DatabasePool
    private let folder: TemporaryFolder
    /// Whether updates share commits.
    private let sharesCommits: Bool

    init(sharingCommits sharesCommits: Bool = false, _ change: (inout Configuration) -> Void = { _ in }) throws {
        self.sharesCommits = sharesCommits
        folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.synchronous = .normal
        change(&configuration)
        pool = try DatabasePool(path: folder.path("pool.sqlite"), configuration: configuration)
        try pool.write { try $0.execute(sql: ServerLoad.schema) }
        try pool.checkpoint(.truncate)
    }

    func run(_ load: ServerLoad, _ count: Int, _ clock: LoadClock) throws {
        let hasEnded = DispatchSemaphore(value: 0)
        Task {
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<count { group.addTask { await self.serve(load, number, clock) } }
                if let company = load.company { group.addTask { await self.accompany(company, clock) } }
            }
            hasEnded.signal()
        }
        hasEnded.wait()
    }

    private func serve(_ load: ServerLoad, _ number: Int, _ clock: LoadClock) async {
        var random = SeededGenerator(seed: UInt64(number))
        var times: [UInt32] = []
        do {
            while !clock.isOver {
                let id = Int64.random(in: 1...Int64(ServerLoad.rowCount), using: &random)
                let isRead = Int.random(in: 0..<100, using: &random) < load.reads
                let start = ContinuousClock.now
                if isRead {
                    let name = try await pool.read { db in
                        let statement = try db.cachedStatement(sql: ServerLoad.read)
                        defer { statement.reset() }
                        try statement.setArguments([id])
                        return try statement.step() ? statement.string(at: 1) : nil
                    }
                    if name == nil { fail("a row is missing") }
                } else {
                    let update: @Sendable (Database) throws -> Void = { db in
                        let statement = try db.cachedStatement(sql: ServerLoad.update)
                        try statement.execute(arguments: [id])
                    }
                    if sharesCommits { try await pool.write(.repeatable, update) } else { try await pool.write(update) }
                }
                times.append(start.nanosecondsUntilNow)
            }
        } catch {
            fail("\(error)")
        }
        clock.add(times)
    }

    private func accompany(_ company: ServerLoad.Company, _ clock: LoadClock) async {
        do {
            while !clock.isOver {
                switch company {
                case .longRead: try await pool.read { try $0.execute(sql: company.sql) }
                case .checkpoint, .vacuum: try await pool.writeWithoutTransaction { try $0.execute(sql: company.sql) }
                }
            }
        } catch {
            fail("\(error)")
        }
    }
}

// MARK: - The size of the log

/// Reads of 200 ms, of which one always begins before another ends, with 500 updates a second, and reads by key, for 20 seconds: with and
/// without a limit for the size of the log.
let logBound = Probe(name: "log-size", summary: "the log under overlapping reads of 200 ms, with and without maximumLogSize") { rounds in
    var figures: [Figure] = []
    for limit in [nil, 8_000_000] {
        let server = try PoolServer { $0.maximumLogSize = limit }
        let clock = LoadClock(seconds: min(Double(rounds) / 31 * 20, 20))
        let size = Locked(0)
        let times = Locked<[UInt32]>([])
        func onThread(_ group: DispatchGroup, _ body: @escaping @Sendable () throws -> Void) {
            group.enter()
            Thread.detachNewThread {
                do { while !clock.isOver { try body() } } catch { fail("\(error)") }
                group.leave()
            }
        }
        let group = DispatchGroup()
        for number in 0..<3 {
            usleep(UInt32(number) * 70_000)
            onThread(group) {
                try server.pool.read { db in
                    try db.execute(sql: "SELECT 1 FROM account")
                    usleep(200_000)
                }
            }
        }
        onThread(group) {
            usleep(2_000)
            try server.pool.write { db in try db.execute(sql: ServerLoad.update, arguments: [Int.random(in: 1...ServerLoad.rowCount)]) }
            size.withLock { $0 = max($0, server.pool.status().logSize ?? 0) }
        }
        onThread(group) {
            usleep(1_000)
            let start = ContinuousClock.now
            try server.pool.read { try $0.execute(sql: ServerLoad.read, arguments: [Int.random(in: 1...ServerLoad.rowCount)]) }
            let time = start.nanosecondsUntilNow
            times.withLock { $0.append(time) }
        }
        group.wait()
        let name = limit.map { "maximumLogSize \($0 / 1_000_000) MB" } ?? "no limit"
        figures.append(
            Figure(name: "\(name), log", value: Double(size.value) / 1e6, unit: "MB", atMost: limit.map { 2 * Double($0) / 1e6 }))
        figures += times.value.percentiles("\(name), reads by key")
    }
    return figures
}

// MARK: - By hand

/// A connection for each thread that reads, and one that writes, with a lock.
private final class HandServer: LoadServer {
    let name = "threads, C API"
    let logPath: String
    private let folder: TemporaryFolder
    private let writer: HandConnection
    private let readers: [HandConnection]
    private let lock = NSLock()

    init(_ count: Int) throws {
        folder = try TemporaryFolder()
        let path = folder.path("c.sqlite")
        logPath = path + "-wal"
        let connection = CConnection(path: path)
        connection.execute("PRAGMA journal_mode = WAL; \(ServerLoad.schema) PRAGMA wal_checkpoint(TRUNCATE)")
        writer = HandConnection(path)
        // One more for the company.
        readers = (0...count).map { _ in HandConnection(path) }
    }

    func run(_ load: ServerLoad, _ count: Int, _ clock: LoadClock) throws {
        let group = DispatchGroup()
        func onThread(_ body: @escaping @Sendable () -> Void) {
            group.enter()
            let thread = Thread {
                body()
                group.leave()
            }
            thread.stackSize = 256 * 1024
            thread.start()
        }
        for number in 0..<count { onThread { self.serve(load, number, clock) } }
        if let company = load.company {
            onThread {
                while !clock.isOver {
                    if company == .longRead {
                        self.readers[count].execute(company.sql)
                    } else {
                        self.lock.withLock { self.writer.execute(company.sql) }
                    }
                }
            }
        }
        group.wait()
    }

    private func serve(_ load: ServerLoad, _ number: Int, _ clock: LoadClock) {
        var random = SeededGenerator(seed: UInt64(number))
        var times: [UInt32] = []
        while !clock.isOver {
            let id = Int64.random(in: 1...Int64(ServerLoad.rowCount), using: &random)
            let isRead = Int.random(in: 0..<100, using: &random) < load.reads
            let start = ContinuousClock.now
            if isRead { readers[number].read(id) } else { lock.withLock { writer.update(id) } }
            times.append(start.nanosecondsUntilNow)
        }
        clock.add(times)
    }
}

/// A connection that one thread uses at a time.
private final class HandConnection: @unchecked Sendable {
    private let connection: CConnection
    private let statements: [OpaquePointer]

    init(_ path: String) {
        let connection = CConnection(path: path)
        self.connection = connection
        connection.execute("PRAGMA synchronous = NORMAL")
        statements = [ServerLoad.read, ServerLoad.update, "BEGIN IMMEDIATE", "COMMIT"].map { connection.prepare($0) }
    }

    func execute(_ sql: String) { connection.execute(sql) }

    func read(_ id: Int64) {
        sqlite3_bind_int64(statements[0], 1, id)
        guard sqlite3_step(statements[0]) == SQLITE_ROW, text(statements[0], 1) != nil else { fail("a row is missing") }
        sqlite3_reset(statements[0])
    }

    func update(_ id: Int64) {
        connection.run(statements[2])
        sqlite3_bind_int64(statements[1], 1, id)
        connection.run(statements[1])
        connection.run(statements[3])
    }
}
