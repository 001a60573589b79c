import Foundation
import Strata
import Testing

@Suite(.page)
struct StrataErrorsSamples {
    // sample: Constraints 1

    // sample: Values that are too large 2

    private struct User: Codable, FetchableRecord, PersistableRecord {
        var id: Int64
        var name: String
    }

    private func withUsers(_ body: (Database) throws -> Void) throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: "CREATE TABLE user (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE CHECK (name <> ''))")
            try body(db)
        }
    }

    @Test
    func `Violated constraints are distinguished`() throws {
        try withUsers { db in
            try #expect(register("Ada", in: db) == "Welcome, Ada.")
            try #expect(register("Ada", in: db) == "The name Ada is taken.")
            try #expect(register("", in: db) == "Wrong: name.")
            try #expect(User.fetchCount(db) == 1)
        }
    }

    @Test
    func `A missing row is an error with its key`() throws {
        try withUsers { db in
            // sample: Missing rows 1
            #expect(printed.count == 2)
        }
    }

    @Test
    func `A value that does not fit is an error that names the columns`() throws {
        try withUsers { db in
            // sample: Values that don't fit 1
        }
    }

    @Test
    func `A large value is stored in pieces`() throws {
        let folder = try TemporaryFolder()
        let content = Data((0..<250_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        let (source, target) = (folder.file("source"), folder.file("target"))
        try content.write(to: source)
        try Data().write(to: target)
        try DatabaseQueue().write { db in
            // sample: Values that are too large 1
            db.setLimit(.length, to: 150_000)
            #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO piece VALUES (1, 0, ?)", arguments: [content]) }
            try store(FileHandle(forReadingFrom: source), as: 1, pieceSize: 100_000, in: db)
            try #expect(Int.fetchAll(db, sql: "SELECT length(bytes) FROM piece ORDER BY number") == [100_000, 100_000, 50_000])
            try write(1, to: FileHandle(forWritingTo: target), in: db)
        }
        try #expect(Data(contentsOf: target) == content)
    }

    @Test
    func `Values are shown during development`() throws {
        // sample: What a log may contain 1
        let error = #expect(throws: RowDecodingError.self) {
            try DatabaseQueue(configuration: configuration).read { try User.fetchOne($0, sql: "SELECT 1 AS id, NULL AS name") }
        }
        #expect(error?.description.contains("row: [id:1 name:NULL]") == configuration.publicStatementArguments)
    }
}
