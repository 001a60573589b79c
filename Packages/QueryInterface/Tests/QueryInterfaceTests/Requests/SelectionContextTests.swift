import QueryInterface
import Testing

/// Selections that depend on a table, in all contexts.
@Suite struct SelectionContextTests {
    private let some = AllColumnsExcluding(["id", "price", "libraryId"])

    private func names(_ request: some FetchRequest, _ db: Database) throws -> [String] {
        let prepared = try request.makePreparedRequest(db)
        return prepared.statement.columnNames
    }

    @Test
    func `AllColumnsExcluding selects columns of the table that it belongs to`() throws {
        try Library.withDatabase { db throws in
            let authors = Book.author.select(.allColumns(excluding: ["id", "countryCode"]))
            let included = Book.select { $0.title }.including(required: authors).order(\.id)
            #expect(
                try included.sql(db)
                    == #"SELECT "book"."title", "author"."name", "author"."birthYear" FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" ORDER BY "book"."id""#
            )
            let annotated = Book.select { $0.title }.annotated(withRequired: authors).order(\.id)
            #expect(
                try annotated.sql(db)
                    == #"SELECT "book"."title", "author"."name", "author"."birthYear" FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" ORDER BY "book"."id""#
            )
            #expect(try Row.fetchOne(db, annotated)?["name"] == "Verne")
            let optional = Book.annotated(withOptional: authors)
            #expect(try names(optional, db).suffix(2) == ["name", "birthYear"])

            let alias = TableAlias()
            let aliased = Book.joining(required: Book.author.aliased(alias)).select(alias[some], alias[AllColumns()], some)
            let all = ["id", "name", "birthYear", "countryCode"]
            #expect(try names(aliased, db) == Array(all.dropFirst()) + all + ["authorId", "title", "year"])
            // With the same columns in handwritten SQL, and through two tables.
            let literal = Book.joining(required: Book.author.aliased(alias)).select(literal: "\(alias[some]), \(some)")
            #expect(try names(literal, db) == Array(all.dropFirst()) + ["authorId", "title", "year"])
            let country = Book.author.annotated(withOptional: Author.country.select(.allColumns(excluding: ["code"])))
            #expect(try names(Book.select { $0.id }.including(required: country), db) == ["id"] + all + ["name"])
            #expect(try names(Book.select { $0.id }.annotated(withRequired: country), db) == ["id"] + all + ["name"])
        }
    }

    @Test
    func `The columns belong to the table that is fetched by a query of its own`() throws {
        try Library.withDatabase { db throws in
            let books = Author.books.select(.allColumns(excluding: ["authorId", "price", "libraryId"])).order(\.id)
            let rows = try Row.fetchAll(db, Author.including(all: books).order(\.id))
            #expect(rows[0].prefetchedRows["books"]?.map { Array($0.columnNames) } == [["id", "title", "year"], ["id", "title", "year"]])
            let citizens = Country.citizens.select(.allColumns(excluding: ["id"])).order(\.name)
            let countries = try Row.fetchAll(db, Country.including(all: citizens).order(\.code))
            #expect(countries[0].prefetchedRows["citizens"]?.map { Array($0.columnNames) } == [["name"], ["name"]])
        }
    }

    @Test
    func `The columns belong to common tables, compounds and subqueries`() throws {
        try Library.withDatabase { db throws in
            let common = CommonTableExpression<Row>(named: "c", request: Book.select(some))
            #expect(try names(common.all().with(common), db) == ["authorId", "title", "year"])
            #expect(try names(common.all().with(common).select(.allColumns(excluding: ["year"])), db) == ["authorId", "title"])
            let toCommon = Author.association(to: common, on: { $0["id"] == $1["authorId"] })
            let included = Author.select { $0.name }.with(common).including(required: toCommon.select(.allColumns(excluding: ["year"])))
            #expect(try names(included, db) == ["name", "authorId", "title"])
            let joined = Author.select { $0.name }.with(common)
            let annotated = joined.annotated(withRequired: toCommon.select(.allColumns(excluding: ["year"])))
            #expect(try names(annotated, db) == ["name", "authorId", "title"])

            let compound = Book.select(some).union(Book.select(some))
            #expect(try names(compound, db) == ["authorId", "title", "year"])
            let ids = Author.select(.allColumns(excluding: ["name", "birthYear", "countryCode"]))
            #expect(try Book.filter(ids.contains(Column("authorId"))).fetchCount(db) == 4)
            let one = Book.filter { $0.id == 1 }.select(.allColumns(excluding: ["id", "authorId", "year", "price", "libraryId"]))
            #expect(try Author.select(one, as: String.self).fetchOne(db) == "The Steam House")
            #expect(try Author.joining(required: Author.books).filter(ids.contains(Column("id"))).fetchCount(db) == 4)
            let windowed = Book.select(some, rowNumber().over(orderBy: Column("id")).forKey("n"))
            #expect(try names(windowed, db) == ["authorId", "title", "year", "n"])
            #expect(try names(Table<Row>("book").aliased(TableAlias(name: "b")).select(some), db) == ["authorId", "title", "year"])
            #expect(try names(Book.all().annotated(with: some), db).count == 9)
        }
    }

    @Test
    func `In handwritten SQL, a selection has no table`() throws {
        try Library.withDatabase { db throws in
            let ids: SQLRequest<Int> = "SELECT \(AllColumnsExcluding(["title"])) FROM author"
            let error = #expect(throws: DatabaseError.self) { try Book.filter(ids.contains(Column("id"))).fetchAll(db) }
            #expect(error?.message?.contains("needs a table, and this query has none") == true)
            // Columns in handwritten SQL belong to its own tables.
            let authors: SQLRequest<Int> = "SELECT \(Column("id")) FROM author"
            #expect(try Book.joining(required: Book.author).filter(authors.contains(Column("authorId"))).fetchCount(db) == 4)
            #expect(try Book.joining(required: Book.author).filter(authors.exists()).fetchCount(db) == 4)
        }
    }

    @Test
    func `The columns belong to the table that is changed`() throws {
        try Library.withDatabase { db throws in
            func names(_ statement: Statement) -> [String] { statement.columnNames }
            let books = Book.filter { $0.id == 1 }
            for request in [books, books.limit(1), books.joining(required: Book.author), books.aliased(TableAlias(name: "b"))] {
                let updated = try request.updateAndFetchStatement(db, [Column("year").set(to: 1)], selection: [some])
                #expect(names(updated) == ["authorId", "title", "year"])
                #expect(names(try request.deleteAndFetchStatement(db, selection: [some])) == ["authorId", "title", "year"])
            }
        }
    }
}
