import QueryInterface
import Testing

@Suite struct SchemaViewTests {
    @Test
    func `A view of a request contains the request's values as literals`() throws {
        try withDatabase(Player.createTable) { db throws in
            let request = Player.filter(Column("score") >= 750 && Column("name") != "O'Brien").order(Column("score").desc).limit(10)
            #expect(
                try db.statement { try db.create(view: "hero", as: request) }
                    == #"CREATE VIEW "hero" AS SELECT * FROM "player" WHERE "score" >= 750 AND "name" <> 'O''Brien' "#
                    + #"ORDER BY "score" DESC LIMIT 10"#)
            #expect(try db.viewExists("hero"))
            #expect(try String.fetchAll(db, sql: "SELECT name FROM hero") == ["Arthur", "Barbara"])
        }
    }

    @Test
    func `Constant conditions that order or group a view's rows are not positions of columns`() throws {
        // All have the same value for all rows.
        let conditions: [SQLExpression] = [
            false.sqlExpression && Column("id") == 1, 1.sqlExpression == Int?.none, 1.sqlExpression != Int?.none,
            -("a".sqlExpression == Int?.none), (Column("id") > 1 && false).collating(.nocase).sqlExpression,
        ]
        for condition in conditions {
            try withDatabase(Player.createTable) { db throws in
                // The first column has another order than the second one.
                let players = Player.select(Column("score").forKey("points"), Column("id"))
                try db.create(view: "ordered", as: players.order(condition, Column("id")))
                try db.create(view: "descending", as: players.order(condition.desc, Column("id").desc))
                let alias = TableAlias<Player>()
                try db.create(view: "qualified", as: players.aliased(alias).order(alias[condition.desc], alias[Column("id")]))
                try db.create(view: "grouped", as: Player.select(count(Column("id")).forKey("number")).group(condition))
                try db.create(view: "united", as: Player.select(Column("id")).order(condition).union(Player.select(Column("id"))))
                let ordered = try Int.fetchAll(db, sql: "SELECT id FROM ordered")
                #expect(ordered == [1, 2, 3, 4], "\(condition)")
                let descending = try Int.fetchAll(db, sql: "SELECT id FROM descending")
                #expect(descending == [4, 3, 2, 1], "\(condition)")
                let qualified = try Int.fetchAll(db, sql: "SELECT id FROM qualified")
                #expect(qualified == [1, 2, 3, 4], "\(condition)")
                let grouped = try Int.fetchAll(db, sql: "SELECT number FROM grouped")
                #expect(grouped == [4], "\(condition)")
                let united = try Int.fetchAll(db, sql: "SELECT id FROM united")
                #expect(united.sorted() == [1, 2, 3, 4], "\(condition)")
            }
        }
    }

    @Test
    func `Views of SQL can name their columns`() throws {
        try withDatabase(Player.createTable) { db throws in
            let names = ["Arthur", "Craig"]
            let sql = try db.statements {
                try db.create(
                    view: "a", columns: ["the name", "points"], asLiteral: "SELECT name, score FROM player WHERE name IN \(names)")
                try db.create(view: "b", as: SQLRequest<Player>(literal: "SELECT * FROM player WHERE score > \(800.5);"))
                try db.create(view: "c", columns: ["x"], as: SQLRequest<Int>(literal: "SELECT \(Int?.none)").sqlSubquery)
            }
            #expect(
                sql == [
                    #"CREATE VIEW "a" ("the name", "points") AS SELECT name, score FROM player WHERE name IN ('Arthur', 'Craig')"#,
                    #"CREATE VIEW "b" AS SELECT * FROM player WHERE score > 800.5"#,
                    #"CREATE VIEW "c" ("x") AS SELECT NULL"#,
                ])
            #expect(
                try Row.fetchAll(db, sql: "SELECT * FROM a") == [
                    ["the name": "Arthur", "points": 1000], ["the name": "Craig", "points": nil],
                ])
            #expect(try Player.fetchAll(db, sql: "SELECT * FROM b").map(\.name) == ["Arthur"])
        }
    }

    @Test
    func `Creating a view from SQL with arguments throws an error`() throws {
        try withDatabase(Player.createTable) { db throws in
            let request = SQLRequest<Player>(sql: "SELECT * FROM player WHERE score > ?", arguments: [1])
            #expect(
                try db.sentences { try db.create(view: "hero", as: request) }
                    == "the parameters of SQL can't have values here. Interpolate the values into an SQL literal.")
            #expect(try !db.viewExists("hero"))
        }
    }

    @Test(
        arguments: [
            ([], #"CREATE VIEW "v" AS SELECT 1"#), (.ifNotExists, #"CREATE VIEW IF NOT EXISTS "v" AS SELECT 1"#),
            (.temporary, #"CREATE TEMPORARY VIEW "v" AS SELECT 1"#),
            ([.ifNotExists, .temporary], #"CREATE TEMPORARY VIEW IF NOT EXISTS "v" AS SELECT 1"#),
        ] as [(ViewOptions, String)])
    func `The options of views`(options: ViewOptions, sql: String) throws {
        try withEmptyDatabase { db throws in
            #expect(try db.statement { try db.create(view: "v", options: options, asLiteral: "SELECT 1") } == sql)
            #expect(try db.viewExists("v", in: options.contains(.temporary) ? "temp" : "main"))
            if options.contains(.ifNotExists) {
                try db.create(view: "v", options: options, asLiteral: "SELECT 2")
                #expect(try Int.fetchOne(db, sql: "SELECT * FROM v") == 1)
            } else {
                #expect(
                    try db.message { try db.create(view: "v", options: options, asLiteral: "SELECT 2") }
                        .hasSuffix("already exists"))
            }
        }
    }

    @Test
    func `Views are dropped as views, not as tables`() throws {
        try withEmptyDatabase { db throws in
            try db.create(view: #"the "view""#, asLiteral: "SELECT 1")
            #expect(try db.message { try db.drop(table: #"the "view""#) }.hasPrefix("use DROP VIEW"))
            #expect(try db.statement { try db.drop(view: #"the "view""#) } == #"DROP VIEW "the ""view""""#)
            #expect(try db.message { try db.drop(view: #"the "view""#) } == #"no such view: the "view""#)
        }
    }

    @Test
    func `If a value can't be stored, no view is created`() throws {
        try withEmptyDatabase { db throws in
            #expect(throws: (any Error).self) { try db.create(view: "v", asLiteral: "SELECT \(UInt64.max)") }
            #expect(try db.objectNames().isEmpty)
        }
    }
}
