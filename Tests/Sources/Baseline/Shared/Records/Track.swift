import CSQLite

/// A track of 8 columns, which is written.
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

    /// Tracks without ids that are the same each time.
    static func samples(count: Int) -> [Track] {
        (1...count).map { i in
            Track(
                id: nil, title: "Track number \(i) of the session", artist: "The Band \(i % 97)",
                album: i % 4 == 0 ? nil : "Album \(i % 311), remastered", genre: "Genre \(i % 13)", year: 1950 + i % 70,
                duration: Double(i % 600) + 0.5, playCount: i % 3 == 0 ? nil : i % 1000)
        }
    }

    /// The samples with the ids that they get when they are inserted into an empty table.
    static func insertedSamples(count: Int) -> [Track] {
        samples(count: count).enumerated().map { index, sample in
            var track = sample
            track.id = Int64(index + 1)
            return track
        }
    }

    /// The same with another title and play count.
    static func changedSamples(count: Int) -> [Track] {
        insertedSamples(count: count).enumerated().map { index, sample in
            var track = sample
            track.title = "Another title, number \(index)"
            track.playCount = index % 5 == 0 ? nil : index % 900
            return track
        }
    }

    /// The changed samples, of which the second half has no ids.
    static func partlyInsertedSamples(count: Int) -> [Track] {
        var tracks = changedSamples(count: count)
        for index in (count / 2)..<count { tracks[index].id = nil }
        return tracks
    }

    /// A number that depends on what the table holds.
    static let contents = """
        SELECT coalesce(sum(id * 7 + id * length(title) + length(artist) * 5 + coalesce(length(album), -1) + length(genre)
            + year + CAST(duration * 2 AS INTEGER) + coalesce(playCount, -5)), -1) FROM track
        """

    /// A table with the rows that the table of tracks is filled with.
    static let createOriginal = "CREATE TABLE original AS SELECT * FROM track"

    /// Gives the table the rows that it was filled with.
    static let restore = "DELETE FROM track; INSERT INTO track SELECT * FROM original"
}
