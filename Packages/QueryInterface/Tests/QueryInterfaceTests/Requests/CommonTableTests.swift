import QueryInterface
import Testing

/// Common table expressions and compound requests: the request, its SQL, and its rows.
@Suite("Common tables and set operations")
struct CommonTableTests {
    @Test
    func `A common table expression is used like a table`() throws {
        try Library.withDatabase { db throws in
            let recent = CommonTableExpression<Book>(named: "recent", request: Book.filter { $0.year > 1881 })
            let request = recent.all().with(recent).filter { $0.price > 9 }.order(\.id)
            #expect(
                try request.sql(db)
                    == #"WITH "recent" AS (SELECT * FROM "book" WHERE "year" > 1881) SELECT * FROM "recent" WHERE "price" > 9 ORDER BY "id""#
            )
            #expect(try request.fetchAll(db).map(\.id) == [3, 4])
            #expect(try request.fetchCount(db) == 2)
        }
    }

    @Test(arguments: [nil, []] as [[String]?])
    func `A common table expression without a list of columns has the columns of its query`(columns: [String]?) throws {
        try withDatabase("") { db throws in
            let one = CommonTableExpression<Row>(named: "one", columns: columns, sql: "SELECT 1 AS a, 2 AS b")
            let request = one.all().with(one)
            #expect(try request.sql(db) == #"WITH "one" AS (SELECT 1 AS a, 2 AS b) SELECT * FROM "one""#)
            #expect(try request.fetchOne(db) == ["a": 1, "b": 2])
            #expect(try request.select(.allColumns(excluding: ["a"])).fetchOne(db) == ["b": 2])
        }
    }

    @Test
    func `A common table expression has associations to tables`() throws {
        try Library.withDatabase { db throws in
            let prizes = CommonTableExpression(named: "prizes", sql: "SELECT authorId, sum(prize) AS total FROM award GROUP BY authorId")
            let onAuthor = prizes.association(to: Author.self, on: { prizes, author in author.id == prizes["authorId"] })
            let request = prizes.all().with(prizes).including(required: onAuthor).order(Column("authorId"))
            #expect(
                try request.sql(db)
                    == #"WITH "prizes" AS (SELECT authorId, sum(prize) AS total FROM award GROUP BY authorId) SELECT "prizes".*, "author".* FROM "prizes" JOIN "author" ON "author"."id" = "prizes"."authorId" ORDER BY "prizes"."authorId""#
            )
            #expect(try request.fetchAll(db).map { $0.scopes["author"]?["name"] } == ["Verne", "Calvino"])
            let onTable = prizes.association(to: Table("author"), on: { $1["id"] == $0["authorId"] })
            #expect(try prizes.all().with(prizes).joining(required: onTable).fetchCount(db) == 2)
            let (all, allRows) = (prizes.association(to: Author.self), prizes.association(to: Table("author")))
            #expect(try prizes.all().with(prizes).including(required: all).sql(db).hasSuffix(#"FROM "prizes" JOIN "author""#))
            #expect(try prizes.all().with(prizes).including(required: all).fetchCount(db) == 8)
            #expect(try prizes.all().with(prizes).including(optional: allRows).fetchCount(db) == 8)
        }
    }

    @Test
    func `A recursive common table expression refers to itself`() throws {
        try withDatabase("") { db throws in
            let counter = CommonTableExpression<Int>(
                recursive: true, named: "counter", columns: ["n"], literal: "SELECT 1 UNION ALL SELECT n + 1 FROM counter WHERE n < \(5)")
            let request = counter.all().with(counter)
            #expect(
                try request.sql(db)
                    == #"WITH RECURSIVE "counter"("n") AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter WHERE n < 5) SELECT * FROM "counter""#
            )
            #expect(try request.fetchAll(db) == [1, 2, 3, 4, 5])
            #expect(try request.fetchCount(db) == 5)
        }
    }

    @Test
    func `A recursive common table expression made of requests walks a tree`() throws {
        try withDatabase(
            """
            CREATE TABLE folder (id INTEGER PRIMARY KEY, name TEXT, parentId INTEGER);
            INSERT INTO folder VALUES (1, 'root', NULL), (2, 'a', 1), (3, 'b', 2), (4, 'other', NULL);
            """
        ) { db throws in
            let folder = Table<Row>("folder")
            let (child, parent) = (TableAlias(name: "child"), TableAlias(name: "below"))
            let below = CommonTableExpression(
                recursive: true, named: "below", columns: ["id", "name"],
                request: folder.filter(Column("id") == 1).select(Column("id"), Column("name"))
                    .unionAll(
                        folder.aliased(child).select(Column("id"), Column("name"))
                            .joining(
                                required: folder.association(
                                    to: Table<Row>("below"), on: { $0["parentId"] == $1["id"] }
                                ).aliased(parent))))
            let names = try Row.fetchAll(db, below.all().with(below).order(Column("id"))).map { $0["name"] as String }
            #expect(names == ["root", "a", "b"])
        }
    }

    @Test
    func `Common table expressions can be joined on a condition, and tested for membership`() throws {
        try Library.withDatabase { db throws in
            let prizes = CommonTableExpression(
                named: "prizes",
                request: Table<Row>("award").select(Column("authorId"), sum(Column("prize")).forKey("total")).group(Column("authorId")))
            let association = Author.association(to: prizes, on: { author, prizes in author["id"] == prizes["authorId"] })
            let request = Author.with(prizes).including(optional: association).order(\.id)
            #expect(
                try request.sql(db)
                    == #"WITH "prizes" AS (SELECT "authorId", sum("prize") AS "total" FROM "award" GROUP BY "authorId") SELECT "author".*, "prizes".* FROM "author" LEFT JOIN "prizes" ON "author"."id" = "prizes"."authorId" ORDER BY "author"."id""#
            )
            let rows = try Row.fetchAll(db, request)
            #expect(rows.map { $0.scopes["prizes"]?["total"] as Double? } == [150, nil, 100, nil])
            let winners = CommonTableExpression<Int64>(named: "winners", sql: "SELECT DISTINCT authorId FROM award")
            let filtered = Author.with(winners).filter { winners.contains($0.id) }
            #expect(
                try filtered.sql(db)
                    == #"WITH "winners" AS (SELECT DISTINCT authorId FROM award) SELECT * FROM "author" WHERE "id" IN "winners""#)
            #expect(try filtered.fetchCount(db) == 2)
            let crossed = Country.with(winners).joining(required: Country.association(to: winners))
            #expect(try crossed.fetchCount(db) == 6)
        }
    }

    @Test
    func `Rows are deleted and updated by a common table expression`() throws {
        try Library.withDatabase { db throws in
            let winners = CommonTableExpression<Int64>(named: "winners", sql: "SELECT authorId FROM award")
            #expect(try Book.with(winners).filter { winners.contains($0.authorId) }.updateAll(db) { $0.price *= 2 } == 3)
            #expect(try Double.fetchOne(db, sql: "SELECT sum(price) FROM book") == 80.5)
            #expect(try Chapter.with(winners).filter { !winners.contains($0.number) }.deleteAll(db) == 1)
            #expect(try Chapter.fetchCount(db) == 2)
        }
    }

    @Test
    func `UNION, UNION ALL, INTERSECT and EXCEPT combine two requests`() throws {
        try Library.withDatabase { db throws in
            let old = Author.filter { $0.birthYear < 1900 }.select({ $0.name }, as: String.self)
            let french = Author.filter { $0.countryCode == "FR" }.select({ $0.name }, as: String.self)
            let union = old.union(french).order(Column("name"))
            #expect(
                try union.sql(db)
                    == #"SELECT "name" FROM "author" WHERE "birthYear" < 1900 UNION SELECT "name" FROM "author" WHERE "countryCode" = 'FR' ORDER BY "name""#
            )
            #expect(try union.fetchAll(db) == ["Verne", "Wells"])
            #expect(try old.unionAll(french).fetchCount(db) == 3)
            #expect(try old.intersect(french).fetchAll(db) == ["Verne"])
            #expect(try old.except(french).fetchAll(db) == ["Wells"])
            #expect(try union.reversed().limit(1).fetchAll(db) == ["Wells"])
            #expect(try union.fetchOne(db) == "Verne")
            #expect(try union.limit(1, offset: 1).fetchCount(db) == 1)
        }
    }

    @Test
    func `Operands with an order or a limit, and nested ones, become subqueries`() throws {
        try Library.withDatabase { db throws in
            let first = Author.order(\.id).limit(1).select({ $0.id }, as: Int64.self)
            let last = Author.order { $0.id.desc }.limit(1).select({ $0.id }, as: Int64.self)
            let both = first.union(last)
            #expect(
                try both.sql(db)
                    == #"SELECT * FROM (SELECT "id" FROM "author" ORDER BY "id" LIMIT 1) UNION SELECT * FROM (SELECT "id" FROM "author" ORDER BY "id" DESC LIMIT 1)"#
            )
            #expect(try both.order(Column("id")).fetchAll(db) == [1, 4])
            let all = Author.select({ $0.id }, as: Int64.self)
            #expect(
                try all.except(both).sql(db)
                    == #"SELECT "id" FROM "author" EXCEPT SELECT * FROM (\#(try both.sql(db)))"#)
            #expect(try all.except(both).order(Column("id")).fetchAll(db) == [2, 3])
            #expect(try all.union(both).except(first).order(Column("id")).fetchAll(db) == [2, 3, 4])
            let limited = both.order(Column("id")).limit(1).unionAll(all)
            #expect(try limited.fetchCount(db) == 5)
            #expect(try Author.filter { both.contains($0.id) }.fetchCount(db) == 2)
            let request: SQLRequest<Int64> = "SELECT 7"
            #expect(try all.union(request).fetchCount(db) == 5)
        }
    }

    @Test
    func `Combining requests that include associations throws an error that suggests a solution`() throws {
        try Library.withDatabase { db throws in
            let request = Book.including(required: Book.author).union(Book.all())
            let error = #expect(throws: DatabaseError.self) { try request.fetchAll(db) }
            #expect(error?.advice == "Select the columns with annotated(withRequired:) instead.")
        }
    }

    @Test
    func `A common table expression can't refer to the tables of its query, and can use their names`() throws {
        try Library.withDatabase { db throws in
            let old = CommonTableExpression<Book>(named: "old", request: Book.filter { $0.year < 1890 })
            let association = Book.association(to: old, on: { $0["id"] == $1["id"] })
            let request = Book.with(old).joining(required: association)
            let sql = try request.sql(db)
            #expect(
                sql
                    == #"WITH "old" AS (SELECT * FROM "book" WHERE "year" < 1890) SELECT "book".* FROM "book" JOIN "old" ON "book"."id" = "old"."id""#
            )
            #expect(try request.fetchCount(db) == 2)
        }
    }

    @Test
    func `The columns of a common table expression follow schema changes`() throws {
        try withDatabase(Player.createTable + "CREATE TABLE t (id, a); INSERT INTO t VALUES (1, 'x')") { db throws in
            let common = CommonTableExpression<Row>(named: "c", sql: "SELECT * FROM t")
            let request = Player.with(common).filter(key: 1)
                .including(required: Player.association(to: common) { $0["id"] == $1["id"] }).asRequest(of: Row.self)
            func names() throws -> [String]? { try request.fetchOne(db)?.scopes["c"]?.columnNames }
            #expect(try names() == ["id", "a"])
            #expect(try names() == ["id", "a"])
            try db.execute(sql: "ALTER TABLE t ADD c")
            #expect(try names() == ["id", "a", "c"])
            try db.execute(sql: "ALTER TABLE t RENAME a TO z; ALTER TABLE t DROP c")
            #expect(try names() == ["id", "z"])
        }
    }
}
