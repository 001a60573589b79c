import Strata

// Inserting 20,000 tracks of 8 columns in one transaction, in memory.

let insertWorkloads = [
    insertTracks("insert-by-statement", "values, by a prepared statement", atMost: 1.50) { tracks, db in
        let statement = try db.makeStatement(
            sql: "INSERT INTO track (id, title, artist, album, genre, year, duration, playCount) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
        for index in tracks.indices {
            let track = tracks[index]
            try statement.execute(arguments: [
                track.id, track.title, track.artist, track.album, track.genre, track.year, track.duration, track.playCount,
            ])
            tracks[index].id = db.lastInsertedRowID
        }
    },
    insertTracks("insert-records", "records", atMost: 1.50) { tracks, db in
        for index in tracks.indices {
            try tracks[index].insert(db)
        }
    },
    insertTracks("insert-batch", "a batch of records", atMost: 0.70) { tracks, db in
        try tracks.insertAll(db)
    },
    insertCodableTracks("insert-codable", "Codable records", atMost: 1.80) { tracks, db in
        for index in tracks.indices {
            try tracks[index].insert(db)
        }
    },
    insertCodableTracks("insert-codable-batch", "a batch of Codable records", atMost: 1.00) { tracks, db in
        try tracks.insertAll(db)
    },
]

private func insertTracks(
    _ name: String, _ summary: String, atMost limit: Double, _ insert: @escaping @Sendable (inout [Track], Database) throws -> Void
) -> Workload {
    Workload(name, "20,000 rows of 8 columns, \(summary)", atMost: limit) {
        let database = try TrackDatabase()
        let samples = Track.samples(count: rowCount(20_000))
        return Rounds {
            try database.execute("DELETE FROM track")
            return unshared(samples)
        } work: { tracks in
            try database.queue.write { try insert(&tracks, $0) }
        } check: {
            try database.checksum($0)
        }
    }
}

private func insertCodableTracks(
    _ name: String, _ summary: String, atMost limit: Double,
    _ insert: @escaping @Sendable (inout [Track.AsCodable], Database) throws -> Void
) -> Workload {
    Workload(name, "20,000 rows of 8 columns, \(summary)", atMost: limit) {
        let database = try TrackDatabase()
        let samples = Track.samples(count: rowCount(20_000))
        return Rounds {
            try database.execute("DELETE FROM track")
            return samples.map(Track.AsCodable.init)
        } work: { tracks in
            try database.queue.write { try insert(&tracks, $0) }
        } check: {
            try database.checksum($0)
        }
    }
}
