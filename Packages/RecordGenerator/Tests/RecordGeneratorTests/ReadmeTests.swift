import Foundation
import RecordGenerator
import Testing
import ValueConversion

/// The samples of the README.
@Suite struct ReadmeTests {
    @Test("A database becomes a file of records")
    func sample() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL)") }
        let folder = try TemporaryFolder()
        let file = folder.path("Records.swift")

        let model = try queue.read { db in try SchemaModel(db, source: "library.sqlite") }
        try RecordGenerator(model).code.write(
            toFile: file, atomically: true, encoding: .utf8)

        #expect(try String(contentsOfFile: file, encoding: .utf8).contains("struct Player: Codable"))
    }
}
