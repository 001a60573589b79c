import Foundation
import QueryInterface
import Testing

/// Columns of joined tables, by the association that joins them: the request, its SQL, and its rows.
@Suite("Columns of joined tables")
struct JoinedColumnTests {
    private func check(
        _ request: QueryInterfaceRequest<some Any>, _ sql: String, _ rows: [[(any DatabaseValueConvertible)?]],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try Library.withDatabase { db throws in
            let actual = try request.sql(db)
            #expect(actual == sql, sourceLocation: sourceLocation)
            let expected = rows.map { $0.map { $0?.databaseValue ?? .null } }
            #expect(try Row.fetchAll(db, request).map { Array($0.databaseValues) } == expected, sourceLocation: sourceLocation)
            #expect(try request.fetchCount(db) == rows.count, sourceLocation: sourceLocation)
            #expect(try request.isEmpty(db) == rows.isEmpty, sourceLocation: sourceLocation)
        }
    }

    @Test
    func `The columns of an association belong to the table that it joins`() throws {
        let author = Book.author.columns
        try check(
            Book.joining(required: Book.author)
                .select(Book.Columns.id, author.id, author.name, author.birthYear + 100)
                .filter { author.birthYear > 1850 && $0.year > author.birthYear }
                .order(author.name.desc),
            #"SELECT "book"."id", "author"."id", "author"."name", "author"."birthYear" + 100 FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" WHERE "author"."birthYear" > 1850 AND "book"."year" > "author"."birthYear" ORDER BY "author"."name" DESC"#,
            [[3, 2, "Wells", 1966], [4, 3, "Calvino", 2023]])
        try check(
            Author.joining(optional: Author.country)
                .select(Author.Columns.id, Author.country.columns["name"])
                .filter(!Author.country.columns.exists || Author.country.columns.code == "FR"),
            #"SELECT "author"."id", "country"."name" FROM "author" LEFT JOIN "country" ON "country"."code" = "author"."countryCode" WHERE "country"."rowid" IS NULL OR "country"."code" = 'FR'"#,
            [[1, "France"], [4, nil]])
        try check(
            Book.joining(required: Book.author).select(author[AllColumns()]).order(Book.Columns.id).limit(1),
            #"SELECT "author".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" ORDER BY "book"."id" LIMIT 1"#,
            [[1, "Verne", 1828, "FR"]])
    }

    @Test
    func `Groups, conditions on groups, and aggregates use the columns of an association`() throws {
        let books = Author.books.columns
        try check(
            Author.joining(optional: Author.books)
                .select(Author.Columns.name, count(books.id).forKey("n"), max(books.year).forKey("last"))
                .group { $0.id }
                .having { count(books.id) != 1 && $0.name != "x" }
                .order { $0.name },
            #"SELECT "author"."name", count("book"."id") AS "n", max("book"."year") AS "last" FROM "author" LEFT JOIN "book" ON "book"."authorId" = "author"."id" GROUP BY "author"."id" HAVING count("book"."id") <> 1 AND "author"."name" <> 'x' ORDER BY "author"."name""#,
            [["Anonymous", 0, nil], ["Verne", 2, 1882]])
        try check(
            Author.select(Author.Columns.name)
                .filter(Author.books.joining(required: Book.library.filter(Column("name") == "Old")).count > 0)
                .annotated(with: Author.books.joining(optional: Book.library).max { _ in Book.library.columns["name"] }.forKey("library"))
                .order { $0.name },
            #"SELECT "name", (SELECT max("library"."name") FROM "book" LEFT JOIN "library" ON "library"."id" = "book"."libraryId" WHERE "book"."authorId" = "author"."id") AS "library" FROM "author" WHERE (SELECT count(*) FROM "book" JOIN "library" ON "library"."id" = "book"."libraryId" AND "library"."name" = 'Old' WHERE "book"."authorId" = "author"."id") > 0 ORDER BY "name""#,
            [["Verne", "Old"], ["Wells", "Old"]])
    }

