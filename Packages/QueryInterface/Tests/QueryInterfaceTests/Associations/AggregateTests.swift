import QueryInterface
import Testing

/// Aggregates of associations: the request, its SQL, and its rows.
@Suite("Association aggregates")
struct AggregateTests {
    private let books = #"FROM "book" WHERE "book"."authorId" = "author"."id")"#

    @Test
    func `The number of rows can be selected, filtered by, and ordered by`() throws {
        try Library.withDatabase { db throws in
            let annotated = Author.annotated(with: Author.books.count).order(\.id)
            #expect(try annotated.sql(db) == #"SELECT *, (SELECT count(*) \#(books) AS "bookCount" FROM "author" ORDER BY "id""#)
            #expect(try Row.fetchAll(db, annotated).map { $0["bookCount"] } == [2, 1, 1, 0])
            let filtered = Author.having(Author.books.count >= 2)
            #expect(try filtered.sql(db) == #"SELECT * FROM "author" WHERE (SELECT count(*) \#(books) >= 2"#)
            #expect(try filtered.fetchAll(db).map(\.name) == ["Verne"])
            #expect(try filtered.fetchCount(db) == 1)
            let ordered = Author.order(Author.books.count.desc, Author.Columns.name)
            #expect(try ordered.sql(db) == #"SELECT * FROM "author" ORDER BY (SELECT count(*) \#(books) DESC, "name""#)
            #expect(try ordered.fetchAll(db).map(\.name) == ["Verne", "Calvino", "Wells", "Anonymous"])
        }
    }

    @Test
    func `isEmpty and its negation are EXISTS`() throws {
        try Library.withDatabase { db throws in
            let none = Author.having(Author.books.isEmpty)
            #expect(try none.sql(db) == #"SELECT * FROM "author" WHERE NOT EXISTS (SELECT 1 \#(books)"#)
            #expect(try none.fetchAll(db).map(\.name) == ["Anonymous"])
            let some = Author.filter(!Author.books.isEmpty)
            #expect(try some.sql(db) == #"SELECT * FROM "author" WHERE EXISTS (SELECT 1 \#(books)"#)
            #expect(try some.fetchCount(db) == 3)
            let annotated = try Row.fetchAll(db, Author.annotated(with: Author.books.isEmpty).order(\.id))
            #expect(annotated.map { $0["hasNoBook"] } == [false, false, false, true])
        }
    }

    @Test
    func `Aggregates have default aliases`() throws {
        try Library.withDatabase { db throws in
            let price = Book.Columns.price
            let request =
                Author
                .annotated(
                    with: Author.books.sum(price), Author.books.average(price), Author.books.min(price), Author.books.max(price),
                    Author.books.total(price).forKey("total"), Author.books.max(price + 1).forKey("more")
                )
                .order(\.id)
            let rows = try Row.fetchAll(db, request)
            let names = ["bookPriceSum", "averageBookPrice", "minBookPrice", "maxBookPrice", "total", "more"]
            #expect(rows[0].columnNames.suffix(6).elementsEqual(names))
            #expect(names.map { rows[0][$0] as Double? } == [20.5, 10.25, 8, 12.5, 20.5, 13.5])
            #expect(names.map { rows[3][$0] as Double? } == [nil, nil, nil, nil, 0, nil])
        }
    }

    @Test
    func `Several aggregates don't multiply each other's rows`() throws {
        try Library.withDatabase { db throws in
            let request =
                Author
                .annotated(with: Author.books.count, Author.awards.sum(Award.Columns.prize).forKey("prizes"))
                .having(Author.awards.count > 0 && Author.books.max(Book.Columns.year) > 1881)
                .order(\.id)
            let rows = try Row.fetchAll(db, request)
            #expect(rows.map { $0["bookCount"] } == [2, 1])
            #expect(rows.map { $0["prizes"] } == [150, 100])
        }
    }

