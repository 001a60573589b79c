import CSQLiteShims
import QueryInterface
import Testing

/// The clauses that requests share with associations: the request, its SQL, and its rows.
@Suite("Derived requests")
struct DerivedRequestTests {
    @Test
    func `Closures and key paths name columns wherever one is expected`() throws {
        try withDatabase(Player.createTable) { db throws in
            #expect(
                try Player.filter { $0.name == "Arthur" && $0.score > 1 || $0.best == nil }.sql(db)
                    == #"SELECT * FROM "player" WHERE "name" = 'Arthur' AND "score" > 1 OR "best" IS NULL"#)
            #expect(try Player.order(\.score).sql(db) == #"SELECT * FROM "player" ORDER BY "score""#)
            #expect(try Player.order { $0.score.desc }.sql(db) == #"SELECT * FROM "player" ORDER BY "score" DESC"#)
            #expect(
                try Player.order { [$0.score.desc, $0.name] }.sql(db) == #"SELECT * FROM "player" ORDER BY "score" DESC, "name""#)
            #expect(try Player.select(\.name).sql(db) == #"SELECT "name" FROM "player""#)
            #expect(try Player.select { [$0.id, $0.name] }.sql(db) == #"SELECT "id", "name" FROM "player""#)
            #expect(try Player.select({ $0.name }, as: String.self).order(Column("name")).fetchOne(db) == "Arthur")
            #expect(try Player.select(\.name, as: String.self).fetchCount(db) == 4)
            #expect(
                try Player.all().group(\.name).having { max($0.score) > 10 }.sql(db)
                    == #"SELECT * FROM "player" GROUP BY "name" HAVING max("score") > 10"#)
            #expect(
                try Player.annotated { ($0.score + $0.best).forKey("total") }.sql(db)
                    == #"SELECT *, "score" + "best" AS "total" FROM "player""#)
        }
    }

