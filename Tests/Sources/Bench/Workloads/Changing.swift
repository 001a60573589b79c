import Strata

// Changing 20,000 tracks of 8 columns in one transaction, in memory.

let changeWorkloads = [updateRecords, updateCodable, updateChanges, saveRecords, upsertRecords, deleteRecords]

private let updateRecords = Workload("update-records", "20,000 rows of 8 columns, records", atMost: 1.50) {
    let database = try TrackDatabase(Track.samples(count: rowCount(20_000)))
    let samples = Track.changedSamples(count: rowCount(20_000))
    return Rounds {
        unshared(samples)
    } work: { tracks in
        try database.queue.write { db in
            for index in tracks.indices {
                try tracks[index].update(db)
            }
        }
    } check: {
        try database.checksum($0)
    }
}

private let updateCodable = Workload("update-codable", "20,000 rows of 8 columns, Codable records", atMost: 1.90) {
    let database = try TrackDatabase(Track.samples(count: rowCount(20_000)))
    let samples = Track.changedSamples(count: rowCount(20_000))
    return Rounds {
        samples.map(Track.AsCodable.init)
    } work: { tracks in
        try database.queue.write { db in
            for index in tracks.indices {
                try tracks[index].update(db)
            }
        }
    } check: {
        try database.checksum($0)
    }
}

private let updateChanges = Workload("update-changes", "20,000 records of 8 columns, two of which have changed", atMost: 1.90) {
    let database = try TrackDatabase(Track.samples(count: rowCount(20_000)))
    let samples = Track.changedSamples(count: rowCount(20_000))
    let originals = Track.insertedSamples(count: rowCount(20_000))
    return Rounds {
        try database.execute(Track.restore)
        return unshared(samples)
    } work: { tracks in
        try database.queue.write { db in
            for index in tracks.indices {
                try tracks[index].updateChanges(db, from: originals[index])
            }
        }
    } check: {
        try database.checksum($0)
    }
}

private let saveRecords = Workload(
    "save", "20,000 records of 8 columns, of which half have a row already", atMost: 2.00
) {
    let database = try TrackDatabase(Track.samples(count: rowCount(10_000)))
    let samples = Track.partlyInsertedSamples(count: rowCount(20_000))
    return Rounds {
        try database.execute(Track.restore)
        return unshared(samples)
    } work: { tracks in
        try database.queue.write { db in
            for index in tracks.indices {
                try tracks[index].save(db)
            }
        }
    } check: {
        try database.checksum($0)
    }
}

private let upsertRecords = Workload(
    "upsert", "20,000 records of 8 columns, of which half have a row already", atMost: 1.80
) {
    let database = try TrackDatabase(Track.samples(count: rowCount(10_000)))
    let samples = Track.changedSamples(count: rowCount(20_000))
    return Rounds {
        try database.execute(Track.restore)
        return unshared(samples)
    } work: { tracks in
        try database.queue.write { db in
            for index in tracks.indices {
                try tracks[index].upsert(db)
            }
        }
    } check: {
        try database.checksum($0)
    }
}

private let deleteRecords = Workload("delete", "20,000 records, one after the other", atMost: 1.70) {
    let database = try TrackDatabase(Track.samples(count: rowCount(20_000)))
    let tracks = Track.changedSamples(count: rowCount(20_000))
    return Rounds {
        try database.execute(Track.restore)
        return 0
    } work: { count in
        try database.queue.write { db in
            for track in tracks where try track.delete(db) {
                count += 1
            }
        }
    } check: { count in
        count &* 31 &+ (try database.checksum([Track]()))
    }
}
