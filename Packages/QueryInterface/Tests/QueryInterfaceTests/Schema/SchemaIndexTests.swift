import QueryInterface
import Testing

@Suite struct SchemaIndexTests {
    private func withPlayers<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try withDatabase("CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER)", body)
    }

    @Test
    func `An index on columns`() throws {
        try withPlayers { db throws in
            #expect(
                try db.statement { try db.create(index: "byScore", on: "player", columns: ["score", "name"]) }
                    == #"CREATE INDEX "byScore" ON "player" ("score", "name")"#)
            let index = try #require(try db.indexes(on: "player").first)
            #expect(index.name == "byScore" && index.columns == ["score", "name"] && !index.isUnique && !index.isPartial)
        }
    }

    @Test(
        arguments: [
            ([], #"CREATE INDEX "i" ON "player" ("name")"#), (.unique, #"CREATE UNIQUE INDEX "i" ON "player" ("name")"#),
            (.ifNotExists, #"CREATE INDEX IF NOT EXISTS "i" ON "player" ("name")"#),
            ([.unique, .ifNotExists], #"CREATE UNIQUE INDEX IF NOT EXISTS "i" ON "player" ("name")"#),
        ] as [(IndexOptions, String)])
    func `The options of indexes`(options: IndexOptions, sql: String) throws {
        try withPlayers { db throws in
            let statement = try db.statement {
                try db.create(index: "i", on: "player", columns: ["name"], options: options)
            }
            #expect(statement == sql)
            let older = try db.statement {
                try db.create(
                    index: "i", on: "player", columns: ["name"], unique: options.contains(.unique), ifNotExists: true)
            }
            #expect(older == (options.contains(.unique) ? "CREATE UNIQUE" : "CREATE") + #" INDEX IF NOT EXISTS "i" ON "player" ("name")"#)
            if options.contains(.ifNotExists) {
                try db.create(index: "i", on: "player", columns: ["name"], options: options)
            } else {
                #expect(
                    try db.message { try db.create(index: "i", on: "player", columns: ["name"], options: options) }
                        == "index i already exists")
            }
            #expect(try db.indexes(on: "player").map(\.isUnique) == [options.contains(.unique)])
            #expect(try db.table("player", hasUniqueKey: ["name"]) == options.contains(.unique))
        }
    }

    @Test
    func `A unique index rejects duplicate rows, and can't be created on duplicate rows`() throws {
        try withPlayers { db throws in
            try db.create(indexOn: "player", columns: ["name"], options: .unique)
            try db.execute(sql: "INSERT INTO player (name, score) VALUES ('Arthur', 1), ('Barbara', 1), (NULL, 1), (NULL, 1)")
            expectViolation(of: .SQLITE_CONSTRAINT_UNIQUE, db, "INSERT INTO player (name) VALUES ('Arthur')")
            #expect(
                try db.message { try db.create(indexOn: "player", columns: ["score"], options: .unique) }
                    == "UNIQUE constraint failed: player.score")
        }
    }

    @Test
    func `A partial index contains the values of its condition as literals`() throws {
        try withPlayers { db throws in
            let name = "O'Brien"
            let sql = try db.statements {
                try db.create(
                    index: "a", on: "player", columns: ["name"], options: .unique,
                    condition: Column("score") > 10 && Column("name") != name)
                try db.create(index: "b", on: "player", columns: ["name"], unique: false, condition: Column("score") == nil)
                try db.create(index: "c", on: "player", columns: ["name"], condition: SQL("score IS NOT \(1.5)"))
                try db.create(indexOn: "player", columns: ["score"], condition: Column("score") != nil)
            }
            #expect(
                sql == [
                    #"CREATE UNIQUE INDEX "a" ON "player" ("name") WHERE "score" > 10 AND "name" <> 'O''Brien'"#,
                    #"CREATE INDEX "b" ON "player" ("name") WHERE "score" IS NULL"#,
                    #"CREATE INDEX "c" ON "player" ("name") WHERE score IS NOT 1.5"#,
                    #"CREATE INDEX "index_player_on_score" ON "player" ("score") WHERE "score" IS NOT NULL"#,
                ])
            #expect(try db.indexes(on: "player").allSatisfy(\.isPartial))
            try db.execute(sql: "INSERT INTO player (name, score) VALUES ('Arthur', 11), ('Arthur', 10), ('Arthur', 10)")
            expectViolation(of: .SQLITE_CONSTRAINT_UNIQUE, db, "INSERT INTO player (name, score) VALUES ('Arthur', 12)")
        }
    }

    @Test
    func `An index on expressions, in ascending or descending order`() throws {
        try withPlayers { db throws in
            let sql = try db.statements {
                try db.create(
                    index: "a", on: "player", expressions: [SQL("lower(name)"), Column("score")], options: .unique,
                    condition: Column("score") > 0)
                try db.create(index: "b", on: "player", expressions: [Column("score").desc, Column("name"), Column("id").asc])
                try db.create(index: "c", on: "player", expressions: [SQL("score + \(1) -- more")], options: .ifNotExists)
            }
            #expect(
                sql == [
                    #"CREATE UNIQUE INDEX "a" ON "player" (lower(name), "score") WHERE "score" > 0"#,
                    #"CREATE INDEX "b" ON "player" ("score" DESC, "name", "id" ASC)"#,
                    #"CREATE INDEX IF NOT EXISTS "c" ON "player" ("# + "score + 1 -- more\n)",
                ])
            let indexes = try db.indexes(on: "player").sorted { $0.name < $1.name }
            #expect(indexes.map(\.hasExpressions) == [true, false, true])
            #expect(indexes.map(\.columns) == [["score"], ["score", "name", "id"], []])
            try db.execute(sql: "INSERT INTO player (name, score) VALUES ('Arthur', 1)")
            expectViolation(of: .SQLITE_CONSTRAINT_UNIQUE, db, "INSERT INTO player (name, score) VALUES ('ARTHUR', 1)")
        }
    }

    @Test
    func `An expression with an unknown column throws an error, and is not a string`() throws {
        try withPlayers { db throws in
            #expect(
                try db.message { try db.create(index: "i", on: "player", expressions: [Column("nme")]) }.contains("nme"))
            #expect(try db.message { try db.create(index: "i", on: "player", columns: ["nme"]) }.contains("nme"))
            let message = try db.message { try db.create(index: "i", on: "player", columns: ["name"], condition: Column("scor") > 1) }
            expectMissingColumn("scor", message)
            #expect(try db.indexes(on: "player").isEmpty)
        }
    }

    @Test
    func `An index created without a name is dropped by its columns`() throws {
        try withPlayers { db throws in
            #expect(
                try db.statement { try db.create(indexOn: "player", columns: ["score", "name"]) }
                    == #"CREATE INDEX "index_player_on_score_name" ON "player" ("score", "name")"#)
            #expect(
                try db.statement { try db.drop(indexOn: "Player", columns: ["SCORE", "name"]) }
                    == #"DROP INDEX "index_player_on_score_name""#)
            #expect(try db.indexes(on: "player").isEmpty)

            try db.create(index: "whatever", on: "player", columns: ["score"])
            try db.create(index: "unique", on: "player", columns: ["name"], options: .unique)
            #expect(
                try db.statements {
                    try db.drop(indexOn: "player", columns: ["score"])
                    try db.drop(indexOn: "player", columns: ["name"])
                } == [#"DROP INDEX "whatever""#, #"DROP INDEX "unique""#])
        }
    }

    @Test
    func `Indexes created with a table are dropped by their columns`() throws {
        try withEmptyDatabase { db throws in
            try db.create(table: "team") { $0.primaryKey("id", .integer) }
            try db.create(table: "player") { t in
                t.column("name").indexed()
                t.belongsTo("team")
            }
            #expect(try db.indexes(on: "player").count == 2)
            try db.drop(indexOn: "player", columns: ["name"])
            try db.drop(indexOn: "player", columns: ["teamId"])
            #expect(try db.indexes(on: "player").isEmpty)
        }
    }

    @Test
    func `Dropping an index by columns throws an error for several indexes, and does nothing without one`() throws {
        try withDatabase(
            """
            CREATE TABLE player (name TEXT UNIQUE, score INTEGER, team TEXT);
            CREATE INDEX a ON player (score);
            CREATE INDEX b ON player (score) WHERE score > 0;
            CREATE INDEX c ON player (team, lower(name));
            CREATE INDEX d ON player (score, team);
            """
        ) { db throws in
            #expect(
                try db.sentences { try db.drop(indexOn: "player", columns: ["score"]) }
                    == "table player has several indexes on the columns score: a, b. Drop an index by its name.")
            for columns in [["name"], ["team"], ["team", "score"], ["team", "name"], []] {
                #expect(try db.statements { try db.drop(indexOn: "player", columns: columns) } == [])
            }
            #expect(try db.message { try db.drop(indexOn: "nothing", columns: ["x"]) } == "no such table: nothing")
            #expect(try db.indexes(on: "player").count == 5)
        }
    }

    @Test
    func `Dropping an index by its name`() throws {
        try withDatabase("CREATE TABLE player (name UNIQUE); CREATE INDEX i ON player (name)") { db throws in
            #expect(try db.statement { try db.drop(index: "i") } == #"DROP INDEX "i""#)
            #expect(try db.message { try db.drop(index: "i") } == "no such index: i")
            #expect(
                try db.message { try db.drop(index: "sqlite_autoindex_player_1") }
                    == "index associated with UNIQUE or PRIMARY KEY constraint cannot be dropped")
        }
    }

    @Test
    func `reindex rebuilds the indexes that use a collation`() throws {
        try withEmptyDatabase { db throws in
            let ascending = DatabaseCollation("my order") { $0 == $1 ? .same : $0 < $1 ? .ascending : .descending }
            let descending = DatabaseCollation("my order") { $0 == $1 ? .same : $0 > $1 ? .ascending : .descending }
            db.add(collation: ascending)
            try db.create(table: "player") { $0.column("name", .text).collate(ascending).indexed() }
            try db.execute(sql: "INSERT INTO player VALUES ('Arthur'), ('Barbara'), ('Craig')")
            db.add(collation: descending)
            #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") != "ok")
            #expect(try db.statement { try db.reindex(collation: descending) } == #"REINDEX "my order""#)
            #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
            #expect(try String.fetchAll(db, sql: "SELECT name FROM player ORDER BY name") == ["Craig", "Barbara", "Arthur"])

            #expect(try db.statement { try db.reindex(collation: .nocase) } == "REINDEX NOCASE")
            #expect(
                try db.message { try db.reindex(collation: .init(rawValue: "unknown")) } == "no such collation sequence: unknown")
        }
    }

    @Test
    func `reindex finds collations that no statement of the connection has used`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/db.sqlite"
        try DatabaseQueue(path: path).write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (name TEXT COLLATE swiftLocalizedCompare);
                    CREATE INDEX i ON player (name);
                    INSERT INTO player VALUES ('a'), ('B')
                    """)
        }
        for _ in 1...2 {
            try DatabaseQueue(path: path).write { db throws in
                #expect(
                    try db.statement { try db.reindex(collation: .localizedCompare) } == #"REINDEX "swiftLocalizedCompare""#)
                // No index uses this one.
                #expect(try db.statement { try db.reindex(collation: .unicodeCompare) } == #"REINDEX "swiftCompare""#)
            }
        }
        try DatabaseQueue(path: path).write { db throws in
            #expect(try db.message { try db.reindex(collation: .init(rawValue: "player")) } == "no such collation sequence: player")
        }
    }
}
