import CSQLite
import Foundation
import Strata

// Opens, uses and closes databases many times, and fails if something is left: SQLite's memory, file descriptors or threads.
//
//     leak-process ROUNDS

guard CommandLine.arguments.count == 2, let rounds = Int(CommandLine.arguments[1]) else { exit(2) }
let folder = FileManager.default.temporaryDirectory.appendingPathComponent("strata-leaks-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)

/// What a process has.
struct Resources: CustomStringConvertible {
    let memory = sqlite3_memory_used()
    let files = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count) ?? 0
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0

    var description: String { "\(memory) bytes of SQLite, \(files) file descriptors, \(threads) threads" }
}

// Without open databases, SQLite has no memory at all: make sure that it counts, unless it was compiled not to, as Apple's.
let isCounting = try DatabaseQueue().read { db in
    try Resources().memory > 0 || String.fetchAll(db, sql: "PRAGMA compile_options").contains("DEFAULT_MEMSTATUS=0")
}
guard isCounting else {
    print("SQLite does not count its memory")
    exit(1)
}

// The first rounds make what a program keeps: what SQLite and Foundation allocate once, and threads of the dispatch library.
for number in 0..<12 { try await LeakRound(number, folder).run() }
let before = Resources()
var mostThreads = before.threads
for number in 0..<rounds {
    try await LeakRound(number, folder).run()
    if number % 100 == 0 { mostThreads = max(mostThreads, Resources().threads) }
}
let after = Resources()
try FileManager.default.removeItem(at: folder)
print("\(rounds) rounds; before: \(before); after: \(after); at most \(mostThreads) threads")
// The dispatch library keeps as many threads as were busy at the same time.
if after.memory > before.memory || after.files > before.files || mostThreads > before.threads + 16 { exit(1) }
