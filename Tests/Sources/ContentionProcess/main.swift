import Foundation
import Strata

// One of several processes that use a database file at once, with three threads each.
//
//     contention-process PATH KIND SEED TRANSACTIONS
//     contention-process PATH KIND SEED SECONDSs
//
// The kind of connection is pool or queue. Each thread runs a number of transactions, or as many as it can in a time. At the end the
// process prints lines with a name and a number.

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

let arguments = CommandLine.arguments
guard arguments.count == 5, let seed = UInt64(arguments[3]) else { exit(2) }
try useDatabase(arguments[1], kind: arguments[2], seed: seed, limit: arguments[4])
