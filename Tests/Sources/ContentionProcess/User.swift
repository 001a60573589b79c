import Foundation
import Strata

/// What the threads of a process have done.
///
/// `@unchecked Sendable`: the lock guards the counts.
final class Counts: @unchecked Sendable {
    private let lock = NSLock()
    private var counts: [String: Int] = [:]

    var all: [String: Int] { lock.withLock { counts } }

    func add(_ name: String) {
        lock.withLock { counts[name, default: 0] += 1 }
    }
}

/// A thread's use of the database.
struct User {
    let writer: any DatabaseWriter
    let counts: Counts
    private var random: SeededGenerator
    private let table: String

    init(writer: any DatabaseWriter, counts: Counts, seed: UInt64) {
        self.writer = writer
        self.counts = counts
        random = SeededGenerator(seed: seed)
        table = "own \(seed)"
    }

    /// Does something at random, and counts it.
    mutating func work() {
        do {
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<45: try increment()
            case 45..<70: try transfer()
            case 70..<90: try read()
            case 90..<94: try changeSchema()
            case 94..<98: try checkpoint()
            default: try backUp()
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY || error.resultCode == .SQLITE_LOCKED {
            counts.add("busy")
            FileHandle.standardError.write(Data("\(error)\n".utf8))
        } catch {
            counts.add("errors")
            FileHandle.standardError.write(Data("\(error)\n".utf8))
        }
    }

    /// Reads a number, and writes the next one: an update is lost if another comes between.
    private func increment() throws {
        try writer.write { db in
            let value = try Int.fetchOne(db, sql: "SELECT value FROM counter") ?? 0
            try db.execute(sql: "UPDATE counter SET value = ?", arguments: [value + 1])
        }
        counts.add("increments")
        counts.add("commits")
    }

    private mutating func transfer() throws {
        let (from, to) = (Int.random(in: 1...50, using: &random), Int.random(in: 1...50, using: &random))
        let amount = Int.random(in: 1...10, using: &random)
        try writer.write { db in
            try db.execute(sql: "UPDATE account SET balance = balance - ? WHERE id = ?", arguments: [amount, from])
            try db.execute(sql: "UPDATE account SET balance = balance + ? WHERE id = ?", arguments: [amount, to])
        }
        counts.add("commits")
    }

    private func read() throws {
        let sums = try writer.read { db in
            // Two statements see the same state.
            [
                try Int.fetchOne(db, sql: "SELECT sum(balance) FROM account") ?? 0,
                try Row.fetchAll(db, sql: "SELECT balance FROM account").reduce(0) { $0 + ($1[0] as Int) },
            ]
        }
        check(sums)
        counts.add("reads")
    }

    private func check(_ sums: [Int]) {
        for sum in sums where sum != 5000 { counts.add("wrong sums") }
    }

    private func changeSchema() throws {
        try writer.write { db in
            if try db.tableExists(table) {
                try db.drop(table: table)
            } else {
                try db.create(table: table) { t in
                    t.autoIncrementedPrimaryKey("id")
                    t.column("name", .text).indexed()
                }
            }
        }
        counts.add("schema changes")
        counts.add("commits")
    }

    private mutating func checkpoint() throws {
        let mode: Database.CheckpointMode = Bool.random(using: &random) ? .passive : .truncate
        try writer.writeWithoutTransaction { db in _ = try db.checkpoint(mode) }
        counts.add("checkpoints")
    }

    private func backUp() throws {
        let copy = try DatabaseQueue()
        try writer.backup(to: copy)
        check([try copy.read { try Int.fetchOne($0, sql: "SELECT sum(balance) FROM account") ?? 0 }])
        counts.add("backups")
    }
}
