import QueryInterface
import Testing

/// Common table expressions with the same name. In a request, the last one counts. The request counts before its associations, and an
/// association before those that are added to it, or to the request, after it.
@Suite struct CommonTableNameTests {
    private let old = CommonTableExpression<Book>(named: "chosen", request: Book.filter { $0.year < 1890 })
    private let new = CommonTableExpression<Book>(named: "Chosen", request: Book.filter { $0.year > 1890 })

    @Test
    func `A later common table replaces an earlier one of its name in a request`() throws {
        try Library.withDatabase { db throws in
            let request = old.all().with(old).with(new).order(\.id)
            #expect(
                try request.sql(db)
                    == #"WITH "Chosen" AS (SELECT * FROM "book" WHERE "year" > 1890) SELECT * FROM "chosen" ORDER BY "id""#)
            #expect(try request.fetchAll(db).map(\.id) == [3, 4])
            #expect(try old.all().with(new).with(old).order(\.id).fetchAll(db).map(\.id) == [1, 2])
        }
    }

    @Test
    func `A request's common table replaces the common table of an association`() throws {
        try Library.withDatabase { db throws in
            let chosen = Author.association(to: old, on: { author, book in author["id"] == book["authorId"] })
            func ids(_ request: QueryInterfaceRequest<Author>) throws -> [Int64] {
                try request.order(\.id).fetchAll(db).map(\.id)
            }
            #expect(try ids(Author.with(old).joining(required: chosen.with(new))) == [1, 1])
            #expect(try ids(Author.joining(required: chosen.with(new)).with(old)) == [1, 1])
            #expect(try ids(Author.joining(required: chosen.with(old)).with(new)) == [2, 3])
            #expect(try ids(Author.joining(required: chosen.with(old).with(new))) == [2, 3])
            #expect(try ids(Author.joining(required: chosen.with(old)).joining(required: chosen.with(new))) == [2, 3])
            // Through another association.
            let nested = Country.authors.joining(required: chosen.with(new))
            let codes = Country.with(old).joining(required: nested).order(\.code)
            #expect(try codes.fetchAll(db).map(\.code) == ["FR", "FR"])
            #expect(try Country.joining(required: nested).order(\.code).fetchAll(db).map(\.code) == ["GB", "IT"])
            #expect(try Country.joining(required: nested).with(old).order(\.code).fetchAll(db).map(\.code) == ["FR", "FR"])
        }
    }

    @Test
    func `The common table of the first of two associations counts, and an association's before its associations'`() throws {
        try Library.withDatabase { db throws in
            let chosen = Author.association(to: old, on: { author, book in author["id"] == book["authorId"] })
            let (first, second) = (chosen.forKey("first").aliased(TableAlias()), chosen.forKey("second").aliased(TableAlias()))
            func ids(_ request: QueryInterfaceRequest<Author>) throws -> [Int64] {
                try request.order(\.id).distinct().fetchAll(db).map(\.id)
            }
            #expect(try ids(Author.joining(required: first.with(old)).joining(required: second.with(new))) == [1])
            #expect(try ids(Author.joining(required: first.with(new)).joining(required: second.with(old))) == [2, 3])
            #expect(try ids(Author.joining(required: first).joining(required: second.with(new))) == [2, 3])
            #expect(try ids(Author.joining(required: first.with(old)).joining(required: second.with(new)).with(new)) == [2, 3])
            // An association of an association.
            let authors = Country.authors
            func codes(_ request: QueryInterfaceRequest<Country>) throws -> [String] {
                try request.order(\.code).distinct().fetchAll(db).map(\.code)
            }
            #expect(try codes(Country.joining(required: authors.with(old).joining(required: chosen.with(new)))) == ["FR"])
            #expect(try codes(Country.joining(required: authors.joining(required: chosen.with(new)).with(old))) == ["FR"])
            // The subquery of a change has the same common tables.
            let changed = Author.joining(required: first.with(new)).joining(required: second.with(old))
            #expect(try changed.updateAll(db, Column("birthYear").set(to: 1)) == 2)
        }
    }

