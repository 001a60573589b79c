import SQLiteDriver
import Testing

@Suite struct ReadmeTests {
    @Test func theSampleOfTheReadmeWorks() throws {
        var lines: [String] = []
        func print(_ line: String) { lines.append(line) }

        let queue = try DatabaseQueue()  // in memory; DatabaseQueue(path: "/path/to/library.sqlite") for a file

        try queue.write { db in
            try db.execute(sql: "CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT NOT NULL, year INTEGER)")
            let statement = try db.makeStatement(sql: "INSERT INTO book (title, year) VALUES (:title, :year)")
            try statement.execute(arguments: ["title": "Moby-Dick", "year": 1851])
            try statement.execute(arguments: ["title": "Beowulf", "year": nil])
        }

        try queue.read { db in
            let books = try db.makeStatement(sql: "SELECT title, year FROM book WHERE title > ? ORDER BY title")
            try books.setArguments(["A"])
            while try books.step() {
                let title = books.string(at: 0) ?? ""
                let year = books.int64(at: 1).map { "\($0)" } ?? "unknown"
                print("\(title): \(year)")
            }
        }
        #expect(lines == ["Beowulf: unknown", "Moby-Dick: 1851"])
    }
}
