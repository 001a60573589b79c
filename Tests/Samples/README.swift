import Foundation
import Strata
import Testing

@Suite(.page)
struct RepositorySamples {
    @Test
    func `The README's first sample`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.sqlite")

        // sample: Strata 1

        #expect(best.map(\.name) == ["Arthur"])
        #expect(best.map(\.id) == [1])
        #expect(best.map(\.score) == [200])
        try queue.close()
    }

    // sample: Features 1

    @Test
    func `The README's sample of associations`() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.create(table: "author") { t in
                t.primaryKey("id", .integer)
                t.column("name", .text).notNull()
            }
            try db.create(table: "book") { t in
                t.primaryKey("id", .integer)
                t.belongsTo("author").notNull()
                t.column("title", .text).notNull()
            }
            try Author(id: 1, name: "Verne").insert(db)
            try Author(id: 2, name: "Wells").insert(db)
            try Book(id: 1, authorId: 1, title: "The Green Ray").insert(db)
        }

        // sample: Features 2

        let names = authors.map(\.author.name)
        let titles = authors.map { $0.books.map(\.title) }
        let counts = authors.map(\.bookCount)
        #expect(names == ["Verne", "Wells"])
        #expect(titles == [["The Green Ray"], []])
        #expect(counts == [1, 0])
    }
}
