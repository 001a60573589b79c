import Foundation
import QueryInterface
import Testing

@Suite struct InterpolationTests {
    private struct Remote: TableRecord {
        static let databaseTableName = "main.player"
        static var databaseSelection: [any SQLSelectable] { [Column("id"), .allColumns(excluding: ["id", "best"])] }
    }

    @Test
    func `Tables, columns, aliases and common table expressions are interpolated by their names`() throws {
        try withDatabase(Player.createTable) { db throws in
            func sql(_ literal: SQL) throws -> String { try literal.build(db).sql }
            #expect(try sql("SELECT * FROM \(Player.self)") == #"SELECT * FROM "player""#)
            #expect(try sql("SELECT * FROM \(Remote.self)") == #"SELECT * FROM "main"."player""#)
            #expect(try sql("SELECT * FROM \(Table("player"))") == #"SELECT * FROM "player""#)
            let player = try #require(try Player.fetchOne(db))
            #expect(try sql("\(tableOf: player)") == #""player""#)
            #expect(try sql("SELECT \(columnsOf: Player.self) FROM player") == #"SELECT "player".* FROM player"#)
            let remote: SQL = "SELECT \(columnsOf: Remote.self, tableAlias: "p") FROM \(Remote.self) p"
            #expect(try sql(remote) == #"SELECT "p"."id", "p"."name", "p"."score" FROM "main"."player" p"#)
            #expect(try SQLRequest<Row>(literal: remote).fetchAll(db).count == 4)
            #expect(try sql("\(Player.Columns.score) > 1") == #""score" > 1"#)

            let best = CommonTableExpression<Player>(
                named: "be\"st", columns: ["id", "n"], literal: "SELECT id, name FROM player WHERE id > \(1)")
            let query: SQL = "WITH \(definitionFor: best) SELECT count(*) FROM \(best)"
            #expect(
                try sql(query)
                    == #"WITH "be""st"("id", "n") AS (SELECT id, name FROM player WHERE id > ?) SELECT count(*) FROM "be""st""#)
            #expect(try SQLRequest<Int>(literal: query).fetchOne(db) == 3)
        }
    }

    @Test
    func `A selection that is nil is NULL`() throws {
        try withDatabase(Player.createTable) { db throws in
            let selections: [(any SQLSelectable)?] = [Player.Columns.score, AllColumns(), Player.Columns.score.forKey("n"), nil]
            let sql = try selections.map { try ("SELECT \($0)" as SQL).build(db).sql }
            #expect(sql == [#"SELECT "score""#, "SELECT *", #"SELECT "score" AS "n""#, "SELECT ?"])
            #expect(try SQLRequest<Int>(literal: "SELECT \(selections[3]) IS NULL").fetchOne(db) == 1)
        }
    }

    @Test(arguments: [(3, "?,?,?"), (1, "?"), (0, ""), (-1, "")])
    func `databaseQuestionMarks makes parameters`(count: Int, text: String) {
        #expect(databaseQuestionMarks(count: count) == text)
    }

    @Test
    func `An alias is interpolated as the name that the request gives to its table`() throws {
        try withDatabase(Player.createTable) { db throws in
            let (named, unnamed) = (TableAlias<Player>(name: "p"), TableAlias<Player>())
            let request = Player.aliased(named).filter(literal: "\(named).score > \(500)")
            #expect(try request.sql(db) == #"SELECT "p".* FROM "player" AS "p" WHERE "p".score > 500"#)
            let other = Player.aliased(unnamed).filter(literal: "\(unnamed).score > 500 AND \(unnamed.name) <> 'Craig'")
            #expect(try other.sql(db) == #"SELECT "player".* FROM "player" WHERE "player".score > 500 AND "player"."name" <> 'Craig'"#)
            #expect(try other.fetchCount(db) == 2)
            let stray: SQL = "\(unnamed).id"
            #expect(throws: DatabaseError.self) { try stray.build(db) }
        }
    }

    // MARK: - Rows by column

    private enum Key: String, ColumnExpression { case name, score, missing }
    private enum CodingKeys: String, CodingKey, ColumnExpression { case best }

    @Test
    func `Rows return values for all kinds of columns`() throws {
        try withDatabase(Player.createTable) { db throws in
            let row = try #require(try Row.fetchOne(db, sql: "SELECT *, x'0102' AS data FROM player WHERE id = 3"))
            #expect(row[Key.name] == "Craig")
            #expect(row[Key.score] as Int? == nil)
            #expect(row[CodingKeys.best] == 300)
            let untyped: (any DatabaseValueConvertible)? = row[CodingKeys.best]
            #expect(untyped as? Int64 == 300)
            #expect((row[Key.missing] as (any DatabaseValueConvertible)?) == nil)
            #expect(row.coalesce([Key.missing, Key.score, CodingKeys.best]) == 300)
            #expect(try row.decodeIfPresent(Int.self, forColumn: Key.missing) == nil)
            #expect(try row.decodeIfPresent(Int.self, forColumn: CodingKeys.best) == 300)
            #expect(try row.decodeIfPresent(Int.self, coalescing: [Key.score, CodingKeys.best]) == 300)
            #expect(throws: RowDecodingError.self) { try row.decodeIfPresent(Int.self, forColumn: Key.name) }
            #expect(throws: RowDecodingError.self) { try row.decode(Int.self, forColumn: Key.missing) }
            let count = try row.withUnsafeData(at: Column("data")) { $0?.count }
            #expect(count == 2)
            let missing = try row.withUnsafeData(named: Key.score) { $0?.count }
            #expect(missing == nil)
        }
    }

    @Test
    func `A cast converts to a storage class, or to the affinity of a type`() throws {
        try withDatabase(Player.createTable) { db throws in
            let request = Player.filter(key: 1).select(
                cast(Column("name"), as: .integer), cast("1.50", as: .numeric), cast(Column("score"), as: .text))
            #expect(
                try request.sql(db)
                    == #"SELECT CAST("name" AS INTEGER), CAST('1.50' AS NUMERIC), CAST("score" AS TEXT) FROM "player" WHERE "id" = 1"#)
            let row = try #require(try request.asRequest(of: Row.self).fetchOne(db))
            #expect(Array(row.databaseValues) == [0.databaseValue, 1.5.databaseValue, "1000".databaseValue])
        }
    }
}
