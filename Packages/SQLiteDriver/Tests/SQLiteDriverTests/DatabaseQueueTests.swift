import SQLiteDriver
import Testing

@Suite struct DatabaseQueueTests {
    @Test func aQueueInMemoryReadsWhatItWrote() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE player (name TEXT)")
            try db.execute(sql: "INSERT INTO player VALUES (?)", arguments: ["Arthur"])
        }
        let name = try queue.read { db in
            let statement = try db.makeStatement(sql: "SELECT name FROM player")
            return try statement.step() ? statement.string(at: 0) : nil
        }
        #expect(name == "Arthur")
    }
}