    @Test
    func `Aggregates have the operators of other expressions`() throws {
        try Library.withDatabase { db throws in
            func names(_ predicate: any SQLSpecificExpressible) throws -> [String] {
                try Author.filter(predicate).order(\.id).fetchAll(db).map(\.name)
            }
            let (count, year) = (Author.books.count, Author.books.max(Book.Columns.year))
            #expect(try names(count == 1) == ["Wells", "Calvino"])
            #expect(try names(1 == count) == ["Wells", "Calvino"])
            #expect(try names(count != 1) == ["Verne", "Anonymous"])
            #expect(try names(count == Author.awards.count) == ["Verne", "Calvino", "Anonymous"])
            #expect(try names(year == nil) == ["Anonymous"])
            #expect(try names(year != nil) == ["Verne", "Wells", "Calvino"])
            #expect(try names(year === nil) == ["Anonymous"])
            #expect(try names((year ?? 0) < 1) == ["Anonymous"])
            #expect(try names(count + 1 > 2) == ["Verne"])
            #expect(try names(count * 2 - 1 == 1) == ["Wells", "Calvino"])
            #expect(try names(-count <= -2) == ["Verne"])
            #expect(try names(count == 0 || Author.Columns.name == "Wells") == ["Wells", "Anonymous"])
            #expect(try names(!(count > 0)) == ["Anonymous"])
            #expect(try names(Author.Columns.birthYear + 30 > year) == ["Wells"])
            #expect(try names(year - Author.Columns.birthYear < 30 && Author.Columns.name != "Verne") == ["Wells"])
            #expect(try names([1, 2].contains(count) && !(1...1).contains(count)) == ["Verne"])
            #expect(try names(Award.select(Column("id")).contains(count)) == ["Verne", "Wells", "Calvino"])
            #expect(try names(Author.books.isEmpty == false) == ["Verne", "Wells", "Calvino"])
            #expect(try names(max(count, Author.awards.count) >= 2) == ["Verne"])
            #expect(try names(Case(when: Author.books.isEmpty, then: Author.Columns.id == 4).else(count > 1)) == ["Verne", "Anonymous"])
            #expect(try names("\(count) + 1 = 3" as SQL) == ["Verne"])
        }
    }

