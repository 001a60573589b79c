/// A schema with queries, and a program that calls them. It stops where a result is wrong.
enum QueryProgram {
    static let schema = """
        CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT) STRICT;
        CREATE TABLE player (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, score INTEGER NOT NULL, born DATETIME, "teamId" INTEGER REFERENCES team,
            state TEXT NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'retired')), token UUID, tags JSON,
            joined DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP
        );
        CREATE TABLE note (id INT, text TEXT);
        """

    static let settings = """
        column player.tags  json [String]
        column player.token lowercase UUID
        skip note
        singular
        """

    static let queries = #"""
        -- name: bestPlayers
        -- Players above a score, best first.
        SELECT player.*, team.name AS teamName FROM player LEFT JOIN team ON team.id = player.teamId
        WHERE score > :score ORDER BY score DESC LIMIT :limit;

        -- name: player
        SELECT * FROM player WHERE id = :id;

        -- name: players
        SELECT * FROM player WHERE id IN (:ids) AND (:name IS NULL OR name LIKE :name) ORDER BY id;

        -- name: tokens
        SELECT id FROM player WHERE token IN (:tokens);

        -- name: joined
        SELECT id FROM player WHERE (:since IS NULL OR joined >= :since) AND joined IN (:dates) AND joined = :date;

        -- name: tagged
        SELECT tags FROM player WHERE tags = :tags;

        -- name: playerCount
        SELECT count(*) FROM player WHERE state = :state;

        -- name: topScore
        SELECT max(score) FROM player;

        -- name: cityOf
        SELECT city FROM team WHERE id = ?1;

        -- name: addTeam
        INSERT INTO team (name, city) VALUES (:name, :city) RETURNING *;

        -- name: addPlayer
        INSERT INTO player (name, score, born, teamId, token, tags) VALUES (:name, :score, :born, :team_id, :token, :tags);

        -- name: switch
        SELECT a.id, b.id, 'it''s \n """' AS "class", :in AS "in" FROM team a JOIN team b ON a.id <= b.id WHERE a.id >= :in;

        -- name: raise
        UPDATE player SET score = score + :points WHERE teamId IS :teamId RETURNING name, score;

        -- name: wrong :one
        -- @column name Int64
        -- @column total !
        SELECT name, sum(score) AS total FROM player WHERE score > :score;

        -- name: remove
        DELETE FROM player WHERE id = :id;

        -- name: squads
        -- @struct Squad
        -- @nest player, team
        SELECT player.*, team.* FROM player LEFT JOIN team ON team.id = player.teamId ORDER BY player.id;

        -- name: squad :one
        -- @struct Squad
        -- @nest player, team
        SELECT * FROM player LEFT JOIN team ON team.id = player.teamId WHERE player.id = :id;

        -- name: everyone
        -- @nest p, t, n
        SELECT * FROM player AS p FULL JOIN team AS t USING (name) LEFT JOIN note AS n ON n.id = t.id ORDER BY p.id, t.id;

        -- name: totals
        -- @nest totals
        WITH totals (team, total) AS (SELECT teamId, sum(score) FROM player GROUP BY teamId)
        SELECT team.name, totals.* FROM team LEFT JOIN totals ON totals.team = team.id ORDER BY team.id;

        -- name: flat
        SELECT p.*, 7 AS seven, team.city FROM player AS p JOIN team ON team.id = p.teamId ORDER BY p.id;
        """#

    static let program = #"""
        import Foundation
        import Strata

        func check(_ condition: Bool, line: Int = #line) {
            if !condition { fatalError("line \(line)") }
        }

        func fails(_ body: () throws -> some Any, line: Int = #line) {
            check((try? body()) == nil, line: line)
        }

