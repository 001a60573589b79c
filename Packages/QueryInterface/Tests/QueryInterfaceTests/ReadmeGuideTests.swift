import QueryInterface
import Testing

/// The README's samples on the tables of its first part: authors and their books.
@Suite struct ReadmeGuideTests {
    struct Author: TableRecord, FetchableRecord {
        var id: Int64
        var name: String

        enum Columns {
            static let id = Column("id")
            static let name = Column("name")
            static let birthYear = Column("birthYear")
        }

        static let books = hasMany(Book.self)

        init(row: Row) throws {
            id = try row.decode(forKey: "id")
            name = try row.decode(forKey: "name")
        }
    }

    struct Book: TableRecord, FetchableRecord {
        var title: String
        var year: Int?

        enum Columns {
            static let title = Column("title")
            static let year = Column("year")
            static let price = Column("price")
        }

        static let author = belongsTo(Author.self)

        init(row: Row) throws {
            title = try row.decode(forKey: "title")
            year = try row.decodeIfPresent(forKey: "year")
        }
    }

    private func withLibrary(_ body: (Database) throws -> Void) throws {
        try withDatabase(
            """
            CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL, birthYear INTEGER);
            CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER NOT NULL REFERENCES author, title TEXT NOT NULL, year INTEGER, price REAL);
            INSERT INTO author VALUES (1, 'Verne', 1828), (2, 'Wells', 1866), (3, 'Calvino', 1923);
            INSERT INTO book VALUES
                (1, 1, 'The Steam House', 1880, 12), (2, 1, 'The Green Ray', 1882, 8), (3, 2, 'The Time Machine', 1895, 9.5);
            """, body)
    }

    @Test("The README on keys")
    func keys() throws {
        try withLibrary { db throws in
            let verne = try Author.fetchOne(db, id: 1)  // SELECT * FROM "author" WHERE "id" = 1
            let wells = try Author.find(db, key: 2)  // throws RecordError.recordNotFound when there is none
            let two = try Author.fetchAll(db, ids: [1, 2])  // … WHERE "id" IN (1, 2)
            let exists = try Author.exists(db, id: 3)
            #expect(verne?.name == "Verne" && wells.name == "Wells" && two.count == 2 && exists)
        }
    }

    @Test("The README on requests")
    func requests() throws {
        try withLibrary { db throws in
            let old = Author.filter { $0.birthYear < 1900 && $0.name != "Verne" }
            let names = try old.select({ $0.name }, as: String.self).fetchAll(db)

            // SELECT "authorId", count(*) AS "n" FROM "book" GROUP BY "authorId" HAVING count(*) > 1 ORDER BY "n" DESC
            let busy =
                Book
                .select(Column("authorId"), count(.allColumns).forKey("n"))
                .group(Column("authorId"))
                .having(count(.allColumns) > 1)
                .order(Column("n").desc)

            // SELECT * FROM "author" WHERE "id" IN (SELECT "authorId" FROM "book" WHERE "year" < 1890)
            let early = Book.filter { $0.year < 1890 }.select(Column("authorId"))
            let authors = try Author.filter { early.contains($0.id) }.fetchAll(db)

            #expect(names == ["Wells"])
            #expect(authors.map(\.name) == ["Verne"])
            #expect(try busy.fetchCount(db) == 1)
            #expect(
                try busy.sql(db)
                    == #"SELECT "authorId", count(*) AS "n" FROM "book" GROUP BY "authorId" HAVING count(*) > 1 ORDER BY "n" DESC"#)
            #expect(
                try Author.filter { early.contains($0.id) }.sql(db)
                    == #"SELECT * FROM "author" WHERE "id" IN (SELECT "authorId" FROM "book" WHERE "year" < 1890)"#)
        }
    }

