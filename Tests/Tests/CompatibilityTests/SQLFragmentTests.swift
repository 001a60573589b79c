import Strata
import Testing

@Suite("Pieces of SQL as GRDB's users write it")
struct SQLFragmentTests {
    private func sql(_ literal: SQL) throws -> String {
        try makeDatabase().read { db in try literal.build(db).sql }
    }

    @Test
    func `Selections, orderings, tables and expressions of any type`() throws {
        let player = Player(id: nil, teamId: nil, name: "Arthur", score: 1)
        let column = Column("name")
        #expect(try sql("SELECT \(column as any SQLSelectable)") == #"SELECT "name""#)
        #expect(try sql("SELECT \(AllColumns() as any SQLSelectable)") == "SELECT *")
        #expect(try sql("ORDER BY \(column.desc as any SQLOrderingTerm)") == #"ORDER BY "name" DESC"#)
        #expect(try sql("WHERE \(column as any SQLExpressible) = \(1 as any SQLExpressible)") == #"WHERE "name" = ?"#)
        #expect(try sql("SELECT * FROM \(tableOf: player as any TableRecord)") == #"SELECT * FROM "player""#)
        #expect(try sql("SELECT * FROM \(Player.self as any TableRecord.Type)") == #"SELECT * FROM "player""#)
        #expect(try sql("SELECT \(column as any SQLSpecificExpressible)") == #"SELECT "name""#)
    }

    @Test
    func `Substrings are arguments`() throws {
        try makeDatabase().read { db throws in
            let text = "Arthur, Barbara"
            let request: SQLRequest<Int> = "SELECT score FROM player WHERE name = \(text.prefix(6)) OR name = \(text.dropFirst(8))"
            #expect(try request.fetchAll(db) == [10, 30])
            #expect(try Player.filter { $0.name == text.prefix(6) }.fetchCount(db) == 1)
            #expect(try Player.filter(text.split(separator: ",").contains(Column("name"))).fetchCount(db) == 1)
        }
    }

    @Test
    func `Collations are written by their names`() throws {
        #expect(try sql("ORDER BY name COLLATE \(.nocase)") == "ORDER BY name COLLATE NOCASE")
        #expect(try sql("ORDER BY name COLLATE \(.localizedCompare)") == #"ORDER BY name COLLATE "swiftLocalizedCompare""#)
        let collation = Database.CollationName.rtrim
        #expect(try sql("ORDER BY name COLLATE \(collation)") == "ORDER BY name COLLATE RTRIM")
    }

    @Test
    func `Pieces are joined`() throws {
        let conditions: [SQL] = ["score > \(1)", "name IS NOT NULL"]
        #expect(try sql(conditions.joined(separator: " AND ")) == "score > ? AND name IS NOT NULL")
        #expect(try sql(SQL(elements: ["SELECT ", "\(1)"])) == "SELECT ?")
        let columns = ["id", "name"].map { "\(Column($0))" as SQL }
        #expect(try sql("SELECT \(columns.joined(separator: ", ")) FROM player") == #"SELECT "id", "name" FROM player"#)
        #expect(try sql("\(conditions.joined(operator: .or))") == "(score > ?) OR (name IS NOT NULL)")
    }
}
