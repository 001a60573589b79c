import QueryInterface
import Testing

@Suite struct RequestTests {
    @Test
    func `All rows of a table`() throws {
        try withDatabase(Player.createTable) { db throws in
            let request = Player.all()
            #expect(try request.sql(db) == #"SELECT * FROM "player""#)
            #expect(try request.fetchAll(db).map(\.name) == ["Arthur", "Barbara", "Craig", "David"])
            #expect(try Player.fetchAll(db).count == 4)
            #expect(try Player.fetchOne(db)?.name == "Arthur")
            #expect(try Player.fetchSet(db).count == 4)
            #expect(try Array(Player.fetchCursor(db)).map(\.id) == [1, 2, 3, 4])
        }
    }

    @Test
    func `A filter keeps the rows where it is true`() throws {
        try withDatabase(Player.createTable) { db throws in
            let request = Player.filter(Player.Columns.score > 500)
            #expect(try request.sql(db) == #"SELECT * FROM "player" WHERE "score" > 500"#)
            #expect(try request.fetchAll(db).map(\.name) == ["Arthur", "Barbara"])
            #expect(try request.fetchSet(db).map(\.id).sorted() == [1, 2])
            #expect(try Array(request.fetchCursor(db)).map(\.id) == [1, 2])
        }
    }

