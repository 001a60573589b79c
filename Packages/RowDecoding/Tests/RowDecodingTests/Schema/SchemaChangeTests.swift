import RowDecoding
import Testing

/// SQLite prepares a `SELECT *` again on its own when the schema has changed. It then has other columns.
struct SchemaChangeTests {
    static let changes: [(sql: String, names: [String])] = [
        ("ALTER TABLE player ADD COLUMN team TEXT DEFAULT 'Reds'", ["id", "name", "score", "team"]),
        ("ALTER TABLE player DROP COLUMN score", ["id", "name"]),
        ("ALTER TABLE player RENAME COLUMN score TO points", ["id", "name", "points"]),
        ("ALTER TABLE player RENAME COLUMN name TO score2", ["id", "score2", "score"]),
    ]

    static func newValues(_ names: [String]) -> [String: DatabaseValue] {
        let values: [String: DatabaseValue] = [
            "id": 1.databaseValue, "name": "Arthur".databaseValue, "score2": "Arthur".databaseValue,
            "score": 1500.databaseValue, "points": 1500.databaseValue, "team": "Reds".databaseValue,
        ]
        return values.filter { names.contains($0.key) }
    }

    @Test(arguments: changes)
    func `A statement that is used again has the columns of the new schema`(_ change: (sql: String, names: [String])) throws {
        try withPlayers { db in
            let statement = try db.makeStatement(sql: "SELECT * FROM player ORDER BY id")
            // Reads by name, so that the columns of names are remembered.
            #expect(try Player.fetchAll(statement) == [.arthur, .barbara, .craig])
            try db.execute(sql: change.sql)

            let rows = try Row.fetchCursor(statement)
            let row = try #require(try rows.next())
            #expect(row.columnNames == change.names)
            #expect(row.count == change.names.count)
            #expect(Dictionary(row) == Self.newValues(change.names))
            #expect(Dictionary(row.copy()) == Self.newValues(change.names))
            for (name, value) in Self.newValues(change.names) {
                #expect(row[name] == value)
            }
            for name in Set(["id", "name", "score"]).subtracting(change.names) {
                #expect(row[name] as DatabaseValue? == nil)
            }
        }
    }

    @Test(arguments: changes)
    func `An adapter sees the columns of the new schema`(_ change: (sql: String, names: [String])) throws {
        try withPlayers { db in
            let statement = try db.makeStatement(sql: "SELECT * FROM player ORDER BY id")
            let adapter = ScopeAdapter(base: RenameColumnAdapter { $0 + "_" }, scopes: ["rest": SuffixRowAdapter(fromIndex: 1)])
            #expect(try Row.fetchAll(statement, adapter: adapter).count == 3)
            try db.execute(sql: change.sql)

            let rows = try Row.fetchCursor(statement, adapter: adapter)
            let row = try #require(try rows.next())
            #expect(row.columnNames == change.names.map { $0 + "_" })
            #expect(row.scopes["rest"]?.columnNames == Array(change.names.dropFirst()))
            for (name, value) in Self.newValues(change.names) {
                #expect(row[name + "_"] == value)
                if name != "id" { #expect(row.scopes["rest"]?[name] == value) }
            }
        }
    }

    @Test
    func `An adapter that no longer fits the columns throws`() throws {
        try withPlayers { db in
            let statement = try db.makeStatement(sql: "SELECT * FROM player")
            let adapter = ColumnMapping(["points": "score"])
            #expect(try Row.fetchAll(statement, adapter: adapter).count == 3)
            try db.execute(sql: "ALTER TABLE player DROP COLUMN score")
            #expect(throws: DatabaseError.self) { try Row.fetchAll(statement, adapter: adapter) }
        }
    }

    @Test
    func `A fetch by SQL has the columns of the new schema, though its statement is kept`() throws {
        try withPlayers { db in
            #expect(try Player.fetchOne(db, sql: "SELECT * FROM player") == .arthur)
            try db.execute(sql: "ALTER TABLE player RENAME COLUMN score TO points")
            let error = #expect(throws: RowDecodingError.self) { try Player.fetchOne(db, sql: "SELECT * FROM player") }
            #expect(error?.column == "score")
            #expect(try Row.fetchOne(db, sql: "SELECT * FROM player")?["points"] == 1500)
        }
    }

    @Test
    func `A fetch notices new columns, even if they were read before`() throws {
        try withPlayers { db in
            func names(_ row: Row) -> [String?] { [row["name"], row["old"]] }
            let statement = try db.makeStatement(sql: "SELECT * FROM player WHERE id = ?")
            #expect(try Row.fetchAll(statement, arguments: [1]).map(names) == [["Arthur", nil]])
            #expect(try Player.fetchAll(statement, arguments: [1]) == [.arthur])
            try db.execute(
                sql: "ALTER TABLE player RENAME name TO old; ALTER TABLE player ADD name TEXT DEFAULT 'new'")
            // A step and its names, a fetch without rows and its names, and the names before a step.
            #expect(try statement.step())
            #expect(statement.columnNames == ["id", "old", "score", "name"])
            statement.reset()
            let empty = try Row.fetchCursor(statement, arguments: [0])
            #expect(try empty.next() == nil)
            #expect(empty.columnNames == ["id", "old", "score", "name"])
            #expect(try Player.fetchCursor(statement, arguments: [1]).columnNames == ["id", "old", "score", "name"])
            #expect(try Player.fetchAll(statement, arguments: [1]).map(\.name) == ["new"])
            #expect(try Row.fetchAll(statement, arguments: [1]).map(names) == [["new", "Arthur"]])
        }
    }

    @Test(arguments: changes)
    func `A cursor has the names of its columns before its first row`(_ change: (sql: String, names: [String])) throws {
        try withPlayers { db in
            let statement = try db.makeStatement(sql: "SELECT * FROM player")
            _ = try Player.fetchAll(statement)
            try db.execute(sql: change.sql)
            let rows = try Row.fetchCursor(statement)
            #expect(rows.columnNames == change.names)
            #expect(rows.columnCount == change.names.count)
            #expect(try Row.fetchCursor(db, sql: "SELECT * FROM player").columnNames == change.names)
            #expect(try rows.next()?.columnNames == change.names)
        }
    }
}
