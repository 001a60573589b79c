import Strata
import Testing

// sample: In a module of the main actor 1

@Suite(.page)
struct StrataRecordsSamples {
    // sample: With Codable 1

    // sample: By hand 1

    // sample: Write 3

    // sample: Values that the database decides 1

    @Test
    func `Records are written, updated and deleted`() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            // sample: With Codable 2

            // sample: Write 1
            #expect(player.id == 1)
            #expect(player.score == 210)
            #expect(wasDeleted)
        }
    }

    @Test
    func `Records are read by their keys, and written in batches`() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            // sample: With Codable 2

            var player = Player(id: nil, name: "Arthur", score: 100, tags: ["tall"])
            try player.insert(db)
            // sample: Read by key 1
            #expect(first?.tags == ["tall"])
            #expect(found.name == "Arthur")
            #expect(several.count == 1)
            #expect(throws: RecordError.self) { try Player.find(db, key: 2) }

            // sample: Write 6
            #expect(players.map(\.id) == [2, 3])
            try #expect(Player.fetchCount(db) == 1)
            #expect(throws: RecordError.self) { try players[0].update(db) }
        }
    }

    @Test
    func `A record by hand reads and writes its columns`() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT, color TEXT)")
            var team = Team(id: nil, name: "Reds", color: nil)
            try team.insert(db)
            #expect(team.id == 1)
            let copy = try Team.find(db, key: 1)
            #expect(copy.name == "Reds")
            #expect(copy.color == nil)
            try db.execute(sql: "UPDATE team SET name = NULL")
            #expect(throws: RowDecodingError.self) { try Team.find(db, key: 1) }
        }
    }

    @Test
    func `An upsert counts words`() throws {
        try DatabaseQueue().write { db in
            // sample: Write 2
            // sample: Write 4
            try #expect(Word.find(db, key: "hello").count == 2)
            try #expect(Word.find(db, key: "world").count == 1)
            // sample: Write 5
            #expect(outcomes == [.unchanged, .inserted])
        }
    }

    @Test
    func `A row is fetched as the database completed it`() throws {
        try DatabaseQueue().write { db in
            // sample: Values that the database decides 2
            #expect(ticket.state == "open")
        }
    }

    @Test
    func `A record of a module of the main actor`() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE club (id INTEGER PRIMARY KEY, name TEXT)")
            for (id, name) in [(1, "Reds"), (2, "Blues")] { try Club(id: Int64(id), name: name).insert(db) }
            try #expect(Club.all().orderedByName().fetchAll(db).map(\.name) == ["Blues", "Reds"])
        }
    }
}
