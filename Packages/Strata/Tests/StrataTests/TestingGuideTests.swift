import Foundation
import Strata
import Testing

@Suite("Samples of the guide Testing")
struct TestingGuideTests {
    struct Library: Sendable {
        let database: any DatabaseWriter

        init(_ database: any DatabaseWriter) throws {
            self.database = database
            try Library.migrator.migrate(database)
        }

        static var migrator: DatabaseMigrator {
            var migrator = DatabaseMigrator()
            migrator.registerMigration("Create book") { db in
                try db.create(table: "book") { t in
                    t.autoIncrementedPrimaryKey("id")
                    t.column("title", .text).notNull().unique()
                    t.column("added", .datetime).notNull()
                }
            }
            return migrator
        }

        func add(_ title: String) throws {
            try database.write { db in
                try db.execute(
                    literal: """
                        INSERT INTO book (title, added)
                        VALUES (\(title), \(db.transactionDate))
                        """)
            }
        }

        func titles() throws -> [String] {
            try database.read { db in
                try String.fetchAll(db, sql: "SELECT title FROM book ORDER BY title")
            }
        }
    }

    final class FullDisk: TransactionObserver {
        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseWillCommit() throws {
            throw DatabaseError(resultCode: .SQLITE_FULL)
        }
        func databaseDidCommit(_ db: Database) {}
        func databaseDidRollback(_ db: Database) {}
    }

    @Test func titlesAreInOrder() throws {
        let library = try Library(DatabaseQueue())  // in memory, and this test's own
        try library.add("Ulysses")
        try library.add("Emma")
        #expect(try library.titles() == ["Emma", "Ulysses"])
    }

    @Test func booksHaveTheDateOfTheirTransaction() throws {
        let date = Date(timeIntervalSince1970: 1_795_422_600)
        var configuration = Configuration()
        configuration.transactionClock = .custom { _ in date }

        let library = try Library(DatabaseQueue(configuration: configuration))
        try library.add("Emma")
        let added = try library.database.read { db in
            try Date.fetchOne(db, sql: "SELECT added FROM book")
        }
        #expect(added == date)
    }

    @Test("A copy of a file can be changed")
    func copies() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("library.sqlite")
        let original = try Library(DatabaseQueue(path: path))
        try original.add("Emma")

        let queue = try DatabaseQueue.inMemoryCopy(fromPath: path)
        try Library(queue).add("Ulysses")
        try #expect(Library(queue).titles() == ["Emma", "Ulysses"])
        try #expect(original.titles() == ["Emma"])

        let schema = try DatabaseQueue.inMemorySchemaCopy(of: queue)
        try #expect(Library(schema).titles() == [])
    }

    @Test("The SQL of a closure is recorded")
    func statements() throws {
        let queue = try DatabaseQueue()
        let library = try Library(queue)
        try library.add("Emma")
        let (titles, statements) = try queue.recordingSQL { try library.titles() }
        let selects = statements.filter { $0.hasPrefix("SELECT") }
        #expect(selects == ["SELECT title FROM book ORDER BY title"])
        #expect(titles == ["Emma"])
    }

    @Test("A migration is tested with rows of the version before")
    func migrations() throws {
        var migrator = Library.migrator
        migrator.registerMigration("Add pages") { db in
            try db.alter(table: "book") { t in t.add(column: "pages", .integer).notNull().defaults(to: 0) }
        }
        let queue = try DatabaseQueue()
        try migrator.migrate(queue, upTo: "Create book")
        try queue.write { db in
            try db.execute(
                sql: "INSERT INTO book (title, added) VALUES ('Emma', '2026-01-01')")
        }
        try migrator.migrate(queue)
        let pages = try queue.read { db in
            try Int.fetchOne(db, sql: "SELECT pages FROM book WHERE title = 'Emma'")
        }
        #expect(pages == 0)
    }

    @Test("A refused commit changes nothing")
    func failures() throws {
        let library = try Library(DatabaseQueue())
        let disk = FullDisk()
        library.database.add(transactionObserver: disk)
        #expect(throws: DatabaseError.self) { try library.add("Emma") }
        #expect(try library.titles() == [])
    }

    @Test("Tables are printed")
    func dumps() throws {
        var configuration = Configuration()
        configuration.transactionClock = .custom { _ in Date(timeIntervalSince1970: 1_795_422_600) }
        let library = try Library(DatabaseQueue(configuration: configuration))
        try library.add("Emma")
        // ┌────┬───────┬─────────────────────────┐
        // │ id │ title │          added          │
        // ├────┼───────┼─────────────────────────┤
        // │  1 │ Emma  │ 2026-11-23 08:30:00.000 │
        // └────┴───────┴─────────────────────────┘
        try library.database.dumpTables(["book"], format: .box())
        var text = ""
        try library.database.dumpTables(["book"], format: .box(), to: &text)
        #expect(text.split(separator: "\n")[3] == "│  1 │ Emma  │ 2026-11-23 08:30:00.000 │")
    }
}
