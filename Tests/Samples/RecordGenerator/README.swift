import Foundation
import RecordGenerator
import Testing
import ValueConversion

@Suite(.page)
struct RecordGeneratorSamples {
    @Test
    func `A database becomes a file of records`() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL)") }
        let folder = try TemporaryFolder()
        let file = folder.path("Records.swift")

        // sample: In a program 1

        #expect(try String(contentsOfFile: file, encoding: .utf8).contains("struct Player: Codable"))
    }
}