    @Test
    func `A request with aggregates repeats its rows for the selected columns of an association only`() throws {
        try check(
            Author.joining(required: Author.books).select(Author.Columns.name, Author.books.columns.year).order(Author.books.columns.year)
                .annotated(with: Author.awards.count),
            #"SELECT "author"."name", "book"."year", (SELECT count(*) FROM "award" WHERE "award"."authorId" = "author"."id") AS "awardCount" FROM "author" JOIN "book" ON "book"."authorId" = "author"."id" ORDER BY "book"."year""#,
            [["Verne", 1880, 2], ["Verne", 1882, 2], ["Wells", 1895, 0], ["Calvino", 1972, 1]])
    }

    @Test
    func `The columns of nested associations are found step by step, or by an association through both`() throws {
        let request = Chapter.joining(required: Chapter.book.joining(required: Book.author))
        let sql =
            #" FROM "chapter" JOIN "book" ON "book"."id" = "chapter"."bookId" JOIN "author" ON "author"."id" = "book"."authorId" WHERE "author"."name" = 'Verne'"#
        let author = Chapter.book.columns[Book.author.columns.name]
        try check(
            request.select(Chapter.Columns.number, Chapter.book.columns.title, author).filter(author == "Verne"),
            #"SELECT "chapter"."number", "book"."title", "author"."name""# + sql,
            [[1, "The Steam House", "Verne"], [2, "The Steam House", "Verne"]])
        // In the clauses of an association, its own associations are found from its table.
        try check(
            Chapter.joining(
                required: Chapter.book.joining(required: Book.author).filter { _ in Book.author.columns.name == "Verne" }
            ).select(Chapter.Columns.title),
            #"SELECT "chapter"."title" FROM "chapter" JOIN "book" ON "book"."id" = "chapter"."bookId" AND "author"."name" = 'Verne' JOIN "author" ON "author"."id" = "book"."authorId""#,
            [["Departure"], ["Arrival"]])
        try check(
            Country.joining(optional: Country.citizens).select(Country.Columns.code, Country.citizens.columns.name)
                .order(Country.Columns.code, Country.passports.columns.issued.desc),
            #"SELECT "country"."code", "citizen"."name" FROM "country" LEFT JOIN "passport" ON "passport"."countryCode" = "country"."code" LEFT JOIN "citizen" ON "citizen"."id" = "passport"."citizenId" ORDER BY "country"."code", "passport"."issued" DESC"#,
            [["FR", "Bo"], ["FR", "Ada"], ["GB", "Ada"], ["IT", nil]])
    }

