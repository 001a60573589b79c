import Foundation
import Strata
import Testing

@Suite(.page)
struct StrataQueriesSamples {
    // sample: Overview 2

    // sample: Fetch related records 1

    // sample: Fetch related records 3

    // sample: Fetch related records 5

    // sample: Name the properties of related records 1

    // sample: Filter and count by related records 2

    // sample: Build a request, then fetch 2

    // sample: Columns that know their types 1

    // sample: Use columns of joined tables 1

    private func makeQueue() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { db in
            // sample: Overview 1
            try Author(id: 1, name: "Jules Verne").insert(db)
            try Author(id: 2, name: "H. G. Wells").insert(db)
            try Author(id: 3, name: "Samuel Butler").insert(db)
            try Book(id: 1, authorId: 1, title: "From the Earth to the Moon", year: 1865).insert(db)
            try Book(id: 2, authorId: 1, title: "Paris in the 20th Century", year: nil).insert(db)
            try Book(id: 3, authorId: 2, title: "The Time Machine", year: 1895).insert(db)
            try Book(id: 4, authorId: 2, title: "The First Men in the Moon", year: 1901).insert(db)
        }
        return queue
    }

    @Test
    func `Requests are built, then fetched`() throws {
        try makeQueue().read { db in
            // sample: Build a request, then fetch 1
            #expect(books.map(\.id) == [3, 1])
            #expect(latest?.id == 3)
            #expect(count == 2)
            #expect(!isEmpty)

            try #expect(self.books(matching: nil, since: nil).fetchCount(db) == 4)
            try #expect(self.books(matching: "moon", since: nil).order { $0.year }.fetchAll(db).map(\.id) == [1, 4])
            try #expect(self.books(matching: "moon", since: 1900).fetchAll(db).map(\.id) == [4])
        }
    }

    @Test
    func `Columns know their types`() throws {
        try makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE job (id INTEGER PRIMARY KEY, state TEXT, priority INTEGER, finished DATETIME)")
            try Job(id: 1, state: .queued, priority: 4).insert(db)
            try Job(id: 2, state: .running, priority: 4).insert(db)
            // sample: Columns that know their types 2
            #expect(jobs.map(\.id) == [1])
            try #expect(Job.filter { $0.state == .failed }.fetchCount(db) == 2)
        }
    }

    @Test
    func `Values and groups are selected`() throws {
        try makeQueue().read { db in
            // sample: Single values, groups and sums 1
            #expect(titles.count == 4)
            #expect(titles.first == "From the Earth to the Moon")
            #expect(firstYear == 1865)
            #expect(counts.map(\.author) == [1, 2])
            #expect(counts.map(\.books) == [2, 2])
        }
    }

    @Test
    func `Related records are fetched together`() throws {
        try makeQueue().read { db in
            // sample: Fetch related records 2
            #expect(infos.map(\.author.name) == ["Jules Verne", "Jules Verne", "H. G. Wells", "H. G. Wells"])
            #expect(infos.first?.book.title == "From the Earth to the Moon")

            // sample: Fetch related records 4
            #expect(authors.map(\.author.id) == [2, 1, 3])
            #expect(authors.map { $0.books.map(\.id) } == [[3, 4], [2, 1], []])

            // sample: Fetch related records 6
            #expect(bibliographies.map(\.titles.count) == [2, 2, 0])
            #expect(bibliographies.first?.titles == ["The Time Machine", "The First Men in the Moon"])

            // sample: Fetch related records 7
            #expect(latest.map { $0.books.map(\.id) } == [[4, 3], [1, 2], []])
        }
    }

    @Test
    func `The key of an association names a property`() throws {
        try makeQueue().read { db in
            // sample: Name the properties of related records 2
            #expect(authors.map(\.works.count) == [2, 2, 0])
        }
    }

    @Test
    func `Related records filter and count`() throws {
        try makeQueue().read { db in
            // sample: Filter and count by related records 1
            #expect(published.map(\.id) == [1, 2])
            #expect(verne.map(\.id) == [1, 2])

            // sample: Filter and count by related records 3
            #expect(bookCounts.map(\.bookCount) == [2, 2, 0])

            let author = try Author.find(db, key: 2)
            // sample: Filter and count by related records 4
            #expect(books.map(\.id) == [4, 3])
        }
    }

    @Test
    func `Requests use columns of joined tables`() throws {
        try makeQueue().read { db in
            // sample: Use columns of joined tables 4
            #expect(rows.map { $0["latest"] } == [1901, 1865, nil])

            // sample: Use columns of joined tables 5
            #expect(titles.map(\.id) == [2, 3, 4])

            let error = #expect(throws: DatabaseError.self) {
                try Author.joining(optional: Author.books).select(Book.Columns.title).asRequest(of: String.self).fetchAll(db)
            }
            #expect(error?.message?.contains("no such column: author.title") == true)
            #expect(error?.description.contains("book, not author, has the column title") == true)
        }
    }

    @Test
    func `Columns know their tables`() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE invoice (id INTEGER PRIMARY KEY, total INTEGER);
                    CREATE TABLE payment (id INTEGER PRIMARY KEY, invoiceId INTEGER REFERENCES invoice, amount INTEGER);
                    INSERT INTO invoice VALUES (1, 10), (2, 20), (3, 5);
                    INSERT INTO payment VALUES (7, 1, 5), (8, 1, 5), (9, 3, 6);
                    """)
            // sample: Use columns of joined tables 2
            #expect(counts.map { $0["n"] } == [2, 0, 1])

            // sample: Use columns of joined tables 3
            #expect(overpaid == [3])

            let twice = Payment.joining(required: Payment.belongsTo(Invoice.self))
                .joining(required: Payment.belongsTo(Invoice.self, key: "other"))
            #expect(throws: DatabaseError.self) { try twice.filter(Invoice.Columns.id == 1).fetchCount(db) }
        }
    }

    @Test
    func `Many rows are changed at once`() throws {
        try makeQueue().write { db in
            // sample: Change many rows at once 1
            #expect(deletedCount == 1)
            try #expect(Book.find(db, key: 1).year == 1866)
        }
    }

    @Test
    func `SQL is written where it is clearer, and shown`() throws {
        try makeQueue().read { db in
            // sample: Write SQL where it is clearer 1
            #expect(book?.year != nil)
            try #expect(century.fetchAll(db).map(\.id) == [1, 3])
            #expect(years == [1865, 1895, 1901])

            // sample: See what runs 1
        }
    }
}
