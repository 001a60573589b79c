import QueryInterface
import Testing

/// Conditions of optional associations on the tables that they join: the request, its SQL, and its rows.
@Suite("Conditions of optional associations")
struct OptionalConditionTests {
    private let french = Author.country.columns["name"] == "France"
    private let joined =
        #"FROM "book" LEFT JOIN ("author" LEFT JOIN "country" ON "country"."code" = "author"."countryCode") ON "author"."id" = "book"."authorId" AND "#

    private func check(
        _ request: QueryInterfaceRequest<some Any>, _ sql: String, _ rows: [[(any DatabaseValueConvertible)?]],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try Library.withDatabase { db throws in
            let actual = try request.sql(db)
            #expect(actual == sql, sourceLocation: sourceLocation)
            let expected = rows.map { $0.map { $0?.databaseValue ?? .null } }
            #expect(try Row.fetchAll(db, request).map { Array($0.unadapted.databaseValues) } == expected, sourceLocation: sourceLocation)
            #expect(try request.fetchCount(db) == rows.count, sourceLocation: sourceLocation)
        }
    }

    @Test
    func `An optional association can be filtered by its own optional association`() throws {
        let author = Book.author.joining(optional: Author.country)
        try check(
            Book.joining(optional: author.filter(french)).select(Book.Columns.id, Book.author.columns.name).order(\.id),
            #"SELECT "book"."id", "author"."name" \#(joined)"country"."name" = 'France' ORDER BY "book"."id""#,
            [[1, "Verne"], [2, "Verne"], [3, nil], [4, nil]])
        // The conditions of both associations, and no row at the end.
        try check(
            Book.select(Book.Columns.id)
                .including(
                    optional: author.select(Author.Columns.name).filter(Author.country.columns["name"] != "Italy" && Author.Columns.id < 9)
                )
                .filter { $0.year > 1881 }.order(\.id),
            #"SELECT "book"."id", "author"."name" \#(joined)"country"."name" <> 'Italy' AND "author"."id" < 9 WHERE "book"."year" > 1881 ORDER BY "book"."id""#,
            [[2, "Verne"], [3, "Wells"], [4, nil]])
        // Every row of an association to many.
        try check(
            Author.joining(optional: Author.books.joining(optional: Book.chapters).filter(Book.chapters.columns.number >= 1))
                .select(Author.Columns.id, Author.books.columns[Book.chapters.columns.title].forKey("x"))
                .order(Author.Columns.id, Column("x").detached),
            #"SELECT "author"."id", "chapter"."title" AS "x" FROM "author" LEFT JOIN ("book" LEFT JOIN "chapter" ON "chapter"."bookId" = "book"."id") ON "book"."authorId" = "author"."id" AND "chapter"."number" >= 1 ORDER BY "author"."id", "x""#,
            [[1, "Arrival"], [1, "Departure"], [2, "The Machine"], [3, nil], [4, nil]])
    }

