import Foundation
import QueryInterface
import Testing

/// Requests with conflicting names and unusual combinations of clauses.
@Suite struct RequestEdgeTests {
    @Test
    func `Aliases of selected expressions are distinguished from columns of joined tables`() throws {
        let schema = """
            CREATE TABLE author (id INTEGER PRIMARY KEY, total INTEGER); INSERT INTO author VALUES (1, 5), (2, 50);
            CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author, price INTEGER);
            INSERT INTO book VALUES (1, 1, 7), (2, 2, 8), (3, 2, 9);
            """
        try withDatabase(schema) { db throws in
            let author = TableAlias<Void>()
            let books = Table<Row>("book")
            let association = books.belongsTo(Table<Row>("author"), key: "author").aliased(author)
            let request = books.joining(required: association.filter(Column("total") > 5))
                .annotated(with: (Column("price") * 2).forKey("total"))
                .order(author["total"], Column("total").desc)
            #expect(
                try request.sql(db) == #"""
                    SELECT "book".*, "book"."price" * 2 AS "total" FROM "book" \#
                    JOIN "author" ON "author"."id" = "book"."authorId" AND "author"."total" > 5 \#
                    ORDER BY "author"."total", "total" DESC
                    """#)
            #expect(try request.fetchAll(db).map { $0["total"] as Int } == [18, 16])
        }
    }

    @Test
    func `Reversing an order also reverses NULLS FIRST and the primary key`() throws {
        try withDatabase(Player.createTable) { db throws in
            let request = Player.order { [$0.score.ascNullsLast, $0.best.descNullsFirst] }.withStableOrder()
            #expect(
                try request.reversed().sql(db)
                    == #"SELECT * FROM "player" ORDER BY "score" DESC NULLS FIRST, "best" ASC NULLS LAST, "id" DESC"#)
            #expect(try request.reversed().fetchAll(db) == request.fetchAll(db).reversed())
            #expect(try request.reversed().reversed().sql(db) == request.sql(db))
        }
    }

    @Test
    func `A value in ORDER BY or GROUP BY is a constant, not a column position, also in views`() throws {
        try withDatabase(Player.createTable) { db throws in
            let request = Player.select(Player.Columns.name, max(Player.Columns.score).forKey("score"))
                .group(Player.Columns.name, 2.sqlExpression).order(9.sqlExpression, Column("name").desc, (-1).sqlExpression.desc)
            let names = try request.asRequest(of: String.self).fetchAll(db)
            #expect(names == ["David", "Craig", "Barbara", "Arthur"])
            try db.create(view: "names", as: request)
            #expect(try String.fetchAll(db, sql: "SELECT * FROM names") == names)
            // In handwritten SQL, numbers remain positions.
            try db.create(view: "positions", as: Player.select(Player.Columns.name).order(literal: "1 DESC"))
            #expect(try String.fetchAll(db, sql: "SELECT * FROM positions") == names)
        }
    }

    @Test
    func `having without groups throws an error that suggests a solution`() throws {
        try withDatabase(Player.createTable) { db throws in
            let sentences = try db.sentences { _ = try Player.all().having(count(.allColumns) > 1).fetchAll(db) }
            #expect(
                sentences == "a request of player has conditions on groups, but is not grouped. "
                    + "Add group(_:), or use filter(_:) for conditions on rows.")
            let all = Player.select(count(.allColumns), as: Int.self).having(count(.allColumns) > 1)
            if SQLiteLibrary.current.versionNumber >= 3_039_000 {
                #expect(try all.fetchAll(db) == [4])
            } else {
                #expect(try db.message { _ = try all.fetchAll(db) } == "a GROUP BY clause is required before HAVING")
            }
        }
    }

    @Test
    func `Ordering a compound request by expressions makes it a subquery`() throws {
        try withDatabase(Player.createTable) { db throws in
            let low = Player.filter { $0.score < 500 }.select(\.name, as: String.self)
            let high = Player.filter { $0.score >= 500 }.select(\.name, as: String.self)
            let union = low.union(high)
            #expect(try union.order(Column("name").collating(.nocase).desc).fetchAll(db) == ["David", "Barbara", "Arthur"])
            let ordered = union.order(length(Column("name")), Column("name")).limit(2)
            #expect(try ordered.fetchAll(db) == ["David", "Arthur"])
            #expect(
                try ordered.makePreparedRequest(db, forSingleResult: false).statement.expandedSQL == #"""
                    SELECT * FROM (SELECT "name" FROM "player" WHERE "score" < 500 UNION \#
                    SELECT "name" FROM "player" WHERE "score" >= 500) ORDER BY length("name"), "name" LIMIT 2
                    """#)
        }
    }

    @Test
    func `An operand of UNION with a nested association that has an order becomes a subquery`() throws {
        try Library.withDatabase { db throws in
            let books = Book.joining(required: Book.author.joining(required: Author.country.order { $0.name }))
                .select({ $0.title }, as: String.self)
            #expect(try books.union(Book.select({ $0.title }, as: String.self)).fetchCount(db) == 4)
        }
    }

    @Test
    func `Names of tables and columns can be written in any case`() throws {
        try Library.withDatabase { db throws in
            let books = Table<Row>("BOOK")
            let author = books.belongsTo(Table<Row>("Author"), key: "author", using: ForeignKey(["AUTHORID"]))
            let request = books.including(required: author).filter(key: ["ID": 3])
            let row = try #require(try request.fetchOne(db))
            #expect(row.scopes["author"]?["NAME"] == "Wells")
            let prefetched = Table<Row>("AUTHOR").hasMany(books, key: "books")
            let rows = try Table<Row>("AUTHOR").order(Column("ID")).including(all: prefetched).fetchAll(db)
            #expect(rows.map { $0.prefetchedRows["books"]?.count } == [2, 1, 1, 0])
        }
    }

    @Test
    func `Columns can have the names of tables, of other columns and of SQL keywords`() throws {
        let schema = """
            CREATE TABLE "group" ("order" INTEGER PRIMARY KEY, "select" TEXT, "a""b" TEXT);
            CREATE TABLE "order" ("group" INTEGER REFERENCES "group", "order" INTEGER PRIMARY KEY, "a.b" TEXT);
            INSERT INTO "group" VALUES (1, 's', 'q'); INSERT INTO "order" VALUES (1, 10, 'd');
            """
        try withDatabase(schema) { db throws in
            let orders = Table<Row>("order")
            let group = orders.belongsTo(Table<Row>("group"), key: "group").filter(Column("a\"b") == "q")
            let request = orders.including(required: group).filter(Column("order") == 10 && Column("a.b") == "d").order(Column("group"))
            #expect(
                try request.sql(db) == #"""
                    SELECT "order".*, "group".* FROM "order" JOIN "group" ON "group"."order" = "order"."group" AND "group"."a""b" = 'q' \#
                    WHERE "order"."order" = 10 AND "order"."a.b" = 'd' ORDER BY "order"."group"
                    """#)
            #expect(try request.fetchOne(db)?.scopes["group"]?["select"] == "s")
        }
    }

    @Test
    func `An alias names a table in the middle of an association through others`() throws {
        try Library.withDatabase { db throws in
            let passport = TableAlias<Passport>()
            let citizens = Country.hasMany(Citizen.self, through: Country.passports.aliased(passport), using: Passport.citizen)
            let request = Country.joining(required: citizens).filter(passport[Passport.Columns.issued] > 2005)
                .order(passport[Passport.Columns.issued]).asRequest(of: Row.self)
            #expect(try request.fetchAll(db).map { $0["code"] as String } == ["GB", "FR"])
        }
    }

    @Test
    func `Aggregates of associations in requests of a common table expression`() throws {
        try Library.withDatabase { db throws in
            let old = CommonTableExpression<Author>(named: "old", request: Author.filter { $0.birthYear < 1900 })
            let request = old.all().with(old).having(Author.books.count >= 1).order(Author.books.count, Author.awards.count.desc)
            #expect(
                try request.sql(db) == #"""
                    WITH "old" AS (SELECT * FROM "author" WHERE "birthYear" < 1900) SELECT * FROM "old" \#
                    WHERE (SELECT count(*) FROM "book" WHERE "book"."authorId" = "old"."id") >= 1 \#
                    ORDER BY (SELECT count(*) FROM "book" WHERE "book"."authorId" = "old"."id"), \#
                    (SELECT count(*) FROM "award" WHERE "award"."authorId" = "old"."id") DESC
                    """#)
            #expect(try request.fetchAll(db).map(\.name) == ["Wells", "Verne"])
        }
    }

    @Test
    func `A limit counts the rows of a join`() throws {
        try Library.withDatabase { db throws in
            let request = Author.including(required: Author.books).limit(3)
            #expect(try request.fetchCount(db) == 3)
            #expect(try request.asRequest(of: Row.self).fetchAll(db).count == 3)
            #expect(try Author.joining(required: Author.books).select(Author.Columns.name).distinct().fetchCount(db) == 3)
        }
    }

    // MARK: - Tables of other kinds

    @Test
    func `A view can have associations with explicit columns`() throws {
        try Library.withDatabase { db throws in
            try db.create(view: "classic", as: Book.filter { $0.year < 1890 })
            let classics = Table<Row>("classic")
            let author = classics.belongsTo(Author.self, using: ForeignKey(["authorId"]))
            #expect(try classics.including(required: author).fetchAll(db).map { $0.scopes["author"]?["name"] } == ["Verne", "Verne"])
            let back = Author.hasMany(classics, key: "classics", using: ForeignKey(["authorId"], to: ["id"]))
            let rows = try Author.including(all: back).annotated(with: back.count.forKey("n")).asRequest(of: Row.self).fetchAll(db)
            #expect(rows.map { $0.prefetchedRows["classics"]?.count } == [2, 0, 0, 0])
            #expect(rows.map { $0["n"] } == [2, 0, 0, 0])
        }
    }

    @Test
    func `Generated and hidden columns keep the scopes of joined rows in their places`() throws {
        let schema = """
            CREATE VIRTUAL TABLE document USING fts5(body);
            CREATE TABLE page (id INTEGER PRIMARY KEY, n INTEGER, v AS (n + 1), s AS (n + 2) STORED, documentId INTEGER);
            INSERT INTO document (rowid, body) VALUES (7, 'hello world'); INSERT INTO page (id, n, documentId) VALUES (1, 10, 7);
            """
        try withDatabase(schema) { db throws in
            let pages = Table<Row>("page")
            let document = pages.belongsTo(
                Table<Row>("document"), key: "document", using: ForeignKey(["documentId"], to: ["rowid"]))
            let back = Table<Row>("document").hasMany(pages, key: "pages", using: ForeignKey(["documentId"], to: ["rowid"]))
            let request = pages.including(required: document.including(all: back))
            let row = try #require(try request.fetchOne(db))
            #expect(row.unscoped == ["id": 1, "n": 10, "v": 11, "s": 12, "documentId": 7])
            #expect(row.scopes["document"]?.count == 1)
            #expect(row.scopes["document"]?["body"] == "hello world")
            #expect(row.scopes["document"]?.prefetchedRows["pages"]?.map { $0["s"] as Int } == [12])
            #expect(try Table<Row>("document").filter(literal: "document MATCH 'hello'").fetchCount(db) == 1)
        }
    }

    // MARK: - Statements

    @Test
    func `A request that runs again after a schema change has the new columns in their scopes`() throws {
        try Library.withDatabase { db throws in
            let request = Book.including(required: Book.author).order(Book.Columns.id).asRequest(of: Row.self)
            #expect(try request.fetchOne(db)?.scopes["author"]?["name"] == "Verne")
            try db.alter(table: "book") { t in t.add(column: "isbn", .text).defaults(to: "x") }
            let row = try #require(try request.fetchOne(db))
            #expect(row["isbn"] == "x")
            #expect(row.scopes["author"]?["name"] == "Verne")
            #expect(row.scopes["author"]?.hasColumn("isbn") == false)
        }
    }

    @Test
    func `A request can be fetched with other values while it is being fetched`() throws {
        try withDatabase(Player.createTable) { db throws in
            func request(_ score: Int) -> QueryInterfaceRequest<Player> { Player.filter { $0.score >= score }.orderByPrimaryKey() }
            var found: [[String]] = []
            let cursor = try request(700).fetchCursor(db)
            while let player = try cursor.next() {
                found.append([player.name] + (try request(1000).fetchAll(db).map(\.name)))
            }
            #expect(found == [["Arthur", "Arthur"], ["Barbara", "Arthur"]])
        }
    }

    @Test
    func `The connection works after an error`() throws {
        try Library.withDatabase { db throws in
            let wrong = Author.filter(Column("nothing") == 1).including(all: Author.books)
            #expect(throws: DatabaseError.self) { try wrong.fetchCount(db) }
            #expect(throws: DatabaseError.self) { try wrong.deleteAll(db) }
            let failing = Author.including(all: Author.books.filter(Column("nothing") == 1)).asRequest(of: Row.self)
            #expect(throws: DatabaseError.self) { try failing.fetchAll(db) }
            let limited = Author.order(Column("nothing")).limit(1)
            #expect(throws: DatabaseError.self) { try limited.updateAll(db, Column("name").set(to: "x")) }
            #expect(try Author.all().including(all: Author.books).asRequest(of: Row.self).fetchAll(db).count == 4)
        }
    }
}
