import Foundation
import Strata
import Testing

/// Ends processes that load a file in portions. In `make soak`, 100 times in each journal mode, by each signal.
@Suite(.serialized) struct LoadKillTests {
    private static let killCount = ProcessInfo.processInfo.environment["STRATA_LOAD_KILLS"].flatMap { Int($0) } ?? 2
    private static let rowCount = 1000

    /// Whether a row violates a constraint: also one of the first portion.
    private static func isBad(_ id: Int) -> Bool { id % 97 == 3 }

    @Test(arguments: ["WAL", "DELETE"], [SIGKILL, SIGTERM])
    func `A load that a signal ends at any moment, and is called again, inserts each row once`(
        _ journalMode: String, _ signal: CInt
    ) throws {
        let folder = try TemporaryFolder()
        let path = try Maker.library.makeDatabase(
            named: "k.sqlite", in: folder, sql: "PRAGMA journal_mode = \(journalMode); CREATE TABLE t (id INTEGER, name TEXT NOT NULL)"
        ).path
        let csv = "id,name\r\n" + (1...Self.rowCount).map { "\($0),\(Self.isBad($0) ? "" : "\"name\r\n \($0)\"")\r\n" }.joined()
        try folder.write(csv, to: "k.csv")
        let rejects = folder.path("rejects.csv")
        let arguments = ["load", path, "t", folder.path("k.csv"), "--portion=7", "--rejects", rejects]
        let queue = try DatabaseQueue(path: path)
        func loadedCount() -> Int { (try? queue.read { try Int.fetchOne($0, sql: "SELECT max(rowid) FROM t") }) ?? 0 }

        let good = (1...Self.rowCount).filter { !Self.isBad($0) }
        var random = SeededGenerator(seed: 55)
        var (kills, misses) = (0, 0)
        while kills < Self.killCount {
            let command = try RunningCommand(arguments)
            // From its beginning on, or in one of the last portions: the earlier, the more loads have ended before.
            let target =
                kills % 2 == 0
                ? loadedCount() + Int.random(in: 0...200, using: &random) - 20
                : good.count - Int.random(in: 0...30, using: &random) - 30 * misses
            command.wait { loadedCount() > target }
            for _ in 0..<Int.random(in: 0...300, using: &random) { sched_yield() }
            command.send(signal)
            let ending = try command.end()
            if ending.signal == signal { (kills, misses) = (kills + 1, 0) } else { misses += 1 }
            #expect(ending.signal == signal || ending.status == 0, "\(ending)")
            let rows = try queue.read { try Row.fetchAll($0, sql: "SELECT id, name FROM t ORDER BY rowid") }
            let ids = rows.map { $0["id"] as Int }
            #expect(ids == Array(good.prefix(ids.count)))
            #expect(rows.allSatisfy { $0["name"] == "name\r\n \($0["id"] as Int)" })
            let name = folder.path("k.csv")
            let position = try queue.read { try $0.interruptedLoad(named: name, into: "t") }
            #expect(ending.signal == nil ? position == nil : (position?.rowCount ?? ids.count) == ids.count)
            // Only SIGKILL comes between the last commit and the end of the process.
            if signal == SIGTERM, ending.signal != nil { #expect(position != nil || ids.isEmpty, "\(ending)") }
            if ids.count == good.count, position == nil {
                try check(rejects)
                try queue.write { try $0.execute(sql: "DELETE FROM t") }
                try FileManager.default.removeItem(atPath: rejects)
            }
        }
        // A load whose last portion was committed before it was killed has no position, and has begun again above.
        let result = strata(arguments)
        #expect(result.status == 0, "\(result)")
        try #expect(queue.read { try Int.fetchAll($0, sql: "SELECT id FROM t ORDER BY rowid") } == good)
        try check(rejects)
        try #expect(queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM strata_loads") } == 0)
    }

    /// Each bad row is there once.
    private func check(_ rejects: String) throws {
        let lines = try String(contentsOfFile: rejects, encoding: .utf8).split(separator: "\n")
        let bad = (1...Self.rowCount).filter(Self.isBad)
        #expect(lines.dropFirst().compactMap { Int($0.split(separator: ",")[2]) } == bad)
    }
}
