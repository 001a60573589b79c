import CSQLite
import Strata

/// A track of 8 columns, which is written. Its type says how by hand.
struct Track: Equatable {
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

    /// A number that depends on what the table holds.
    static let contents = """
        SELECT coalesce(sum(id * 7 + id * length(title) + length(artist) * 5 + coalesce(length(album), -1) + length(genre)
            + year + CAST(duration * 2 AS INTEGER) + coalesce(playCount, -5)), -1) FROM track
        """
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

// MARK: - By hand

extension Track {
    /// Binds all columns but the id, from a parameter on, and does something with the statement: the texts are not copied,
    /// since they stay where they are in the meantime.
    @inline(__always)
    mutating func withBound(to statement: OpaquePointer, from index: CInt, _ body: () -> Void) {
        sqlite3_bind_int64(statement, index + 4, Int64(year))
        sqlite3_bind_double(statement, index + 5, duration)
        bind(playCount.map { Int64($0) }, statement, index + 6)
        bench.withBound(&title, statement, index) {
            bench.withBound(&artist, statement, index + 1) {
                bench.withBound(&genre, statement, index + 3) {
                    bench.withBound(&album, statement, index + 2, body)
                }
            }
        }
    }

    static let insertion = "INSERT INTO track (id, title, artist, album, genre, year, duration, playCount) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"

    static let update = "UPDATE track SET title = ?, artist = ?, album = ?, genre = ?, year = ?, duration = ?, playCount = ? WHERE id = ?"

    /// Inserts the track by a statement made of ``insertion``, and notes its id.
    @inline(__always)
    mutating func insertByHand(_ statement: OpaquePointer, _ connection: CConnection) {
        bind(id, statement, 1)
        withBound(to: statement, from: 2) { connection.run(statement) }
        id = sqlite3_last_insert_rowid(connection.handle)
    }

    /// Updates the track by a statement made of ``update``.
    ///
    /// - Returns: whether there is such a row.
    @inline(__always)
    mutating func updateByHand(_ statement: OpaquePointer, _ connection: CConnection) -> Bool {
        bind(id, statement, 8)
        withBound(to: statement, from: 1) { connection.run(statement) }
        return sqlite3_changes(connection.handle) > 0
    }
}

/// Both sides' databases, each with an empty table of tracks and one for their copies.
struct TrackDatabases {
    let connection = CConnection()
    let queue: DatabaseQueue

    init() throws {
        queue = try DatabaseQueue()
        try execute(Track.createTable)
        try execute("CREATE TABLE original AS SELECT * FROM track")
    }

    /// Runs SQL on both.
    func execute(_ sql: String) throws {
        connection.execute(sql)
        try queue.write { try $0.execute(sql: sql) }
    }

    /// Fills both with the samples, and remembers them for ``restore()``.
    func fill(_ tracks: [Track]) throws {
        var tracks = tracks
        let statement = connection.prepare(Track.insertion)
        for index in tracks.indices { tracks[index].insertByHand(statement, connection) }
        sqlite3_finalize(statement)
        try queue.write { db in
            for track in tracks { _ = try track.inserted(db) }
        }
        try execute("INSERT INTO original SELECT * FROM track")
    }

    /// Gives both the rows that they had been filled with.
    func restore() throws {
        try execute("DELETE FROM track")
        try execute("INSERT INTO track SELECT * FROM original")
    }

    func contents() throws -> (byHand: Int, throughStrata: Int) {
        (connection.number(Track.contents), try queue.read { try Int.fetchOne($0, sql: Track.contents) ?? 0 })
    }
}