    @Test
    func `Aggregates are selected like other expressions`() throws {
        try Library.withDatabase { db throws in
            let request = Author.select(Author.Columns.name, Author.books.count).order(Author.books.count.descNullsFirst, Author.Columns.id)
            #expect(
                try request.sql(db)
                    == #"SELECT "name", (SELECT count(*) \#(books) AS "bookCount" FROM "author" ORDER BY (SELECT count(*) \#(books) DESC NULLS FIRST, "id""#
            )
            #expect(try Row.fetchAll(db, request).map { $0["bookCount"] } == [2, 1, 1, 0])
            let sums = Author.select(Author.books.count + Author.awards.count, as: Int.self).order(Column("id"))
            #expect(try sums.fetchAll(db) == [4, 1, 2, 0])
            #expect(try Author.select(sum(Author.books.count), as: Int.self).fetchOne(db) == 4)
            let authors = Author.select { $0.id }.filter(Author.books.count > 1)
            #expect(try Book.filter(authors.contains(Book.Columns.authorId)).fetchCount(db) == 2)
        }
    }

    @Test
    func `A default value and a cast keep the alias of an aggregate, other operators and functions don't`() throws {
        try Library.withDatabase { db throws in
            let year = Author.books.max(Book.Columns.year)
            func names(_ request: QueryInterfaceRequest<Author>) throws -> [String] {
                try Array(#require(try Row.fetchOne(db, request)).columnNames.suffix(3))
            }
            let kept: [any SQLSelectable & Sendable] = [
                year ?? 0, cast((year ?? 0) ?? 1, as: .text), cast(year.forKey("y"), as: .real) ?? 0,
            ]
            #expect(try names(Author.annotated(with: kept)) == ["maxBookYear", "maxBookYear", "y"])
            #expect(try names(Author.all().annotatedWhenConnected { _ in kept }) == ["maxBookYear", "maxBookYear", "y"])
            #expect(try names(Author.select(kept)) == ["maxBookYear", "maxBookYear", "y"])
            let sql = try Author.annotated(with: year + 1, abs(year), !Author.books.isEmpty).sql(db)
            #expect(!sql.contains(" AS "))
        }
    }

    @Test
    func `An aggregate applies the filters of its association`() throws {
        try Library.withDatabase { db throws in
            let recent = Author.books.filter { $0.year > 1881 }
            let request = Author.annotated(with: recent.count, Author.books.count.forKey("all")).order(\.id)
            let rows = try Row.fetchAll(db, request)
            #expect(rows.map { $0["bookCount"] } == [1, 1, 1, 0])
            #expect(rows.map { $0["all"] } == [2, 1, 1, 0])
            let distinct = Author.annotated(with: Author.books.select { $0.year > 1700 }.distinct().count).order(\.id)
            #expect(try Row.fetchAll(db, distinct).map { $0["bookCount"] } == [1, 1, 1, 0])
        }
    }

    @Test
    func `Aggregates through other tables count each row once`() throws {
        try Library.withDatabase { db throws in
            let request = Country.annotated(with: Country.citizens.count).order(\.code)
            #expect(
                try request.sql(db)
                    == #"SELECT *, (SELECT count(DISTINCT "citizen"."id") FROM "citizen" JOIN "passport" ON "passport"."citizenId" = "citizen"."id" AND "passport"."countryCode" = "country"."code") AS "citizenCount" FROM "country" ORDER BY "code""#
            )
            #expect(try Row.fetchAll(db, request).map { $0["citizenCount"] } == [2, 1, 0])
            try db.execute(sql: "UPDATE book SET libraryId = 1")
            let libraries = try Row.fetchAll(db, Author.annotated(with: Author.libraries.count).order(\.id))
            #expect(libraries.map { $0["libraryCount"] } == [1, 1, 1, 0])
        }
    }

    @Test
    func `Requests with aggregates return each row once, whatever they join`() throws {
        try Library.withDatabase { db throws in
            let (books, price) = (Author.books.order(\.year), Author.books.max(Book.Columns.price))
            let highest = #"(SELECT max("book1"."price") FROM "book" AS "book1" WHERE "book1"."authorId" = "author"."id")"#
            let request = Author.joining(required: Author.books).annotated(with: price).order(\.id)
            #expect(
                try request.sql(db)
                    == #"SELECT "author".*, \#(highest) AS "maxBookPrice" FROM "author" JOIN "book" ON "book"."authorId" = "author"."id" GROUP BY "author"."id" ORDER BY "author"."id""#
            )
            #expect(try Row.fetchAll(db, request).map { $0["maxBookPrice"] as Double? } == [12.5, 9.5, 15])
            func ids(_ request: QueryInterfaceRequest<Author>) throws -> [Int64] {
                let ids = try request.order(\.id).fetchAll(db).map(\.id)
                #expect(try request.fetchCount(db) == ids.count)
                return ids
            }
            #expect(try ids(Author.annotated(with: price).joining(required: books)) == [1, 2, 3])
            #expect(try ids(Author.joining(optional: books).having(Author.books.count >= 0)) == [1, 2, 3, 4])
            #expect(try ids(Author.joining(required: books).filter(!Author.books.isEmpty)) == [1, 2, 3])
            let libraries = Author.joining(required: Author.libraries)
            #expect(try ids(libraries.annotated(with: price)) == ids(libraries.distinct()))
            let aliased = books.aliased(TableAlias(name: "b"))
            #expect(try ids(Author.joining(required: aliased).filter(TableAlias(name: "b")["year"] < 1890).annotated(with: price)) == [1])
            // The filter of a join does not restrict an aggregate.
            let old = Author.joining(required: Author.books.filter { $0.year < 1881 }).annotated(with: Author.books.count)
            #expect(try Row.fetchAll(db, old).map { $0["bookCount"] } == [2])
            #expect(try old.updateAll(db, Column("birthYear").set(to: 1828)) == 1)
            // Without aggregates, with groups, and with columns of the joined rows, there is a row for each of these.
            #expect(try ids(Author.joining(required: books)) == [1, 1, 2, 3])
            #expect(try ids(Author.including(required: books).annotated(with: price)) == [1, 1, 2, 3])
            #expect(try ids(Author.annotated(withRequired: books.select(\.title)).annotated(with: price)) == [1, 1, 2, 3])
            #expect(try ids(Author.joining(required: books).annotated(with: price).group(\.countryCode)).count == 3)
            // A join with one row at most needs no groups.
            #expect(try !Book.joining(required: Book.author).annotated(with: Book.chapters.count).sql(db).contains("GROUP BY"))
        }
    }

    @Test
    func `Columns of what the rows of an association refer to don't repeat a row of a request with aggregates`() throws {
        try Library.withDatabase { db throws in
            func ids(_ request: QueryInterfaceRequest<Author>) throws -> [Int64] {
                let ids = try request.order(\.id).fetchAll(db).map(\.id)
                #expect(try request.fetchCount(db) == ids.count)
                return ids
            }
            let count = Author.books.count
            let request = Author.joining(required: Author.books.including(required: Book.library)).annotated(with: count).order(\.id)
            #expect(
                try request.sql(db)
                    == #"SELECT "author".*, (SELECT count(*) FROM "book" AS "book1" WHERE "book1"."authorId" = "author"."id") AS "bookCount", "library".* FROM "author" JOIN "book" ON "book"."authorId" = "author"."id" JOIN "library" ON "library"."id" = "book"."libraryId" GROUP BY "author"."id" ORDER BY "author"."id""#
            )
            let rows = try Row.fetchAll(db, request)
            #expect(rows.map { $0["bookCount"] } == [2, 1])
            // The library of one of the books.
            #expect(["Old", "New"].contains(rows[0].scopesTree["library"]?["name"]) && rows[1].scopesTree["library"]?["name"] == "Old")
            #expect(try ids(Author.joining(optional: Author.books.including(optional: Book.library)).having(count >= 0)) == [1, 2, 3, 4])
            let back = Author.books.including(required: Book.author.forKey("a"))
            #expect(try ids(Author.joining(required: back).having(count > 0)) == [1, 2, 3])
            // One address of a library, and tables that are further away.
            #expect(try ids(Author.joining(required: Author.books.including(optional: Book.address)).having(count > 0)) == [1, 2, 3])
            let far = Author.books.joining(optional: Book.library.including(optional: LibraryRecord.address))
            #expect(try ids(Author.joining(required: far).having(count > 0)) == [1, 2, 3])
            // Columns that the request itself selects, prefetched rows, and rows of an association to many.
            let title = Author.books.columns[Book.library.columns["name"]].forKey("library")
            let withLibrary = Author.joining(required: Author.books.joining(optional: Book.library))
            #expect(try ids(withLibrary.annotated(with: title).having(count > 0)) == [1, 1, 2, 3])
            #expect(try ids(Author.joining(required: Author.books.including(all: Book.chapters)).having(count > 0)) == [1, 1, 2, 3])
            #expect(try ids(Author.joining(required: Author.books.including(required: Book.chapters)).having(count > 0)) == [1, 1, 2])
            #expect(try ids(Author.including(required: Author.libraries).having(count > 0)) == [1, 1, 2])
        }
    }

    @Test
    func `A row is repeated for the rows of the associations whose columns are selected, and for no others`() throws {
        try Library.withDatabase { db throws in
            let request = Author.including(required: Author.awards).joining(required: Author.books).annotated(with: Author.books.count)
                .order(Author.Columns.id, Author.awards.columns.name)
            #expect(
                try request.sql(db)
                    == #"SELECT "author".*, (SELECT count(*) FROM "book" AS "book1" WHERE "book1"."authorId" = "author"."id") AS "bookCount", "award".* FROM "author" JOIN "award" ON "award"."authorId" = "author"."id" JOIN "book" ON "book"."authorId" = "author"."id" GROUP BY "author"."id", "award"."id" ORDER BY "author"."id", "award"."name""#
            )
            let rows = try Row.fetchAll(db, request)
            #expect(rows.map { $0["name"] } == ["Verne", "Verne", "Calvino"])
            #expect(rows.map { $0.scopes["award"]?["name"] } == ["Gold", "Silver", "Gold"])
            #expect(rows.map { $0["bookCount"] } == [2, 2, 1])
            #expect(try request.fetchCount(db) == 3)
            let optional = Author.including(optional: Author.awards).joining(optional: Author.books).having(Author.books.count >= 0)
            #expect(try optional.order(\.id).fetchAll(db).map(\.id) == [1, 1, 2, 3, 4])
            // Selected functions on all rows make one row.
            let total = Author.including(required: Author.awards.select([] as [Column])).joining(required: Author.books)
                .select(max(Author.books.columns.id)).having(Author.books.count > 0)
            #expect(try Int.fetchAll(db, total) == [4])
        }
    }

    @Test
    func `Requests return each row once if their conditions or additional selections contain an aggregate, and only then`() throws {
        try Library.withDatabase { db throws in
            let (count, joining) = (Author.books.count, Author.joining(required: Author.books))
            func ids(_ request: QueryInterfaceRequest<Author>) throws -> [Int64] {
                let ids = try request.order(\.id).fetchAll(db).map(\.id)
                #expect(try request.fetchCount(db) == ids.count)
                return ids
            }
            struct Twice: SQLExpressionNode {
                let operand: SQLExpression

                func render(to renderer: inout SQLRenderer) throws {
                    renderer.append("(2 * ")
                    try renderer.append(operand)
                    renderer.append(")")
                }
            }
            let twice = SQLExpression(Twice(operand: count.sqlExpression))
            let conditions: [SQLExpression] = [
                count > 0 && Author.Columns.name != "x", abs(count + 1) > 1, Case(when: Author.books.isEmpty, then: 0).else(1),
                [1, 2].contains(count), twice > 0, ("\(count) > 0" as SQL).sqlExpression, count.sqlExpression,
            ]
            for condition in conditions {
                #expect(try ids(joining.filter(condition)) == [1, 2, 3])
                #expect(try ids(joining.filterWhenConnected { _ in condition }) == [1, 2, 3])
                #expect(try ids(joining.having(condition)) == [1, 2, 3])
            }
            #expect(try ids(joining.annotated(with: (count + 1).forKey("n"))) == [1, 2, 3])
            #expect(try ids(joining.annotatedWhenConnected { _ in [count] }) == [1, 2, 3])
            #expect(try ids(joining.annotated(with: count).select(Author.Columns.id, Author.Columns.name)) == [1, 2, 3])
            let author = TableAlias<Author>()
            #expect(try ids(joining.aliased(author).filter(author[count] > 0)) == [1, 2, 3])
            #expect(try ids(joining.aliased(author).annotated(with: author[count.forKey("n")])) == [1, 2, 3])
            // Other places, subqueries, and aggregates on the joined rows.
            #expect(try joining.order(count.desc, Author.Columns.id).fetchAll(db).map(\.id) == [1, 1, 2, 3])
            #expect(try ids(joining.select(Author.Columns.id, Author.Columns.name, count)) == [1, 1, 2, 3])
            #expect(try ids(joining.filter(Author.filter(count > 0).select(\.id).contains(Author.Columns.id))) == [1, 1, 2, 3])
            #expect(try ids(joining.filter(Author.books.columns[Book.chapters.count] >= 0)) == [1, 1, 2, 3])
        }
    }

    @Test
    func `A condition on groups is one on rows if it contains an aggregate of an association, and no aggregate function`() throws {
        try Library.withDatabase { db throws in
            let (count, country) = (Author.books.count, Author.Columns.countryCode)
            #expect(
                try Author.having(count > 3 && Author.books.max(Column("year")) < 2000 || Column("name") == "Wells").sql(db)
                    == #"SELECT * FROM "author" WHERE (SELECT count(*) \#(books) > 3 AND (SELECT max("book"."year") \#(books) < 2000 OR "name" = 'Wells'"#
            )
            #expect(try Author.having(count == nil).sql(db) == #"SELECT * FROM "author" WHERE (SELECT count(*) \#(books) IS NULL"#)
            #expect(try Author.all().having { count > 1 && $0.id > 0 }.fetchAll(db).map(\.name) == ["Verne"])
            let grouped = Author.select { $0.countryCode }.group(country)
            #expect(
                try grouped.having(count > 1).sql(db)
                    == #"SELECT "countryCode" FROM "author" WHERE (SELECT count(*) \#(books) > 1 GROUP BY "countryCode""#)
            #expect(
                try grouped.having(max(count) > 1).sql(db)
                    == #"SELECT "countryCode" FROM "author" GROUP BY "countryCode" HAVING max((SELECT count(*) \#(books)) > 1"#)
            #expect(try String.fetchAll(db, grouped.having(max(count) > 1 && count >= 0).asRequest(of: String.self)) == ["FR"])
            for condition in [max(count) > 1, sum(Author.Columns.id) > 1] {
                let message = try db.message { _ = try Author.having(condition).fetchAll(db) }
                #expect(message.contains("author has conditions on groups, but is not grouped"))
            }
        }
    }

    @Test
    func `An aggregate on rows of a table without the association throws an error that names both tables`() throws {
        try Library.withDatabase { db throws in
            let (none, alias) = (Author.books.isEmpty, TableAlias<Book>())
            let table = Table<Row>("author")
            let untyped = table.hasMany(Table<Row>("book")).count
            let requests: [QueryInterfaceRequest<Book>] = [
                Book.having(none), Book.filter(!none && Book.Columns.year > 0), Book.annotated(with: Author.books.count), Book.order(none),
                Book.select(cast(Author.books.count, as: .text)), Book.joining(required: Book.author).filter(Author.books.count > 1),
                Book.aliased(alias).filter(alias[none]),
                Book.filter(Book.filter(none).select(\.id).contains(Book.Columns.id)), Book.filter(untyped > 0), Book.group(none),
                Table<Book>("book").having(none),
            ]
            for request in requests {
                let error = #expect(throws: DatabaseError.self) { try request.fetchAll(db) }
                #expect(error?.resultCode == .SQLITE_MISUSE)
                #expect(error?.message?.contains("the association books of author is used for rows of book, which don't have it") == true)
                #expect(error?.advice?.hasPrefix("Use the aggregate in a request of author, or join author") == true)
            }
            let library = Book.joining(required: Book.library.filter(none))
            #expect(try db.message { _ = try library.fetchAll(db) }.contains("of author is used for rows of library"))
            #expect(try db.message { try Book.filter(none).deleteAll(db) }.contains("rows of book"))
            #expect(try db.message { try Book.updateAll(db, Column("year").set(to: Author.books.count)) }.contains("rows of book"))
            #expect(try db.message { _ = try Table<Row>("book").filter(untyped > 0).fetchAll(db) }.contains("rows of book"))
            let authors = CommonTableExpression<Country>(named: "c", request: Country.all())
            #expect(try db.message { _ = try authors.all().with(authors).having(none).fetchAll(db) }.contains("rows of c"))
        }
    }

    @Test
    func `Aggregates work on rows of the table that has the association, wherever they come from`() throws {
        struct Writer: TableRecord {
            static let databaseTableName = "AUTHOR"
        }

        try Library.withDatabase { db throws in
            let (count, table) = (Author.books.count, Table<Row>("author"))
            let untyped = table.hasMany(Table<Row>("book")).count
            func expectVerne(_ request: QueryInterfaceRequest<some Any>) throws {
                #expect(try Row.fetchAll(db, request.asRequest(of: Row.self)).map { $0["name"] } == ["Verne"])
            }
            try expectVerne(Writer.having(count > 1))
            try expectVerne(Table<Row>("main.author").having(count > 1))
            try expectVerne(table.filter(count > 1 && untyped > 1))
            try expectVerne(Author.filter(untyped > 1))
            try expectVerne(Author.aliased(TableAlias<Author>(name: "a")).filter(TableAlias<Author>(name: "a")[count] > 1))
            try expectVerne(Author.select(Column("name"), as: String.self).having(count > 1))
            try expectVerne(Author.filter(Author.filter(count > 1).select(\.id).contains(Author.Columns.id)))
            // Views and common table expressions.
            let named = CommonTableExpression<Row>(named: "author", request: Table<Row>("main.author").all())
            try expectVerne(named.all().with(named).filter(count > 1))
            let typed = CommonTableExpression<Author>(named: "t", request: Author.all())
            try expectVerne(typed.all().with(typed).filter(count > 1))
            let other = CommonTableExpression<Row>(named: "t", request: Author.all())
            try expectVerne(other.all().with(other).filter(count > 1 && untyped > 1))
            try db.create(view: "writers", as: Author.all())
            try expectVerne(Table<Row>("writers").filter(count > 1))
            // Joined tables.
            let author = TableAlias<Author>()
            let joined = Book.joining(required: Book.author.aliased(author))
            #expect(try joined.filter(author[count] > 1).fetchCount(db) == 2)
            #expect(try joined.filter(Book.author.columns[count + 0] > 1).fetchCount(db) == 2)
            #expect(try Book.joining(required: Book.author.filter(count > 1)).fetchCount(db) == 2)
            #expect(try Book.joining(required: Book.author.having(count > 1 && Column("id") > 0)).fetchCount(db) == 2)
            // Changes.
            #expect(try Author.filter(count > 1).updateAll(db, Column("birthYear").set(to: count + 1000)) == 1)
            #expect(try Author.filter(count > 1).fetchOne(db)?.birthYear == 1002)
            #expect(try Author.limit(10).filter(count == 0).deleteAll(db) == 1)
        }
    }

    @Test
    func `An association that joins several rows counts each of its rows once`() throws {
        try Library.withDatabase { db throws in
            let withChapters = Author.books.joining(required: Book.chapters)
            let counts = try Row.fetchAll(db, Author.annotated(with: withChapters.count).order(\.id)).map { $0["bookCount"] as Int }
            // The first book has two chapters.
            #expect(counts == [1, 1, 0, 0])
            let nested = Author.annotated(with: Author.books.joining(required: Book.chapters).having(Book.chapters.count > 1).count)
            #expect(try Row.fetchAll(db, nested.order(\.id)).map { $0["bookCount"] } == [1, 0, 0, 0])
        }
    }

    @Test
    func `Aggregates in a joined association refer to the joined table`() throws {
        try Library.withDatabase { db throws in
            let request = Book.joining(required: Book.author.having(Author.awards.count == 2).filter { $0.id > 0 })
            // Filters by aggregates are part of the join condition.
            #expect(
                try request.sql(db)
                    == #"SELECT "book".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" AND (SELECT count(*) FROM "award" WHERE "award"."authorId" = "author"."id") = 2 AND "author"."id" > 0"#
            )
            #expect(try request.fetchAll(db).map(\.id) == [1, 2])
            let included = Book.including(required: Book.author.annotated(with: Author.awards.count)).order(\.id)
            #expect(try Row.fetchAll(db, included).map { $0.scopes["author"]?["awardCount"] } == [2, 2, 0, 1])
        }
    }
}
