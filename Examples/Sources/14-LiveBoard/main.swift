// 14. A live board
//
// The samples that the astronauts collect on the Moon, while they collect them. A second process writes them into the database: this
// program, started with the argument "--collect". This process observes the database, and shows a board: in a terminal, the board is
// redrawn in place; otherwise, each change is printed in a line.
//
// Next: 15. A server.

import ExampleSupport
import Foundation
import Strata

/// A landing, and the mass that was collected there so far.
struct Landing: Codable, Equatable, Identifiable, FetchableRecord, PersistableRecord {
    var mission: Int
    var site: String
    var grams = 0

    var id: Int { mission }
}

// MARK: The second process

/// Writes the landings, and their samples in ten portions.
func collect(into path: String) async throws {
    let queue = try DatabaseQueue(path: path)
    for record in try readCSV("landings") {
        var landing = Landing(mission: try record.integer("mission"), site: try record.text("site"))
        let total = try grams(record)
        try await queue.write { [landing] db in try landing.insert(db) }
        for portion in 1...10 {
            try await Task.sleep(for: .milliseconds(40))
            landing.grams = total * portion / 10
            try await queue.write { [landing] db in try landing.update(db) }
        }
    }
}

func grams(_ record: CSVRow) throws -> Int { Int((try record.number("samples_kg") * 1_000).rounded()) }

/// Starts this program a second time.
func startCollecting(into path: String, onFailure: @escaping @Sendable () -> Void) throws -> Process {
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["--collect", path]
    process.terminationHandler = { if $0.terminationStatus != 0 { onFailure() } }
    try process.run()
    return process
}

// MARK: The board

/// Shows the landings.
struct Board {
    private let isTerminal = isatty(STDOUT_FILENO) != 0
    private var lineCount = 0
    /// The grams that each mission will bring.
    let totals: [Int: Int]

    init() throws {
        totals = try Dictionary(uniqueKeysWithValues: readCSV("landings").map { (try $0.integer("mission"), try grams($0)) })
    }

    /// Whether everything was collected.
    func isComplete(_ landings: [Landing]) -> Bool {
        landings.map(\.grams).reduce(0, +) == totals.values.reduce(0, +)
    }

    mutating func show(_ changes: ListChanges<Landing>) {
        if isTerminal {
            redraw(changes.elements)
        } else {
            printNews(changes)
        }
    }

    private mutating func redraw(_ landings: [Landing]) {
        // Moves back to the first line of the board, and clears the rest of the screen.
        if lineCount > 0 { print("\u{1B}[\(lineCount)A\u{1B}[J", terminator: "") }
        for landing in landings {
            let bar = String(repeating: "█", count: landing.grams / 2_000)
            print("Apollo \(landing.mission)  \(kilograms(landing).leftPadded(to: 9))  \(bar) \(landing.site)")
        }
        lineCount = landings.count
        fflush(nil)
    }

    private func printNews(_ changes: ListChanges<Landing>) {
        for insertion in changes.insertions {
            print("Apollo \(insertion.element.mission) has landed: \(insertion.element.site)")
        }
        // Values in between are skipped when this process is busy, but never the last one.
        for landing in changes.insertions.map(\.element) + changes.updates.map(\.element) where landing.grams == totals[landing.mission] {
            print("Apollo \(landing.mission) has all its samples: \(kilograms(landing))")
        }
    }

    private func kilograms(_ landing: Landing) -> String { "\(decimal(Double(landing.grams) / 1_000)) kg" }
}

extension String {
    func leftPadded(to width: Int) -> String { String(repeating: " ", count: max(width - count, 0)) + self }
}

// MARK: The program

await runProgram {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.first == "--collect", let path = arguments.last {
        return try await collect(into: path)
    }

    let path = try newDatabasePath("14-live-board")
    var configuration = Configuration()
    // Without this, only the changes of this process would count.
    configuration.observesOtherProcesses = true
    let pool = try DatabasePool(path: path, configuration: configuration)
    try await pool.write { db in
        try db.create(table: "landing") { t in
            t.primaryKey("mission", .integer)
            t.column("site", .text).notNull()
            t.column("grams", .integer).notNull()
        }
    }

    // The first value, and then another one after each change: here as differences from the previous value.
    let observation = ValueObservation.tracking { db in
        try Landing.order(Column("grams").desc, Column("mission")).fetchAll(db)
    }
    let showing = Task {
        var board = try Board()
        for try await changes in observation.changes().values(in: pool) {
            board.show(changes)
            // Leaving the loop ends the observation. So does cancelling the task.
            if board.isComplete(changes.elements) { break }
        }
    }
    let process = try startCollecting(into: path) { showing.cancel() }
    try await showing.value
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw ExampleError("the samples could not be collected") }

    let order = try await pool.read { db in
        try Int.fetchAll(db, Landing.order(Column("grams").desc).select(Column("mission")))
    }
    print("From most to least: Apollo \(order.map(String.init).joined(separator: ", "))")
}
