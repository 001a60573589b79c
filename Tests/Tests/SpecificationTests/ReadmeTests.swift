import Foundation
import Strata
import Testing

@Suite struct ReadmeTests {
    @Test("The README's first sample")
    func sample() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.sqlite")

        struct Player: Codable, FetchableRecord, MutablePersistableRecord {
            var id: Int64?
            var name: String
            var score: Int

            enum Columns {
                static let name = Column(CodingKeys.name)
                static let score = Column(CodingKeys.score)
            }

            mutating func didInsert(_ inserted: InsertionSuccess) {
                id = inserted.rowID
            }
        }

        let queue = try DatabaseQueue(path: path)  // a file, made if there is none

        try queue.write { db in
            try db.create(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).notNull()
                t.column("score", .integer).notNull()
            }

            var player = Player(id: nil, name: "Arthur", score: 100)
            try player.insert(db)
            player.score = 200
            try player.update(db)
        }

        // SELECT * FROM "player" WHERE "score" > 150 ORDER BY "score" DESC LIMIT 10
        let best = try queue.read { db in
            try Player.filter { $0.score > 150 }.order { $0.score.desc }.limit(10).fetchAll(db)
        }

        #expect(best.map(\.name) == ["Arthur"])
        #expect(best.map(\.id) == [1])
        #expect(best.map(\.score) == [200])
        try queue.close()
    }

    struct Author: Codable, FetchableRecord, PersistableRecord {
        var id: Int64
        var name: String
        static let books = hasMany(Book.self)
    }

    struct Book: Codable, FetchableRecord, PersistableRecord {
        var id: Int64
        var authorId: Int64
        var title: String
        static let author = belongsTo(Author.self)
    }

    struct AuthorInfo: Decodable, FetchableRecord {
        var author: Author
        var books: [Book]
        var bookCount: Int
    }

    @Test("The README's sample of associations")
    func associations() throws {
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

        // SELECT *, (SELECT count(*) FROM "book" WHERE "book"."authorId" = "author"."id") AS "bookCount" FROM "author"
        // SELECT * FROM "book" WHERE "authorId" IN (1, 2)
        let authors = try queue.read { db in
            try Author
                .annotated(with: Author.books.count)
                .including(all: Author.books)
                .asRequest(of: AuthorInfo.self)
                .fetchAll(db)
        }

        let names = authors.map(\.author.name)
        let titles = authors.map { $0.books.map(\.title) }
        let counts = authors.map(\.bookCount)
        #expect(names == ["Verne", "Wells"])
        #expect(titles == [["The Green Ray"], []])
        #expect(counts == [1, 0])
    }
}
