import Foundation
import Strata

// One of several processes that use a database file at once, with three threads each.
//
//     contention-process PATH KIND SEED TRANSACTIONS
//     contention-process PATH KIND SEED SECONDSs
//     contention-process PATH KIND SEED INCREMENTSi
//
// The kind of connection is pool or queue. Each thread runs a number of transactions, or as many as it can in a time; or eight tasks increment
// a number. At the end the process prints lines with a name and a number.

/// Uses a database file with three threads.
func useDatabase(_ path: String, kind: String, seed: UInt64, limit: String) throws {
    let seconds = limit.hasSuffix("s") ? Int(limit.dropLast()) : nil
    let count = seconds == nil ? Int(limit) ?? 0 : .max
    let end = ContinuousClock.now + .seconds(seconds ?? 100_000)
    var configuration = Configuration()
    configuration.busyMode = .timeout(60)
    let writer: any DatabaseWriter =
        kind == "pool"
        ? try DatabasePool(path: path, configuration: configuration) : try DatabaseQueue(path: path, configuration: configuration)
    let counts = Counts()
    let threads = (1...3).map { number in
        let finished = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            var user = User(writer: writer, counts: counts, seed: seed &+ UInt64(number))
            var done = 0
            while done < count, ContinuousClock.now < end {
                user.work()
                done += 1
            }
            finished.signal()
        }
        return finished
    }
    for thread in threads { thread.wait() }
    try writer.close()
    for (name, count) in counts.all.sorted(by: { $0.key < $1.key }) { print(name, count) }
}

/// Increments a number in eight tasks, with the default configuration, and prints how long the transactions took, in microseconds.
func increment(_ path: String, kind: String, count: Int) async throws {
    let writer: any DatabaseWriter = kind == "pool" ? try DatabasePool(path: path) : try DatabaseQueue(path: path)
    let durations = try await withThrowingTaskGroup(of: [Int].self) { group in
        for task in 0..<8 {
            group.addTask {
                var durations: [Int] = []
                for _ in stride(from: task, to: count, by: 8) {
                    let begin = ContinuousClock.now
                    try await writer.write { db in
                        let value = try Int.fetchOne(db, sql: "SELECT value FROM counter") ?? 0
                        try db.execute(sql: "UPDATE counter SET value = ?", arguments: [value + 1])
                    }
                    durations.append(Int(begin.duration(to: .now) / .microseconds(1)))
                }
                return durations
            }
        }
        return try await group.reduce(into: []) { $0 += $1 }.sorted()
    }
    try writer.close()
    print("increments", durations.count)
    for duration in durations { print("duration", duration) }
}

let arguments = CommandLine.arguments
guard arguments.count == 5, let seed = UInt64(arguments[3]) else { exit(2) }
if arguments[4].hasSuffix("i") {
    try await increment(arguments[1], kind: arguments[2], count: Int(arguments[4].dropLast()) ?? 0)
} else {
    try useDatabase(arguments[1], kind: arguments[2], seed: seed, limit: arguments[4])
}
