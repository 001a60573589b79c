// 16. SQL in files
//
// SQL stands in files: the migrations in Migrations/, with a step in Swift, and seven queries in Queries.sql. The command `strata` has checked
// them with SQLite, and has written the Swift functions that this program calls:
//
//     strata queries --write-schema --schema schema.sql .      schema.sql, and the checksums of the migrations
//     strata swift --sql schema.sql --output SchemaRecords.swift
//     strata queries --output . .                              Queries.sql.swift and Queries+Schema.swift
//
// In a package of your own, the plugin RecordsFromSchema does this at each build, or `generate-records` once: see the guide
// "SQL in files, Swift functions out".
//
// This is the last tutorial.

import ExampleSupport
import Strata

await runProgram {
    // MARK: The schema

    // The migrations of the files, and a check that the database has the schema that the queries were compiled with.
    let queue = try DatabaseQueue()
    try Queries.migrator.migrate(queue)
    try await queue.read { db in try Queries.check(db) }

    // MARK: Changes

    // An argument of a wrong type, and a missing one, are errors of the compiler.
    try await queue.write { db in
        let ursula = try Queries.addAuthor(name: "Ursula").execute(db)
        let titles: [(String, Int64)] = [("The Dispossessed", 1974), ("The Telling", 2000)]
        for (title, year) in titles {
            try Queries.addBook(authorId: ursula.id!, title: title, year: year).execute(db)
        }
        _ = try Queries.addAuthor(name: "Stanisław").execute(db)
    }
    let rated = try await queue.write { db in try Queries.rate(rating: 5, ids: [1]).execute(db) }
    print("Rated \(rated) book.")

    // MARK: Queries

    // A parameter that the SQL tests for NULL is an optional filter.
    for row in try await queue.read({ db in try Queries.shelf(author: "Ursula", limit: 10).fetch(db) }) {
        print("\(row.author): \(row.title), \(row.rating.map { "rated \($0)" } ?? "not rated")")
    }

    // Rows nest the records of tables: the book is nil for an author without books.
    for row in try await queue.read({ db in try Queries.library().fetch(db) }) {
        print("\(row.author.name) wrote \(row.book?.title ?? "nothing yet").")
    }

    // What can be NULL is optional: the average of an author without books.
    for row in try await queue.read({ db in try Queries.averages().fetch(db) }) {
        print("\(row.name) has \(row.books) books, on average \(row.rating.map { "\($0)" } ?? "not rated").")
    }

    // A line `-- @index` in a migration makes a full-text index, which follows its table.
    for book in try await queue.read({ db in try Queries.search(words: "tell").fetch(db) }) {
        print("Found: \(book.title)")
    }

    // A query is a value. With a database it can be observed; a test gives rows instead, and needs no database.
    let shelf = Shelf { Queries.shelf(author: $0, limit: 10).bound(to: queue) }
    print("Titles: \(try await shelf.titles("Ursula"))")
    let test = Shelf { _ in .constant([]) }
    print("In a test: \(try await test.titles("Ursula"))")
}

/// A part of a program that knows the query, but no database.
struct Shelf: Sendable {
    var query: @Sendable (_ author: String?) -> BoundQuery<[Queries.ShelfRow]>

    func titles(_ author: String?) async throws -> [String] {
        try await query(author).fetch().map(\.title)
    }
}
