import Strata
import Testing

/// Loads of files into tables with full-text indexes, which triggers keep up to date.
@Suite struct FullTextLoadTests {
    private func makeQueue() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE note (id INTEGER PRIMARY KEY, code TEXT UNIQUE, text TEXT NOT NULL)")
            try db.create(virtualTable: "note_ft", using: FTS5()) { t in
                t.synchronize(withTable: "note")
                t.column("text")
            }
            try db.create(virtualTable: "note_ft4", using: FTS4()) { t in
                t.synchronize(withTable: "note")
                t.column("text")
            }
        }
        return queue
    }

    /// Checks that the indexes have the texts of the table, and returns the number of rows.
    private func check(_ queue: DatabaseQueue) throws -> Int {
        try queue.write { db in
            try db.execute(sql: "INSERT INTO note_ft (note_ft, rank) VALUES ('integrity-check', 1)")
            try db.execute(sql: "INSERT INTO note_ft4 (note_ft4) VALUES ('integrity-check')")
            return try Int.fetchOne(db, sql: "SELECT count(*) FROM note") ?? 0
        }
    }

    private func text(_ ids: some Sequence<Int>, _ word: String, codes: Int) -> TextSource {
        .text("id,code,text\n" + ids.map { "\($0),c\($0 % codes),\($0 % 50 == 49 && word == "bad" ? "" : "\(word) \($0)")\n" }.joined())
    }

    @Test(arguments: [nil, .ignore, .replace] as [Database.ConflictResolution?])
    func `Indexes are up to date after loads with conflicts and bad records`(_ conflict: Database.ConflictResolution?) throws {
        let queue = try makeQueue()
        try queue.load(.csv(text(1...1000, "first", codes: 5000)), into: "note", portion: 300)
        try #expect(check(queue) == 1000)

        // Each second row has the id or the code of another row, also of the same file.
        let options = LoadOptions(rejects: .handler(limit: .max) { _ in })
        let ids = (0..<900).map { $0 % 2 == 0 ? 2000 + $0 : $0 + 1 }
        try queue.load(.csv(text(ids, "bad", codes: 1500)), into: "note", options: options, onConflict: conflict, portion: 300)
        let count = try check(queue)
        #expect(count > (conflict == .replace ? 500 : 1000))
        let matches = try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM note_ft WHERE note_ft MATCH 'first OR bad'") }
        #expect(matches == count)
    }

    @Test
    func `A load without rejected records is undone in the indexes, too`() throws {
        let queue = try makeQueue()
        #expect(throws: LoadError.self) {
            try queue.write { try $0.load(.csv(text(1...500, "bad", codes: 5000)), into: "note") }
        }
        try #expect(check(queue) == 0)
        try queue.load(.csv(text(1...500, "good", codes: 5000)), into: "note")
        try #expect(check(queue) == 500)
    }
}
