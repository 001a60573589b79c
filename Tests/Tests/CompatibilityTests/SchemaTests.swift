import Strata
import Testing

@Suite("Schemas as GRDB's users write them")
struct SchemaTests {
    private func indexes(_ db: Database, _ table: String) throws -> [String] {
        try db.indexes(on: table).map(\.name).filter { !$0.hasPrefix("sqlite_") }.sorted()
    }

    @Test(arguments: ["team", "teams", "Teams"])
    func `belongsTo finds the table of its name, or of its plural`(_ name: String) throws {
        try DatabaseQueue().write { db throws in
            try db.create(table: name) { $0.autoIncrementedPrimaryKey("id") }
            try db.create(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.belongsTo("team").notNull()
            }
            #expect(try db.columns(in: "player").map(\.name) == ["id", "teamId"])
            #expect(try db.foreignKeys(on: "player").map { $0.destinationTable.lowercased() } == [name.lowercased()])
        }
    }

    @Test
    func `belongsTo prefers the singular, and finds its own table`() throws {
        try DatabaseQueue().write { db throws in
            try db.create(table: "person") { $0.primaryKey("id", .text) }
            try db.create(table: "people") { t in
                t.autoIncrementedPrimaryKey("id")
                t.belongsTo("person")
                t.belongsTo("parent", inTable: "people")
            }
            #expect(try db.foreignKeys(on: "people").map(\.destinationTable) == ["person", "people"])
            try db.create(table: "employees") { t in
                t.autoIncrementedPrimaryKey("id")
                t.belongsTo("employee")
            }
            #expect(try db.foreignKeys(on: "employees").map(\.destinationTable) == ["employees"])
            #expect(try db.columns(in: "employees").map(\.name) == ["id", "employeeId"])
            #expect(throws: DatabaseError.self) {
                try db.create(table: "missing") { t in t.belongsTo("country") }
            }
        }
    }

    @Test
    func `Indexes of one column in two ways do not collide`() throws {
        try DatabaseQueue().write { db throws in
            try db.create(table: "team") { $0.autoIncrementedPrimaryKey("id") }
            try db.create(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.belongsTo("team")
                t.column("name", .text).indexed()
            }
            #expect(try indexes(db, "player") == ["player_on_name", "player_on_teamId"])
            try db.create(indexOn: "player", columns: ["teamId"])
            try db.create(indexOn: "player", columns: ["name"], options: .unique)
            #expect(
                try indexes(db, "player")
                    == ["index_player_on_name", "index_player_on_teamId", "player_on_name", "player_on_teamId"])
        }
    }

    @Test(arguments: ["player_on_teamId", "index_player_on_teamId", "PLAYER_ON_TEAMID"])
    func `A table that exists gets no second index`(_ name: String) throws {
        try DatabaseQueue().write { db throws in
            // As GRDB, or an earlier version, has created it.
            try db.execute(
                sql: """
                    CREATE TABLE team (id INTEGER PRIMARY KEY AUTOINCREMENT);
                    CREATE TABLE player (id INTEGER PRIMARY KEY AUTOINCREMENT, teamId INTEGER REFERENCES team(id), name TEXT);
                    CREATE INDEX \(name) ON player(teamId);
                    CREATE INDEX player_on_name ON player(name);
                    CREATE INDEX index_player_on_name ON player(name);
                    """)
            try db.create(table: "player", options: .ifNotExists) { t in
                t.autoIncrementedPrimaryKey("id")
                t.belongsTo("team")
                t.column("name", .text).indexed()
            }
            #expect(try indexes(db, "player") == [name, "index_player_on_name", "player_on_name"].sorted())
        }
    }

    @Test
    func `An index is created even if its derived name belongs to an index on other columns`() throws {
        try DatabaseQueue().write { db throws in
            try db.create(table: "pair") { t in
                t.primaryKey {
                    t.column("b", .integer)
                    t.column("c", .integer)
                }
            }
            // Both indexes would be named "item_on_pairB_pairC".
            try db.create(table: "item") { t in
                t.belongsTo("pair")
                t.column("pairB_pairC", .text).indexed()
            }
            #expect(try db.indexes(on: "item").map(\.columns).sorted { $0.count < $1.count } == [["pairB_pairC"], ["pairB", "pairC"]])
        }
    }
}
