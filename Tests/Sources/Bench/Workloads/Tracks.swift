import Strata

extension Track: MutablePersistableRecord {
    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["title"] = title
        container["artist"] = artist
        container["album"] = album
        container["genre"] = genre
        container["year"] = year
        container["duration"] = duration
        container["playCount"] = playCount
    }

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

extension Track {
    /// The same record, whose type leaves its encoding to Codable.
    struct AsCodable: Codable, MutablePersistableRecord {
        static let databaseTableName = "track"

        var id: Int64?
        var title: String
        var artist: String
        var album: String?
        var genre: String
        var year: Int
        var duration: Double
        var playCount: Int?

        init(_ track: Track) {
            id = track.id
            title = track.title
            artist = track.artist
            album = track.album
            genre = track.genre
            year = track.year
            duration = track.duration
            playCount = track.playCount
        }

        mutating func didInsert(_ inserted: InsertionSuccess) {
            id = inserted.rowID
        }
    }
}

/// A database in memory with a table of tracks.
struct TrackDatabase {
    let queue: DatabaseQueue

    /// - Parameter tracks: The rows of the table, without their ids.
    init(_ tracks: [Track] = []) throws {
        queue = try DatabaseQueue()
        try execute(Track.createTable)
        try queue.write { db in
            for track in tracks { _ = try track.inserted(db) }
        }
        try execute(Track.createOriginal)
    }

    func execute(_ sql: String) throws {
        try queue.write { try $0.execute(sql: sql) }
    }

    /// A number that depends on the table and on the ids of tracks.
    func checksum<Record>(_ tracks: [Record], id: (Record) -> Int64?) throws -> Int {
        let contents = try queue.read { try Int.fetchOne($0, sql: Track.contents) ?? 0 }
        return bench.checksum(tracks) { Int(id($0) ?? 0) } &* 31 &+ contents
    }

    func checksum(_ tracks: [Track]) throws -> Int { try checksum(tracks) { $0.id } }
    func checksum(_ tracks: [Track.AsCodable]) throws -> Int { try checksum(tracks) { $0.id } }
}
