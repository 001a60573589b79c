import Strata
import Testing

@Suite("Samples of the guide Queries")
struct QueriesGuideTests {
    struct Author: Codable, FetchableRecord, PersistableRecord {
        var id: Int64
        var name: String

        enum Columns {
            static let id = Column(CodingKeys.id)
            static let name = Column(CodingKeys.name)
        }

        static let books = hasMany(Book.self)
        var books: QueryInterfaceRequest<Book> { request(for: Author.books) }
    }

    struct Book: Codable, FetchableRecord, PersistableRecord {
        var id: Int64
        var authorId: Int64
        var title: String
        var year: Int?

        enum Columns {
            static let authorId = Column(CodingKeys.authorId)
            static let title = Column(CodingKeys.title)
            static let year = Column(CodingKeys.year)
        }

        static let author = belongsTo(Author.self)
    }

    struct BookInfo: Decodable, FetchableRecord {
        var book: Book
        var author: Author
    }

    struct AuthorInfo: Decodable, FetchableRecord {
        var author: Author
        var books: [Book]
    }

    struct AuthorCount: Decodable, FetchableRecord {
        var name: String
        var bookCount: Int
    }

    func books(matching text: String?, since year: Int?) -> QueryInterfaceRequest<Book> {
        var request = Book.all()
        if let text { request = request.filter { $0.title.like("%\(text)%") } }
        if let year { request = request.filter { $0.year >= year } }
        return request
    }

