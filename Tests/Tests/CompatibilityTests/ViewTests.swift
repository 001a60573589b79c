import Strata
import Testing

@Suite("Views with a primary key as GRDB's users write them")
struct ViewTests {
    private struct Source: DatabaseSchemaSource {
        func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? {
            switch view.name {
            case "membership": ["teamId", "playerId"]
            default: ["id"]
            }
        }
    }

    private struct Member: Codable, Identifiable, Equatable, FetchableRecord, MutablePersistableRecord {
        static let databaseTableName = "member"
        static let team = belongsTo(Team.self, using: ForeignKey(["teamId"]))
        static let games = hasMany(Game.self, using: ForeignKey(["memberId"]))

        var id: Int64
        var name: String
        var teamId: Int64?
    }

    private struct Game: Codable, FetchableRecord, PersistableRecord {
        static let member = belongsTo(Member.self, using: ForeignKey(["memberId"]))
        var id: Int64
        var memberId: Int64
    }

    private struct Membership: Codable, FetchableRecord, PersistableRecord {
        var teamId: Int64
        var playerId: Int64
    }

    private func withDatabase(_ body: (Database) throws -> Void) throws {
        var configuration = Configuration()
        configuration.schemaSource = Source()
        let queue = try DatabaseQueue(configuration: configuration)
        try makeDatabase().backup(to: queue)
        try queue.write { db throws in
            try db.execute(
                sql: """
                    CREATE VIEW member AS SELECT id, name, teamId FROM player;
                    CREATE TRIGGER member_delete INSTEAD OF DELETE ON member BEGIN DELETE FROM player WHERE id = old.id; END;
                    CREATE TRIGGER member_update INSTEAD OF UPDATE ON member BEGIN
                        UPDATE player SET name = new.name, teamId = new.teamId WHERE id = old.id; END;
                    CREATE TRIGGER member_insert INSTEAD OF INSERT ON member BEGIN
                        INSERT INTO player (id, name, teamId, score) VALUES (new.id, new.name, new.teamId, 0); END;
                    CREATE VIEW membership AS SELECT teamId, id AS playerId FROM player;
                    CREATE TRIGGER membership_delete INSTEAD OF DELETE ON membership BEGIN DELETE FROM player WHERE id = old.playerId; END;
                    CREATE TABLE game (id INTEGER PRIMARY KEY, memberId INTEGER);
                    INSERT INTO game VALUES (1, 1), (2, 1), (3, 2);
                    """)
            try body(db)
        }
    }

    @Test
    func `Rows are fetched by key`() throws {
        try withDatabase { db throws in
            #expect(try Member.fetchOne(db, key: 2)?.name == "Barbara")
            #expect(try Member.fetchOne(db, id: 2)?.name == "Barbara")
            #expect(try Member.find(db, key: ["id": 3]).name == "Craig")
            #expect(try Member.fetchAll(db, keys: [1, 3]).map(\.name) == ["Arthur", "Craig"])
            #expect(try Member.exists(db, key: 1))
            #expect(try Member.filter(ids: [1, 2]).fetchCount(db) == 2)
            #expect(try Membership.fetchOne(db, key: ["teamId": 1, "playerId": 2]) != nil)
            #expect(try Member.all().orderByPrimaryKey().fetchAll(db).map(\.id) == [1, 2, 3])
            #expect(try Member.all().selectPrimaryKey(as: Int64.self).fetchSet(db) == [1, 2, 3])
            #expect(try Table("member").filter(key: 2).fetchCount(db) == 1)
            #expect(try Member.find(db, key: 1).exists(db))
        }
    }

    @Test
    func `Rows are deleted and updated by key`() throws {
        try withDatabase { db throws in
            func ids() throws -> [Int64] { try Int64.fetchAll(db, sql: "SELECT id FROM player ORDER BY id") }
            try Member.deleteAll(db, keys: [1, 3])
            #expect(try ids() == [2])
            var member = try Member.find(db, id: 2)
            member.name = "Bea"
            try member.update(db)
            #expect(try Player.find(db, key: 2).name == "Bea")
            try Member.limit(1).updateAll(db, Column("name").set(to: "Be"))
            #expect(try Player.find(db, key: 2).name == "Be")
            var other = Member(id: 9, name: "Zoe", teamId: nil)
            try other.insert(db)
            #expect(try ids() == [2, 9])
            other.name = "Z"
            try other.save(db)
            #expect(try Player.find(db, key: 9).name == "Z")
            try other.delete(db)
            #expect(try ids() == [2])
            try Membership.deleteAll(db, keys: [["teamId": 1, "playerId": 2]])
            #expect(try ids() == [])
        }
    }

    @Test
    func `Rows have associations`() throws {
        try withDatabase { db throws in
            let rows = try Row.fetchAll(db, Member.including(required: Member.team).order(Column("id")).asRequest(of: Row.self))
            #expect(rows.map { $0.scopes["team"]?["name"] as String? } == ["Reds", "Reds", "Blues"])
            let counts = try Member.annotated(with: Member.games.count).order(Column("id")).asRequest(of: Row.self).fetchAll(db)
            #expect(counts.map { $0["gameCount"] } == [2, 1, 0])
            let all = try Member.including(all: Member.games).order(Column("id")).asRequest(of: Row.self).fetchAll(db)
            #expect(all.map { $0.prefetchedRows["games"]?.count } == [2, 1, 0])
            #expect(try Game.including(required: Game.member).fetchCount(db) == 3)
            #expect(try Game.find(db, key: 3).request(for: Game.member).fetchOne(db)?.name == "Barbara")
            #expect(try Member.find(db, key: 1).request(for: Member.games).fetchCount(db) == 2)
            #expect(try Member.joining(required: Member.games).groupByPrimaryKey().having(count(Column("id")) > 1).fetchCount(db) == 1)
        }
    }
}