    @Test
    func `Only a condition that needs it puts a join in parentheses`() throws {
        let author = Book.author.joining(optional: Author.country)
        let plain =
            #"FROM "book" LEFT JOIN "author" ON "author"."id" = "book"."authorId"# + "\""
        let country = #" LEFT JOIN "country" ON "country"."code" = "author"."countryCode""#
        try Library.withDatabase { db throws in
            func sql(_ request: QueryInterfaceRequest<Book>) throws -> String { try request.select(Book.Columns.id).sql(db) }
            // No condition, a condition on its own table, on a table to its left, and on rows of the request.
            #expect(try sql(Book.joining(optional: author)) == #"SELECT "book"."id" \#(plain)\#(country)"#)
            #expect(
                try sql(Book.joining(optional: author.filter { $0.id > 1 }))
                    == #"SELECT "book"."id" \#(plain) AND "author"."id" > 1\#(country)"#)
            let book = TableAlias<Book>()
            #expect(
                try sql(Book.aliased(book).joining(optional: author.filter { $0.birthYear < book.year }))
                    == #"SELECT "book"."id" \#(plain) AND "author"."birthYear" < "book"."year"\#(country)"#)
            #expect(
                try sql(Book.joining(optional: author).filter(Book.author.columns[french]))
                    == #"SELECT "book"."id" \#(plain)\#(country) WHERE "country"."name" = 'France'"#)
            // SQLite allows a required table any condition.
            #expect(
                try sql(Book.joining(required: author.filter(french)))
                    == #"SELECT "book"."id" \#(plain.replacing("LEFT ", with: "")) AND "country"."name" = 'France'\#(country)"#)
            // Another association stays outside.
            #expect(
                try sql(Book.joining(optional: author.filter(french)).joining(optional: Book.library.filter(Column("id") > 0)))
                    == #"SELECT "book"."id" \#(joined)"country"."name" = 'France' LEFT JOIN "library" ON "library"."id" = "book"."libraryId" AND "library"."id" > 0"#
            )
        }
    }

    @Test
    func `Conditions refer to the tables by aliases, by interpolation, in subqueries, and by the existence of a row`() throws {
        let alias = TableAlias<Country>()
        let name = Author.country.columns["name"]
        let profile = Author.country.joining(optional: Country.profile)
        let requests: [(QueryInterfaceRequest<Book>, [Int64])] = [
            (Book.joining(optional: Book.author.joining(optional: Author.country.aliased(alias)).filter(alias.name == "France")), [1, 2]),
            (Book.joining(optional: Book.author.joining(optional: Author.country).filter(literal: "\(name) = 'France'")), [1, 2]),
            (Book.joining(optional: Book.author.joining(optional: Author.country).filter(["France", "Italy"].contains(name))), [1, 2, 4]),
            (
                Book.joining(
                    optional: Book.author.joining(optional: Author.country.aliased(alias)).filter(
                        Award.select(Column("name")).filter { _ in length(alias.name) == 6 }.contains("Gold".databaseValue.sqlExpression))),
                [1, 2]
            ),
            (Book.joining(optional: Book.author.joining(optional: Author.country).filter(!Author.country.columns.exists)), []),
            (Book.joining(optional: Book.author.joining(optional: Author.country).filter(Author.country.columns.exists)), [1, 2, 3, 4]),
            // A table further away, and one whose association has a condition of the same kind.
            (
                Book.joining(
                    optional: Book.author.joining(optional: profile).filter(Author.country.columns[Country.profile.columns["area"]] > 300)),
                [1, 2]
            ),
            (
                Book.joining(
                    optional: Book.author.joining(optional: profile.filter(Country.profile.columns["area"] < 300)).filter(name == "Britain")
                ),
                [3]
            ),
        ]
        try Library.withDatabase { db throws in
            for (index, (request, ids)) in requests.enumerated() {
                let found = request.filter(Book.author.columns.exists).order(\.id)
                let sql = try found.sql(db)
                #expect(try found.fetchAll(db).map(\.id) == ids, "\(index): \(sql)")
                #expect(try request.fetchCount(db) == 4)
                #expect(try request.updateAll(db, Column("price").set(to: 1)) == 4)
            }
        }
    }

    @Test
    func `Scopes and prefetched rows belong to the joined rows`() throws {
        try Library.withDatabase { db throws in
            let author = Book.author.including(optional: Author.country).including(all: Author.awards).filter(french)
            let rows = try Row.fetchAll(db, Book.including(optional: author).order(\.id))
            #expect(rows.map { $0.scopes["author"]?["name"] as String? } == ["Verne", "Verne", nil, nil])
            #expect(rows.map { $0.scopesTree["country"]?["code"] as String? } == ["FR", "FR", nil, nil])
            #expect(rows.map { $0.scopes["author"]?.prefetchedRows["awards"]?.count } == [2, 2, 0, 0])
            // The query of a prefetched association joins it in the same way.
            let books = Author.books.joining(optional: author).annotated(with: Book.author.columns.name.forKey("french"))
            let authors = try Row.fetchAll(db, Author.including(all: books.order(\.id)).order(\.id))
            #expect(authors.map { $0.prefetchedRows["books"]?.map { $0["french"] as String? } } == [["Verne", "Verne"], [nil], [nil], []])
        }
    }

    @Test
    func `A condition on a table that can't be joined before is an error that says what to write`() throws {
        let (library, book) = (TableAlias<LibraryRecord>(), TableAlias<Book>())
        let author = Book.author.filter { $0.name != library["name"] }
        try Library.withDatabase { db throws in
            func message(_ request: QueryInterfaceRequest<Book>) -> String? {
                let error = #expect(throws: DatabaseError.self) { try request.fetchAll(db) }
                return error?.sentences
            }
            #expect(
                message(Book.joining(optional: author).joining(optional: Book.library.aliased(library)))
                    == "the association to author has a condition on columns of library, which the request joins after it. "
                    + "Join library first, or add the condition to the filter of the request.")
            // Joined first, and as a condition of the request.
            let first = Book.joining(optional: Book.library.aliased(library)).joining(optional: author)
            #expect(try first.fetchCount(db) == 4)
            let country = Author.country.filter { _ in book.id > 2 }
            let nested = Book.author.joining(optional: country).filter(french)
            #expect(
                message(Book.aliased(book).joining(optional: nested))
                    == "the association to country has a condition on columns of book, from which it is separated by parentheses around "
                    + "author. Add the condition to the filter of the request, or of the association to author.")
            let moved = Book.author.joining(optional: Author.country).filter(french && book.id > 1)
            #expect(try Book.aliased(book).joining(optional: moved).filter(Book.author.columns.exists).fetchAll(db).map(\.id) == [2])
            // A required table in parentheses.
            let required = Book.author.joining(required: Author.country.filter { _ in book.id > 2 })
            #expect(message(Book.aliased(book).joining(optional: required))?.contains("is separated by parentheses around author") == true)
            // SQL names a table that the request does not know to be meant.
            let error = #expect(throws: DatabaseError.self) {
                try Book.joining(optional: Book.author.joining(optional: Author.country).filter(sql: "country.name = 'France'")).fetchAll(
                    db)
            }
            #expect(error?.message == "ON clause references tables to its right")
            #expect(error?.description.contains("Take the column from the association") == true)
        }
    }
}