    @Test("The README on associations")
    func associations() throws {
        try withLibrary { db throws in
            // SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" AND "author"."birthYear" > 1850
            let request = Book.including(required: Book.author.filter { $0.birthYear > 1850 })
            for row in try Row.fetchAll(db, request.asRequest(of: Row.self)) {
                let (book, author) = (try Book(row: row), try row.decode(Author.self, forKey: "author"))
                print(author.name, "wrote", book.title)
            }

            // SELECT * FROM "author" ORDER BY "name"
            // SELECT * FROM "book" WHERE "authorId" IN (3, 1, 2)
            let library = Author.including(all: Author.books).order(\.name)
            for row in try Row.fetchAll(db, library.asRequest(of: Row.self)) {
                let books: [Book] = try row.decode(forKey: "books")
                print(try row.decode(String.self, forKey: "name"), "wrote", books.count)
            }

            // SELECT *, (SELECT count(*) FROM "book" WHERE "book"."authorId" = "author"."id") AS "bookCount",
            //     (SELECT max("book"."price") FROM "book" WHERE "book"."authorId" = "author"."id") AS "maxBookPrice" FROM "author"
            // WHERE EXISTS (SELECT 1 FROM "book" WHERE "book"."authorId" = "author"."id")
            let counted =
                Author
                .annotated(with: Author.books.count, Author.books.max(Book.Columns.price))
                .having(!Author.books.isEmpty)

            #expect(try request.fetchCount(db) == 1)
            let rows = try counted.asRequest(of: Row.self).fetchAll(db)
            #expect(rows.map { $0["bookCount"] as Int } == [2, 1])
            #expect(rows.map { $0["maxBookPrice"] as Double } == [12, 9.5])
            #expect(
                try counted.sql(db) == #"""
                    SELECT *, (SELECT count(*) FROM "book" WHERE "book"."authorId" = "author"."id") AS "bookCount", \#
                    (SELECT max("book"."price") FROM "book" WHERE "book"."authorId" = "author"."id") AS "maxBookPrice" FROM "author" \#
                    WHERE EXISTS (SELECT 1 FROM "book" WHERE "book"."authorId" = "author"."id")
                    """#)
        }
    }

    @Test("The README on common table expressions, set operations and windows")
    func queries() throws {
        try withLibrary { db throws in
            // WITH RECURSIVE "decade"("year") AS (SELECT 1880 UNION ALL SELECT year + 10 FROM decade WHERE year < 1900)
            // SELECT * FROM "decade"
            let decade = CommonTableExpression<Int>(
                recursive: true, named: "decade", columns: ["year"],
                literal: "SELECT \(1880) UNION ALL SELECT year + 10 FROM decade WHERE year < \(1900)")
            let decades = try decade.all().with(decade).fetchAll(db)

            // SELECT "name" FROM "author" UNION SELECT "title" FROM "book" ORDER BY "name"
            let words = try Author.select({ $0.name }, as: String.self)
                .union(Book.select({ $0.title }, as: String.self))
                .order(Column("name"))
                .fetchAll(db)

            // SELECT *, rank() OVER (PARTITION BY "authorId" ORDER BY "price" DESC) AS "rank" FROM "book"
            let ranked = Book.annotated {
                rank().over(partitionBy: Column("authorId"), orderBy: $0.price.desc).forKey("rank")
            }

            #expect(decades == [1880, 1890, 1900])
            #expect(words == ["Calvino", "The Green Ray", "The Steam House", "The Time Machine", "Verne", "Wells"])
            #expect(
                try ranked.sql(db) == #"SELECT *, rank() OVER (PARTITION BY "authorId" ORDER BY "price" DESC) AS "rank" FROM "book""#)
            #expect(try ranked.asRequest(of: Row.self).fetchAll(db).map { $0["rank"] as Int }.sorted() == [1, 1, 2])
        }
    }

    @Test("The README on changes")
    func changes() throws {
        try withLibrary { db throws in
            // UPDATE "book" SET "price" = "price" * 2, "year" = NULL WHERE "year" < 1890
            try Book.filter { $0.year < 1890 }.updateAll(db) { [$0.price *= 2, $0.year.set(to: nil)] }

            // DELETE FROM "book" WHERE "year" IS NULL RETURNING *
            let deleted = try Book.filter { $0.year == nil }.deleteAndFetchAll(db)

            #expect(deleted.map(\.title) == ["The Steam House", "The Green Ray"])
        }
    }

    @Test("The README on SQL")
    func literals() throws {
        try withLibrary { db throws in
            let minimum = 1850
            let born = Author.filter(literal: "birthYear BETWEEN \(minimum) AND 1900")
            let request: SQLRequest<Author> = """
                SELECT \(columnsOf: Author.self) FROM \(Author.self)
                JOIN \(Book.self) ON authorId = author.id WHERE \(Book.Columns.year) > \(1890)
                """
            #expect(try born.fetchAll(db).map(\.name) == ["Wells"])
            #expect(try request.fetchAll(db).map(\.name) == ["Wells"])
        }
    }
}
