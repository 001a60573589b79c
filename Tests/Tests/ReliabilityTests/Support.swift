import Foundation
import Strata
import Testing

/// A record with no code of its own.
struct Player: Codable, Equatable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var name: String
    var score: Int

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

extension Player {
    static let arthur = Player(id: 1, name: "Arthur", score: 100)
    static let barbara = Player(id: 2, name: "Barbara", score: 200)
    static let craig = Player(id: 3, name: "Craig", score: 300)

    static let creation = "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL)"

    /// Makes the table, with three players in it.
    static func makeTable(_ db: Database) throws {
        try db.execute(sql: creation)
        for player in [arthur, barbara, craig] {
            var player = player
            try player.insert(db)
        }
    }
}

/// The same, read and written by hand.
struct HandWrittenPlayer: Hashable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "player"

    var id: Int64
    var name: String
    var score: Int

    init(id: Int64, name: String, score: Int) {
        self.id = id
        self.name = name
        self.score = score
    }

    init(row: Row) throws {
        id = try row.decode(forKey: "id")
        name = try row.decode(forKey: "name")
        score = try row.decode(forKey: "score")
    }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
        container["score"] = score
    }
}

/// Expects that other connections can write immediately: no lock was left behind.
func expectUnlocked(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) {
    var configuration = Configuration()
    configuration.busyMode = .immediateError
    #expect(throws: Never.self, sourceLocation: sourceLocation) {
        try DatabaseQueue(path: path, configuration: configuration).inTransaction(.exclusive) { _ in .commit }
    }
}
