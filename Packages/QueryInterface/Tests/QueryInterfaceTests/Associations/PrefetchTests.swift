import CSQLiteShims
import QueryInterface
import Testing

/// Prefetched associations: the statements, and the records.
@Suite("Prefetched associations")
struct PrefetchTests {
    /// Runs a fetch, and returns the statements that it ran.
    private func trace(_ db: Database, _ body: () throws -> Void) rethrows -> [String] {
        nonisolated(unsafe) var statements: [String] = []
        db.trace { statements.append($0.expandedDescription) }
        try body()
        db.trace(options: [])
        return statements.filter { !$0.hasPrefix("PRAGMA") && !$0.contains("FROM sqlite_") }
    }

    @Test
    func `including(all:) runs one more query for all rows`() throws {
        try Library.withDatabase { db throws in
            let request = Author.including(all: Author.books.order { $0.year.desc }).order(\.id)
            var rows: [Row] = []
            _ = try Row.fetchAll(db, request)
            let statements = try trace(db) { rows = try Row.fetchAll(db, request) }
            #expect(
                statements == [
                    #"SELECT * FROM "author" ORDER BY "id""#,
                    #"SELECT * FROM "book" WHERE "authorId" IN (1, 2, 3, 4) ORDER BY "year" DESC"#,
                ])
            let books: [[Book]] = rows.map { $0["books"] }
            #expect(
                books.map { $0.map(\.title) } == [["The Green Ray", "The Steam House"], ["The Time Machine"], ["Invisible Cities"], []])
            #expect(rows[0].columnNames.elementsEqual(["id", "name", "birthYear", "countryCode"]))
            #expect(try Row.fetchOne(db, request)?.prefetchedRows["books"]?.count == 2)
        }
    }

    @Test
    func `Several levels run one query each`() throws {
        try Library.withDatabase { db throws in
            let request = Author.including(all: Author.books.including(all: Book.chapters.order(\.number))).filter { $0.id == 1 }
            var rows: [Row] = []
            let statements = try trace(db) { rows = try Row.fetchAll(db, request) }
            #expect(
                statements == [
                    #"SELECT * FROM "author" WHERE "id" = 1"#,
                    #"SELECT * FROM "book" WHERE "authorId" IN (1)"#,
                    #"SELECT * FROM "chapter" WHERE "bookId" IN (1, 2) ORDER BY "number""#,
                ])
            let books = try #require(rows[0].prefetchedRows["books"])
            let chapters: [[Chapter]] = books.map { $0["chapters"] }
            #expect(chapters.map { $0.map(\.title) } == [["Departure", "Arrival"], []])
        }
    }

    @Test
    func `Prefetching associations through others joins the tables in reverse, and selects the key`() throws {
        try Library.withDatabase { db throws in
            let request = Country.including(all: Country.citizens.order(\.name)).order(\.code)
            var rows: [Row] = []
            let statements = try trace(db) { rows = try Row.fetchAll(db, request) }
            #expect(
                statements == [
                    #"SELECT * FROM "country" ORDER BY "code""#,
                    #"SELECT "citizen".*, "passport"."countryCode" FROM "citizen" JOIN "passport" ON "passport"."citizenId" = "citizen"."id" AND "passport"."countryCode" IN ('FR', 'GB', 'IT') ORDER BY "citizen"."name""#,
                ])
            let citizens: [[Citizen]] = rows.map { $0["citizens"] }
            #expect(citizens.map { $0.map(\.name) } == [["Ada", "Bo"], ["Ada"], []])
            // The key is not a column of the fetched rows.
            #expect(rows[0].prefetchedRows["citizens"]?.first?.columnNames.elementsEqual(["id", "name"]) == true)
        }
    }

    @Test
    func `Associations of joined tables are prefetched into their scopes`() throws {
        try Library.withDatabase { db throws in
            let request = Book.including(required: Book.author.including(all: Author.awards.order { $0.prize })).order(\.id)
            let rows = try Row.fetchAll(db, request)
            #expect(
                rows.map { row in row.scopes["author"]?.prefetchedRows["awards"]?.map { $0["name"] as String } }
                    == [["Silver", "Gold"], ["Silver", "Gold"], [], ["Gold"]])
        }
    }

    @Test
    func `The key is selected if the request does not select it, and hidden in the rows`() throws {
        try Library.withDatabase { db throws in
            let request = Author.select { $0.name }.including(all: Author.books.select { $0.title }).order(\.id)
            var rows: [Row] = []
            let statements = try trace(db) { rows = try Row.fetchAll(db, request) }
            #expect(
                statements == [
                    #"SELECT "name", "id" FROM "author" ORDER BY "id""#,
                    #"SELECT "title", "authorId" FROM "book" WHERE "authorId" IN (1, 2, 3, 4)"#,
                ])
            #expect(rows[0].columnNames.elementsEqual(["name"]))
            let titles = rows[0].prefetchedRows["books"]
            #expect(titles?.map { $0["title"] } == ["The Steam House", "The Green Ray"])
            #expect(titles?[0].columnNames.elementsEqual(["title"]) == true)
        }
    }

    @Test
    func `The rows of a prefetched association are grouped for each row separately`() throws {
        try Library.withDatabase { db throws in
            try db.execute(sql: "UPDATE book SET year = 1880 WHERE id = 2")
            let years = Author.books.select { [$0.year, count($0.id).forKey("number")] }.group(\.year)
            let rows = try Row.fetchAll(db, Author.including(all: years).order(\.id))
            #expect(
                rows.map { row in row.prefetchedRows["books"]?.map { [$0["year"] as Int, $0["number"] as Int] } }
                    == [[[1880, 2]], [[1895, 1]], [[1972, 1]], []])
        }
    }

    @Test
    func `Keys match if SQLite considers them equal, by collation or affinity`() throws {
        try withDatabase(
            """
            CREATE TABLE team (code TEXT PRIMARY KEY COLLATE NOCASE, number INTEGER);
            CREATE TABLE member (name TEXT, teamCode TEXT COLLATE NOCASE REFERENCES team, teamNumber TEXT);
            INSERT INTO team VALUES ('Red', 1), ('blue', 2);
            INSERT INTO member VALUES ('Ann', 'RED', '1'), ('Ben', 'Blue', '2'), ('Cat', 'red', '1');
            """
        ) { db throws in
            let team = Table("team")
            let members = team.hasMany(Table("member"))
            let rows = try Row.fetchAll(db, team.including(all: members).order(Column("number")))
            #expect(rows.map { row in row.prefetchedRows["members"]?.map { $0["name"] as String } } == [["Ann", "Cat"], ["Ben"]])
            let byNumber = team.hasMany(Table("member"), using: ForeignKey(["teamNumber"], to: ["number"]))
            let others = try Row.fetchAll(db, team.including(all: byNumber).order(Column("number")))
            #expect(others.map { row in row.prefetchedRows["members"]?.map { $0["name"] as String } } == [["Ann", "Cat"], ["Ben"]])
        }
    }

    @Test
    func `Prefetching works with more keys than SQLite allows parameters`() throws {
        try Library.withDatabase { db throws in
            try db.execute(
                sql: """
                    WITH RECURSIVE n(value) AS (VALUES (10) UNION ALL SELECT value + 1 FROM n WHERE value < 609)
                    INSERT INTO author SELECT value, 'author ' || value, NULL, NULL FROM n;
                    INSERT INTO book SELECT id, id, 'book ' || id, 1900, 1, NULL FROM author WHERE id >= 10;
                    """)
            sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_VARIABLE_NUMBER, 250)
            let rows = try Row.fetchAll(db, Author.including(all: Author.books))
            #expect(rows.count == 604)
            #expect(rows.allSatisfy { row in (row["id"] as Int) < 10 || row.prefetchedRows["books"]?.count == 1 })
        }
    }

    // MARK: - The first rows for each row

    @Test
    func `A limit of an association is the limit for each row, in one query`() throws {
        try Library.withDatabase { db throws in
            let request = Author.including(all: Author.books.order { $0.year.desc }.limit(1)).order(\.id)
            var rows: [Row] = []
            // The first time, the names of the columns are read from the schema.
            _ = try Row.fetchAll(db, request)
            let statements = try trace(db) { rows = try Row.fetchAll(db, request) }
            #expect(
                statements == [
                    #"SELECT * FROM "author" ORDER BY "id""#,
                    #"WITH strata_numbered(c0, c1, c2, c3, c4, c5, n) AS ("#
                        + #"SELECT *, row_number() OVER (PARTITION BY "authorId" ORDER BY "year" DESC) FROM "book" "#
                        + #"WHERE "authorId" IN (1, 2, 3, 4)) "#
                        + #"SELECT c0 AS "id", c1 AS "authorId", c2 AS "title", c3 AS "year", c4 AS "price", c5 AS "libraryId" "#
                        + #"FROM strata_numbered WHERE n <= 1 ORDER BY n"#,
                ])
            let books: [[Book]] = rows.map { $0["books"] }
            #expect(books.map { $0.map(\.title) } == [["The Green Ray"], ["The Time Machine"], ["Invisible Cities"], []])
            #expect(
                rows[0].prefetchedRows["books"]?[0].columnNames.elementsEqual(["id", "authorId", "title", "year", "price", "libraryId"])
                    == true)
        }
    }

    /// Returns the titles of the books, by author.
    private func titles(_ db: Database, _ books: HasManyAssociation<Author, Book>) throws -> [[String]] {
        try Row.fetchAll(db, Author.including(all: books).order(\.id)).map { row in
            try row.prefetchedRows["books"]!.map { try $0.decode(String.self, forKey: "title") }
        }
    }

    @Test
    func `The first rows are those of a fetch of all rows, for random data and limits`() throws {
        try Library.withDatabase { db throws in
            var generator = SystemRandomNumberGenerator()
            for id in 10..<200 {
                try db.execute(
                    sql: "INSERT INTO book VALUES (?, ?, ?, ?, NULL, NULL)",
                    arguments: [id, Int.random(in: 1...4, using: &generator), "book \(id)", Int.random(in: 1900...1910, using: &generator)])
            }
            let ordered = Author.books.filter { $0.id != 11 }.order { [$0.year.desc, $0.id] }
            let all = try titles(db, ordered)
            for (limit, offset) in [(0, nil), (1, nil), (5, 3), (1000, nil), (3, 1000), (-1, nil), (-1, 2), (Int.max, 2), (2, -1)]
                as [(Int, Int?)]
            {
                let first = try titles(db, ordered.limit(limit, offset: offset))
                let expected = all.map { titles in
                    Array(titles.dropFirst(max(offset ?? 0, 0)).prefix(limit < 0 ? Int.max : limit))
                }
                #expect(first == expected, "\(limit), \(String(describing: offset))")
            }
            // A later limit replaces the first one.
            #expect(try titles(db, ordered.limit(1).limit(2)) == all.map { Array($0.prefix(2)) })
            // The same statement serves other values.
            #expect(try titles(db, Author.books.filter { $0.id == 11 }.limit(1)).joined().count == 1)
            #expect(try titles(db, Author.books.filter { $0.id == 12 }.limit(1)).joined().elementsEqual(["book 12"]))
        }
    }

    @Test
    func `A limit works with scopes of equal column names, nested associations, selections and groups`() throws {
        try Library.withDatabase { db throws in
            let books = Author.books.order(\.year).limit(1)
                .including(required: Book.author).including(all: Book.chapters.order { $0.number.desc }.limit(1))
            let rows = try Row.fetchAll(db, Author.including(all: books).order(\.id))
            let book = try #require(rows[0].prefetchedRows["books"]?.first)
            #expect(book["id"] == 1)
            #expect(book["title"] == "The Steam House")
            #expect(book.scopes["author"]?["id"] == 1)
            #expect(book.scopes["author"]?["name"] == "Verne")
            #expect(book.prefetchedRows["chapters"]?.map { $0["title"] as String } == ["Arrival"])
            let years = Author.books.select { [$0.year, count($0.id).forKey("number")] }.group(\.year).order { $0.year.desc }.limit(1)
            let grouped = try Row.fetchAll(db, Author.including(all: years).order(\.id))
            #expect(grouped.map { row in row.prefetchedRows["books"]!.map { $0["year"] as Int } } == [[1882], [1895], [1972], []])
            #expect(grouped[0].prefetchedRows["books"]?[0].columnNames.elementsEqual(["year", "number"]) == true)
            let error = #expect(throws: DatabaseError.self) {
                try Row.fetchAll(db, Author.including(all: Author.books.distinct().limit(1)))
            }
            #expect(error?.message == "an association to book has both distinct() and a limit")
        }
    }

    @Test
    func `The limit of an association through another counts the rows of each row`() throws {
        try Library.withDatabase { db throws in
            let rows = try Row.fetchAll(db, Country.including(all: Country.citizens.order { $0.name.desc }.limit(1)).order(\.code))
            #expect(rows.map { row in row.prefetchedRows["citizens"]!.map { $0["name"] as String } } == [["Bo"], ["Ada"], []])
        }
    }

    @Test
    func `A limit is the limit of the request for one row, and can't be joined or aggregated`() throws {
        try Library.withDatabase { db throws in
            let books = Author.books.order(\.year).limit(1)
            let request = books.request { $0 == "id" ? 1.databaseValue : nil }
            #expect(try request.sql(db) == #"SELECT * FROM "book" WHERE "authorId" = 1 ORDER BY "year" LIMIT 1"#)
            let joined = #expect(throws: DatabaseError.self) { try Author.joining(required: books).fetchAll(db) }
            #expect(joined?.message == "an association to book with limit can't be joined")
            for aggregate in [books.count, books.isEmpty, books.max(Book.Columns.year)] {
                let error = #expect(throws: DatabaseError.self) { try Author.annotated(with: aggregate).fetchAll(db) }
                #expect(error?.message == "an aggregate of the association books can't have a limit")
            }
        }
    }

    @Test
    func `A limited association follows changes of the schema`() throws {
        try Library.withDatabase { db throws in
            let request = Author.including(all: Author.books.order(\.id).limit(1)).order(\.id)
            _ = try Row.fetchAll(db, request)
            try db.execute(sql: "ALTER TABLE book ADD COLUMN pages INTEGER DEFAULT 100")
            let book = try #require(try Row.fetchAll(db, request)[0].prefetchedRows["books"]?.first)
            #expect(book["pages"] == 100)
            #expect(book.count == 7)
            #expect(try request.databaseRegion(db).description.contains("book"))
        }
    }

    @Test
    func `A request with prefetched associations can't be fetched with a cursor`() throws {
        try Library.withDatabase { db throws in
            _ = #expect(throws: DatabaseError.self) { _ = try Author.including(all: Author.books).fetchCursor(db) }
        }
    }

    @Test
    func `The region of a request contains the tables that it prefetches`() throws {
        try Library.withDatabase { db throws in
            let region = try Author.including(all: Author.books.including(all: Book.chapters)).databaseRegion(db)
            for table in ["author", "book", "chapter"] {
                #expect(region.description.contains(table))
            }
            #expect(!region.description.contains("award"))
        }
    }

    @Test
    func `The associated rows of one row are a request`() throws {
        try Library.withDatabase { db throws in
            let books = Author.books.request { $0 == "id" ? 1.databaseValue : nil }
            #expect(try books.sql(db) == #"SELECT * FROM "book" WHERE "authorId" = 1"#)
            #expect(try books.order(\.id).fetchAll(db).map(\.id) == [1, 2])
            let citizens = Country.citizens.request { _ in "FR".databaseValue }
            #expect(
                try citizens.sql(db)
                    == #"SELECT "citizen".* FROM "citizen" JOIN "passport" ON "passport"."citizenId" = "citizen"."id" AND "passport"."countryCode" = 'FR'"#
            )
            #expect(try citizens.fetchCount(db) == 2)
            #expect(throws: DatabaseError.self) { try Author.books.request { _ in nil }.fetchAll(db) }
            #expect(try Author.country.request { _ in .null }.fetchAll(db).isEmpty)
        }
    }

    // MARK: - Hidden columns

    @Test
    func `A distinct request whose associations need a column that it does not select is an error`() throws {
        try Library.withDatabase { db throws in
            try db.execute(sql: "INSERT INTO author (id, name) VALUES (5, 'Verne')")
            let name = Author.Columns.name
            for request in [
                Author.select(name).distinct().including(all: Author.books),
                Author.select(name).distinct().joining(required: Author.country.including(all: Country.passports)),
            ] {
                for _ in 0..<2 {
                    let error = #expect(throws: DatabaseError.self) { try Row.fetchAll(db, request) }
                    let message = "a distinct, grouped or aggregated request of author does not select the column "
                    #expect(error?.message?.hasPrefix(message) == true)
                }
            }
            // The column is selected, in any place.
            let selected = Author.select(name, Author.Columns.id).distinct().including(all: Author.books)
            #expect(try selected.sql(db) == #"SELECT DISTINCT "name", "id" FROM "author""#)
            for _ in 0..<2 {
                let rows = try Row.fetchAll(db, selected)
                #expect(rows.map { $0.prefetchedRows["books"]?.count } == [2, 1, 1, 0, 0])
                #expect(rows.map(\.columnNames.count) == [2, 2, 2, 2, 2])
            }
            #expect(try Row.fetchAll(db, Author.all().distinct().including(all: Author.books)).count == 5)
            // The rows of each author are distinct.
            let books = Author.books.select(Book.Columns.year).distinct()
            #expect(try Row.fetchAll(db, Author.including(all: books)).map { $0.prefetchedRows["books"]?.count } == [2, 1, 1, 0, 0])
        }
    }
}
