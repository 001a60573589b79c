import QueryInterface
import Testing

/// Requests that update and delete rows: the statement, and the remaining rows.
@Suite("Updating and deleting by requests")
struct ChangeTests {
    /// Runs a change, and returns the last statement that it ran.
    private func sql(_ db: Database, _ body: () throws -> Void) rethrows -> String? {
        nonisolated(unsafe) var statements: [String] = []
        db.trace { statements.append($0.expandedDescription) }
        try body()
        db.trace(options: [])
        return statements.last { !$0.hasPrefix("PRAGMA") && !$0.contains("FROM sqlite_") }
    }

    @Test
    func `updateAll assigns values and expressions`() throws {
        try withDatabase(Player.createTable) { db throws in
            var count = 0
            let statement = try sql(db) {
                count = try Player.filter { $0.score != nil }
                    .updateAll(db, [Player.Columns.score += 10, Player.Columns.best.set(to: nil)])
            }
            #expect(statement == #"UPDATE "player" SET "score" = "score" + 10, "best" = NULL WHERE "score" IS NOT NULL"#)
            #expect(count == 3)
            #expect(try Player.order(\.id).fetchAll(db).map(\.score) == [1010, 760, nil, 10])
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM player WHERE best IS NULL") == 3 + 0)
        }
    }

    @Test
    func `Assignments can compute: +, -, *, /, &, |, << and >>`() throws {
        try withDatabase("CREATE TABLE player (id INTEGER PRIMARY KEY, score INTEGER); INSERT INTO player VALUES (1, 12)") { db throws in
            let score = Column("score")
            let changes: [(ColumnAssignment, Int)] = [
                (score += 1, 13), (score -= 3, 10), (score *= 4, 40), (score /= 3, 13), (score &= 12, 12), (score |= 3, 15),
                (score <<= 2, 60), (score >>= 1, 30), (score.set(to: score + score), 60), (score -= Column("id") + 1, 58),
            ]
            for (assignment, result) in changes {
                #expect(try Table("player").updateAll(db, assignment) == 1)
                #expect(try Int.fetchOne(db, sql: "SELECT score FROM player") == result)
            }
            let noChange = try Table("player").updateAll(db, [])
            #expect(noChange == 0)
        }
    }

    @Test
    func `Closures can assign columns`() throws {
        try withDatabase(Player.createTable) { db throws in
            #expect(try Player.updateAll(db) { $0.score.set(to: 1) } == 4)
            #expect(try Player.filter { $0.id > 2 }.updateAll(db) { [$0.score += 1, $0.best.set(to: $0.score)] } == 2)
            #expect(try Player.order(\.id).fetchAll(db).map(\.score) == [1, 1, 2, 2])
            #expect(try Player.filter(key: 1).updateAll(db, Player.Columns.score.set(to: 7)) == 1)
        }
    }

    @Test
    func `onConflict: sets the conflict resolution`() throws {
        try withDatabase("CREATE TABLE t (a INTEGER UNIQUE); INSERT INTO t VALUES (1), (2), (3)") { db throws in
            let table = Table("t")
            #expect(throws: DatabaseError.self) { try table.updateAll(db, Column("a").set(to: 9)) }
            let statement = try sql(db) { try table.updateAll(db, onConflict: .ignore, Column("a").set(to: 9)) }
            #expect(statement == #"UPDATE OR IGNORE "t" SET "a" = 9"#)
            #expect(try Int.fetchAll(db, sql: "SELECT a FROM t ORDER BY a") == [2, 3, 9])
            try table.updateAll(db, onConflict: .replace, [Column("a").set(to: 4)])
            #expect(try Int.fetchAll(db, sql: "SELECT a FROM t") == [4])
        }
    }

    @Test
    func `deleteAll deletes the rows of a request`() throws {
        try withDatabase(Player.createTable) { db throws in
            let statement = try sql(db) { _ = try Player.filter { $0.score < 800 }.order(\.name).deleteAll(db) }
            #expect(statement == #"DELETE FROM "player" WHERE "score" < 800"#)
            #expect(try Player.fetchCount(db) == 2)
            #expect(try Player.deleteAll(db) == 2)
            #expect(try Player.all().isEmpty(db))
        }
    }

