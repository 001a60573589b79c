import Foundation
import Strata

/// What tests pay that migrate a new database, in processor time. A debug build of the benchmarks measures what developers pay.
let newDatabases = Probe(
    name: "new-databases", summary: "40 migrations of three statements in a new database, beside 40 accesses, beside the C API"
) { rounds in
    let statements = (1...40).map { number in
        [
            "CREATE TABLE t\(number) (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER)",
            "CREATE INDEX i\(number) ON t\(number) (name)", "INSERT INTO t\(number) (name, score) VALUES ('a', 1)",
        ]
    }
    var migrator = DatabaseMigrator()
    for (number, statements) in statements.enumerated() {
        migrator.registerMigration("\(number)") { db in for sql in statements { try db.execute(sql: sql) } }
    }
    var times: [[Double]] = [[], [], []]
    for _ in 0..<max(rounds, 31) {
        let connection = CConnection()
        times[0].append(
            processorTime {
                for statements in statements { connection.inTransaction { for sql in statements { connection.execute(sql) } } }
            })
        var queue = try DatabaseQueue()
        times[1].append(
            try processorTime {
                for statements in statements { try queue.write { db in for sql in statements { try db.execute(sql: sql) } } }
            })
        queue = try DatabaseQueue()
        times[2].append(try processorTime { try migrator.migrate(queue) })
    }
    let medians = times.map(\.median)
    #if DEBUG
        let limit = 1.75
    #else
        let limit = 1.4
    #endif
    return [
        Figure(name: "40 accesses", value: medians[1], unit: "ms"),
        Figure(name: "accesses / C API", value: medians[1] / medians[0], unit: ""),
        Figure(name: "migrations / accesses", value: medians[2] / medians[1], unit: "", atMost: limit),
    ]
}

/// The milliseconds for which the process has used processors: other programs don't change them.
private func processorTime(_ body: () throws -> Void) rethrows -> Double {
    func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1_000 + Double(time.tv_nsec) / 1_000_000
    }
    let start = now()
    try body()
    return now() - start
}
