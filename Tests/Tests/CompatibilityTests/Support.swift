import Strata

// The schema and the records that the tests of this target share. The tests are written as GRDB's users write their
// applications: a test that needs another shape declares its records where it uses them.

struct Team: Codable, Identifiable, Equatable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var name: String

    static let players = hasMany(Player.self)

    enum Columns {
        static let id = Column(CodingKeys.id)
        static let name = Column(CodingKeys.name)
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

struct Player: Codable, Identifiable, Equatable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var teamId: Int64?
    var name: String
    var score: Int

    static let team = belongsTo(Team.self)

    enum Columns {
        static let id = Column(CodingKeys.id)
        static let teamId = Column(CodingKeys.teamId)
        static let name = Column(CodingKeys.name)
        static let score = Column(CodingKeys.score)
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

/// A database in memory with the teams "Reds" (1) and "Blues" (2), and the players Arthur (1, Reds, 10),
/// Barbara (2, Reds, 30) and Craig (3, Blues, 20).
func makeDatabase() throws -> DatabaseQueue {
    let queue = try DatabaseQueue()
    try queue.write { db in
        try db.create(table: "team") { t in
            t.autoIncrementedPrimaryKey("id")
            t.column("name", .text).notNull()
        }
        try db.create(table: "player") { t in
            t.autoIncrementedPrimaryKey("id")
            t.belongsTo("team")
            t.column("name", .text).notNull()
            t.column("score", .integer).notNull()
        }
        for name in ["Reds", "Blues"] {
            var team = Team(id: nil, name: name)
            try team.insert(db)
        }
        for (name, teamId, score) in [("Arthur", Int64(1), 10), ("Barbara", 1, 30), ("Craig", 2, 20)] {
            var player = Player(id: nil, teamId: teamId, name: name, score: score)
            try player.insert(db)
        }
    }
    return queue
}
