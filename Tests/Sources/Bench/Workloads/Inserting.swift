import CSQLite
import Strata

// Inserting 20,000 tracks of 8 columns in one transaction, in memory.

let insertWorkloads = [
    insertTracks("insert-by-statement", "values, by a prepared statement", atMost: 1.30) { tracks, db in
        let statement = try db.makeStatement(sql: Track.insertion)
        for index in tracks.indices {
            let track = tracks[index]
            try statement.execute(arguments: [
                track.id, track.title, track.artist, track.album, track.genre, track.year, track.duration, track.playCount,
            ])
            tracks[index].id = db.lastInsertedRowID
        }
    },
    insertTracks("insert-records", "records", atMost: 1.40) { tracks, db in
        for index in tracks.indices {
            try tracks[index].insert(db)
        }
    },
    insertTracks("insert-batch", "a batch of records", atMost: 1.40) { tracks, db in
        try tracks.insertAll(db)
    },
    insertCodableTracks,
]

private func insertTracks(
    _ name: String, _ summary: String, atMost limit: Double, _ insert: @escaping @Sendable (inout [Track], Database) throws -> Void
) -> Workload {
    Workload(name, "20,000 rows of 8 columns, \(summary)", atMost: limit) {
        let databases = try TrackDatabases()
        let samples = Track.samples(count: 20_000)
        return Workload.Sides(
            reset: { try databases.execute("DELETE FROM track") },
            byHand: { insertByHand(samples, databases.connection) },
            throughStrata: {
                var tracks = samples
                try databases.queue.write { try insert(&tracks, $0) }
                return tracks.reduce(0) { $0 &+ Int($1.id ?? 0) }
            },
            contents: databases.contents)
    }
}

private let insertCodableTracks = Workload("insert-codable", "20,000 rows of 8 columns, Codable records", atMost: 1.80) {
    let databases = try TrackDatabases()
    let samples = Track.samples(count: 20_000)
    let codableSamples = samples.map(Track.AsCodable.init)
    return Workload.Sides(
        reset: { try databases.execute("DELETE FROM track") },
        byHand: { insertByHand(samples, databases.connection) },
        throughStrata: {
            var tracks = codableSamples
            try databases.queue.write { db in
                for index in tracks.indices {
                    try tracks[index].insert(db)
                }
            }
            return tracks.reduce(0) { $0 &+ Int($1.id ?? 0) }
        },
        contents: databases.contents)
}

private func insertByHand(_ samples: [Track], _ connection: CConnection) -> Int {
    var tracks = samples
    connection.inTransaction {
        let statement = connection.prepare(Track.insertion)
        defer { sqlite3_finalize(statement) }
        for index in tracks.indices {
            tracks[index].insertByHand(statement, connection)
        }
    }
    return tracks.reduce(0) { $0 &+ Int($1.id ?? 0) }
}
