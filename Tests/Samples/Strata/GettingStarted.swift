import Foundation
import Strata
import Testing

// sample: Describe a record 1

// sample: Open the database 1

@Suite(.page)
struct StrataGettingStartedSamples {
    /// Runs main.swift of the guide with a file and arguments, and returns the lines that it prints.
    private func run(_ words: [String], path: String) throws -> [String] {
        let printedBefore = printed.count
        func openNotes(at _: String) throws -> DatabaseQueue { try StrataPages.openNotes(at: path) }
        struct Arguments { var arguments: [String] }
        let CommandLine = Arguments(arguments: ["Notes"] + words)

        // sample: Store and fetch 1
        return Array(printed.dropFirst(printedBefore))
    }

    @Test
    func `The program stores a note per run, and prints the notes that are not done`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("notes.sqlite")

        #expect(try run([], path: path) == [])
        #expect(try run(["Read", "the", "guides"], path: path) == ["1 Read the guides"])
        #expect(try run(["Buy", "milk"], path: path) == ["2 Buy milk", "1 Read the guides"])

        let queue = try openNotes(at: path)
        try queue.write { db in try db.execute(sql: "UPDATE note SET isDone = 1 WHERE id = 2") }
        #expect(try run([], path: path) == ["1 Read the guides"])
    }
}
