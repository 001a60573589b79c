import Foundation
import Strata
import Testing

struct Note: Codable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var text: String
    var isDone: Bool

    enum Columns {
        static let text = Column(CodingKeys.text)
        static let isDone = Column(CodingKeys.isDone)
    }

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

func openNotes(at path: String) throws -> DatabaseQueue {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("Create note") { db in
        try db.create(table: "note") { t in
            t.autoIncrementedPrimaryKey("id")
            t.column("text", .text).notNull()
            t.column("isDone", .boolean).notNull().defaults(to: false)
        }
    }

    let queue = try DatabaseQueue(path: path)
    try migrator.migrate(queue)
    return queue
}

@Suite("Samples of the guide GettingStarted")
struct GettingStartedGuideTests {
    /// Runs main.swift of the guide with a file, arguments and a `print` of its own, and returns the lines that it prints.
    private func run(_ words: [String], path: String) throws -> [String] {
        var lines: [String] = []
        func print(_ line: String) { lines.append(line) }
        func openNotes(at _: String) throws -> DatabaseQueue { try StrataTests.openNotes(at: path) }
        struct Arguments { var arguments: [String] }
        let CommandLine = Arguments(arguments: ["Notes"] + words)

        let queue = try openNotes(at: "notes.sqlite")
        let text = CommandLine.arguments.dropFirst().joined(separator: " ")

        if !text.isEmpty {
            try queue.write { db in
                var note = Note(id: nil, text: text, isDone: false)
                try note.insert(db)
            }
        }

        // SELECT * FROM "note" WHERE NOT "isDone" ORDER BY "text"
        let notes = try queue.read { db in
            try Note.filter { !$0.isDone }.order { $0.text }.fetchAll(db)
        }
        for note in notes {
            print("\(note.id!) \(note.text)")
        }
        return lines
    }

    @Test("The program stores a note per run, and prints the notes that are not done")
    func program() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("notes.sqlite")

        #expect(try run([], path: path) == [])
        #expect(try run(["Read", "the", "guides"], path: path) == ["1 Read the guides"])
        #expect(try run(["Buy", "milk"], path: path) == ["2 Buy milk", "1 Read the guides"])

        let queue = try openNotes(at: path)
        try queue.write { db in try db.execute(sql: "UPDATE note SET isDone = 1 WHERE id = 2") }
        #expect(try run([], path: path) == ["1 Read the guides"])
    }

    @Test("The query's SQL is the one that the guide shows")
    func query() throws {
        let queue = try openNotes(at: ":memory:")
        try queue.read { db in
            let request = Note.filter { !$0.isDone }.order { $0.text }
            let statement = try request.makePreparedRequest(db, forSingleResult: false).statement
            #expect(statement.sql == #"SELECT * FROM "note" WHERE NOT "isDone" ORDER BY "text""#)
        }
    }
}
