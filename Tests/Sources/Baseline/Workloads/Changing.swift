import CSQLite

// Changing 20,000 tracks of 8 columns in one transaction, in memory.

let changeSides = [
    Side("update-records", prepare: updateTracks), Side("update-codable", prepare: updateTracks), updateChanges, save, upsert, delete,
]

private let updateTracks: @Sendable () -> Rounds = {
    let database = TrackDatabase(Track.samples(count: rowCount(20_000)))
    let connection = database.connection
    let samples = Track.changedSamples(count: rowCount(20_000))
    return Rounds {
        unshared(samples)
    } work: { tracks in
        connection.inTransaction {
            let statement = connection.prepare(Track.update)
            defer { sqlite3_finalize(statement) }
            for index in tracks.indices {
                guard tracks[index].update(statement, connection) else { fail("no track \(index)") }
            }
        }
    } check: {
        database.checksum($0)
    }
}

/// The two columns that differ are known, and one statement writes them.
private let updateChanges = Side("update-changes") {
    let database = TrackDatabase(Track.samples(count: rowCount(20_000)))
    let connection = database.connection
    let samples = Track.changedSamples(count: rowCount(20_000))
    let originals = Track.insertedSamples(count: rowCount(20_000))
    return Rounds {
        connection.execute(Track.restore)
        return unshared(samples)
    } work: { tracks in
        connection.inTransaction {
            let statement = connection.prepare("UPDATE track SET title = ?, playCount = ? WHERE id = ?")
            defer { sqlite3_finalize(statement) }
            for index in tracks.indices where tracks[index] != originals[index] {
                bind(tracks[index].playCount.map { Int64($0) }, statement, 2)
                bind(tracks[index].id, statement, 3)
                withBound(&tracks[index].title, statement, 1) { connection.run(statement) }
            }
        }
    } check: {
        database.checksum($0)
    }
}

/// A track without an id is inserted, and another is updated, or inserted when there was none to update.
private let save = Side("save") {
    let database = TrackDatabase(Track.samples(count: rowCount(10_000)))
    let connection = database.connection
    let samples = Track.partlyInsertedSamples(count: rowCount(20_000))
    return Rounds {
        connection.execute(Track.restore)
        return unshared(samples)
    } work: { tracks in
        connection.inTransaction {
            let (insertion, update) = (connection.prepare(Track.insertion), connection.prepare(Track.update))
            defer {
                sqlite3_finalize(insertion)
                sqlite3_finalize(update)
            }
            for index in tracks.indices {
                if tracks[index].id == nil || !tracks[index].update(update, connection) {
                    tracks[index].insert(insertion, connection)
                }
            }
        }
    } check: {
        database.checksum($0)
    }
}

private let upsert = Side("upsert") {
    let database = TrackDatabase(Track.samples(count: rowCount(10_000)))
    let connection = database.connection
    let samples = Track.changedSamples(count: rowCount(20_000))
    return Rounds {
        connection.execute(Track.restore)
        return unshared(samples)
    } work: { tracks in
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
                tracks[index].withColumnsBound(to: statement, from: 2) {
                    guard sqlite3_step(statement) == SQLITE_ROW else { return }
                    id = sqlite3_column_int64(statement, 0)
                    connection.run(statement)
                }
                tracks[index].id = id
            }
        }
    } check: {
        database.checksum($0)
    }
}

private let delete = Side("delete") {
    let database = TrackDatabase(Track.samples(count: rowCount(20_000)))
    let connection = database.connection
    let tracks = Track.changedSamples(count: rowCount(20_000))
    return Rounds {
        connection.execute(Track.restore)
        return 0
    } work: { count in
        connection.inTransaction {
            let statement = connection.prepare("DELETE FROM track WHERE id = ?")
            defer { sqlite3_finalize(statement) }
            for track in tracks {
                bind(track.id, statement, 1)
                connection.run(statement)
                count += Int(sqlite3_changes(connection.handle))
            }
        }
    } check: { count in
        count &* 31 &+ database.checksum([])
    }
}
