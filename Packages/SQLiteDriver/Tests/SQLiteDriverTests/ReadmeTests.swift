import Foundation
import SQLiteDriver
import Testing

// The samples of the README, line for line, as `make lint` checks. The tests compare what the samples print.

/// Collects what samples print.
final class ReadmeOutput: @unchecked Sendable {
    private let lock = NSLock()
    private var collected: [String] = []

    var lines: [String] { lock.withLock { collected } }

    func print(_ items: Any...) {
        lock.withLock { collected.append(items.map { "\($0)" }.joined(separator: " ")) }
    }
}

extension DatabaseWriter {
    /// Creates the table that the samples about books use.
    func makeBooks() throws {
        try write { db in
            try db.execute(
                sql: """
                    CREATE TABLE book (
                        id INTEGER PRIMARY KEY, title TEXT NOT NULL UNIQUE, year INTEGER, price REAL, cover BLOB
                    );
                    INSERT INTO book VALUES (1, 'Moby-Dick', 1851, 9.5, x'0102'), (2, 'Middlemarch', 1871, NULL, NULL)
                    """)
        }
    }
}

@Suite struct ReadmeTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("library.sqlite")
    }

    @Test("The first sample")
    func theFirstSample() throws {
        let output = ReadmeOutput()
        func print(_ items: Any...) { output.print(items[0]) }

        // In memory. For a file: DatabaseQueue(path: "/path/to/library.sqlite")
        let queue = try DatabaseQueue()

        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT NOT NULL, year INTEGER)
                    """)
            let statement = try db.makeStatement(
                sql: "INSERT INTO book (title, year) VALUES (:title, :year)")
            try statement.execute(arguments: ["title": "Moby-Dick", "year": 1851])
            try statement.execute(arguments: ["title": "Beowulf", "year": nil])
        }

        try queue.read { db in
            let books = try db.makeStatement(
                sql: "SELECT title, year FROM book WHERE title > ? ORDER BY title")
            try books.setArguments(["A"])
            while try books.step() {
                let title = books.string(at: 0) ?? ""
                let year = books.int64(at: 1).map { "\($0)" } ?? "unknown"
                print("\(title): \(year)")
            }
        }
        #expect(output.lines == ["Beowulf: unknown", "Moby-Dick: 1851"])
    }

    @Test("Opening")
    func opening() throws {
        let queue = try DatabaseQueue(path: path)  // a file, with one connection
        let pool = try DatabasePool(path: path)  // a file, with one connection that writes, and several that read
        let memory = try DatabaseQueue()  // in memory, its own
        let cache = try DatabaseQueue(named: "cache")  // in memory, shared by the queues of this name in the process

        var configuration = Configuration()
        configuration.readonly = true
        let reader = try DatabaseQueue(path: path, configuration: configuration)

        try queue.close()  // not needed: connections close with their owner

        expectError(.SQLITE_MISUSE) { try queue.read { _ in } }
        try pool.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        #expect(try reader.read { try $0.tableExists("t") })
        expectError(.SQLITE_READONLY) { try reader.write { try $0.execute(sql: "DROP TABLE t") } }
        try cache.write { try $0.execute(sql: "CREATE TABLE c (a)") }
        #expect(try DatabaseQueue(named: "cache").read { try $0.tableExists("c") })
        #expect(try !memory.read { try $0.tableExists("c") })
    }

    @Test("Running SQL")
    func runningSQL() throws {
        let output = ReadmeOutput()
        func print(_ items: Any...) { output.print(items[0]) }
        let queue = try DatabaseQueue()

        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, born INTEGER);
                    CREATE TABLE work (id INTEGER PRIMARY KEY, authorID INTEGER NOT NULL REFERENCES author, title TEXT NOT NULL);
                    """)
            try db.execute(sql: "INSERT INTO author (name, born) VALUES (?, ?)", arguments: ["Herman Melville", 1819])
            try db.execute(
                sql: "INSERT INTO work (authorID, title) VALUES (:author, :title)",
                arguments: ["author": db.lastInsertedRowID, "title": "Moby-Dick"])
            try db.execute(sql: "DELETE FROM author WHERE born > ?", arguments: [1900])
            print("\(db.changesCount) deleted, \(db.totalChangesCount) changed in all")
        }
        #expect(output.lines == ["0 deleted, 2 changed in all"])

        try queue.write { db in
            try db.execute(sql: "INSERT INTO work (authorID, title) VALUES (1, 'Omoo')")
            let ids = [1, 2, 3]
            let marks = ids.map { _ in "?" }.joined(separator: ", ")
            try db.execute(
                sql: "DELETE FROM work WHERE id IN (\(marks)) AND title <> :title",
                arguments: StatementArguments(ids) + ["title": "Moby-Dick"])
            #expect(try db.texts("SELECT title FROM work") == ["Moby-Dick"])

            let script = try db.allStatements(
                sql: """
                    UPDATE work SET title = ? WHERE id = 1;  -- comments and empty statements are skipped
                    SELECT title FROM work;
                    """,
                arguments: ["The Whale"])
            while let statement = try script.next() {
                while try statement.step() {
                    print(statement.string(at: 0) ?? "NULL")
                }
            }
        }
        #expect(output.lines.last == "The Whale")
    }

    enum Shelf: Int64, StatementBinding {
        case fiction = 1, science = 2

        func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
            rawValue.bind(to: sqliteStatement, at: index)
        }
    }

    @Test("Arguments of your own types")
    func argumentsOfYourOwnTypes() throws {
        try DatabaseQueue().writeWithoutTransaction { (db) throws in
            #expect(try db.values("SELECT ?", [Shelf.science]) == [.integer(2)])
            #expect(db.maximumStatementArgumentCount > 0)
        }
    }

    @Test("Statements and their values")
    func statementsAndTheirValues() throws {
        let output = ReadmeOutput()
        func print(_ items: Any...) { output.print(items.map { "\($0)" }.joined(separator: " ")) }
        let queue = try DatabaseQueue()
        try queue.makeBooks()
        try queue.read { (db) throws in
            let query = try db.cachedStatement(sql: "SELECT id, title, price, cover FROM book WHERE title LIKE ? ORDER BY id")
            try query.setArguments(["M%"])
            while try query.step() {
                let id = query.int64(at: 0)
                let title = query.string(at: 1)
                let price = query.double(at: 2)
                let coverSize = query.withUnsafeBytes(at: 3) { $0?.count ?? 0 }  // without copying
                print(id ?? 0, title ?? "–", price ?? 0, coverSize)
            }
            #expect(output.lines == ["1 Moby-Dick 9.5 2", "2 Middlemarch 0.0 0"])
            #expect(query.columnNames == ["id", "title", "price", "cover"])
        }
        try queue.read { (db) throws in
            let query = try db.makeStatement(sql: "SELECT column1 FROM (VALUES (NULL), (1), (1.5), ('a'), (x'0a0b'))")
            while try query.step() {
                switch query.databaseValue(at: 0).storage {
                case .null: print("nothing")
                case .int64(let integer): print("an integer: \(integer)")
                case .double(let real): print("a real: \(real)")
                case .string(let text): print("a text: \(text)")
                case .blob(let data): print("\(data.count) bytes")
                }
            }
        }
        #expect(output.lines.suffix(5) == ["nothing", "an integer: 1", "a real: 1.5", "a text: a", "2 bytes"])
    }

    /// The README's table of conversions.
    @Test("The conversions")
    func theConversions() throws {
        try DatabaseQueue().read { (db) throws in
            let row = try db.makeStatement(sql: "SELECT 1, 1.5, 'abc', x'6162', NULL, x'ff', 1e300")
            try #require(try row.step())
            #expect((0..<7).map { row.int64(at: $0) } == [1, 1, nil, nil, nil, nil, nil])
            #expect((0..<7).map { row.double(at: $0) } == [1, 1.5, nil, nil, nil, nil, 1e300])
            #expect((0..<7).map { row.string(at: $0) } == [nil, nil, "abc", "ab", nil, nil, nil])
            #expect((0..<7).map { row.data(at: $0)?.count } == [nil, nil, 3, 2, nil, 1, nil])
            #expect((0..<7).map { row.withUnsafeBytes(at: $0) { $0?.count } } == [nil, nil, 3, 2, nil, 1, nil])
        }
    }

    @Test("Transactions")
    func transactions() throws {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE account (id INTEGER PRIMARY KEY, balance)") }
        try queue.write { try $0.execute(sql: "INSERT INTO account VALUES (1, 10), (2, 5)") }

        try queue.inTransaction(.exclusive) { db in
            try db.execute(sql: "UPDATE account SET balance = balance - 10 WHERE id = 1")
            try db.inSavepoint {
                try db.execute(sql: "UPDATE account SET balance = balance + 10 WHERE id = 2")
                return db.changesCount == 1 ? .commit : .rollback  // this part alone
            }
            return .commit
        }
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA user_version = 2")  // each statement by itself
            try db.beginTransaction(.deferred)
            try db.execute(sql: "DELETE FROM account WHERE balance = 0")
            try db.commit()  // or rollback()
        }

        #expect(try queue.read { try $0.integers("SELECT balance FROM account") } == [15])
        #expect(try queue.read { try $0.integers("PRAGMA user_version") } == [2])
    }
}