    private func makeQueue() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.create(table: "author") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).notNull()
            }
            try db.create(table: "book") { t in
                t.autoIncrementedPrimaryKey("id")
                t.belongsTo("author", onDelete: .cascade).notNull()
                t.column("title", .text).notNull()
                t.column("year", .integer)
            }
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

    @Test("Requests are built, then fetched")
    func requests() throws {
        try makeQueue().read { db in
            let (_, sql) = try db.recordingSQL {
                // SELECT * FROM "book" WHERE "year" < 1900 ORDER BY "year" DESC, "title"
                let old = Book.filter { $0.year < 1900 }.order { [$0.year.desc, $0.title] }

                let books = try old.fetchAll(db)  // [Book]
                let latest = try old.fetchOne(db)  // Book?
                // SELECT count(*) FROM "book" WHERE "year" < 1900
                let count = try old.fetchCount(db)
                let isEmpty = try old.isEmpty(db)  // stops at the first row
                #expect(books.map(\.id) == [3, 1])
                #expect(latest?.id == 3)
                #expect(count == 2)
                #expect(!isEmpty)
            }
            #expect(sql.contains(#"SELECT * FROM "book" WHERE "year" < 1900 ORDER BY "year" DESC, "title""#))
            #expect(sql.contains(#"SELECT count(*) FROM "book" WHERE "year" < 1900"#))

            try #expect(books(matching: nil, since: nil).fetchCount(db) == 4)
            try #expect(books(matching: "moon", since: nil).order { $0.year }.fetchAll(db).map(\.id) == [1, 4])
            try #expect(books(matching: "moon", since: 1900).fetchAll(db).map(\.id) == [4])
        }
    }

    @Test("Values and groups are selected")
    func values() throws {
        try makeQueue().read { db in
            let titles = try Book.order(\.title)
                .select({ $0.title }, as: String.self)
                .fetchAll(db)  // [String]
            let firstYear = try Book.select({ min($0.year) }, as: Int.self).fetchOne(db)

            // SELECT "authorId", count(*) AS "n" FROM "book" GROUP BY "authorId"
            // HAVING count(*) > 1
            let rows =
                try Book
                .select(Column("authorId"), count(.allColumns).forKey("n"))
                .group(Column("authorId"))
                .having(count(.allColumns) > 1)
                .asRequest(of: Row.self)
                .fetchAll(db)
            let counts = try rows.map { row in
                (
                    author: try row.decode(Int64.self, forKey: "authorId"),
                    books: try row.decode(Int.self, forKey: "n")
                )
            }
            #expect(titles.count == 4)
            #expect(titles.first == "From the Earth to the Moon")
            #expect(firstYear == 1865)
            #expect(counts.map(\.author) == [1, 2])
            #expect(counts.map(\.books) == [2, 2])
        }
    }

    @Test("Related records are fetched together")
    func related() throws {
        try makeQueue().read { db in
            let (_, sql) = try db.recordingSQL {
                // SELECT "book".*, "author".* FROM "book"
                // JOIN "author" ON "author"."id" = "book"."authorId" ORDER BY "book"."title"
                let infos =
                    try Book
                    .including(required: Book.author)
                    .order(\.title)
                    .asRequest(of: BookInfo.self)
                    .fetchAll(db)
                #expect(infos.map(\.author.name) == ["Jules Verne", "Jules Verne", "H. G. Wells", "H. G. Wells"])
                #expect(infos.first?.book.title == "From the Earth to the Moon")

                // SELECT * FROM "author" ORDER BY "name"
                // SELECT * FROM "book" WHERE "authorId" IN (2, 1, 3) ORDER BY "year"
                let authors =
                    try Author
                    .including(all: Author.books.order { $0.year })
                    .order(\.name)
                    .asRequest(of: AuthorInfo.self)
                    .fetchAll(db)
                #expect(authors.map(\.author.id) == [2, 1, 3])
                #expect(authors.map { $0.books.map(\.id) } == [[3, 4], [2, 1], []])
            }
            #expect(
                sql.contains(
                    #"SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" ORDER BY "book"."title""#
                ))
            #expect(sql.contains(#"SELECT * FROM "author" ORDER BY "name""#))
            #expect(sql.contains(#"SELECT * FROM "book" WHERE "authorId" IN (2, 1, 3) ORDER BY "year""#))
        }
    }

    @Test("Related records filter and count")
    func aggregates() throws {
        try makeQueue().read { db in
            let (_, sql) = try db.recordingSQL {
                // SELECT *, (SELECT count(*) FROM "book" WHERE "book"."authorId" = "author"."id")
                // AS "bookCount" FROM "author"
                let annotated = Author.annotated(with: Author.books.count)

                // SELECT * FROM "author"
                // WHERE EXISTS (SELECT 1 FROM "book" WHERE "book"."authorId" = "author"."id")
                let published = try Author.having(!Author.books.isEmpty).fetchAll(db)

                // SELECT "book".* FROM "book"
                // JOIN "author" ON "author"."id" = "book"."authorId" AND "author"."name" = 'Jules Verne'
                let verne = try Book.joining(required: Book.author.filter { $0.name == "Jules Verne" })
                    .fetchAll(db)
                #expect(published.map(\.id) == [1, 2])
                #expect(verne.map(\.id) == [1, 2])

                let bookCounts = try annotated.order(\.name)
                    .asRequest(of: AuthorCount.self)
                    .fetchAll(db)
                #expect(bookCounts.map(\.bookCount) == [2, 2, 0])
            }
            let count = #"(SELECT count(*) FROM "book" WHERE "book"."authorId" = "author"."id") AS "bookCount""#
            #expect(sql.contains(#"SELECT *, \#(count) FROM "author" ORDER BY "name""#))
            #expect(
                sql.contains(#"SELECT * FROM "author" WHERE EXISTS (SELECT 1 FROM "book" WHERE "book"."authorId" = "author"."id")"#))
            #expect(
                sql.contains(
                    #"SELECT "book".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId""#
                        + #" AND "author"."name" = 'Jules Verne'"#))

            let author = try Author.find(db, key: 2)
            let books = try author.books.order(\.title).fetchAll(db)
            #expect(books.map(\.id) == [4, 3])
        }
    }

    @Test("Requests use columns of joined tables")
    func joinedColumns() throws {
        try makeQueue().read { db in
            let (_, sql) = try db.recordingSQL {
                // SELECT "author"."name", max("book"."year") AS "latest" FROM "author"
                // LEFT JOIN "book" ON "book"."authorId" = "author"."id"
                // GROUP BY "author"."id" ORDER BY "author"."name"
                let book = Author.books.columns
                let rows =
                    try Author
                    .joining(optional: Author.books)
                    .select(Author.Columns.name, max(book.year).forKey("latest"))
                    .group(\.id)
                    .order(\.name)
                    .asRequest(of: Row.self)
                    .fetchAll(db)
                #expect(rows.map { $0["latest"] } == [1901, 1865, nil])

                // SELECT "book".* FROM "book"
                // JOIN "author" ON "author"."id" = "book"."authorId"
                // WHERE "author"."name" < "book"."title"
                let author = TableAlias<Author>()
                let titles =
                    try Book
                    .joining(required: Book.author.aliased(author))
                    .filter { author.name < $0.title }
                    .fetchAll(db)
                #expect(titles.map(\.id) == [2, 3, 4])
            }
            #expect(
                sql.contains(
                    #"SELECT "author"."name", max("book"."year") AS "latest" FROM "author""#
                        + #" LEFT JOIN "book" ON "book"."authorId" = "author"."id" GROUP BY "author"."id" ORDER BY "author"."name""#))
            #expect(
                sql.contains(
                    #"SELECT "book".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId""#
                        + #" WHERE "author"."name" < "book"."title""#))

            let error = #expect(throws: DatabaseError.self) {
                try Author.joining(optional: Author.books).select(Book.Columns.title).asRequest(of: String.self).fetchAll(db)
            }
            #expect(error?.message?.contains("no such column: author.title") == true)
            #expect(error?.description.contains("book, not author, has the column title") == true)
        }
    }

    @Test("A page follows the last row of the previous one")
    func paging() throws {
        try makeQueue().read { db in
            let (ids, sql) = try db.recordingSQL {
                // SELECT * FROM "book" WHERE ("title", "id") > ('Erewhon', 3)
                // ORDER BY "title", "id" LIMIT 20
                let page = try Book.page(after: ["Erewhon", 3]) { [$0.title, Column("id")] }
                    .limit(20)
                    .fetchAll(db)
                return page.map(\.id)
            }
            #expect(ids == [1, 2, 4, 3])
            #expect(sql.last == #"SELECT * FROM "book" WHERE ("title", "id") > ('Erewhon', 3) ORDER BY "title", "id" LIMIT 20"#)
        }
    }

    @Test("Many rows are changed at once")
    func changes() throws {
        try makeQueue().write { db in
            let (_, sql) = try db.recordingSQL {
                // UPDATE "book" SET "year" = "year" + 1 WHERE "authorId" = 1
                try Book.filter { $0.authorId == 1 }.updateAll(db) { [$0.year += 1] }

                // DELETE FROM "book" WHERE "year" IS NULL
                let deletedCount = try Book.filter { $0.year == nil }.deleteAll(db)
                #expect(deletedCount == 1)
            }
            #expect(sql.contains(#"UPDATE "book" SET "year" = "year" + 1 WHERE "authorId" = 1"#))
            #expect(sql.contains(#"DELETE FROM "book" WHERE "year" IS NULL"#))
            try #expect(Book.find(db, key: 1).year == 1866)
        }
    }

    @Test("SQL is written where it is clearer, and shown")
    func sql() throws {
        try makeQueue().read { db in
            var printed: [String] = []
            func print(_ value: some CustomStringConvertible) { printed.append(value.description) }
            let minimum = 1865
            let request: SQLRequest<Book> = """
                SELECT * FROM \(Book.self) WHERE \(Book.Columns.year) >= \(minimum)
                ORDER BY random() LIMIT 1
                """
            let book = try request.fetchOne(db)

            let century = Book.filter(literal: "year / 100 = \(18)")
            let years = try Int.fetchAll(
                db, sql: "SELECT DISTINCT year FROM book WHERE year IS NOT NULL ORDER BY year")
            #expect(book?.year != nil)
            try #expect(century.fetchAll(db).map(\.id) == [1, 3])
            #expect(years == [1865, 1895, 1901])

            // SELECT * FROM "book" WHERE "year" < 1900
            let sql = try Book.filter { $0.year < 1900 }.sql(db)
            let plan = try Book.filter { $0.authorId == 1 }.explainQueryPlan(db)

            // QUERY PLAN
            // `--SEARCH book USING INDEX book_on_authorId (authorId=?)
            print(plan)
            #expect(sql == #"SELECT * FROM "book" WHERE "year" < 1900"#)
            #expect(printed == ["QUERY PLAN\n`--SEARCH book USING INDEX book_on_authorId (authorId=?)"])
        }
    }
}
