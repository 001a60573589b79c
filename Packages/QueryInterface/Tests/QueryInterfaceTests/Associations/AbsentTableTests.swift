import QueryInterface
import Testing

/// Columns of tables that a query does not read, where a column of the same name would silently take their place.
@Suite struct AbsentTableTests {
    struct Author: TableRecord, FetchableRecord {
        enum Columns {
            static let id = Column("id", of: Author.self)
            static let name = TypedColumn<String>("name", of: Author.self)
            static let minimum = Column("minimum", of: Author.self)
        }
        init(row: Row) {}
        static let books = hasMany(Book.self)
        static let reviews = hasMany(Review.self, through: books, using: Book.reviews)
    }

    struct Book: TableRecord, FetchableRecord {
        enum Columns {
            static let id = Column("id", of: Book.self)
            static let name = TypedColumn<String>("name", of: Book.self)
            static let minimum = Column("minimum", of: Book.self)
        }
        init(row: Row) {}
        static let author = belongsTo(Author.self)
        static let reviews = hasMany(Review.self)
    }

    struct Review: TableRecord, FetchableRecord {
        enum Columns {
            static let bookId = Column("bookId", of: Review.self)
            static let stars = Column("stars", of: Review.self)
        }
        init(row: Row) {}
        static let votes = hasMany(Vote.self)
    }

    struct Vote: TableRecord, FetchableRecord {
        enum Columns { static let reviewId = Column("reviewId", of: Vote.self) }
        init(row: Row) {}
    }

    /// Each table has the columns of an author.
    private static let schema = """
        CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT, minimum INTEGER);
        CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author, name TEXT, minimum INTEGER);
        CREATE TABLE review (id INTEGER PRIMARY KEY, bookId INTEGER REFERENCES book, stars INTEGER, name TEXT, minimum INTEGER);
        CREATE TABLE vote (id INTEGER PRIMARY KEY, reviewId INTEGER REFERENCES review, name TEXT, minimum INTEGER);
        INSERT INTO author VALUES (1, 'a', 3), (2, 'b', 5);
        INSERT INTO book VALUES (1, 1, 'one', 0), (2, 1, 'two', 0), (3, 2, 'three', 0);
        INSERT INTO review VALUES (1, 1, 4, 'r', 0), (2, 2, 2, 'r', 0), (3, 3, 4, 'r', 0);
        INSERT INTO vote VALUES (1, 1, 'v', 0), (2, 2, 'v', 0);
        """

    /// Conditions on a book or a review that use a column of its author.
    private static let conditions: [(String, SQLExpression)] = {
        let reviews = Review.filter(Review.Columns.bookId == Book.Columns.id)
        let enough = Review.Columns.stars >= Author.Columns.minimum
        return [
            ("directly", Author.Columns.minimum >= 3),
            ("in EXISTS", reviews.filter(enough).exists()),
            ("in IN", reviews.filter(enough).select(Review.Columns.bookId).contains(Column("id"))),
            ("in a scalar subquery", reviews.filter(enough).select(max(Review.Columns.stars)) > 0),
            ("in the selection of a subquery", reviews.select(Author.Columns.minimum).limit(1) > 0),
            ("in the order of a subquery", reviews.select(Review.Columns.stars).order(Author.Columns.minimum).limit(1) > 0),
            ("in the groups of a subquery", reviews.group(Author.Columns.minimum).having(count(Column("id")) > 0).exists()),
            (
                "two levels deep",
                reviews.filter(Vote.filter(Vote.Columns.reviewId == Column("id") && Author.Columns.minimum > 0).exists()).exists()
            ),
            ("of an association in a subquery", reviews.joining(required: Review.votes.filter(Author.Columns.minimum > 0)).exists()),
            ("of an aggregate in a subquery", reviews.filter(Review.votes.filter(Author.Columns.minimum > 0).count > 0).exists()),
        ]
    }()

