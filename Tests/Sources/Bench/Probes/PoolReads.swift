import CSQLite
import Foundation
import Strata

/// Reads from one thread and from two, while another thread commits a change every few milliseconds.
let poolReads = Probe(name: "pool-reads", summary: "reads of 200 orders through a pool, while a writer commits") { rounds in
    let folder = try TemporaryFolder()
    let path = folder.path("pool.sqlite")
    let pool = try DatabasePool(path: path)
    try pool.write { db in
        try db.execute(sql: Order.createTable)
        try db.execute(sql: Order.fillTable(count: 20_000))
    }
    let handles = (0..<2).map { _ in HandReader(path: path) }
    let strata = Reader { start in
        try pool.read { db in
            let wait = start.duration(to: .now)
            let orders = try OrderByName.fetchAll(db, sql: #"SELECT * FROM "order" WHERE id BETWEEN ? AND ?"#, arguments: [4_001, 4_200])
            return (orders.count, wait)
        }
    }
    let write: @Sendable (Int) throws -> Void = { number in
        try pool.write { try $0.execute(sql: #"UPDATE "order" SET freight = ? WHERE id = ?"#, arguments: [1.5, number % 20_000 + 1]) }
    }

    var results: [String: [ReadingTimes]] = [:]
    for round in 0...rounds {
        let times = [
            "C API, one thread": try read(with: [handles[0].reader], writing: write),
            "C API, two threads": try read(with: handles.map(\.reader), writing: write),
            "one thread": try read(with: [strata], writing: write),
            "two threads": try read(with: [strata, strata], writing: write),
        ]
        // The first round warms up.
        if round > 0 { for (key, times) in times { results[key, default: []].append(times) } }
    }
    func ratio(_ key: String, _ other: String) -> Double {
        zip(results[key] ?? [], results[other] ?? []).map { $0.readsPerSecond / $1.readsPerSecond }.median
    }
    var figures: [Figure] = []
    for key in ["C API, one thread", "C API, two threads", "one thread", "two threads"] {
        let times = results[key] ?? []
        figures.append(Figure(name: key, value: times.map(\.readsPerSecond).median, unit: "reads/s"))
        figures.append(Figure(name: "\(key), longest wait for a connection", value: times.map(\.longestWait).max() ?? 0, unit: "ms"))
    }
    figures.append(
        Figure(name: "two threads to one, C API", value: ratio("C API, two threads", "C API, one thread"), unit: "times"))
    figures.append(
        Figure(name: "two threads to one", value: ratio("two threads", "one thread"), unit: "times", atLeast: 1.7))
    return figures
}

private struct ReadingTimes {
    let readsPerSecond: Double
    /// Milliseconds from asking for a connection to having it.
    let longestWait: Double
}

/// Reads 200 orders, and returns their number and the waiting time.
private struct Reader: Sendable {
    let read: @Sendable (ContinuousClock.Instant) throws -> (Int, Duration)
}

/// Reads by hand, with a connection of its own, which no other thread uses in the meantime.
private final class HandReader: @unchecked Sendable {
    private let connection: CConnection
    private let statement: OpaquePointer

    init(path: String) {
        connection = CConnection(path: path)
        statement = connection.prepare(#"SELECT * FROM "order" WHERE id BETWEEN ? AND ?"#)
    }

    var reader: Reader {
        Reader { [self] start in
            connection.inTransaction("BEGIN DEFERRED TRANSACTION") {
                let wait = start.duration(to: .now)
                sqlite3_bind_int64(statement, 1, 4_001)
                sqlite3_bind_int64(statement, 2, 4_200)
                var orders: [Order] = []
                while sqlite3_step(statement) == SQLITE_ROW {
                    orders.append(Order(statement))
                }
                sqlite3_reset(statement)
                return (orders.count, wait)
            }
        }
    }
}

/// What the threads of one measurement share.
private final class Progress: @unchecked Sendable {
    private let lock = NSLock()
    private var isOver = false
    private(set) var reads = 0
    private(set) var longestWait = Duration.zero

    func stop() { lock.withLock { isOver = true } }
    var isStopped: Bool { lock.withLock { isOver } }

    func add(reads: Int, longestWait: Duration) {
        lock.withLock {
            self.reads += reads
            self.longestWait = max(self.longestWait, longestWait)
        }
    }
}

/// Lets each reader read on a thread of its own for a quarter of a second.
private func read(with readers: [Reader], writing write: @escaping @Sendable (Int) throws -> Void) throws -> ReadingTimes {
    let progress = Progress()
    let group = DispatchGroup()
    func onThread(_ body: @escaping @Sendable () throws -> Void) {
        group.enter()
        Thread.detachNewThread {
            do { try body() } catch { fail("\(error)") }
            group.leave()
        }
    }
    onThread {
        var number = 0
        while !progress.isStopped {
            try write(number)
            number += 1
            // A steady load, not as many commits as there can be: those would measure the disk.
            usleep(5_000)
        }
    }
    let start = ContinuousClock.now
    for reader in readers {
        onThread {
            var reads = 0
            var longestWait = Duration.zero
            while start.duration(to: .now) < .milliseconds(250) {
                let (count, wait) = try reader.read(.now)
                guard count == 200 else { fail("\(count) orders instead of 200") }
                reads += 1
                longestWait = max(longestWait, wait)
            }
            progress.add(reads: reads, longestWait: longestWait)
            progress.stop()
        }
    }
    group.wait()
    let seconds = start.duration(to: .now).milliseconds / 1_000
    return ReadingTimes(readsPerSecond: Double(progress.reads) / seconds, longestWait: progress.longestWait.milliseconds)
}
