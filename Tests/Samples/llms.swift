import Foundation
import Strata
import Testing

@Suite(.page)
struct AssistantSamples {
    // sample: Strata 1

    // sample: 1. The key of an association is not the name of its property 1

    private func withLibrary(_ body: (DatabaseQueue, Database) throws -> Void) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("library.sqlite")
        // sample: Strata 2
        #expect(books.isEmpty)
        try queue.write { db in
            try Author(id: 1, name: "Joyce").insert(db)
            try body(queue, db)
        }
        try queue.close()
    }

    @Test
    func `The sample of a program runs`() throws {
        try withLibrary { _, db throws in
            #expect(try Author.fetchCount(db) == 1)
        }
    }

    @Test
    func `1: the key of an association`() throws {
        struct WrongInfo: Decodable, FetchableRecord {
            var author: Author
            var works: [Book]
        }
        try withLibrary { _, db throws in
            // sample: 1. The key of an association is not the name of its property 2
            #expect(infos.map(\.books.count) == [0])
            #expect(infos.map(\.author.name) == ["Joyce"])
            #expect(throws: RowDecodingError.self) {
                try Author.including(all: Author.works).asRequest(of: WrongInfo.self).fetchAll(db)
            }
        }
    }

    @Test
    func `2: lists and assignments`() throws {
        try withLibrary { _, db throws in
            // sample: 2. Lists of columns are arrays, and assignments are calls 1
            #expect(try sorted.fetchCount(db) == 0)
        }
    }

    @Test
    func `3: comparisons with NULL`() throws {
        try withLibrary { _, db throws in
            var book = Book(id: nil, authorId: 1, title: "Ulysses", year: nil)
            try book.insert(db)
            // sample: 3. A comparison with NULL is not true 1
            #expect(try others.fetchCount(db) == 1)
            #expect(try Book.filter { $0.year != 1900 }.fetchCount(db) == 0)
        }
    }

    @Test
    func `4: values in SQL`() throws {
        try withLibrary { _, db throws in
            let title = "O'Brien"
            var book = Book(id: nil, authorId: 1, title: title, year: nil)
            try book.insert(db)
            // sample: 4. Values don't belong into SQL strings 1
            #expect(found.map(\.id) == [1] && same.map(\.id) == [1])
        }
    }

    // sample: 5. An access inside an access throws SQLITE_MISUSE 1

    @Test
    func `5 and 6: accesses`() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);
                    CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER, title TEXT, year INTEGER)
                    """)
            #expect(throws: DatabaseError.self) { try queue.read { _ in } }
        }
        var books = [Book(id: nil, authorId: 1, title: "Persuasion", year: 1817)]
        // sample: 6. Each `write` waits for the disk 1
        // sample: 5. An access inside an access throws SQLITE_MISUSE 2
        #expect(books.map(\.id) == [1])
        #expect(try queue.read { try Book.fetchAll($0).map(\.title) } == ["Emma"])
    }

    @Test
    func `7: related records`() throws {
        try withLibrary { _, db throws in
            // sample: 7. Related records are not fetched in a loop 1
            #expect(rows.map { $0["bookCount"] as Int } == [0])
        }
    }

    @Test
    func `8: the id of a new row`() throws {
        try withLibrary { _, db throws in
            // sample: 8. Without `didInsert`, the id stays nil 1
        }
    }

    @Test
    func `9: dates`() throws {
        try withLibrary { _, db throws in
            // sample: 9. `Date()` is not equal to the date that is read back 1
            #expect(try Date.fetchOne(db, sql: "SELECT ?", arguments: [date]) == date)
            let other = Date(timeIntervalSinceReferenceDate: 0.123_456)
            #expect(try Date.fetchOne(db, sql: "SELECT ?", arguments: [other]) != other)
        }
    }

    @Test
    func `10: money`() throws {
        struct Payment: TableRecord {
            enum Columns {
                static let cents = Column("cents")
            }
        }
        try withDatabase("CREATE TABLE payment (cents INTEGER); INSERT INTO payment VALUES (10), (20)") { db throws in
            // sample: 10. SQL computes with decimals as with reals 1
            #expect(total == 30)
        }
    }
}
