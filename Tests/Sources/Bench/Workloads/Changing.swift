import CSQLite
import Strata

// Changing 20,000 tracks of 8 columns in one transaction, in memory.

let changeWorkloads = [updateRecords, updateCodable, updateChanges, saveRecords, upsertRecords, deleteRecords]

/// The samples with their ids, and with other values than those that the tables are filled with.
func changedSamples() -> [Track] {
    Track.samples(count: 20_000).enumerated().map { index, sample in
        var track = sample
        track.id = Int64(index + 1)
        track.title = "Another title, number \(index)"
        track.playCount = index % 5 == 0 ? nil : index % 900
        return track
    }
}

private func updateByHand(_ samples: [Track], _ connection: CConnection) -> Int {
    var tracks = samples
    return connection.inTransaction {
        let statement = connection.prepare(Track.update)
        defer { sqlite3_finalize(statement) }
        for index in tracks.indices {
            guard tracks[index].updateByHand(statement, connection) else { fail("no track \(index)") }
        }
        return tracks.count
    }
}

private let updateRecords = Workload("update-records", "20,000 rows of 8 columns, records", atMost: 1.50) {
    let databases = try TrackDatabases()
    try databases.fill(Track.samples(count: 20_000))
    let samples = changedSamples()
    return Workload.Sides(
        byHand: { updateByHand(samples, databases.connection) },
        throughStrata: {
            var tracks = samples
            try databases.queue.write { db in
                for index in tracks.indices {
                    try tracks[index].update(db)
                }
            }
            return tracks.count
        },
        contents: databases.contents)
}

private let updateCodable = Workload("update-codable", "20,000 rows of 8 columns, Codable records", atMost: 1.90) {
    let databases = try TrackDatabases()
    try databases.fill(Track.samples(count: 20_000))
    let samples = changedSamples()
    let codableSamples = samples.map(Track.AsCodable.init)
    return Workload.Sides(
        byHand: { updateByHand(samples, databases.connection) },
        throughStrata: {
            var tracks = codableSamples
            try databases.queue.write { db in
                for index in tracks.indices {
                    try tracks[index].update(db)
                }
            }
            return tracks.count
        },
        contents: databases.contents)
}

/// By hand, the two columns that differ are known, and one statement writes them.
private let updateChanges = Workload("update-changes", "20,000 records of 8 columns, two of which have changed", atMost: 1.80) {
    let databases = try TrackDatabases()
    try databases.fill(Track.samples(count: 20_000))
    let samples = changedSamples()
    let originals = Track.samples(count: 20_000).enumerated().map { index, sample in
        var track = sample
        track.id = Int64(index + 1)
        return track
    }
    return Workload.Sides(
        byHand: {
            var tracks = samples
            let connection = databases.connection
            return connection.inTransaction {
                let statement = connection.prepare("UPDATE track SET title = ?, playCount = ? WHERE id = ?")
                defer { sqlite3_finalize(statement) }
                var count = 0
                for index in tracks.indices where tracks[index] != originals[index] {
                    bind(tracks[index].playCount.map { Int64($0) }, statement, 2)
                    bind(tracks[index].id, statement, 3)
                    withBound(&tracks[index].title, statement, 1) { connection.run(statement) }
                    count += 1
                }
                return count
            }
        },
        throughStrata: {
            var tracks = samples
            return try databases.queue.write { db in
                var count = 0
                for index in tracks.indices where try tracks[index].updateChanges(db, from: originals[index]) {
                    count += 1
                }
                return count
            }
        },
        contents: databases.contents)
}

/// By hand, a track without an id is inserted, and another is updated, or inserted when there was none to update.
private let saveRecords = Workload(
    "save", "20,000 records of 8 columns, of which half have a row already", atMost: 2.00
) {
    let databases = try TrackDatabases()
    try databases.fill(Array(Track.samples(count: 10_000)))
    var samples = changedSamples()
    for index in 10_000..<20_000 { samples[index].id = nil }
    let tracksToSave = samples
    return Workload.Sides(
        reset: databases.restore,
        byHand: {
            var tracks = tracksToSave
            let connection = databases.connection
            connection.inTransaction {
                let (insertion, update) = (connection.prepare(Track.insertion), connection.prepare(Track.update))
                defer {
                    sqlite3_finalize(insertion)
                    sqlite3_finalize(update)
                }
                for index in tracks.indices {
                    if tracks[index].id == nil || !tracks[index].updateByHand(update, connection) {
                        tracks[index].insertByHand(insertion, connection)
                    }
                }
            }
            return tracks.reduce(0) { $0 &+ Int($1.id ?? 0) }
        },
        throughStrata: {
            var tracks = tracksToSave
            try databases.queue.write { db in
                for index in tracks.indices {
                    try tracks[index].save(db)
                }
            }
            return tracks.reduce(0) { $0 &+ Int($1.id ?? 0) }
        },
        contents: databases.contents)
}

private let upsertRecords = Workload(
    "upsert", "20,000 records of 8 columns, of which half have a row already", atMost: 1.80
) {
    let databases = try TrackDatabases()
    try databases.fill(Array(Track.samples(count: 10_000)))
    let samples = changedSamples()
    return Workload.Sides(
        reset: databases.restore,
        byHand: {
            var tracks = samples
            let connection = databases.connection
            connection.inTransaction {
                let statement = connection.prepare(
                    Track.insertion + """
                         ON CONFLICT DO UPDATE SET title = excluded.title, artist = excluded.artist, album = excluded.album,
                        genre = excluded.genre, year = excluded.year, duration = excluded.duration, playCount = excluded.playCount
                        RETURNING id
                        """)
                defer { sqlite3_finalize(statement) }
                for index in tracks.indices {
                    bind(tracks[index].id, statement, 1)
                    var id: Int64 = 0
                    tracks[index].withBound(to: statement, from: 2) {
                        guard sqlite3_step(statement) == SQLITE_ROW else { return }
                        id = sqlite3_column_int64(statement, 0)
                        connection.run(statement)
                    }
                    tracks[index].id = id
                }
            }
            return tracks.reduce(0) { $0 &+ Int($1.id ?? 0) }
        },
        throughStrata: {
            var tracks = samples
            try databases.queue.write { db in
                for index in tracks.indices {
                    try tracks[index].upsert(db)
                }
            }
            return tracks.reduce(0) { $0 &+ Int($1.id ?? 0) }
        },
        contents: databases.contents)
}

private let deleteRecords = Workload("delete", "20,000 records, one after the other", atMost: 1.50) {
    let databases = try TrackDatabases()
    try databases.fill(Track.samples(count: 20_000))
    let tracks = changedSamples()
    return Workload.Sides(
        reset: databases.restore,
        byHand: {
            let connection = databases.connection
            var count = 0
            connection.inTransaction {
                let statement = connection.prepare("DELETE FROM track WHERE id = ?")
                defer { sqlite3_finalize(statement) }
                for track in tracks {
                    bind(track.id, statement, 1)
                    connection.run(statement)
                    count += Int(sqlite3_changes(connection.handle))
                }
            }
            return count
        },
        throughStrata: {
            try databases.queue.write { db in
                var count = 0
                for track in tracks where try track.delete(db) {
                    count += 1
                }
                return count
            }
        },
        contents: databases.contents)
}