    @Test
    func `Limits and joins select the rows by their keys`() throws {
        try Library.withDatabase { db throws in
            try db.execute(sql: "DELETE FROM chapter")
            var statement = try sql(db) { _ = try Book.order { $0.price.desc }.limit(1).deleteAll(db) }
            #expect(
                statement
                    == #"DELETE FROM "book" WHERE "id" IN (SELECT "id" FROM "book" ORDER BY "price" DESC LIMIT 1)"#)
            #expect(try Book.order(\.id).fetchAll(db).map(\.id) == [1, 2, 3])
            statement = try sql(db) {
                try Book.joining(required: Book.author.filter { $0.name == "Verne" }).filter { $0.price > 0 }
                    .updateAll(db) { $0.price.set(to: 1) }
            }
            #expect(
                statement
                    == #"UPDATE "book" SET "price" = 1 WHERE "id" IN (SELECT "book"."id" FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" AND "author"."name" = 'Verne' WHERE "book"."price" > 0)"#
            )
            #expect(try Double.fetchAll(db, sql: "SELECT price FROM book ORDER BY id") == [1, 1, 9.5])
            #expect(try Book.having(Book.chapters.isEmpty).deleteAll(db) == 3)
        }
    }

    @Test
    func `Rows without a row ID are selected by all columns of their key, others by their row ID`() throws {
        try Library.withDatabase { db throws in
            let statement = try sql(db) { _ = try Passport.order { $0.issued }.limit(2).deleteAll(db) }
            #expect(
                statement
                    == #"DELETE FROM "passport" WHERE ("countryCode", "citizenId") IN (SELECT "countryCode", "citizenId" FROM "passport" ORDER BY "issued" LIMIT 2)"#
            )
            #expect(try Int.fetchAll(db, sql: "SELECT issued FROM passport") == [2015])
            try db.execute(sql: "CREATE TABLE n (code TEXT PRIMARY KEY); INSERT INTO n VALUES (NULL), (NULL), ('a')")
            #expect(try Table("n").order(Column("code")).limit(2).deleteAll(db) == 2)
            #expect(try String.fetchAll(db, sql: "SELECT code FROM n") == ["a"])
        }
    }

    @Test
    func `RETURNING returns the deleted records`() throws {
        try withDatabase(Player.createTable) { db throws in
            var players: [Player] = []
            let statement = try sql(db) { players = try Player.filter { $0.id <= 2 }.deleteAndFetchAll(db) }
            #expect(statement == #"DELETE FROM "player" WHERE "id" <= 2 RETURNING *"#)
            #expect(Set(players.map(\.name)) == ["Arthur", "Barbara"])
            #expect(try Player.filter(key: 3).deleteAndFetchSet(db).map(\.name) == ["Craig"])
            let names = try String.fetchAll(Player.all().deleteAndFetchStatement(db, select: { [$0.name] }))
            #expect(names == ["David"])
            #expect(try Player.fetchCount(db) == 0)
        }
        try Library.withDatabase { db throws in
            try db.execute(sql: "DELETE FROM award; DELETE FROM chapter; DELETE FROM book")
            #expect(try Author.filter { $0.id > 2 }.deleteAndFetchIds(db) == [3, 4])
        }
    }

    @Test
    func `RETURNING returns the updated records`() throws {
        try withDatabase(Player.createTable) { db throws in
            var players: [Player] = []
            let statement = try sql(db) {
                players = try Player.filter { $0.id <= 2 }.updateAndFetchAll(db) { [$0.score += 1] }
            }
            #expect(statement == #"UPDATE "player" SET "score" = "score" + 1 WHERE "id" <= 2 RETURNING *"#)
            #expect(players.map(\.score) == [1001, 751])
            #expect(try Player.filter(key: 1).updateAndFetchSet(db, [Player.Columns.score.set(to: 5)]).map(\.score) == [5])
            // All rows are updated before the cursor returns the first one.
            let cursor = try Player.all().updateAndFetchCursor(db) { [$0.score.set(to: 9)] }
            #expect(try cursor.next()?.score == 9)
            #expect(try Player.filter { $0.score == 9 }.fetchCount(db) == 4)
            let values = try Player.filter(key: 2).updateAndFetchStatement(
                db, assignments: { [$0.score += 1] }, select: { [$0.name, ($0.score * 2).forKey("twice")] })
            #expect(try Row.fetchAll(values) == [["name": "Barbara", "twice": 20]])
            #expect(throws: DatabaseError.self) { try Player.all().updateAndFetchAll(db, []) }
        }
    }

    @Test
    func `Rows are deleted, and their existence is tested, by key and by id`() throws {
        try Library.withDatabase { db throws in
            try db.execute(sql: "DELETE FROM chapter")
            #expect(try Book.deleteOne(db, key: 1))
            #expect(try !Book.deleteOne(db, key: 1))
            #expect(try Book.delete(db, id: 2))
            #expect(try Book.deleteAll(db, keys: [3, 4, 5]) == 2)
            #expect(try Author.exists(db, id: 1))
            #expect(try !Author.exists(db, key: 17))
            #expect(try !Author.exists(db, key: nil as Int?))
            #expect(try Country.exists(db, key: ["code": "FR"]))
            #expect(try Passport.exists(db, key: ["countryCode": "FR", "citizenId": 2]))
            #expect(try Passport.deleteOne(db, key: ["countryCode": "FR", "citizenId": 2]))
            #expect(
                try Passport.deleteAll(db, keys: [["countryCode": "FR", "citizenId": 1], ["countryCode": "GB", "citizenId": 1]]) == 2)
            #expect(try Table("profile").deleteOne(db, key: ["countryCode": "FR"]))
            #expect(throws: DatabaseError.self) { try Author.deleteOne(db, key: ["name": "Verne"]) }
            #expect(throws: DatabaseError.self) { try Passport.deleteOne(db, key: 1) }
            #expect(try Author.deleteAll(db, ids: [Int64]()) == 0)
        }
    }

    @Test
    func `Changes of a view count the rows that its triggers handle`() throws {
        struct Recent: TableRecord {
            static let databaseTableName = "recent"
        }
        struct Source: DatabaseSchemaSource {
            func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) -> [String]? { ["id"] }
        }
        try Library.withDatabase { db throws in
            // The triggers change other numbers of rows than the view has.
            try db.execute(
                sql: """
                    DELETE FROM chapter;
                    CREATE TABLE log (id INTEGER);
                    CREATE VIEW recent AS SELECT id, title, price FROM book WHERE year > 1700;
                    CREATE TRIGGER recent_delete INSTEAD OF DELETE ON recent BEGIN
                        DELETE FROM book WHERE id = OLD.id; INSERT INTO log VALUES (OLD.id), (OLD.id); END;
                    CREATE TRIGGER recent_update INSTEAD OF UPDATE ON recent BEGIN
                        UPDATE book SET price = NEW.price WHERE id = OLD.id; INSERT INTO log VALUES (OLD.id), (OLD.id); END;
                    """)
            let total = try Book.fetchCount(db)
            #expect(try Recent.updateAll(db, Column("price").set(to: 7)) == total)
            #expect(try Recent.filter(Column("id") == 1).updateAll(db, Column("price").set(to: 8)) == 1)
            #expect(try Recent.filter(Column("id") == 99).updateAll(db, Column("price").set(to: 9)) == 0)
            #expect(try Double.fetchAll(db, sql: "SELECT price FROM book ORDER BY id") == [8, 7, 7, 7])
            try db.withSchemaSource(Source()) { () throws in
                #expect(try Recent.deleteOne(db, key: 1))
                #expect(try !Recent.deleteOne(db, key: 1))
                #expect(try Recent.limit(1).updateAll(db, Column("price").set(to: 6)) == 1)
                #expect(try Recent.deleteAll(db, keys: [1, 2, 3]) == 2)
                #expect(try Table("recent").deleteOne(db, key: 99) == false)
            }
            #expect(try Table("main.recent").deleteAll(db) == total - 3)
            #expect(try Table("main.recent").deleteAll(db) == 0)
            #expect(try Book.fetchCount(db) == 0)
            // A table of the same name, in another database or later, counts its own rows.
            try db.execute(sql: "CREATE TEMP TABLE recent (id INTEGER PRIMARY KEY, price); INSERT INTO temp.recent VALUES (1, 2), (2, 3)")
            #expect(try Recent.updateAll(db, Column("price").set(to: 1)) == 2)
            #expect(try Recent.filter(Column("id") == 1).deleteAll(db) == 1)
            try db.execute(sql: "DROP TABLE temp.recent; DROP VIEW recent; CREATE TABLE recent (id PRIMARY KEY) WITHOUT ROWID")
            try db.execute(sql: "INSERT INTO recent VALUES (1), (2)")
            #expect(try Recent.filter(Column("id") == 1).deleteAll(db) == 1)
            #expect(try Recent.deleteAll(db) == 1)
        }
    }

    @Test
    func `Changing rows that are not rows of a table throws an error with the reason`() throws {
        try Library.withDatabase { db throws in
            let grouped = Book.all().group(\.authorId)
            for request in [grouped, Book.all().distinct(), Book.all().having(sql: "count(*) > 0")] {
                let error = #expect(throws: DatabaseError.self) { try request.deleteAll(db) }
                #expect(error?.message?.contains("can't be changed") == true)
            }
            try db.execute(sql: "CREATE VIEW recent AS SELECT * FROM book")
            let error = #expect(throws: DatabaseError.self) { try Table("recent").limit(1).deleteAll(db) }
            #expect(error?.message?.contains("a view has no primary key") == true)
            #expect(try Book.fetchCount(db) == 4)
        }
    }
}