    private func expectRefusal(
        _ db: Database, of table: String = "author", _ comment: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> Void
    ) {
        let reason = "the rows of an association are fetched here by a query of their own, which does not read that table"
        let error = #expect(throws: DatabaseError.self, "\(comment)", sourceLocation: sourceLocation) { try body() }
        #expect(
            error?.message?.hasSuffix("of \(table) can't be used here: \(reason)") == true,
            "\(comment): \(error?.message ?? "")", sourceLocation: sourceLocation)
    }

    @Test
    func `A prefetched association can't use a column of the rows that have it, wherever it stands`() throws {
        try withDatabase(Self.schema) { db throws in
            for (place, condition) in Self.conditions {
                // A request that reads the author. SQLite has no outer columns in the order and the groups of a subquery.
                if !place.contains("order"), !place.contains("groups") {
                    #expect(try Author.joining(required: Author.books.filter(condition)).fetchCount(db) >= 0, "\(place)")
                }
                for _ in 0..<2 {
                    expectRefusal(db, place) { _ = try Row.fetchAll(db, Author.including(all: Author.books.filter(condition))) }
                }
            }
            let books = Author.books.annotated(with: Book.reviews.filter(Review.Columns.stars >= Author.Columns.minimum).count)
            expectRefusal(db, "in the filter of an aggregate") { _ = try Row.fetchAll(db, Author.including(all: books)) }
            let filtered = Author.books.filter(Book.reviews.filter(Author.Columns.minimum > 0).isEmpty)
            expectRefusal(db, "in the filter of an aggregate") { _ = try Row.fetchAll(db, Author.including(all: filtered)) }
            let joined = Author.books.joining(required: Book.reviews.filter(Author.Columns.minimum > 0))
            expectRefusal(db, "in a joined association") { _ = try Row.fetchAll(db, Author.including(all: joined)) }
        }
    }

    @Test
    func `The second association of a path can't use a column of the rows at the beginning`() throws {
        try withDatabase(Self.schema) { db throws in
            for (place, condition) in [Self.conditions[0], Self.conditions[7]] {
                expectRefusal(db, place) { _ = try Row.fetchAll(db, Author.including(all: Author.reviews.filter(condition))) }
                let reviews = Author.hasMany(Review.self, through: Author.books.filter(condition), using: Book.reviews)
                expectRefusal(db, place) { _ = try Row.fetchAll(db, Author.including(all: reviews)) }
            }
            // The path reads the books.
            let reviews = Author.reviews.filter(Book.Columns.minimum == 0)
            #expect(try Row.fetchAll(db, Author.including(all: reviews)).map { $0.prefetchedRows["reviews"]?.count } == [2, 1])
        }
    }

    @Test
    func `A nested prefetched association can't use a column of any of the rows that lead to it`() throws {
        try withDatabase(Self.schema) { db throws in
            let reviews = Book.reviews.filter(Review.Columns.stars >= Author.Columns.minimum)
            for request in [
                Author.including(all: Author.books.including(all: reviews)),
                Author.joining(required: Author.books.including(all: reviews)),
                Author.including(all: Author.books.including(all: Book.reviews.including(all: Review.votes.filter(Author.Columns.id > 0)))),
            ] {
                expectRefusal(db, "nested") { _ = try Row.fetchAll(db, request) }
            }
            expectRefusal(db, "joined") { _ = try Row.fetchAll(db, Book.joining(required: Book.author).including(all: reviews)) }
            expectRefusal(db, of: "book", "in the region") {
                let request = Author.including(all: Author.books.including(all: Book.reviews.filter(Book.Columns.minimum == 0)))
                _ = try request.databaseRegion(db)
            }
        }
    }

    // MARK: - Assignments

    @Test
    func `An assignment changes a column of the changed table only`() throws {
        try withDatabase(Self.schema) { db throws in
            let before = try db.rows("SELECT * FROM book")
            let message = "the column name of author can't be assigned in a change of book"
            let alias = TableAlias<Author>()
            let joined = Book.joining(required: Book.author.aliased(alias))
            let assignments: [ColumnAssignment] = [
                Author.Columns.name.set(to: "x"), Column("name", of: Author.self).set(to: "x"),
                Author.Columns.name.set(to: Book.Columns.name), Column("name", of: Author.self) += 1,
                Author.Columns.name.noOverwrite, alias[Author.Columns.name].set(to: "x"), Book.author.columns.name.set(to: "x"),
            ]
            for assignment in assignments {
                for request in [joined, Book.all(), Book.limit(1)] {
                    let error = #expect(throws: DatabaseError.self) { try request.updateAll(db, assignment) }
                    #expect(error?.message == message)
                    #expect(error?.advice == "Assign to a column of book, such as Column(\"name\").")
                }
            }
            let error = #expect(throws: DatabaseError.self) { try Table("book").updateAll(db, Author.Columns.name.set(to: "x")) }
            #expect(error?.message == message)
            #expect(try db.rows("SELECT * FROM book") == before)
        }
    }

    /// Another record of the table.
    struct Volume: TableRecord {
        static let databaseTableName = "main.BOOK"
    }

    @Test
    func `An assignment uses the columns of any record type of the changed table`() throws {
        try withDatabase(Self.schema) { db throws in
            let own = TableAlias<Book>()
            #expect(try Book.updateAll(db, Book.Columns.name.set(to: "a"), Column("minimum").set(to: 1)) == 3)
            #expect(try Volume.updateAll(db, Book.Columns.name.set(to: "b")) == 3)
            #expect(try Table("book").updateAll(db, Book.Columns.minimum += 1) == 3)
            #expect(try Book.all().aliased(own).filter(own[Book.Columns.id] == 1).updateAll(db, own[Book.Columns.name].set(to: "c")) == 1)
            #expect(
                try Book.all().aliased(own).joining(required: Book.author).limit(2).updateAll(db, own[Book.Columns.name].set(to: "d")) == 2)
            #expect(try db.rows("SELECT name, minimum FROM book") == ["'d' 2", "'d' 2", "'b' 2"])
        }
    }
}
