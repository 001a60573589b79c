import CSQLite
import Strata

/// A track of 8 columns, which is inserted.
struct Track {
    var id: Int64?
    var title: String
    var artist: String
    var album: String?
    var genre: String
    var year: Int
    var duration: Double
    var playCount: Int?

    static let createTable = """
        CREATE TABLE track (
            id INTEGER PRIMARY KEY, title TEXT NOT NULL, artist TEXT NOT NULL, album TEXT, genre TEXT NOT NULL,
            year INTEGER NOT NULL, duration REAL NOT NULL, playCount INTEGER)
        """

    /// Tracks that are the same each time.
    static func samples(count: Int) -> [Track] {
        (1...count).map { i in
            Track(
                id: nil, title: "Track number \(i) of the session", artist: "The Band \(i % 97)",
                album: i % 4 == 0 ? nil : "Album \(i % 311), remastered", genre: "Genre \(i % 13)", year: 1950 + i % 70,
                duration: Double(i % 600) + 0.5, playCount: i % 3 == 0 ? nil : i % 1000)
        }
    }
}

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

/// Inserts tracks by hand: the texts are not copied, since they stay where they are until the step.
private func insertByHand(_ tracks: inout [Track], _ connection: CConnection) {
    let static_ = unsafeBitCast(0, to: sqlite3_destructor_type?.self)
    let statement = connection.prepare(
        "INSERT INTO track (id, title, artist, album, genre, year, duration, playCount) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
    defer { sqlite3_finalize(statement) }
    func bind(_ bytes: UnsafeBufferPointer<UInt8>, _ index: CInt) {
        bytes.withMemoryRebound(to: CChar.self) {
            _ = sqlite3_bind_text(statement, index, $0.baseAddress, CInt($0.count), static_)
        }
    }
    for index in tracks.indices {
        var track = tracks[index]
        if let id = track.id { sqlite3_bind_int64(statement, 1, id) } else { sqlite3_bind_null(statement, 1) }
        sqlite3_bind_int64(statement, 6, Int64(track.year))
        sqlite3_bind_double(statement, 7, track.duration)
        if let count = track.playCount { sqlite3_bind_int64(statement, 8, Int64(count)) } else { sqlite3_bind_null(statement, 8) }
        track.title.withUTF8 { title in
            bind(title, 2)
            track.artist.withUTF8 { artist in
                bind(artist, 3)
                track.genre.withUTF8 { genre in
                    bind(genre, 5)
                    if var album = track.album {
                        album.withUTF8 { album in
                            bind(album, 4)
                            sqlite3_step(statement)
                        }
                    } else {
                        sqlite3_bind_null(statement, 4)
                        sqlite3_step(statement)
                    }
                }
            }
        }
        guard sqlite3_reset(statement) == SQLITE_OK else { fail(String(cString: sqlite3_errmsg(connection.handle))) }
        tracks[index].id = sqlite3_last_insert_rowid(connection.handle)
    }
}

let insertRecords = Workload(name: "insert-records", summary: "20,000 records of 8 columns, one transaction, in memory") {
    let connection = CConnection()
    let queue = try DatabaseQueue()
    connection.execute(Track.createTable)
    try queue.write { try $0.execute(sql: Track.createTable) }
    let samples = Track.samples(count: 20_000)
    return Workload.Sides(
        reset: {
            connection.execute("DELETE FROM track")
            try queue.write { try $0.execute(sql: "DELETE FROM track") }
        },
        byHand: {
            var tracks = samples
            connection.execute("BEGIN IMMEDIATE TRANSACTION")
            insertByHand(&tracks, connection)
            connection.execute("COMMIT TRANSACTION")
            return tracks.reduce(0) { $0 &+ Int($1.id ?? 0) }
        },
        throughStrata: {
            var tracks = samples
            try queue.write { db in
                for index in tracks.indices {
                    try tracks[index].insert(db)
                }
            }
            return tracks.reduce(0) { $0 &+ Int($1.id ?? 0) }
        })
}