    @Test
    func `A later common table replaces an earlier one in prefetched associations`() throws {
        try Library.withDatabase { db throws in
            let books = Author.books.filter(old.contains(Column("id")))
            let ids = CommonTableExpression<Int>(named: "CHOSEN", request: Book.filter { $0.year > 1890 }.select(Column("id")))
            let none = CommonTableExpression<Int>(named: "chosen", sql: "SELECT NULL")
            func counts(_ association: some AssociationToMany<Author, Book>) throws -> [Int] {
                try Row.fetchAll(db, Author.including(all: association).order(\.id)).map { $0.prefetchedRows["books"]?.count ?? -1 }
            }
            #expect(try counts(books.with(none).with(ids)) == [0, 1, 1, 0])
            #expect(try counts(books.with(ids).with(none)) == [0, 0, 0, 0])
        }
    }

    @Test
    func `A later common table replaces an earlier one in updates, deletions, subqueries and compounds`() throws {
        try Library.withDatabase { db throws in
            let ids = CommonTableExpression<Int>(named: "chosen", request: Book.filter { $0.year > 1890 }.select(Column("id")))
            let none = CommonTableExpression<Int>(named: "CHOSEN", sql: "SELECT NULL")
            let books = Book.filter(ids.contains(Column("id")))
            #expect(try books.with(none).with(ids).updateAll(db, Column("price").set(to: 1)) == 2)
            #expect(try books.limit(5).with(none).with(ids).updateAll(db, Column("price").set(to: 2)) == 2)
            #expect(try books.joining(required: Book.author.with(none)).with(ids).updateAll(db, Column("price").set(to: 3)) == 2)
            #expect(try Author.filter(books.with(none).with(ids).select(Column("authorId")).contains(Column("id"))).fetchCount(db) == 2)
            #expect(try books.with(none).with(ids).union(books.with(ids).with(none)).fetchCount(db) == 2)
            #expect(try books.with(none).with(ids).fetchCount(db) == 2)
            #expect(try Book.filter(books.with(none).with(ids).exists()).with(none).fetchCount(db) == 4)
            try db.execute(sql: "DELETE FROM chapter")
            #expect(try books.with(none).with(ids).deleteAll(db) == 2)
        }
    }

    @Test
    func `A recursive common table expression can replace another, and be replaced`() throws {
        try withDatabase("") { db throws in
            let counter = CommonTableExpression<Int>(
                recursive: true, named: "n", columns: ["i"], literal: "SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3")
            let one = CommonTableExpression<Int>(named: "N", columns: ["i"], sql: "SELECT 7")
            #expect(try counter.all().with(one).with(counter).fetchAll(db) == [1, 2, 3])
            #expect(try counter.all().with(counter).with(one).fetchAll(db) == [7])
        }
    }

    @Test
    func `A common table expression has the columns of its last definition`() throws {
        try Library.withDatabase { db throws in
            let short = CommonTableExpression<Row>(named: "c", sql: "SELECT id, authorId FROM book")
            let long = CommonTableExpression<Row>(named: "C", sql: "SELECT id, title, authorId, year FROM book")
            let toAuthor = short.association(to: Table<Author>("author"), on: { $0["authorId"] == $1["id"] })
            let row = try short.all().with(long).including(required: toAuthor).order(Column("id")).fetchOne(db)
            #expect(row.map { Array($0.columnNames) } == ["id", "title", "authorId", "year"])
            #expect(row?.scopes["author"]?["name"] == "Verne")
            let some = try short.all().with(long).select(.allColumns(excluding: ["year"])).fetchOne(db)
            #expect(some.map { Array($0.columnNames) } == ["id", "title", "authorId"])
            // A common table expression that uses another.
            let next = CommonTableExpression<Row>(named: "d", sql: "SELECT * FROM c")
            let names = try next.all().with(long).with(next).select(.allColumns(excluding: ["year"])).fetchOne(db)
            #expect(names.map { Array($0.columnNames) } == ["id", "title", "authorId"])
        }
    }
}
