// What the samples of documentation comments use, and don't declare: see Scripts/check-samples.sh. Nothing here runs.

import Foundation
import Strata

// Connections

var db: Database { fatalError() }
var queue: DatabaseQueue { fatalError() }
var pool: DatabasePool { fatalError() }
var configuration: Configuration {
    get { fatalError() }
    set {}
}
var url: URL { fatalError() }

// Records

struct Player: Codable, Equatable, FetchableRecord, Identifiable, PersistableRecord {
    enum Columns {
        static let id = Column("id")
        static let name = Column("name")
        static let score = Column("score")
        static let bonus = Column("bonus")
        static let team = Column("team")
        static let teamId = Column("teamId")
    }

    var id: Int64?
    var name: String
    var score = 0
    var teamID: Int64?
}

struct Team: Codable, FetchableRecord, PersistableRecord {
    static let players = hasMany(Player.self)

    var id: Int64
    var name: String
}

var player: Player {
    get { fatalError() }
    set {}
}
var players: [Player] {
    get { fatalError() }
    set {}
}
var id: Int64 { fatalError() }
var name: String { fatalError() }