    @Test
    func `Filters are combined by AND, with parentheses where necessary`() throws {
        try withDatabase(Player.createTable) { db throws in
            let request =
                Player
                .filter(Player.Columns.id < 3 || Player.Columns.name == "David")
                .filter(Player.Columns.score == 0 || Player.Columns.score == 750)
                .filter(Player.Columns.id > 1)
            #expect(
                try request.sql(db) == """
                    SELECT * FROM "player" WHERE ("id" < 3 OR "name" = 'David') AND ("score" = 0 OR "score" = 750) AND "id" > 1
                    """)
            #expect(try request.fetchAll(db).map(\.name) == ["Barbara", "David"])
        }
    }

    @Test
    func `Values are bound, and never written into the SQL`() throws {
        try withDatabase(Player.createTable) { db throws in
            let request = Player.filter(Player.Columns.name == "'; DROP TABLE player; --")
            let statement = try request.makePreparedRequest(db, forSingleResult: false).statement
            #expect(statement.sql == #"SELECT * FROM "player" WHERE "name" = ?"#)
            #expect(statement.arguments == ["'; DROP TABLE player; --"])
            #expect(try request.fetchAll(db).isEmpty)
            #expect(try Player.fetchCount(db) == 4)
        }
    }

    @Test
    func `A constant can be a filter`() throws {
        try withDatabase(Player.createTable) { db throws in
            #expect(try Player.filter(true).sql(db) == #"SELECT * FROM "player" WHERE 1"#)
            #expect(try Player.filter(true).fetchCount(db) == 4)
            #expect(try Player.filter(false).fetchCount(db) == 0)
        }
    }

    @Test
    func `order orders the rows, and replaces the previous order`() throws {
        try withDatabase(Player.createTable) { db throws in
            let request = Player.order(Player.Columns.score.desc, Player.Columns.name)
            #expect(try request.sql(db) == #"SELECT * FROM "player" ORDER BY "score" DESC, "name""#)
            #expect(try request.fetchAll(db).map(\.name) == ["Arthur", "Barbara", "David", "Craig"])

            let other = request.order(Player.Columns.name.asc)
            #expect(try other.sql(db) == #"SELECT * FROM "player" ORDER BY "name" ASC"#)
            #expect(try request.order().sql(db) == #"SELECT * FROM "player""#)
        }
    }

    @Test
    func `Rows can be ordered by an expression`() throws {
        try withDatabase(Player.createTable) { db throws in
            let request = Player.order((Player.Columns.score == nil).desc, Player.Columns.id.desc)
            #expect(try request.sql(db) == #"SELECT * FROM "player" ORDER BY "score" IS NULL DESC, "id" DESC"#)
            #expect(try request.fetchAll(db).map(\.id) == [3, 4, 2, 1])
        }
    }

    @Test
    func `limit returns a number of rows, after skipping the rows of the offset`() throws {
        try withDatabase(Player.createTable) { db throws in
            #expect(try Player.limit(2).sql(db) == #"SELECT * FROM "player" LIMIT 2"#)
            #expect(try Player.limit(2).fetchAll(db).map(\.id) == [1, 2])
            #expect(try Player.limit(2, offset: 1).sql(db) == #"SELECT * FROM "player" LIMIT 2 OFFSET 1"#)
            #expect(try Player.limit(2, offset: 1).fetchAll(db).map(\.id) == [2, 3])
            #expect(try Player.limit(0).fetchAll(db).isEmpty)
            #expect(try Player.limit(5).limit(1).sql(db) == #"SELECT * FROM "player" LIMIT 1"#)
        }
    }

    @Test
    func `fetchOne adds LIMIT 1, unless the request has a limit`() throws {
        try withDatabase(Player.createTable) { db throws in
            let request = Player.order(Player.Columns.name.desc)
            let statement = try request.makePreparedRequest(db, forSingleResult: true).statement
            #expect(statement.sql == #"SELECT * FROM "player" ORDER BY "name" DESC LIMIT 1"#)
            #expect(try request.fetchOne(db)?.name == "David")
            #expect(try Player.limit(0).fetchOne(db) == nil)
            #expect(try Player.limit(3, offset: 2).fetchOne(db)?.name == "Craig")
            #expect(try Player.filter(Player.Columns.id == 5).fetchOne(db) == nil)
        }
    }

    @Test
    func `fetchCount ignores the selection and the order`() throws {
        try withDatabase(Player.createTable) { db throws in
            var renderer = SQLRenderer(database: db)
            try renderer.append(Player.Columns.score.sqlExpression)
            #expect(renderer.sql == #""score""#)
            #expect(try Player.fetchCount(db) == 4)
            #expect(try Player.filter(Player.Columns.score != nil).order(Player.Columns.name).fetchCount(db) == 3)
            #expect(try Player.limit(3).fetchCount(db) == 3)
            #expect(try Player.limit(3, offset: 2).fetchCount(db) == 2)
            #expect(try Player.filter(Player.Columns.id > 2).limit(10).fetchCount(db) == 2)
        }
    }

    @Test
    func `A request is a value: deriving another request does not change it`() throws {
        try withDatabase(Player.createTable) { db throws in
            let all = Player.all()
            _ = all.filter(Player.Columns.id == 1).order(Player.Columns.id).limit(1)
            #expect(try all.sql(db) == #"SELECT * FROM "player""#)
        }
    }

    @Test
    func `A record type can select some columns`() throws {
        struct Name: TableRecord, FetchableRecord {
            static let databaseTableName = "player"
            static var databaseSelection: [any SQLSelectable] { [Column("name"), Column("score") > 800] }
            let name: String
            let isGood: Bool?
            init(row: Row) throws {
                name = row[0]
                isGood = row[1]
            }
        }
        try withDatabase(Player.createTable) { db throws in
            #expect(try Name.all().sql(db) == #"SELECT "name", "score" > 800 FROM "player""#)
            #expect(try Name.order(Column("id")).fetchAll(db).map(\.isGood) == [true, false, nil, false])
            #expect(try Name.limit(2).fetchCount(db) == 2)
            // The arguments of the selection come before the key.
            #expect(try Name.fetchOne(db, key: 1)?.isGood == true)
            #expect(try Name.fetchOne(db, key: 2)?.isGood == false)
            #expect(try Name.fetchAll(db, keys: [1, 2]).map(\.name) == ["Arthur", "Barbara"])
        }
    }

    @Test
    func `A record's initializer can fetch other records`() throws {
        struct Node: TableRecord, FetchableRecord {
            let name: String
            let parent: String?
            let siblings: Int
            init(row: Row) throws {
                name = row["name"]
                let parentID: Int? = row["parentID"]
                // The SQL of the outer fetch, which is still running.
                parent = try parentID.flatMap { try Self.fetchOne(Current.db, key: $0)?.name }
                siblings = try Self.filter(Column("parentID") == parentID).fetchCount(Current.db)
            }
            enum Current { @TaskLocal static var box: DatabaseBox?; static var db: Database { box!.db } }
            final class DatabaseBox: @unchecked Sendable { let db: Database; init(_ db: Database) { self.db = db } }
        }
        try withDatabase(
            """
            CREATE TABLE node (id INTEGER PRIMARY KEY, name TEXT, parentID INTEGER);
            INSERT INTO node VALUES (1, 'root', NULL), (2, 'branch', 1), (3, 'leaf', 2);
            """
        ) { db throws in
            try Node.Current.$box.withValue(Node.DatabaseBox(db)) {
                let leaf = try #require(try Node.fetchOne(db, key: 3))
                #expect(leaf.parent == "branch")
                #expect(try Node.fetchAll(db).map(\.parent) == [nil, "root", "branch"])
            }
        }
    }

    @Test
    func `A value that SQLite can't store throws an error when the request runs`() throws {
        try withDatabase(Player.createTable) { db throws in
            let request = Player.filter(Player.Columns.score == UInt64.max)
            #expect(throws: (any Error).self) { try request.fetchAll(db) }
            #expect(throws: (any Error).self) { try request.fetchCount(db) }
            #expect(throws: (any Error).self) { try Player.fetchOne(db, key: UInt64.max) }
            #expect(try Player.fetchCount(db) == 4)
        }
    }

    @Test
    func `A missing table throws an error that names it`() throws {
        struct Nothing: TableRecord {}
        try withDatabase("SELECT 1") { db throws in
            let error = #expect(throws: DatabaseError.self) { try Nothing.fetchCount(db) }
            #expect(error?.message == "no such table: nothing")
            #expect(error?.sql == #"SELECT count(*) FROM "nothing""#)
        }
    }

    @Test
    func `A misspelled column throws an error, and is not a string`() throws {
        try withDatabase(Player.createTable) { db throws in
            let error = #expect(throws: DatabaseError.self) { try Player.filter(Column("nam") == "nam").fetchAll(db) }
            expectMissingColumn("nam", error?.message)
        }
    }
}
