import Foundation
import Strata
import Testing

@Suite(.page)
struct StrataTestingSamples {
    // sample: Pass the database in 1

    // sample: Test what happens when writing fails 1

    // sample: Pass the database in 2

    // sample: Decide what time it is 1

    @Test
    func `A copy of a file can be changed`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("library.sqlite")
        let original = try Library(DatabaseQueue(path: path))
        try original.add("Emma")

        // sample: Start with data 1
        try Library(queue).add("Ulysses")
        try #expect(Library(queue).titles() == ["Emma", "Ulysses"])
        try #expect(original.titles() == ["Emma"])

        let schema = try DatabaseQueue.inMemorySchemaCopy(of: queue)
        try #expect(Library(schema).titles() == [])
    }

    @Test
    func `The SQL of a closure is recorded`() throws {
        let queue = try DatabaseQueue()
        let library = try Library(queue)
        try library.add("Emma")
        // sample: Test the SQL that runs 1
        #expect(titles == ["Emma"])
    }

    @Test
    func `A migration is tested with rows of the version before`() throws {
        var migrator = Library.migrator
        migrator.registerMigration("Add pages") { db in
            try db.alter(table: "book") { t in t.add(column: "pages", .integer).notNull().defaults(to: 0) }
        }
        // sample: Test migrations 1
    }

    @Test
    func `A refused commit changes nothing`() throws {
        // sample: Test what happens when writing fails 2
    }

    @Test
    func `Tables are printed`() throws {
        var configuration = Configuration()
        configuration.transactionClock = .custom { _ in Date(timeIntervalSince1970: 1_795_422_600) }
        let library = try Library(DatabaseQueue(configuration: configuration))
        try library.add("Emma")
        // sample: When a test fails 1
    }
}