    @Test
    func `Every clause can be an SQL literal`() throws {
        try withDatabase(Player.createTable) { db throws in
            let request = Player.select(literal: "name, count(*) AS n")
                .filter(literal: "score >= \(0) OR score IS NULL")
                .filter(sql: "id < ?", arguments: [10])
                .group(sql: "name")
                .having(literal: "n < \(5)")
                .order(sql: "n, name DESC")
            #expect(
                try request.sql(db)
                    == #"SELECT name, count(*) AS n FROM "player" WHERE (score >= 0 OR score IS NULL) AND (id < 10) GROUP BY name HAVING n < 5 ORDER BY n, name DESC"#
            )
            #expect(try request.asRequest(of: Row.self).fetchAll(db).map { $0["name"] } == ["David", "Craig", "Barbara", "Arthur"])
        }
    }

    @Test
    func `A selection replaces the previous one, and annotations add to it`() throws {
        try withDatabase(Player.createTable) { db throws in
            #expect(
                try Player.select(\.id).select(\.name).annotated(with: Column("score"), length(Column("name")).forKey("n")).sql(db)
                    == #"SELECT "name", "score", length("name") AS "n" FROM "player""#)
            #expect(
                try Player.select(.allColumns(excluding: ["SCORE", "best", "nothing"])).sql(db) == #"SELECT "id", "name" FROM "player""#)
            #expect(
                try Player.select([.rowID, .allColumns]).sql(db) == #"SELECT "rowid", * FROM "player""#)
            #expect(throws: DatabaseError.self) {
                try Player.select(AllColumnsExcluding(["id", "name", "score", "best"])).fetchAll(db)
            }
            #expect(throws: DatabaseError.self) { try Player.select([]).fetchAll(db) }
            #expect(try Player.numberOfSelectedColumns(db) == 4)
            #expect(try Player.all().selectPrimaryKey(as: Int64.self).fetchSet(db) == [1, 2, 3, 4])
        }
    }

    @Test
    func `fetchCount counts the rows of the request, with distinct, groups, limits and aggregates`() throws {
        try withDatabase(Player.createTable + "UPDATE player SET best = 300 WHERE best > 300;") { db throws in
            let requests: [(QueryInterfaceRequest<Row>, Int)] = [
                (Player.all().asRequest(), 4),
                (Player.select(\.best).distinct().asRequest(), 2),
                (Player.select(max(Column("score"))).asRequest(), 1),
                (Player.all().none().select(max(Column("score"))).asRequest(), 1),
                (Player.all().none().asRequest(), 0),
                (Player.all().group(\.best).asRequest(), 2),
                (Player.all().group(\.best).having { count($0.id) > 1 }.asRequest(), 1),
                (Player.limit(3).asRequest(), 3),
                (Player.limit(-1, offset: 1).asRequest(), 3),
                (Player.limit(0).asRequest(), 0),
                (Player.select(sql: "count(*)").asRequest(), 1),
                (Player.annotated(with: rowNumber().over(orderBy: Column("id")).forKey("n")).asRequest(), 4),
            ]
            for (request, count) in requests {
                #expect(try request.fetchCount(db) == count)
                #expect(try request.fetchAll(db).count == count)
                #expect(try request.isEmpty(db) == (count == 0))
            }
        }
    }

    @Test
    func `An order replaces the previous one, and withStableOrder adds the primary key`() throws {
        try withDatabase(Player.createTable) { db throws in
            #expect(try Player.order(\.name).order(\.score).sql(db) == #"SELECT * FROM "player" ORDER BY "score""#)
            #expect(try Player.order(\.name).unordered().sql(db) == #"SELECT * FROM "player""#)
            #expect(try Player.all().reversed().sql(db) == #"SELECT * FROM "player""#)
            #expect(
                try Player.order(Column("name"), Column("score").desc).reversed().sql(db)
                    == #"SELECT * FROM "player" ORDER BY "name" DESC, "score" ASC"#)
            #expect(try Player.order(\.name).withStableOrder().sql(db) == #"SELECT * FROM "player" ORDER BY "name", "id""#)
            #expect(try Player.orderByPrimaryKey().sql(db) == #"SELECT * FROM "player" ORDER BY "id""#)
            #expect(throws: DatabaseError.self) { try Player.order(literal: "name").reversed().fetchAll(db) }
        }
    }

    @Test
    func `A stable order compares all columns of rows without a key`() throws {
        try withDatabase(Player.createTable + "CREATE VIEW scored AS SELECT score > 500 AS isHigh, name FROM player") { db throws in
            let scored = Table("scored").order(Column("isHigh")).withStableOrder()
            #expect(try scored.sql(db) == #"SELECT * FROM "scored" ORDER BY "isHigh", "isHigh", "name""#)
            #expect(try scored.fetchAll(db).map { $0["name"] } == ["Craig", "David", "Arthur", "Barbara"])
            let names = CommonTableExpression(named: "names", sql: "SELECT name, score FROM player")
            #expect(
                try names.all().with(names).withStableOrder().sql(db)
                    == #"WITH "names" AS (SELECT name, score FROM player) SELECT * FROM "names" ORDER BY "name", "score""#)
        }
    }

    @Test
    func `The keys of a stable order follow the orders of all tables`() throws {
        try Library.withDatabase { db throws in
            let books = Book.joining(required: Book.author.order(\.name)).order(\.price).withStableOrder()
            #expect(
                try books.sql(db)
                    == #"SELECT "book".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" ORDER BY "book"."price", "author"."name", "book"."id""#
            )
            // A row of the request may have many rows of an association: their keys distinguish them.
            let authors = Author.including(required: Author.books.order(\.year)).withStableOrder()
            #expect(
                try authors.sql(db)
                    == #"SELECT "author".*, "book".* FROM "author" JOIN "book" ON "book"."authorId" = "author"."id" ORDER BY "book"."year", "author"."id", "book"."id""#
            )
            let titles = try Row.fetchAll(db, authors.reversed()).map { $0.scopes["book"]?["title"] as String? }
            #expect(titles == ["Invisible Cities", "The Time Machine", "The Green Ray", "The Steam House"])
            #expect(
                try Book.joining(required: Book.author.order(\.name).withStableOrder()).order(\.price).sql(db).hasSuffix(
                    #"ORDER BY "book"."price", "author"."name", "author"."id""#))
        }
    }

    @Test
    func `Tables without a visible key are in joins whose tables SQLite makes a subquery of`() throws {
        let schema = """
            CREATE TABLE a (id INTEGER PRIMARY KEY, b TEXT); CREATE TABLE b (code TEXT PRIMARY KEY, c INTEGER); CREATE TABLE c (x INTEGER);
            INSERT INTO a VALUES (1, 'one'), (2, 'two'); INSERT INTO b VALUES ('one', 1), ('two', 2); INSERT INTO c VALUES (1)
            """
        try withDatabase(schema) { db throws in
            let (a, b, c) = (Table("a"), Table("b"), Table("c"))
            let (bAlias, cAlias) = (TableAlias(), TableAlias())
            let toC = b.association(to: c, on: { $0["c"] == $1["x"] }).aliased(cAlias)
            let toB = a.association(to: b, on: { $0["b"] == $1["code"] }).aliased(bAlias).joining(required: toC)
            let request = a.joining(optional: toB)
            #expect(try request.withStableOrder().fetchAll(db).map { $0["id"] } == [1, 2])
            #expect(try request.filter(cAlias.exists).fetchAll(db).map { $0["id"] } == [1])
            #expect(try request.filter(!bAlias.exists).fetchAll(db).map { $0["id"] } == [2])
        }
    }

    @Test
    func `Several window functions can use a named window`() throws {
        try withDatabase(Player.createTable) { db throws in
            let request = Player.select(
                Column("name"), rank().over(windowNamed: "w").forKey("rank"),
                sum(Column("score")).over(windowNamed: "w").forKey("sum")
            )
            .window("w", WindowDefinition(orderBy: Column("score").desc))
            .order(Column("rank"))
            #expect(
                try request.sql(db)
                    == #"SELECT "name", rank() OVER "w" AS "rank", sum("score") OVER "w" AS "sum" FROM "player" WINDOW "w" AS (ORDER BY "score" DESC) ORDER BY "rank""#
            )
            let rows = try Row.fetchAll(db, request)
            #expect(rows.map { $0["name"] } == ["Arthur", "Barbara", "David", "Craig"])
            #expect(rows.map { $0["sum"] } == [1000, 1750, 1750, 1750])
        }
    }

    @Test
    func `A table without a record type`() throws {
        try withDatabase(Player.createTable) { db throws in
            let table = Table("player")
            #expect(try table.filter(Column("score") > 800).fetchAll(db).map { $0["name"] } == ["Arthur"])
            #expect(try table.fetchCount(db) == 4)
            #expect(try table.order(Column("name").desc).fetchOne(db)?["name"] == "David")
            #expect(try Table<Player>("player").filter { $0.score == 0 }.fetchOne(db)?.name == "David")
            #expect(try Table<Player>("player").fetchAll(db).count == 4)
            #expect(try Table<Player>("player").fetchSet(db).count == 4)
            #expect(try Table<Int64>("player").fetchAll(db) == [1, 2, 3, 4])
            #expect(try table.select(Column("name"), as: String.self).fetchSet(db).count == 4)
            #expect(try table.databaseRegion(db).description.contains("player"))
            #expect(try table.exists(db, key: 1))
            #expect(throws: DatabaseError.self) { try Table("nothing").fetchAll(db) }
        }
    }

    @Test
    func `A table alias qualifies columns, in the request and in its subqueries`() throws {
        try withDatabase(Player.createTable) { db throws in
            let p = TableAlias(name: "p", for: Player.self)
            let request = Player.aliased(p).filter(p.score > 500 && p[Column("id")] < 10).order(p[Column("name").desc])
            #expect(
                try request.sql(db)
                    == #"SELECT "p".* FROM "player" AS "p" WHERE "p"."score" > 500 AND "p"."id" < 10 ORDER BY "p"."name" DESC"#)
            #expect(try request.fetchAll(db).map(\.id) == [2, 1])
            let outer = TableAlias<Player>()
            let better = Player.filter { $0.score > outer.score }
            let best = Player.aliased(outer).filter(outer.score != nil && !better.exists())
            #expect(
                try best.sql(db)
                    == #"SELECT "player".* FROM "player" WHERE "player"."score" IS NOT NULL AND NOT EXISTS (SELECT * FROM "player" AS "player1" WHERE "score" > "player"."score")"#
            )
            #expect(try best.fetchAll(db).map(\.name) == ["Arthur"])
            #expect(throws: DatabaseError.self) { try Player.filter(outer.score > 1).fetchAll(db) }
            let twice = Player.aliased(TableAlias(name: "x")).aliased(p)
            #expect(try twice.filter(p.id == 1).sql(db) == #"SELECT "x".* FROM "player" AS "x" WHERE "x"."id" = 1"#)
        }
    }

    @Test
    func `An alias shows whether an optional association has a row`() throws {
        try Library.withDatabase { db throws in
            let country = TableAlias<Country>()
            let request = Author.joining(optional: Author.country.aliased(country)).filter(!country.exists)
            #expect(try request.fetchAll(db).map(\.name) == ["Anonymous"])
            let books = TableAlias<Book>()
            let old = Author.joining(optional: Author.books.aliased(books)).filter(books.exists && books.year < books.id + 1882)
            let sql = try old.sql(db)
            #expect(
                sql
                    == #"SELECT "author".* FROM "author" LEFT JOIN "book" ON "book"."authorId" = "author"."id" WHERE "book"."id" IS NOT NULL AND "book"."year" < "book"."id" + 1882"#
            )
            #expect(try old.fetchCount(db) == 2)
        }
    }

    @Test
    func `Tables of attached databases are named with their database`() throws {
        struct Remote: TableRecord, FetchableRecord {
            static let databaseTableName = "aux.player"
            var name: String
            init(row: Row) throws { name = try row.decode(forKey: "name") }
        }
        let queue = try DatabaseQueue()
        try queue.inDatabase { db throws in
            try db.execute(
                sql: """
                    ATTACH ':memory:' AS aux;
                    CREATE TABLE aux.player (id INTEGER PRIMARY KEY, name TEXT);
                    INSERT INTO aux.player VALUES (1, 'Remote');
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, aux INTEGER);
                    """)
            #expect(try Remote.all().sql(db) == #"SELECT * FROM "aux"."player""#)
            #expect(try Remote.fetchOne(db, key: 1)?.name == "Remote")
            #expect(try Remote.find(db, id: 1).name == "Remote")
            #expect(try Remote.filter(key: 1).fetchAll(db).map(\.name) == ["Remote"])
            #expect(try Remote.order(Column("name")).limit(1).updateAll(db, Column("name").set(to: "Far")) == 1)
            #expect(try Remote.deleteOne(db, key: 1))
            #expect(try Remote.fetchCount(db) == 0)
            // A table whose own name contains a dot.
            try db.execute(
                sql: #"CREATE TABLE "aux.player" (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO "aux.player" VALUES (7, 'Dot')"#)
            #expect(try Remote.all().sql(db) == #"SELECT * FROM "aux.player""#)
            #expect(try Remote.fetchOne(db, key: 7)?.name == "Dot")
        }
    }

    @Test
    func `Long lists of values become one argument when they exceed SQLite's limit`() throws {
        try withDatabase(Player.createTable) { db throws in
            sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_VARIABLE_NUMBER, 300)
            let ids = Array(2...1000)
            #expect(try Player.fetchAll(db, keys: ids).map(\.id).sorted() == [2, 3, 4])
            #expect(try Player.filter(ids: ids).fetchCount(db) == 3)
            #expect(try Player.filter(ids.contains(Column("id")) && !["x", "Craig"].contains(Column("name"))).fetchCount(db) == 2)
            let names = (0..<1000).map { "name \($0)" } + ["Arthur", "Zoë's \"\u{1F600}\""]
            #expect(try Player.filter { names.contains($0.name) }.fetchAll(db).map(\.id) == [1])
            #expect(try Player.filter { !names.contains($0.name) }.fetchCount(db) == 3)
            let scores: [Int?] = [nil] + (500..<1500).map { $0 }
            #expect(try Player.filter { scores.contains($0.score) }.fetchCount(db) == 2)
            #expect(try Player.filter { !scores.contains($0.score) }.fetchCount(db) == 0)
            let reals = (0..<1000).map { Double($0) + 0.5 } + [0]
            #expect(try Player.filter { reals.contains($0.score) }.fetchAll(db).map(\.name) == ["David"])
            #expect(try Player.deleteAll(db, keys: ids) == 3)
        }
    }

    @Test
    func `Ids of identifiable records have their own type`() throws {
        try Library.withDatabase { db throws in
            #expect(try Author.fetchOne(db, id: 1)?.name == "Verne")
            #expect(try Author.find(db, id: 2).name == "Wells")
            #expect(try Author.fetchAll(db, ids: [1, 2]).count == 2)
            #expect(try Author.fetchSet(db, ids: [1, 2]).count == 2)
            #expect(try Author.fetchCursor(db, ids: [3]).next()?.name == "Calvino")
            let ids: Set<Int64> = try Author.selectID().fetchSet(db)
            #expect(ids == [1, 2, 3, 4])
            let optional: Int64? = nil
            #expect(try Author.fetchOne(db, id: optional) == nil)
            #expect(try Author.filter(id: optional).fetchAll(db).isEmpty)
            #expect(try Country.fetchOne(db, key: ["code": "FR"])?.name == "France")
            #expect(try Country.find(db, key: ["CODE": "GB"]).name == "Britain")
            #expect(throws: RecordError.self) { try Country.find(db, key: ["code": "XX"]) }
            #expect(throws: RecordError.self) { throw Author.recordNotFound(db, id: 12) }
            let text = #"no row in table country with code = "XX""#
            #expect((Country.recordNotFound(key: ["code": "XX"]) as? RecordError)?.expandedDescription == text)
            #expect((Author.recordNotFound(db, key: 12) as? RecordError)?.expandedDescription == "no row in table author with id = 12")
        }
    }

    @Test
    func `Closures of whenConnected methods are called when the SQL is generated`() throws {
        try withDatabase(Player.createTable) { db throws in
            let request = Player.all()
                .selectWhenConnected { db in try db.columns(in: "player").prefix(2).map { Column($0.name) } }
                .annotatedWhenConnected { _ in [Column("score")] }
                .filterWhenConnected { db in Column("id") <= (try Int.fetchOne(db, sql: "SELECT 2") ?? 0) }
                .orderWhenConnected { _ in [Column("name").desc] }
            #expect(
                try request.sql(db) == #"SELECT "id", "name", "score" FROM "player" WHERE "id" <= 2 ORDER BY "name" DESC"#)
            let grouped = Player.select(count(Column("id")))
                .groupWhenConnected { _ in [Column("best")] }
                .havingWhenConnected { _ in count(Column("id")) == 1 }
            #expect(
                try grouped.sql(db) == #"SELECT count("id") FROM "player" GROUP BY "best" HAVING count("id") = 1"#)
        }
    }

    @Test
    func `SQL in a subquery is rendered in the context of the outer query`() throws {
        try withDatabase(Player.createTable) { db throws in
            sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_VARIABLE_NUMBER, 300)
            let outer = TableAlias<Player>()
            let ids = Array(1...1000).map { $0 * 2 }
            let others = SQLRequest<Int>(
                literal: """
                    SELECT 1 FROM player AS other
                    WHERE other.id = \(outer.id) AND other.score >= \(0) AND \(ids.contains(Column("id")))
                    """)
            let request = Player.aliased(outer).filter(others.exists())
            #expect(try request.fetchAll(db).map(\.id) == [2, 4])
        }
    }
}