        let queue = try DatabaseQueue()
        let token = UUID()
        let born = Date(timeIntervalSince1970: 1_000_000_000)
        try queue.write { db in
            try db.execute(sql: String(contentsOfFile: "schema.sql", encoding: .utf8))
            try Queries.check(db)
            let team: Team = try Queries.addTeam(name: "Reds", city: nil).execute(db)
            check(team.id == 1 && team.city == nil)
            check(
                try Queries.addPlayer(name: "Arthur", score: 10, born: born, teamId: 1, token: token, tags: ["a"]).execute(db) == 1)
            try Queries.addPlayer(name: "Barbara", score: 20, born: nil, teamId: nil, token: nil, tags: nil).execute(db)

            let best = try Queries.bestPlayers(score: 5, limit: 10).fetch(db)
            check(best.map(\.name) == ["Barbara", "Arthur"] && best.map(\.teamName) == [nil, "Reds"])
            check(best[1].born == born && best[1].state == .active && best[1].token == token && best[1].tags == ["a"])
            check(try Queries.bestPlayers(score: 5, limit: 10).fetchCount(db) == 2)

            let player: Player? = try Queries.player(id: 1).fetch(db)
            check(player?.name == "Arthur" && player?.token == token)
            check(try Queries.player(id: 9).fetch(db) == nil)
            check(try Queries.players(ids: [1, 2, 3]).fetch(db).map(\.id) == [1, 2])
            check(try Queries.players(ids: [1, 2], name: "b%").fetch(db).map(\.id) == [2])
            check(try Queries.players(ids: []).fetch(db).isEmpty)
            check(try Queries.tokens(tokens: [token, UUID()]).fetch(db) == [1])
            try db.execute(sql: "UPDATE player SET joined = '2001-09-09 01:46:40' WHERE id = 1")
            check(try Queries.joined(since: born, dates: [born], date: born).fetch(db) == [1])
            check(try Queries.joined(dates: [born], date: born + 0.001).fetch(db).isEmpty)
            fails { try Queries.joined(dates: [Date(timeIntervalSince1970: 1e12)], date: born).fetch(db) }
            check(try Queries.tagged(tags: ["a"]).fetch(db).map(\.tags) == [["a"]])
            check(try Queries.playerCount(state: .active).fetch(db) == 2)
            check(try Queries.topScore().fetch(db) == 20)
            check(try Queries.cityOf(id: 1).fetch(db) == nil)
            check(try Queries.switch(in: 1).fetch(db).map(\.class) == ["it's \\n \"\"\""])
            check(try Queries.raise(points: 5, teamId: nil).execute(db).map(\.score) == [25])
            check(try Queries.raise(points: 5, teamId: 1).execute(db).map(\.name) == ["Arthur"])
            // Annotations are checked when values are read.
            fails { try Queries.wrong(score: 0).fetch(db) }
            fails { try Queries.wrong(score: 1000).fetch(db) }
            check(try Queries.remove(id: 2).execute(db) == 1)
            check(try Queries.topScore().fetch(db) == 15)
            try db.execute(sql: "ALTER TABLE team ADD COLUMN founded INTEGER")
            fails { try Queries.check(db) }
        }

        // Rows of rows, in a database with more columns than the schema has.
        try queue.write { db in
            try db.execute(
                sql: """
                    ALTER TABLE player ADD COLUMN city TEXT DEFAULT 'x'; ALTER TABLE player ADD COLUMN seven DEFAULT 99;
                    INSERT INTO team VALUES (2, 'Cara', 'Ulm', 1846); INSERT INTO note VALUES (2, NULL), (NULL, NULL);
                    INSERT INTO player (name, score) VALUES ('Cara', 3);
                    """)
            let squads = try Queries.squads().fetch(db)
            check(squads.map(\.player.name) == ["Arthur", "Cara"] && squads.map(\.team?.name) == ["Reds", nil])
            check(squads[0].player.token == token && squads[0].player.tags == ["a"] && squads[0].player.state == .active)
            check(try squads[0].player == Queries.player(id: 1).fetch(db) && squads[0].team == Team.find(db, key: 1))
            check(try Queries.squad(id: 1).fetch(db) == squads[0])
            check(try JSONDecoder().decode([Queries.Squad].self, from: JSONEncoder().encode(squads)) == squads)
            let everyone = try Queries.everyone().fetch(db)
            check(everyone.map(\.p?.name) == [nil, "Arthur", "Cara"] && everyone.map(\.t?.name) == ["Reds", nil, "Cara"])
            check(everyone[2].p?.teamId == nil && everyone[2].t?.city == "Ulm")
            check(everyone[0].n == nil && everyone[2].n == Queries.EveryoneRow.N(id: 2, text: nil))
            check(try Queries.totals().fetch(db).map(\.total?.total) == [15, nil])
            let flat = try Queries.flat().fetch(db)
            check(flat.map(\.seven) == [7] && flat.map(\.city) == [nil] && flat[0].joined == born)
            check(try Queries.remove(id: squads[1].player.id!).execute(db) == 1)
        }

        // A query is a value.
        struct Model {
            var best: @Sendable (Int64) -> BoundQuery<[Queries.BestPlayersRow]>
        }
        let model = Model { Queries.bestPlayers(score: $0, limit: 3).bound(to: queue) }
        check(try await model.best(0).fetch().map(\.name) == ["Arthur"])
        let row = Queries.BestPlayersRow(
            id: 1, name: "Test", score: 1, born: nil, teamId: nil, state: .retired, token: nil, tags: nil, joined: .distantPast, teamName: nil)
        check(try await Model { _ in .constant([row]) }.best(0).fetch() == [row])
        for try await rows in model.best(0).values() {
            check(rows.count == 1)
            break
        }
        for try await row in Queries.bestPlayers(score: 0, limit: 3).fetchSequence(queue) { check(row.name == "Arthur") }
        for try await rows in ValueObservation.trackingAll(Queries.bestPlayers(score: 0, limit: 3)).values(in: queue) {
            check(rows.count == 1)
            break
        }
        """#
}