    @Test
    func `Each table of a self join is found by its association`() throws {
        struct Employee: TableRecord {
            enum Columns {
                static let name = Column("name")
            }
            static let manager = belongsTo(Employee.self, key: "manager", using: ForeignKey(["managerId"]))
        }
        try withDatabase(
            """
            CREATE TABLE employee (id INTEGER PRIMARY KEY, name TEXT, managerId INTEGER REFERENCES employee);
            INSERT INTO employee VALUES (1, 'Ann', NULL), (2, 'Ben', 1), (3, 'Cat', 2);
            """
        ) { db throws in
            let manager = Employee.manager.columns
            let request = Employee.joining(optional: Employee.manager.joining(optional: Employee.manager))
                .select(Employee.Columns.name, manager.name, manager[manager.name])
            #expect(
                try request.sql(db)
                    == #"SELECT "employee1"."name", "employee2"."name", "employee3"."name" FROM "employee" AS "employee1" LEFT JOIN "employee" AS "employee2" ON "employee2"."id" = "employee1"."managerId" LEFT JOIN "employee" AS "employee3" ON "employee3"."id" = "employee2"."managerId""#
            )
            let names = try Row.fetchAll(db, request).map { $0.databaseValues.map { String.fromDatabaseValue($0) } }
            #expect(names == [["Ann", nil, nil], ["Ben", "Ann", nil], ["Cat", "Ben", "Ann"]])
        }
    }

    @Test
    func `The clauses of a prefetched association use the columns of what it joins`() throws {
        try Library.withDatabase { db throws in
            let request = Author.including(
                all: Author.books.joining(optional: Book.library).filter(Book.library.columns["name"] != "New")
                    .annotated(with: Book.library.columns["name"].forKey("library")))
            let rows = try Row.fetchAll(db, request.order { $0.id })
            let books = rows.map { $0.prefetchedRows["books"]?.map { $0["title"] as String + ": " + ($0["library"] as String) } }
            #expect(books == [["The Steam House: Old"], ["The Time Machine: Old"], [], []])
        }
    }

    @Test
    func `A value is stored as the columns of the association store it`() throws {
        struct Event: TableRecord, ColumnValueEncoding {
            enum Columns {
                static let at = Column("at")
            }
            static func databaseValue(
                of value: any DatabaseValueConvertible & Sendable, inColumn column: String
            ) throws -> DatabaseValue? {
                (value as? Date)?.timeIntervalSince1970.databaseValue
            }
        }
        struct Visit: TableRecord {
            static let event = belongsTo(Event.self)
        }
        try withDatabase(
            """
            CREATE TABLE event (id INTEGER PRIMARY KEY, at);
            CREATE TABLE visit (id INTEGER PRIMARY KEY, eventId INTEGER REFERENCES event);
            INSERT INTO event VALUES (1, 5); INSERT INTO visit VALUES (1, 1);
            """
        ) { db throws in
            let at = Visit.event.columns.at
            let request = Visit.joining(required: Visit.event).filter(at == Date(timeIntervalSince1970: 5))
            #expect(try request.sql(db).hasSuffix(#"WHERE "event"."at" = 5.0"#))
            #expect(try request.fetchCount(db) == 1)
        }
    }

    @Test
    func `Columns of an association that the request does not join are an error`() throws {
        try Library.withDatabase { db throws in
            let author = Book.author.columns
            let requests = [
                Book.filter { _ in author.name == "Verne" }, Book.including(required: Book.library).order(author.name),
                Author.including(all: Author.books).select(Author.books.columns.id).asRequest(of: Book.self),
                Book.joining(required: Book.author.forKey("writer")).filter(author.exists),
            ]
            for request in requests {
                let error = #expect(throws: DatabaseError.self) { try request.asRequest(of: Row.self).fetchAll(db) }
                #expect(error?.resultCode == .SQLITE_MISUSE)
                #expect(error?.message?.contains(", but does not join it to ") == true, "\(error as Any)")
            }
        }
    }

    @Test
    func `The error about a column of another table names that table, and how to write the column`() throws {
        try Library.withDatabase { db throws in
            let request = Author.joining(optional: Author.books).select(Author.Columns.name, Book.Columns.title)
            let failures: [() throws -> Void] = [
                { _ = try request.asRequest(of: Row.self).fetchAll(db) },
                { _ = try Author.joining(optional: Author.books).filter(Book.Columns.title == "x").fetchCount(db) },
                { _ = try Author.joining(optional: Author.books).order(Book.Columns.title).isEmpty(db) },
                { _ = try Author.joining(required: Author.books).filter(Book.Columns.title == "x").deleteAll(db) },
                {
                    let ids = Author.joining(required: Author.books).select(Author.Columns.id).filter(Book.Columns.title == "x")
                    _ = try Award.filter(ids.contains(Column("authorId"))).fetchCount(db)
                },
                {
                    _ = try Country.including(all: Country.authors.joining(required: Author.books).order(Book.Columns.title)).asRequest(
                        of: Row.self
                    ).fetchAll(db)
                },
            ]
            for failure in failures {
                let error = #expect(throws: DatabaseError.self) { try failure() }
                expectMissingColumn("author.title", error?.message)
                #expect(
                    error?.description.hasSuffix(
                        #"book, not author, has the column title. Write it with the association that joins its table, as in "#
                            + #"association.columns["title"], or give that one an alias: let alias = TableAlias<Book>(), "#
                            + #"association.aliased(alias), alias["title"]."#) == true, "\(error as Any)")
            }
            // No table has the column.
            let error = #expect(throws: DatabaseError.self) {
                try Author.joining(optional: Author.books).filter(Column("tittle") == "x").fetchCount(db)
            }
            expectMissingColumn("author.tittle", error?.message)
            #expect(error?.description.contains("association") == false)
        }
    }
}
