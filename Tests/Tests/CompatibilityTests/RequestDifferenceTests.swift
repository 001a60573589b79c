import Strata
import Testing

/// What *Coming from GRDB* says about requests whose results differ.
@Suite("Requests that differ from those of GRDB")
struct RequestDifferenceTests {
    private struct Lineup: Codable, Equatable, FetchableRecord, PersistableRecord {
        var id: Int64
        var name: String
    }

    @Test
    func `The filters of a join do not restrict an aggregate`() throws {
        try makeDatabase().read { db throws in
            let good = Team.players.filter { $0.score > 15 }
            func counts(_ aggregate: AssociationAggregate<Team>) throws -> [Int] {
                let request = Team.joining(required: good).annotated(with: aggregate.forKey("n")).order(\.id)
                return try Row.fetchAll(db, request).map { $0["n"] }
            }
            #expect(try counts(Team.players.count) == [2, 1])
            #expect(try counts(good.count) == [1, 1])
        }
    }

    @Test
    func `Requests with aggregates have a row for each team, unless they select the columns of its players`() throws {
        try makeDatabase().read { db throws in
            let best = Team.players.max(\.score)
            let joining = Team.joining(required: Team.players).annotated(with: best).order(\.id)
            #expect(try Row.fetchAll(db, joining).map { $0["maxPlayerScore"] } == [30, 20])
            #expect(try joining.fetchCount(db) == 2)
            #expect(try Team.joining(required: Team.players).having(Team.players.count > 1).fetchAll(db).map(\.name) == ["Reds"])
            let including = Team.including(required: Team.players).annotated(with: best).order(\.id)
            #expect(try Row.fetchAll(db, including).map { $0["maxPlayerScore"] } == [30, 30, 20])
        }
    }

    @Test
    func `fetchCount counts the rows that fetchAll returns, also NULL`() throws {
        try makeDatabase().write { db throws in
            try db.execute(sql: "UPDATE player SET teamId = NULL WHERE id = 3")
            let request = Player.select(Column("teamId"), as: Int64?.self).distinct()
            #expect(try request.fetchCount(db) == 2)
            #expect(try request.fetchSet(db) == [1, nil])
        }
    }

    @Test
    func `A stable order distinguishes the rows of joined tables`() throws {
        try makeDatabase().read { db throws in
            let request = Team.including(required: Team.players).withStableOrder()
            #expect(try request.sql(db).hasSuffix(#"ORDER BY "team"."id", "player"."id""#))
        }
    }

    @Test
    func `A view without a known key takes inserts, and no other changes of records`() throws {
        try makeDatabase().write { db throws in
            try db.execute(
                sql: """
                    CREATE VIEW lineup AS SELECT id, name FROM player;
                    CREATE TRIGGER lineup_insert INSTEAD OF INSERT ON lineup BEGIN
                        INSERT INTO player (id, name, score) VALUES (NEW.id, NEW.name, 0); END;
                    CREATE TRIGGER lineup_delete INSTEAD OF DELETE ON lineup BEGIN DELETE FROM player WHERE id = OLD.id; END;
                    CREATE VIEW numbered AS SELECT id AS rowid, name FROM player;
                    """)
            let zoe = Lineup(id: 9, name: "Zoe")
            try zoe.insert(db)
            #expect(try Player.find(db, key: 9).name == "Zoe")
            #expect(throws: DatabaseError.self) { try db.primaryKey("lineup") }
            #expect(throws: DatabaseError.self) { try Lineup.fetchOne(db, key: 9) }
            #expect(throws: DatabaseError.self) { try zoe.update(db) }
            #expect(throws: DatabaseError.self) { try zoe.delete(db) }
            #expect(try Lineup.filter(Column("id") > 1).deleteAll(db) == 3)
            #expect(try Row.fetchOne(db, Table("numbered").filter(key: 1))?["name"] == "Arthur")
        }
    }

    @Test
    func `An index is not dropped if several are on its columns`() throws {
        try makeDatabase().write { db throws in
            try db.drop(indexOn: "player", columns: ["name", "score"])
            try db.execute(sql: "CREATE INDEX a ON player (name); CREATE INDEX b ON player (name) WHERE score > 0")
            #expect(throws: DatabaseError.self) { try db.drop(indexOn: "player", columns: ["name"]) }
        }
    }
}
