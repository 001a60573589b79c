import Foundation
import SQLiteDriver
import Testing

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

@Suite(.page)
struct SQLiteDriverSamples {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("library.sqlite")
    }

    @Test
    func `Busy callbacks`() throws {
        var configuration = Configuration()
        // The sample's own `Thread` need not sleep.
        enum Thread {
            static func sleep(forTimeInterval seconds: Double) { #expect(seconds == 0.01) }
        }

        // sample: Accesses 1

        guard case .callback(let callback) = configuration.busyMode else {
            Issue.record("It is another mode.")
            return
        }
        #expect(callback(99))
        #expect(!callback(100))
    }

    @Test
    func `The first sample`() throws {

        // sample: SQLiteDriver 1
        #expect(printed == ["Beowulf: unknown", "Moby-Dick: 1851"])
    }

    @Test
    func `The samples of opening databases`() throws {
        // sample: Opening a database 1

        expectError(.SQLITE_MISUSE) { try queue.read { _ in } }
        try pool.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        #expect(try reader.read { try $0.tableExists("t") })
        expectError(.SQLITE_READONLY) { try reader.write { try $0.execute(sql: "DROP TABLE t") } }
        try cache.write { try $0.execute(sql: "CREATE TABLE c (a)") }
        #expect(try DatabaseQueue(named: "cache").read { try $0.tableExists("c") })
        #expect(try !memory.read { try $0.tableExists("c") })
    }

    @Test
    func `Running SQL`() throws {
        let queue = try DatabaseQueue()

        // sample: Running SQL 1
        #expect(printed == ["0 deleted, 2 changed in all"])

        try queue.write { db in
            try db.execute(sql: "INSERT INTO work (authorID, title) VALUES (1, 'Omoo')")
            // sample: Running SQL 2
            #expect(try db.texts("SELECT title FROM work") == ["Moby-Dick"])
        }
    }

    // sample: Running SQL 3

    @Test
    func `Arguments of your own types`() throws {
        try DatabaseQueue().writeWithoutTransaction { (db) throws in
            #expect(try db.values("SELECT ?", [Shelf.science]) == [.integer(2)])
            #expect(db.maximumStatementArgumentCount > 0)
        }
    }

    @Test
    func `Statements and their values`() throws {
        let queue = try DatabaseQueue()
        try queue.read { (db) throws in
            let query = try db.makeStatement(sql: "SELECT column1 FROM (VALUES (NULL), (1), (1.5), ('a'), (x'0a0b'))")
            while try query.step() {
                // sample: Statements and their values 1
            }
        }
        #expect(printed == ["nothing", "an integer: 1", "a real: 1.5", "a string: a", "2 bytes"])
    }

    @Test
    func `The samples of transactions`() throws {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE account (id INTEGER PRIMARY KEY, balance)") }
        try queue.write { try $0.execute(sql: "INSERT INTO account VALUES (1, 10), (2, 5)") }

        // sample: Transactions 1

        #expect(try queue.read { try $0.integers("SELECT balance FROM account") } == [15])
        #expect(try queue.read { try $0.integers("PRAGMA user_version") } == [2])
    }

    @Test
    func `Schema questions`() throws {
        let queue = try DatabaseQueue()
        try queue.makeBooks()
        try queue.read { (db) throws in
            // sample: Schema information 1

            #expect(columns.map(\.name) == ["id", "title", "year", "price", "cover"])
            #expect(primaryKey.columns == ["id"])
            #expect(indexes.map(\.columns) == [["title"]])
            #expect(foreignKeys.isEmpty)
            #expect(isUnique && exists)
        }
    }

    @Test
    func `Functions aggregates and collations`() throws {
        // sample: Functions, aggregates and collations 1

        try queue.write { (db) throws in
            try db.execute(sql: "CREATE TABLE author (name); INSERT INTO author VALUES ('Herman Melville'), ('Homer')")
            #expect(try db.texts("SELECT initials(name) FROM author") == ["HM", "H"])
            #expect(try db.texts("SELECT name FROM author ORDER BY name COLLATE by_length") == ["Homer", "Herman Melville"])
        }
    }

    @Test
    func `Copies and maintenance`() throws {
        let pool = try DatabasePool(path: path)
        try pool.makeBooks()
        let queue = try DatabaseQueue(path: folder.path("queue.sqlite"))
        try queue.makeBooks()
        let copyPath = folder.path("copy.sqlite")
        let compactPath = folder.path("compact.sqlite")

        // sample: What else it has 1

        #expect(printed == ["3 of 3 pages"])
        #expect(try DatabaseQueue(path: compactPath).read { try $0.tableExists("book") })
        #expect(try copy.read { try !$0.tableExists("book") })
    }
}
