import Strata

// Generated records beside the same records by hand, both through Strata. `make golden` writes the records again.

let generatedWorkloads = [fetchGenerated, insertGenerated, updateGenerated]

private let fetchGenerated = Workload(
    "fetch-generated", "16,000 orders of 14 columns: generated records beside records by hand that read columns by name", atMost: 1.06
) {
    try fetchOrders {
        try GeneratedOrder.fetchAll($0, sql: #"SELECT * FROM "order""#)
    } checksum: {
        $0.checksum
    }
} yardstick: {
    try fetchOrders {
        try OrderByName.fetchAll($0, sql: #"SELECT * FROM "order""#)
    } checksum: {
        $0.order.checksum
    }
}

private let insertGenerated = Workload(
    "insert-generated", "20,000 rows of 8 columns: generated records beside records by hand", atMost: 1.03
) {
    try insertTracks(GeneratedTrack.init) { $0.id }
} yardstick: {
    try insertTracks({ $0 }) { $0.id }
}

private let updateGenerated = Workload(
    "update-generated", "20,000 rows of 8 columns: generated records beside records by hand", atMost: 1.03
) {
    try updateTracks(GeneratedTrack.init) { $0.id }
} yardstick: {
    try updateTracks({ $0 }) { $0.id }
}

// Each side is specialized for its type of records.

@inline(__always)
private func fetchOrders<Record>(_ fetch: @escaping (Database) throws -> [Record], checksum number: @escaping (Record) -> Int) throws
    -> Rounds
{
    let queue = try openOrders()
    return Rounds {
        [Record]()
    } work: {
        $0 = try queue.read(fetch)
    } check: {
        checksum($0, number)
    }
}

@inline(__always)
private func insertTracks<Record: MutablePersistableRecord>(
    _ record: (Track) -> Record, id: @escaping (Record) -> Int64?
) throws -> Rounds {
    let database = try TrackDatabase()
    let samples = Track.samples(count: rowCount(20_000)).map(record)
    return Rounds {
        try database.execute("DELETE FROM track")
        return unshared(samples)
    } work: { tracks in
        try database.queue.write { db in
            for index in tracks.indices { try tracks[index].insert(db) }
        }
    } check: {
        try database.checksum($0, id: id)
    }
}

@inline(__always)
private func updateTracks<Record: MutablePersistableRecord>(
    _ record: (Track) -> Record, id: @escaping (Record) -> Int64?
) throws -> Rounds {
    let database = try TrackDatabase(Track.samples(count: rowCount(20_000)))
    let samples = Track.changedSamples(count: rowCount(20_000)).map(record)
    return Rounds {
        try database.execute("UPDATE track SET title = '', playCount = NULL")
        return samples
    } work: { tracks in
        try database.queue.write { db in
            for track in tracks { try track.update(db) }
        }
    } check: {
        try database.checksum($0, id: id)
    }
}

extension GeneratedOrder {
    /// The number of an ``Order``.
    fileprivate var checksum: Int {
        var sum = Int(id ?? 0) &+ Int(customerID ?? -1) &+ Int(employeeID ?? -2) &+ Int(shipperID ?? -3) &+ Int(freight * 8)
        sum &+= orderDate.utf8.count &+ requiredDate.utf8.count &+ (shippedDate?.utf8.count ?? -4) &+ shipName.utf8.count
        sum &+= shipAddress.utf8.count &+ shipCity.utf8.count &+ (shipRegion?.utf8.count ?? -5)
        return sum &+ (shipPostalCode?.utf8.count ?? -6) &+ shipCountry.utf8.count
    }
}

extension GeneratedTrack {
    fileprivate init(_ track: Track) {
        self.init(
            id: track.id, title: track.title, artist: track.artist, album: track.album, genre: track.genre, year: Int64(track.year),
            duration: track.duration, playCount: track.playCount.map { Int64($0) })
    }
}
